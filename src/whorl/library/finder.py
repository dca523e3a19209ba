"""From keys to candidates to evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from whorl.fingerprints import Resembling
from whorl.library.core import Core
from whorl.library.evidence import Evidence, compared, estimated, resembling
from whorl.library.index_cache import Keys
from whorl.stores import Reader
from whorl.stores.records import Content, Entry, Pair


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
        witness: the first of its documents that is within the window.
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
        cut: of these the ones that too many documents have.
        unlisted: contents that shared keys and were not compared.
    """

    candidates: list[tuple[int, int]]
    keys: int
    cut: int
    unlisted: int


NOTHING = Looked([], 0, 0, 0)
"""Of a text that was not looked up."""


def look_up(core: Core, reader: Reader, asked: Sequence[Asked], keys: Keys) -> list[Looked]:
    """Return for each text the numbers of the contents that share keys with it, and how many each does."""
    near = [core.periods_near(one.when) for one in asked]
    periods = None if core.making.rules.span is None or not near else (min(near)[0], max(last for _, last in near))
    answers = core.index.query(keys, periods, reader)
    found: list[list[tuple[int, int]]] = [[] for _ in asked]
    needed = [core.making.rules.needed(count) for count in answers.keys.tolist()]
    for query, content, hits in zip(answers.query.tolist(), answers.id.tolist(), answers.hits.tolist(), strict=True):
        if content != asked[query].content and hits >= needed[query]:
            found[query].append((content, hits))
    columns = zip(found, answers.keys.tolist(), answers.cut.tolist(), answers.unlisted.tolist(), strict=True)
    looked = []
    for candidates, own, cut, unlisted in columns:
        kept = candidates[: core.making.rules.compared]
        further = unlisted if len(candidates) > len(kept) else 0
        looked.append(Looked(kept, own, cut, further + len(candidates) - len(kept)))
    return looked


def candidates(
    core: Core,
    reader: Reader,
    asked: Sequence[Asked],
    looked: Sequence[Looked],
    fresh: Mapping[int, Content] = MappingProxyType({}),
) -> list[list[Candidate]]:
    """Return for each text those of the contents found that are still there and have a document within the window.

    With a window, contents that say the same in other periods come last.

    Args:
        core: the library.
        reader: the truth, with the documents of ``fresh``.
        asked: the texts.
        looked: what the index says of each.
        fresh: contents that are about to be written.
    """
    hits = [dict(one.candidates) for one in looked]
    rows = dict(fresh)
    rows |= reader.contents({number for found in hits for number in found} - rows.keys())
    if core.making.rules.span is not None:
        for one, own, found in zip(asked, looked, hits, strict=True):
            for content in _same(core, reader, one):
                rows[content.number] = content
                found[content.number] = own.keys
    bounded = core.making.rules.span is not None
    members = reader.members({number for found in hits for number in found}, None if bounded else 1)
    return [_candidates(core, one, found, rows, members) for one, found in zip(asked, hits, strict=True)]


def _same(core: Core, reader: Reader, one: Asked) -> list[Content]:
    """What says the same in any period within the window."""
    equal = [] if one.digest is None else core.index.same([one.digest], reader)
    first, last = core.periods_near(one.when)
    return [content for content in equal if content.number != one.content and first <= content.period <= last]


def _candidates(
    core: Core,
    one: Asked,
    hits: Mapping[int, int],
    rows: Mapping[int, Content],
    members: Mapping[int, Sequence[Entry]],
) -> list[Candidate]:
    found = []
    for number, shared in hits.items():
        witness = next((entry for entry in members.get(number, ()) if core.near(entry, one.when)), None)
        if witness is not None and number in rows:
            found.append(Candidate(rows[number], witness, shared))
    return found


def judged(core: Core, reader: Reader, questions: Sequence[tuple[Asked, Candidate]], keys: Keys) -> list[Evidence]:
    """Return what each text has from the first document of each of its candidates."""
    if core.making.rules.texts:
        texts = reader.texts({candidate.witness.number for _, candidate in questions})
        pairs = [(texts.get(candidate.witness.number, ""), one.text) for one, candidate in questions]
        return compared(pairs)
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
        return Pair(other, content, *shares, evidence.kind, joins)
    kind = {"contains": "contained", "contained": "contains"}.get(evidence.kind, evidence.kind)
    return Pair(content, other, shares[0], shares[2], shares[1], kind, joins)


__all__ = ["NOTHING", "Asked", "Candidate", "Looked", "candidates", "judged", "look_up", "pair_of"]
