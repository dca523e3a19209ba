"""Recall of every algorithm and preset for each kind of copy, and precision.

The recall of a kind is the share of its pairs (copy and original) in one cluster: one removed for the other, or both
for the same article. A second figure is the share of pairs of which at most one article is kept, whatever the other was
removed for. A removal is right if the removed and the kept article are such a pair, or copies of one original.
Removals that share text with the kept article for another reason, such as the same added notice, are not counted.

A mixture can be in the cluster of one of its sources only. Floors and means therefore use the recall of mixtures with
any of their sources.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.copies import Copies, Row, Traps, copies_in, traps_in
from benchmarks.measure import RunFailed, run
from benchmarks.questions import Answer, Settings, say, scratch, whorl_dedup
from benchmarks.score import Removals, links_of_whorl, removals_of_whorl, share_removed_or_linked
from whorl.evaluation.scoring import Copy, score, share_proved

_COLUMNS = 8
_HEADINGS = {
    "docs/DECIDING.md": (
        "method",
        "whole copies",
        "parts, mixtures, rewritten",
        "short ones",
        "all: removed",
        "all: removed or linked",
        "precision",
        "other events",
        "articles/s",
    ),
    "docs/DECIDING.zh-CN.md": (
        "方法",
        "整篇重复",
        "节选、拼接、改动较大",
        "短文",
        "全部：删去",
        "全部：删去或关联",
        "精确率",
        "误删的他事",
        "篇/秒",
    ),
}


def ask(settings: Settings) -> Answer:
    """Deduplicate the copies, and the pairs that are no copies, by every algorithm and preset."""
    rows, origins, documents = [], [], {}
    for language in settings["languages"]:
        copies = copies_in(language, settings["seed"], settings.get("copies_of_each_kind"))
        traps = traps_in(language, settings.get("traps"))
        documents[language] = len(copies.articles)
        origins += [source.origin for source in (copies, traps) if source]
        for method in methods():
            say(f"kinds: {language}, {method}")
            rows.append({"language": language, "method": method} | _trial(method, copies, traps, settings))
    return {"data": origins, "documents": documents, "floors": settings["floors"], "rows": rows}


def methods() -> list[str]:
    """Return every name that ``whorl dedup --method`` takes."""
    from whorl.fingerprints import families
    from whorl.recipe import PRESETS

    return [*families(), *PRESETS]


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    rows = [row for row in answer["rows"] if "failure" not in row]
    return {f"{row['method']}, {row['language']}": row["seconds"] / row["documents"] for row in rows}


def table(answer: Answer) -> str:
    """Return the answer as Markdown: for each language the methods, then their recall of every kind."""
    parts = []
    for language, documents in answer["documents"].items():
        rows = [row for row in answer["rows"] if row["language"] == language]
        parts += [f"**{language}, {documents:,} articles**", _summary(rows, answer["floors"])]
        parts += _tables_of_kinds([row for row in rows if "failure" not in row], answer["floors"])
    parts.append("Bold reaches the floor of the kind. Brackets hold 95% intervals.")
    return "\n\n".join(parts)


def excerpts(answer: Answer) -> dict[str, str]:
    """Return the table of each chapter about methods, placed between the marks of this question."""
    return {name: overview(answer, headings) for name, headings in _HEADINGS.items()}


def _trial(method: str, copies: Copies, traps: Traps | None, settings: Settings) -> dict[str, Any]:
    try:
        cleaned = _clean(copies.articles, method, settings)
        mistaken = _mistaken_shares(traps, method, settings) if traps else {}
    except RunFailed as failure:
        return {"failure": str(failure).strip().splitlines()[-1]}
    pairs = [(copy.document, source) for copy in copies.truth.copies for source in copy.sources]
    linked = share_removed_or_linked(pairs, cleaned.removals, cleaned.links)
    figures = {"seconds": cleaned.seconds, "documents": len(copies.articles), "removed_or_linked": linked}
    return figures | judged(copies, cleaned.removals) | mistaken


class _Cleaned(NamedTuple):
    """Removals and links of a method, and the seconds of its passes beyond those over a single article."""

    removals: Removals
    links: set[frozenset[int]]
    seconds: float


def _clean(articles: Iterable[Row], method: str, settings: Settings) -> _Cleaned:
    """Deduplicate articles by a method."""
    with scratch() as folder:
        lines = [json.dumps({"id": str(row)} | article, ensure_ascii=False) for row, article in enumerate(articles)]
        seconds = {}
        for name, inputs in {"single": lines[:1], "articles": lines}.items():
            path = folder / f"{name}.jsonl"
            path.write_text("\n".join([*inputs, ""]), encoding="utf-8")
            outs = [folder / f"{name}-{turn}" for turn in range(settings["runs"])]
            for out in outs:
                run(whorl_dedup(path, out, None, settings["cores"], method))
            seconds[name] = median(map(_seconds, outs))
        passes = max(0.001, seconds["articles"] - seconds["single"])
        return _Cleaned(removals_of_whorl(outs[-1]), links_of_whorl(outs[-1]), passes)


def _seconds(out: Path) -> float:
    timings = json.loads((out / "run.json").read_text(encoding="utf-8"))["timings"]
    return float(sum(timings.values()))


def judged(copies: Copies, removals: Removals) -> dict[str, Any]:
    """Return the recall of each kind, of pairs and of mixtures; the share with at most one kept; and precision."""
    scored = score(copies.truth, removals)
    kinds = scored.by_kind.items()
    precision = scored.precision
    return {
        "recall": {kind: recall.pairs_found.value for kind, recall in kinds},
        "any": {kind: recall.any_found.value for kind, recall in kinds if _mixed(copies.truth.copies, kind)},
        "at_most_one_kept": {kind: recall.at_most_one_kept.value for kind, recall in kinds},
        "all": {
            "recall": scored.recall.pairs_found.as_dict(),
            "at_most_one_kept": scored.recall.at_most_one_kept.as_dict(),
            "precision": None if precision is None else precision.as_dict(),
        },
        "removed": scored.removed,
        "aside": scored.aside,
        "precision": 1.0 if precision is None or precision.value is None else precision.value,
    }


def _mixed(copies: Iterable[Copy], kind: str) -> bool:
    return any(copy.kind == kind and len(copy.sources) > 1 for copy in copies)


def _mistaken_shares(traps: Traps, method: str, settings: Settings) -> dict[str, float]:
    """Return the share of pairs on different events reported as copies: in a run over all, and pair by pair."""
    removals = _clean(traps.articles, method, settings | {"runs": 1}).removals
    shares = share_proved(traps.pairs, removals).value
    alone = sum(_judged_alone(traps, method))
    return {"taken": shares, "taken_alone": alone / len(traps.pairs)}


def _judged_alone(traps: Traps, method: str) -> Iterator[bool]:
    """Return for each pair whether it is a copy without any other articles; the shorter article is dropped."""
    from whorl.matching.verify import judge
    from whorl.recipe import Recipe

    recipe = Recipe().changed(method=method)
    (judgement,) = recipe.judgements()
    family, verdict = judgement.family, judgement.family.verdict(judgement.threshold)
    texts = ["\n".join(article[column] for column in recipe.text) for article in traps.articles]
    fingerprints = family.fingerprint(texts)
    keys = [set(row_keys.tolist()) for row_keys in np.split(fingerprints.keys, fingerprints.counts.cumsum()[:-1])]
    for pair in sorted(traps.pairs):
        dropped, kept = sorted(pair, key=lambda row: (fingerprints.lengths[row], -row))
        shared = len(keys[dropped] & keys[kept])
        yield (
            shared >= family.min_shared
            and judge(texts[dropped], texts[kept], family, verdict, judgement.verification)[1]
        )


def _summary(rows: list[dict[str, Any]], floors: list[dict[str, Any]]) -> str:
    head = (
        "| | documents/s, start apart | removed | recall | at most one kept | precision | kinds at their floor "
        "| other events taken for copies, in a run | pair by pair |"
    )
    lines = [head, f"|---|{'--:|' * 8}"]
    for row in rows:
        if "failure" in row:
            lines.append(f"| {row['method']} | {row['failure']} {'| ' * 7}|")
            continue
        targets = [(kind, floor["recall"]) for floor in floors for kind in floor["kinds"] if kind in row["recall"]]
        reached = sum(_beside_any(row, kind) >= floor for kind, floor in targets)
        mistaken = [f"{100 * row[name]:.2f}%" if name in row else "–" for name in ("taken", "taken_alone")]
        rate = row["documents"] / row["seconds"]
        cells = [
            f"{rate:,.0f}",
            f"{row['removed']:,}",
            *(with_interval(row["all"][name]) for name in ("recall", "at_most_one_kept", "precision")),
            f"{reached} of {len(targets)}",
            *mistaken,
        ]
        lines.append(f"| {row['method']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _tables_of_kinds(rows: list[dict[str, Any]], floors: list[dict[str, Any]]) -> Iterator[str]:
    """Return one table per floor, and one for the kinds without a floor."""
    measured_kinds = dict.fromkeys(kind for row in rows for kind in row["recall"])
    named = {kind for floor in floors for kind in floor["kinds"]}
    rest = {"recall": None, "kinds": [kind for kind in measured_kinds if kind not in named]}
    for floor in (*floors, rest):
        kinds = [kind for kind in floor["kinds"] if kind in measured_kinds]
        for start in range(0, len(kinds), _COLUMNS):
            yield _table_of_kinds(rows, kinds[start : start + _COLUMNS], floor["recall"])


def _table_of_kinds(rows: list[dict[str, Any]], kinds: list[str], floor: float | None) -> str:
    label = "recall (at most one kept)" if floor is None else f"recall (at most one kept), floor {floor}"
    lines = [f"| {label} | {' | '.join(kinds)} |", f"|---|{'--:|' * len(kinds)}"]
    lines += (f"| {row['method']} | {' | '.join(_recall(row, kind, floor) for kind in kinds)} |" for row in rows)
    return "\n".join(lines)


def _recall(row: Mapping[str, Any], kind: str, floor: float | None) -> str:
    """Format the recall, bold from the floor on (mixtures: any source), then at most one kept if it differs."""
    recall, weaker = _beside_any(row, kind), row["at_most_one_kept"][kind]
    cell = f"{recall:.3f}" if floor is None or recall < floor else f"**{recall:.3f}**"
    by_pair = f", by pair {row['recall'][kind]:.3f}" if kind in row["any"] else ""
    return f"{cell}{by_pair} ({weaker:.3f})" if by_pair or f"{weaker:.3f}" != f"{recall:.3f}" else cell


def _beside_any(row: Mapping[str, Any], kind: str) -> float:
    """Return the recall of a kind; for mixtures the share of copies found with any source."""
    return float(row["any"].get(kind, row["recall"][kind]))


def with_interval(share: Mapping[str, Any] | None) -> str:
    """Format a share as ``0.943 [0.936, 0.949]``; a dash for None."""
    if share is None or share["value"] is None:
        return "–"
    return f"{share['value']:.3f} [{share['low']:.3f}, {share['high']:.3f}]"


def overview(answer: Answer, headings: Sequence[str]) -> str:
    """Return the table of those chapters: the mean recall of each group of kinds that has a floor, by language.

    Args:
        answer: answer to the question.
        headings: of the method, of each group, of all removed, of all removed or linked, precision, other events, and
            articles per second.
    """
    rows = [row for row in answer["rows"] if "failure" not in row]
    by_method = {method: [row for row in rows if row["method"] == method] for method in dict.fromkeys(_methods(rows))}
    ordered = sorted(by_method.items(), key=lambda item: sum(row["all"]["recall"]["value"] for row in item[1]))
    lines = [f"| {' | '.join(headings)} |", f"|---|{'--:|' * (len(headings) - 1)}"]
    for method, rows_of_method in reversed(ordered):
        means = [_joined(_mean(row, floor["kinds"]) for row in rows_of_method) for floor in answer["floors"]]
        cell = next((f"{100 * row['taken']:.1f}%" for row in rows_of_method if "taken" in row), "–")
        figures = [_joined(row["all"]["recall"]["value"] for row in rows_of_method)]
        figures.append(_joined(row["removed_or_linked"] for row in rows_of_method))
        figures += [" / ".join(f"{row['precision']:.3f}" for row in rows_of_method), cell]
        rates = " / ".join(f"{row['documents'] / row['seconds']:,.0f}" for row in rows_of_method)
        lines.append(f"| `{method}` | {' | '.join([*means, *figures, rates])} |")
    return "\n".join(lines)


def _methods(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (row["method"] for row in rows)


def _mean(row: Mapping[str, Any], kinds: Iterable[str]) -> float:
    return mean(_beside_any(row, kind) for kind in kinds if kind in row["recall"])


def _joined(values: Iterable[float]) -> str:
    return " / ".join(f"{value:.2f}" for value in values)
