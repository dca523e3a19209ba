"""Which matches of a library are those of a compilation and one of its stories.

Two articles cannot show it: a round-up and one of its stories look like an article and an excerpt of it. So whenever a
content gets or loses a match that may be one of this kind, all of its matches are looked at together. What they are
then called depends on the matches that are there, not on the order in which they came. A match of a compilation and
its story joins no cluster.

An edition of a compilation is no story of it: it is a compilation itself and fills two thirds of the other one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from whorl.library.core import Core
from whorl.library.evidence import compared
from whorl.library.finder import pair_of
from whorl.library.packing import unpacked
from whorl.library.regrouping import join, split
from whorl.matching.compilation import find_stories
from whorl.stores import Reader, Writer
from whorl.stores.records import Pair

COMPILATION = "compilation"
_KINDS = frozenset((COMPILATION, "excerpt", "version", "partial"))
"""What the pairwise relation of a compilation and its story may be."""
_CANDIDATE = 0.3
"""From this share of its shingles on a content may have half of itself in another one."""
_EDITION = 2 / 3
"""An edition has at least this share of the other's shingles."""
_LOOKED_AT = 64
"""So many matches of a content are held against it, those that fill most of it."""

_Key = tuple[int, int]


class Relabelled(NamedTuple):
    """Matches with the relation that they have beside all others.

    Attributes:
        pairs: those that were given, in their order.
        changed: those that are kept and are called something else now: as they were, and as they are.
    """

    pairs: Sequence[Pair]
    changed: Sequence[tuple[Pair, Pair]]


def relabelled(
    core: Core,
    reader: Reader,
    pairs: Sequence[Pair],
    removed: Iterable[Pair] = (),
    texts: Mapping[int, str] = MappingProxyType({}),
) -> Relabelled:
    """Return what some matches are, and which others are something else because of them.

    Args:
        core: the library.
        reader: the truth, with the documents of all contents.
        pairs: as their two texts alone have it; they take the place of those that are kept.
        removed: that are not kept any more, or will not be.
        texts: of contents that are not kept.

    Cost: for each content that others seem to stand in, a comparison with at most 64 of them.
    """
    if not core.making.rules.texts:
        return Relabelled(pairs, ())
    gone = [pair for pair in removed if _holders(pair)]
    touched = set(chain.from_iterable((pair.low, pair.high) for pair in chain(pairs, gone) if _holders(pair)))
    if not touched:
        return Relabelled(pairs, ())
    matches = _Matches(core, reader, pairs, {_key(pair) for pair in gone}, texts)
    matches.look_at(touched)
    now = matches.now(touched)
    given = {_key(pair) for pair in pairs}
    kept = ((key, old) for key, old in matches.kept.items() if key in now and key not in given)
    changed = [(old, now[key]) for key, old in kept if now[key] != old]
    return Relabelled([now.get(_key(pair), pair) for pair in pairs], changed)


def keep_pairs(core: Core, writer: Writer, pairs: Sequence[Pair], removed: Iterable[Pair] = ()) -> None:
    """Keep new matches, and what others are because of them or without those that were removed; clusters follow."""
    found = relabelled(core, writer, pairs, removed)
    writer.put_pairs(found.pairs)
    join(core, writer, found.pairs)
    follow(core, writer, found.changed)


def follow(core: Core, writer: Writer, changed: Sequence[tuple[Pair, Pair]]) -> None:
    """Keep matches that are called something else now; clusters follow."""
    if not changed:
        return
    writer.put_pairs([new for _, new in changed])
    join(core, writer, [new for old, new in changed if new.joins and not old.joins])
    loose = {old.low for old, new in changed if old.joins and not new.joins}
    split(core, writer, {content.cluster for content in writer.contents(loose).values()})


