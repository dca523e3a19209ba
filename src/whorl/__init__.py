"""whorl tells which articles copy which.

>>> import whorl
>>> result = whorl.dedup(["今天天气很好，适合出门。", "今天天气很好,适合出门!", "明天有雨。"])
>>> result.run["counts"]["kept"]
2
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whorl.engines.dedup import DedupResult, dedup
    from whorl.errors import InputError, ResourceError, UsageError, WhorlError
    from whorl.indexes.hamming import HammingIndex
    from whorl.indexes.inverted import KeyIndex
    from whorl.library import Library, open
    from whorl.library.model import Document
    from whorl.matching.boilerplate import learn_boilerplate
    from whorl.matching.compare import compare, compare_many, compare_sources
    from whorl.matching.verify import Explanation, explain
    from whorl.model import Comparison, Composition, Passage
    from whorl.recipe import Recipe
    from whorl.reports.comparison import render_comparison

__version__ = "0.1.0"

_HOMES = {
    "Comparison": "whorl.model",
    "Composition": "whorl.model",
    "DedupResult": "whorl.engines.dedup",
    "Document": "whorl.library.model",
    "Explanation": "whorl.matching.verify",
    "HammingIndex": "whorl.indexes.hamming",
    "InputError": "whorl.errors",
    "KeyIndex": "whorl.indexes.inverted",
    "Library": "whorl.library",
    "Passage": "whorl.model",
    "Recipe": "whorl.recipe",
    "ResourceError": "whorl.errors",
    "UsageError": "whorl.errors",
    "WhorlError": "whorl.errors",
    "compare": "whorl.matching.compare",
    "compare_many": "whorl.matching.compare",
    "compare_sources": "whorl.matching.compare",
    "dedup": "whorl.engines.dedup",
    "explain": "whorl.matching.verify",
    "learn_boilerplate": "whorl.matching.boilerplate",
    "open": "whorl.library",
    "render_comparison": "whorl.reports.comparison",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'whorl' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Comparison",
    "Composition",
    "DedupResult",
    "Document",
    "Explanation",
    "HammingIndex",
    "InputError",
    "KeyIndex",
    "Library",
    "Passage",
    "Recipe",
    "ResourceError",
    "UsageError",
    "WhorlError",
    "__version__",
    "compare",
    "compare_many",
    "compare_sources",
    "dedup",
    "explain",
    "learn_boilerplate",
    "open",
    "render_comparison",
]
