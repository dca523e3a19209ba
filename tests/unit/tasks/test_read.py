"""`whorl.read` returns the texts that runs and libraries read, with their rows, and reports what it cannot read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.articles import article, write_jsonl
from tests.fuzz.samples import SAMPLES
from tests.runs import duplicates
from tests.unit.corpus.test_one_article import FORMATS

import whorl
from whorl.errors import InputError, UsageError


@pytest.mark.parametrize("name", FORMATS)
def test_an_article_is_read_from_a_file_of_any_format(tmp_path: Path, name: str) -> None:
    text = article(1)
    FORMATS[name](tmp_path / name, text)
    result = whorl.read(tmp_path / name)
    [document] = result
    assert whorl.dedup([document.text, text], method="exact").run["counts"]["kept"] == 1
    assert (document.file, document.row, result.rejected, result.truncated) == (name, 1, (), False)


@pytest.mark.parametrize("suffix", SAMPLES)
def test_documents_equal_those_of_a_library(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a.{suffix}"
    file.write_bytes(SAMPLES[suffix])
    documents = {document.id: document for document in whorl.read(file)}
    assert documents
    with whorl.open(tmp_path / "library") as library:
        whorl.library.add_files(library, file)
        for id, read in documents.items():
            stored = library.get(id)
            assert (read.text, read.title) == (stored.text, stored.title)
            assert (read.document.url, read.document.author) == (stored.url, stored.author)
        assert len(library) == len(documents)


def test_rows_are_those_of_a_run(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "news.jsonl", [{"text": article(1)}, {"text": article(2)}, {"text": article(1)}])
    whorl.dedup_files(file, tmp_path / "out")
    [removed] = duplicates(tmp_path / "out")
    assert whorl.read(f"{file}:{removed['row']}")[0].text == article(1)
    assert [document.row for document in whorl.read(file)] == [1, 2, 3]


def test_columns_are_chosen(tmp_path: Path) -> None:
    row = {"key": "a", "head": "标题", "lead": "导语。", "body": {"text": "正文。"}, "rank": 7}
    file = write_jsonl(tmp_path / "news.jsonl", [row])
    [document] = whorl.read(file, text=["lead", "body.text"], title="head", id="key")
    assert (document.id, document.title, document.text) == ("a", "标题", "导语。\n正文。")
    assert document.document.metadata["rank"] == 7


def test_folders_are_read_in_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "in" / "b").mkdir(parents=True)
    for name in ("c.txt", "b/a.txt", "b/d.md"):
        (tmp_path / "in" / name).write_text(f"这是 {name} 的正文。", encoding="utf-8")
    documents = whorl.read(tmp_path / "in", exclude="**/*.md")
    assert [(document.file, document.row) for document in documents] == [("b/a.txt", 1), ("c.txt", 1)]


def test_a_limit_ends_the_reading(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "news.jsonl", ({"text": article(number)} for number in range(3)))
    for limit in (1, 2):
        result = whorl.read(file, limit=limit)
        assert (len(result), result.truncated) == (limit, True)
    assert not whorl.read(file, limit=3).truncated


def test_notices_say_how_a_file_was_read(tmp_path: Path) -> None:
    (tmp_path / "gbk.txt").write_text(article(1), encoding="gb18030")
    [document] = whorl.read(tmp_path / "gbk.txt")
    assert document.notices["guessed_encoding"].lower().startswith("gb")
    assert not whorl.read(write_jsonl(tmp_path / "a.jsonl", [{"text": article(1)}]))[0].notices


def test_the_result_is_plain_data(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "a.jsonl", [{"id": "a", "text": article(1), "date": "2026-11-24"}, {"text": 7}])
    data = json.loads(json.dumps(whorl.read(file).to_dict()))
    assert data["documents"][0]["document"]["text"] == article(1)
    assert data["rejected"][0]["row"] == 2


def torn(folder: Path) -> Path:
    file = folder / "torn.jsonl"
    file.write_text('{"text": "渔港的冰厂"}\n\n{"text": 7}\n{"text":\n', encoding="utf-8")
    return file


def test_unreadable_rows_are_listed_with_line_and_reason(tmp_path: Path) -> None:
    result = whorl.read(torn(tmp_path))
    assert [document.text for document in result] == ["渔港的冰厂"]
    places = [(rejected.file, rejected.row, rejected.line) for rejected in result.rejected]
    assert places == [("torn.jsonl", 3, 3), ("torn.jsonl", 4, 4)]
    assert "number" in result.rejected[0].reason
    assert "JSON" in result.rejected[1].reason


@pytest.mark.parametrize(
    ("row", "reason"), [(":3", "has no readable row 3: column 'text' is a number"), (":9", "no readable row 9")]
)
def test_a_row_that_cannot_be_read_is_an_error(tmp_path: Path, row: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        whorl.read(f"{torn(tmp_path)}{row}")
    assert str(tmp_path / "torn.jsonl") in str(caught.value)
    assert caught.value.hint


def test_the_first_unreadable_row_can_be_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"torn\.jsonl, line 3") as caught:
        whorl.read(torn(tmp_path), on_error="stop")
    assert caught.value.hint


def test_a_file_without_a_readable_row_is_an_error(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "a.jsonl", [{"text": 7}])
    with pytest.raises(InputError, match=r"cannot read .*a\.jsonl"):
        whorl.read(file)
    assert [row.row for row in whorl.read(file, on_error="skip").rejected] == [1]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"%PDF-1.7 and no more", "a.pdf"),
        ("a.docx", b"PK\x03\x04 and no more", "a.docx"),
        ("a.parquet", b"PAR1 and no more", "a.parquet"),
        ("a.xlsx", b"no workbook", "a.xlsx"),
        ("a.csv", b"kind,price\nt,b\n", "no column 'text'"),
    ],
)
def test_damaged_files_are_errors(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=reason):
        whorl.read(tmp_path / name)


def test_invalid_arguments_are_refused(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "a.jsonl", [{"text": article(1)}])
    for refused in (
        lambda: whorl.read([file, file]),  # type: ignore[arg-type]
        lambda: whorl.read(file, limit=0),
        lambda: whorl.read(7),  # type: ignore[arg-type]
        lambda: whorl.read(""),
    ):
        with pytest.raises(UsageError) as caught:
            refused()
        assert caught.value.hint
    for refused in (lambda: whorl.read(tmp_path / "none.txt"), lambda: whorl.read(file, title="headline")):
        with pytest.raises(InputError) as caught:
            refused()
        assert caught.value.hint
