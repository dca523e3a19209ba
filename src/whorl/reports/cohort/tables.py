"""The class table as CSV and as a workbook."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from typing import Any

from whorl._internal.visible_text import visible
from whorl.i18n import Language, Message, say, translated
from whorl.release import missing_package
from whorl.reports.comparison.wording import RELATIONS
from whorl.reports.naming import TABLE_MARK
from whorl.types.cohort import Cohort, CohortForm, CohortPair, Examination, Manuscript

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that a spreadsheet evaluates."""
_EVALUATED = ("=", "#")
"""Beginnings of texts that openpyxl writes as a formula or an error."""
_LONGEST = 32_000
_PAIRS_IN_BOOK = 1000
"""Pairs in the workbook; `pairs.csv` has all."""

KINDS = {
    "manuscript": say("this class"),
    "source": say("sources"),
    "earlier": say("earlier manuscripts"),
}
"""Labels of the kinds of texts."""
EXCLUDED = {
    "cover": say("cover"),
    "declaration": say("declarations"),
    "contents": say("table of contents"),
    "references": say("references"),
    "boilerplate": say("boilerplate"),
}
"""Labels of what is excluded from the shares of a manuscript."""
COPIED = {
    "copied": say("total copied share"),
    "unquoted": say("copied share without quotations"),
    "foreign": say("copied share without own work"),
    "largest": say("largest share from a single source"),
}
"""Labels of the shares in the class table, by the fields of ``Ratios``."""
_CLASS = {
    "title": say("Title"),
    "author": say("Author"),
    "file": say("File"),
    "characters": say("Characters"),
    **COPIED,
    "quoted": say("quoted with its source"),
    "quoted_uncited": say("quoted without naming a source"),
    "reworded": say("reworded"),
    "same_content": say("same content in other words"),
    "top_title": say("Largest source"),
    "top_source": say("File of the largest source"),
    "sources": say("Sources"),
    "passages": say("Passages"),
    "relation": say("Relation"),
    "excluded": say("Excluded characters"),
    "report": say("Report"),
    "problem": say("Problem"),
}
_PAIRS = {
    "text_title": say("Manuscript"),
    "text": say("File"),
    "source_title": say("Other text"),
    "source": say("File of the other text"),
    "source_kind": say("Other text from"),
    "copied": say("Copied share"),
    "copied_back": say("Copied share in the other direction"),
    "relation": say("Relation"),
    "passages": say("Passages"),
    "matched": say("Equal characters"),
    "documents": say("Texts with the longest passage"),
    "longest": say("Longest passage"),
    "same_content": say("same content in other words"),
}
_SECTIONS = {
    "title": say("Title"),
    "file": say("File"),
    "section": say("Chapter"),
    "characters": say("Characters"),
    "copied": say("Copied share"),
}
_FORMS = {
    "share": say("Share of the manuscripts"),
    "manuscripts": say("Manuscripts"),
    "first": say("First in"),
    "text": say("Text"),
}


def class_csv(cohort: Cohort) -> bytes:
    """Return the class table as CSV in UTF-8 with a byte order mark and English columns."""
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(_CLASS)
    for row in _class_rows(cohort):
        writer.writerow([harmless(value) for value in row])
    return file.getvalue().encode("utf-8-sig", "replace")


def sections_csv(cohort: Cohort) -> bytes:
    """Return the shares of the chapters as CSV in UTF-8 with a byte order mark and English columns."""
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(_SECTIONS)
    writer.writerows([harmless(value) for value in row] for row in _section_rows(cohort))
    return file.getvalue().encode("utf-8-sig", "replace")


