"""Attestations of first publication, entered by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from whorl.errors import InputError
from whorl.i18n import say
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_entry
from whorl.library.ingest.user_data import FieldReader, several
from whorl.stores import records
from whorl.types.comparison import Plain
from whorl.types.library import microseconds, moment

_BLOCK = 1000


@dataclass(frozen=True, slots=True)
class Attestation(Plain):
    """Evidence entered by hand that a document was published by some time.

    >>> import whorl
    >>> from whorl.results import Attestation
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"})
    ...     kept = library.proofs.put([Attestation("a", "server-log", "2026-03-05T08:00:00+08:00", by="editor")])
    ...     library.proofs.of("a")[0].at.isoformat()
    '2026-03-05T00:00:00+00:00'

    Attributes:
        document: id of the document.
        kind: kind of evidence, such as "server-log", "print" or "contract".
        at: attested time, at which the document had been published.
        note: description, and where the evidence is kept.
        by: person who entered it.
    """

    document: str
    kind: str
    at: datetime
    note: str = ""
    by: str = ""


class Attestations:
    """Attestations of a library, ordered by document and time.

    >>> import whorl
    >>> with whorl.open("proven") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器。"})
    ...     count = library.proofs.put([{"document": "a", "kind": "server-log", "at": "2026-03-01"}])
    ...     [proof.kind for proof in library.proofs.of("a")]
    ['server-log']

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def __iter__(self) -> Iterator[Attestation]:
        with self._core.store.reading() as reader:
            rest = reader.all_proofs()
            while block := list(islice(rest, _BLOCK)):
                entries = reader.numbered({proof.document for proof in block})
                for proof in block:
                    yield _from(proof, entries[proof.document].id)

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.kept()["proofs"]

    def of(self, id: str) -> list[Attestation]:
        """Return the attestations of a document, in chronological order.

        Raises:
            NotFoundError: the document does not exist.
        """
        with self._core.store.reading() as reader:
            number = demand_entry(reader, id).number
            return [_from(proof, id) for proof in reader.proofs([number]).get(number, ())]

    def put(self, proofs: Iterable[Attestation | Mapping[str, Any]]) -> int:
        """Store attestations, or mappings of their fields; return how many. Existing ones stay unchanged.

        Raises:
            InputError: one is invalid; then none is stored.
            NotFoundError: a document does not exist; then none is stored.
        """
        attestations = dict.fromkeys(map(_proof_of, several(proofs)))
        with self._core.turn, self._core.store.writing() as writer:
            entries = writer.entries({proof.document for proof in attestations})
            writer.put_proofs(
                [
                    records.AttestationRecord(
                        (entries.get(proof.document) or demand_entry(writer, proof.document)).number,
                        proof.kind,
                        microseconds(proof.at),
                        proof.note,
                        proof.by,
                    )
                    for proof in attestations
                ]
            )
        return len(attestations)


def _proof_of(value: Any) -> Attestation:
    fields = FieldReader(Attestation, value)
    at = fields.time("at")
    if at is None:
        raise InputError(say("Attestation has no `at`"), hint=say("set the time that it attests"))
    return Attestation(fields.named("document"), fields.named("kind"), at, fields.text("note"), fields.text("by"))


def _from(kept: records.AttestationRecord, id_: str) -> Attestation:
    return Attestation(id_, kept.kind, moment(kept.at), kept.note, kept.by)


__all__ = ["Attestation", "Attestations"]
