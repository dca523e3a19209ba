from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.articles import article, newsroom_articles
from tests.quality.forms import forms

from whorl.errors import InputError, UsageError
from whorl.evaluation.documents import Documents
from whorl.evaluation.evaluate import recipes_of
from whorl.evaluation.intervals import Share
from whorl.evaluation.mutations import kinds_for
from whorl.evaluation.planted import LONGEST, SAMPLED, plant_copies
from whorl.evaluation.purposes import purpose_of
from whorl.evaluation.recommend import Wish, as_toml, recommend
from whorl.evaluation.standing import CONTAINED, ReportJudge, judge_pairs
from whorl.evaluation.trial import try_recipe
from whorl.matching.relation import RELATIONS, REMOVABLE, REMOVED
from whorl.recipe import Recipe, load_recipe

DOCUMENTS = Documents(tuple(map(str, range(120))), tuple(article(number) for number in range(120)))
WISH = Wish(recipes_of(["exact", "minhash", "news"], Recipe()), size=120, per_kind=2, kinds=("typo5", "excerpt20"))


def test_planted_copies_use_each_original_once() -> None:
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
    originals = documents.chosen(
        [documents.ids.index(original) for original in planted.documents.ids[: planted.originals]]
    )
    assert try_recipe(originals, Recipe().changed(method="news", threshold=0.3)).removals == {}


def test_a_sample_that_runs_out_has_all_kinds_alike() -> None:
    planted = plant_copies(DOCUMENTS, size=9, per_kind=5, seed=0, kinds=("typo1", "typo5", "short"))
    assert planted.kinds == {"typo1": 3, "typo5": 3, "short": 3}


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="'typo7'"):
        plant_copies(DOCUMENTS, size=9, per_kind=5, seed=0, kinds=("typo7",))


def test_a_corpus_without_text_is_too_small() -> None:
    with pytest.raises(InputError, match="too small"):
        recommend(Documents(("a", "b"), (" ", "")), WISH)


def test_the_recipe_that_finds_most_is_recommended() -> None:
    best, report = recommend(DOCUMENTS, WISH)
    assert best is not None
    assert best.method == "winnowing"
    assert report["recommended"]["name"].startswith("news")
    assert report["recommended"]["recall"]["value"] == max(item["recall"]["value"] for item in report["tried"])
    assert {item["name"].split(",")[0] for item in report["tried"]} == set(WISH.recipes)
    assert report["precise"]
    assert report["left_out"] == {
        "value": 0.0,
        "low": 0.0,
        "high": pytest.approx(0.031, abs=1e-3),
        "hits": 0,
        "of": 120,
    }
    assert not report["enough"], "four copies tell nothing"


def test_ties_prefer_precision() -> None:
    _, report = recommend(DOCUMENTS, WISH)
    by_name = {item["name"]: item for item in report["tried"]}
    first = report["recommended"]["precision"]["value"]
    assert report["equals"]
    assert all(by_name[name]["precision"]["value"] <= first for name in report["equals"])


def reordered(text: str) -> str:
    """Return the beginning of a text and its other characters, once each, in an order without further passages."""
    signs = [sign for sign in dict.fromkeys(text) if sign not in text[:PHRASE]]
    Random(1).shuffle(signs)
    return text[:PHRASE] + "".join(signs)


PHRASE = 16
ANY_ORDER = Recipe(threshold=0.9, remove=(*REMOVED, "partial", "reworded")).changed(parameters={"shingle": 1})
"""Fingerprints by sets of single characters: they find a copy, and any text with the same characters and a phrase."""


def test_removals_are_judged_independently_of_the_recipe() -> None:
    texts = [article(number) for number in range(30)]
    corpus = Documents(tuple(map(str, range(45))), (*texts, *texts[:5], *map(reordered, texts[:10])))
    judge = ReportJudge(corpus, planted=Share(1, 100))
    upheld = judge.judge(try_recipe(corpus, ANY_ORDER))
    assert (upheld.removed, upheld.stands) == (Share(15, 45), Share(5, 15))
    assert upheld.relations["exact"] == 5
    assert [warning.kind for warning in upheld.warnings] == ["unbacked", "excess"]
    assert upheld == ReportJudge(corpus, planted=Share(1, 100)).judge(try_recipe(corpus, ANY_ORDER))
    fair = ReportJudge(corpus, planted=Share(1, 4)).judge(try_recipe(corpus, Recipe(threshold=0.9)))
    assert (fair.removed.hits, fair.stands, fair.jaccard, fair.warnings) == (5, Share(5, 5), 1.0, ())


def test_a_pair_is_right_only_by_relation_facts_and_shared_text() -> None:
    kept, other = article(1), article(2)
    form = "渔港气象台{}月{}日{}时预报：今天白天到夜间全市多云，最低气温{}度，最高{}度，请市民注意添加衣物，谨防感冒。"
    exact, edited, filled, stranger = judge_pairs(
        [
            (kept, kept),
            (kept, kept.replace(kept[40:42], "改过")),
            (form.format(3, 5, 8, 6, 15), form.format(11, 21, 17, 2, 4)),
            (kept, other),
        ]
    )
    assert exact.stands(REMOVED)
    assert edited.stands(REMOVED)
    assert not filled.facts_agree
    assert not filled.stands(RELATIONS), "whatever its relation is called"
    assert not stranger.stands(RELATIONS)
    assert stranger.contained < CONTAINED < edited.contained


