"""From keys to candidates to evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from whorl.fingerprints import Resembling
from whorl.library.core import Core
from whorl.library.evidence import Evidence, compared, estimated, resembling
from whorl.library.keys import TextKeys
from whorl.library.packing import unpacked
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader
from whorl.stores.records import Content, Entry, Pair

_MOST_LOOKED_THROUGH = 100_000


class CopyQuery(NamedTuple):
    """A text whose copies are looked up.

    Attributes:
        content: number of its content, if it has one.
        digest: digest of the normalised text; None if that is empty.
        text: the text.
        when: its time that the window applies to.
        row: row of its keys.
        code: code from which its family estimates similarity.
    """

    content: int | None
    digest: bytes | None
    text: str
    when: int
    row: int
    code: bytes


class CandidateContent(NamedTuple):
    """A content that shares keys with a text.

    Attributes:
        content: row of the content.
        witness: its first document, or the first within the window of a time.
        hits: keys in common; all keys for equal texts.
    """

    content: Content
    witness: Entry
    hits: int


class LookupResult(NamedTuple):
    """Lookup result of a text.

    Attributes:
        candidates: other contents that share keys with it, most keys first.
        keys: number of distinct keys of the text.
        cut: number of these that too many documents have, or that lie within boilerplate.
        unlisted: number of contents that share keys and were not compared.
    """

    candidates: list[tuple[int, int]]
    keys: int
    cut: int
    unlisted: int


NOTHING = LookupResult([], 0, 0, 0)
"""Lookup result of a text that was not looked up."""


def sought(core: Core, texts: Sequence[str], keys: TextKeys) -> TextKeys:
    """Return the keys by which copies are looked up: those of the texts, or the seeking keys of the family."""
    family = core.making.seeking
    return keys if family is None else TextKeys(*family.sought(list(texts)))


def look_up(
    core: Core,
    reader: Reader,
    asked: Sequence[CopyQuery],
    keys: TextKeys,
    among: str | None = None,
    *,
    are_all: bool = False,
) -> list[LookupResult]:
    """Return for each text the numbers of the contents that share keys with it, and the numbers of shared keys.

    Keys of boilerplate are skipped: contents that share only boilerplate would displace copies among the candidates.

    With ``among``, only contents of documents in this collection; with ``are_all``, all of these instead of as many as
    the rules compare.
    """
    most = _MOST_LOOKED_THROUGH if are_all else core.making.rules.compared
    texts = [one.text for one in asked]
    own = sought(core, texts, keys)
    keys = own.without_boilerplate(core.making, core.notices.known(reader), texts)
    looked = _look_up_near(core, reader, asked, keys, among, most)
    left_out = (own.counts - keys.counts).tolist()
    return [one._replace(keys=one.keys + out, cut=one.cut + out) for one, out in zip(looked, left_out, strict=True)]


def _look_up_near(
    core: Core, reader: Reader, asked: Sequence[CopyQuery], keys: TextKeys, among: str | None, most: int
) -> list[LookupResult]:
    """Keep the contents that lie within the window of each text."""
    if core.making.rules.span is None:
        return _look_up(core, reader, asked, keys, None, among, most)
    rows: dict[tuple[int, int], list[int]] = {}
    for row, one in enumerate(asked):
        rows.setdefault(core.periods_near(one.when), []).append(row)
    looked: dict[int, LookupResult] = {}
    for periods, some in rows.items():
        found = _look_up(core, reader, [asked[row] for row in some], keys.rows(some), periods, among, most)
        looked |= dict(zip(some, found, strict=True))
    return [looked[row] for row in range(len(asked))]


def _look_up(
    core: Core,
    reader: Reader,
    asked: Sequence[CopyQuery],
    keys: TextKeys,
    periods: tuple[int, int] | None,
    among: str | None,
    most: int,
) -> list[LookupResult]:
    answers = core.index.query(keys, periods, reader, most + 1 if among is None else _MOST_LOOKED_THROUGH)
    found: list[list[tuple[int, int]]] = [[] for _ in asked]
    needed = [core.making.rules.needed(count) for count in answers.keys.tolist()]
    for query, content, hits in zip(answers.query.tolist(), answers.id.tolist(), answers.hits.tolist(), strict=True):
        if content != asked[query].content and hits >= needed[query]:
            found[query].append((content, hits))
    if among is not None:
        said = reader.members({content for own in found for content, _ in own}, 1, among)
        found = [[(content, hits) for content, hits in own if content in said] for own in found]
    columns = zip(found, answers.keys.tolist(), answers.cut.tolist(), answers.unlisted.tolist(), strict=True)
    looked = []
    for candidates, own, cut, unlisted in columns:
        kept = candidates[:most]
        further = unlisted if len(candidates) > len(kept) else 0
        looked.append(LookupResult(kept, own, cut, further + len(candidates) - len(kept)))
    return looked


def candidates(
    core: Core,
    reader: Reader,
    asked: Sequence[CopyQuery],
    looked: Sequence[LookupResult],
    *,
    fresh: Mapping[int, Content] = MappingProxyType({}),
    at: int | None = None,
    among: str | None = None,
) -> list[list[CandidateContent]]:
    """Return for each text the found contents that still exist.

    With a window, contents of other periods with the same text come last.

    Args:
        core: the library.
        reader: read access to the store, including the documents of ``fresh``.
        asked: the texts.
        looked: lookup result of each text.
        fresh: contents that are about to be written.
        at: require a document within the window of this time; None considers contents as a whole.
        among: require a document in this collection; None allows all.
    """
    hits = [dict(one.candidates) for one in looked]
    rows = dict(fresh)
    rows |= reader.contents({number for found in hits for number in found} - rows.keys())
    if core.making.rules.span is not None:
        rows |= _add_same(core, reader, asked, looked, hits, fresh)
    most = 1 if at is None or core.making.rules.span is None else None
    members = reader.members({number for found in hits for number in found}, most, among)
    return [_candidates(core, found, rows, members, at) for found in hits]


def _add_same(
    core: Core,
    reader: Reader,
    asked: Sequence[CopyQuery],
    looked: Sequence[LookupResult],
    hits: Sequence[dict[int, int]],
    fresh: Mapping[int, Content],
) -> dict[int, Content]:
    """Add contents of any period within the window with the same text to the hits of each text; return them."""
    near = [(row, one.digest, core.periods_near(one.when)) for row, one in enumerate(asked) if one.digest is not None]
    same = core.index.same([(digest, range(first, last + 1)) for _, digest, (first, last) in near], reader, fresh)
    for row, digest, (first, last) in near:
        for period in range(first, last + 1):
            content = same.get((digest, period))
            if content is not None and content.number != asked[row].content:
                hits[row][content.number] = looked[row].keys
    return {content.number: content for content in same.values()}


def _candidates(
    core: Core,
    hits: Mapping[int, int],
    rows: Mapping[int, Content],
    members: Mapping[int, Sequence[Entry]],
    at: int | None,
) -> list[CandidateContent]:
    found = []
    for number, shared in hits.items():
        others = members.get(number, ())
        witness = next((entry for entry in others if at is None or core.near(entry, at)), None)
        if witness is not None and number in rows:
            found.append(CandidateContent(rows[number], witness, shared))
    return found


def paired(
    asked: Sequence[CopyQuery],
    found: Sequence[Sequence[CandidateContent]],
    known: Collection[tuple[int, int]] = (),
) -> list[tuple[CopyQuery, CandidateContent]]:
    """Return the pairs of contents to compare, each once, without those already stored, lower number first.

    If two contents found each other, the later one is compared with the earlier one, as if they had arrived one after
    the other: evidence is not symmetric.
    """
    questions: dict[tuple[int, int], tuple[CopyQuery, CandidateContent]] = {}
    for one, candidates in zip(asked, found, strict=True):
        number = one.content or 0
        for candidate in candidates:
            other = candidate.content.number
            pair = (min(number, other), max(number, other))
            if pair not in known and (number > other or pair not in questions):
                questions[pair] = (one, candidate)
    return list(questions.values())


def judged(
    core: Core,
    reader: Reader,
    questions: Sequence[tuple[CopyQuery, CandidateContent]],
    keys: TextKeys,
    notices: Notices | None = None,
) -> list[Evidence]:
    """Return what each text shares with the first document of each of its candidates, without common boilerplate.

    If ``notices`` is passed, that boilerplate is excluded instead.
    """
    if core.making.rules.texts:
        texts = unpacked(reader.texts({candidate.witness.number for _, candidate in questions}))
        pairs = [(texts.get(candidate.witness.number, ""), one.text) for one, candidate in questions]
        return compared(pairs, core.notices.known(reader) if notices is None else notices)
    sketches = reader.sketches({candidate.content.number for _, candidate in questions})
    family = core.making.family
    if isinstance(family, Resembling):
        return [
            resembling(
                family.resemblance(sketches[candidate.content.number].code, one.code),
                candidate.witness.characters,
                len(one.text),
            )
            for one, candidate in questions
        ]
    found = []
    for one, candidate in questions:
        other, own = len(sketches[candidate.content.number].keys) // 8, int(keys.counts[one.row])
        found.append(estimated(candidate.hits, other, own, len(one.text) / max(1, own)))
    return found


def pair_of(content: int, other: int, evidence: Evidence, core: Core) -> Pair:
    """Return the stored form of a match: ``content`` is text b of the evidence, ``other`` is text a."""
    joins = evidence.joins(core.making.rules)
    shares = (evidence.similarity, evidence.a_in_b, evidence.b_in_a)
    if other < content:
        return Pair(other, content, *shares, evidence.relation, joins)
    return Pair(content, other, shares[0], shares[2], shares[1], evidence.relation, joins)


__all__ = [
    "NOTHING",
    "CandidateContent",
    "CopyQuery",
    "LookupResult",
    "candidates",
    "judged",
    "look_up",
    "pair_of",
    "paired",
    "sought",
]