class _Matches:
    """All matches of some contents, and which of these are compilations.

    Attributes:
        kept: the matches that are kept, by their contents.
    """

    def __init__(
        self, core: Core, reader: Reader, fresh: Sequence[Pair], gone: Collection[_Key], texts: Mapping[int, str]
    ) -> None:
        self._core = core
        self._reader = reader
        self._gone = gone
        self._not_kept = frozenset(texts)
        self._texts = dict(texts)
        self._pairs: dict[int, dict[int, Pair]] = {}
        self._stories: dict[int, frozenset[int]] = {}
        self._looked_at: set[int] = set()
        self.kept: dict[_Key, Pair] = {}
        self._fresh_of: dict[int, list[Pair]] = defaultdict(list)
        for pair in fresh:
            self._fresh_of[pair.low].append(pair)
            self._fresh_of[pair.high].append(pair)

    def look_at(self, contents: Collection[int]) -> None:
        """Find out which of some contents, and of those that may hold them in turn, are compilations."""
        self._look_at(contents)
        both = (pair for content in contents for pair in self._pairs[content].values() if len(_holders(pair)) > 1)
        self._look_at(set(chain.from_iterable((pair.low, pair.high) for pair in both)))

    def now(self, contents: Collection[int]) -> dict[_Key, Pair]:
        """Return what the matches of some contents are, of those about which that is known."""
        found: dict[_Key, Pair | None] = {}
        for pair in (pair for content in contents for pair in self._pairs[content].values()):
            holders = _holders(pair)
            if holders and self._looked_at.issuperset(holders):
                is_story = any(self._is_story(pair.other(holder), holder) for holder in holders)
                found[_key(pair)] = self._called(pair, is_story)
        return self._judged_again(found)

    def _look_at(self, contents: Collection[int]) -> None:
        new = set(contents) - self._looked_at
        self._looked_at |= new
        stored = self._reader.pairs(sorted(new - self._not_kept))
        for content in new:
            own = [pair for pair in stored.get(content, ()) if _key(pair) not in self._gone]
            self.kept |= {_key(pair): pair for pair in own}
            all_of_them = {pair.other(content): pair for pair in own}
            all_of_them |= {pair.other(content): pair for pair in self._fresh_of[content]}
            self._pairs[content] = all_of_them
        nominated = {content: self._candidates(content) for content in sorted(new)}
        candidates = {content: others for content, others in nominated.items() if len(others) > 1}
        if not candidates:
            return
        self._read(set(candidates).union(*candidates.values()))
        numbers = sorted({*candidates, *chain.from_iterable(candidates.values())})
        place = {number: at for at, number in enumerate(numbers)}
        texts = [self._texts.get(number, "") for number in numbers]
        asked = {place[content]: [place[other] for other in others] for content, others in candidates.items()}
        found = find_stories(texts, asked, self._core.notices.known(self._reader))
        self._stories |= {numbers[text]: frozenset(numbers[other] for other in own) for text, own in found.items()}

    def _candidates(self, content: int) -> list[int]:
        """The contents that may be stories of one, those that fill most of it first."""

        def rank(other: int) -> tuple[float, float, int]:
            filled, own = _shares(self._pairs[content][other], content)
            return -filled, -own, other

        may_be = [other for other, pair in self._pairs[content].items() if content in _holders(pair)]
        return sorted(may_be, key=rank)[:_LOOKED_AT]

    def _is_story(self, story: int, compilation: int) -> bool:
        if story not in self._stories.get(compilation, ()):
            return False
        filled, _ = _shares(self._pairs[compilation][story], compilation)
        return not (filled >= _EDITION and story in self._stories)

    def _called(self, pair: Pair, is_story: bool) -> Pair | None:
        """A match as it is called; None where that has to be judged again."""
        if is_story:
            return pair._replace(kind=COMPILATION, joins=False)
        return None if pair.kind == COMPILATION else pair

    def _judged_again(self, found: Mapping[_Key, Pair | None]) -> dict[_Key, Pair]:
        """The same, with what the two texts alone say of those that no compilation holds together any more."""
        again = [key for key, pair in found.items() if pair is None]
        self._read(set(chain.from_iterable(again)))
        texts = [(self._texts.get(low, ""), self._texts.get(high, "")) for low, high in again]
        evidence = compared(texts, self._core.notices.known(self._reader)) if again else []
        judged = {
            (low, high): pair_of(high, low, own, self._core) for (low, high), own in zip(again, evidence, strict=True)
        }
        return {key: judged[key] if pair is None else pair for key, pair in found.items()}

    def _read(self, contents: Collection[int]) -> None:
        """Read the texts of contents that are not known yet."""
        members = self._reader.members(sorted(set(contents) - self._texts.keys()), 1)
        texts = unpacked(self._reader.texts(documents[0].number for documents in members.values()))
        self._texts |= {content: texts.get(documents[0].number, "") for content, documents in members.items()}


def _key(pair: Pair) -> _Key:
    return pair.low, pair.high


def _shares(pair: Pair, content: int) -> tuple[float, float]:
    """The share of a content that the other one has, and the share of that which it has itself."""
    low, high = pair.low_in_high, pair.high_in_low
    return (low, high) if content == pair.low else (high, low)


def _holders(pair: Pair) -> list[int]:
    """Those of both that may be a compilation and hold the other one."""
    if pair.kind not in _KINDS:
        return []
    shares = ((pair.high, pair.low_in_high), (pair.low, pair.high_in_low))
    return [holder for holder, share in shares if share >= _CANDIDATE]


__all__ = ["COMPILATION", "Relabelled", "follow", "keep_pairs", "relabelled"]
