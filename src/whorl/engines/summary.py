"""The run summary of every engine: the contents of ``run.json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whorl import _core
from whorl.corpus import GUESSED_ENCODING, HIDDEN_TEXT, MENDED_TEXTS, MISSING_PARTS, WHOLE_PAGE
from whorl.engines.caveats import TextOf, describe_caveats, describe_material
from whorl.engines.changes import ComparedRemovals
from whorl.engines.corpus import Corpus
from whorl.engines.decide import Decisions
from whorl.engines.keeping import describe_keeping
from whorl.engines.key_texts import text_of_key
from whorl.engines.ranking import Traits, keep_rule
from whorl.fingerprints.minhash import MinHash
from whorl.recipe import Recipe
from whorl.release import RECIPE_VERSION, __version__
from whorl.reports.hints import hint_of_run
from whorl.text import FOLD_VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray


_HOT_KEYS_SHOWN = 20
_NOTICES_SHOWN = 20


def versions() -> dict[str, str]:
    """Return the versions that the result depends on, in addition to the recipe and the input."""
    return {"core": _core.VERSION, "fold": FOLD_VERSION, "recipe": str(RECIPE_VERSION)}


class RunOutcome(NamedTuple):
    """Decisions on the documents of a run, with their properties.

    Attributes:
        recipe: recipe of the run.
        corpus: the documents.
        decisions: the decisions on them.
        compared: changes of removed documents, if they are reported.
        digests: uint64 (n, 2), digests of their folded texts.
        lengths: uint32 (n,), folded code points.
        traits: rank properties of the documents of the input.
        texts: their texts.
        id_of: returns the id of a document.
        repeated_ids: number of documents that share their id with another.
        rejected: number of rejected rows, without those of files.
    """

    recipe: Recipe
    corpus: Corpus
    decisions: Decisions
    compared: ComparedRemovals | None
    digests: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    traits: Traits
    texts: TextOf
    id_of: Callable[[int], str]
    repeated_ids: int
    rejected: int = 0


def describe_run(outcome: RunOutcome, started: datetime) -> dict[str, Any]:
    """Return the run summary that every engine has in common, ready for JSON."""
    decisions, recipe, corpus = outcome.decisions, outcome.recipe, outcome.corpus
    compared = outcome.compared
    lengths = outcome.lengths[corpus.references :]
    run = {
        "whorl": __version__,
        "started": started.isoformat(timespec="seconds"),
        "versions": versions(),
        "recipe": _describe_recipe(recipe),
        "counts": _describe_counts(outcome),
        "relations": {"removed": decisions.removed_relations(), "linked": decisions.links.counts()},
        "links": {"limit": recipe.links, "count": len(decisions.links.documents), "cut": int(decisions.links.cut[0])},
        "comparisons": _describe_comparisons(outcome),
        "keeping": describe_keeping(recipe, corpus, decisions, outcome.traits),
        "hot_keys": _describe_hot_keys(outcome),
        "boilerplate": _describe_boilerplate(decisions, outcome.id_of),
        "warnings": [
            *describe_caveats(decisions, outcome.digests, outcome.texts, corpus.references),
            *describe_material(decisions, recipe, corpus.references),
        ],
        **({} if compared is None else {"changes": compared.describe()}),
        **_describe_recall(recipe),
        "similarity": {"removed": decisions.removed, "near_misses": decisions.near_misses},
    }
    return run | {"hint": hint_of_run(run, recipe, float(np.median(lengths)) if len(lengths) else 0.0)}


def _describe_comparisons(outcome: RunOutcome) -> dict[str, float]:
    """Return the number of compared pairs of texts, and that number per document."""
    documents, count = len(outcome.lengths) - outcome.corpus.references, outcome.decisions.comparisons
    return {"count": count, "per_document": round(count / documents, 3) if documents else 0.0}


def _describe_counts(outcome: RunOutcome) -> dict[str, int]:
    corpus, decisions, recipe = outcome.corpus, outcome.decisions, outcome.recipe
    new = slice(corpus.references, None)
    kept = decisions.kept[new]
    documents = len(kept)
    duplicates = documents - int(kept.sum())
    exact = decisions.removed_relations().get("exact", 0)
    files = corpus.inputs
    rejected = outcome.rejected + sum(record.rejected for record in files)
    notices = Counter(notice for record in files for notice in record.notices)
    return {
        "files": len(files),
        "unreadable_files": sum(record.fault is not None for record in files),
        "rows": documents + rejected,
        "kept": int(kept.sum()),
        "duplicates": duplicates,
        "exact": exact,
        "near": duplicates - exact,
        "rejected": rejected,
        "featureless": int((outcome.lengths[new] == 0).sum()),
        "repeated_ids": outcome.repeated_ids,
        "missing_order": _missing_order(recipe, outcome.traits),
        "guessed_encodings": notices[GUESSED_ENCODING],
        "whole_pages": notices[WHOLE_PAGE],
        "hidden_texts": notices[HIDDEN_TEXT],
        "incomplete_files": notices[MISSING_PARTS],
        "mended_texts": sum(int(record.notices.get(MENDED_TEXTS, 0)) for record in files),
        "reference": corpus.references,
        "clusters": int(np.count_nonzero(np.bincount(decisions.duplicate_of[~decisions.kept]))),
    }


def _missing_order(recipe: Recipe, traits: Traits) -> int:
    """Return the number of documents without a value in the column that ranks them."""
    is_ranked = recipe.ranks_by_order or keep_rule(recipe, traits) == "earliest"
    return len(traits.order) - traits.dated if is_ranked else 0


def _describe_hot_keys(outcome: RunOutcome) -> dict[str, Any]:
    """Return the keys that listed only some of their documents, with the texts that produced them."""
    decisions = outcome.decisions
    top = [
        {"key": f"{key:016x}", "documents": documents, "unlisted": unlisted, "example": outcome.id_of(example)}
        | _describe_key(outcome, key, example)
        for key, documents, unlisted, example in decisions.hot_keys[:_HOT_KEYS_SHOWN]
    ]
    unlisted = sum(unlisted for _, _, unlisted, _ in decisions.hot_keys)
    return {"limit": _core.LISTED, "count": len(decisions.hot_keys), "unlisted": unlisted, "top": top}


def _describe_key(outcome: RunOutcome, key: int, example: int) -> dict[str, str]:
    text = text_of_key(outcome.recipe.fingerprinter(), key, outcome.texts.text(example))
    return {"text": text} if text else {}


def _describe_boilerplate(decisions: Decisions, id_of: Callable[[int], str]) -> dict[str, Any]:
    """Return the boilerplate: text of many documents that are not duplicates, which is excluded from the similarities.

    Phrases, which were not used as keys, are reported as a number of keys.
    """
    top = [
        {"text": text, "documents": documents, "keys": keys, "example": id_of(example)}
        for text, example, documents, keys in decisions.notices[:_NOTICES_SHOWN]
    ]
    keys = sum(keys for _, _, _, keys in decisions.notices)
    return {"count": len(decisions.notices), "keys": keys, "phrases": decisions.phrases, "top": top}


def _describe_recall(recipe: Recipe) -> dict[str, Any]:
    """Return the S-curve of the family: the probability that a pair of a certain similarity is compared."""
    family = recipe.fingerprinter()
    if not isinstance(family, MinHash):
        return {}
    curve = [[point / 100, round(family.recall(point / 100), 6)] for point in range(101)]
    return {"s_curve": curve, "recall_at_threshold": family.recall(recipe.threshold)}


def _describe_recipe(recipe: Recipe) -> dict[str, Any]:
    """Return the recipe, with the most important figures of a report first."""
    description = {name: value for name, value in recipe.as_dict().items() if name != "verify" or value}
    parameters = description["parameters"]
    displayed = {
        "shingle": "shingle",
        "values": "values",
        "bands": "bands",
        "rows_per_band": "rows",
        "target_recall": "target_recall",
    }
    preset = {} if recipe.preset is None else {"preset": recipe.preset}
    return description | preset | {name: parameters[key] for name, key in displayed.items() if key in parameters}


__all__ = ["RunOutcome", "describe_run", "versions"]
