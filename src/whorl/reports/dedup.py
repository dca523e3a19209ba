"""HTML page of a dedup run: removals, recipe, precision, and the evidence side by side."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from markupsafe import Markup

from whorl.i18n import LANGUAGES, Message, as_message, say
from whorl.reports.comparison.passages import View, view
from whorl.reports.comparison.wording import CHANGES, FRAMES, RELATIONS, describe
from whorl.reports.drawing.charts import RecallCurve, Similarity, deciding_threshold
from whorl.reports.drawing.graphs import Graph
from whorl.reports.evidence import ClusterSample, Pair, RejectedSample, RemovalEvidence
from whorl.reports.figures import Counts, keeping, outputs, part, sentence, worded
from whorl.reports.html import clip, in_each, recalled, render, side_by_side, spans
from whorl.reports.naming import without_folders

CLUSTER_LIST = "clusters.csv"
"""File name of the list of all clusters, which is written beside the report."""

_EXCERPT_LENGTH = 600
_OPENING_LENGTH = 6_000
_EXCERPT_BYTES = 500_000
_BORDERLINE_BYTES = 150_000
_PAIR_FRAME_BYTES = 2_500
_OPENING_BYTES = 400_000
_LIST_BYTES = 300_000
_ROW_FRAME_BYTES = 200
_FILES = 200
_LABEL = 160
_MEASURE = 40
_HOT_KEYS = 20
_NOTICES = 20
_HOT_KEY_LIMIT = 64
_REASONS = 50
_REJECTED_SAMPLES = 50

_RECIPE_LABELS = {
    "method": say("method"),
    "threshold": say("threshold"),
    "measure": say("measure"),
    "verify": say("verified by"),
    "keep": say("kept copy"),
    "text": say("text columns"),
    "shingle": say("tokens per shingle"),
    "values": say("values per sketch"),
    "bands": say("bands × rows"),
    "target_recall": say("target recall"),
}
_MEASURES = {
    "copied": say("copied"),
    "content": say("copied or reworded"),
    "jaccard": say("Jaccard similarity"),
    "containment": say("contained"),
}
_STAGE_LABELS = {
    "read": say("reading, fingerprints"),
    "rank": say("ranking"),
    "group": say("grouping"),
    "probe": say("comparing"),
    "changes": say("changes"),
    "write": say("writing"),
}


def render_dedup_report(run: Mapping[str, Any], evidence: RemovalEvidence, rejected: Sequence[RejectedSample]) -> str:
    """Render a dedup run as one self-contained HTML page.

    Args:
        run: content of `run.json`; any key may be missing.
        evidence: clusters and removals to show, in this order, until the page is full; the rest is counted.
        rejected: rows that could not be read, in the order to show.

    Returns:
        HTML that loads no external resource, runs no script and can always be encoded in UTF-8. It stays below
        2 MB. Time and memory grow with the evidence, not with the size of the run.
    """
    counts = Counts.of(run)
    openings = _Allowance(_OPENING_BYTES)
    borderline = list(_pair_views(evidence.borderline, _Allowance(_BORDERLINE_BYTES), openings))
    views = list(_cluster_views(evidence.clusters, openings, deciding_threshold(run)))
    listed = list(_listed(evidence.clusters))
    inputs = run.get("inputs") or ()
    changes, relations = part(run, "changes"), part(run, "relations")
    return render(
        "dedup.html.j2",
        command="whorl dedup",
        version=run.get("whorl") or "",
        at=_minute(run.get("started")),
        typed=without_folders(run.get("command") or ""),
        counts=counts,
        warnings=[in_each(as_message(warning["message"])) for warning in run.get("warnings") or ()],
        sentence=sentence(run),
        recipe=list(_recipe_rows(part(run, "recipe"), part(run, "keeping"))),
        versions=part(run, "versions"),
        outputs=list(outputs(run)),
        curve=RecallCurve.of(run),
        similarity=Similarity.of(run),
        hot=_hot_keys(part(run, "hot_keys")),
        boilerplate=_boilerplate(part(run, "boilerplate")),
        removed=_named(RELATIONS, part(relations, "removed")),
        linked=_named(RELATIONS, part(relations, "linked")),
        cut_links=part(run, "links").get("cut") or 0,
        changed=_named(FRAMES | CHANGES, part(changes, "changed")),
        keeping=list(keeping(run, hints=True)),
        borderline=borderline,
        clusters=views,
        listed=listed,
        unlisted=max(len(evidence.clusters), counts.clusters) - len(listed),
        cluster_list=CLUSTER_LIST if CLUSTER_LIST in part(run, "outputs") else "",
        reasons=_most_frequent(part(run, "rejected_reasons")),
        rejected=rejected[:_REJECTED_SAMPLES],
        inputs=[_file_row(file) for file in inputs[:_FILES]],
        inputs_left_out=max(0, len(inputs) - _FILES),
        faulty=[(file["file"], file["fault"]) for file in inputs if file.get("fault")][:_FILES],
        skipped=part(run, "skipped").get("count") or 0,
        skipped_reasons=_most_frequent(part(part(run, "skipped"), "reasons")),
        timings=[(_STAGE_LABELS.get(stage, stage), float(time)) for stage, time in part(run, "timings").items()],
    )


class _PairView(NamedTuple):
    pair: Pair
    measure: str
    descriptions: Markup
    excerpt: Markup
    opening: Markup | None


class _ClusterView(NamedTuple):
    sample: ClusterSample
    graph: Graph | None
    pairs: tuple[_PairView, ...]


@dataclass(slots=True)
class _Allowance:
    """The number of bytes that one kind of content may still add to the page."""

    remaining: int

    def admits(self, *parts: str, frame: int = 0) -> bool:
        needed = frame + sum(len(part.encode("utf-8", "replace")) for part in parts)
        if needed > self.remaining:
            self.remaining = 0
            return False
        self.remaining -= needed
        return True


def _cluster_views(
    clusters: Sequence[ClusterSample], openings: _Allowance, threshold: float | None
) -> Iterator[_ClusterView]:
    excerpts = _Allowance(_EXCERPT_BYTES)
    for sample in clusters:
        pairs = tuple(_pair_views(sample.pairs, excerpts, openings))
        if not pairs:
            return
        yield _ClusterView(sample, Graph.of(sample, threshold), pairs)


def _pair_views(pairs: Iterable[Pair], excerpts: _Allowance, openings: _Allowance) -> Iterator[_PairView]:
    """Yield pairs until the allowance is used up."""
    for pair in pairs:
        short = _view(pair, _EXCERPT_LENGTH)
        clipped = side_by_side(short)
        if not excerpts.admits(clipped, frame=_PAIR_FRAME_BYTES):
            return
        longer = None
        if openings.remaining and not short.is_whole:
            longer = side_by_side(_view(pair, _OPENING_LENGTH))
        admitted = longer if longer and openings.admits(longer) else None
        measure = _MEASURES.get(pair.measure) or clip(pair.measure, _MEASURE)
        yield _PairView(pair, measure, _descriptions(pair), clipped, admitted)


def _descriptions(pair: Pair) -> Markup:
    return spans({language: describe(pair.comparison, language) for language in LANGUAGES})


def _view(pair: Pair, length: int) -> View:
    return view([pair.kept.text], pair.removed.text, pair.passages, length)


def _listed(clusters: Sequence[ClusterSample]) -> Iterator[ClusterSample]:
    """Yield clusters until the list is full."""
    room = _Allowance(_LIST_BYTES)
    for cluster in clusters:
        names = [member.id[:_ROW_FRAME_BYTES] for member in (cluster.kept, *cluster.removed)]
        if not room.admits(*names, frame=_ROW_FRAME_BYTES * (1 + len(names))):
            return
        yield cluster


def _named(names: Mapping[str, Message], counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the nonzero counts with their names."""
    return [(names.get(name) or clip(name), count) for name, count in counts.items() if count]


