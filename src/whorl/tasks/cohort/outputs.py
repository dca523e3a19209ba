"""Files of a cohort: class table, pairs, passages, and the page of the class."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from whorl.reports.cohort.page import ManuscriptSheet, ShownPair, render_cohort
from whorl.reports.cohort.tables import class_csv, class_xlsx, harmless, sections_csv
from whorl.reports.pdf.printing import as_pdf
from whorl.tasks.cohort.reporting import FOLDER as REPORTS
from whorl.tasks.cohort.reporting import PageSettings
from whorl.tasks.cohort.state import CohortState, Record, texts_of
from whorl.tasks.dedup.outputs import write_whole
from whorl.types.cohort import Cohort, CohortForm, CohortPair, Examination, Manuscript, SectionShare
from whorl.types.comparison import Passage, Ratios

PAIRS_SHOWN = 12
"""Number of pairs that the page shows side by side."""
_SHEET_PASSAGES = 8


def cohort_of(out: Path, state: CohortState, min_length: int, examined: int) -> Cohort:
    """Build the result of a cohort from its state."""
    manuscripts = {key: record.manuscript for key, record in state.records.items()}
    examinations = [
        _examination(manuscript, state.results.get(key), manuscripts)
        for key, manuscript in manuscripts.items()
        if manuscript.kind == "manuscript"
    ]
    examinations.sort(key=lambda item: (-item.ratios.copied, item.manuscript.name))
    kinds = Counter(manuscript.kind for manuscript in manuscripts.values())
    total = max(1, state.learned_from)
    unreadable = [
        Manuscript(name, name, problem=reason)
        for key, reasons in sorted(state.rejected.items())
        if key.startswith("manuscript:")
        for name, reason in reasons.items()
    ]
    return Cohort(
        examinations=tuple(examinations),
        pairs=tuple(_pairs(state, manuscripts)),
        forms=tuple(CohortForm(text, first, count, count / total) for text, first, count in state.forms),
        unreadable=tuple(unreadable),
        compared=tuple(kinds.items()),
        examined=examined,
        min_length=min_length,
        out=str(out),
    )


def _examination(
    manuscript: Manuscript, result: Mapping[str, Any] | None, manuscripts: Mapping[str, Manuscript]
) -> Examination:
    if result is None:
        return Examination(manuscript, Ratios(0.0, 0.0, 0.0, 0.0, 0.0))
    top = manuscripts.get(result["top_source"] or "")
    return Examination(
        manuscript,
        Ratios(**result["ratios"]),
        result["quoted"],
        top.name if top else None,
        top.title if top else "",
        result["sources"],
        result["passages"],
        result["relation"],
        tuple((reason, count) for reason, count in result["excluded"]),
        result["report"],
        tuple(SectionShare(*values) for values in result.get("sections", ())),
    )


def _pairs(state: CohortState, manuscripts: Mapping[str, Manuscript]) -> list[CohortPair]:
    """Return each pair once, in the direction with the larger share, the strongest first."""
    directed: dict[tuple[str, str], dict[str, Any]] = {
        (row["text"], row["source"]): row for row in state.pairs.to_pylist()
    }
    pairs = []
    for (text, source), row in directed.items():
        back = directed.get((source, text))
        if back and (back["copied"], back["same_content"], source) > (row["copied"], row["same_content"], text):
            continue
        a, b = manuscripts[text], manuscripts[source]
        pairs.append(
            CohortPair(
                a.name,
                a.title,
                b.name,
                b.title,
                b.kind,
                row["copied"],
                back["copied"] if back else None,
                row["relation"],
                row["passages"],
                row["matched"],
                row["longest"],
                row["documents"],
                row["same_content"],
            )
        )
    pairs.sort(key=lambda pair: (-pair.copied, -pair.matched, -pair.same_content, pair.text, pair.source))
    return pairs


def write_outputs(out: Path, state: CohortState, cohort: Cohort, pages: PageSettings) -> None:
    """Write all files except the PDF and the reports of single manuscripts.

    Reports of manuscripts that are gone are removed.
    """
    out.mkdir(parents=True, exist_ok=True)
    reports = {item.report for item in cohort.examinations}
    for old in (out / REPORTS).glob("*.html"):
        if f"{REPORTS}/{old.name}" not in reports:
            old.unlink()
    write_whole(out / "class.csv", class_csv(cohort))
    write_whole(out / "class.xlsx", class_xlsx(cohort, pages.language))
    write_whole(out / "cohort.json", json.dumps({**cohort.to_dict(), "out": "."}, ensure_ascii=False) + "\n")
    write_whole(out / "pairs.csv", _pairs_csv(cohort.pairs))
    write_whole(out / "passages.csv", _passages_csv(state))
    if any(item.sections for item in cohort.examinations):
        write_whole(out / "sections.csv", sections_csv(cohort))
    else:
        (out / "sections.csv").unlink(missing_ok=True)
    write_whole(out / "index.html", _page(out, state, cohort, pages))


def write_pdf(out: Path, state: CohortState, cohort: Cohort, pages: PageSettings) -> None:
    """Write one PDF of all manuscripts, with lines to sign."""
    page = _page(out, state, cohort, pages, sheets=list(_sheets(out, state, cohort)), paper=True)
    write_whole(out / "cohort.pdf", as_pdf(page))


def _page(out: Path, state: CohortState, cohort: Cohort, pages: PageSettings, **how: Any) -> str:
    return render_cohort(
        cohort,
        list(_shown_pairs(out, state, cohort)),
        pages.title or pages.class_name,
        language=pages.language,
        command=pages.command,
        examiner=pages.examiner,
        model=pages.model,
        **how,
    )


def _csv(columns: Mapping[str, Sequence[Any]]) -> bytes:
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows(zip(*map(_harmless_column, columns.values()), strict=True))
    return file.getvalue().encode("utf-8-sig", "replace")


def _harmless_column(values: Sequence[Any]) -> Sequence[Any]:
    return [harmless(value) for value in values] if any(isinstance(value, str) for value in values) else values


def _pairs_csv(pairs: Sequence[CohortPair]) -> bytes:
    return _csv({name: [getattr(pair, name) for pair in pairs] for name in CohortPair.__dataclass_fields__})


def _passages_csv(state: CohortState) -> bytes:
    columns = state.passages.to_pydict()
    return _csv(columns | {name: [_name(key) for key in columns[name]] for name in ("text", "source")})


def _name(key: str) -> str:
    return key.partition(":")[2]


def _passages_of(state: CohortState, text: str, source: str | None = None) -> list[tuple[str, Passage, int]]:
    """Return the passages of a manuscript: source, passage and number of texts that contain it."""
    mask = pc.equal(state.passages["text"], text)
    if source is not None:
        mask = pc.and_(mask, pc.equal(state.passages["source"], source))
    names = [name for name in Passage.__dataclass_fields__ if name != "source"]
    return [
        (row["source"], Passage(**{name: row[name] for name in names}), row["documents"])
        for row in state.passages.filter(mask).to_pylist()
    ]


def _keys(state: CohortState) -> dict[tuple[str, str], str]:
    return {(record.manuscript.kind, record.manuscript.name): key for key, record in state.records.items()}


def _shown_pairs(out: Path, state: CohortState, cohort: Cohort) -> Iterator[ShownPair]:
    """Yield the strongest pairs with their texts and passages, and those of other pairs without a passage."""
    keys = _keys(state)
    others = [pair for pair in cohort.pairs[PAIRS_SHOWN:] if pair.same_content]
    for pair in (*cohort.pairs[:PAIRS_SHOWN], *others[:PAIRS_SHOWN]):
        text, source = keys["manuscript", pair.text], keys[pair.source_kind, pair.source]
        records: list[Record] = [state.records[text], state.records[source]]
        texts = [texts_of(out, [record])[0].as_py() for record in records]
        passages = [passage for _, passage, _ in _passages_of(state, text, source)]
        yield ShownPair(pair, texts[0], texts[1], tuple(passages))


def _sheets(out: Path, state: CohortState, cohort: Cohort) -> Iterator[ManuscriptSheet]:
    """Yield a sheet for each manuscript: its ratios, its sources, and its longest passages."""
    keys = _keys(state)
    titles = {key: record.manuscript.title for key, record in state.records.items()}
    for examination in cohort.examinations:
        key = keys["manuscript", examination.manuscript.name]
        passages = sorted(_passages_of(state, key), key=lambda row: -row[1].matched)
        distinct: list[tuple[str, Passage, int]] = []
        for row in passages:
            if not any(row[1].b_start < other.b_end and other.b_start < row[1].b_end for _, other, _ in distinct):
                distinct.append(row)
            if len(distinct) == _SHEET_PASSAGES:
                break
        text = texts_of(out, [state.records[key]])[0].as_py() if distinct else ""
        sources = [
            (titles[row["source"]], _name(row["source"]), row["copied"], row["passages"], row["same_content"])
            for row in sorted(
                state.pairs.filter(pc.equal(state.pairs["text"], key)).to_pylist(), key=lambda row: -row["copied"]
            )
        ]
        excerpts = [
            (titles[source], passage, text[passage.b_start : passage.b_end], count)
            for source, passage, count in sorted(distinct, key=lambda row: row[1].b_start)
        ]
        yield ManuscriptSheet(examination, tuple(sources), tuple(excerpts))


__all__ = ["PAIRS_SHOWN", "PageSettings", "cohort_of", "write_outputs", "write_pdf"]
