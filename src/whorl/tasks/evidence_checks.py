"""Whether an evidence pack is as it was made, and what it cannot prove."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.language import Message, say, say_many
from whorl.library.ledger import FIRST, Noted, chained
from whorl.library.pages import KIND, PageSnapshot
from whorl.model import Plain
from whorl.tasks.arguments import Place, lent
from whorl.tasks.evidence import LEDGER, NOTED, QUERY, SIDES
from whorl.tasks.packs import Pack, json_bytes, opened
from whorl.tasks.timestamps import read_response, request

if TYPE_CHECKING:
    from whorl.library import Library

_STAMP = ".tsr"
_MOST_OF_LEDGER = 2**22


@dataclass(frozen=True, slots=True)
class CheckedEvidence(Plain):
    """What an evidence pack proves.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     packed = whorl.pack_evidence(library, "b", "a", "pack.zip", pdf=False)
    >>> checked = whorl.verify_evidence("pack.zip")
    >>> checked.is_sound, checked.id, checked.other
    (True, 'b', 'a')

    Attributes:
        is_sound: whether nothing was found altered.
        id: of the copy.
        other: of the original.
        members: how many files were read back.
        manifest: the SHA-256 of the manifest.
        stamped_at: when an authority that is trusted has witnessed it; None for not known, or a pack with faults.
        faults: a sentence for each thing that was altered.
        proven: a sentence for each thing that is proven; empty for a pack with faults.
        unproven: a sentence for each that is not.
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
    """What has been found so far."""

    def __init__(self) -> None:
        self.faults: list[Message] = []
        self.proven: list[Message] = []
        self.unproven: list[Message] = []

    def settle(self, faults: list[Message], proven: Message) -> None:
        """Either what is proven, or why it is not."""
        self.faults += faults
        self.proven += [] if faults else [proven]


def verify_evidence(
    pack: Place,
    library: Library | Place | None = None,
    *,
    timestamp: Place | None = None,
    trusted: Place | None = None,
) -> CheckedEvidence:
    """Read an evidence pack back, and say what it proves and what it does not.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     packed = whorl.pack_evidence(library, "b", "a", "pack.zip", pdf=False)
    ...     checked = whorl.verify_evidence("pack.zip", library)
    >>> checked.is_sound, len(checked.proven)
    (True, 3)

    Args:
        pack: the file.
        library: that it was made of, whose ledger must have it; None does not ask.
        timestamp: what an authority answered to ``manifest.tsq``; None takes the file beside the pack that is called
            like it and ends with ``.tsr``, if there is one.
        trusted: the certificates of authorities that are trusted, as PEM; None leaves open who has signed.

    Raises:
        InputError: a file cannot be read, or is no pack: with members that are missing, that do not belong to it, or
            that no pack has, such as links.
        UsageError: the extra ``timestamps`` is not installed, and there is a time-stamp.

    Cost: that of reading the pack; with a library, also that of reading its ledger.
    """
    path = Path(pack)
    found = _Findings()
    with opened(path) as archive:
        match, members, digest = archive.manifest["match"], archive.manifest["members"], archive.manifest_digest
        found.settle(
            list(_altered(archive)),
            say_many(
                "{count:,} file is as the manifest says", "{count:,} files are as the manifest says", len(members)
            ),
        )
        entries = _entries(archive)
        found.settle(
            list(_unchained(archive, entries)),
            say("the manifest and the pages match the ledger entries in the pack"),
        )
        absent = archive.manifest.get("absent", ())
    if library is None:
        found.unproven.append(say("that the library has noted it: give the library with `library`"))
    else:
        with lent(library) as own:
            proven = say(
                "the ledger of the library has it, as entry {number}, and is sound", number=_number(entries, digest)
            )
            found.settle(list(_unknown(own, entries, digest)), proven)
    stamped_at = _stamped(path, digest, timestamp, trusted, found)
    for side in SIDES:
        if f"{side}/page" in absent:
            found.unproven.append(say("what the page of “{id}” was: it was not kept", id=match[_ID_OF[side]]))
    found.unproven += _NEVER
    if found.faults:  # what holds of a part of an altered pack would be read as true of the pack
        found.proven, stamped_at = [], None
    return CheckedEvidence(
        not found.faults,
        match["id"],
        match["other"],
        len(members),
        digest,
        stamped_at,
        tuple(found.faults),
        tuple(found.proven),
        tuple(found.unproven),
    )


_ID_OF = {"copy": "id", "original": "other"}
_NEVER = [
    say("that the pages came from the sites as told: who keeps the library could have made them up before noting them"),
    say("who wrote first: both may be copied from a third"),
]


