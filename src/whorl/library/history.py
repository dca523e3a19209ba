"""What a library knows of a document besides what it is now: former texts, sightings, reviews; out of it and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from whorl.errors import InputError
from whorl.library.model import Document, microseconds, moment
from whorl.stores.records import Entry, Seen, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whorl.stores import Reader, Writer

COLUMN = "history"


class Review(NamedTuple):
    """What was decided about the match with another document, as a store has it."""

    other: str
    state: str
    by: str
    at: int
    note: str


class History(NamedTuple):
    """What is not told by a document itself. Times are microseconds since 1970.

    Attributes:
        revision: how often its text was new.
        former: revision, time of its end and text of what it said before.
        seen: address and time of each sighting after the first.
        reviews: of its matches.
    """

    revision: int
    former: tuple[tuple[int, int, str], ...]
    seen: tuple[tuple[str | None, int], ...]
    reviews: tuple[Review, ...]


@dataclass(frozen=True, slots=True)
class Exported(Document):
    """A document out of an export, which a library takes with its history if it does not know it.

    Attributes:
        history: what the library knew that it comes from.
    """

    history: History | None = None


def told(reader: Reader, entry: Entry) -> dict[str, Any]:
    """Return the history of a document as plain data for JSON; what there is none of is left out."""
    verdicts = reader.verdicts(entry.number)
    others = reader.numbered(verdicts)
    kinds: dict[str, list[dict[str, Any]]] = {
        "former": [
            {"revision": revision, "until": _shown(until), "text": text}
            for revision, until, text in reader.former(entry.number)
        ],
        "seen": [{"url": seen.url, "at": _shown(seen.at)} for seen in reader.seen(entry.number)],
        "reviews": [
            {"other": others[number].id, "state": one.state, "by": one.by, "at": _shown(one.at), "note": one.note}
            for number, one in sorted(verdicts.items())
            if number in others
        ],
    }
    return {name: rows for name, rows in kinds.items() if rows}


def understood(row: Mapping[str, Any]) -> History:
    """Return the history in a row of an export.

    Raises:
        InputError: it is not as ``told`` gives it.
    """
    kinds = row.get(COLUMN) or {}
    try:
        return History(
            int(row["revision"]),
            tuple((int(one["revision"]), _time(one["until"]), str(one["text"])) for one in kinds.get("former", ())),
            tuple((one["url"], _time(one["at"])) for one in kinds.get("seen", ())),
            tuple(
                Review(str(one["other"]), str(one["state"]), str(one["by"]), _time(one["at"]), str(one["note"]))
                for one in kinds.get("reviews", ())
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"the history of the document {row.get('id')!r:.60} cannot be read: {error}",
            cure="export the library again, or leave the column away",
        ) from error


def restore(writer: Writer, documents: Iterable[tuple[Document, int]], *, texts: bool) -> None:
    """Keep the histories of new documents, each given with its number; a review waits for the second of the two.

    Args:
        writer: of the transaction that adds them.
        documents: the new ones, those without a history among them.
        texts: whether the library keeps texts.
    """
    for document, number in documents:
        history = document.history if isinstance(document, Exported) else None
        if history is None:
            continue
        for revision, until, text in history.former if texts else ():
            writer.put_former(number, revision, until, text)
        writer.put_seen([Seen(number, url, at) for url, at in history.seen])
        others = writer.entries(review.other for review in history.reviews)
        for review in history.reviews:
            if review.other in others:
                low, high = sorted((number, others[review.other].number))
                writer.put_verdict(Verdict(low, high, review.state, review.by, review.at, review.note))


def _shown(time: int) -> str:
    return moment(time).isoformat()


def _time(shown: str) -> int:
    return microseconds(datetime.fromisoformat(shown))


__all__ = ["COLUMN", "Exported", "History", "restore", "told", "understood"]
