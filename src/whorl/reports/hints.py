"""The single hint below a result, derived from the figures of the finished run.

A hint needs no further run and is shown only if it applies. Of several, the most important applicable one is shown.
Arguments are written in backticks, `method=news`; the command line shows them as its options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whorl.i18n import Message, say, say_many
from whorl.recipe import Recipe
from whorl.reports.figures import Counts, part, percent
from whorl.types.comparison import Comparison, Composition

_MANY_REJECTED = 0.02
_FEW = 3
_HALF_SHARED = 34
"""Jaccard similarity in hundredths from which at least half of the shorter text is contained in the longer one."""
_FAMILY = 0.2
"""Share of near misses from which the texts are of one type, such as forms: a wider method would not help."""
_MANY_NEAR = 20
_NEAR = 0.05
_SHORT = 60
_QUOTED = 0.05
_SHORT_PASSAGE = 13
_MANY_PASSAGES = 20
_WORTH_IT = 0.05


def hint_of_run(run: Mapping[str, Any], recipe: Recipe, median: float) -> Message | None:
    """Return the hint for a deduplication.

    Args:
        run: content of `run.json`.
        recipe: recipe of the run.
        median: median folded length of its articles.
    """
    counts, hot_keys = Counts.of(run), part(run, "hot_keys")
    if counts.rejected > _MANY_REJECTED * counts.rows:
        share = percent(counts.rejected, counts.rows)
        return say("{share} of all rows were rejected: rejected/rejected.jsonl gives the reason for each", share=share)
    if counts.incomplete_files:
        return say_many(
            "{count:,} file was read only in part (missing chapters, scanned pages): `inputs` in run.json says which",
            "{count:,} files were read only in part (missing chapters, scanned pages): `inputs` in run.json says which",
            counts.incomplete_files,
        )
    if counts.guessed_encodings:
        return say_many(
            "{count:,} file does not say in which encoding it is; if its text looks wrong, name it with `encoding`",
            "{count:,} files do not say in which encoding they are; if their text looks wrong, name it with `encoding`",
            counts.guessed_encodings,
        )
    near_misses = part(run, "similarity").get("near_misses") or ()
    if sum(near_misses[_HALF_SHARED:]) > max(_MANY_NEAR, _FAMILY * counts.rows) or _of_families(
        run.get("warnings") or ()
    ):
        near_misses = ()
    return _of_near_misses(near_misses, recipe) or _of_keys(counts, hot_keys, recipe, median)


def _of_families(warnings: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if a warning reports related texts that are not copies; a wider method would match more of them."""
    return any(warning["kind"] in ("forms", "versions", "clauses") for warning in warnings)


def _of_near_misses(near_misses: Sequence[int], recipe: Recipe) -> Message | None:
    if recipe.fields:
        return None
    half = sum(near_misses[_HALF_SHARED:])
    if recipe.measure == "jaccard" and half >= _FEW:
        return say_many(
            "{count:,} article that stays has about half of the shorter text or more in common with another one: "
            "`method=news` finds excerpts and mixtures",
            "{count:,} articles that stay have about half of the shorter text or more in common with another one: "
            "`method=news` finds excerpts and mixtures",
            half,
        )
    lower = round(recipe.threshold - _NEAR, 2)
    near = sum(near_misses[round(100 * lower) :])
    if near >= _FEW and recipe.verify is None and lower > 0:
        return say_many(
            "{count:,} article that stays comes within {near} of the threshold: `threshold={lower}` takes such too",
            "{count:,} articles that stay come within {near} of the threshold: `threshold={lower}` takes such too",
            near,
            near=_NEAR,
            lower=lower,
        )
    return None


def _of_keys(counts: Counts, hot_keys: Mapping[str, Any], recipe: Recipe, median: float) -> Message | None:
    if hot_keys.get("unlisted"):
        return say_many(
            "{count:,} key is shared by so many articles that not all were compared by it: report.html shows its text",
            "{count:,} keys are shared by so many articles that not all were compared by them: report.html shows their "
            "texts",
            hot_keys["count"],
        )
    if counts.rows >= _FEW and 0 < median < _SHORT and recipe.measure == "jaccard":
        return say(
            "half of the articles have fewer than {length:,} characters: "
            "`method=news` tolerates changes in short texts",
            length=_SHORT,
        )
    return None


