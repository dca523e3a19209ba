"""whorl finds duplicate, near-duplicate and copied text; built for Chinese, works in any language.

>>> import whorl
>>> result = whorl.dedup(["今天天气很好，适合出门。", "今天天气很好,适合出门!", "明天有雨。"])
>>> result.run["counts"]["kept"]
2
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whorl.client import AsyncClient, Client
    from whorl.engines.memory.dedup import DedupResult, dedup
    from whorl.errors import InputError, IsolationError, NotFoundError, ResourceError, UsageError, WhorlError
    from whorl.i18n import speak
    from whorl.indexes.hamming import HammingIndex
    from whorl.indexes.inverted import KeyIndex
    from whorl.inside.memory import StripResult, strip
    from whorl.library import Library, open
    from whorl.matching.boilerplate import learn_boilerplate
    from whorl.matching.compare import compare, compare_many, compare_sources
    from whorl.matching.verify import Explanation
    from whorl.monitor.alerts.telling import alert
    from whorl.monitor.copy_statistics import copy_statistics
    from whorl.monitor.watching import watch
    from whorl.recipe import Recipe
    from whorl.reports.comparison.page import render_comparison
    from whorl.tasks.cohort.run import cohort
    from whorl.tasks.compare.explain import explain, explain_files
    from whorl.tasks.compare.run import compare_against, compare_files
    from whorl.tasks.decontaminate import decontaminate, decontaminate_files
    from whorl.tasks.dedup.hot import hot
    from whorl.tasks.dedup.run import dedup_files
    from whorl.tasks.dedup.shards import dedup_shard
    from whorl.tasks.dedup.show import show
    from whorl.tasks.evaluation.run import evaluate, recommend
    from whorl.tasks.evaluation.sample import sample, score
    from whorl.tasks.evidence.checks import verify_evidence
    from whorl.tasks.evidence.pack import pack_evidence
    from whorl.tasks.fingerprint import fingerprint, fingerprint_files
    from whorl.tasks.library.add import add_files, check_files
    from whorl.tasks.library.attribution import fit_attribution, trace
    from whorl.tasks.library.statistics import statistics
    from whorl.tasks.methods import describe_method, methods
    from whorl.tasks.reuse.run import reuse, reuse_files
    from whorl.tasks.review.run import review_queue
    from whorl.tasks.strip import strip_files
    from whorl.tasks.words import segment_files, train_idf
    from whorl.text.words import segment
    from whorl.types.comparison import Comparison, Composition, Passage
    from whorl.types.library import Document

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())

_HOMES = {
    "AsyncClient": "whorl.client",
    "Client": "whorl.client",
    "Comparison": "whorl.types.comparison",
    "Composition": "whorl.types.comparison",
    "DedupResult": "whorl.engines.memory.dedup",
    "Document": "whorl.types.library",
    "Explanation": "whorl.matching.verify",
    "HammingIndex": "whorl.indexes.hamming",
    "InputError": "whorl.errors",
    "IsolationError": "whorl.errors",
    "KeyIndex": "whorl.indexes.inverted",
    "Library": "whorl.library",
    "NotFoundError": "whorl.errors",
    "Passage": "whorl.types.comparison",
    "Recipe": "whorl.recipe",
    "StripResult": "whorl.inside.memory",
    "ResourceError": "whorl.errors",
    "UsageError": "whorl.errors",
    "WhorlError": "whorl.errors",
    "add_files": "whorl.tasks.library.add",
    "alert": "whorl.monitor.alerts.telling",
    "check_files": "whorl.tasks.library.add",
    "cohort": "whorl.tasks.cohort.run",
    "compare": "whorl.matching.compare",
    "compare_against": "whorl.tasks.compare.run",
    "compare_files": "whorl.tasks.compare.run",
    "compare_many": "whorl.matching.compare",
    "compare_sources": "whorl.matching.compare",
    "copy_statistics": "whorl.monitor.copy_statistics",
    "decontaminate": "whorl.tasks.decontaminate",
    "decontaminate_files": "whorl.tasks.decontaminate",
    "dedup": "whorl.engines.memory.dedup",
    "dedup_files": "whorl.tasks.dedup.run",
    "dedup_shard": "whorl.tasks.dedup.shards",
    "describe_method": "whorl.tasks.methods",
    "evaluate": "whorl.tasks.evaluation.run",
    "explain": "whorl.tasks.compare.explain",
    "explain_files": "whorl.tasks.compare.explain",
    "fingerprint": "whorl.tasks.fingerprint",
    "fingerprint_files": "whorl.tasks.fingerprint",
    "fit_attribution": "whorl.tasks.library.attribution",
    "hot": "whorl.tasks.dedup.hot",
    "learn_boilerplate": "whorl.matching.boilerplate",
    "methods": "whorl.tasks.methods",
    "open": "whorl.library",
    "pack_evidence": "whorl.tasks.evidence.pack",
    "recommend": "whorl.tasks.evaluation.run",
    "render_comparison": "whorl.reports.comparison.page",
    "reuse": "whorl.tasks.reuse.run",
    "reuse_files": "whorl.tasks.reuse.run",
    "review_queue": "whorl.tasks.review.run",
    "sample": "whorl.tasks.evaluation.sample",
    "score": "whorl.tasks.evaluation.sample",
    "segment": "whorl.text.words",
    "segment_files": "whorl.tasks.words",
    "show": "whorl.tasks.dedup.show",
    "speak": "whorl.i18n",
    "statistics": "whorl.tasks.library.statistics",
    "trace": "whorl.tasks.library.attribution",
    "strip": "whorl.inside.memory",
    "strip_files": "whorl.tasks.strip",
    "train_idf": "whorl.tasks.words",
    "verify_evidence": "whorl.tasks.evidence.checks",
    "watch": "whorl.monitor.watching",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'whorl' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "AsyncClient",
    "Client",
    "Comparison",
    "Composition",
    "DedupResult",
    "Document",
    "Explanation",
    "HammingIndex",
    "InputError",
    "IsolationError",
    "KeyIndex",
    "Library",
    "NotFoundError",
    "Passage",
    "Recipe",
    "ResourceError",
    "StripResult",
    "UsageError",
    "WhorlError",
    "__version__",
    "add_files",
    "alert",
    "check_files",
    "cohort",
    "compare",
    "compare_against",
    "compare_files",
    "compare_many",
    "compare_sources",
    "copy_statistics",
    "decontaminate",
    "decontaminate_files",
    "dedup",
    "dedup_files",
    "dedup_shard",
    "describe_method",
    "evaluate",
    "explain",
    "explain_files",
    "fingerprint",
    "fingerprint_files",
    "fit_attribution",
    "hot",
    "learn_boilerplate",
    "methods",
    "open",
    "pack_evidence",
    "recommend",
    "render_comparison",
    "reuse",
    "reuse_files",
    "review_queue",
    "sample",
    "score",
    "segment",
    "segment_files",
    "show",
    "speak",
    "statistics",
    "strip",
    "strip_files",
    "trace",
    "train_idf",
    "verify_evidence",
    "watch",
]
