"""Attestations of first publication, entered by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import InputError
from whorl.i18n import say
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_entry
from whorl.library.ingest.user_data import FieldReader, several
from whorl.library.provenance.times import publication_of
from whorl.library.provenance.zones import library_zone
from whorl.stores import monitoring_records
from whorl.types.comparison import Plain
from whorl.types.library import microseconds, moment
from whorl.types.times import PublicationTime, publication_time

_BLOCK = 1000


@frozen
class Attestation(Plain):
    """Evidence entered by hand that a document was published by some time.

    >>> import whorl
    >>> from whorl.results import Attestation
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"})
    ...     kept = library.attestations.put([Attestation("a", "server-log", "2026-03-05T08:00:00+08:00", by="editor")])
    ...     library.attestations.of("a")[0].at.isoformat()
    '2026-03-05T00:00:00+00:00'

    Attributes:
        document: id of the document.
        kind: kind of evidence, such as "server-log", "print" or "contract".
        at: attested time, at which the document had been published; a stored one is the start of its day, hour or
            minute, in UTC. A day shows that it had been published by the end of the day.
        note: description, and where the evidence is kept.
        by: person who entered it.
        at_precision: how precisely the time was written, as in a ``Document``; None derives it from ``at``.
        at_zone: zone of the time, as in a ``Document``; None derives it from ``at``, or is that of the library.
        at_original: how it was written; None if that was not recorded.
    """

    document: str
    kind: str
    at: datetime
    note: str = ""
    by: str = ""
    at_precision: str | None = None
    at_zone: str | None = None
    at_original: str | None = None

    @property
    def time(self) -> PublicationTime:
        """The attested time with its zone and precision."""
        return publication_time(self.at, self.at_precision, self.at_zone, self.at_original)


class Attestations:
    """Attestations of a library, ordered by document and time.

    >>> import whorl
    >>> with whorl.open("proven") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器。"})
    ...     count = library.attestations.put([{"document": "a", "kind": "server-log", "at": "2026-03-01"}])
    ...     [attestation.kind for attestation in library.attestations.of("a")]
    ['server-log']

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def __iter__(self) -> Iterator[Attestation]:
        with self._core.store.reading() as reader:
            rest = reader.all_attestations()
            while block := list(islice(rest, _BLOCK)):
                entries = reader.numbered({attestation.document for attestation in block})
                for attestation in block:
                    yield _from(attestation, entries[attestation.document].id)

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.kept()["attestations"]

    def of(self, id: str) -> list[Attestation]:
        """Return the attestations of a document, in chronological order.

        Raises:
            NotFoundError: the document does not exist.
        """
        with self._core.store.reading() as reader:
            number = demand_entry(reader, id).number
            return [_from(attestation, id) for attestation in reader.attestations([number]).get(number, ())]

    def put(self, attestations: Iterable[Attestation | Mapping[str, Any]]) -> int:
        """Store attestations, or mappings of their fields; return how many. Existing ones stay unchanged.

        Raises:
            InputError: one is invalid; then none is stored.
            NotFoundError: a document does not exist; then none is stored.
        """
        zone = library_zone(self._core)
        unique = dict.fromkeys(_attestation_of(attestation, zone) for attestation in several(attestations))
        with self._core.turn, self._core.store.writing() as writer:
            entries = writer.entries({attestation.document for attestation in unique})
            writer.put_attestations(
                [
                    monitoring_records.AttestationRecord(
                        (entries.get(attestation.document) or demand_entry(writer, attestation.document)).number,
                        attestation.kind,
                        microseconds(attestation.at),
                        attestation.note,
                        attestation.by,
                        attestation.time.packed,
                    )
                    for attestation in unique
                ]
            )
        return len(unique)


def _attestation_of(value: Any, zone: str) -> Attestation:
    fields = FieldReader(Attestation, value)
    time = publication_of(
        fields.get("at"),
        say("{name} of {kind}", name="at", kind="Attestation"),
        precision=fields.get("at_precision"),
        zone=fields.get("at_zone"),
        original=fields.get("at_original"),
    )
    if time is None:
        raise InputError(say("Attestation has no `at`"), hint=say("set the time that it attests"))
    texts = (fields.text("note"), fields.text("by"))
    return _attestation(fields.named("document"), fields.named("kind"), time.in_zone(zone) if zone else time, texts)


def _from(kept: monitoring_records.AttestationRecord, id_: str) -> Attestation:
    at = moment(kept.at)
    time = PublicationTime.unpacked(at, kept.at_as) if kept.at_as else PublicationTime.instant(at)
    return _attestation(id_, kept.kind, time, (kept.note, kept.by))


def _attestation(id_: str, kind: str, time: PublicationTime, texts: tuple[str, str]) -> Attestation:
    return Attestation(id_, kind, time.at, *texts, time.precision, time.zone, time.original or None)


__all__ = ["Attestation", "Attestations"]
