"""The meaning channel in a class and in a corpus, with a small model in a folder."""

import csv
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from tests.meaning import OTHER_PORT, REPORT, RETELLING, write_model
from tests.rewritten import REWRITES

import whorl
from whorl.cli.ui.matches import report_table
from whorl.errors import InputError, UsageError

ESSAYS = {
    "a.txt": REPORT,
    "b.txt": RETELLING,
    "c.txt": OTHER_PORT,
    "d.txt": "修表匠只修齿轮，不修指针。他的铺子开在桥头，门口挂着一只停了的钟，三十年没有人去拨它。",
    "e.txt": f"夏夜的海水为什么会发光，老人们说法不一。{OTHER_PORT}",
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    if find_spec("tokenizers") is None or find_spec("onnxruntime") is None:
        pytest.skip("needs the extra meaning-onnx")
    return write_model(tmp_path / "model")


@pytest.fixture
def essays(tmp_path: Path) -> Path:
    place = tmp_path / "class"
    place.mkdir()
    for name, text in ESSAYS.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def test_a_retelling_in_a_class_is_a_pair_on_request(model: Path, essays: Path, tmp_path: Path) -> None:
    before = whorl.cohort(essays, tmp_path / "before", reworded=True)
    cohort = whorl.cohort(essays, tmp_path / "after", meaning=model)
    assert cohort.pairs[:-1] == before.pairs
    pair = cohort.pairs[-1]
    assert {pair.text, pair.source} == {"a.txt", "b.txt"}
    assert (pair.relation, pair.copied, pair.copied_back, pair.matched) == ("reworded", 0.0, 0.0, 0)
    assert pair.same_content > 0.9
    assert pair.longest[:10] in ESSAYS[pair.text]
    by_name = {item.manuscript.name: item for item in cohort.examinations}
    assert by_name["b.txt"].ratios.meaning > 0.9
    assert by_name["b.txt"].ratios.copied == by_name["b.txt"].ratios.reworded == 0
    assert (by_name["b.txt"].relation, by_name["b.txt"].top_source) == ("reworded", "a.txt")
    copied = {item.manuscript.name: item.ratios for item in before.examinations}
    assert all(by_name[name].ratios == copied[name] for name in ("c.txt", "d.txt", "e.txt"))


def test_its_files_show_it_in_its_own_wording(model: Path, essays: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    whorl.cohort(essays, out, meaning=model)
    with (out / "passages.csv").open(encoding="utf-8-sig") as file:
        rows = [row for row in csv.DictReader(file) if row["text"] == "b.txt"]
    assert {(row["source"], row["kind"], row["matched"], row["documents"]) for row in rows} == {
        ("a.txt", "meaning", "0", "2")
    }
    assert "same content in other words" in (out / "reports" / "b.txt.html").read_text(encoding="utf-8")
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "内容相同、措辞不同" in page or "内容相同，措辞不同" in page
    assert "Language model" in page
    with (out / "class.csv").open(encoding="utf-8-sig") as file:
        shares = {row["file"]: float(row["same_content"]) for row in csv.DictReader(file)}
    assert shares["b.txt"] > 0.9
    assert shares["c.txt"] == 0


def test_without_it_the_page_does_not_mention_it(essays: Path, tmp_path: Path) -> None:
    whorl.cohort(essays, tmp_path / "out", reworded=True)
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "other words" not in page


def test_a_later_run_agrees_and_another_model_starts_again(model: Path, essays: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (essays / "b.txt").unlink()
    assert not any(pair.same_content for pair in whorl.cohort(essays, out, meaning=model).pairs)
    (essays / "f.txt").write_text(RETELLING, encoding="utf-8")
    late = whorl.cohort(essays, out, meaning=model)
    assert late.examined == 2  # the new one, and the one that it retells
    assert late.pairs == whorl.cohort(essays, tmp_path / "afresh", meaning=model).pairs
    assert whorl.cohort(essays, out, meaning=model).examined == 0
    assert whorl.cohort(essays, out).examined == len(ESSAYS)
    other = write_model(tmp_path / "other")
    assert whorl.cohort(essays, out, meaning=other).examined == len(ESSAYS)


def test_covers_are_not_compared_by_meaning(model: Path, tmp_path: Path) -> None:
    place = tmp_path / "class"
    place.mkdir()
    for name, text in (("a.txt", REPORT), ("b.txt", RETELLING)):
        cover = f"滨海学院课程论文\n题目：港口\n姓名：{name}\n学号：12\n学院：人文学院\n"
        (place / name).write_text(f"{cover}{text}\n参考文献\n[1] 渔港志. 海岸出版社, 2019.\n", encoding="utf-8")
    cohort = whorl.cohort(place, tmp_path / "out", meaning=model)
    [pair] = cohort.pairs
    assert (pair.relation, pair.same_content) == ("reworded", 1.0)


def test_a_retelling_in_a_corpus_is_a_pair_on_request(model: Path, tmp_path: Path) -> None:
    documents = [{"id": name, "text": text} for name, text in ESSAYS.items()]
    before = whorl.reuse(documents, reworded=True)
    result = whorl.reuse(documents, meaning=model, out=tmp_path / "out")
    listed = [row for row in result.pairs.to_pylist() if row["same_content"]]
    [pair] = listed
    assert {pair["a_id"], pair["b_id"]} == {"a.txt", "b.txt"}
    assert (pair["relation"], pair["copied_a"], pair["copied_b"], pair["matched"]) == ("reworded", 0.0, 0.0, 0)
    passages = [row for row in result.passages.to_pylist() if row["kind"] == "meaning"]
    assert len(passages) == pair["passages"] >= 3
    assert all(row["cluster"] is None and row["b_text"] in ESSAYS[row["b_id"]] for row in passages)
    assert all(last["b_end"] <= row["b_start"] for last, row in pairwise(passages))
    assert result.pairs.drop_columns("same_content").slice(0, before.pairs.num_rows) == before.pairs
    assert result.passages.slice(0, before.passages.num_rows) == before.passages
    assert (result.clusters, result.witnesses) == (before.clusters, before.witnesses)
    assert result.edges == before.edges
    assert result.run["counts"]["same_content"] == 1
    assert result.run["settings"]["meaning"].startswith("model ")
    assert "model" in result.run["methods"]["en"]
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "same content in other words" in page


def test_what_the_core_finds_in_a_corpus_is_unchanged(model: Path) -> None:
    source, rewrite = REWRITES[0]
    documents = [{"id": "a", "text": source}, {"id": "b", "text": rewrite}, {"id": "c", "text": source[20:]}]
    result = whorl.reuse(documents, meaning=model)
    assert result.pairs.drop_columns("same_content") == whorl.reuse(documents, reworded=True).pairs
    assert result.run["counts"]["same_content"] == 0


def test_offsets_are_those_of_the_original_texts_in_a_layer(model: Path) -> None:
    notes = "【渔港志云】"
    annotated = "".join(f"{sentence}。{notes}" for sentence in REPORT.split("。") if sentence)
    documents = [{"id": "a", "text": annotated}, {"id": "b", "text": RETELLING}]
    result = whorl.reuse(documents, meaning=model, layer="text", notes="【】")
    rows = result.passages.to_pylist()
    assert rows
    assert all(annotated[row["a_start"] : row["a_end"]] == row["a_text"] for row in rows)
    assert not any(row["a_text"].startswith("【") for row in rows)


def test_a_wrong_model_is_refused_before_anything_is_read(essays: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder with a model"):
        whorl.cohort(essays, tmp_path / "out", meaning=tmp_path)
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="is not a folder with a model"):
        whorl.reuse_files(tmp_path / "missing", meaning=tmp_path)
    with pytest.raises(UsageError, match="meaning is"):
        whorl.reuse([REPORT], meaning="")


def test_a_library_and_a_folder_are_searched_for_retellings(model: Path, essays: Path, tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": name, "text": text} for name, text in ESSAYS.items() if name != "b.txt"])
    (essays / "b.txt").unlink()
    draft = tmp_path / "draft.txt"
    draft.write_text(RETELLING, encoding="utf-8")
    (essays / "d.txt").rename(essays / "0.txt")  # the only one that is chosen without content
    for against in (tmp_path / "library", essays):
        compared = whorl.compare_against(str(against), str(draft), meaning=model, most=1)
        assert (compared.result.relation, compared.result.ratios.copied) == ("reworded", 0.0)
        assert compared.result.ratios.meaning > 0.9
        [source] = {compared.sources[passage.source].name for passage in compared.result.passages}
        assert source.endswith(("a.txt", "a"))
        assert not whorl.compare_against(str(against), str(draft)).result.passages


def test_a_check_by_meaning_finds_a_retelling(model: Path, tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", recipe="content") as library:
        library.add([{"id": name, "text": text} for name, text in ESSAYS.items() if name != "b.txt"])
        assert library.check(RETELLING).matches == ()
        report = library.check(RETELLING, meaning=model)
        [match] = report.matches
        assert (match.id, match.relation, match.joins, match.direction) == ("a.txt", "reworded", False, None)
        assert match.this_in_other == match.other_in_this == 0
        assert match.same_content > 0.9
        assert {passage.kind for passage in match.passages} == {"meaning"}
        assert replace(report, matches=()) == library.check(RETELLING)
        assert library.check(REPORT, meaning=model) == library.check(REPORT)
        assert library.check(RETELLING, meaning=model, collection="none").matches == ()
        draft = tmp_path / "draft.txt"
        draft.write_text(RETELLING, encoding="utf-8")
        assert whorl.library.check_files(library, draft, meaning=model).matched == 1
        assert "same content in other words" in str(report_table(report).caption)
        assert whorl.library.check_files(library, draft).matched == 0


def test_a_library_that_finds_no_candidates_refuses(model: Path, tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library, pytest.raises(UsageError, match="method 'winnowing'"):
        library.check(RETELLING, meaning=model)
    with (
        whorl.open(tmp_path / "bare", recipe="minhash", texts=False) as library,
        pytest.raises(UsageError, match="keeps no texts"),
    ):
        library.check(RETELLING, meaning=model)


def test_boilerplate_of_a_library_is_not_compared(model: Path, tmp_path: Path) -> None:
    notice = "本站所有冰厂与渔船消息由海岸资讯编辑部整理发布，转载请注明出处并保留此行文字，违者必究。"
    with whorl.open(tmp_path / "library", recipe="content") as library:
        fillers = [
            f"第{number}天，{'山川之美古来共谈高峰入云清流见底'[number % 9 :]}，有{number * 37 + 11}人登山。"
            for number in range(30)
        ]
        library.add([{"id": f"n{number}", "text": f"{text}{notice}"} for number, text in enumerate(fillers)])
        library.add({"id": "a", "text": f"{REPORT}{notice}"})
        [match] = [match for match in library.check(f"{RETELLING}", meaning=model).matches if match.id == "a"]
        assert match.same_content == 1.0