def class_xlsx(cohort: Cohort, language: Language | None = None) -> bytes:
    """Return a workbook with the class table, the strongest pairs and the learned boilerplate.

    Raises:
        UsageError: openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
    except ImportError:
        raise missing_package(say("Excel tables need openpyxl"), "xlsx") from None
    book = Workbook(write_only=True)
    sheets: list[tuple[Message, dict[str, Any], Iterator[Sequence[Any]]]] = [
        (say("Class"), _CLASS, _class_rows(cohort)),
        (say("Pairs"), _PAIRS, _strongest(cohort.pairs)),
        (say("Boilerplate"), _FORMS, (_form(form) for form in cohort.forms)),
    ]
    if any(item.sections for item in cohort.examinations):
        sheets.insert(1, (say("Chapters"), _SECTIONS, _section_rows(cohort)))
    for name, headings, rows in sheets:
        sheet = book.create_sheet(str(translated(name, language)))
        sheet.freeze_panes = "B2"
        sheet.append([translated(heading, language) for heading in headings.values()])
        for row in rows:
            sheet.append([_cell(WriteOnlyCell, sheet, value, language) for value in row])
    file = BytesIO()
    book.save(file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = TABLE_MARK
    return file.getvalue()


def harmless(value: Any) -> Any:
    """Return a value that no spreadsheet evaluates."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _class_rows(cohort: Cohort) -> Iterator[Sequence[Any]]:
    for examination in cohort.examinations:
        yield _examined(examination)
    for manuscript in cohort.unreadable:
        yield _unreadable(manuscript)


def _examined(examination: Examination) -> Sequence[Any]:
    manuscript, ratios = examination.manuscript, examination.ratios
    return (
        manuscript.title,
        manuscript.author,
        manuscript.name,
        manuscript.characters,
        *(round(getattr(ratios, name), 6) for name in COPIED),
        round(examination.quoted, 6),
        round(ratios.quoted_uncited, 6),
        round(ratios.reworded, 6),
        round(ratios.same_content, 6),
        examination.top_title,
        examination.top_source or "",
        examination.sources,
        examination.passages,
        RELATIONS.get(examination.relation, examination.relation),
        sum(count for _, count in examination.excluded),
        examination.report,
        manuscript.problem,
    )


def _section_rows(cohort: Cohort) -> Iterator[Sequence[Any]]:
    for examination in cohort.examinations:
        manuscript = examination.manuscript
        for section in examination.sections:
            yield manuscript.title, manuscript.name, section.title, section.characters, round(section.copied, 6)


def _unreadable(manuscript: Manuscript) -> Sequence[Any]:
    empty = {"title": manuscript.title, "file": manuscript.name, "problem": manuscript.problem}
    return [empty.get(name, "") for name in _CLASS]


def _strongest(pairs: Sequence[CohortPair]) -> Iterator[Sequence[Any]]:
    """Yield the strongest pairs, and a row that says how many others there are."""
    yield from map(_pair, pairs[:_PAIRS_IN_BOOK])
    others = len(pairs) - _PAIRS_IN_BOOK
    if others > 0:
        yield (say("{count:,} further pairs: see {file}", count=others, file="pairs.csv"),)


def _pair(pair: CohortPair) -> Sequence[Any]:
    values = {name: getattr(pair, name) for name in _PAIRS}
    values |= {
        "source_kind": KINDS[pair.source_kind],
        "relation": RELATIONS.get(pair.relation, pair.relation),
        "copied": round(pair.copied, 6),
        "same_content": round(pair.same_content, 6),
        "copied_back": "" if pair.copied_back is None else round(pair.copied_back, 6),
    }
    return list(values.values())


def _form(form: CohortForm) -> Sequence[Any]:
    return (round(form.share, 6), form.manuscripts, form.first, form.text)


def _cell(make: Any, sheet: Any, value: Any, language: Language | None) -> Any:
    if isinstance(value, str):
        if isinstance(value, Message) or not value.isalnum():
            value = visible(str(translated(value, language)))
        if not value.startswith(_EVALUATED):
            return value[:_LONGEST]
        cell = make(sheet, value[:_LONGEST])
        cell.data_type = "s"
        return cell
    if isinstance(value, float):
        cell = make(sheet, value)
        cell.number_format = "0.0%"
        return cell
    return value


__all__ = ["COPIED", "EXCLUDED", "FORMULA", "KINDS", "class_csv", "class_xlsx", "harmless", "sections_csv"]
