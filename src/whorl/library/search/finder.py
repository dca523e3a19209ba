"""From keys to candidates to evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from whorl.fingerprints import Resembling
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.evidence import Evidence, compared, estimated, resembling
from whorl.library.search.keys import TextKeys
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader
from whorl.stores.records import Content, Entry, PairRecord

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
    queries: Sequence[CopyQuery],
    keys: TextKeys,
    collection: str | None = None,
    *,
    are_all: bool = False,
) -> list[LookupResult]:
    """Return for each text the numbers of the contents that share keys with it, and the numbers of shared keys.

    Keys of boilerplate are skipped: contents that share only boilerplate would displace copies among the candidates.

    With ``collection``, only contents of documents in this collection; with ``are_all``, all of these instead of as
    many as the rules compare.
    """
    limit = _MOST_LOOKED_THROUGH if are_all else core.making.rules.compared
    texts = [query.text for query in queries]
    seeking_keys = sought(core, texts, keys)
    keys = seeking_keys.without_boilerplate(core.making, core.notices.common(reader), texts)
    looked = _look_up_near(core, reader, queries, keys, collection, limit)
    left_out = (seeking_keys.counts - keys.counts).tolist()
    return [
        query._replace(keys=query.keys + out, cut=query.cut + out) for query, out in zip(looked, left_out, strict=True)
    ]


def _look_up_near(
    core: Core, reader: Reader, queries: Sequence[CopyQuery], keys: TextKeys, collection: str | None, limit: int
) -> list[LookupResult]:
    """Keep the contents that lie within the window of each text."""
    if core.making.rules.span is None:
        return _look_up(core, reader, queries, keys, None, collection, limit)
    rows: dict[tuple[int, int], list[int]] = {}
    for row, query in enumerate(queries):
        rows.setdefault(core.periods_near(query.when), []).append(row)
    looked: dict[int, LookupResult] = {}
    for periods, some in rows.items():
        answers = _look_up(core, reader, [queries[row] for row in some], keys.rows(some), periods, collection, limit)
        looked |= dict(zip(some, answers, strict=True))
    return [looked[row] for row in range(len(queries))]


def _look_up(
    core: Core,
    reader: Reader,
    queries: Sequence[CopyQuery],
    keys: TextKeys,
    periods: tuple[int, int] | None,
    collection: str | None,
    limit: int,
) -> list[LookupResult]:
    answers = core.index.query(keys, periods, reader, limit + 1 if collection is None else _MOST_LOOKED_THROUGH)
    hit_lists: list[list[tuple[int, int]]] = [[] for _ in queries]
    needed = [core.making.rules.needed(count) for count in answers.keys.tolist()]
    for query, content, hits in zip(answers.query.tolist(), answers.id.tolist(), answers.hits.tolist(), strict=True):
        if content != queries[query].content and hits >= needed[query]:
            hit_lists[query].append((content, hits))
    if collection is not None:
        members = reader.members({content for answer in hit_lists for content, _ in answer}, 1, collection)
        hit_lists = [[(content, hits) for content, hits in answer if content in members] for answer in hit_lists]
    columns = zip(hit_lists, answers.keys.tolist(), answers.cut.tolist(), answers.unlisted.tolist(), strict=True)
    looked = []
    for candidates, answer, cut, unlisted in columns:
        kept = candidates[:limit]
        further = unlisted if len(candidates) > len(kept) else 0
        looked.append(LookupResult(kept, answer, cut, further + len(candidates) - len(kept)))
    return looked


def candidates(
    core: Core,
    reader: Reader,
    queries: Sequence[CopyQuery],
    looked: Sequence[LookupResult],
    *,
    fresh: Mapping[int, Content] = MappingProxyType({}),
    at: int | None = None,
    collection: str | None = None,
) -> list[list[CandidateContent]]:
    """Return for each text the found contents that still exist.

    With a window, contents of other periods with the same text come last.

    Args:
        core: the library.
        reader: read access to the store, including the documents of ``fresh``.
        queries: the texts.
        looked: lookup result of each text.
        fresh: contents that are about to be written.
        at: require a document within the window of this time; None considers contents as a whole.
        collection: require a document in this collection; None allows all.
    """
    hits = [dict(result.candidates) for result in looked]
    rows = dict(fresh)
    rows |= reader.contents({number for hit in hits for number in hit} - rows.keys())
    if core.making.rules.span is not None:
        rows |= _add_same(core, reader, queries, looked, hits, fresh)
    limit = 1 if at is None or core.making.rules.span is None else None
    members = reader.members({number for hit in hits for number in hit}, limit, collection)
    return [_candidates(core, hit, rows, members, at) for hit in hits]


def _add_same(
    core: Core,
    reader: Reader,
    queries: Sequence[CopyQuery],
    looked: Sequence[LookupResult],
    hits: Sequence[dict[int, int]],
    fresh: Mapping[int, Content],
) -> dict[int, Content]:
    """Add contents of any period within the window with the same text to the hits of each text; return them."""
    near = [
        (row, query.digest, core.periods_near(query.when))
        for row, query in enumerate(queries)
        if query.digest is not None
    ]
    same = core.index.same([(digest, range(first, last + 1)) for _, digest, (first, last) in near], reader, fresh)
    for row, digest, (first, last) in near:
        for period in range(first, last + 1):
            content = same.get((digest, period))
            if content is not None and content.number != queries[row].content:
                hits[row][content.number] = looked[row].keys
    return {content.number: content for content in same.values()}


def _candidates(
    core: Core,
    hits: Mapping[int, int],
    rows: Mapping[int, Content],
    members: Mapping[int, Sequence[Entry]],
    at: int | None,
) -> list[CandidateContent]:
    matching = []
    for number, shared in hits.items():
        others = members.get(number, ())
        witness = next((entry for entry in others if at is None or core.near(entry, at)), None)
        if witness is not None and number in rows:
            matching.append(CandidateContent(rows[number], witness, shared))
    return matching


def paired(
    queries: Sequence[CopyQuery],
    candidate_lists: Sequence[Sequence[CandidateContent]],
    existing: Collection[tuple[int, int]] = (),
) -> list[tuple[CopyQuery, CandidateContent]]:
    """Return the pairs of contents to compare, each once, without those already stored, lower number first.

    If two contents found each other, the later one is compared with the earlier one, as if they had arrived one after
    the other: evidence is not symmetric.
    """
    questions: dict[tuple[int, int], tuple[CopyQuery, CandidateContent]] = {}
    for query, candidates in zip(queries, candidate_lists, strict=True):
        number = query.content or 0
        for candidate in candidates:
            other = candidate.content.number
            pair = (min(number, other), max(number, other))
            if pair not in existing and (number > other or pair not in questions):
                questions[pair] = (query, candidate)
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
        pairs = [(texts.get(candidate.witness.number, ""), query.text) for query, candidate in questions]
        notices = core.notices.common(reader) if notices is None else notices
        return compared(pairs, notices, content=core.making.by_content)
    sketches = reader.sketches({candidate.content.number for _, candidate in questions})
    family = core.making.family
    if isinstance(family, Resembling):
        return [
            resembling(
                family.resemblance(sketches[candidate.content.number].code, query.code),
                candidate.witness.characters,
                len(query.text),
            )
            for query, candidate in questions
        ]
    evidence_list = []
    for query, candidate in questions:
        other, key_count = len(sketches[candidate.content.number].keys) // 8, int(keys.counts[query.row])
        evidence_list.append(estimated(candidate.hits, other, key_count, len(query.text) / max(1, key_count)))
    return evidence_list


def pair_of(content: int, other: int, evidence: Evidence, core: Core) -> PairRecord:
    """Return the stored form of a match: ``content`` is text b of the evidence, ``other`` is text a."""
    joins = evidence.joins(core.making.rules)
    shares = (evidence.similarity, *evidence.copied)
    if other < content:
        return PairRecord(other, content, *shares, evidence.relation, joins)
    return PairRecord(content, other, shares[0], shares[2], shares[1], evidence.relation, joins)


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