def _recipe_rows(recipe: Mapping[str, Any], keeping: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every parameter as label and value: known parameters first, then the others by name."""
    standard = [key for key in _RECIPE_LABELS if key in recipe]
    for key in [*standard, *(key for key in recipe if key not in _RECIPE_LABELS)]:
        label = _RECIPE_LABELS.get(key, key)
        if key == "method" and recipe.get("preset"):
            yield label, f"{recipe['preset']} ({recipe['method']})"
        elif key == "keep" and keeping.get("rule", recipe["keep"]) != recipe["keep"]:
            yield label, f"{recipe['keep']} ({keeping['rule']})"
        elif key == "bands" and "rows_per_band" in recipe:
            yield label, f"{recipe['bands']} × {recipe['rows_per_band']}"
        elif key != "preset" and (key != "rows_per_band" or "bands" not in recipe):
            yield label, worded(recipe[key])


def _boilerplate(section: Mapping[str, Any]) -> dict[str, Any]:
    notices = (section.get("top") or ())[:_NOTICES]
    top = [(clip(notice.get("text") or "", _LABEL), notice.get("documents") or 0) for notice in notices]
    return {"count": section.get("count") or 0, "top": top}


def _hot_keys(hot: Mapping[str, Any]) -> dict[str, Any]:
    top = [
        {name: key.get(name) or "" for name in ("key", "text", "example")} | {"documents": key.get("documents") or 0}
        for key in (hot.get("top") or ())[:_HOT_KEYS]
    ]
    return {
        "limit": hot.get("limit") or _HOT_KEY_LIMIT,
        "count": hot.get("count") or 0,
        "unlisted": hot.get("unlisted") or 0,
        "top": top,
    }


def _most_frequent(reasons: Mapping[str, int]) -> list[tuple[Markup, int]]:
    frequent = sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))[:_REASONS]
    return [(recalled(reason), number) for reason, number in frequent]


def _file_row(file: Mapping[str, Any]) -> tuple[str, int | None, list[int]]:
    numbers = [file.get(key) or 0 for key in ("rows", "kept", "duplicates", "rejected")]
    return file.get("file") or "–", file.get("bytes"), numbers


def _minute(started: Any) -> str:
    """Format the time of the run to the minute; return a time that is not ISO 8601 unchanged."""
    try:
        return f"{datetime.fromisoformat(started):%Y-%m-%d %H:%M %Z}".strip()
    except (TypeError, ValueError):
        return str(started or "")


__all__ = ["CLUSTER_LIST", "render_dedup_report"]
