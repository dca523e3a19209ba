"""One article is the same article in every format, and shells contain no article in any format."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reportlab.pdfgen.canvas import Canvas
from tests.articles import article
from tests.office import paragraphs, write_docx, write_epub, write_odt, write_rtf
from tests.unit.corpus.pages.test_shells import SHELLS
from tests.unit.corpus.shares import CHINESE, ENGLISH
from tests.unit.corpus.test_pdf_shares import font, plain, save, scanned

import whorl

Write = Callable[[Path, str], object]


def as_docx(path: Path, text: str) -> None:
    write_docx(path, paragraphs([text]))


def as_odt(path: Path, text: str) -> None:
    write_odt(path, f"<text:p>{text}</text:p>")


def as_rtf(path: Path, text: str) -> None:
    write_rtf(path, f"{text}\\par ")


def as_epub(path: Path, text: str) -> None:
    write_epub(path, ["c application/xhtml+xml c.xhtml"], ["c"], {"c.xhtml": f"<p>{text}</p>"})


def as_page(path: Path, text: str) -> None:
    path.write_text(f"<!DOCTYPE html><html><body><article><p>{text}</p></article></body></html>", encoding="utf-8")


def as_pdf(path: Path, text: str) -> None:
    save(path, plain, text)


def as_workbook(path: Path, text: str) -> None:
    book = openpyxl.Workbook()
    book.active.append(["text"])
    book.active.append([text])
    book.save(path)


def as_csv(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], [text]])


def as_rows(path: Path, text: str) -> None:
    path.write_text(json.dumps({"text": text}, ensure_ascii=False) + "\n", encoding="utf-8")


def as_array(path: Path, text: str) -> None:
    path.write_text(json.dumps([{"text": text}], indent=1), encoding="utf-8")


def as_parquet(path: Path, text: str) -> None:
    pq.write_table(pa.table({"text": [text]}), path)


def as_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def as_gbk(path: Path, text: str) -> None:
    path.write_text(text, encoding="gb18030")


FORMATS: dict[str, Write] = {
    "a.docx": as_docx,
    "a.odt": as_odt,
    "a.fodt": as_odt,
    "a.rtf": as_rtf,
    "a.epub": as_epub,
    "a.html": as_page,
    "a.pdf": as_pdf,
    "a.xlsx": as_workbook,
    "a.csv": as_csv,
    "a.jsonl": as_rows,
    "a.json": as_array,
    "a.parquet": as_parquet,
    "a.txt": as_text,
    "gbk.txt": as_gbk,
    "a.md": as_text,
    "a.tex": as_text,
}


@pytest.mark.parametrize("text", [ENGLISH[0], CHINESE[0]], ids=["English", "Chinese"])
def test_one_article_in_every_format_is_exact(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, write in FORMATS.items():
        write(folder / name, text)
    for method in ("exact", "news"):
        counts = whorl.dedup_files(folder, tmp_path / method, method=method).run["counts"]
        assert (counts["rows"], counts["kept"], counts["rejected"]) == (len(FORMATS), 1, 0)
        assert counts["exact"] == len(FORMATS) - 1


def _picture(path: Path, number: int) -> None:
    scanned(path, ["Scanned with PageCamera"] * (1 + number % 4), 4)


def _notice(path: Path, number: int) -> None:
    def draw(canvas: Canvas, _: str) -> None:
        font(canvas)
        canvas.drawString(50, 700, "Please wait... If this message is not eventually replaced by the proper contents")
        canvas.drawString(50, 680, "of the document, your PDF viewer may not be able to display this type of document.")

    save(path, draw, str(number))


def test_no_shell_of_a_folder_of_two_hundred_is_removed(tmp_path: Path) -> None:
    """For documents with nothing but a readable shell: none is a copy, and each is counted with its reason."""
    folder = tmp_path / "in"
    folder.mkdir()
    pages = [body for bodies in SHELLS.values() for body in bodies]
    for number in range(200):
        path, hidden = folder / f"{number:03}", f"\0\1{article(number)}"
        match number % 5:
            case 0:
                _picture(path.with_suffix(".pdf"), number)
            case 1:
                _notice(path.with_suffix(".pdf"), number)
            case 2:
                body = "<P><R><T>附件</T></R></P><w:altChunk r:id='a'/>"
                write_docx(path.with_suffix(".docx"), body, parts={"word/a.bin": hidden}, links={"a": "a.bin aFChunk"})
            case 3:
                page = pages[number % len(pages)]
                path.with_suffix(".html").write_text(f"<html><body>{page}</body></html>", encoding="utf-8")
            case _:
                path.with_suffix(".zip.txt").write_bytes(b"PK\x03\x04" + hidden.encode())
    as_page(folder / "article.html", ENGLISH[0])
    run = whorl.dedup_files(folder, tmp_path / "out").run
    counts = run["counts"]
    assert (counts["kept"], counts["duplicates"]) == (1, 0)
    assert counts["rejected"] == counts["rows"] - 1 >= 200
