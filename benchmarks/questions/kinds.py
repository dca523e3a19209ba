"""What every family and preset finds of copies of each kind, and what it takes for copies by mistake.

A kind's recall is the share of its pairs, copy and original, that are in one cluster: one removed for the other, or
both for the same article. Beside it stands the share of which at most one article is kept, whatever the other was
removed for. A removal is right if the removed article and the one kept for it are such a pair, or copies of one
original. Removals that share text with the kept article for another reason, such as the same added notice, count
neither way.

A mixture can be in the cluster of one of its sources only: floors and means take its recall beside any of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from benchmarks.copies import Copies, Row, Traps, copies_in, traps_in
from benchmarks.measure import RunFailed, run
from benchmarks.questions import Answer, Settings, say, scratch, whorl_dedup
from benchmarks.score import Removals, removals_of_whorl
from whorl.evaluation.scoring import Copy, score, share_proved

_COLUMNS = 8
_HEADINGS = {
    "docs/DECIDING.md": (
        "method",
        "whole copies",
        "parts, mixtures, rewritten",
        "short ones",
        "all: at most one kept",
        "precision",
        "other events",
        "articles/s",
    ),
    "docs/DECIDING.zh-CN.md": (
        "方法",
        "整篇的抄本",
        "节选、拼接、改动较大",
        "短文",
        "全部：至多留一篇",
        "精确率",
        "误认的他事",
        "篇/秒",
    ),
}


def ask(settings: Settings) -> Answer:
    """Clean the copies, and the pairs that are none, by every family and preset there is."""
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
    """Return what is to stay low."""
    rows = [row for row in answer["rows"] if "failure" not in row]
    return {f"{row['method']}, {row['language']}": row["seconds"] / row["documents"] for row in rows}


def table(answer: Answer) -> str:
    """Return the answer as Markdown: for each language the methods, then what they find of every kind."""
    parts = []
    for language, documents in answer["documents"].items():
        rows = [row for row in answer["rows"] if row["language"] == language]
        parts += [f"**{language}, {documents:,} articles**", _summary(rows, answer["floors"])]
        parts += _tables_of_kinds([row for row in rows if "failure" not in row], answer["floors"])
    parts.append("Bold reaches the floor of the kind. Brackets hold 95 % intervals.")
    return "\n\n".join(parts)


def excerpts(answer: Answer) -> dict[str, str]:
    """Return the table that stands in each chapter of how whorl decides, between the marks of this question."""
    return {name: overview(answer, headings) for name, headings in _HEADINGS.items()}


def _trial(method: str, copies: Copies, traps: Traps | None, settings: Settings) -> dict[str, Any]:
    try:
        removals, seconds = _clean(copies.articles, method, settings)
        taken = _taken(traps, method, settings) if traps else {}
    except RunFailed as failure:
        return {"failure": str(failure).strip().splitlines()[-1]}
    return {"seconds": seconds, "documents": len(copies.articles)} | judged(copies, removals) | taken


def _clean(articles: Iterable[Row], method: str, settings: Settings) -> tuple[Removals, float]:
    """What a method removes, and the seconds that its passes took beyond those over a single article."""
    with scratch() as folder:
        lines = [json.dumps({"id": str(row)} | article, ensure_ascii=False) for row, article in enumerate(articles)]
        seconds = {}
        for name, own in {"single": lines[:1], "articles": lines}.items():
            path = folder / f"{name}.jsonl"
            path.write_text("\n".join([*own, ""]), encoding="utf-8")
            outs = [folder / f"{name}-{turn}" for turn in range(settings["runs"])]
            for out in outs:
                run(whorl_dedup(path, out, None, settings["cores"], method))
            seconds[name] = median(map(_seconds, outs))
        return removals_of_whorl(outs[-1]), max(0.001, seconds["articles"] - seconds["single"])


def _seconds(out: Path) -> float:
    timings = json.loads((out / "run.json").read_text(encoding="utf-8"))["timings"]
    return float(sum(timings.values()))


def judged(copies: Copies, removals: Removals) -> dict[str, Any]:
    """Return the recall of each kind, of pairs and of mixtures; at most one kept; and precision."""
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


def _taken(traps: Traps, method: str, settings: Settings) -> dict[str, float]:
    """The share of pairs on different events that are taken for copies: in a run over all, and each by itself."""
    removals, _ = _clean(traps.articles, method, settings | {"runs": 1})
    taken = share_proved(traps.pairs, removals).value
    alone = sum(_judged_alone(traps, method))
    return {"taken": taken, "taken_alone": alone / len(traps.pairs)}


def _judged_alone(traps: Traps, method: str) -> Iterator[bool]:
    """For each pair, whether it would be a copy if there were no other articles: the shorter one is dropped."""
    from whorl.matching.verify import judge
    from whorl.recipe import Recipe

    recipe = Recipe().changed(method=method)
    (judgement,) = recipe.judgements()
    family, verdict = judgement.family, judgement.family.verdict(judgement.threshold)
    texts = ["\n".join(article[column] for column in recipe.text) for article in traps.articles]
    fingerprints = family.fingerprint(texts)
    keys = [set(own.tolist()) for own in np.split(fingerprints.keys, fingerprints.counts.cumsum()[:-1])]
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
        wanted = [(kind, floor["recall"]) for floor in floors for kind in floor["kinds"] if kind in row["recall"]]
        reached = sum(_beside_any(row, kind) >= floor for kind, floor in wanted)
        taken = [f"{100 * row[name]:.2f} %" if name in row else "–" for name in ("taken", "taken_alone")]
        rate = row["documents"] / row["seconds"]
        cells = [
            f"{rate:,.0f}",
            f"{row['removed']:,}",
            *(with_interval(row["all"][name]) for name in ("recall", "at_most_one_kept", "precision")),
            f"{reached} of {len(wanted)}",
            *taken,
        ]
        lines.append(f"| {row['method']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _tables_of_kinds(rows: list[dict[str, Any]], floors: list[dict[str, Any]]) -> Iterator[str]:
    """A table for each floor, and one for the kinds that have none."""
    known = dict.fromkeys(kind for row in rows for kind in row["recall"])
    named = {kind for floor in floors for kind in floor["kinds"]}
    rest = {"recall": None, "kinds": [kind for kind in known if kind not in named]}
    for floor in (*floors, rest):
        kinds = [kind for kind in floor["kinds"] if kind in known]
        for start in range(0, len(kinds), _COLUMNS):
            yield _table_of_kinds(rows, kinds[start : start + _COLUMNS], floor["recall"])


def _table_of_kinds(rows: list[dict[str, Any]], kinds: list[str], floor: float | None) -> str:
    label = "recall (at most one kept)" if floor is None else f"recall (at most one kept), floor {floor}"
    lines = [f"| {label} | {' | '.join(kinds)} |", f"|---|{'--:|' * len(kinds)}"]
    lines += (f"| {row['method']} | {' | '.join(_recall(row, kind, floor) for kind in kinds)} |" for row in rows)
    return "\n".join(lines)


def _recall(row: Mapping[str, Any], kind: str, floor: float | None) -> str:
    """The recall, bold from the floor on, of mixtures beside any source; then at most one kept where it differs."""
    recall, weaker = _beside_any(row, kind), row["at_most_one_kept"][kind]
    shown = f"{recall:.3f}" if floor is None or recall < floor else f"**{recall:.3f}**"
    by_pair = f", by pair {row['recall'][kind]:.3f}" if kind in row["any"] else ""
    return f"{shown}{by_pair} ({weaker:.3f})" if by_pair or f"{weaker:.3f}" != f"{recall:.3f}" else shown


def _beside_any(row: Mapping[str, Any], kind: str) -> float:
    """The recall of a kind; of mixtures the share of copies found beside any source."""
    return float(row["any"].get(kind, row["recall"][kind]))


def with_interval(share: Mapping[str, Any] | None) -> str:
    """Write a share as ``0.943 [0.936, 0.949]``; a dash for none."""
    if share is None or share["value"] is None:
        return "–"
    return f"{share['value']:.3f} [{share['low']:.3f}, {share['high']:.3f}]"


def overview(answer: Answer, headings: Sequence[str]) -> str:
    """Return the table of those chapters: the means of the groups of kinds that have a floor, of each language.

    Args:
        answer: to the question.
        headings: of the method, of each group, of at most one kept, precision, other events, and articles a second.
    """
    rows = [row for row in answer["rows"] if "failure" not in row]
    by_method = {method: [row for row in rows if row["method"] == method] for method in dict.fromkeys(_methods(rows))}
    ordered = sorted(by_method.items(), key=lambda item: sum(row["all"]["recall"]["value"] for row in item[1]))
    lines = [f"| {' | '.join(headings)} |", f"|---|{'--:|' * (len(headings) - 1)}"]
    for method, own in reversed(ordered):
        means = [_joined(_mean(row, floor["kinds"]) for row in own) for floor in answer["floors"]]
        taken = next((f"{100 * row['taken']:.1f} %" for row in own if "taken" in row), "–")
        figures = [_joined(row["all"]["at_most_one_kept"]["value"] for row in own)]
        figures += [" / ".join(f"{row['precision']:.3f}" for row in own), taken]
        rates = " / ".join(f"{row['documents'] / row['seconds']:,.0f}" for row in own)
        lines.append(f"| `{method}` | {' | '.join([*means, *figures, rates])} |")
    return "\n".join(lines)


def _methods(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (row["method"] for row in rows)


def _mean(row: Mapping[str, Any], kinds: Iterable[str]) -> float:
    return mean(_beside_any(row, kind) for kind in kinds if kind in row["recall"])


def _joined(values: Iterable[float]) -> str:
    return " / ".join(f"{value:.2f}" for value in values)
