"""Find which learned boilerplate occurs in protected articles, and in how many unrelated ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from whorl.attribution.member_facts import PROTECTED
from whorl.library.boilerplate.cache import SEVERAL
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.evidence import compared
from whorl.library.search.finder import sought
from whorl.library.search.keys import TextKeys
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader

_MOST_LOOKED_THROUGH, _MOST_HELD_TOGETHER = 10_000, 64


def holders(core: Core, reader: Reader, texts: Sequence[str], learned: Notices) -> dict[int, int]:
    """Return in how many unrelated protected articles each learned run of some texts occurs, up to ``SEVERAL``.

    Articles are unrelated if only learned boilerplate connects them. Only passages long enough to be a match by
    themselves count. The order in which articles arrived does not matter.

    Args:
        core: the library.
        reader: read access to the store.
        texts: texts that contain the runs.
        learned: all learned runs.
    """
    relevant = learned.intersection(frozenset().union(*Notices.runs_in(texts)))
    protected = _protected(core, reader, texts)
    having: dict[int, list[int]] = defaultdict(list)
    for place, runs in enumerate(held_runs(core, protected, learned)):
        for run in runs & relevant:
            having[run].append(place)
    unrelated = _Unrelated(protected, learned, core)
    counts = {text_runs: unrelated.count(text_runs) for text_runs in set(map(tuple, having.values()))}
    return {run: counts[tuple(having[run])] if run in having else 0 for run in relevant}


def held_runs(core: Core, texts: Sequence[str], notices: Notices) -> list[frozenset[int]]:
    """Return the runs of boilerplate in those passages of each text that alone would be a match."""
    min_shared = core.making.rules.least
    stretches = [
        "\n".join(text[start:end] for start, end in spans if end - start >= min_shared)
        for text, spans in zip(texts, notices.spans(texts), strict=True)
    ]
    return [notices.intersection(runs) for runs in Notices.runs_in(stretches)]


def sharing(core: Core, reader: Reader, texts: Sequence[str]) -> list[int]:
    """Return the contents that share keys with any of the texts, in any period."""
    prints = core.making.fingerprint(list(texts))
    keys = sought(core, texts, TextKeys(prints.keys, prints.counts))
    return list(dict.fromkeys(core.index.query(keys, None, reader, _MOST_LOOKED_THROUGH).id.tolist()))


def _protected(core: Core, reader: Reader, texts: Sequence[str]) -> list[str]:
    """Return the protected articles that share keys with any of the texts, in an order independent of arrival."""
    contents = sharing(core, reader, texts)
    first: dict[int, int] = {}
    for collection in PROTECTED:
        members = reader.members(contents, 1, collection)
        first |= {content: entries[0].number for content, entries in members.items() if content not in first}
    return sorted(set(unpacked(reader.texts(first.values())).values()))


class _Unrelated:
    """Counts articles that have nothing in common.

    Args:
        texts: texts of the articles.
        learned: boilerplate to ignore.
        core: the library, which supplies the rules.
    """

    def __init__(self, texts: Sequence[str], learned: Notices, core: Core) -> None:
        self._texts, self._learned, self._core = texts, learned, core
        self._relations: dict[tuple[int, int], bool] = {}

    def count(self, places: Sequence[int]) -> int:
        """Count articles that are unrelated to all articles counted before them, up to ``SEVERAL``."""
        unrelated: list[int] = []
        for place in places[:_MOST_HELD_TOGETHER]:
            if not any(self._are_related(position, place) for position in unrelated):
                unrelated.append(place)
            if len(unrelated) == SEVERAL:
                break
        return len(unrelated)

    def _are_related(self, first: int, other: int) -> bool:
        if (first, other) not in self._relations:
            (evidence,) = compared([(self._texts[first], self._texts[other])], self._learned)
            self._relations[first, other] = evidence.joins(self._core.making.rules)
        return self._relations[first, other]


__all__ = ["held_runs", "holders", "sharing"]
