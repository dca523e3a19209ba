from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.articles import article, newsroom_articles

from whorl.errors import InputError, UsageError
from whorl.evaluation.documents import Documents
from whorl.evaluation.evaluate import recipes_of
from whorl.evaluation.intervals import Share
from whorl.evaluation.mutations import kinds_for
from whorl.evaluation.planted import plant_copies
from whorl.evaluation.recommend import Wish, as_toml, recommend
from whorl.evaluation.standing import demanded_share, judge_removals
from whorl.evaluation.trial import try_recipe
from whorl.matching.relation import RELATIONS, REMOVED
from whorl.recipe import Recipe, load_recipe

DOCUMENTS = Documents(tuple(map(str, range(120))), tuple(article(number) for number in range(120)))
WISH = Wish(recipes_of(["exact", "minhash", "news"], Recipe()), size=120, per_kind=2, kinds=("typo5", "excerpt20"))


def test_planted_copies_are_known_and_every_original_is_used_once() -> None:
    planted = plant_copies(DOCUMENTS, size=100, per_kind=2, seed=3)
    sources = [source for copy in planted.truth.copies for source in copy.sources]
    assert len(sources) == len(set(sources))
    assert set(sources) < set(DOCUMENTS.ids)
    assert (planted.originals, planted.left_out) == (100, 0)
    assert set(planted.kinds) == set(kinds_for("zh"))
    assert planted.documents.ids[100:] == tuple(copy.document for copy in planted.truth.copies)
    assert planted == plant_copies(DOCUMENTS, size=100, per_kind=2, seed=3)
    assert planted != plant_copies(DOCUMENTS, size=100, per_kind=2, seed=4)


def test_documents_that_look_alike_are_left_out() -> None:
    rows = newsroom_articles()
    documents = Documents(tuple(row["id"] for row in rows), tuple(row["text"] for row in rows))
    planted = plant_copies(documents, size=91, per_kind=1, seed=0)
    assert planted.originals + planted.left_out == 91
    assert planted.left_out > 30
    originals = documents.chosen([documents.ids.index(own) for own in planted.documents.ids[: planted.originals]])
    assert try_recipe(originals, Recipe().changed(method="news", threshold=0.3)).removals == {}


def test_a_sample_that_runs_out_has_all_kinds_alike() -> None:
    planted = plant_copies(DOCUMENTS, size=9, per_kind=5, seed=0, kinds=("typo1", "typo5", "short"))
    assert planted.kinds == {"typo1": 3, "typo5": 3, "short": 3}


def test_a_kind_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="'typo7'"):
        plant_copies(DOCUMENTS, size=9, per_kind=5, seed=0, kinds=("typo7",))


def test_a_corpus_without_text_is_too_small() -> None:
    with pytest.raises(InputError, match="too small"):
        recommend(Documents(("a", "b"), (" ", "")), WISH)


def test_the_recipe_that_finds_most_is_recommended() -> None:
    best, told = recommend(DOCUMENTS, WISH)
    assert best is not None
    assert best.method == "winnowing"
    assert told["recommended"]["name"].startswith("news")
    assert told["recommended"]["recall"]["value"] == max(own["recall"]["value"] for own in told["tried"])
    assert {own["name"].split(",")[0] for own in told["tried"]} == set(WISH.recipes)
    assert told["precise"]
    assert told["left_out"] == {"value": 0.0, "low": 0.0, "high": pytest.approx(0.031, abs=1e-3), "hits": 0, "of": 120}
    assert not told["enough"], "four copies tell nothing"


def test_of_equals_the_most_precise_comes_first() -> None:
    _, told = recommend(DOCUMENTS, WISH)
    by_name = {own["name"]: own for own in told["tried"]}
    first = told["recommended"]["precision"]["value"]
    assert told["equals"]
    assert all(by_name[name]["precision"]["value"] <= first for name in told["equals"])


def reordered(text: str) -> str:
    """The beginning of a text, and its other characters, every one once, in an order that leaves no other passage."""
    signs = [sign for sign in dict.fromkeys(text) if sign not in text[:PHRASE]]
    Random(1).shuffle(signs)
    return text[:PHRASE] + "".join(signs)


PHRASE = 16
ANY_ORDER = Recipe(threshold=0.9, remove=(*REMOVED, "partial", "reworded")).changed(parameters={"shingle": 1})
"""By sets of single characters: finds a copy, and takes whatever has the same characters and a phrase for one."""


def test_what_is_removed_of_the_corpus_is_judged_by_passages() -> None:
    texts = [article(number) for number in range(30)]
    corpus = Documents(tuple(map(str, range(45))), (*texts, *texts[:5], *map(reordered, texts[:10])))
    standing = judge_removals(corpus, ANY_ORDER, planted=Share(1, 100), seed=0)
    assert (standing.removed, standing.stands, standing.demanded) == (Share(15, 45), Share(5, 15), 0.5)
    assert [warning.kind for warning in standing.warnings] == ["unbacked", "excess"]
    assert standing == judge_removals(corpus, ANY_ORDER, planted=Share(1, 100), seed=0)
    fair = judge_removals(corpus, Recipe(threshold=0.9), planted=Share(1, 4), seed=0)
    assert (fair.removed.hits, fair.stands, fair.warnings) == (5, Share(5, 5), ())


def test_the_share_that_is_demanded_is_that_of_the_recipe_but_a_half_at_most() -> None:
    demanded = [demanded_share(Recipe().changed(method=name)) for name in ("minhash", "news", "simhash")]
    assert demanded == [0.5, 0.45, 0.15]
    assert demanded_share(Recipe(threshold=0.3)) == 0.3


def test_a_recipe_whose_real_removals_do_not_stand_is_not_proposed() -> None:
    texts = [article(number) for number in range(100)]
    corpus = Documents(tuple(map(str, range(110))), (*texts, *map(reordered, texts[:10])))
    wish = replace(WISH, recipes={"any order": ANY_ORDER}, precision=0.6, size=30, kinds=("verbatim",))
    wish = replace(wish, per_kind=20)
    best, told = recommend(corpus, wish)
    assert best is None
    assert told["precise"], "among planted copies it looks good"
    assert told["recommended"] is None
    assert told["tried"][0]["real"]["stands"]["value"] < 0.6
    both = {"any order": ANY_ORDER, "exact": Recipe().changed(method="exact")}
    best, told = recommend(corpus, replace(wish, recipes=both))
    assert best is not None
    assert best.method == "exact", "the next best is"
    assert told["recommended"]["real"]["stands"]["of"] == 0


def test_a_precision_that_nothing_reaches_is_told() -> None:
    rows = newsroom_articles()
    copies = Documents(tuple(row["id"] for row in rows), tuple(row["text"] for row in rows))
    every = tuple(name for name in RELATIONS if name != "unrelated")
    noisy = Recipe(remove=every).changed(
        method="simhash", verify="none", parameters={"distance": 11, "bits": 8, "limits": ()}
    )
    best, told = recommend(copies, replace(WISH, recipes={"noisy": noisy}, precision=1.0))
    assert not told["precise"]
    assert best is told["recommended"] is None


@pytest.mark.parametrize("name", ["news", "short", "baidu3", "minhash"])
def test_a_written_recipe_is_read_back(tmp_path: Path, name: str) -> None:
    recipe = Recipe(text=('ti"tle', "正文"), id="编号").changed(method=name, threshold=0.55)
    path = tmp_path / "recipe.toml"
    path.write_text(as_toml(recipe, "ours"), encoding="utf-8")
    assert load_recipe(path).as_dict() == recipe.as_dict()
