"""Inputs of which no row can be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whorl.corpus.rejects import no_documents
from whorl.engines.corpus import FileRecord
from whorl.errors import InputError
from whorl.i18n import Message, say, say_many


def describe_unread(inputs: Sequence[str], files: Sequence[FileRecord]) -> list[dict[str, Any]]:
    """Return the inputs whose rows are all unreadable, each with the reason of its first row."""
    unread = []
    for place, address in enumerate(inputs):
        records = [record for record in files if record.given == place]
        rejected = sum(record.rejected for record in records)
        if rejected and not any(record.documents for record in records):
            reason = next(record.fault or record.reason for record in records if record.rejected)
            unread.append({"input": address, "rows": rejected, "reason": reason})
    return unread


def demand_readable(unread: Iterable[Mapping[str, Any]], hint: Message | None = None) -> None:
    """Raise an error if an input has no readable row.

    Args:
        unread: inputs without a readable row, as ``describe_unread`` returns them.
        hint: what to do about the first one; None names the option that skips unreadable rows.

    Raises:
        InputError: there is such an input.
    """
    for first in unread:
        problem = say_many(
            "the only row of {input} could not be read: {reason}",
            "none of the {count:,} rows of {input} could be read; the first: {reason}",
            first["rows"],
            input=first["input"],
            reason=first["reason"],
        )
        raise InputError(problem, hint=hint or say("fix the input, or skip unreadable rows with `on_error=skip`"))


def demand_read(run: Mapping[str, Any], hint: Message | None = None) -> None:
    """Raise an error if an input of a run has no readable row, or if its inputs have no row at all.

    Args:
        run: the contents of a ``run.json``.
        hint: as for ``demand_readable``.

    Raises:
        InputError: as stated; the result of the run is complete nevertheless.
    """
    demand_readable(run.get("unread", ()), hint)
    if not run["counts"]["rows"]:
        raise no_documents()


__all__ = ["demand_read", "demand_readable", "describe_unread"]
