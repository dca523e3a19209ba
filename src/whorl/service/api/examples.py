"""Example responses for the API description, from an invented newsroom."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic_core import to_jsonable_python

from whorl.i18n import say
from whorl.library.ledger import LedgerEntry
from whorl.library.reviews.outbox import Alert
from whorl.monitor.findings.figures import ArticleFigures, DayFigures, SiteFigures, Tally
from whorl.monitor.findings.records import Finding, Recheck
from whorl.monitor.findings.watched import RunTimes, WatchLog
from whorl.tasks.compare.pairs import SideBySide
from whorl.tasks.dedup.hot import HotCluster, HotClusters, Titled
from whorl.tasks.evidence.checks import CheckedEvidence
from whorl.tasks.library.statistics import ReprintStats, Statistics
from whorl.tasks.review.run import Decision, ReviewBand, ReviewHistory, ReviewVote, WaitingMatch
from whorl.types.attribution import Attributed, Attribution, Reason, Trace
from whorl.types.comparison import Changes, Comparison, Facts, Passage, Ratios
from whorl.types.copies import CopyFigures, CopyRecord, CopyStatistics
from whorl.types.library import Document, Match, Report, Review, TraceStep

ORIGINAL, COPY = "https://paper.example/ice", "https://copies.example/7"
EARLIER, AT, LATER = (datetime(2026, 3, day, 8, tzinfo=UTC) for day in (4, 5, 6))
_TITLE, _TEXT = "渔港添了两台制冰机", "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"

REVIEW = Review("confirmed", "mei", LATER, "the quotation is ours")
_ARTICLE = Document(ORIGINAL, _TEXT, _TITLE, ORIGINAL, first_seen_at=EARLIER, collection="protected")
_COPIED = Document(COPY, f"据悉，{_TEXT}", _TITLE, COPY, first_seen_at=AT, collection="watched")
_PASSAGE = Passage(0, 26, 3, 29, 1.0, "verbatim", False, 24, 0, 0, 0, 0, 0, 0)
_CHANGES = Changes(None, False, 0, 0, 0, 0, 0, 0, 2, 0)
_MATCH = Match(
    ORIGINAL, _TITLE, 0.91, 0.91, 1.0, "near_duplicate", None, _CHANGES, (_PASSAGE,), True, REVIEW, "library"
)  # fmt: skip
_COMPARISON = Comparison(
    0.91, 1.0, 0.91, (_PASSAGE,), "near_duplicate", None, 0.8, (1.0, 0.92), (0.0, 0.0), Facts(0, 0, 0), True,
    Ratios(0.92, 0.0, 0.92, 0.92, 0.92, 0.0), _CHANGES, (), (), None,
)  # fmt: skip
_VOTE = ReviewVote("mei", "confirmed", LATER, REVIEW.note)
_REASON = Reason("author", say("names its author: {author}", author="王小渡"), 1.1)
_TALLY = Tally(copies=2, reprints=1)
_PAPER = ReprintStats("paper.example", articles=5, exact=0, near=0, copied=8, copying=0)
_COPIES = ReprintStats("copies.example", articles=10, exact=1, near=8, copied=0, copying=9)

REPORT = Report(COPY, "known", 1, 17, (_MATCH,), 0, 0, 0)
PAIR = SideBySide(_COPIED, _ARTICLE, _COMPARISON.describe("en"), _COMPARISON, REVIEW)
TRACE = Trace(
    17,
    Attribution(
        (
            Attributed(
                ORIGINAL, 0.97, "original", (Reason("author", say("names its author: {name}", name="王小渡"), 1.1),)
            ),
            Attributed(COPY, 0.02, "copy", ()),
        ),
        (ORIGINAL,),
        elsewhere=0.01,
        confidence=0.8,
    ),
    (TraceStep(_ARTICLE, EARLIER, None), TraceStep(_COPIED, AT, _MATCH)),
)
HOT = HotClusters(91, 14, (HotCluster(17, (Titled(ORIGINAL, _TITLE), Titled(COPY, _TITLE)), 2),))
STATISTICS = Statistics("site", 91, 5, 49, 12, (_COPIES, _PAPER), (_PAPER,), (_COPIES,))
_COPY_FIGURES = CopyFigures(
    "copies.example", "", "", articles=8, registered=30, copies=8, addresses=9, characters=6150,
    relations={"exact": 5, "excerpt": 3}, unpermitted=7, permitted=0, syndicated=0, undetermined=1, confirmed=2,
    removed=3, median_days=4.5,
)  # fmt: skip
_COPY_RECORD = CopyRecord(
    ORIGINAL, _TITLE, "王小渡", "", "copies.example", (COPY,), "exact", 1.0, 26, "copy", is_confirmed=True,
    found_at=AT, removed_at=LATER,
)  # fmt: skip
COPY_STATISTICS = CopyStatistics(
    "protected", "site", None, "UTC", None, None, LATER, replace(_COPY_FIGURES, name=""), (_COPY_FIGURES,),
    (_COPY_RECORD,),
)  # fmt: skip
WAITING = WaitingMatch(
    COPY, ORIGINAL, _TITLE, _TITLE, COPY, ORIGINAL, "", "protected", 1.0, 0.92, 26, "near_duplicate", True, False, 26.0,
    0.9, 14, Review(), (), AT,
)  # fmt: skip
BAND = ReviewBand(0.8, 1.0, 13, 1, 0.9, (0.69, 0.99))
HISTORY = ReviewHistory(
    REVIEW, (_VOTE,), (Decision(ORIGINAL, COPY, "confirmed", "mei", LATER, REVIEW.note, None, None, 1),)
)
WATCHED = WatchLog(
    (RunTimes(4, AT, LATER),),
    _TALLY,
    (SiteFigures("copies.example", 50, 48, 2, {"robots": 1}, _TALLY),),
    (ArticleFigures(ORIGINAL, _TITLE, _TALLY),),
    (DayFigures("2026-03-05", _TALLY),),
    queued=0,
)
FINDING = Finding(COPY, ORIGINAL, COPY, "copies.example", "near_duplicate", "copy", 1.0, 0.91, 26, AT, AT, 4)
RECHECK = Recheck(COPY, LATER, 410, "gone")
ALERT = Alert("desk", {"channel": "desk"}, f"desk\n{COPY}", 12, AT, "dead", 8, None, "HTTP 500")
LEDGER_ENTRY = LedgerEntry(41, LATER, "evidence", "ab" * 32, "cd" * 32)
CHECKED = CheckedEvidence(
    True, COPY, ORIGINAL, 12, "ab" * 32, None, (), (), (say("who wrote first: both may be copied from a third"),)
)

Id = Annotated[str, Query(description="Id of an article.", examples=[COPY])]
Other = Annotated[str, Query(description="Id of another article.", examples=[ORIGINAL])]


def example_response(example: Any) -> dict[int | str, dict[str, Any]]:
    """Return an OpenAPI response with an example."""
    return {200: {"content": {"application/json": {"example": to_jsonable_python(example)}}}}


def page(*items: Any, more: str | None = None) -> dict[int | str, dict[str, Any]]:
    """Return an OpenAPI response with an example page of items."""
    return example_response({"items": items, "next": more})
