"""Judge cases again after a permission, a site or a decision has changed.

The verdict of a case has three parts, which change independently: the text, a permission, and the decision of a person
(`whorl.types.cases.Case.verdict`). A permission is judged by the same rule as in a run of the watch. A decision is
recorded in the transaction that stores it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from whorl.library.cases.recording import NewEvent, append, case_from
from whorl.library.permission import JudgedPage, rights_of
from whorl.library.registers import Registers

if TYPE_CHECKING:
    from whorl.library.cases.cases import Cases
    from whorl.stores import Writer
    from whorl.stores.records import ReviewRecord
    from whorl.types.cases import Case
    from whorl.types.library import Document


_BLOCK = 1000


class CaseLibrary(Registers, Protocol):
    """Part of a library that cases are judged by.

    Attributes:
        cases: copies of protected articles.
    """

    cases: Cases

    def get_all(self, ids: Iterable[str], *, texts: bool = True) -> dict[str, Document]:
        """Return the documents that exist by id."""


def rejudge(library: CaseLibrary, domains: Iterable[str]) -> list[Case]:
    """Judge the permissions of all cases on some domains again; return the cases whose permission changed."""
    requested = set(domains)
    if not requested or not len(library.cases):
        return []
    return rejudge_cases(library, library.cases.under(requested))


def rejudge_cases(library: CaseLibrary, cases: Sequence[Case]) -> list[Case]:
    """Judge the permissions of cases again; return those whose permission changed."""
    return library.cases.rule(_permissions(library, cases))


def _permissions(library: CaseLibrary, cases: Sequence[Case]) -> Iterator[tuple[Case, str, dict[str, Any]]]:
    """Yield the permission of each case, with its basis; cases and their documents are read in blocks."""
    for start in range(0, len(cases), _BLOCK):
        block = cases[start : start + _BLOCK]
        documents = library.get_all({case.document for case in block}, texts=False)
        present = [case for case in block if case.document in documents]
        pages = [JudgedPage(documents[case.document], case.url, case.since) for case in present]
        for case, rights in zip(present, rights_of(library, pages), strict=True):
            permission = rights.basis
            basis = (
                {}
                if permission is None
                else {"domain": permission.domain, "path": permission.path, "note": permission.note}
            )
            yield case, rights.permission, basis


def record_decision(
    writer: Writer, pair: tuple[int, int], review: ReviewRecord | None, at: int, by: str, note: str
) -> None:
    """Record the decision in effect about two documents in their cases, within the transaction that stores it.

    Args:
        writer: the transaction.
        pair: numbers of the two documents.
        review: the decision in effect; None if no decision is in effect.
        at: when it was taken or taken back, in microseconds.
        by: person.
        note: reason.
    """
    ids = {entry.id for entry in writer.numbered(pair).values()}
    rows = [row for some in writer.cases_about(ids).values() for row in some if row.article in ids]
    cases = {row.number: case_from(row) for row in rows}
    state = "pending" if review is None else review.state
    data = {"state": state, "by": by, "note": note}
    events = [NewEvent(number, "decision", at, data) for number, case in cases.items() if case.decision != state]
    append(writer, events, cases)


__all__ = ["record_decision", "rejudge", "rejudge_cases"]
