"""Read a whole store block by block and write it into another one, with the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from whorl.stores import Reader, Writer
from whorl.stores.monitoring_records import CaseFilter
from whorl.stores.records import DocumentFilter

After = int | str | None
"""Position after which to continue: a number, a digest in hexadecimal, or None for the beginning."""

Rows = Mapping[str, Sequence[Any]]
"""Rows by kind, each kind ordered by its owner."""

_DOCUMENTS = 500
_CONTENTS = 2000
_BODIES = 8
_ROWS = 2000


class Block(NamedTuple):
    """Rows that were read in one step.

    Attributes:
        rows: rows by kind.
        size: number of rows of the main kind.
        after: position after which the next block begins; None for the last block.
    """

    rows: Rows
    size: int
    after: After


class RowKinds(NamedTuple):
    """Kinds of rows that are read and written together.

    Attributes:
        name: the main kind.
        read: returns the block after a position.
        put: writes the rows of a block; idempotent.
    """

    name: str
    read: Callable[[Reader, After], Block]
    put: Callable[[Writer, Rows], None]


def blocks(part: RowKinds, reader: Reader, after: After = None) -> Iterator[Block]:
    """Yield the blocks of a part after a position."""
    while True:
        block = part.read(reader, after)
        yield block
        after = block.after
        if after is None:
            return


class Digests:
    """SHA-256 and number of all rows of each kind, independent of block boundaries."""

    def __init__(self) -> None:
        self._hashes: dict[str, Any] = {}
        self.counts: dict[str, int] = {}

    def take(self, rows: Rows) -> None:
        """Add the rows of a block."""
        for kind, kind_rows in rows.items():
            digest = self._hashes.setdefault(kind, sha256())
            self.counts[kind] = self.counts.get(kind, 0) + len(kind_rows)
            for row in kind_rows:
                for value in row:
                    encoded = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
                    digest.update(len(encoded).to_bytes(8, "little") + encoded)

    def hexdigests(self) -> dict[str, str]:
        """Return the digest of each kind, as hexadecimal digits."""
        return {kind: digest.hexdigest() for kind, digest in self._hashes.items()}


def _documents(reader: Reader, after: After) -> Block:
    entries, last = reader.documents(DocumentFilter(), _number(after), _DOCUMENTS)
    numbers = [entry.number for entry in entries]
    kind_rows = set(numbers)
    about = reader.verdicts(numbers)
    links = reader.links(numbers)
    rows: dict[str, Sequence[Any]] = {
        "documents": entries,
        "texts": sorted(reader.texts(numbers).items()),
        "former": _of(numbers, reader.former(numbers)),
        "sightings": _of(numbers, reader.sightings(numbers)),
        "links": [(number, tuple(links[number])) for number in numbers if number in links],
        "attestations": _of(numbers, reader.attestations(numbers)),
        "reviews": sorted(
            {review for reviews_of in about.values() for review in reviews_of.values() if review.low in kind_rows}
        ),
    }
    return Block(rows, len(entries), last)


def _put_documents(writer: Writer, rows: Rows) -> None:
    writer.put_entries(rows["documents"])
    writer.put_texts(dict(rows["texts"]))
    writer.put_former(rows["former"])
    writer.put_sightings(rows["sightings"])
    writer.put_links(dict(rows["links"]))
    writer.put_attestations(rows["attestations"])
    writer.put_verdicts(rows["reviews"])


def _contents(reader: Reader, after: After) -> Block:
    contents = reader.contents_after(_number(after) or 0, _CONTENTS)
    numbers = [content.number for content in contents]
    kind_rows = set(numbers)
    sketches, borne = reader.sketches(numbers), reader.borne(numbers)
    pairs = {pair for pairs_of in reader.pairs(numbers).values() for pair in pairs_of if pair.high in kind_rows}
    now = reader.aliases({content.cluster for content in contents})
    firsts = {min(pairs_of).number for pairs_of in map(tuple, reader.in_clusters(now).values())}
    rows: dict[str, Sequence[Any]] = {
        "contents": contents,
        "sketches": [sketches[number] for number in numbers if number in sketches],
        "matches": sorted(pairs, key=lambda pair: (pair.high, pair.low)),
        "borne": [(number, tuple(borne[number])) for number in numbers if number in borne],
        "aliases": [
            (alias, content.cluster)
            for content in contents
            if content.number in firsts
            for alias in now.get(content.cluster, ())
        ],
    }
    return Block(rows, len(contents), numbers[-1] if len(contents) == _CONTENTS else None)


def _put_contents(writer: Writer, rows: Rows) -> None:
    writer.put_contents(rows["contents"])
    writer.put_sketches(rows["sketches"])
    writer.put_pairs(rows["matches"])
    writer.put_borne(dict(rows["borne"]))
    writer.put_aliases(dict(rows["aliases"]))


def _notices(reader: Reader, after: After) -> Block:
    notices = reader.notices_after(_number(after) or 0)
    return Block({"notices": notices}, len(notices), None)


def _put_notices(writer: Writer, rows: Rows) -> None:
    count = len(writer.notices_after(0))
    writer.put_notices(rows["notices"][count:])


def _sites(reader: Reader, _: After) -> Block:
    sites = sorted(reader.all_sites())
    permissions = sorted(reader.all_permissions(), key=repr)
    return Block({"sites": sites, "permissions": permissions}, len(sites), None)


def _put_sites(writer: Writer, rows: Rows) -> None:
    writer.put_sites(rows["sites"])
    writer.put_permissions(rows["permissions"])


def _bodies(reader: Reader, after: After) -> Block:
    digests = reader.bodies_after(bytes.fromhex(str(after or "")), _BODIES)
    bodies = reader.bodies(digests)
    last = digests[-1].hex() if len(digests) == _BODIES else None
    return Block({"bodies": [bodies[digest] for digest in digests if digest in bodies]}, len(digests), last)


def _numbered(kind: str, read: Callable[[Reader, int], Sequence[Any]]) -> Callable[[Reader, After], Block]:
    """Define a part of numbered rows, in ascending order."""

    def block(reader: Reader, after: After) -> Block:
        rows = read(reader, _number(after) or 0)
        return Block({kind: rows}, len(rows), rows[-1].number if len(rows) == _ROWS else None)

    return block


def _put_ledger(writer: Writer, rows: Rows) -> None:
    existing = writer.ledger_records(row.number for row in rows["ledger"])
    writer.put_ledger_records([row for row in rows["ledger"] if row.number not in existing])


def _put_events(writer: Writer, rows: Rows) -> None:
    cases = {row.case_number for row in rows["case_events"]}
    existing = {event.number for events in writer.case_events(cases).values() for event in events}
    writer.put_case_events([row for row in rows["case_events"] if row.number not in existing])


PARTS = (
    RowKinds("documents", _documents, _put_documents),
    RowKinds("contents", _contents, _put_contents),
    RowKinds("notices", _notices, _put_notices),
    RowKinds(
        "decisions",
        _numbered("decisions", lambda reader, after: reader.decisions_after(after, _ROWS)),
        lambda writer, rows: writer.put_decisions(rows["decisions"]),
    ),
    RowKinds("sites", _sites, _put_sites),
    RowKinds(
        "ledger", _numbered("ledger", lambda reader, after: reader.ledger_records_after(after, _ROWS)), _put_ledger
    ),
    RowKinds("bodies", _bodies, lambda writer, rows: writer.put_bodies(rows["bodies"])),
    RowKinds(
        "snapshots",
        _numbered("snapshots", lambda reader, after: reader.snapshots_after(after, _ROWS)),
        lambda writer, rows: writer.put_snapshots(rows["snapshots"]),
    ),
    RowKinds(
        "alerts",
        _numbered("alerts", lambda reader, after: reader.alerts_after(after, _ROWS, None)),
        lambda writer, rows: writer.put_alerts(rows["alerts"]),
    ),
    RowKinds(
        "case_events",
        _numbered("case_events", lambda reader, after: reader.case_events_after(after, _ROWS)),
        _put_events,
    ),
    RowKinds(
        "cases",
        _numbered("cases", lambda reader, after: reader.cases_after(CaseFilter(), after, _ROWS)),
        lambda writer, rows: writer.put_cases(rows["cases"]),
    ),
)
"""All parts except settings and counters, in the order of writing."""


def _of(numbers: Iterable[int], rows: Mapping[int, Sequence[Any]]) -> list[Any]:
    """Return the rows of each number; rows of one number are sorted the same way for every store."""
    return [row for number in numbers for row in sorted(rows.get(number, ()), key=repr)]


def _number(after: After) -> int | None:
    return None if after is None else int(after)


__all__ = ["PARTS", "After", "Block", "Digests", "RowKinds", "blocks"]
