"""A small valid file of each format that is read, with reproducible bytes."""

from __future__ import annotations

import base64
import gzip
import io
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime

import docx
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from reportlab.pdfgen.canvas import Canvas
from tests.articles import article, edited, jsonl

_DATE = (2026, 1, 1, 0, 0, 0)
ROWS = [
    {"id": "一", "text": article(101), "date": "2026-01-31", "score": 0.5, "tags": ["甲", {"b": None}]},
    {"id": "2", "text": f'{article(102)}\n“他说”，"quoted", \\ and more.', "date": None, "score": -1, "tags": []},
    {"id": "3", "text": edited(article(101), 2), "date": "2026-02-01", "score": 10**12, "tags": [True]},
    {
        "id": "4",
        "text": "A plain English sentence, as short as it is; then another one.",
        "date": "",
        "score": 0,
        "tags": [],
    },
    {"id": "5", "text": article(103, 400), "date": "x", "score": 1e-9, "tags": ["𠮷"]},
]


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return an archive of these parts, without the current time."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return sink.getvalue()


def parts_of(archive: bytes) -> dict[str, bytes]:
    """Return the parts of an archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zstd(data: bytes) -> bytes:
    """Return ``data`` as a frame of zstd."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(data)
    return sink.getvalue().to_pybytes()


def gzipped(data: bytes) -> bytes:
    """Return ``data`` as a member of gzip, without the current time."""
    return gzip.compress(data, mtime=0)


def _table(separator: str) -> bytes:
    cells = ['"' + row["text"].replace('"', '""') + '"' for row in ROWS]
    lines = [f"{row['id']}{separator}{cell}{separator}{row['score']}" for row, cell in zip(ROWS, cells, strict=True)]
    return "\n".join([separator.join(["id", "text", "score"]), *lines, ""]).encode()


def _parquet(compression: str, **options: object) -> bytes:
    columns = {name: [row[name] for row in ROWS] * 4 for name in ("id", "text", "score")}
    table = pa.table(columns).append_column("tags", pa.array([[row["id"]] * 2 for row in ROWS] * 4))
    sink = io.BytesIO()
    pq.write_table(table, sink, compression=compression, row_group_size=7, **options)
    return sink.getvalue()


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    for name in ("一月", "二月"):
        sheet = book.create_sheet(name)
        sheet.append(["id", "text", "score", "date"])
        for row in ROWS:
            sheet.append([row["id"], row["text"], row["score"], datetime(2026, 1, 31)])
    del book["Sheet"]
    sink = io.BytesIO()
    book.save(sink)
    return zipped({name: data for name, data in parts_of(sink.getvalue()).items() if name != "docProps/core.xml"})


_PAGE = """<!doctype html><html lang=zh><head><meta charset='utf-8'><title>新闻 &lt;1&gt;</title>
<meta property='og:title' content='新闻'>
<script type='application/ld+json'>{"headline": "新闻", "author": {"name": "王"}}</script></head>
<body><nav><a href='/'>首页</a></nav><article><p class='a'>%s<br>&amp; &#20013;<a href='/x?a=1&b=2'>链</a></p>
<p>%s</p><table><tr><td>格</td></tr></table><ul><li>一</li></ul></article></body></html>"""


def _page() -> bytes:
    return (_PAGE % (article(104), article(105))).encode()


def _document() -> bytes:
    document = docx.Document()
    document.core_properties.title = "新图书馆"
    document.add_heading("开馆", 1)
    for number in (106, 107):
        document.add_paragraph(article(number))
    document.add_table(rows=2, cols=2).rows[0].cells[0].text = "格"
    sink = io.BytesIO()
    document.save(sink)
    return zipped(parts_of(sink.getvalue()))


def _portable(compressed: int) -> bytes:
    sink = io.BytesIO()
    canvas = Canvas(sink, pageCompression=compressed, invariant=1)
    canvas.setTitle("A title")
    for page in range(2):
        for line in range(5):
            canvas.drawString(72, 750 - 20 * line, f"Line {line} of page {page} says something else than the others.")
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


