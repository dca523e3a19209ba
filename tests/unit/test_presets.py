"""Presets: names for a family with fixed parameters."""

from pathlib import Path

import pytest

import whorl
from whorl.errors import UsageError
from whorl.fingerprints import family, keys
from whorl.recipe import PRESETS, Recipe, load_recipe, recipe_of


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_is_a_recipe(name: str) -> None:
    recipe = recipe_of(name)
    assert recipe == Recipe(**PRESETS[name])
    assert recipe == Recipe().changed(method=name)


def test_presets_and_their_parameters() -> None:
    assert recipe_of("baidu1").family() == family("longest_sentence", sentences=1)
    assert recipe_of("baidu3").family() == family("longest_sentence", sentences=3)
    assert recipe_of("nshash").family() == family("longest_sentence", sentences=5, min_length=31)


def test_short_texts_use_nouns_and_verbs() -> None:
    short = recipe_of("short").family()
    text = "渔港的冰厂今年添了新机器，渔民卸鱼方便"
    assert keys(short, f"GPT 4：{text}！") == keys(short, text) != frozenset()
    assert keys(short, "渔港的冰厂") == frozenset(), "three tags or fewer say nothing"


def test_yanyiwu_hashes_the_five_heaviest_words() -> None:
    text = "我是蓝翔技工拖拉机学院手扶拖拉机专业的。不用多久，我就会升职加薪，当上总经理，迎娶白富美。"
    chosen = recipe_of("yanyiwu").family()
    assert keys(chosen, text) == keys(chosen, f"{text}这是我们的。")


def test_a_preset_can_be_changed() -> None:
    recipe = recipe_of("nshash", threshold=0.5, parameters={"min_shared": 2})
    assert recipe.threshold == 0.5
    assert recipe.family() == family("longest_sentence", sentences=5, min_length=31, min_shared=2)


def test_a_recipe_file_may_name_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text('method = "nshash"\n[parameters]\nsentences = 7\n', encoding="utf-8")
    assert load_recipe(path).family() == family("longest_sentence", sentences=7, min_length=31)
    path.write_text("threshold = 0.7\n", encoding="utf-8")
    assert load_recipe(path, method="baidu1") == recipe_of("baidu1", threshold=0.7)


def test_unknown_preset_error_lists_presets() -> None:
    with pytest.raises(UsageError, match="no method 'baidu2'") as raised:
        recipe_of("baidu2")
    assert set(PRESETS) <= set(raised.value.hint.replace("choose one of: ", "").split(", "))


@pytest.mark.parametrize("method", ["short", "imatch", "keywords"])
def test_equal_texts_are_copies_of_which_a_method_makes_no_key(method: str) -> None:
    texts = ["Rain tonight.", "Rain, tonight!", "Rain tomorrow.", "……", "……"]
    result = whorl.dedup(texts, method=method)
    assert [copy["duplicate_of"] for copy in result.duplicates.to_pylist()] == ["0"]
    explanation = whorl.explain(texts[0], texts[1], method=method)
    assert explanation.copies
    assert not whorl.explain(texts[0], texts[2], method=method).copies