@pytest.mark.parametrize("purpose", [None, "archive"])
def test_forms_that_dominate_are_refused(purpose: str | None) -> None:
    rows = [row["text"] for row in forms()]
    strangers = [article(number) for number in range(len(rows) // 2)]
    corpus = Documents(tuple(map(str, range(len(rows) + len(strangers)))), (*rows, *strangers))
    best, report = recommend(corpus, replace(WISH, size=3000, purpose=purpose_of(purpose)))
    assert best is report["recommended"] is None
    assert report["refused"]["kind"] == "templates"
    assert report["refused"]["count"] >= report["refused"]["of"] / 3
    assert report["tried"] == []


def test_a_cluster_that_dominates_is_refused() -> None:
    texts = [article(number) for number in range(60)]
    edited = [f"{texts[0]}{article(100 + number, 20)}" for number in range(40)]
    corpus = Documents(tuple(map(str, range(100))), (*texts, *edited))
    best, report = recommend(corpus, WISH)
    assert best is None
    assert (report["refused"]["kind"], report["refused"]["of"]) == ("giant", 100)
    assert report["refused"]["count"] >= 25


def test_sample_size_is_bounded_and_reported() -> None:
    long = ["".join(article(10 * number + part) for part in range(60)) for number in range(120)]
    assert min(map(len, long)) > LONGEST
    corpus = Documents(tuple(map(str, range(120))), tuple(long))
    _, report = recommend(corpus, replace(WISH, recipes=recipes_of(["exact"], Recipe()), kinds=("verbatim",)))
    sample = report["sample"]
    assert sample["documents"] == sample["cut"] == SAMPLED // LONGEST
    assert sample["code_points"] == SAMPLED


def test_no_further_recipe_is_tried_once_the_work_is_done() -> None:
    _, report = recommend(DOCUMENTS, replace(WISH, work=1))
    assert {item["name"] for item in report["tried"]} == set(WISH.recipes), "each method once, none at other thresholds"
    assert set(report["sample"]["unswept"]) == {"minhash", "news"}


def test_links_count_where_copies_are_reported_and_not_removed() -> None:
    wish = Wish(recipes_of(["news"], Recipe()), size=120, per_kind=10, kinds=("mix2",))
    _, removing = recommend(DOCUMENTS, wish)
    _, linking = recommend(DOCUMENTS, replace(wish, purpose=purpose_of("theses")))
    best = {item["tried"][0]["recall"]["value"] for item in (removing,)}
    assert max(best) < linking["tried"][0]["recall"]["value"]
    assert linking["tried"][0]["precision"]["value"] == 1.0


def test_an_archive_loses_no_excerpt() -> None:
    wish = Wish(recipes_of(["news"], Recipe()), size=120, per_kind=10, kinds=("excerpt60", "verbatim"))
    best, report = recommend(DOCUMENTS, replace(wish, purpose=purpose_of("archive")))
    assert best is not None
    assert best.remove == ("exact", "near_duplicate")
    assert report["recommended"]["kinds"]["verbatim"]["value"] == 1.0
    assert report["recommended"]["kinds"]["excerpt60"]["value"] == 0.0


def test_unknown_purpose_is_refused() -> None:
    with pytest.raises(UsageError, match="'museum'"):
        purpose_of("museum")


def test_recipe_with_rejected_removals_is_not_proposed() -> None:
    texts = [article(number) for number in range(100)]
    corpus = Documents(tuple(map(str, range(110))), (*texts, *map(reordered, texts[:10])))
    wish = replace(WISH, recipes={"any order": ANY_ORDER}, precision=0.6, size=110, kinds=("verbatim",))
    wish = replace(wish, per_kind=20)
    best, report = recommend(corpus, wish)
    assert best is None
    assert report["precise"], "among planted copies it looks good"
    assert report["recommended"] is None
    assert report["tried"][0]["real"]["stands"]["value"] < 0.6
    both = {"any order": ANY_ORDER, "exact": Recipe().changed(method="exact")}
    best, report = recommend(corpus, replace(wish, recipes=both))
    assert best is not None
    assert best.method == "exact", "the next best is"
    assert report["recommended"]["real"]["stands"]["of"] == 0


def test_unreachable_precision_is_reported() -> None:
    """A recipe that removes related texts reports texts with one notice as copies."""
    noisy = Recipe(remove=REMOVABLE).changed(method="news", threshold=0.1, verify="none")
    wish = replace(WISH, recipes={"noisy": noisy}, precision=1.0, kinds=("boilerplate",), per_kind=20)
    best, report = recommend(DOCUMENTS, wish)
    assert not report["precise"]
    assert best is report["recommended"] is None


@pytest.mark.parametrize("name", ["news", "short", "baidu3", "minhash"])
def test_a_written_recipe_is_read_back(tmp_path: Path, name: str) -> None:
    recipe = Recipe(text=('ti"tle', "正文"), id="编号").changed(method=name, threshold=0.55)
    path = tmp_path / "recipe.toml"
    path.write_text(as_toml(recipe, "ours"), encoding="utf-8")
    assert load_recipe(path).as_dict() == recipe.as_dict()
