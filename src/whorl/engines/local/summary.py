"""What a run tells about itself: ``run.json`` and the samples of its report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl.corpus import GUESSED_ENCODING, WHOLE_PAGE, Skipped
from whorl.engines.local.caveats import TextOf
from whorl.engines.local.decide import Decisions
from whorl.engines.local.evidence import compare_texts
from whorl.engines.local.ranking import Traits
from whorl.engines.local.read import Segment
from whorl.engines.local.write import Corpus
from whorl.fingerprints.minhash import MinHash
from whorl.recipe import RECIPE_VERSION, Recipe
from whorl.reports.evidence import ClusterSample, Pair, RejectedSample, Side
from whorl.text import FOLD_VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray


_CLUSTERS_SHOWN = 12
_PAIRS_SHOWN = 2
_REJECTED_SHOWN = 50
_EXCERPT_BYTES = 300
_HOT_KEYS_SHOWN = 20
_NOTICES_SHOWN = 20
_SKIPPED_SHOWN = 1000


def versions() -> dict[str, str]:
    """Return what the result depends on besides the recipe and the input."""
    return {"core": _core.VERSION, "fold": FOLD_VERSION, "recipe": str(RECIPE_VERSION)}


def describe_counts(
    corpus: Corpus,
    decisions: Decisions,
    exact: NDArray[np.bool_],
    lengths: NDArray[np.uint32],
    recipe: Recipe,
    traits: Traits,
    repeated: int,
) -> dict[str, int]:
    """Return the counts of a run; ``exact`` says which removed documents fold to the text kept for them."""
    own = slice(corpus.references, None)
    kept = decisions.kept[own]
    documents = len(kept)
    files = [record for segment in corpus.input_segments for record in segment.files]
    rejected = sum(record.rejected for record in files)
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
        "featureless": int((lengths[own] == 0).sum()),
        "repeated_ids": repeated,
        "missing_order": int(np.isnan(traits.order).sum()) if recipe.ranks_by_order else 0,
        "guessed_encodings": notices[GUESSED_ENCODING],
        "whole_pages": notices[WHOLE_PAGE],
        "reference": corpus.references,
        "clusters": len(np.unique(decisions.duplicate_of[~decisions.kept])),
    }


def describe_inputs(segments: Sequence[Segment], rows: Counter[str]) -> list[dict[str, Any]]:
    """Return a line for each input file; ``rows`` counts the kept ones by file."""
    return [
        {
            "file": record.name,
            "path": record.path,
            "format": record.format,
            "compression": record.compression,
            "bytes": record.bytes,
            "modified": record.modified,
            "rows": record.documents + record.rejected,
            "kept": rows[record.name],
            "duplicates": record.documents - rows[record.name],
            "rejected": record.rejected,
            "fault": record.fault,
            **({"notices": record.notices} if record.notices else {}),
        }
        for segment in segments
        for record in segment.files
    ]


def describe_skipped(skipped: Sequence[Skipped]) -> dict[str, Any]:
    """Return what of folders and globs was not looked at, counted by reason, with the first of it."""
    reasons = Counter(item.reason for item in skipped)
    shown = [{"path": item.path, "reason": item.reason} for item in skipped[:_SKIPPED_SHOWN]]
    return {"skipped": {"count": len(skipped), "reasons": dict(reasons.most_common()), "first": shown}}


def describe_references(corpus: Corpus) -> list[dict[str, Any]]:
    """Return where each file of the references lies."""
    own = {id(segment) for segment in corpus.input_segments}
    return [
        {"file": record.name, "path": record.path, "format": record.format, "compression": record.compression}
        for segment in corpus.segments
        if id(segment) not in own
        for record in segment.files
    ]


def describe_hot_keys(decisions: Decisions, ids: Any) -> dict[str, Any]:
    """Return the keys that listed fewer documents than share them."""
    top = [
        {"key": f"{key:016x}", "documents": documents, "unlisted": unlisted, "example": str(ids[example])}
        for key, documents, unlisted, example in decisions.hot_keys[:_HOT_KEYS_SHOWN]
    ]
    unlisted = sum(unlisted for _, _, unlisted, _ in decisions.hot_keys)
    return {"limit": _core.LISTED, "count": len(decisions.hot_keys), "unlisted": unlisted, "top": top}


def describe_boilerplate(decisions: Decisions, ids: Any) -> dict[str, Any]:
    """Return the text that many documents have which are no copies of each other; it was taken off the figures."""
    top = [
        {"text": text, "documents": documents, "keys": keys, "example": str(ids[example])}
        for text, example, documents, keys in decisions.notices[:_NOTICES_SHOWN]
    ]
    keys = sum(keys for _, _, _, keys in decisions.notices)
    return {"count": len(decisions.notices), "keys": keys, "top": top}


def describe_recall(recipe: Recipe) -> dict[str, Any]:
    """Return the S-curve of the family: how probable it is that a pair of a given similarity is compared."""
    family = recipe.fingerprinter()
    if not isinstance(family, MinHash):
        return {}
    curve = [[point / 100, round(family.recall(point / 100), 6)] for point in range(101)]
    return {"s_curve": curve, "recall_at_threshold": family.recall(recipe.threshold)}


def describe_recipe(recipe: Recipe) -> dict[str, Any]:
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
    return description | {name: parameters[key] for name, key in shown.items() if key in parameters}


def sample_clusters(
    corpus: Corpus, decisions: Decisions, texts: TextOf, ids: Any, names: Any, measure: str
) -> list[ClusterSample]:
    """Return the largest clusters, each with the removed documents that differ most from what was kept for them."""
    removed = np.flatnonzero(~decisions.kept)
    centres, sizes = np.unique(decisions.duplicate_of[removed], return_counts=True)
    samples = []
    for place in np.argsort(-sizes, kind="stable")[:_CLUSTERS_SHOWN]:
        centre = int(centres[place])
        members = removed[decisions.duplicate_of[removed] == centre]
        chosen = members[np.argsort(decisions.similarity[members], kind="stable")[:_PAIRS_SHOWN]]
        pairs = tuple(_pair(corpus, decisions, texts, ids, measure, int(member)) for member in chosen)
        samples.append(ClusterSample(names[centre].as_py(), int(sizes[place]) + 1, pairs))
    return samples


def _pair(corpus: Corpus, decisions: Decisions, texts: TextOf, ids: Any, measure: str, member: int) -> Pair:
    centre = int(decisions.duplicate_of[member])
    removed_text, kept_text = texts.text(member), texts.text(centre)

    def side(document: int, text: str) -> Side:
        file, row = corpus.files[corpus.file[document]], int(corpus.row[document])
        return Side(ids[document].as_py(), file, row, None, text)

    return Pair(
        side(member, removed_text),
        side(centre, kept_text),
        float(decisions.similarity[member]),
        measure,
        compare_texts(kept_text, removed_text),
    )


def sample_rejected(folder: Path) -> list[RejectedSample]:
    """Return the first rejected rows with the beginning of their bytes, where those lie uncompressed."""
    samples = []
    positions: Counter[str] = Counter()
    with (folder / "rejected.jsonl").open(encoding="utf-8") as listing:
        for line, _ in zip(listing, range(_REJECTED_SHOWN), strict=False):
            entry = json.loads(line)
            excerpt = _excerpt(folder / entry["file"], positions[entry["file"]], entry["bytes"])
            positions[entry["file"]] += entry["bytes"] + 1
            samples.append(RejectedSample(entry["file"], entry["line"], entry["reason"], excerpt))
    return samples


def _excerpt(path: Path, position: int, size: int) -> str:
    if path.suffix in (".gz", ".zst", ".parquet", ".xlsx", ".docx", ".docm", ".pdf") or not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(position)
        return file.read(min(size, _EXCERPT_BYTES)).decode("utf-8", errors="replace")


__all__ = [
    "describe_boilerplate",
    "describe_counts",
    "describe_hot_keys",
    "describe_inputs",
    "describe_recall",
    "describe_recipe",
    "describe_references",
    "sample_clusters",
    "sample_rejected",
    "versions",
]
