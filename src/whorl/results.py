"""All result types of whorl, for annotations and ``isinstance``; all of them are immutable.

Common types, such as ``Comparison`` and ``DedupResult``, are also in ``whorl`` itself. Importing this module imports
all of whorl.
"""

from __future__ import annotations

from whorl.attribution.weights import Weights
from whorl.engines.hot import Hot, HotArticle
from whorl.engines.idf import IdfSummary
from whorl.engines.memory.dedup import DedupResult
from whorl.engines.spark.frames import FrameResult
from whorl.fingerprints import Family, Fingerprints, Verdict
from whorl.i18n import Language
from whorl.indexes.hamming import CodeAnswer, CodeAnswers, Pairs
from whorl.indexes.inverted import KeyAnswer, KeyAnswers
from whorl.indexes.segmented import Snapshot
from whorl.inside.memory import StripResult
from whorl.library.cases.cases import CasePage, Cases
from whorl.library.ledger import Ledger, LedgerEntry
from whorl.library.provenance.accounts import Account, Accounts
from whorl.library.provenance.attestations import Attestation, Attestations
from whorl.library.provenance.changes import ChangedDocument, LibraryChanges
from whorl.library.provenance.dating import SiteDates
from whorl.library.provenance.pages import KnownPage, Pages, PageSnapshot
from whorl.library.provenance.reprints import ReprintStats
from whorl.library.provenance.sites import Site, Sites
from whorl.library.provenance.visits import SiteVisits, Visits
from whorl.library.reviews.copies import ArticleCopy
from whorl.library.reviews.outbox import Alert, Outbox
from whorl.library.reviews.permissions import Permission, Permissions
from whorl.library.reviews.queue import ReviewMatch, StoredMatch
from whorl.library.reviews.reviews import Decision, Reviews
from whorl.library.rules import Rules
from whorl.library.search.candidates import LibraryCandidates
from whorl.matching.candidates import CandidateRecords, CandidateRows
from whorl.matching.fields import Fields, Judgement
from whorl.matching.relation import Ruling
from whorl.matching.verify import Explanation, Figure, Verification
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.rules import AlertRule
from whorl.monitor.alerts.telling import AlertsTold
from whorl.monitor.findings.figures import ArticleFigures, DayFigures, SiteFigures, Tally, WatchRun
from whorl.monitor.findings.records import Finding, Recheck
from whorl.reports.comparison.summary import Article, Collection
from whorl.reports.evidence import KeptArticle, Pair, RemovedArticle, Side
from whorl.tasks.boilerplate import LearnedBoilerplate
from whorl.tasks.compare.explain import ExplanationSet, Part
from whorl.tasks.compare.run import Compared
from whorl.tasks.decontaminate.files import DecontaminationRun
from whorl.tasks.decontaminate.memory import Decontamination
from whorl.tasks.dedup.hot import HotCluster, HotClusters, Titled
from whorl.tasks.dedup.run import DedupRun
from whorl.tasks.dedup.show import LibraryArticle
from whorl.tasks.evaluation.run import Evaluation, Recommendation
from whorl.tasks.evaluation.sample import SampleResult, SampleScore
from whorl.tasks.evidence.checks import CheckedEvidence
from whorl.tasks.evidence.pack import PackedEvidence
from whorl.tasks.fingerprint import FingerprintFile
from whorl.tasks.library.add import AddRun, CheckRun
from whorl.tasks.library.attribution import Fitted
from whorl.tasks.library.statistics import Statistics
from whorl.tasks.methods import Method, MethodPage
from whorl.tasks.read import ReadResult, RejectedRow, SourceDocument
from whorl.tasks.review.run import ReviewBand, ReviewQueue, ReviewVote, WaitingMatch
from whorl.tasks.shards import ShardDone
from whorl.tasks.strip import StripRun
from whorl.tasks.words import SegmentedFiles, TrainedTable
from whorl.text.words import Word
from whorl.types.attribution import Attributed, Attribution, Origin, Reason, Trace
from whorl.types.cases import Case, CaseEvent
from whorl.types.cohort import Cohort, CohortForm, CohortPair, Examination, Manuscript, SectionShare
from whorl.types.comparison import Changes, Comparison, Composition, Exclusion, Facts, Flag, Passage, Ratios
from whorl.types.copies import CopyFigures, CopyRecord, CopyStatistics
from whorl.types.jobs import Job, JobState
from whorl.types.library import (
    AddCounts,
    AddedLine,
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
from whorl.types.pages import SeenPage
from whorl.types.reuse import Reuse, ReuseGraph
from whorl.types.scans import PageLine
from whorl.types.stories import AgencyCredit, Stories, Story
from whorl.types.times import PublicationTime, TimeBounds

__all__ = [
    "Account",
    "Accounts",
    "AddCounts",
    "AddRun",
    "AddedLine",
    "AgencyCredit",
    "Alert",
    "AlertRule",
    "AlertsTold",
    "Article",
    "ArticleCopy",
    "ArticleFigures",
    "Attestation",
    "Attestations",
    "Attributed",
    "Attribution",
    "CandidateRecords",
    "CandidateRows",
    "Case",
    "CaseEvent",
    "CasePage",
    "Cases",
    "ChangedDocument",
    "Changes",
    "CheckRun",
    "CheckedEvidence",
    "Cluster",
    "ClusterSize",
    "CodeAnswer",
    "CodeAnswers",
    "Cohort",
    "CohortForm",
    "CohortPair",
    "Collection",
    "Compared",
    "Comparison",
    "Composition",
    "CopyFigures",
    "CopyFound",
    "CopyRecord",
    "CopyStatistics",
    "DayFigures",
    "Decision",
    "Decontamination",
    "DecontaminationRun",
    "DedupResult",
    "DedupRun",
    "DocumentEntry",
    "DocumentPage",
    "Evaluation",
    "Examination",
    "Exclusion",
    "Explanation",
    "ExplanationSet",
    "Facts",
    "Family",
    "Fields",
    "Figure",
    "Finding",
    "FingerprintFile",
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
    "LearnedBoilerplate",
    "Ledger",
    "LedgerEntry",
    "LibraryArticle",
    "LibraryCandidates",
    "LibraryChanges",
    "Manuscript",
    "Match",
    "Method",
    "MethodPage",
    "Origin",
    "Outbox",
    "PackedEvidence",
    "PageLine",
    "PageSnapshot",
    "Pages",
    "Pair",
    "Pairs",
    "Part",
    "Passage",
    "Permission",
    "Permissions",
    "PublicationTime",
    "Ratios",
    "ReadResult",
    "Reason",
    "Recheck",
    "Recommendation",
    "RejectedRow",
    "RemovedArticle",
    "Report",
    "ReprintStats",
    "Reuse",
    "ReuseGraph",
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
    "SectionShare",
    "SeenPage",
    "SegmentedFiles",
    "ShardDone",
    "Side",
    "Sighting",
    "Site",
    "SiteDates",
    "SiteFigures",
    "SiteVisits",
    "Sites",
    "Snapshot",
    "SourceDocument",
    "Statistics",
    "StoredMatch",
    "Stories",
    "Story",
    "StripResult",
    "StripRun",
    "Tally",
    "TimeBounds",
    "Titled",
    "Trace",
    "TraceStep",
    "TrainedTable",
    "Verdict",
    "Verification",
    "Visits",
    "WaitingMatch",
    "WatchRun",
    "Weights",
    "Word",
]
