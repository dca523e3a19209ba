"""Reports of single manuscripts: one page each, as ``whorl compare`` writes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from whorl._internal.frozen import frozen
from whorl.i18n import Language
from whorl.reports.comparison.page import render_comparison
from whorl.reports.comparison.summary import Article, Collection
from whorl.tasks.cohort.state import CohortState, Record
from whorl.tasks.dedup.outputs import write_whole
from whorl.types.comparison import Composition

FOLDER = "reports"
_UNSAFE = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')
_LONGEST_NAME = 80


@frozen
class PageSettings:
    """Pages to write, with their titles and names.

    Attributes:
        title: title of the class.
        examiner: name of the examiner.
        reports: whether each manuscript gets a report.
        language: initial language of the pages.
        command: the command line.
        class_name: name of the folder of manuscripts.
        source_name: name of the sources.
        earlier_name: name of the library.
        model: name of the model of the meaning channel; empty without one.
    """

    title: str
    examiner: str
    reports: bool
    language: Language | None
    command: str
    class_name: str = ""
    source_name: str = ""
    earlier_name: str = ""
    model: str = ""


def report_name(record: Record) -> str:
    """Return the file name of a report: that of the manuscript, with the beginning of its digest if it is long."""
    name = _UNSAFE.sub("_", record.manuscript.name).strip(". ") or "_"
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME]}-{record.manuscript.digest[:8]}"
    return f"{name}.html"


def write_report(
    out: Path,
    state: CohortState,
    record: Record,
    composition: Composition,
    text: Article,
    sources: Sequence[Article],
    pages: PageSettings,
) -> str:
    """Write the report of a manuscript, and return its path below the output folder."""
    place = Path(FOLDER, report_name(record))
    (out / FOLDER).mkdir(parents=True, exist_ok=True)
    kinds = [entry.manuscript.kind for entry in state.records.values()]
    searched = [
        Collection(name, 0, kinds.count(kind) - (kind == "manuscript"))
        for kind, name in (
            ("manuscript", pages.class_name),
            ("source", pages.source_name),
            ("earlier", pages.earlier_name),
        )
        if kinds.count(kind) - (kind == "manuscript") > 0
    ]
    page = render_comparison(
        composition,
        sources,
        text,
        title=record.manuscript.title,
        author=record.manuscript.author,
        language=pages.language,
        searched=searched,
        command=pages.command,
    )
    write_whole(out / place, page)
    return place.as_posix()


__all__ = ["FOLDER", "PageSettings", "report_name", "write_report"]
