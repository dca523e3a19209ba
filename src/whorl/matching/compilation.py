"""Compilations: texts that contain several other documents, such as round-ups, digests and anthologies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whorl import _core
from whorl.matching.boilerplate import Notices


def find_stories(
    texts: Sequence[str], candidates: Mapping[int, Sequence[int]], notices: Notices | None = None
) -> dict[int, list[int]]:
    """Return the compilations among texts, each with the texts that it contains.

    A compilation contains at least two other texts in different places, at least half of each. Together they fill at
    least half of it, and at least a tenth without the largest. Copies of one story count once. Parts about one subject
    are excerpts of one text, not stories.

    >>> from whorl.matching.compilation import find_stories
    >>> stories = ["渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。", "山里的学校下了第一场雪，孩子们都跑出去了。"]
    >>> find_stories([*stories, "".join(stories)], {0: [1, 2], 2: [0, 1]})
    {2: [0, 1]}

    Args:
        texts: the texts.
        candidates: numbers of possibly contained texts, by the number of the containing text.
        notices: boilerplate to ignore.

    Cost: linear in the texts for each pair, on all cores.
    """
    queries = [(text, list(others)) for text, others in candidates.items()]
    compilations = _core.compilations(list(texts), queries, (Notices() if notices is None else notices).sought)
    return {
        text: [other for other, is_story in zip(others, are_stories, strict=True) if is_story]
        for (text, others), (is_compilation, are_stories) in zip(queries, compilations, strict=True)
        if is_compilation
    }


__all__ = ["find_stories"]
