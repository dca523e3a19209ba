"""Recommendations do not rest on forms: on the templates of ``WHORL_DATA``, else on forms that `forms` invents."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from benchmarks import relations
from tests.quality import forms
from tests.quality.corpora import data_folder, lines

from whorl.evaluation.documents import Documents
from whorl.evaluation.evaluate import recipes_of
from whorl.evaluation.intervals import Share
from whorl.evaluation.recommend import Wish, recommend
from whorl.evaluation.scoring import pair
from whorl.evaluation.standing import Judge, judge_pairs
from whorl.evaluation.trial import try_recipe
from whorl.matching.relation import RELATIONS, REMOVED
from whorl.recipe import Recipe

_WRONG = 0.02
EVERY = tuple(name for name in RELATIONS if name != "unrelated")


@cache
def rows() -> list[dict[str, Any]]:
    folder = data_folder()
    return forms.forms() if folder is None else list(lines(folder / "foreign" / "templates.jsonl.gz"))


def corpus() -> Documents:
    return Documents(tuple(str(row["id"]) for row in rows()), tuple(row["text"] for row in rows()))


def copies() -> set[tuple[str, str]]:
    return {pair(str(row["id"]), str(row["copy_of"])) for row in rows() if row.get("copy_of") is not None}


def test_forms_are_refused() -> None:
    best, told = recommend(corpus(), Wish(recipes_of(None, Recipe())))
    assert best is None
    assert told["refused"]["kind"] == "templates", told["refused"]


@pytest.mark.parametrize("method", relations.MAIN_METHODS)
def test_removals_of_other_events_do_not_stand(method: str) -> None:
    """A recipe that removes whatever is related takes other events for copies, and the judge says so."""
    documents = corpus()
    trial = try_recipe(documents, Recipe(remove=EVERY).changed(method=method, threshold=0.3))
    texts = dict(zip(documents.ids, documents.texts, strict=True))
    other = [each for each in trial.removals.items() if pair(*each) not in copies()]
    standing = sum(judged.stands(REMOVED) for judged in judge_pairs((texts[kept], texts[own]) for own, kept in other))
    assert standing <= _WRONG * len(documents), (standing, len(other))


def test_copies_of_forms_stand() -> None:
    texts = {str(row["id"]): row["text"] for row in rows()}
    judged = judge_pairs((texts[a], texts[b]) for a, b in sorted(copies()))
    assert sum(one.stands(REMOVED) for one in judged) >= (1 - _WRONG) * len(judged)


def test_the_usual_recipe_stands_on_forms() -> None:
    documents = corpus()
    standing = Judge(documents, Share(1, 10)).judge(try_recipe(documents, Recipe().changed(method="news")))
    assert standing.precision >= 1 - _WRONG, standing
