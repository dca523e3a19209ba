"""The page of a dedup run: what was removed, by which recipe, how surely, with the evidence side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from whorl.reports.charts import RecallCurve, Similarity
from whorl.reports.comparison import change_name, kind_names, told
from whorl.reports.evidence import ClusterSample, Pair, RejectedSample, Side
from whorl.reports.figures import Counts, keeping, outputs, part, sentence_en, sentence_zh, worded
from whorl.reports.html import environment, side_by_side
from whorl.reports.passages import View, view

_EXCERPT_LENGTH = 600
_OPENING_LENGTH = 6_000
_EXCERPT_BYTES = 600_000
_PAIR_FRAME_BYTES = 2_500
_OPENING_BYTES = 500_000
_FILES = 200
_HOT_KEYS = 20
_NOTICES = 20
_HOT_KEY_LIMIT = 64
_REASONS = 50
_REJECTED_SAMPLES = 50

_RECIPE_LABELS = {
    "method": ("方法", "method"),
    "threshold": ("阈值", "threshold"),
    "measure": ("度量", "measure"),
    "verify": ("复核", "verify"),
    "keep": ("保留规则", "keep"),
    "text": ("正文列", "text columns"),
    "shingle": ("片段长度", "shingle"),
    "values": ("指纹值数", "values"),
    "bands": ("段 × 行", "bands × rows"),
    "target_recall": ("目标召回", "target recall"),
}
_STAGE_LABELS = {
    "read": ("读取与指纹", "read and sketch"),
    "rank": ("排序", "rank"),
    "group": ("分组", "group"),
    "probe": ("比对", "compare"),
    "changes": ("改动", "changes"),
    "write": ("写出", "write"),
}


def render_dedup_report(
    run: Mapping[str, Any], clusters: Sequence[ClusterSample], rejected: Sequence[RejectedSample]
) -> str:
    """Render one self-contained HTML page about a dedup run.

    Args:
        run: the content of `run.json`; any key may be missing.
        clusters: the clusters to show, in this order, until the page is full; the rest is counted.
        rejected: rows that could not be read, to show in this order.

    Returns:
        HTML that asks for nothing from outside, runs no script and can be encoded in UTF-8, whatever the texts hold.
        It stays below 2 MB; time and memory grow with the texts given, not with the size of the run.
    """
    counts = Counts.of(run)
    views = list(_cluster_views(clusters))
    inputs = run.get("inputs") or ()
    return (
        environment()
        .get_template("dedup.html.j2")
        .render(
            whorl=run.get("whorl") or "",
            command=run.get("command") or "",
            counts=counts,
            warnings=run.get("warnings") or (),
            sentences=(sentence_zh(counts), sentence_en(counts)),
            started=_minute(run.get("started")),
            recipe=list(_recipe_rows(part(run, "recipe"))),
            versions=part(run, "versions"),
            outputs=list(outputs(run)),
            curve=RecallCurve.of(run),
            similarity=Similarity.of(run),
            hot=_hot_keys(part(run, "hot_keys")),
            boilerplate=_boilerplate(part(run, "boilerplate")),
            kinds=[(*kind_names(kind), number) for kind, number in part(part(run, "changes"), "kinds").items()],
            changed=[
                (*change_name(name), number) for name, number in part(part(run, "changes"), "changed").items() if number
            ],
            keeping=[(one.to("zh"), str(one)) for one in keeping(run, hints=True)],
            clusters=views,
            clusters_left_out=max(len(clusters), counts.clusters) - len(views),
            reasons=_most_frequent(part(run, "rejected_reasons")),
            rejected=rejected[:_REJECTED_SAMPLES],
            inputs=[_file_row(file) for file in inputs[:_FILES]],
            inputs_left_out=max(0, len(inputs) - _FILES),
            faulty=[(file["file"], file["fault"]) for file in inputs if file.get("fault")][:_FILES],
            skipped=part(run, "skipped").get("count") or 0,
            skipped_reasons=_most_frequent(part(part(run, "skipped"), "reasons")),
            timings=_timings(part(run, "timings")),
        )
    )


@dataclass(frozen=True, slots=True)
class _PairView:
    pair: Pair
    told: tuple[str, str]
    excerpt: Markup
    opening: Markup | None


@dataclass(frozen=True, slots=True)
class _ClusterView:
    sample: ClusterSample
    pairs: tuple[_PairView, ...]


@dataclass(slots=True)
class _Allowance:
    """How many bytes of a kind the page may still hold."""

    remaining: int

    def admits(self, *parts: Markup, frame: int = 0) -> bool:
        needed = frame + sum(len(part.encode("utf-8")) for part in parts)
        if needed > self.remaining:
            self.remaining = 0
            return False
        self.remaining -= needed
        return True


def _cluster_views(clusters: Sequence[ClusterSample]) -> Iterator[_ClusterView]:
    excerpts, openings = _Allowance(_EXCERPT_BYTES), _Allowance(_OPENING_BYTES)
    for sample in clusters:
        pairs = []
        for pair in sample.pairs:
            view = _pair_view(pair, excerpts, openings)
            if view is None:
                break
            pairs.append(view)
        if not pairs:
            return
        yield _ClusterView(sample, tuple(pairs))


def _pair_view(pair: Pair, excerpts: _Allowance, openings: _Allowance) -> _PairView | None:
    short = _view(pair, _EXCERPT_LENGTH)
    clipped = side_by_side(short)
    if not excerpts.admits(clipped, frame=_PAIR_FRAME_BYTES):
        return None
    if short.is_whole or not openings.remaining:
        return _PairView(pair, told(pair.found), clipped, None)
    longer = side_by_side(_view(pair, _OPENING_LENGTH))
    return _PairView(pair, told(pair.found), clipped, longer if openings.admits(longer) else None)


def _view(pair: Pair, length: int) -> View:
    return view([pair.kept.text], pair.removed.text, pair.passages, length)


def _recipe_rows(recipe: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield every parameter as (Chinese label, English label, value): the known first, the others as they are named."""
    for key in [
        *(key for key in _RECIPE_LABELS if key in recipe),
        *(key for key in recipe if key not in _RECIPE_LABELS),
    ]:
        zh, en = _RECIPE_LABELS.get(key, ("", key))
        if key == "bands" and "rows_per_band" in recipe:
            yield zh, en, f"{recipe['bands']} × {recipe['rows_per_band']}"
        elif key != "rows_per_band" or "bands" not in recipe:
            yield zh, en, worded(recipe[key])


