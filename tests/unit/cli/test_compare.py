"""``whorl compare``: two texts, one against many, and every possible error."""

import json
import zipfile
from pathlib import Path

import pytest
from tests.meaning import REPORT, RETELLING, write_model
from tests.translated import ITS_TRANSLATION, TERMS, WITHOUT_FACTS
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke, write_jsonl

UNIQUE = "这一句是自己写的，别的文章里没有。"


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    file = tmp_path / "harbour.txt"
    file.write_text(HARBOUR, encoding="utf-8")
    return file


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    """Return a text that is mostly in two others."""
    file = tmp_path / "draft.txt"
    file.write_text(f"{BRIDGE}\n{UNIQUE}\n{HARBOUR.replace('四十吨', '五十吨')}", encoding="utf-8")
    return file


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Return a folder with a text in each of some formats."""
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "harbour.txt").write_bytes(HARBOUR.encode("gb18030"))
    page = f"<html><head><title>Bridge</title></head><body><article><p>{BRIDGE}</p></article></body></html>"
    (folder / "bridge.html").write_text(page, encoding="utf-8")
    write_jsonl(folder / "rows.jsonl", {"text": "没有关系的一篇，讲的是别的事情。"}, {"text": "又一篇，也没有关系。"})
    (folder / "rows.csv").write_text("text\n第三篇，还是没有关系。\n", encoding="utf-8")
    document = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
    document += "<w:t>一份文件，里面写的是另一件事。</w:t></w:r></w:p></w:body></w:document>"
    with zipfile.ZipFile(folder / "letter.docx", "w") as archive:
        archive.writestr("word/document.xml", document)
    return folder


def test_the_second_text_is_examined(
    invoke: Invoke, harbour: Path, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    result = invoke("compare", harbour, draft, "--lang", "zh")
    assert result.exit_code == 0
    for text in ("见于甲文", "总文字复制比", "相似度", "[四]", "[五]", "harbour.txt", "draft.txt"):
        assert text in result.stdout.replace("\n", "")
    output = json.loads(invoke("compare", harbour, draft, "--json").stdout)
    assert 0.2 < output["ratios"]["copied"] < 0.8
    assert (output["relation"], output["direction"]) == ("excerpt", "a")
    assert (output["text"]["name"], output["sources"][0]["name"]) == (str(draft), str(harbour))
    (passage,) = output["passages"]
    assert draft.read_text(encoding="utf-8")[passage["b_start"] : passage["b_end"]].startswith("渔港的冰厂")


def test_a_translation_is_shown_as_such_with_terms_from_a_file(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    source, text, terms = (tmp_path / name for name in ("source.txt", "text.txt", "terms.tsv"))
    source.write_text(WITHOUT_FACTS, encoding="utf-8")
    text.write_text(ITS_TRANSLATION, encoding="utf-8")
    terms.write_text("".join(f"{chinese}\t{english}\n" for chinese, english in TERMS), encoding="utf-8")
    assert json.loads(invoke("compare", source, text, "--json").stdout)["relation"] == "unrelated"
    output = json.loads(invoke("compare", source, text, "--terms", terms, "--json").stdout)
    assert (output["relation"], output["ratios"]["translated"], output["ratios"]["copied"]) == ("translation", 1.0, 0.0)
    report = tmp_path / "report.html"
    rendered = invoke("compare", source, text, "--terms", terms, "--out", report, "--lang", "zh")
    assert rendered.exit_code == 0
    page = report.read_text(encoding="utf-8")
    assert 'class="row passage t7"' in page
    for sentence in (
        "文本 100.0% 与来源内容相同，语言不同",
        "100.0% of the text says the same as its source in another language",
    ):
        assert sentence in page
    assert "与他语来源内容相同" in invoke("compare", source, text, "--terms", terms, "--lang", "zh").stdout


def test_same_file_twice_is_identical(invoke: Invoke, harbour: Path) -> None:
    output = json.loads(invoke("compare", harbour, harbour, "--json", "--lang", "zh").stdout)
    assert (output["relation"], output["similarity"], output["sentence"]) == ("exact", 1.0, "乙文与甲文相同")
    none = {name: output["ratios"].pop(name) for name in ("reworded", "quoted_uncited", "translated", "meaning")}
    assert set(none.values()) == {0.0}
    assert set(output["ratios"].values()) == {1.0}


def test_sources_of_all_formats_are_found_and_named(invoke: Invoke, draft: Path, library: Path) -> None:
    result = invoke("compare", draft, "--against", library, "--json")
    output = json.loads(result.stdout)
    assert [Path(source["name"]).name for source in output["sources"]] == ["bridge.html", "harbour.txt"]
    assert (output["compared"], output["left_out"], output["relation"]) == (6, 0, "compilation")
    assert sum(source["share"] for source in output["sources"]) == pytest.approx(output["ratios"]["copied"])
    assert all(source["comparison"]["passages"] for source in output["sources"])
    assert "documents" in result.stderr


def test_text_is_not_its_own_source(invoke: Invoke, corpus: Path) -> None:
    result = invoke("compare", f"{corpus}:1", "--against", corpus, "--json")
    output = json.loads(result.stdout)
    assert output["compared"] == 3
    assert f"{corpus}:1 is also among the sources" in result.stderr


def test_sources_that_share_least_are_left_out_and_counted(invoke: Invoke, draft: Path, library: Path) -> None:
    output = json.loads(invoke("compare", draft, "--against", library, "--most", "2", "--json").stdout)
    assert [Path(source["name"]).name for source in output["sources"]] == ["bridge.html", "harbour.txt"]
    assert (output["compared"], output["left_out"]) == (2, 4)


def test_authorised_sources_count_apart(invoke: Invoke, draft: Path, library: Path, harbour: Path) -> None:
    arguments = ("compare", draft, "--against", library, "--authorised", library / "bridge.html")
    output = json.loads(invoke(*arguments, "--json").stdout)
    assert {Path(source["name"]).name: source["authorised"] for source in output["sources"]} == {
        "bridge.html": True,
        "harbour.txt": False,
    }
    assert 0 < output["ratios"]["foreign"] < output["ratios"]["copied"]
    assert invoke(*arguments, "--fail-on", output["ratios"]["copied"]).exit_code == 0
    assert invoke(*arguments, "--fail-on", output["ratios"]["foreign"]).exit_code == 1
    alone = json.loads(invoke("compare", harbour, "--authorised", harbour.parent / "library", "--json").stdout)
    assert (alone["ratios"]["copied"], alone["ratios"]["foreign"]) == (1.0, 0.0)


def test_several_sources_precede_the_text(
    invoke: Invoke, draft: Path, library: Path, harbour: Path, tmp_path: Path
) -> None:
    (bridge := tmp_path / "bridge.txt").write_text(BRIDGE, encoding="utf-8")
    before = json.loads(invoke("compare", harbour, bridge, draft, "--json").stdout)
    behind = json.loads(invoke("compare", draft, "--against", harbour, "--against", bridge, "--json").stdout)
    assert before == behind
    assert (before["text"]["name"], len(before["sources"])) == (str(draft), 2)
    output = json.loads(invoke("compare", library, draft, "--authorised", harbour, "--json").stdout)
    assert output["ratios"]["foreign"] < output["ratios"]["copied"]


def test_exit_code_1_is_found_where_asked(invoke: Invoke, harbour: Path, draft: Path, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger.txt"
    stranger.write_text("Nothing of the kind was ever written before.", encoding="utf-8")
    assert invoke("compare", harbour, draft, "--fail-on", "0.2").exit_code == 1
    assert invoke("compare", stranger, draft, "--fail-on", "0.2").exit_code == 0


def test_the_page_is_written_and_complete(invoke: Invoke, draft: Path, library: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = invoke("compare", draft, "--against", library, "--html", page)
    assert result.exit_code == 0
    written = page.read_text(encoding="utf-8")
    assert 'id="p1"' in written
    assert "harbour.txt" in written
    assert "<script" not in written


def test_exclusions_are_reported(invoke: Invoke, tmp_path: Path) -> None:
    for name, text in (("a.txt", HARBOUR), ("b.txt", f"他说：“{HARBOUR}”\n{UNIQUE}")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "notice.txt").write_text(HARBOUR, encoding="utf-8")
    places = ("compare", tmp_path / "a.txt", tmp_path / "b.txt", "--json")
    options = {
        "quotations": ("--exclude", "quotations,references"),
        "boilerplate": ("--boilerplate", tmp_path / "notice.txt"),
        "least": ("--least", "5000"),
    }
    assert json.loads(invoke(*places).stdout)["ratios"]["copied"] > 0.5
    for reason, arguments in options.items():
        output = json.loads(invoke(*places, *arguments).stdout)
        message = {exclusion["reason"]: exclusion for exclusion in output["exclusions"]}
        assert message[reason]["characters"] > 50
        assert output["passages"] == []


def test_boilerplate_is_learned_from_texts_that_share_it(invoke: Invoke, harbour: Path, tmp_path: Path) -> None:
    rows = [{"text": f"第{number}篇自己的话。\n{HARBOUR}"} for number in range(5)]
    many = write_jsonl(tmp_path / "many.jsonl", *rows)
    output = json.loads(invoke("compare", harbour, harbour, "--learn-boilerplate", many, "--json").stdout)
    assert output["ratios"]["copied"] == 0
    assert output["exclusions"][0]["reason"] == "boilerplate"


def test_sentence_uses_the_selected_language(invoke: Invoke, harbour: Path, draft: Path) -> None:
    for language, sentence in (("en", "of text B is in text A"), ("zh", "见于甲文")):
        compared = ("compare", harbour, draft, "--lang", language)
        assert sentence in invoke(*compared).stdout
        assert sentence in json.loads(invoke(*compared, "--json").stdout)["sentence"]


def test_reprint_threshold(invoke: Invoke, harbour: Path, draft: Path) -> None:
    for share, reprint in (("0.1", True), ("0.9", False)):
        output = json.loads(invoke("compare", harbour, draft, "--reprint", share, "--json").stdout)
        assert output["reprint"] is reprint


def test_texts_may_come_from_stdin(invoke: Invoke, draft: Path, library: Path) -> None:
    text = draft.read_text(encoding="utf-8")
    output = json.loads(invoke("compare", draft, "-", "--json", stdin=text).stdout)
    assert (output["relation"], output["text"]["name"]) == ("exact", "-")
    output = json.loads(invoke("compare", "-", "--against", library, "--json", stdin=text).stdout)
    assert len(output["sources"]) == 2
    row = json.dumps({"text": text}) + "\n"
    output = json.loads(invoke("compare", draft, "--against", "-", "--json", stdin=row).stdout)
    assert output["ratios"]["copied"] == 1.0


def test_gbk_is_recognised(invoke: Invoke, draft: Path, harbour: Path) -> None:
    old = harbour.with_name("old.txt")
    old.write_bytes(HARBOUR.encode("gb18030"))
    assert json.loads(invoke("compare", harbour, old, "--json").stdout)["similarity"] == 1.0


@pytest.mark.parametrize("content", [b"", b" \n\t", b"\xe5\xad\x97", b"a\x00b", "甲".encode("utf-16"), b"\xed\xa0\x80"])
def test_odd_texts_are_related_to_nothing(invoke: Invoke, draft: Path, tmp_path: Path, content: bytes) -> None:
    odd = tmp_path / "odd.txt"
    odd.write_bytes(content)
    page = tmp_path / "odd.html"
    result = invoke("compare", odd, draft, "--json", "--html", page)
    if result.exit_code == 0:
        assert json.loads(result.stdout)["passages"] == []
        assert page.exists()
    else:
        assert result.exit_code == 3
        assert "hint:" in result.stderr


def test_unreadable_texts_are_counted(invoke: Invoke, draft: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "好的一行，可以读。"}\n{broken\n', encoding="utf-8")
    result = invoke("compare", draft, "--against", rows, "--json")
    assert json.loads(result.stdout)["rejected"] == 1
    assert "1 row cannot be read" in result.stderr


def test_requests_that_make_no_sense_are_refused(invoke: Invoke, draft: Path, library: Path, tmp_path: Path) -> None:
    empty = tmp_path / "nothing"
    empty.mkdir()
    for arguments, code, message in (
        ((draft,), 2, "no sources to compare with"),
        ((draft, draft, "--against", library), 2, "sources are named both before the text and with --against"),
        (("-", "-"), 2, "stdin"),
        (("-", "--against", "-"), 2, "stdin"),
        ((draft, tmp_path / "gone.txt"), 3, "does not exist"),
        ((draft, library), 3, "is a folder"),
        ((draft, library / "rows.jsonl"), 2, "has a document in each row"),
        ((draft, "--against", empty), 3, "no files"),
        ((draft, "--against", draft), 3, "no text to compare with"),
        ((draft, draft, "--exclude", "jokes"), 2, "quotations"),
        ((draft, draft, "--reprint", "7"), 2, "0.7"),
    ):
        result = invoke("compare", *arguments, stdin="x")
        assert (result.exit_code, result.stdout) == (code, ""), arguments
        assert message in result.stderr
        assert "hint:" in result.stderr


def test_options_override_the_recipe(invoke: Invoke, tmp_path: Path) -> None:
    texts = [tmp_path / "a.txt", tmp_path / "b.txt"]
    texts[0].write_text(HARBOUR, encoding="utf-8")
    texts[1].write_text(f"{HARBOUR}\n{BRIDGE}", encoding="utf-8")
    recipe = tmp_path / "strict.toml"
    recipe.write_text('[compare]\nreprint = 0.01\nlanguage = "en"\n', encoding="utf-8")

    def judged(*options: object) -> tuple[bool, str]:
        ended = invoke("compare", *texts, "--json", *options)
        assert ended.exit_code == 0, ended.stderr
        output = json.loads(ended.stdout)
        return output["reprint"], output["language"]

    assert judged("--recipe", recipe) == (True, "en")
    assert judged("--recipe", recipe, "--reprint", 0.99, "--lang", "zh") == (False, "zh")
    recipe.write_text("[compare]\nreprint = 7\n", encoding="utf-8")
    refused = invoke("compare", *texts, "--recipe", recipe)
    assert refused.exit_code == 2
    assert "expected a number in (0, 1] for reprint, got 7" in refused.stderr


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "docx"])
def test_tables_are_written_and_written_again(invoke: Invoke, draft: Path, library: Path, suffix: str) -> None:
    table = draft.with_name(f"table.{suffix}")
    for _ in range(2):
        assert invoke("compare", draft, "--against", library, "--table", table).exit_code == 0
    assert table.stat().st_size > 500
    table.write_bytes(b"somebody else's table")
    assert invoke("compare", draft, "--against", library, "--table", table).exit_code == 2
    assert table.read_bytes() == b"somebody else's table"


def test_a_table_is_called_as_one(invoke: Invoke, harbour: Path, draft: Path) -> None:
    for option, name in (("--table", "table.pdf"), ("--out", "report.xlsx")):
        ended = invoke("compare", harbour, draft, option, draft.with_name(name))
        assert (ended.exit_code, ended.stdout) == (2, "")
        assert "hint:" in ended.stderr
        assert not draft.with_name(name).exists()


def test_a_report_is_printed_and_printed_again(invoke: Invoke, harbour: Path, draft: Path) -> None:
    pytest.importorskip("weasyprint", reason="Pango is not here", exc_type=OSError)
    report = draft.with_name("report.pdf")
    for _ in range(2):
        ended = invoke("compare", harbour, draft, "--out", report, "--short")
        if ended.exit_code == 4:
            pytest.skip(ended.stderr)
        assert ended.exit_code == 0, ended.stderr
    assert report.read_bytes().startswith(b"%PDF-")


def test_cover_lists_the_searched_sources(invoke: Invoke, draft: Path, tmp_path: Path) -> None:
    rows = [{"id": f"n-{day}", "text": BRIDGE if day == 7 else "无关。", "date": f"2024-05-0{day}"} for day in (3, 7)]
    news = write_jsonl(tmp_path / "news.jsonl", *rows)
    page = tmp_path / "report.html"
    arguments = ("--date", "date", "--out", page, "--title", "桥与港", "--author", "林晓", "--short")
    assert invoke("compare", draft, "--against", news, *arguments).exit_code == 0
    written = page.read_text(encoding="utf-8")
    for text in ("桥与港", "林晓", "2024-05-03 – 2024-05-07", "<bdi>news.jsonl</bdi>", "<bdi>n-7</bdi>"):
        assert text in written
    assert str(tmp_path) not in written


def test_a_retelling_is_shown_in_its_own_words(invoke: Invoke, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra meaning-onnx")
    model, report = write_model(tmp_path / "model"), tmp_path / "report.html"
    source, text = tmp_path / "source.txt", tmp_path / "text.txt"
    source.write_text(REPORT, encoding="utf-8")
    text.write_text(RETELLING, encoding="utf-8")
    compared = ("compare", source, text, "--meaning-model", model)
    printed = invoke(*compared, "--lang", "en").stdout
    assert "100% of text B has the same content as text A, in other words" in printed
    assert "same content in other words" in printed
    assert "hint" not in printed
    output = json.loads(invoke(*compared, "--json").stdout)
    assert (output["relation"], output["ratios"]["meaning"], output["ratios"]["copied"]) == ("reworded", 1.0, 0.0)
    invoke(*compared, "--out", report, "--lang", "zh")
    page = report.read_text(encoding="utf-8")
    assert "内容相同，措辞不同" in page
    assert 'class="row passage t8' in page
    recipe = tmp_path / "ours.toml"
    recipe.write_text(f"[compare]\nmeaning = {json.dumps(str(model))}\n", encoding="utf-8")
    assert json.loads(invoke("compare", source, text, "--recipe", recipe, "--json").stdout) == output


@pytest.mark.parametrize("content", ["", " \n", "。。——", "\u200b", "🎉"])
def test_a_text_without_words_is_no_clean_one(invoke: Invoke, harbour: Path, tmp_path: Path, content: str) -> None:
    empty, rows, library = tmp_path / "empty.txt", tmp_path / "rows.jsonl", tmp_path / "library"
    empty.write_text(content, encoding="utf-8")
    rows.write_text(json.dumps({"id": "a", "text": content}), encoding="utf-8")
    assert invoke("add", library, harbour).exit_code == 0
    for arguments in (
        ("compare", empty, harbour), ("compare", harbour, empty), ("compare", empty, "--against", library),
        ("compare", f"{rows}:1", harbour), ("compare", harbour, "--against", empty), ("check", library, empty),
        ("check", library, rows),
    ):  # fmt: skip
        refused = invoke(*arguments)
        assert (refused.exit_code, "text to compare" in refused.stderr) == (3, True)
    checked = invoke("check", library, empty, harbour)
    assert (checked.exit_code, "1 article has no text to compare" in checked.stderr) == (0, True)
