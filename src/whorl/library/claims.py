"""Articles become protected or cease to be: what was learned as boilerplate belongs to them then, or does no longer.

Which articles are protected and what was learned decide, not which of these came first: what they share with others is
judged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from whorl.library.compilations import keep_pairs
from whorl.library.core import Core
from whorl.library.holders import holders, sharing
from whorl.library.notice_cache import is_common
from whorl.library.notices import counted, rejudge
from whorl.library.packing import unpacked
from whorl.library.placing import KNOWN, Placed
from whorl.library.repairing import missing
from whorl.matching.boilerplate import Notices
from whorl.matching.witness import PROTECTED
from whorl.stores import Reader, Writer
from whorl.stores.records import Entry

_BLOCK = 1000


class Moved(NamedTuple):
    """The texts of articles that became protected, and of those that are no longer."""

    came: Sequence[str] = ()
    left: Sequence[str] = ()


class Claimed(NamedTuple):
    """What belongs to protected articles now and did not before, or the other way round.

    Attributes:
        texts: of articles that have it.
        runs: itself.
    """

    texts: Sequence[str] = ()
    runs: Notices = Notices()


def moved_by(writer: Writer, placed: Sequence[Placed]) -> Moved:
    """Return what becomes of documents that are about to be kept."""
    came = [one for one in placed if _is_protected(one.entry) and not _stays(one)]
    left = [one.before for one in placed if one.before and _is_protected(one.before) and not _stays(one)]
    return Moved([one.document.text for one in came], protected_texts(writer, left))


def _stays(one: Placed) -> bool:
    return one.state == KNOWN and one.before is not None and _is_protected(one.before) == _is_protected(one.entry)


def _is_protected(entry: Entry) -> bool:
    return entry.collection in PROTECTED


def protected_texts(reader: Reader, entries: Iterable[Entry]) -> list[str]:
    """Return the texts of those of some documents that are protected."""
    protected = [entry.number for entry in entries if _is_protected(entry)]
    return list(unpacked(reader.texts(protected)).values()) if protected else []


def claim(core: Core, writer: Writer, moved: Moved) -> Claimed:
    """Count again in how many protected articles the boilerplate stands that some have; return what is others' now.

    Nothing is read where they have none of which that could change anything.
    """
    learned = core.notices.learned(writer)
    texts = [*_having(learned.claimable, moved.came), *_having(learned.claimed, moved.left)]
    if not texts:
        return Claimed()
    counts = holders(core, writer, texts, learned.runs)
    changed = {run: count for run, count in counts.items() if learned.holders(run) != count}
    for text, own in zip(texts, Notices.runs_in(texts), strict=True):
        writer.put_notices(counted([text], Notices(own & changed.keys()), changed))
    flipped = [run for run, count in changed.items() if is_common(learned.holders(run)) != is_common(count)]
    return Claimed(texts, Notices(flipped))


def judge_again(core: Core, writer: Writer, claimed: Claimed) -> None:
    """Judge again what all contents share that have what was claimed; their matches and clusters follow.

    Cost: that of adding them again.
    """
    if not claimed.runs:
        return
    sought = sharing(core, writer, claimed.texts)
    for start in range(0, len(sought), _BLOCK):
        texts = unpacked(writer.texts_of_contents(sought[start : start + _BLOCK]))
        stretches = claimed.runs.spans(list(texts.values()))
        having = [number for number, spans in zip(texts, stretches, strict=True) if spans]
        rejudge(core, writer, having)
        found = missing(core, writer, list(writer.contents(having).values()))
        keep_pairs(core, writer, found)


def collect(core: Core, ids: Iterable[str], collection: str) -> int:
    """Put documents into a collection in one transaction; return how many there are."""
    with core.turn, core.notices.learning(), core.store.writing() as writer:
        entries = list(writer.entries(dict.fromkeys(ids)).values())
        before = [entry for entry in entries if entry.collection != collection]
        after = [entry._replace(collection=collection) for entry in before]
        others = [entry for entry in before if _is_protected(entry) != (collection in PROTECTED)]
        if others:
            core.index.catch_up(writer)
        texts = list(unpacked(writer.texts(entry.number for entry in others)).values())
        moved = Moved(came=texts) if collection in PROTECTED else Moved(left=texts)
        writer.put_entries(after)
        judge_again(core, writer, claim(core, writer, moved))
    return len(entries)


def _having(notices: Notices, texts: Sequence[str]) -> list[str]:
    if not notices or not texts:
        return []
    return [text for text, spans in zip(texts, notices.spans(texts), strict=True) if spans]


__all__ = ["Claimed", "Moved", "claim", "collect", "judge_again", "moved_by", "protected_texts"]
