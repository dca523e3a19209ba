"""History of a document: former texts, sightings, reviews, attestations and cases, exported and restored."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from whorl._internal.frozen import frozen
from whorl.errors import InputError
from whorl.i18n import say
from whorl.library.maintenance.packing import pack_many, unpack_many
from whorl.stores.monitoring_records import AlertRecord, AttestationRecord
from whorl.stores.records import DecisionRecord, FormerText, ReviewRecord, SightingRecord
from whorl.types.cases import KINDS, CaseEvent, has_valid_details, state_of
from whorl.types.library import Document, microseconds, moment
from whorl.types.times import PRECISIONS, PublicationTime, publication_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whorl.stores import Reader, Writer

COLUMN = "history"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_LARGEST = 2**53
_LONGEST_PAYLOAD = 2**20


class StoredReview(NamedTuple):
    """A decision about the match with another document, as a store keeps it."""

    other: str
    state: str
    by: str
    at: int
    note: str
    undone_by: str | None
    undone_at: int | None


class StoredCase(NamedTuple):
    """A case, as an export has it.

    Attributes:
        number: its number in the exporting library.
        article: id of the protected article.
        url: address of the copy.
        events: its events, the oldest first.
        alerts: the alerts that its events name.
    """

    number: int
    article: str
    url: str
    events: tuple[CaseEvent, ...]
    alerts: tuple[AlertRecord, ...] = ()


class History(NamedTuple):
    """History of a document. Times are microseconds since 1970.

    Attributes:
        revision: number of its current text, from 1.
        former: revision, end time and text of each former text.
        sightings: address and time of each sighting after the first.
        reviews: all decisions about its matches, oldest first.
        attestations: its attestations, with 0 as the number of the document.
        cases: the cases that are exported with it.
    """

    revision: int
    former: tuple[tuple[int, int, str], ...]
    sightings: tuple[tuple[str | None, int], ...]
    reviews: tuple[StoredReview, ...]
    attestations: tuple[AttestationRecord, ...] = ()
    cases: tuple[StoredCase, ...] = ()


@frozen
class ExportedDocument(Document):
    """A document from an export, whose history is restored if the library does not have the document yet.

    Attributes:
        history: its history in the exporting library.
    """

    history: History | None = None


def exported_histories(reader: Reader, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the history of each document as plain data for JSON, without its cases and without empty fields."""
    sightings, attested = reader.sightings(numbers), reader.attestations(numbers)
    decided: dict[int, list[tuple[int, DecisionRecord]]] = {number: [] for number in numbers}
    for decision in reader.decisions_about(numbers):
        for number, other in ((decision.low, decision.high), (decision.high, decision.low)):
            if number in decided:
                decided[number].append((other, decision))
    others = reader.numbered({other for reviews in decided.values() for other, _ in reviews})
    former = texts_before(reader, numbers)
    histories: dict[int, dict[str, list[dict[str, Any]]]] = {
        number: {
            "former": [
                {"revision": record.revision, "until": _isoformat(record.until), "text": text}
                for record, text in former.get(number, ())
            ],
            "seen": [{"url": record.url, "at": _isoformat(record.at)} for record in sightings.get(number, ())],
            "reviews": [
                _review(others[other].id, record) for other, record in sorted(decided[number]) if other in others
            ],
            "attestations": [_attested(record) for record in attested.get(number, ())],
        }
        for number in numbers
    }
    return {number: {name: rows for name, rows in kinds.items() if rows} for number, kinds in histories.items()}


def texts_before(reader: Reader, numbers: Sequence[int]) -> dict[int, list[tuple[FormerText, str]]]:
    """Return the former revisions of documents, with their texts."""
    former = reader.former(numbers)
    texts = iter(unpack_many([record.body for records_of in former.values() for record in records_of]))
    return {number: [(record, next(texts)) for record in records_of] for number, records_of in former.items()}