def hint_of_comparison(
    comparison: Comparison | Composition, left_out: int, compared: int, options: Mapping[str, Any]
) -> Message | None:
    """Return the hint for a comparison.

    Args:
        comparison: result of the comparison.
        left_out: number of sources that were not compared.
        compared: number of compared sources.
        options: options of the comparison.
    """
    if left_out:
        return say_many(
            "{count:,} further source shares less with the text and was not compared: `most={all}` compares it too",
            "{count:,} further sources share less with the text and were not compared: `most={all}` compares them too",
            left_out,
            all=left_out + compared,
        )
    ratios, passages = comparison.ratios, comparison.passages
    if not options.get("exclude") and ratios.copied - ratios.unquoted >= _QUOTED:
        return say(
            "without quotations and references {unquoted} is copied instead of {copied}: "
            "`exclude=quotations,references` leaves them out",
            unquoted=percent(ratios.unquoted, 1),
            copied=percent(ratios.copied, 1),
        )
    short = sum(passage.matched < _SHORT_PASSAGE for passage in passages if passage.kind != "meaning")
    if short >= _FEW and 2 * short >= len(passages) and options.get("least") is None:
        return say(
            "{short:,} of {all:,} passages have fewer than {least} characters: `least={least}` leaves them out",
            short=short,
            all=len(passages),
            least=_SHORT_PASSAGE,
        )
    if len(passages) > _MANY_PASSAGES:
        return say("`out=report.html` shows all {count:,} passages on a page", count=len(passages))
    return None


def hint_of_addition(new: int, existing: int, revised: int, matched: int) -> Message | None:
    """Return the hint for articles added to a library.

    Args:
        new: number of new articles.
        existing: number of articles that the library already contained.
        revised: number of articles with a changed text.
        matched: number of articles that share text with another one.
    """
    if revised >= _FEW and revised > new + existing:
        return say(
            "most ids have a different text than before: if these are different articles, "
            "name a column of unique ids with `id`"
        )
    if matched:
        return say_many(
            "{count:,} of these shares text with others: `whorl show LIB ID` lists the matches of an article, "
            "`whorl library clusters LIB` the clusters of copies",
            "{count:,} of these share text with others: `whorl show LIB ID` lists the matches of an article, "
            "`whorl library clusters LIB` the clusters of copies",
            matched,
        )
    return None


def hint_of_check(copies: int, matched: int) -> Message | None:
    """Return the hint for articles checked against a library.

    Args:
        copies: number of articles with a copy in the library.
        matched: number of articles related to an article of the library.
    """
    if matched <= copies:
        return None
    return say_many(
        "{count:,} article is related to others and not a copy: `whorl compare` shows the passages",
        "{count:,} articles are related to others and not copies: `whorl compare` shows the passages",
        matched - copies,
    )


def hint_of_groups(articles: int, groups: int, listed_groups: int, method: str | None) -> Message | None:
    """Return the hint for the most reprinted articles.

    Args:
        articles: number of articles.
        groups: number of clusters.
        listed_groups: number of clusters shown.
        method: method that grouped the files; None for a library.
    """
    if groups > listed_groups:
        return say_many(
            "{count:,} further group is not shown: `top={all}` shows it too",
            "{count:,} further groups are not shown: `top={all}` shows them too",
            groups - listed_groups,
            all=groups,
        )
    if articles > 1 and not groups and method not in (None, "news"):
        return say("`{method}` finds no copies: `method=news` finds excerpts and mixtures too", method=method)
    return None


def hint_of_evaluation(methods: Sequence[Mapping[str, Any]]) -> Message | None:
    """Return the hint for an evaluation: the method that gains most from another threshold or distance.

    Args:
        methods: measurements of each method.
    """
    gains = [
        (point["f1"]["value"] - method["f1"]["value"], method, point)
        for method in methods
        for point in method["sweep"]
        if point["f1"] and method["f1"]
    ]
    if not gains:
        return None
    gain, method, point = max(gains, key=lambda candidate: candidate[0])
    if gain < _WORTH_IT:
        return None
    name = "threshold" if "threshold" in point else "distance"
    return say(
        "{method} reaches F1 {best:.2f} with {name} {value} instead of {own:.2f}",
        method=method["name"],
        best=point["f1"]["value"],
        name=name,
        value=point[name],
        own=method["f1"]["value"],
    )


__all__ = [
    "hint_of_addition",
    "hint_of_check",
    "hint_of_comparison",
    "hint_of_evaluation",
    "hint_of_groups",
    "hint_of_run",
]
