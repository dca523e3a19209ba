"""Transfer boilerplate when articles become protected or lose protection.

The set of protected articles and the learned boilerplate decide, not the order in which they arrived. Affected matches
are judged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from whorl.attribution.member_facts import PROTECTED
from whorl.library.boilerplate.boilerplate import counted, rejudge
from whorl.library.boilerplate.cache import is_common
from whorl.library.boilerplate.holders import holders, sharing
from whorl.library.core import Core
from whorl.library.ingest.placing import UNCHANGED, PlacedDocument
from whorl.library.maintenance.packing import unpacked
from whorl.library.maintenance.repair import missing
from whorl.library.search.compilations import keep_pairs
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader, Writer
from whorl.stores.records import Entry

_BLOCK = 1000


class ProtectionChange(NamedTuple):
    """Texts of articles that became protected, and of articles that lost protection."""

    gained: Sequence[str] = ()
    lost: Sequence[str] = ()


class ClaimedBoilerplate(NamedTuple):
    """Boilerplate that now belongs to protected articles, or no longer does.

    Attributes:
        texts: texts of articles that contain it.
        runs: the boilerplate.
    """

    texts: Sequence[str] = ()
    runs: Notices = Notices()


def moved_by(writer: Writer, placed: Sequence[PlacedDocument]) -> ProtectionChange:
    """Return the effect on protection of the documents about to be stored."""
    gained = [
        placed_document
        for placed_document in placed
        if _is_protected(placed_document.entry) and not _stays(placed_document)
    ]
    remaining = [
        placed_document.before
        for placed_document in placed
        if placed_document.before and _is_protected(placed_document.before) and not _stays(placed_document)
    ]
    return ProtectionChange(
        [placed_document.document.text for placed_document in gained], protected_texts(writer, remaining)
    )


def _stays(placed_document: PlacedDocument) -> bool:
    return (
        placed_document.state == UNCHANGED
        and placed_document.before is not None
        and _is_protected(placed_document.before) == _is_protected(placed_document.entry)
    )


def _is_protected(entry: Entry) -> bool:
    return entry.collection in PROTECTED


def protected_texts(reader: Reader, entries: Iterable[Entry]) -> list[str]:
    """Return the texts of those documents that are protected."""
    protected = [entry.number for entry in entries if _is_protected(entry)]
    return list(unpacked(reader.texts(protected)).values()) if protected else []


def claim(core: Core, writer: Writer, moved: ProtectionChange) -> ClaimedBoilerplate:
    """Recount the protected articles that contain each learned run of the texts; return the runs whose status changed.

    Reads nothing unless the texts contain a run whose status could change.
    """
    learned = core.notices.learned(writer)
    texts = [*_having(learned.claimable, moved.gained), *_having(learned.claimed, moved.lost)]
    if not texts:
        return ClaimedBoilerplate()
    counts = holders(core, writer, texts, learned.runs)
    changed = {run: count for run, count in counts.items() if learned.holders(run) != count}
    for text, runs in zip(texts, Notices.runs_in(texts), strict=True):
        writer.put_notices(counted([text], Notices(runs & changed.keys()), changed))
    flipped = [run for run, count in changed.items() if is_common(learned.holders(run)) != is_common(count)]
    return ClaimedBoilerplate(texts, Notices(flipped))


def judge_again(core: Core, writer: Writer, claimed: ClaimedBoilerplate) -> None:
    """Judge again all matches of contents with claimed boilerplate; update matches and clusters.

    Cost: that of adding the contents again.
    """
    if not claimed.runs:
        return
    sought = sharing(core, writer, claimed.texts)
    for start in range(0, len(sought), _BLOCK):
        texts = unpacked(writer.texts_of_contents(sought[start : start + _BLOCK]))
        stretches = claimed.runs.spans(list(texts.values()))
        having = [number for number, spans in zip(texts, stretches, strict=True) if spans]
        rejudge(core, writer, having)
        missed = missing(core, writer, list(writer.contents(having).values()))
        keep_pairs(core, writer, missed)


def collect(core: Core, ids: Iterable[str], collection: str) -> int:
    """Move documents into a collection in one transaction; return how many exist."""
    with core.turn, core.notices.learning(), core.store.writing() as writer:
        entries = list(writer.entries(dict.fromkeys(ids)).values())
        before = [entry for entry in entries if entry.collection != collection]
        after = [entry._replace(collection=collection) for entry in before]
        others = [entry for entry in before if _is_protected(entry) != (collection in PROTECTED)]
        if others:
            core.index.catch_up(writer)
        texts = list(unpacked(writer.texts(entry.number for entry in others)).values())
        moved = ProtectionChange(gained=texts) if collection in PROTECTED else ProtectionChange(lost=texts)
        writer.put_entries(after)
        judge_again(core, writer, claim(core, writer, moved))
    return len(entries)


def _having(notices: Notices, texts: Sequence[str]) -> list[str]:
    if not notices or not texts:
        return []
    return [text for text, spans in zip(texts, notices.spans(texts), strict=True) if spans]


__all__ = ["ClaimedBoilerplate", "ProtectionChange", "claim", "collect", "judge_again", "moved_by", "protected_texts"]
