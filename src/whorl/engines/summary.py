"""What every run tells about itself: the body of ``run.json``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

import whorl
from whorl import _core
from whorl.corpus import GUESSED_ENCODING, HIDDEN_TEXT, MENDED_TEXTS, MISSING_PARTS, WHOLE_PAGE
from whorl.engines.caveats import TextOf, describe_caveats, describe_material
from whorl.engines.changes import Compared
from whorl.engines.corpus import Corpus
from whorl.engines.decide import Decisions
from whorl.engines.keeping import describe_keeping
from whorl.engines.key_texts import text_of_key
from whorl.engines.ranking import Traits, keep_rule
from whorl.fingerprints.minhash import MinHash
from whorl.recipe import Recipe
from whorl.release import RECIPE_VERSION
from whorl.reports.hints import hint_of_run
from whorl.text import FOLD_VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray


_HOT_KEYS_SHOWN = 20
_NOTICES_SHOWN = 20


def versions() -> dict[str, str]:
    """Return what the result depends on besides the recipe and the input."""
    return {"core": _core.VERSION, "fold": FOLD_VERSION, "recipe": str(RECIPE_VERSION)}


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of the documents of a run, and what is known of them.

    Attributes:
        recipe: of the run.
        corpus: the documents.
        decisions: on them.
        compared: how removed documents were changed, where that is told.
        digests: uint64 (n, 2), of their folded texts.
        lengths: uint32 (n,), folded code points.
        traits: what ranks the documents of the input.
        texts: their texts.
        ids: how each is called.
        repeated_ids: documents of which another one has the id.
        rejected: how many rows were rejected besides those of files.
    """

    recipe: Recipe
    corpus: Corpus
    decisions: Decisions
    compared: Compared | None
    digests: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    traits: Traits
    texts: TextOf
    ids: Any
    repeated_ids: int
    rejected: int = 0


def describe_run(outcome: Outcome, started: datetime) -> dict[str, Any]:
    """Return what every run tells of itself, ready for JSON."""
    decisions, recipe, corpus = outcome.decisions, outcome.recipe, outcome.corpus
    compared = outcome.compared
    lengths = outcome.lengths[corpus.references :]
    run = {
        "whorl": whorl.__version__,
        "started": started.isoformat(timespec="seconds"),
        "versions": versions(),
        "recipe": _describe_recipe(recipe),
        "counts": _describe_counts(outcome),
        "relations": {"removed": decisions.removed_relations(), "linked": decisions.links.counts()},
        "links": {"limit": recipe.links, "count": len(decisions.links.documents), "cut": int(decisions.links.cut[0])},
        "comparisons": _describe_comparisons(outcome),
        "keeping": describe_keeping(recipe, corpus, decisions, outcome.traits),
        "hot_keys": _describe_hot_keys(outcome),
        "boilerplate": _describe_boilerplate(decisions, outcome.ids),
        "warnings": [
            *describe_caveats(decisions, outcome.digests, outcome.texts, corpus.references),
            *describe_material(decisions, recipe, corpus.references),
        ],
        **({} if compared is None else {"changes": compared.describe()}),
        **_describe_recall(recipe),
        "similarity": {"removed": decisions.removed, "near_misses": decisions.near_misses},
    }
    return run | {"hint": hint_of_run(run, recipe, float(np.median(lengths)) if len(lengths) else 0.0)}


def _describe_comparisons(outcome: Outcome) -> dict[str, float]:
    """How many pairs of texts were compared, and how many that is a document."""
    documents, count = len(outcome.lengths) - outcome.corpus.references, outcome.decisions.comparisons
    return {"count": count, "per_document": round(count / documents, 3) if documents else 0.0}