_MARKDOWN = """---
title: 新图书馆
---
# 开馆

%s[^1] **粗** `码` [链](https://example.org)

| 层 | 室 |
|----|----|
| 一 | 儿童 |

[^1]: 注。
"""
_LATEX = r"""\documentclass{article}\title{新图书馆}\newcommand{\lib}[1]{图书馆#1}\begin{document}\maketitle
\section{开馆} %s \emph{强调} \lib{甲} $x_1 \le 2$ \footnote{注。} % 注释
\begin{tabular}{ll} 一 & 儿童 \\ \end{tabular}\end{document}
"""


def _rich_text() -> bytes:
    escaped = "".join(f"\\u{ord(sign) - (65536 if ord(sign) > 32767 else 0)}?" for sign in article(110))
    head = r"{\rtf1\ansi\ansicpg936\deff0{\fonttbl{\f0 SimSun;}}{\info{\title A title}}"
    return (head + r"\pard\b first\b0\par " + escaped + r"\par{\*\generator none}\'c4\'e3}").encode()


def _book() -> bytes:
    chapter = "<html><head><title>章</title></head><body><h1>%s</h1><p>%s</p></body></html>"
    items = "".join(f'<item id="c{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in (1, 2))
    order = '<itemref idref="c1"/><itemref idref="c2"/>'
    package = '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    package += (
        f"<metadata><dc:title>书</dc:title></metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    parts = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>',
        "O/b.opf": package,
        "O/1.xhtml": chapter % ("上", article(111)),
        "O/2.xhtml": chapter % ("下", article(112)),
    }
    return zipped({name: part.encode() for name, part in parts.items()})


def _open_document() -> bytes:
    kinds = ("office", "text", "table")
    spaces = " ".join(f'xmlns:{kind}="urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"' for kind in kinds)
    inside = f"<text:h>开馆</text:h><text:p>{article(113)}<text:s text:c='2'/>完</text:p>"
    body = f"<office:body><office:text>{inside}</office:text></office:body>"
    content = f"<office:document-content {spaces}>{body}</office:document-content>"
    return zipped({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": content.encode()})


def _web_archive() -> bytes:
    head = "From: <Saved by Blink>\nSubject: page\nMIME-Version: 1.0\n"
    head += 'Content-Type: multipart/related; type="text/html"; boundary="----b"\n\n'
    part = "------b\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    return (head + part).encode() + base64.encodebytes(_page()) + b"\n------b--\n"


def _crawl() -> bytes:
    records = b""
    for number, page in enumerate((_page(), _page().replace("新闻".encode(), "旧闻".encode()))):
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n"
        head += f"WARC-Target-URI: https://example.org/{number}\r\nWARC-Date: 2026-01-31T00:00:00Z\r\n"
        head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
        records += head.encode() + block + b"\r\n\r\n"
    return records


_PLAIN: dict[str, Callable[[], bytes]] = {
    "jsonl": lambda: jsonl(ROWS),
    "csv": lambda: _table(","),
    "tsv": lambda: _table("\t"),
    "txt": lambda: article(108).encode(),
    "gb.txt": lambda: article(109).encode("gb18030"),
    "html": _page,
    "docx": _document,
    "xlsx": _workbook,
    "rtf": _rich_text,
    "epub": _book,
    "odt": _open_document,
    "mhtml": _web_archive,
    "warc": _crawl,
    "md": lambda: _MARKDOWN.replace("%s", article(114)).encode(),
    "tex": lambda: _LATEX.replace("%s", article(115)).encode(),
    "pdf": lambda: _portable(0),
    "packed.pdf": lambda: _portable(1),
    "parquet": lambda: _parquet("none", use_dictionary=False),
    "snappy.parquet": lambda: _parquet("snappy", data_page_version="2.0"),
    "zstd.parquet": lambda: _parquet("zstd", write_page_checksum=True),
}
_PACKED = {"gz": gzipped, "zst": zstd}
_ALSO_PACKED = ("jsonl", "csv", "txt", "html", "warc")

SAMPLES: dict[str, bytes] = {kind: make() for kind, make in _PLAIN.items()}
"""The bytes of a file by suffix."""
SAMPLES |= {f"{kind}.{suffix}": pack(SAMPLES[kind]) for kind in _ALSO_PACKED for suffix, pack in _PACKED.items()}

__all__ = ["SAMPLES", "gzipped", "parts_of", "zipped", "zstd"]
