"""Verify an evidence pack: what it proves, and what it cannot prove."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.i18n import Message, say, say_many
from whorl.library.ledger import FIRST, LedgerEntry, chained
from whorl.library.provenance.pages import KIND, PageSnapshot
from whorl.tasks.evidence.archives import Pack, json_bytes, opened
from whorl.tasks.evidence.case_members import CASE, witnesses_of_case
from whorl.tasks.evidence.pack import LEDGER, LEDGER_KIND, QUERY, SIDES
from whorl.tasks.library.arguments import Place, lent
from whorl.tasks.timestamps import read_response, request
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library

_STAMP = ".tsr"
_MOST_OF_LEDGER = _MOST_OF_CASE = 2**22


@frozen
class CheckedEvidence(Plain):
    """Result of verifying an evidence pack.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     packed = whorl.evidence.pack_evidence(library, "b", "a", "pack.zip", pdf=False)
    >>> checked = whorl.evidence.verify_evidence("pack.zip")
    >>> checked.is_sound, checked.id, checked.other
    (True, 'b', 'a')

    Attributes:
        is_sound: True if no alteration was detected.
        id: id of the copy.
        other: id of the original.
        members: number of verified files.
        manifest: the SHA-256 of the manifest.
        stamped_at: time of a trusted time-stamp; None if unknown, or for a pack with faults.
        faults: one sentence for each alteration.
        proven: one sentence for each proven fact; empty for a pack with faults.
        unproven: one sentence for each fact that is not proven.
    """

    is_sound: bool
    id: str
    other: str
    members: int
    manifest: str
    stamped_at: datetime | None
    faults: tuple[Message, ...]
    proven: tuple[Message, ...]
    unproven: tuple[Message, ...]


class _Findings:
    """Findings of a verification."""

    def __init__(self) -> None:
        self.faults: list[Message] = []
        self.proven: list[Message] = []
        self.unproven: list[Message] = []

    def settle(self, faults: list[Message], proven: Message) -> None:
        """Record the faults, or the proven fact if there are no faults."""
        self.faults += faults
        self.proven += [] if faults else [proven]


def verify_evidence(
    pack: Place,
    library: Library | Place | None = None,
    *,
    timestamp: Place | None = None,
    trusted: Place | None = None,
) -> CheckedEvidence:
    """Verify an evidence pack and report what it proves and what it does not.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     packed = whorl.evidence.pack_evidence(library, "b", "a", "pack.zip", pdf=False)
    ...     checked = whorl.evidence.verify_evidence("pack.zip", library)
    >>> checked.is_sound, len(checked.proven)
    (True, 3)

    Args:
        pack: the file.
        library: the library that it was made from, whose ledger must contain it; None skips this check.
        timestamp: an authority's response to ``manifest.tsq``; None uses a file next to the pack with the same name and
            the suffix ``.tsr``, if there is one.
        trusted: certificates of trusted authorities, as PEM; None does not verify the signer.

    Raises:
        InputError: a file cannot be read or is not a pack: members are missing, unlisted or of a kind that packs do not
            contain, such as links.
        UsageError: there is a time-stamp, but the extra ``timestamps`` is not installed.

    Cost: reading the pack; with a library also its ledger.
    """
    path = Path(pack)
    findings = _Findings()
    with opened(path) as archive:
        match, members, digest = archive.manifest["match"], archive.manifest["members"], archive.manifest_digest
        findings.settle(
            list(_altered(archive)),
            say_many("{count:,} file matches the manifest", "{count:,} files match the manifest", len(members)),
        )
        entries = _entries(archive)
        findings.settle(
            list(_unchained(archive, entries)),
            _MATCHING if library is not None else _MATCHING_ALONE,
        )
        absent = archive.manifest.get("absent", ())
    if library is None:
        findings.unproven.append(say("that the library recorded it: name the library with `library`"))
    else:
        with lent(library) as opened_library:
            proven = say(
                "the ledger of the library contains it as entry {number}, and is intact",
                number=_number(entries, digest),
            )
            findings.settle(list(_unknown(opened_library, entries, digest)), proven)
    stamped_at = _stamped(path, digest, timestamp, trusted, findings)
    for side in SIDES:
        if f"{side}/page" in absent:
            findings.unproven.append(say("the original page of “{id}”: it was not stored", id=match[_ID_OF[side]]))
    findings.unproven += _NEVER
    if findings.faults:  # facts about a part of an altered pack would be read as facts about the pack
        findings.proven, stamped_at = [], None
    return CheckedEvidence(
        not findings.faults,
        match["id"],
        match["other"],
        len(members),
        digest,
        stamped_at,
        tuple(findings.faults),
        tuple(findings.proven),
        tuple(findings.unproven),
    )


_ID_OF = {"copy": "id", "original": "other"}
_MATCHING = say("the manifest and the pages match the ledger entries in the pack")
_MATCHING_ALONE = say(
    "the manifest and the pages match the ledger entries in the pack, which were not compared with a library"
)
_NEVER = [
    say("that the pages came from these sites: the owner of the library could have forged them before recording them"),
    say("who wrote first: both may be copied from a third"),
]


def _altered(archive: Pack) -> Iterator[Message]:
    for entry in archive.manifest["members"]:
        if archive.digest(entry["name"]) != entry["sha256"]:
            yield say("{name} was altered", name=entry["name"])
    for name in sorted(set(archive.manifest["outside"]) - {LEDGER, QUERY}):
        yield say("the manifest has no digest of {name}", name=name)
    if archive.read(QUERY) != request(archive.manifest_digest):
        yield say("{name} was altered", name=QUERY)


def _entries(archive: Pack) -> list[tuple[LedgerEntry, str]]:
    """Return the ledger entries in a pack, each with the previous chain value; empty if they cannot be read."""
    try:
        return [_entry(data) for data in json.loads(archive.read(LEDGER, _MOST_OF_LEDGER))]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return []


def _entry(data: Mapping[str, Any]) -> tuple[LedgerEntry, str]:
    kind, digest, chain, previous = (str(data[name]) for name in ("kind", "digest", "chain", "previous"))
    return LedgerEntry(int(data["number"]), datetime.fromisoformat(data["at"]), kind, digest, chain), previous


def _written(entry: LedgerEntry, previous: str) -> dict[str, Any]:
    return entry.to_dict() | {"previous": previous}


def _number(entries: list[tuple[LedgerEntry, str]], digest: str) -> int:
    """Return the number of the entry for a manifest; 0 if the pack has none."""
    return next((entry.number for entry, _ in entries if (entry.kind, entry.digest) == (LEDGER_KIND, digest)), 0)


def _unchained(archive: Pack, entries: list[tuple[LedgerEntry, str]]) -> Iterator[Message]:
    # No digest covers this member, so an unrelated field or entry would pass unnoticed.
    if archive.read(LEDGER, _MOST_OF_LEDGER) != json_bytes([_written(*entry) for entry in entries]):
        yield say("{name} was altered", name=LEDGER)
    for record, previous in entries:
        if chained(previous, record.number, record.at, record.kind, record.digest) != record.chain:
            yield say("entry {number:,} of the ledger was altered", number=record.number)
    recorded = {(record.kind, record.digest) for record, _ in entries}
    expected = {(LEDGER_KIND, archive.manifest_digest)}
    if not expected <= recorded:
        yield say("no ledger entry is about this manifest")
    names = [entry["name"] for entry in archive.manifest["members"]]
    for name in names:
        if name.startswith(tuple(f"{side}/page-" for side in SIDES)) and name.endswith(".json"):
            body, page = name.removesuffix(".json") + ".body", _page(archive, name)
            is_right = page is not None and body in names and archive.digest(body) == page.digest
            witness = page and (KIND, page.witness)
            if not is_right or witness not in recorded:
                yield say("{name} differs from the ledger entry", name=name)
            expected |= {witness} if witness else set()
    events = _events(archive) if CASE in names else {}
    numbered = {entry.number: (entry.kind, entry.digest) for entry, _ in entries}
    if events is None or any(numbered.get(number) != witness for number, witness in events.items()):
        yield say("{name} differs from the ledger entry", name=CASE)
    yield from _unrelated(entries, expected | set((events or {}).values()))


def _unrelated(entries: list[tuple[LedgerEntry, str]], expected: set[tuple[str, str]]) -> Iterator[Message]:
    for entry, _ in entries:
        if (entry.kind, entry.digest) not in expected:
            yield say("entry {number:,} of the ledger is not about the pack", number=entry.number)


def _events(archive: Pack) -> dict[int, tuple[str, str]] | None:
    """Return kind and digest of the ledger entry of each event of the case; None if they cannot be read."""
    try:
        return dict(witnesses_of_case(json.loads(archive.read(CASE, _MOST_OF_CASE))))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _page(archive: Pack, name: str) -> PageSnapshot | None:
    try:
        data = json.loads(archive.read(name, 2**22))
        at = datetime.fromisoformat(data["fetched_at"]["utc"])
        headers = tuple((str(key), str(value)) for key, value in data["headers"])
        return PageSnapshot(
            data["url"], at, data["digest"], data["status"], headers, data["document"], data["bytes"], data["number"]
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _unknown(library: Library, entries: list[tuple[LedgerEntry, str]], digest: str) -> Iterator[Message]:
    for entry, _ in entries:
        if library.ledger.get(entry.number) != entry:
            yield say("entry {number:,} differs in the ledger of the library", number=entry.number)
    chain, has_manifest = FIRST, False
    for number, entry in enumerate(library.ledger, start=1):
        has_manifest |= (entry.kind, entry.digest) == (LEDGER_KIND, digest)
        chain = chained(chain, number, entry.at, entry.kind, entry.digest)
        if (entry.number, entry.chain) != (number, chain):
            yield say("the ledger was altered at entry {number:,}", number=number)
            return
    if not has_manifest:
        yield say("the ledger of the library does not contain the manifest of this pack")


def _stamped(
    path: Path, digest: str, timestamp: Place | None, trusted: Place | None, findings: _Findings
) -> datetime | None:
    """Return the time of a trusted time-stamp."""
    beside = path.with_suffix(_STAMP)
    answer = Path(timestamp) if timestamp is not None else beside if beside.is_file() else None
    if answer is None:
        findings.unproven.append(
            say("when it was created: the time comes from its creator's clock; send manifest.tsq to an authority")
        )
        return None
    stamp = read_response(answer, digest, None if trusted is None else Path(trusted))
    if stamp.is_trusted:
        findings.proven.append(say("an authority time-stamped it at {time}", time=stamp.at))
        return stamp.at
    if stamp.problem:
        findings.faults.append(say("{path}: {message}", path=answer, message=stamp.problem))
    else:
        findings.unproven.append(
            say(
                "who signed the time-stamp of {time}: pass trusted certificates with `trusted`",
                time=stamp.at,
            )
        )
    return None


__all__ = ["CheckedEvidence", "verify_evidence"]
