"""From keys to candidates to evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from whorl.fingerprints import Resembling
from whorl.library.core import Core
from whorl.library.evidence import Evidence, compared, estimated, resembling
from whorl.library.keys import Keys
from whorl.library.packing import unpacked
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader
from whorl.stores.records import Content, Entry, Pair

_MOST_LOOKED_THROUGH = 100_000


class Asked(NamedTuple):
    """A text whose copies are sought.

    Attributes:
        content: its number, if it has one by now.
        digest: of the folded text; None where nothing is left of it.
        text: itself.
        when: its time by the clock of the window.
        row: where its keys are.
        code: by which its family estimates similarity.
    """

    content: int | None
    digest: bytes | None
    text: str
    when: int
    row: int
    code: bytes


class Candidate(NamedTuple):
    """A content that shares keys with a text.

    Attributes:
        content: its row.
        witness: the first of its documents, or of those within the window of a time.
        hits: keys in common; all of them for equal texts.
    """

    content: Content
    witness: Entry
    hits: int


class Looked(NamedTuple):
    """What the index says of a text.

    Attributes:
        candidates: contents that share keys with it, most keys first, without itself.
        keys: different keys of the text.
        cut: of these the ones that too many documents have, or that lie within boilerplate.
        unlisted: contents that shared keys and were not compared.
    """

    candidates: list[tuple[int, int]]
    keys: int
    cut: int
    unlisted: int


NOTHING = Looked([], 0, 0, 0)
"""Of a text that was not looked up."""


def sought(core: Core, texts: Sequence[str], keys: Keys) -> Keys:
    """Return the keys by which copies of texts are looked up: their own, or what the family seeks by."""
    family = core.making.seeking
    return keys if family is None else Keys(*family.sought(list(texts)))


def look_up(
    core: Core,
    reader: Reader,
    asked: Sequence[Asked],
    keys: Keys,
    among: str | None = None,
    *,
    are_all: bool = False,
) -> list[Looked]:
    """Return for each text the numbers of the contents that share keys with it, and how many each does.

    Keys of boilerplate lead nowhere: what shares nothing else would take the places of copies among those compared.

    With ``among`` only contents that documents of this collection say; with ``are_all`` all of these, and not only as
    many as are compared by the rules.
    """
    most = _MOST_LOOKED_THROUGH if are_all else core.making.rules.compared
    texts = [one.text for one in asked]
    own = sought(core, texts, keys)
    keys = own.without_boilerplate(core.making, core.notices.known(reader), texts)
    looked = _look_up_near(core, reader, asked, keys, among, most)
    left_out = (own.counts - keys.counts).tolist()
    return [one._replace(keys=one.keys + out, cut=one.cut + out) for one, out in zip(looked, left_out, strict=True)]


def _look_up_near(
    core: Core, reader: Reader, asked: Sequence[Asked], keys: Keys, among: str | None, most: int
) -> list[Looked]:
    """Those of the contents that lie within the window of each text."""
    if core.making.rules.span is None:
        return _look_up(core, reader, asked, keys, None, among, most)
    rows: dict[tuple[int, int], list[int]] = {}
    for row, one in enumerate(asked):
        rows.setdefault(core.periods_near(one.when), []).append(row)
    looked: dict[int, Looked] = {}
    for periods, some in rows.items():
        found = _look_up(core, reader, [asked[row] for row in some], keys.rows(some), periods, among, most)
        looked |= dict(zip(some, found, strict=True))
    return [looked[row] for row in range(len(asked))]


def _look_up(
    core: Core,
    reader: Reader,
    asked: Sequence[Asked],
    keys: Keys,
    periods: tuple[int, int] | None,
    among: str | None,
    most: int,
) -> list[Looked]:
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
        looked.append(Looked(kept, own, cut, further + len(candidates) - len(kept)))
    return looked


def candidates(
    core: Core,
    reader: Reader,
    asked: Sequence[Asked],
    looked: Sequence[Looked],
    *,
    fresh: Mapping[int, Content] = MappingProxyType({}),
    at: int | None = None,
    among: str | None = None,
) -> list[list[Candidate]]:
    """Return for each text those of the contents found that are still there.

    With a window, contents that say the same in other periods come last.

    Args:
        core: the library.
        reader: the truth, with the documents of ``fresh``.
        asked: the texts.
        looked: what the index says of each.
        fresh: contents that are about to be written.
        at: only with a document within the window of this time; None for contents as a whole.
        among: only with a document of this collection; None for all.
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
    asked: Sequence[Asked],
    looked: Sequence[Looked],
    hits: Sequence[dict[int, int]],
    fresh: Mapping[int, Content],
) -> dict[int, Content]:
    """Add to the hits of each text what says the same in any period within the window, and return that."""
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
) -> list[Candidate]:
    found = []
    for number, shared in hits.items():
        others = members.get(number, ())
        witness = next((entry for entry in others if at is None or core.near(entry, at)), None)
        if witness is not None and number in rows:
            found.append(Candidate(rows[number], witness, shared))
    return found


def paired(
    asked: Sequence[Asked],
    found: Sequence[Sequence[Candidate]],
    known: Collection[tuple[int, int]] = (),
) -> list[tuple[Asked, Candidate]]:
    """Return what is to be compared: each pair of contents once, but for those that are known, lower number first.

    Of two that found each other the later one asks, as it does where they come one after the other: what one text has
    from another is not quite what that has from it.
    """
    questions: dict[tuple[int, int], tuple[Asked, Candidate]] = {}
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
    questions: Sequence[tuple[Asked, Candidate]],
    keys: Keys,
    notices: Notices | None = None,
) -> list[Evidence]:
    """Return what each text has from the first document of each of its candidates, without what is nobody's own.

    With ``notices`` without these instead.
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
    """Return what is kept of a match: ``content`` is text b of the evidence, ``other`` text a."""
    joins = evidence.joins(core.making.rules)
    shares = (evidence.similarity, evidence.a_in_b, evidence.b_in_a)
    if other < content:
        return Pair(other, content, *shares, evidence.relation, joins)
    return Pair(content, other, shares[0], shares[2], shares[1], evidence.relation, joins)


__all__ = ["NOTHING", "Asked", "Candidate", "Looked", "candidates", "judged", "look_up", "pair_of", "paired", "sought"]
