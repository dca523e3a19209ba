"""Export all evidence of a match as one file, whose digest is recorded in the ledger of the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, ResourceError, UsageError
from whorl.i18n import Language, say, spoken, translated
from whorl.library.ledger import FIRST, LedgerEntry
from whorl.library.provenance.times import time_of
from whorl.reports.cases import zone_of
from whorl.reports.evidence_sheet import EvidenceSheet
from whorl.reports.pdf.printing import as_pdf
from whorl.tasks.compare.run import Compared
from whorl.tasks.dedup.outputs import OutputKind, demand_free, write_whole
from whorl.tasks.evidence.archives import MANIFEST, PACK_MARK, json_bytes, manifest_of, packed
from whorl.tasks.evidence.case_members import case_members, compared_revision, pages_of_case
from whorl.tasks.evidence.sheets import ISCC_BITS, evidence_sheet
from whorl.tasks.library.arguments import Place, demand_texts, lent
from whorl.tasks.library.versions import versions
from whorl.tasks.timestamps import request
from whorl.text.iscc import text_code
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.provenance.pages import PageSnapshot
    from whorl.types.library import Document

LEDGER_KIND = "evidence"
"""Kind of the ledger entries of evidence packs."""
SIDES = ("copy", "original")
LEDGER, QUERY = "ledger.json", "manifest.tsq"
"""Members that are derived from the manifest and therefore not listed in it."""
_PACK = OutputKind(say("evidence pack"), PACK_MARK)


@frozen
class PackedEvidence(Plain):
    """An evidence pack.

    Attributes:
        path: path of the pack.
        id: id of the copy.
        other: id of the original.
        members: number of files in it.
        bytes: its size.
        manifest: the SHA-256 of its manifest, as recorded in the ledger.
        number: number of the ledger entry.
        chain: chain value of that entry.
        absent: members that are missing because their contents are unknown: "copy/page", "original/page", "report.pdf".
    """

    path: str
    id: str
    other: str
    members: int
    bytes: int
    manifest: str
    number: int
    chain: str
    absent: tuple[str, ...]


class _Clock:
    """Formats times in UTC and in a local time zone."""

    def __init__(self, zone: str | None) -> None:
        self.zone = zone_of(zone)

    def times(self, at: datetime) -> dict[str, str]:
        """Return a time in UTC and local time."""
        return {
            "utc": at.astimezone(UTC).isoformat(timespec="microseconds"),
            "local": at.astimezone(self.zone).isoformat(timespec="microseconds"),
        }


def pack_evidence(
    library: Library | Place,
    id: str,
    other: str,
    to: Place,
    *,
    at: datetime | str | None = None,
    zone: str | None = None,
    language: Language | None = None,
    pdf: bool = True,
    revision: int | None = None,
    operator: str = "",
) -> PackedEvidence:
    """Write all evidence of a match to one file, and record its digest in the ledger of the library.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     packed = whorl.evidence.pack_evidence(library, "b", "a", "pack.zip", pdf=False)
    >>> packed.absent
    ('copy/page', 'original/page', 'report.pdf')

    It contains the first and the last fetch of both pages with their headers; the texts; the passages side by side; the
    report as HTML, and as PDF if the extra ``print`` is installed; the log of fetches; decisions; all times in UTC and
    local time; a manifest with the SHA-256 of each of these; the entries of the ledger; and a request for an RFC 3161
    time-stamp of the manifest, which can be sent to an authority.

    Args:
        library: its address, or an open library.
        id: id of the copy.
        other: id of the original.
        to: path of a new file, or of an older pack to replace.
        at: creation time; None is now. The same evidence at the same time gives the same bytes.
        zone: the local time zone, such as "Asia/Shanghai"; None is that of this machine.
        language: language of the report; None is the current one.
        pdf: include the report as PDF if possible.
        revision: revision of the copy; None is the one that its case shows, or that has most of the original, because
            the copier may have edited the page since.
        operator: person who makes the pack, named on the first sheet of the report.

    Raises:
        NotFoundError: a document does not exist, or the two have nothing in common.
        UsageError: the library keeps no texts, the time zone is unknown, or the path is occupied.
        ResourceError: the file cannot be written.

    Cost: three comparisons, about 0.5 s per page of PDF, and memory for the whole pack.
    """
    target = Path(to)
    demand_free(target, _PACK, ())
    clock, chosen_time = _Clock(zone), time_of(at, "at")
    made_at = chosen_time or datetime.now(UTC)
    with lent(library) as opened:
        documents = {side: _document(opened, name) for side, name in zip(SIDES, (id, other), strict=True)}
        case = opened.cases.of(id, other)
        compared, compared_number = compared_revision(opened, id, other, case, revision)
        latest = documents["copy"]
        documents["copy"] = opened.get(id, revision=compared_number) or latest
        snapshots = {side: _first_and_last(opened.pages.of(document.id)) for side, document in documents.items()}
        of_case = {page.number: page for page in pages_of_case(opened, case, opened.pages.of(id))}
        snapshots["copy"] = sorted(
            {**{page.number: page for page in snapshots["copy"]}, **of_case}.values(), key=_number
        )
        sheet = evidence_sheet(opened, documents["copy"], documents["original"], case, made_at, clock.zone, operator)
        members, absent = _report(compared, sheet, language or spoken(), pdf=pdf)
        if latest.text != documents["copy"].text:
            members["copy/latest.txt"] = latest.text.encode("utf-8", "surrogatepass")
        absent += [f"{side}/page" for side in SIDES if not snapshots[side]]
        members |= _data_of_library(opened, documents, snapshots, clock)
        members["comparison.json"] = json_bytes(_passages(compared))
        members["read-me.txt"] = _read_me(language or spoken()).encode()
        events: list[int] = []
        if case is not None:
            case_files, events = case_members(opened, case, clock.times)
            members |= case_files
        facts = {
            "match": {"id": id, "other": other},
            "made_at": clock.times(made_at),
            "absent": sorted(absent),
            "outside": [LEDGER, QUERY],
            "versions": versions().to_dict(),
        }
        members[MANIFEST] = manifest_of(members, facts)
        digest = sha256(members[MANIFEST]).hexdigest()
        entry = _ledger_entry(opened, digest, is_new=chosen_time is None)
        numbers = sorted({page.number for some in snapshots.values() for page in some} | {entry.number, *events})
        members[LEDGER] = json_bytes([_entry(opened, number) for number in numbers])
    members[QUERY] = request(digest)
    content = packed(members)
    write_whole(target, content)
    return PackedEvidence(
        fspath(to), id, other, len(members), len(content), digest, entry.number, entry.chain, tuple(sorted(absent))
    )


def _document(library: Library, id: str) -> Document:
    document = library.get(id)
    if document is None:
        raise NotFoundError(say("document {id!r} not found", id=id), hint=say("list them with `whorl library list`"))
    demand_texts(library)
    return document


def _first_and_last(pages: Iterable[PageSnapshot]) -> list[PageSnapshot]:
    """Return the first and the last successful fetch of each address, or one if their contents are equal.

    A page that was read from a file has status 0.
    """
    of_each: dict[str, list[PageSnapshot]] = {}
    for page in pages:
        if page.bytes and (page.status == 0 or 200 <= page.status < 300):
            of_each.setdefault(page.url, []).append(page)
    ends = [
        (snapshots[0], *(page for page in snapshots[-1:] if page.digest != snapshots[0].digest))
        for snapshots in of_each.values()
    ]
    return sorted((page for both in ends for page in both), key=lambda page: page.number)


def _number(page: PageSnapshot) -> int:
    return page.number


def _report(
    compared: Compared, sheet: EvidenceSheet, language: Language, *, pdf: bool
) -> tuple[dict[str, bytes], list[str]]:
    """Return the report as HTML and PDF, and the names of missing formats."""
    at = sheet.made_at
    members = {"report.html": compared.report(at=at, language=language, sheet=sheet).encode()}
    if not pdf:
        return members, ["report.pdf"]
    try:
        members["report.pdf"] = as_pdf(compared.report(at=at, language=language, paper=True, sheet=sheet))
    except (UsageError, ResourceError):
        return members, ["report.pdf"]
    return members, []


def _data_of_library(
    library: Library, documents: Mapping[str, Document], pages: Mapping[str, Sequence[PageSnapshot]], clock: _Clock
) -> dict[str, bytes]:
    """Return the data of the library about the two documents and their match."""
    members: dict[str, bytes] = {}
    for side, document in documents.items():
        members |= _of_document(library, side, document, clock)
        members |= _of_pages(library, side, pages[side], clock)
    id, other = (documents[side].id for side in SIDES)
    decisions = [decision.to_dict() | {"time": clock.times(decision.at)} for decision in library.reviews.of(id, other)]
    members["match.json"] = json_bytes(_match(library, id, other))
    members["fetches.json"] = json_bytes(_fetches(library, documents.values(), clock))
    members["decisions.json"] = json_bytes(decisions)
    return members


def _of_document(library: Library, side: str, document: Document, clock: _Clock) -> dict[str, bytes]:
    data = document.to_dict() | {"iscc": text_code(document.text, ISCC_BITS)}
    del data["text"]
    sightings = [{"url": sighting.url, "at": clock.times(sighting.at)} for sighting in library.sightings(document.id)]
    times = {
        name: at and clock.times(at) for name in ("published_at", "first_seen_at") for at in [getattr(document, name)]
    }
    attestations = [
        attestation.to_dict() | {"at": clock.times(attestation.at)}
        for attestation in library.attestations.of(document.id)
    ]
    return {
        f"{side}/document.json": json_bytes({**data, **times, "sightings": sightings, "attestations": attestations}),
        f"{side}/text.txt": document.text.encode("utf-8", "surrogatepass"),
    }


def _of_pages(library: Library, side: str, pages: Iterable[PageSnapshot], clock: _Clock) -> dict[str, bytes]:
    """Return the pages as received, with names that no program opens by accident."""
    members = {}
    for page in pages:
        members[f"{side}/page-{page.number}.json"] = json_bytes(_page_data(page, clock))
        members[f"{side}/page-{page.number}.body"] = library.pages.body(page.digest)
    return members


def _page_data(page: PageSnapshot, clock: _Clock) -> dict[str, Any]:
    return page.to_dict() | {"fetched_at": clock.times(page.fetched_at)}


def _passages(compared: Compared) -> dict[str, Any]:
    """Return the passages, each with the text of both documents."""
    data, (original,) = compared.to_dict(), compared.sources
    for passage_data, passage in zip(data["passages"], compared.result.passages, strict=True):
        passage_data["original"] = original.text[passage.a_start : passage.a_end]
        passage_data["copy"] = compared.text.text[passage.b_start : passage.b_end]
    return data


def _match(library: Library, id: str, other: str) -> dict[str, Any] | None:
    """Return the match in the library; None if it is not listed because other matches are stronger."""
    match = next((match for match in library.matches(id) if match.id == other), None)
    return None if match is None else match.to_dict()


def _fetches(library: Library, documents: Iterable[Document], clock: _Clock) -> list[dict[str, Any]]:
    """Return every fetch of the addresses of the documents, and every fetch that a document was made from."""
    fetched: dict[int, PageSnapshot] = {}
    for document in documents:
        pages = library.pages.of(document.id)
        urls = {page.url for page in pages} | {document.url or ""} - {""}
        for url in urls:
            pages += library.pages.at(url)
        fetched |= {page.number: page for page in pages}
    return [_page_data(page, clock) for _, page in sorted(fetched.items())]


def _ledger_entry(library: Library, digest: str, *, is_new: bool) -> LedgerEntry:
    """Return the ledger entry of a manifest, reusing an existing one of an equal manifest."""
    if not is_new:
        for entry in library.ledger:
            if (entry.kind, entry.digest) == (LEDGER_KIND, digest):
                return entry
    return library.ledger.note(kind=LEDGER_KIND, digest=digest)


def _entry(library: Library, number: int) -> dict[str, Any]:
    """Return an entry of the ledger, with the chain value of the previous one."""
    entry, before = library.ledger.get(number), library.ledger.get(number - 1)
    if entry is None:
        raise NotFoundError(
            say("the ledger has no entry {number:,}", number=number), hint=say("see `whorl library verify`")
        )
    return entry.to_dict() | {"previous": before.chain if before else FIRST}


def _read_me(language: Language) -> str:
    lines = [
        say("Evidence of a copy, made by whorl."),
        say("copy/ and original/ contain the articles: text.txt, all known data, and the pages as fetched."),
        say("A .body file is the server's response. Do not open it in a browser: it may run scripts."),
        say("A page with status 0 was read from a file: its sender is unknown, and its time is that of the file."),
        say("case.json has the case: every event and request for the page, each with its number in the ledger."),
        say("report.html and report.pdf show the passages side by side; comparison.json contains them as data."),
        say("manifest.json lists the SHA-256 of each file; ledger.json contains the entries of the library's ledger."),
        say("To verify that the pack is unaltered: whorl evidence verify PACK --library LIBRARY"),
        say("To time-stamp it, send manifest.tsq to an authority, and keep the response next to the pack:"),
        "  curl -H 'Content-Type: application/timestamp-query' --data-binary @manifest.tsq URL > PACK.tsr",
    ]
    return "\n".join(str(translated(line, language)) for line in lines) + "\n"


__all__ = ["LEDGER", "LEDGER_KIND", "QUERY", "SIDES", "PackedEvidence", "pack_evidence"]