def _describe_counts(outcome: Outcome) -> dict[str, int]:
    corpus, decisions, recipe = outcome.corpus, outcome.decisions, outcome.recipe
    removed = np.flatnonzero(~decisions.kept)
    exact = (outcome.digests[removed] == outcome.digests[decisions.duplicate_of[removed]]).all(axis=1)
    own = slice(corpus.references, None)
    kept = decisions.kept[own]
    documents = len(kept)
    files = corpus.inputs
    rejected = outcome.rejected + sum(record.rejected for record in files)
    notices = Counter(notice for record in files for notice in record.notices)
    return {
        "files": len(files),
        "unreadable_files": sum(record.fault is not None for record in files),
        "rows": documents + rejected,
        "kept": int(kept.sum()),
        "duplicates": documents - int(kept.sum()),
        "exact": int(exact.sum()),
        "near": documents - int(kept.sum()) - int(exact.sum()),
        "rejected": rejected,
        "featureless": int((outcome.lengths[own] == 0).sum()),
        "repeated_ids": outcome.repeated_ids,
        "missing_order": _missing_order(recipe, outcome.traits),
        "guessed_encodings": notices[GUESSED_ENCODING],
        "whole_pages": notices[WHOLE_PAGE],
        "hidden_texts": notices[HIDDEN_TEXT],
        "incomplete_files": notices[MISSING_PARTS],
        "mended_texts": sum(int(record.notices.get(MENDED_TEXTS, 0)) for record in files),
        "reference": corpus.references,
        "clusters": len(np.unique(decisions.duplicate_of[~decisions.kept])),
    }


def _missing_order(recipe: Recipe, traits: Traits) -> int:
    """How many documents have no value in the column that ranks them."""
    is_ranked = recipe.ranks_by_order or keep_rule(recipe, traits) == "earliest"
    return len(traits.order) - traits.dated if is_ranked else 0


def _describe_hot_keys(outcome: Outcome) -> dict[str, Any]:
    """Return the keys that listed fewer documents than share them, with their texts where they stand for one."""
    decisions, ids = outcome.decisions, outcome.ids
    top = [
        {"key": f"{key:016x}", "documents": documents, "unlisted": unlisted, "example": str(ids[example])}
        | _describe_key(outcome, key, example)
        for key, documents, unlisted, example in decisions.hot_keys[:_HOT_KEYS_SHOWN]
    ]
    unlisted = sum(unlisted for _, _, unlisted, _ in decisions.hot_keys)
    return {"limit": _core.LISTED, "count": len(decisions.hot_keys), "unlisted": unlisted, "top": top}


def _describe_key(outcome: Outcome, key: int, example: int) -> dict[str, str]:
    text = text_of_key(outcome.recipe.fingerprinter(), key, outcome.texts.text(example))
    return {"text": text} if text else {}


def _describe_boilerplate(decisions: Decisions, ids: Any) -> dict[str, Any]:
    """Return the text that many documents have which are no copies of each other; it was taken off the figures.

    Of phrases, by which nothing was looked up, it is told how many keys they have.
    """
    top = [
        {"text": text, "documents": documents, "keys": keys, "example": str(ids[example])}
        for text, example, documents, keys in decisions.notices[:_NOTICES_SHOWN]
    ]
    keys = sum(keys for _, _, _, keys in decisions.notices)
    return {"count": len(decisions.notices), "keys": keys, "phrases": decisions.phrases, "top": top}


def _describe_recall(recipe: Recipe) -> dict[str, Any]:
    """Return the S-curve of the family: how probable it is that a pair of a given similarity is compared."""
    family = recipe.fingerprinter()
    if not isinstance(family, MinHash):
        return {}
    curve = [[point / 100, round(family.recall(point / 100), 6)] for point in range(101)]
    return {"s_curve": curve, "recall_at_threshold": family.recall(recipe.threshold)}


def _describe_recipe(recipe: Recipe) -> dict[str, Any]:
    """Return the recipe with the figures that readers of a report look for on top."""
    description = {name: value for name, value in recipe.as_dict().items() if name != "verify" or value}
    parameters = description["parameters"]
    shown = {
        "shingle": "shingle",
        "values": "values",
        "bands": "bands",
        "rows_per_band": "rows",
        "target_recall": "target_recall",
    }
    preset = {} if recipe.preset is None else {"preset": recipe.preset}
    return description | preset | {name: parameters[key] for name, key in shown.items() if key in parameters}


__all__ = ["Outcome", "describe_run", "versions"]
