"""whorl finds duplicate, near-duplicate and copied text; built for Chinese, works in any language.

>>> import whorl
>>> result = whorl.dedup(["今天天气很好，适合出门。", "今天天气很好,适合出门!", "明天有雨。"])
>>> result.run["counts"]["kept"]
2

Functions for files have the suffix ``_files``. Further functions are in modules by topic, which need no import of
their own:

- ``whorl.library``: adding and checking files, statistics, review queue, first publication.
- ``whorl.runs``: the largest clusters of a corpus, one article of a run, runs in shards.
- ``whorl.watch``: watching web sites, alerts, statistics of copies.
- ``whorl.evidence``: comparisons as pages, evidence packs and their verification.
- ``whorl.lab``: methods, their evaluation on labels, recommendation of a recipe.
- ``whorl.iscc``: codes of ISO 24138.
- ``whorl.words``: segmentation, word weights, boilerplate sentences.
- ``whorl.indexes``: indexes of keys and of Hamming codes.
- ``whorl.results``, ``whorl.errors``: the types of all results and errors.
- ``whorl.i18n``: the language of messages.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whorl import errors as errors
    from whorl import evidence as evidence
    from whorl import i18n as i18n
    from whorl import indexes as indexes
    from whorl import iscc as iscc
    from whorl import lab as lab
    from whorl import library as library
    from whorl import results as results
    from whorl import runs as runs
    from whorl import watch as watch
    from whorl import words as words
    from whorl.client import AsyncClient, Client
    from whorl.engines.memory.dedup import dedup
    from whorl.errors import WhorlError
    from whorl.inside.memory import strip
    from whorl.library import open
    from whorl.library.library import Library
    from whorl.matching.compare import compare, compare_many, compare_sources
    from whorl.recipe import Recipe
    from whorl.release import __version__
    from whorl.tasks.boilerplate import learn_boilerplate_files
    from whorl.tasks.cohort.run import cohort
    from whorl.tasks.compare.explain import explain, explain_files
    from whorl.tasks.compare.run import compare_against, compare_files
    from whorl.tasks.decontaminate.files import decontaminate_files
    from whorl.tasks.decontaminate.memory import decontaminate
    from whorl.tasks.dedup.run import dedup_files
    from whorl.tasks.evidence.checks import verify_evidence
    from whorl.tasks.evidence.pack import pack_evidence
    from whorl.tasks.fingerprint import fingerprint, fingerprint_files
    from whorl.tasks.library.attribution import trace
    from whorl.tasks.read import read
    from whorl.tasks.reuse.run import reuse, reuse_files
    from whorl.tasks.strip import strip_files
    from whorl.types.library import Document

logging.getLogger(__name__).addHandler(logging.NullHandler())

_HOMES = {
    "AsyncClient": "whorl.client",
    "Client": "whorl.client",
    "Document": "whorl.types.library",
    "Library": "whorl.library.library",
    "Recipe": "whorl.recipe",
    "WhorlError": "whorl.errors",
    "__version__": "whorl.release",
    "cohort": "whorl.tasks.cohort.run",
    "compare": "whorl.matching.compare",
    "compare_against": "whorl.tasks.compare.run",
    "compare_files": "whorl.tasks.compare.run",
    "compare_many": "whorl.matching.compare",
    "compare_sources": "whorl.matching.compare",
    "decontaminate": "whorl.tasks.decontaminate.memory",
    "decontaminate_files": "whorl.tasks.decontaminate.files",
    "dedup": "whorl.engines.memory.dedup",
    "dedup_files": "whorl.tasks.dedup.run",
    "explain": "whorl.tasks.compare.explain",
    "explain_files": "whorl.tasks.compare.explain",
    "fingerprint": "whorl.tasks.fingerprint",
    "fingerprint_files": "whorl.tasks.fingerprint",
    "learn_boilerplate_files": "whorl.tasks.boilerplate",
    "open": "whorl.library",
    "pack_evidence": "whorl.tasks.evidence.pack",
    "read": "whorl.tasks.read",
    "reuse": "whorl.tasks.reuse.run",
    "reuse_files": "whorl.tasks.reuse.run",
    "strip": "whorl.inside.memory",
    "strip_files": "whorl.tasks.strip",
    "trace": "whorl.tasks.library.attribution",
    "verify_evidence": "whorl.tasks.evidence.checks",
}
_MODULES = {"errors", "evidence", "i18n", "indexes", "iscc", "lab", "library", "results", "runs", "watch", "words"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"whorl.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'whorl' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, *sorted(_MODULES)]


__all__ = [
    "AsyncClient",
    "Client",
    "Document",
    "Library",
    "Recipe",
    "WhorlError",
    "__version__",
    "cohort",
    "compare",
    "compare_against",
    "compare_files",
    "compare_many",
    "compare_sources",
    "decontaminate",
    "decontaminate_files",
    "dedup",
    "dedup_files",
    "explain",
    "explain_files",
    "fingerprint",
    "fingerprint_files",
    "learn_boilerplate_files",
    "open",
    "pack_evidence",
    "read",
    "reuse",
    "reuse_files",
    "strip",
    "strip_files",
    "trace",
    "verify_evidence",
]
