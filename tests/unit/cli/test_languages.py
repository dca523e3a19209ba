"""All output of the command line is in one language, the selected one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.articles import NEWSROOM
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke, write_jsonl
from typer.main import get_command
from typer.testing import CliRunner

from whorl.cli import build_app
from whorl.cli.ui.epilogs import Epilog, Section
from whorl.cli.ui.localization import texts
from whorl.evaluation.mutations import kinds_for
from whorl.fingerprints import families
from whorl.i18n import LANGUAGES, Message, looked_up
from whorl.recipe import PRESETS

HAN = re.compile("[一-鿿]")
WORDS = re.compile(r"(?<![\w./:=$`{-])[A-Za-z]{2,}(?![\w/:=-]|\.\w|\()")
COMMAND = re.compile("`whorl [^`]+`")
NAMES = {
    *("HTML", "DOCX", "PDF", "JSON", "JSONL", "Parquet", "CSV", "TSV", "XLSX", "PNG", "ID", "ROW", "GLOB", "Lines"),
    *("whorl", "dedup", "compare", "jieba", "WHORL_LANG", "minhash", "exact", "simhash", "kB", "MB", "min"),
    *(
        "SimHash",
        "shingle",
        "Jaccard",
        "jaccard",
        "copied",
        "cosine",
        "plagdet",
        "longest",
        "best",
        "latest",
        "first",
        "earliest",
    ),
}
"""Names of formats, measures and units, which are the same in Chinese."""

OF_METHODS = {
    *families(),
    *PRESETS,
    *{kind for language in LANGUAGES for kind in kinds_for(language)},
    "rewrite",
    "gram",
}


def commands(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, value in getattr(command, "commands", {}).items():
        yield from commands(value, *path, name)


PROGRAM = get_command(build_app())
COMMANDS = dict(commands(PROGRAM))


def sections(epilog: str | None) -> tuple[Section, ...]:
    return epilog.sections if isinstance(epilog, Epilog) else ()


def section_texts(section: Section) -> Iterator[str]:
    """Yield the texts of a section: its title and its rows; bare strings in them are commands and names."""
    yield section.title
    for row in section.rows:
        yield from [row] if isinstance(row, str) else row


@pytest.mark.parametrize("text", sorted({text for text in texts(PROGRAM) if text.strip()}))
def test_help_texts_are_translated(text: str) -> None:
    assert HAN.search(looked_up(text, "zh"))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_sections_are_translated(path: tuple[str, ...]) -> None:
    for section in sections(COMMANDS[path].epilog):
        for text in filter(None, section_texts(section)):
            if isinstance(text, Message):
                assert HAN.search(text.to("zh")), text
            else:
                assert re.match(r"whorl |zcat |echo |[\w/., \[\]-]+$|[\w.]+ ?=|\[replaced", text), f"say it: {text}"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_that_takes_a_value_names_it(path: tuple[str, ...]) -> None:
    unnamed = [
        item.name for item in COMMANDS[path].params if not item.metavar and getattr(item, "is_flag", None) is False
    ]
    assert unnamed == []


def page(language: str, path: tuple[str, ...]) -> str:
    result = CliRunner().invoke(
        build_app(path[0] if path else None), [*path, "--help", "--lang", language], env={"COLUMNS": "120"}
    )
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_uses_the_selected_language(path: tuple[str, ...]) -> None:
    english = page("en", path)
    quoted = re.sub("研究生命的起源|內容|標題|标题|网址|来源|作者|发布时间|是/否", "", english)
    assert not HAN.search(quoted)
    chinese = page("zh", path)
    assert "用法：whorl" in chinese
    spoken = [line for line in english.splitlines() if len(WORDS.findall(line)) > 3 and not runs(line)]
    assert [line for line in spoken if line in chinese] == []


def runs(line: str) -> bool:
    """Return True if a line is a command."""
    return re.match(r" *(whorl|zcat|echo) ", line) is not None


FILES = {"out": "out", "lib": "lib", "copy": "copy", "all": "all.jsonl", "idf": "idf.parquet", "book": "b.xlsx"}


def inputs(folder: Path, text: str, more: str) -> dict[str, Path]:
    """Return the paths of a text, a longer text, a corpus of both, and an output folder."""
    rows = [{"id": "1", "text": text}, {"id": "2", "text": f" {text}"}, {"id": "3", "text": text + more}]
    places = {name: folder / file for name, file in FILES.items()} | {"one": folder / "1.txt", "two": folder / "2.txt"}
    places["one"].write_text(text, encoding="utf-8")
    places["two"].write_text(text + more, encoding="utf-8")
    corpus = write_jsonl(folder / "corpus.jsonl", *rows)
    return places | {"corpus": corpus, "news": NEWSROOM / "articles.jsonl", "truth": NEWSROOM / "truth.jsonl"}


LINES = [
    "dedup {corpus} -o {out} --threshold 0.5",
    "show {out} 1",
    "compare {one} {two}",
    "compare {two} --against {corpus}",
    "explain {one} {two} --verify cosine",
    "explain {corpus}:1 {corpus}:3 --method simhash",
    "hot {corpus}",
    "add {lib} {corpus}",
    "show {lib} 1",
    "check {lib} {two}",
    "library clusters {lib}",
    "library trace {lib} 1",
    "library stats {lib}",
    "library verify {lib} --repair",
    "library reindex {lib}",
    "library backup {lib} {copy}",
    "library export {lib} {all}",
    "library remove {lib} 1",
    "idf {corpus} -o {idf}",
    "methods",
    "eval {news} {truth} --method exact --no-sweep",
    "eval sample {news} --out {book} --size 3",
    "recommend {news} --method exact --size 20 --copies 1",
]


def displayed_lines(invoke: Invoke, language: str, line: str, places: dict[str, Path]) -> list[str]:
    """Return the output of a command, on both streams, without the names and texts of its arguments."""
    arguments = [part.format_map(places) for part in line.split()]
    result = invoke(*arguments, "--lang", language)
    assert result.exit_code in (0, 1), result.stderr
    text = result.output
    for place in sorted(map(str, places.values()), key=len, reverse=True):
        text = text.replace(place, "")
    return text.splitlines()


def test_english_output_has_no_chinese(invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    places = inputs(tmp_path, BRIDGE, " Tolls are waived.")
    for line in LINES:
        assert [item for item in displayed_lines(invoke, "en", line, places) if HAN.search(item)] == [], line


def test_chinese_output_has_no_english_but_names(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    places = inputs(tmp_path, HARBOUR, "明天有雨。")
    for line in LINES:
        report = displayed_lines(invoke, "zh", line, places)
        assert any(map(HAN.search, report)), line
        plain = [COMMAND.sub("", item) for item in report if "的预设：" not in item]  # parameters have English names
        assert {word for item in plain for word in WORDS.findall(item)} <= NAMES | OF_METHODS, line


def test_language_option_is_valid_anywhere_and_the_last_wins(invoke: Invoke) -> None:
    for arguments in (["--lang", "zh", "methods"], ["methods", "--lang=zh"], ["--lang=en", "methods", "--lang", "zh"]):
        assert "方法" in invoke(*arguments).stdout
    for arguments in (["library", "--lang", "zh"], ["--lang", "zh"], ["eval", "--lang", "zh"]):
        assert "用法：whorl" in invoke(*arguments).output
    assert "文件" not in invoke("dedup", "--", "--lang", "zh").output


def test_another_language_is_refused(invoke: Invoke) -> None:
    result = invoke("methods", "--lang", "fr")
    assert result.exit_code == 2
    assert "expected one of 'en', 'zh', got 'fr'" in result.stderr
    assert "hint: " in result.stderr


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dedup --thresold 3", ("No such option: --thresold", "没有选项 --thresold")),
        ("dedup", ("Missing argument 'INPUT'", "缺少参数 'INPUT'")),
        ("dedup x", ("Missing option '--out'", "缺少选项 '--out'")),
        ("shwo", ("No such command 'shwo'. Did you mean 'show'?", "没有命令 'shwo'。是不是 'show'？")),
        ("library foo", ("No such command 'foo'", "没有命令 'foo'")),
        ("show a b c", ("Got unexpected extra argument(s) (c)", "多余的参数：c")),
        ("hot x --top 0", ("expected at least 1, got 0", "'--top' 的值有误：应不小于 1，实为 0")),
        ("hot x --top many", ("expected an integer, got 'many'", "'--top' 的值有误：应为整数，实为 'many'")),
        ("compare a b --fail-on 2", ("expected at most 1, got 2.0", "应不大于 1，实为 2.0")),
        (
            "explain a b --fail-on x",
            ("expected one of 'copy', 'different', got 'x'", "应为 'copy', 'different' 之一，实为 'x'"),
        ),
        ("hot x --quiet=3", ("does not take a value", "不带值")),
        ("hot x --top", ("requires an argument", "缺少值")),
    ],
)
def test_command_line_mistakes_have_a_hint(invoke: Invoke, line: str, message: tuple[str, str], language: str) -> None:
    result = invoke("--lang", language, *line.split())
    assert result.exit_code == 2
    assert dict(zip(("en", "zh"), message, strict=True))[language] in result.stderr
    assert {"en": "error: ", "zh": "错误："}[language] in result.stderr
    assert {"en": "\n  hint: see `whorl", "zh": "\n  建议：见 `whorl"}[language] in result.stderr
