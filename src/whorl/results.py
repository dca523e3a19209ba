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
from whorl.library.leaves import Leave, Leaves
from whorl.library.ledger import Ledger, Noted
from whorl.library.model import (
    Checkup,
    Cluster,
    ClusterSize,
    DocumentEntry,
    DocumentPage,
    Filled,
    Match,
    Report,
    Review,
    Sighting,
    Traced,
)
from whorl.library.outbox import Alert, Outbox
from whorl.library.pages import KnownPage, Pages, PageSnapshot
from whorl.library.proofs import Proof, Proofs
from whorl.library.queueing import KeptMatch, ShownMatch
from whorl.library.reprinting import Reprinting
from whorl.library.reviews import Decision, Reviews
from whorl.library.rules import Rules
from whorl.library.sites import Site, Sites
from whorl.matching.attribute import Attributed, Attribution, Origin, Reason
from whorl.matching.candidates import Found, Known
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
    "AddRun",
    "AddedLine",
    "Alert",
    "AlertRule",
    "AlertsTold",
    "Article",
    "ArticleFigures",
    "Attributed",
    "Attribution",
    "ChangedDocument",
    "Changes",
    "CheckRun",
    "CheckedEvidence",
    "Checkup",
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
    "Filled",
    "Finding",
    "Fingerprints",
    "Fitted",
    "Flag",
    "Found",
    "FrameResult",
    "Hot",
    "HotArticle",
    "HotCluster",
    "HotClusters",
    "IdfSummary",
    "Job",
    "JobState",
    "Judgement",
    "KeptArticle",
    "KeptMatch",
    "KeyAnswer",
    "KeyAnswers",
    "Known",
    "KnownPage",
    "Language",
    "Leave",
    "Leaves",
    "Ledger",
    "LibraryArticle",
    "LibraryCandidates",
    "LibraryChanges",
    "Match",
    "Method",
    "MethodPage",
    "Noted",
    "Origin",
    "Outbox",
    "PackedEvidence",
    "PageSnapshot",
    "Pages",
    "Pair",
    "Pairs",
    "Part",
    "Passage",
    "Proof",
    "Proofs",
    "Ratios",
    "Reason",
    "Recheck",
    "Recommendation",
    "RemovedArticle",
    "Report",
    "Reprinting",
    "Review",
    "ReviewBand",
    "ReviewQueue",
    "ReviewVote",
    "Reviews",
    "Rules",
    "Ruling",
    "SampleResult",
    "SampleScore",
    "SegmentedFiles",
    "ShardDone",
    "ShownMatch",
    "Side",
    "Sighting",
    "Site",
    "SiteDates",
    "SiteFigures",
    "Sites",
    "Snapshot",
    "Statistics",
    "Tally",
    "Titled",
    "Trace",
    "Traced",
    "TrainedTable",
    "Verdict",
    "Verification",
    "WaitingMatch",
    "WatchRun",
    "Weights",
    "Word",
]
