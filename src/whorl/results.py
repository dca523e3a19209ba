"""All result types of whorl, for annotations and ``isinstance``; all of them are immutable.

Common types, such as ``Comparison`` and ``DedupResult``, are also in ``whorl`` itself. Importing this module imports
all of whorl.
"""

from __future__ import annotations

from whorl.engines.hot import Hot, HotArticle
from whorl.engines.idf import IdfSummary
from whorl.engines.memory.dedup import DedupResult
from whorl.engines.spark.frames import FrameResult
from whorl.fingerprints import Family, Fingerprints, Verdict
from whorl.indexes.hamming import CodeAnswer, CodeAnswers, Pairs
from whorl.indexes.inverted import KeyAnswer, KeyAnswers
from whorl.indexes.segmented import Snapshot
from whorl.language import Language
from whorl.library.candidates import LibraryCandidates
from whorl.library.changed import ChangedDocument, LibraryChanges
from whorl.library.dating import SiteDates
from whorl.library.leaves import Permission, Permissions
from whorl.library.ledger import Ledger, LedgerEntry
from whorl.library.model import (
    AddCounts,
    Cluster,
    ClusterSize,
    DocumentEntry,
    DocumentPage,
    IntegrityReport,
    Match,
    Report,
    Review,
    Sighting,
    TraceStep,
)
from whorl.library.outbox import Alert, Outbox
from whorl.library.pages import KnownPage, Pages, PageSnapshot
from whorl.library.proofs import Attestation, Attestations
from whorl.library.queueing import ReviewMatch, StoredMatch
from whorl.library.reprinting import ReprintStats
from whorl.library.reviews import Decision, Reviews
from whorl.library.rules import Rules
from whorl.library.sites import Site, Sites
from whorl.matching.attribute import Attributed, Attribution, Origin, Reason
from whorl.matching.candidates import CandidateRecords, CandidateRows
from whorl.matching.fields import Fields, Judgement
from whorl.matching.relation import Ruling
from whorl.matching.verify import Explanation, Figure, Verification
from whorl.matching.weights import Weights
from whorl.model import Changes, Comparison, Composition, Exclusion, Facts, Flag, Passage, Ratios
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.rules import AlertRule
from whorl.monitor.alerts.telling import AlertsTold
from whorl.monitor.figures import ArticleFigures, DayFigures, SiteFigures, Tally, WatchRun
from whorl.monitor.records import Finding, Recheck
from whorl.reports.comparison import Article, Collection
from whorl.reports.evidence import KeptArticle, Pair, RemovedArticle, Side
from whorl.service.state.jobs import Job, JobState
from whorl.tasks.add import AddRun, CheckRun
from whorl.tasks.attribution import Fitted, Trace
from whorl.tasks.compare import Compared
from whorl.tasks.dedup import DedupRun
from whorl.tasks.evaluation import Evaluation, Recommendation
from whorl.tasks.evidence import PackedEvidence
from whorl.tasks.evidence_checks import CheckedEvidence
from whorl.tasks.explain import ExplanationSet, Part
from whorl.tasks.hot import HotCluster, HotClusters, Titled
from whorl.tasks.lines import AddedLine
from whorl.tasks.methods import Method, MethodPage
from whorl.tasks.review import ReviewBand, ReviewQueue, ReviewVote, WaitingMatch
from whorl.tasks.sample import SampleResult, SampleScore
from whorl.tasks.shards import ShardDone
from whorl.tasks.show import LibraryArticle
from whorl.tasks.statistics import Statistics
from whorl.tasks.words import SegmentedFiles, TrainedTable
from whorl.text.words import Word

__all__ = [
    "AddCounts",
    "AddRun",
    "AddedLine",
    "Alert",
    "AlertRule",
    "AlertsTold",
    "Article",
    "ArticleFigures",
    "Attestation",
    "Attestations",
    "Attributed",
    "Attribution",
    "CandidateRecords",
    "CandidateRows",
    "ChangedDocument",
    "Changes",
    "CheckRun",
    "CheckedEvidence",
    "Cluster",
    "ClusterSize",
    "CodeAnswer",
    "CodeAnswers",
    "Collection",
    "Compared",
    "Comparison",
    "Composition",
    "CopyFound",
    "DayFigures",
    "Decision",
    "DedupResult",
    "DedupRun",
    "DocumentEntry",
    "DocumentPage",
    "Evaluation",
    "Exclusion",
    "Explanation",
    "ExplanationSet",
    "Facts",
    "Family",
    "Fields",
    "Figure",
    "Finding",
    "Fingerprints",
    "Fitted",
    "Flag",
    "FrameResult",
    "Hot",
    "HotArticle",
    "HotCluster",
    "HotClusters",
    "IdfSummary",
    "IntegrityReport",
    "Job",
    "JobState",
    "Judgement",
    "KeptArticle",
    "KeyAnswer",
    "KeyAnswers",
    "KnownPage",
    "Language",
    "Ledger",
    "LedgerEntry",
    "LibraryArticle",
    "LibraryCandidates",
    "LibraryChanges",
    "Match",
    "Method",
    "MethodPage",
    "Origin",
    "Outbox",
    "PackedEvidence",
    "PageSnapshot",
    "Pages",
    "Pair",
    "Pairs",
    "Part",
    "Passage",
    "Permission",
    "Permissions",
    "Ratios",
    "Reason",
    "Recheck",
    "Recommendation",
    "RemovedArticle",
    "Report",
    "ReprintStats",
    "Review",
    "ReviewBand",
    "ReviewMatch",
    "ReviewQueue",
    "ReviewVote",
    "Reviews",
    "Rules",
    "Ruling",
    "SampleResult",
    "SampleScore",
    "SegmentedFiles",
    "ShardDone",
    "Side",
    "Sighting",
    "Site",
    "SiteDates",
    "SiteFigures",
    "Sites",
    "Snapshot",
    "Statistics",
    "StoredMatch",
    "Tally",
    "Titled",
    "Trace",
    "TraceStep",
    "TrainedTable",
    "Verdict",
    "Verification",
    "WaitingMatch",
    "WatchRun",
    "Weights",
    "Word",
]
