"""The format of a document is detected from its bytes; proprietary formats are named."""

import shutil
from pathlib import Path

import pytest

from whorl.corpus import Columns, ReadOptions, Rejects, discover, read_files

DATA = Path(__file__).parent / "data"
PASSWORD = bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 504


@pytest.mark.parametrize(
    ("file", "name", "kind"),
    [
        ("pandoc/article.rtf", "a.doc", "rtf"),
        ("pandoc/article.rtf", "a.txt", "rtf"),
        ("pandoc/article.odt", "a.doc", "odt"),
        ("pandoc/article.odt", "a.docx", "odt"),
        ("pandoc/article.epub", "a", "epub"),
        ("libreoffice/article.doc", "a.rtf", "closed"),
        ("libreoffice/article.doc", "a.txt", "closed"),
        ("pandoc/article.md", "a.doc", "text"),
        ("pandoc/article.md", "a.docx", "docx"),
    ],
)
def test_the_bytes_decide_where_the_name_says_something_else(tmp_path: Path, file: str, name: str, kind: str) -> None:
    shutil.copyfile(DATA / file, tmp_path / name)
    assert [source.format for source in discover([tmp_path / name])] == [kind]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.4\n", "pdf"),
        (b"<!DOCTYPE html><html><p>x", "html"),
        (b"\xef\xbb\xbf<html>", "html"),
        (b"From: <Saved by Blink>\r\n", "mhtml"),
        (b"MIME-Version: 1.0\r\n", "mhtml"),
        (b"\0\1\2", "closed"),
        (b"", "text"),
    ],
)
def test_what_is_called_doc_may_be_anything(tmp_path: Path, data: bytes, kind: str) -> None:
    (tmp_path / "a.doc").write_bytes(data)
    assert [source.format for source in discover([tmp_path])] == [kind]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        (
            "a.doc",
            None,
            "the document was saved by an older office program, such as Word before 2007: save it as .docx",
        ),
        ("a.wps", None, "this is a WPS or Works document (.wps): save it as .docx"),
        ("a.pages", b"PK\3\4", "this is an Apple Pages document: export it as .docx"),
        (
            "a.doc",
            PASSWORD + b"\xec\xa5" + b"\0" * 9 + b"\1",
            "the document has a password: save it without one, as .docx",
        ),
        (
            "a.doc",
            PASSWORD + "EncryptedPackage".encode("utf-16-le"),
            "the document has a password: save it without one, as .docx",
        ),
        ("a.doc", b"\0\1", "the format of the document is not supported, or the file is damaged: save it as .docx"),
    ],
)
def test_what_only_its_own_program_opens_is_named(
    read, tmp_path: Path, name: str, data: bytes | None, reason: str
) -> None:
    value = (DATA / "libreoffice/article.doc").read_bytes()
    (tmp_path / name).write_bytes(value if data is None else data)
    reading = read(tmp_path / name)
    assert (reading.texts, reading.reasons, reading.rejected_bytes) == ([], [reason], value if data is None else data)


def test_a_folder_of_all_kinds_is_read(tmp_path: Path) -> None:
    shutil.copyfile(DATA / "pandoc/article.rtf", tmp_path / "a.doc")
    shutil.copyfile(DATA / "pandoc/article.odt", tmp_path / "b.odt")
    shutil.copyfile(DATA / "libreoffice/article.doc", tmp_path / "c.doc")
    rejects = Rejects()
    result = {source.name: len(batch) for source, batch in read_files([tmp_path], Columns(), rejects, ReadOptions())}
    assert result == {"a.doc": 1, "b.odt": 1}
    assert [entry.file for entry in rejects.named] == ["c.doc"]


def test_a_reason_can_be_said_in_chinese_after_another_process_said_it(tmp_path: Path) -> None:
    from whorl.i18n import as_message, translated

    (tmp_path / "a.rtf").write_bytes(b"plain")
    rejects = Rejects(on_error="skip")
    list(read_files([tmp_path], Columns(), rejects, ReadOptions()))
    assert translated(as_message(rejects.named[0].reason), "zh") == "文件不是 RTF 文档：请重新存为 .rtf 或 .docx"
