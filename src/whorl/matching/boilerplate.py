"""Boilerplate learned from many texts: sentences that too many of them have to be anybody's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from whorl.errors import UsageError
from whorl.text import fold
from whorl.text.structure import sentences

_LEAST = 5


def learn_boilerplate(texts: Iterable[str], *, texts_with: int = 5) -> list[str]:
    """Return the sentences that at least so many texts have, as `Comparing` takes them.

    Args:
        texts: texts of one source or of one kind, of which no article comes twice.
        texts_with: how many of them must have a sentence, 2 or more; sentences are the same where they fold to the same
            code points, and those of fewer than five are passed over.

    Returns:
        Each as it stands where it was seen first, in that order.

    Raises:
        UsageError: ``texts_with`` is out of range.

    Cost: linear; memory for the different sentences.
    """
    if type(texts_with) is not int or texts_with < 2:
        raise UsageError(f"texts_with is {texts_with!r}", cure="what one text has is no boilerplate: give 2 or more")
    counts: Counter[str] = Counter()
    seen_first: dict[str, str] = {}
    for text in texts:
        own = {fold(sentence): sentence for sentence in (text[start:end] for start, end in sentences(text))}
        for folded, sentence in own.items():
            if len(folded) >= _LEAST:
                counts[folded] += 1
                seen_first.setdefault(folded, sentence)
    return [sentence for folded, sentence in seen_first.items() if counts[folded] >= texts_with]


__all__ = ["learn_boilerplate"]