def _altered(archive: Pack) -> Iterator[Message]:
    for entry in archive.manifest["members"]:
        if archive.digest(entry["name"]) != entry["sha256"]:
            yield say("{name} was altered", name=entry["name"])
    for name in sorted(set(archive.manifest["outside"]) - {LEDGER, QUERY}):
        yield say("no digest in the manifest covers {name}", name=name)
    if archive.read(QUERY) != request(archive.manifest_digest):
        yield say("{name} was altered", name=QUERY)


def _entries(archive: Pack) -> list[tuple[Noted, str]]:
    """The entries of the ledger in a pack, each with the chain before it; none where they cannot be read."""
    try:
        return [_entry(data) for data in json.loads(archive.read(LEDGER, _MOST_OF_LEDGER))]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return []


def _entry(data: Mapping[str, Any]) -> tuple[Noted, str]:
    kind, digest, chain, previous = (str(data[name]) for name in ("kind", "digest", "chain", "previous"))
    return Noted(int(data["number"]), datetime.fromisoformat(data["at"]), kind, digest, chain), previous


def _written(noted: Noted, previous: str) -> dict[str, Any]:
    return noted.to_dict() | {"previous": previous}


def _number(entries: list[tuple[Noted, str]], digest: str) -> int:
    """The number of the entry for a manifest; 0 where the pack has none."""
    return next((noted.number for noted, _ in entries if (noted.kind, noted.digest) == (NOTED, digest)), 0)


def _unchained(archive: Pack, entries: list[tuple[Noted, str]]) -> Iterator[Message]:
    # No digest covers this member: a field or an entry that says nothing of the pack would pass unseen.
    if archive.read(LEDGER, _MOST_OF_LEDGER) != json_bytes([_written(*entry) for entry in entries]):
        yield say("{name} was altered", name=LEDGER)
    for noted, previous in entries:
        if chained(previous, noted.number, noted.at, noted.kind, noted.digest) != noted.chain:
            yield say("entry {number:,} of the ledger was altered", number=noted.number)
    recorded = {(noted.kind, noted.digest) for noted, _ in entries}
    expected = {(NOTED, archive.manifest_digest)}
    if not expected <= recorded:
        yield say("the entries of the ledger do not tell of this manifest")
    names = [entry["name"] for entry in archive.manifest["members"]]
    for name in names:
        if name.startswith(tuple(f"{side}/page-" for side in SIDES)) and name.endswith(".json"):
            body, page = name.removesuffix(".json") + ".body", _page(archive, name)
            is_right = page is not None and body in names and archive.digest(body) == page.digest
            witness = page and (KIND, page.witness)
            if not is_right or witness not in recorded:
                yield say("{name} is not what the ledger tells of", name=name)
            expected |= {witness} if witness else set()
    for noted, _ in entries:
        if (noted.kind, noted.digest) not in expected:
            yield say("entry {number:,} of the ledger is about nothing in the pack", number=noted.number)


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


def _unknown(library: Library, entries: list[tuple[Noted, str]], digest: str) -> Iterator[Message]:
    for noted, _ in entries:
        if library.ledger.get(noted.number) != noted:
            yield say("the ledger of the library has another entry {number:,}", number=noted.number)
    chain, has_manifest = FIRST, False
    for number, noted in enumerate(library.ledger, start=1):
        has_manifest |= (noted.kind, noted.digest) == (NOTED, digest)
        chain = chained(chain, number, noted.at, noted.kind, noted.digest)
        if (noted.number, noted.chain) != (number, chain):
            yield say("the ledger was altered at entry {number:,}", number=number)
            return
    if not has_manifest:
        yield say("the ledger of the library does not have the manifest of this pack")


def _stamped(
    path: Path, digest: str, timestamp: Place | None, trusted: Place | None, found: _Findings
) -> datetime | None:
    """When it was witnessed by an authority that is trusted."""
    beside = path.with_suffix(_STAMP)
    answer = Path(timestamp) if timestamp is not None else beside if beside.is_file() else None
    if answer is None:
        found.unproven.append(
            say("when it was made: only the clock of its maker says; send manifest.tsq to an authority")
        )
        return None
    stamp = read_response(answer, digest, None if trusted is None else Path(trusted))
    if stamp.is_trusted:
        found.proven.append(say("an authority has witnessed it at {time}", time=stamp.at))
        return stamp.at
    if stamp.problem:
        found.faults.append(say("{path}: {message}", path=answer, message=stamp.problem))
    else:
        found.unproven.append(
            say(
                "who has signed the time-stamp of {time}: give certificates that are trusted with `trusted`",
                time=stamp.at,
            )
        )
    return None


__all__ = ["CheckedEvidence", "verify_evidence"]
