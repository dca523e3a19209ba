"""Presets: names that stand for a family with parameters of its own."""

from pathlib import Path

import pytest

from whorl.errors import UsageError
from whorl.fingerprints import family
from whorl.recipe import PRESETS, Recipe, load_preset, load_recipe


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_is_a_recipe(name: str) -> None:
    recipe = load_preset(name)
    assert recipe == Recipe(**PRESETS[name])
    assert recipe == Recipe().changed(method=name)


def test_what_the_presets_stand_for() -> None:
    assert load_preset("baidu1").family() == family("longest_sentence", sentences=1)
    assert load_preset("baidu3").family() == family("longest_sentence", sentences=3)
    assert load_preset("nshash").family() == family("longest_sentence", sentences=5, min_length=31)


def test_a_preset_can_be_changed() -> None:
    recipe = load_preset("nshash", threshold=0.5, parameters={"min_shared": 2})
    assert recipe.threshold == 0.5
    assert recipe.family() == family("longest_sentence", sentences=5, min_length=31, min_shared=2)


def test_a_recipe_file_may_name_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text('method = "nshash"\n[parameters]\nsentences = 7\n', encoding="utf-8")
    assert load_recipe(path).family() == family("longest_sentence", sentences=7, min_length=31)
    path.write_text("threshold = 0.7\n", encoding="utf-8")
    assert load_recipe(path, method="baidu1") == load_preset("baidu1", threshold=0.7)


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="baidu1, baidu3, nshash"):
        load_preset("baidu2")