def _boilerplate(found: Mapping[str, Any]) -> dict[str, Any]:
    top = [(notice.get("text") or "", notice.get("documents") or 0) for notice in (found.get("top") or ())[:_NOTICES]]
    return {"count": found.get("count") or 0, "top": top}


def _hot_keys(hot: Mapping[str, Any]) -> dict[str, Any]:
    top = [
        {"key": key.get("key") or "", "documents": key.get("documents") or 0, "example": key.get("example") or ""}
        for key in (hot.get("top") or ())[:_HOT_KEYS]
    ]
    return {
        "limit": hot.get("limit") or _HOT_KEY_LIMIT,
        "count": hot.get("count") or 0,
        "unlisted": hot.get("unlisted") or 0,
        "top": top,
    }


def _most_frequent(reasons: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))[:_REASONS]


def _file_row(file: Mapping[str, Any]) -> tuple[str, int | None, list[int]]:
    numbers = [file.get(key) or 0 for key in ("rows", "kept", "duplicates", "rejected")]
    return file.get("file") or "–", file.get("bytes"), numbers


def _timings(timings: Mapping[str, float]) -> list[tuple[str, str, float]]:
    return [(*_STAGE_LABELS.get(stage, ("", stage)), float(seconds)) for stage, seconds in timings.items()]


def _minute(started: Any) -> str:
    """Write the time of the run to the minute; a time that is not ISO 8601 stays as it is."""
    try:
        return f"{datetime.fromisoformat(started):%Y-%m-%d %H:%M %Z}".strip()
    except (TypeError, ValueError):
        return str(started or "")


__all__ = ["ClusterSample", "Pair", "RejectedSample", "Side", "render_dedup_report"]
