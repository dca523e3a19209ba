"""Sources and passages of a comparison as CSV, Excel and Word tables.

Foreign text is never interpreted as a formula: CSV cells that could be one start with an apostrophe, and Excel cells
are marked as text.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from typing import Any

from whorl._internal.visible_text import visible
from whorl.i18n import Language, Message, say, spoken, translated
from whorl.release import missing_package
from whorl.reports.comparison.page import report_number
from whorl.reports.comparison.shares import share
from whorl.reports.comparison.summary import Article, SourcePart, parts_of
from whorl.reports.comparison.wording import PASSAGES
from whorl.reports.naming import TABLE_MARK
from whorl.reports.word import paragraph, word_document
from whorl.types.comparison import Comparison, Composition

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LONGEST = 32_000
_CLIPPED = 300
_SOURCES = {
    "source_number": say("No."),
    "source": say("Source text"),
    "path": say("Path"),
    "source_share": say("Share"),
    "source_passages": say("Passages"),
    "source_characters": say("Characters"),
    "source_authorised": say("own or authorised"),
    "source_sha256": say("SHA-256"),
}
_PASSAGES = {
    "passage": say("Passage"),
    "source_number": say("Source no."),
    "kind": say("Kind"),
    "similarity": say("similarity"),
    "matched": say("Equal"),
    "replaced": say("Replaced"),
    "homophones": say("Of these homophones"),
    "inserted": say("Inserted"),
    "deleted": say("Deleted"),
    "source_start": say("Start in the source"),
    "source_end": say("End in the source"),
    "text_start": say("Start in the text"),
    "text_end": say("End in the text"),
    "source_words": say("In the source"),
    "text_words": say("In the text"),
}


def csv_table(comparison: Comparison | Composition, sources: Sequence[Article], text: Article) -> bytes:
    """Return the passages with their sources as CSV in UTF-8 with a byte order mark and English columns."""
    parts = {part.number: part for part in parts_of(comparison, sources)}
    file = StringIO()
    writer = csv.writer(file)
    others = {name: heading for name, heading in _SOURCES.items() if name not in _PASSAGES}
    writer.writerow([*_PASSAGES, *others])
    for row, number in _passages(comparison, sources, text, parts):
        columns = dict(zip(_SOURCES, _source(parts[number]), strict=True))
        writer.writerow([_harmless(value) for value in (*row, *(columns[name] for name in others))])
    return file.getvalue().encode("utf-8-sig")


def xlsx_table(
    comparison: Comparison | Composition, sources: Sequence[Article], text: Article, language: Language | None = None
) -> bytes:
    """Return a workbook with a sheet of sources and a sheet of passages.

    Raises:
        UsageError: openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook
    except ImportError:
        raise missing_package(say("Excel tables need openpyxl"), "xlsx") from None
    parts = parts_of(comparison, sources)
    by_number = {part.number: part for part in parts}
    book = Workbook()
    passages = [row for row, _ in _passages(comparison, sources, text, by_number)]
    rows_by_sheet = [
        (say("Sources"), _SOURCES, map(_source, parts)),
        (say("Passages"), _PASSAGES, passages),
    ]
    for place, (name, headings, rows) in enumerate(rows_by_sheet):
        sheet: Any = book.active if not place else book.create_sheet()
        sheet.title = translated(name, language)
        sheet.freeze_panes = "A2"
        for line, row in enumerate(([translated(heading, language) for heading in headings.values()], *rows), start=1):
            for column, value in enumerate(row, start=1):
                _fill(sheet.cell(line, column), value, language)
    file = BytesIO()
    book.save(file)
    return _marked(file)


def docx_table(
    comparison: Comparison | Composition, sources: Sequence[Article], text: Article, language: Language | None = None
) -> bytes:
    """Return a Word document with the report number, a table of sources and a table of passages."""
    language = language or spoken()
    parts = parts_of(comparison, sources)
    by_number = {part.number: part for part in parts}
    rows = [list(_source(part)) for part in parts]
    passages = [
        [*row[:4], *(value[:_CLIPPED] + "…" if len(value) > _CLIPPED else value for value in row[-2:])]
        for row, _ in _passages(comparison, sources, text, by_number)
    ]
    headings = [*list(_PASSAGES.values())[:4], *list(_PASSAGES.values())[-2:]]
    body = "".join(
        [
            paragraph(f"{text.label} · {report_number(comparison, sources, text)}", bold=True),
            paragraph(translated(say("{copied} copied", copied=share(comparison.ratios.copied)), language)),
            paragraph(translated(say("Sources"), language), bold=True),
            _word_table(list(_SOURCES.values())[:6], [row[:6] for row in rows], language),
            paragraph(translated(say("Passages"), language), bold=True),
            _word_table(headings, passages, language),
        ]
    )
    return word_document(body, TABLE_MARK, landscape=True)


def _source(part: SourcePart) -> tuple[Any, ...]:
    source = part.source
    return (
        part.rank,
        visible(source.label),
        visible(source.place),
        round(part.share, 6),
        len(part.comparison.passages),
        len(source.text),
        source.authorised,
        source.digest,
    )


def _passages(
    comparison: Comparison | Composition, sources: Sequence[Article], text: Article, parts: dict[int, SourcePart]
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Yield the cells of each passage, and the number of its source."""
    for number, passage in enumerate(comparison.passages, start=1):
        words = (
            sources[passage.source].text[passage.a_start : passage.a_end],
            text.text[passage.b_start : passage.b_end],
        )
        yield (
            (
                number,
                parts[passage.source].rank,
                PASSAGES[passage.kind],
                round(passage.similarity, 6),
                passage.matched,
                passage.replaced,
                passage.homophones,
                passage.inserted,
                passage.deleted,
                passage.a_start,
                passage.a_end,
                passage.b_start,
                passage.b_end,
                *(visible(side)[:_LONGEST] for side in words),
            ),
            passage.source,
        )


def _harmless(value: Any) -> Any:
    """Return a value that no spreadsheet evaluates."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _fill(cell: Any, value: Any, language: Language | None) -> None:
    cell.value = translated(value, language)
    if isinstance(cell.value, str):
        cell.data_type = "s"
    elif isinstance(value, float):
        cell.number_format = "0.0%"


def _marked(file: BytesIO) -> bytes:
    """Append the mark of whorl to an archive."""
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = TABLE_MARK
    return file.getvalue()


def _word_table(headings: Sequence[Message], rows: Sequence[Sequence[Any]], language: Language) -> str:
    borders = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:color="999999"/>' for side in ("top", "bottom", "insideH", "insideV")
    )
    cells = [_word_row([translated(heading, language) for heading in headings], language, bold=True)]
    cells += [_word_row(row, language) for row in rows]
    return f"<w:tbl><w:tblPr><w:tblBorders>{borders}</w:tblBorders></w:tblPr>{''.join(cells)}</w:tbl>"


def _word_row(values: Sequence[Any], language: Language, *, bold: bool = False) -> str:
    texts = (share(value) if isinstance(value, float) else value for value in values)
    cells = (f"<w:tc>{paragraph(str(translated(value, language)), bold=bold)}</w:tc>" for value in texts)
    return f"<w:tr>{''.join(cells)}</w:tr>"


__all__ = ["csv_table", "docx_table", "xlsx_table"]
