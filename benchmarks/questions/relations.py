"""Relations of texts: forms, versions, translations and rewritten texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.articles import data_folder
from benchmarks.questions import Answer, Settings, say
from benchmarks.relations import MAIN_METHODS, MEASUREMENTS, Figures

_Line = tuple[str, str, Any, Any]
"""Measurement, figure, value, and target."""


def ask(settings: Settings) -> Answer:
    """Run every measurement that has data."""
    rows = []
    for name in settings.get("measurements", MEASUREMENTS):
        say(f"relations: {name}")
        if figures := MEASUREMENTS[name]():
            rows.append({"measurement": name, "figures": figures})
    origin = "examples/newsroom and invented posts"
    if data_folder():
        origin = f"foreign, families, mutated-zh, mutated-en and zh-labelled in WHORL_DATA, {origin}"
    return {"data": [origin], "rows": rows, "goals": settings["goals"]}


def table(answer: Answer) -> str:
    """Return the answer as a Markdown table of the figures that have a target or a count."""
    lines = ["| set | figure | measured | to reach |", "|---|---|--:|--:|"]
    for row in answer["rows"]:
        summary = _SUMMARIES[row["measurement"]](row["figures"], answer["goals"])
        lines += [f"| {' | '.join(map(_formatted, line))} |" for line in summary]
    return "\n".join(lines)


def _templates(figures: Figures, goals: Mapping[str, Any]) -> Iterator[_Line]:
    name = f"forms, {figures['documents']}"
    for method, result in figures["methods"].items():
        yield name, f"`{method}`: removed for another event", result["other_event_share"], f"≤ {goals['other_event']}"
        yield name, f"`{method}`: copies found", result["copies_found"], figures["copies"]
    called = figures["compare"]["called_copies_share"]
    yield name, "`compare`: other events called copies", called, f"≤ {goals['other_event']}"


def _command_pages(figures: Figures, _: Mapping[str, Any]) -> Iterator[_Line]:
    for method, result in figures["methods"].items():
        if method in MAIN_METHODS or result["under_30%"]:
            removed = f"{result['under_30%']} of {result['removed']}"
            yield "command pages", f"`{method}`: removed with under 30% shared", removed, "0"


def _laws(figures: Figures, goals: Mapping[str, Any]) -> Iterator[_Line]:
    name = f"laws-zh, {figures['documents']:,}"
    for columns in ("title_in_text", "title_column"):
        result, described = figures[columns], columns.replace("_", " ")
        removed = f"{result['other_group']} of {result['removed']}"
        yield name, f"`news`: removed under another title ({described})", removed, f"≤ {goals['other_title']}"
    versions = figures["version"]
    share = versions["amended_version_share"]
    yield name, "amended versions related as `version`", share, f"≥ {goals['versions']}"
    if by_date := figures["direction_by_date"]:
        yield (
            name,
            "the later version is named, by dates of the input",
            by_date["right_share"],
            f"≥ {goals['versions']}",
        )
    named = versions["relations"]["version"] - versions["direction_unknown"]
    right = round(versions["direction_right_share"] * versions["relations"]["version"])
    yield name, "the same by the texts alone: named, of these as dated", f"{named}, {right}", ""


def _foreign_laws(figures: Figures, goals: Mapping[str, Any]) -> Iterator[_Line]:
    for name, result in figures.items():
        removed = f"{result['news']['other_group']} of {result['news']['removed']}"
        yield f"foreign {name}, {result['documents']}", "`news`: removed under another name", removed, ""
        share = result["amended_version_share"]
        yield f"foreign {name}", "amended versions related as `version`", share, f"≥ {goals['versions']}"


def _translations(figures: Figures, goals: Mapping[str, Any]) -> Iterator[_Line]:
    if result := figures.get("independent"):
        called = f"{result['called_copies']} of {result['pairs']}"
        yield "independent translations", "called copied or near-duplicate", called, "0"
    if result := figures.get("revisions"):
        yield f"revisions, {result['pairs']}", "found as copies", result["found_share"], f"≥ {goals['revisions']}"


def _translated(figures: Figures, goals: Mapping[str, Any]) -> Iterator[_Line]:
    name = f"translated pages in other pages, {figures['planted']}"
    yield name, "plagdet of the aligned paragraphs", figures["plagdet"], f"≥ {goals['plagdet']}"
    yield name, "strangers called translations", figures["strangers_called_share"], f"≤ {goals['strangers']}"


def _degrees(figures: Figures, goals: Mapping[str, Any]) -> Iterator[_Line]:
    for language, result in figures.items():
        name = f"degrees, {language}"
        yield name, "half or more verbatim: found by `compare`", result["found_share"], f"≥ {goals['half_verbatim']}"
        yield name, "found by `news`", result["found_by_news_share"], f"≥ {goals['half_verbatim']}"
        for figure in ("similarity", "copied"):
            yield name, f"steps in which `{figure}` rises", f"{result[f'{figure}_rises']} of {result['steps']}", "0"


def _rewrites(figures: Figures, _: Mapping[str, Any]) -> Iterator[_Line]:
    for language, degrees in figures.items():
        for degree, result in degrees.items():
            goal = result["texts"] if degree in ("degree_1", "degree_2") else ""
            yield f"rewrites, {language}", f"{degree.replace('_', ' ')}: found by `check`", result["checked"], goal


def _meaning(figures: Figures, goals: Mapping[str, Any]) -> Iterator[_Line]:
    for degree, relations in figures["rewrites"].items():
        yield "rewrites, with `meaning`", f"{degree.replace('_', ' ')}: `reworded`", relations.get("reworded", 0), ""
    yield from _translated(figures["translated"], goals)


def _viral(figures: Figures, _: Mapping[str, Any]) -> Iterator[_Line]:
    for language, result in figures.items():
        for method in (*MAIN_METHODS, "winnowing"):
            counts = " / ".join(map(str, result["methods"][method]))
            goal = result["by_exact_similarity"] if method == "minhash" else result["posts"]
            yield f"viral, {language}", f"`{method}`: related, alone / among others", counts, goal
        yield f"viral, {language}", "`check`: with a match", result["library"]["checked"], result["posts"]


def _mutated(figures: Figures, _: Mapping[str, Any]) -> Iterator[_Line]:
    for language, result in figures.items():
        name = f"mutated-{language}, {result['documents']:,}"
        yield name, "`news`: kinds found to .97 or more", sum(share >= 0.97 for share in result["found"].values()), ""
        yield name, "`news`: precision", result["precision"], ""


def _answers(figures: Figures, _: Mapping[str, Any]) -> Iterator[_Line]:
    yield "Clough–Stevenson", "sorted rightly", f"{figures['right']} of {figures['answers']}", ""


def _newsroom(figures: Figures, _: Mapping[str, Any]) -> Iterator[_Line]:
    for method, keeping in figures["methods"].items():
        lost = " / ".join(str(result["originals_lost"]) for result in keeping.values())
        yield "newsroom", f"`{method}`: originals lost, {' / '.join(keeping)}", lost, "0"


def _related(figures: Figures, _: Mapping[str, Any]) -> Iterator[_Line]:
    for name, result in figures.items():
        for method in MAIN_METHODS:
            yield name, f"`{method}`: wrong removals", f"{result[method]['wrong']} of {result[method]['removed']}", ""


def _licences(figures: Figures, goals: Mapping[str, Any]) -> Iterator[_Line]:
    for count, result in figures.items():
        if not isinstance(result, dict):
            yield "licences", "comparisons per document, most to fewest texts", result, f"≤ {goals['growth']}"
        elif "over_s" in result:
            yield f"licences, {count}", "`news`: CPU s", f"over {result['over_s']}", f"≤ {goals['cpu_s']}"
        else:
            yield f"licences, {count}", "`news`: CPU s", result["cpu_s"], f"≤ {goals['cpu_s']}"


def _formatted(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


_SUMMARIES = {
    "templates": _templates,
    "command-pages": _command_pages,
    "laws": _laws,
    "foreign-laws": _foreign_laws,
    "translations": _translations,
    "translated": _translated,
    "degrees": _degrees,
    "rewrites": _rewrites,
    "meaning": _meaning,
    "viral": _viral,
    "mutated": _mutated,
    "answers": _answers,
    "newsroom": _newsroom,
    "related": _related,
    "licences": _licences,
}