def understood(row: Mapping[str, Any]) -> History:
    """Parse the history in a row of an export.

    Raises:
        InputError: the history is malformed.
    """
    kinds = row.get(COLUMN) or {}
    try:
        return History(
            int(row["revision"]),
            tuple((int(kind["revision"]), _time(kind["until"]), str(kind["text"])) for kind in kinds.get("former", ())),
            tuple((kind["url"], _time(kind["at"])) for kind in kinds.get("seen", ())),
            tuple(_reviewed(kind) for kind in kinds.get("reviews", ())),
            tuple(_attestation(kind) for kind in kinds.get("attestations", ())),
            tuple(_case(kind) for kind in kinds.get("cases", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            say("cannot read the history of the document {id!r:.60}: {error}", id=row.get("id"), error=error),
            hint=say("export the library again, or remove the column"),
        ) from error


def restore(writer: Writer, documents: Iterable[tuple[Document, int]], *, texts: bool) -> None:
    """Store the histories of new documents, each passed with its number; a review is stored with the second of its two.

    Cases are stored by `whorl.library.cases.transfer`.

    Args:
        writer: transaction that adds the documents.
        documents: the new documents, including those without a history.
        texts: whether the library keeps texts.
    """
    kept = [
        (number, document.history)
        for document, number in documents
        if isinstance(document, ExportedDocument) and document.history is not None
    ]
    if not kept:
        return
    if texts:
        former = [(number, *record) for number, history in kept for record in history.former]
        bodies = pack_many([text for _, _, _, text in former])
        writer.put_former([FormerText(*record[:3], body) for record, body in zip(former, bodies, strict=True)])
    writer.put_sightings([SightingRecord(number, url, at) for number, history in kept for url, at in history.sightings])
    attested = [record._replace(document=number) for number, history in kept for record in history.attestations]
    writer.put_attestations(list({record[:5]: record for record in attested}.values()))
    others = writer.entries({review.other for _, history in kept for review in history.reviews})
    histories = {
        _decision(number, others[review.other].number, review): None
        for number, history in kept
        for review in history.reviews
        if review.other in others
    }
    in_time = sorted(histories, key=lambda decision: decision.at)
    decisions = [record._replace(number=number) for number, record in enumerate(in_time, writer.next_decision())]
    writer.put_decisions(decisions)
    active = {record[1:3]: ReviewRecord(*record[1:7]) for record in decisions if record.undone_at is None}
    writer.put_verdicts(list(active.values()))


def _decision(low: int, other: int, review: StoredReview) -> DecisionRecord:
    """Return a decision about the match of two documents, without a number yet."""
    return DecisionRecord(0, min(low, other), max(low, other), *review[1:])


def _review(other: str, decision: DecisionRecord) -> dict[str, Any]:
    exported = {
        "other": other,
        "state": decision.state,
        "by": decision.by,
        "at": _isoformat(decision.at),
        "note": decision.note,
    }
    if decision.undone_at is None:
        return exported
    return exported | {"undone_by": decision.undone_by, "undone_at": _isoformat(decision.undone_at)}


def _reviewed(review: Mapping[str, Any]) -> StoredReview:
    undone = review.get("undone_at")
    return StoredReview(
        str(review["other"]),
        str(review["state"]),
        str(review["by"]),
        _time(review["at"]),
        str(review["note"]),
        None if undone is None else str(review["undone_by"]),
        None if undone is None else _time(undone),
    )


def _attested(record: AttestationRecord) -> dict[str, Any]:
    at = moment(record.at)
    time = PublicationTime.unpacked(at, record.at_as) if record.at_as else PublicationTime.instant(at)
    exported = {"kind": record.kind, "at": at.isoformat(), "precision": time.precision, "zone": time.zone}
    return {**exported, "original": time.original, "note": record.note, "by": record.by}


def _attestation(attested: Mapping[str, Any]) -> AttestationRecord:
    """Parse an attestation, without the number of its document."""
    at, precision, zone = datetime.fromisoformat(attested["at"]), str(attested["precision"]), str(attested["zone"])
    if precision not in PRECISIONS:
        raise ValueError(precision)
    time = publication_time(at, precision, zone, str(attested["original"]))
    kind, note, by = (_storable(str(attested[name])) for name in ("kind", "note", "by"))
    return AttestationRecord(0, kind, microseconds(time.at), note, by, _storable(time.packed))


def _case(exported: Mapping[str, Any]) -> StoredCase:
    """Parse a case; its events must lead to a state."""
    number = int(exported["number"])
    events = tuple(
        CaseEvent(int(event["number"]), number, str(event["kind"]), datetime.fromisoformat(event["at"]), event["data"])
        for event in exported["events"]
    )
    order = [event.number for event in events]
    if not events or events[0].kind != "found" or order != sorted(set(order)) or not 0 < number < _LARGEST:
        raise ValueError(number)
    for event in events:
        if event.kind not in KINDS or not has_valid_details(event):
            raise ValueError(event.number)
        _storable(json.dumps(event.data, ensure_ascii=False, allow_nan=False))
    case = state_of(events)
    if case is None:
        raise ValueError(number)
    for name in ("article", "url", "document", "site"):
        _storable(getattr(case, name))
    return StoredCase(number, case.article, case.url, events, tuple(map(_alert, exported.get("alerts", ()))))


def _alert(exported: Mapping[str, Any]) -> AlertRecord:
    """Parse an alert. One that was still waiting is not sent by this library, too."""
    number, state = int(exported["number"]), str(exported["state"])
    payload = json.dumps(dict(exported["payload"]), ensure_ascii=False, allow_nan=False)
    if not 0 < number < _LARGEST or state not in ("sent", "waiting", "dead") or len(payload) > _LONGEST_PAYLOAD:
        raise ValueError(number)
    error = say("it was not sent before the export") if state == "waiting" else str(exported.get("error", ""))
    return AlertRecord(
        number,
        _storable(str(exported["key"])),
        _storable(str(exported["rule"])),
        _storable(payload),
        microseconds(datetime.fromisoformat(exported["made_at"])),
        "dead" if state == "waiting" else state,
        int(exported.get("tries", 0)),
        None,
        _storable(str(error)),
    )


def _storable(text: str) -> str:
    """Return a text that every store can hold.

    Raises:
        ValueError: it contains NUL or an unpaired surrogate.
    """
    if _UNSTORABLE.search(text):
        raise ValueError(ascii(text[:60]))
    return text


def _isoformat(time: int) -> str:
    return moment(time).isoformat()


def _time(text: str) -> int:
    return microseconds(datetime.fromisoformat(text))


__all__ = [
    "COLUMN",
    "ExportedDocument",
    "History",
    "StoredCase",
    "exported_histories",
    "restore",
    "texts_before",
    "understood",
]
