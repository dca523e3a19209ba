"""Identify which matches of a library are between a compilation and one of its stories.

Two texts alone cannot show it: a round-up and one of its stories look like an article and an excerpt of it. So when a
content gains or loses a match that may be of this kind, all of its matches are examined together. The resulting
relations depend on the stored matches, not on the order in which they arrived. A match of a compilation and its story
joins no clusters.

An edition of a compilation is not a story of it: it is a compilation itself and fills two thirds of the other one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from whorl.library.clusters.regrouping import join, split
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.evidence import compared
from whorl.library.search.finder import pair_of
from whorl.matching.compilation import find_stories
from whorl.stores import Reader, Writer
from whorl.stores.records import PairRecord

COMPILATION = "compilation"
_KINDS = frozenset((COMPILATION, "excerpt", "version", "partial"))
"""Possible pairwise relations of a compilation and its story."""
_CANDIDATE = 0.3
"""Minimum share of shingles at which half of a content may lie in another one."""
_EDITION = 2 / 3
"""Minimum share of the shingles of a compilation that an edition of it has."""
_LOOKED_AT = 64
"""Maximum number of matches of a content that are examined, those that fill most of it first."""

_Key = tuple[int, int]


class FinalRelations(NamedTuple):
    """Matches with their relation in the context of all other matches.

    Attributes:
        pairs: the input pairs, in their order.
        changed: stored matches whose relation changed: old and new.
    """

    pairs: Sequence[PairRecord]
    changed: Sequence[tuple[PairRecord, PairRecord]]


def relabelled(
    core: Core,
    reader: Reader,
    pairs: Sequence[PairRecord],
    removed: Iterable[PairRecord] = (),
    texts: Mapping[int, str] = MappingProxyType({}),
) -> FinalRelations:
    """Return the final relations of some matches, and the stored matches whose relations change because of them.

    Args:
        core: the library.
        reader: read access to the store, including the documents of all contents.
        pairs: matches as their two texts alone give them; they replace the stored ones.
        removed: matches that are or will be deleted.
        texts: texts of contents that are not stored.

    Cost: for each content that may contain others, a comparison with at most 64 of them.
    """
    if not core.making.rules.texts:
        return FinalRelations(pairs, ())
    lost = [pair for pair in removed if _holders(pair)]
    touched = set(chain.from_iterable((pair.low, pair.high) for pair in chain(pairs, lost) if _holders(pair)))
    if not touched:
        return FinalRelations(pairs, ())
    matches = _Matches(core, reader, pairs, {_key(pair) for pair in lost}, texts)
    matches.look_at(touched)
    now = matches.now(touched)
    new_keys = {_key(pair) for pair in pairs}
    kept = ((key, old) for key, old in matches.kept.items() if key in now and key not in new_keys)
    changed = [(old, now[key]) for key, old in kept if now[key] != old]
    return FinalRelations([now.get(_key(pair), pair) for pair in pairs], changed)


def keep_pairs(core: Core, writer: Writer, pairs: Sequence[PairRecord], removed: Iterable[PairRecord] = ()) -> None:
    """Store new matches and the relations that change because of additions and removals; update clusters."""
    relations = relabelled(core, writer, pairs, removed)
    writer.put_pairs(relations.pairs)
    join(core, writer, relations.pairs)
    follow(core, writer, relations.changed)


def follow(core: Core, writer: Writer, changed: Sequence[tuple[PairRecord, PairRecord]]) -> None:
    """Store matches whose relations changed; update clusters."""
    if not changed:
        return
    writer.put_pairs([new for _, new in changed])
    join(core, writer, [new for old, new in changed if new.joins and not old.joins])
    loose = {old.low for old, new in changed if old.joins and not new.joins}
    split(core, writer, {content.cluster for content in writer.contents(loose).values()})


class _Matches:
    """All matches of some contents, and which of these contents are compilations.

    Attributes:
        kept: stored matches, by their contents.
    """

    def __init__(
        self,
        core: Core,
        reader: Reader,
        fresh: Sequence[PairRecord],
        removed: Collection[_Key],
        texts: Mapping[int, str],
    ) -> None:
        self._core = core
        self._reader = reader
        self._removed = removed
        self._not_kept = frozenset(texts)
        self._texts = dict(texts)
        self._pairs: dict[int, dict[int, tuple[PairRecord, Sequence[int]]]] = {}
        self._stories: dict[int, frozenset[int]] = {}
        self._looked_at: set[int] = set()
        self.kept: dict[_Key, PairRecord] = {}
        self._fresh_of: dict[int, list[PairRecord]] = defaultdict(list)
        for pair in fresh:
            self._fresh_of[pair.low].append(pair)
            self._fresh_of[pair.high].append(pair)

    def look_at(self, contents: Collection[int]) -> None:
        """Decide which of the contents are compilations, and which of the contents that this may depend on.

        All contents that are new, or have a new match, are to be looked at together.
        """
        self._look_at(contents)
        open_matches = (
            other for content in contents for other in self._pairs[content] if self._is_open(content, other)
        )
        self._look_at(set(open_matches))

    def now(self, contents: Collection[int]) -> dict[_Key, PairRecord]:
        """Return the current relations of the matches of some contents, as far as they are decided."""
        relations: dict[_Key, PairRecord | None] = {}
        for content in contents:
            for other, (pair, holders) in self._pairs[content].items():
                key = _key(pair)
                if key not in relations and (content in holders or other in self._looked_at):
                    is_story = self._is_story(other, content) or self._is_story(content, other)
                    relations[key] = self._called(pair, is_story)
        return self._judged_again(relations)

    def _is_open(self, content: int, other: int) -> bool:
        """Return True if a match depends on the other content as well.

        The other content has no new match, so that its stories are those it had. They matter only to an edition, and to
        a match of a compilation that this content does not explain.
        """
        pair, holders = self._pairs[content][other]
        if len(holders) < 2:
            return False
        is_unexplained = pair.kind == COMPILATION and other not in self._stories.get(content, ())
        return is_unexplained or max(pair.low_in_high, pair.high_in_low) >= _EDITION

    def _look_at(self, contents: Collection[int]) -> None:
        new = set(contents) - self._looked_at
        self._looked_at |= new
        stored = self._reader.pairs(sorted(new - self._not_kept))
        for content in new:
            pairs_of = [pair for pair in stored.get(content, ()) if _key(pair) not in self._removed]
            self.kept |= {_key(pair): pair for pair in pairs_of}
            newest = {pair.other(content): pair for pair in chain(pairs_of, self._fresh_of[content])}
            with_holders = ((other, pair, _holders(pair)) for other, pair in newest.items())
            self._pairs[content] = {other: (pair, holders) for other, pair, holders in with_holders if holders}
        nominated = {content: self._candidates(content) for content in sorted(new)}
        candidates = {content: others for content, others in nominated.items() if len(others) > 1}
        if not candidates:
            return
        self._read(set(candidates).union(*candidates.values()))
        numbers = sorted({*candidates, *chain.from_iterable(candidates.values())})
        place = {number: at for at, number in enumerate(numbers)}
        texts = [self._texts.get(number, "") for number in numbers]
        places_of = {place[content]: [place[other] for other in others] for content, others in candidates.items()}
        stories = find_stories(texts, places_of, self._core.notices.common(self._reader))
        self._stories |= {
            numbers[text]: frozenset(numbers[other] for other in pairs_of) for text, pairs_of in stories.items()
        }

    def _candidates(self, content: int) -> list[int]:
        """Return the contents that may be stories of a content, those that fill most of it first."""

        def rank(other: int) -> tuple[float, float, int]:
            filled, share = _shares(self._pairs[content][other][0], content)
            return -filled, -share, other

        may_be = [other for other, (_, holders) in self._pairs[content].items() if content in holders]
        return sorted(may_be, key=rank)[:_LOOKED_AT]

    def _is_story(self, story: int, compilation: int) -> bool:
        if story not in self._stories.get(compilation, ()):
            return False
        filled, _ = _shares(self._pairs[compilation][story][0], compilation)
        return not (filled >= _EDITION and story in self._stories)

    def _called(self, pair: PairRecord, is_story: bool) -> PairRecord | None:
        """Return a match with its final relation; None if it has to be judged again."""
        if is_story:
            return pair._replace(kind=COMPILATION, joins=False)
        return None if pair.kind == COMPILATION else pair

    def _judged_again(self, relations: Mapping[_Key, PairRecord | None]) -> dict[_Key, PairRecord]:
        """Replace matches that no compilation explains any more by what their two texts alone give."""
        again = [key for key, pair in relations.items() if pair is None]
        self._read(set(chain.from_iterable(again)))
        texts = [(self._texts.get(low, ""), self._texts.get(high, "")) for low, high in again]
        notices, content = self._core.notices.common(self._reader), self._core.making.by_content
        evidence = compared(texts, notices, content=content) if again else []
        judged = {
            (low, high): pair_of(high, low, text_evidence, self._core)
            for (low, high), text_evidence in zip(again, evidence, strict=True)
        }
        return {key: judged[key] if pair is None else pair for key, pair in relations.items()}

    def _read(self, contents: Collection[int]) -> None:
        """Read the texts of contents that are not cached."""
        self._texts |= unpacked(self._reader.texts_of_contents(sorted(set(contents) - self._texts.keys())))


def _key(pair: PairRecord) -> _Key:
    return pair.low, pair.high


def _shares(pair: PairRecord, content: int) -> tuple[float, float]:
    """Return the share of a content that the other has, and the share of the other that it has."""
    low, high = pair.low_in_high, pair.high_in_low
    return (low, high) if content == pair.low else (high, low)


def _holders(pair: PairRecord) -> list[int]:
    """Return the contents of a pair that may be a compilation containing the other."""
    if pair.kind not in _KINDS:
        return []
    shares = ((pair.high, pair.low_in_high), (pair.low, pair.high_in_low))
    return [holder for holder, share in shares if share >= _CANDIDATE]


__all__ = ["COMPILATION", "FinalRelations", "follow", "keep_pairs", "relabelled"]
