from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest
from tests.articles import small_corpus

from whorl.engines.hot import Place
from whorl.errors import InputError, UsageError
from whorl.evaluation.documents import Documents
from whorl.evaluation.intervals import wilson
from whorl.evaluation.labelling.estimate import estimate, kappa
from whorl.evaluation.labelling.sample import JUDGED, WIDER, Sample, describe_sample, draw_sample, widened
from whorl.evaluation.labelling.workbook import (
    DEVELOPMENT,
    PRODUCT,
    SHEETS,
    Labelled,
    PairLabels,
    read_book,
    write_book,
)
from whorl.evaluation.trial import try_recipe
from whorl.i18n import speaking
from whorl.recipe import Recipe

ROWS = small_corpus(12, 30)
PLACES = tuple(Place("a.jsonl", row) for row in range(1, len(ROWS) + 1))
DOCUMENTS = Documents(tuple(row["id"] for row in ROWS), tuple(row["text"] for row in ROWS), PLACES)
FORMULAS = {PLACES[0]: "=1+1", PLACES[31]: "+86", PLACES[62]: "-x", PLACES[93]: "@cmd", PLACES[124]: "a\x07\ud800b"}


def sampled(size: int = 20, seed: int = 0) -> Sample:
    recipe = Recipe(threshold=0.6)
    return draw_sample(DOCUMENTS, recipe, widened(recipe), size=size, seed=seed, titles=FORMULAS, urls={})


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.xlsx"
    write_book(sampled(), path)
    return path


def fill(path: Path, **labels: Any) -> None:
    """Fill the columns of both labelers; a label is a value for every row, or a function of the sheet and the row."""
    book = openpyxl.load_workbook(path)
    for column, name in ((2, "development"), (3, "product")):
        for stratum, sheet in zip(SHEETS, book.worksheets, strict=False):
            for row in range(2, sheet.max_row + 1):
                label = labels.get(name)
                sheet.cell(row, column).value = label(stratum, row) if callable(label) else label
    book.save(path)


def change(path: Path, stratum: str, cell: str, value: Any) -> None:
    book = openpyxl.load_workbook(path)
    book[SHEETS[stratum]][cell] = value
    book.save(path)


def test_the_strata_are_what_was_removed_and_what_only_the_wider_recipe_finds() -> None:
    sample = sampled(size=10**6)
    recipe = Recipe(threshold=0.6)
    result, more = try_recipe(DOCUMENTS, recipe).removals, try_recipe(DOCUMENTS, widened(recipe)).removals
    judged, wider = ({question.removed.id for question in sample.questions[name]} for name in (JUDGED, WIDER))
    assert judged == result.keys()
    assert wider == {value for value, kept in more.items() if value not in result and kept not in result}
    assert wider
    assert describe_sample(sample)["strata"] == {
        JUDGED: {"pairs": len(judged), "asked": len(judged)},
        WIDER: {"pairs": len(wider), "asked": len(wider)},
    }


def test_samples_are_random_and_seeded() -> None:
    assert sampled(5, 1).questions == sampled(5, 1).questions
    assert sampled(5, 1).questions != sampled(5, 2).questions
    assert [len(value) for value in sampled(5).questions.values()] == [5, 5]


def test_every_kind_of_recipe_can_be_widened() -> None:
    assert widened(Recipe()).threshold == 0.4
    short = widened(Recipe().changed(method="short"))
    assert (short.parameters["distance"], short.parameters["limits"], short.parameters["tags"]) == (11, (), ("n", "v"))
    assert widened(Recipe().changed(method="segment")).threshold == 0.3


def test_a_workbook_shows_titles_texts_and_figures(book: Path) -> None:
    sheet = openpyxl.load_workbook(book)[SHEETS[JUDGED]]
    header = [cell.value for cell in sheet[1]]
    assert header[1:3] == [DEVELOPMENT, PRODUCT]
    question = sampled().questions[JUDGED][0]
    output = dict(zip(header, (cell.value for cell in sheet[2]), strict=True))
    assert output["removed: id"] == question.removed.id
    assert output["kept: content"] == question.kept.text
    assert output["similarity"] == pytest.approx(question.figure)


def test_a_workbook_is_in_one_language_and_read_in_either(tmp_path: Path) -> None:
    with speaking("zh"):
        write_book(sampled(), tmp_path / "zh.xlsx")
    fill(tmp_path / "zh.xlsx", development=1)
    book = openpyxl.load_workbook(tmp_path / "zh.xlsx")
    assert [cell.value for cell in book.worksheets[0][1]][:5] == ["序号", "研发", "产品", "相似度", "删去：编号"]
    with speaking("en"):
        assert {len(value) for value in read_book(tmp_path / "zh.xlsx").answers.values()} == {20}


def test_no_cell_becomes_a_formula_or_hides_a_character(tmp_path: Path) -> None:
    path = tmp_path / "all.xlsx"
    write_book(sampled(10**6), path)
    cells = [cell for sheet in openpyxl.load_workbook(path).worksheets for row in sheet for cell in row]
    assert all(cell.data_type != "f" for cell in cells)
    values = {cell.value for cell in cells}
    assert {"=1+1", "+86", "-x", "@cmd", "a⟨BEL⟩⟨U+D800⟩b"} <= values


def test_a_workbook_is_not_written_over(book: Path) -> None:
    with pytest.raises(UsageError, match="already exists"):
        write_book(sampled(), book)


def test_answers_come_back(book: Path) -> None:
    fill(
        book, development="是", product=lambda stratum, row: ["No", 0, "n", "否"][row % 4] if stratum == WIDER else 1.0
    )
    labelled = read_book(book)
    assert set(labelled.answers[JUDGED]) == {PairLabels(True, True)}
    assert set(labelled.answers[WIDER]) == {PairLabels(True, False)}
    assert labelled.run["strata"] == describe_sample(sampled())["strata"]


def test_the_round_trip_gives_the_figures_of_the_labels(book: Path) -> None:
    fill(book, product=lambda stratum, row: row % 4 != 0 if stratum == JUDGED else row % 2)
    estimates = estimate(read_book(book))
    sizes = describe_sample(sampled())["strata"]
    assert (estimates["precision"]["hits"], estimates["precision"]["of"]) == (15, 20)
    assert (estimates["precision"]["low"], estimates["precision"]["high"]) == wilson(15, 20)
    right, missed = sizes[JUDGED]["pairs"] * 15 / 20, sizes[WIDER]["pairs"] * 10 / 20
    assert estimates["recall"]["value"] == pytest.approx(right / (right + missed))
    assert estimates["recall"]["low"] < estimates["recall"]["value"] < estimates["recall"]["high"]
    assert estimates["agreement"] is None


def test_fully_labelled_strata_have_no_sampling_error() -> None:
    answers = {JUDGED: (PairLabels(True, None),) * 3 + (PairLabels(False, None),), WIDER: (PairLabels(True, None),)}
    run = {"strata": {JUDGED: {"pairs": 4}, WIDER: {"pairs": 1}}}
    assert estimate(Labelled(answers, run))["recall"] == {"value": 0.75, "low": 0.75, "high": 0.75}


def test_product_decides_and_agreement_is_measured() -> None:
    answers = {JUDGED: (PairLabels(True, True), PairLabels(True, False)), WIDER: ()}
    estimates = estimate(Labelled(answers, {"strata": {JUDGED: {"pairs": 9}, WIDER: {"pairs": 0}}}))
    assert estimates["precision"]["value"] == 0.5
    assert estimates["recall"]["value"] == 1.0
    assert estimates["agreement"] == {"pairs": 2, "equal": 1, "kappa": 0.0}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((20, 5, 10, 15), 0.4),
        ((45, 15, 25, 15), 0.1304),
        ((5, 0, 0, 5), 1.0),
        ((0, 5, 5, 0), -1.0),
        ((9, 0, 0, 0), None),
    ],
)
def test_kappa_is_that_of_cohen(table: tuple[int, int, int, int], expected: float | None) -> None:
    cases = ((True, True), (True, False), (False, True), (False, False))
    pairs = [case for case, count in zip(cases, table, strict=True) for _ in range(count)]
    assert kappa(pairs) == (expected if expected is None else pytest.approx(expected, abs=1e-4))


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as refused:
        read_book(path)
    assert refused.value.hint
    return refused.value.message


def test_a_workbook_without_labels_is_refused(book: Path) -> None:
    assert "has no labels" in refusal(book)


def test_half_filled_labels_are_refused_with_sheet_and_row(book: Path) -> None:
    fill(book, development=lambda stratum, row: None if (stratum, row) == (WIDER, 7) else 1)
    message = refusal(book)
    assert f"sheet {SHEETS[WIDER]}, row 7: {DEVELOPMENT} is empty" in message


@pytest.mark.parametrize(
    ("cell", "value", "message"),
    [
        ("B5", "maybe", f"row 5: {DEVELOPMENT} is 'maybe'"),
        ("A5", 1, "row 5: number 1 is already in row 2 with other labels"),
        ("A5", "x", "row 5: the number is 'x'"),
        ("A22", 21, "21 of 20 rows"),
        ("A1", "n", "there is no column No."),
    ],
)
def test_labels_that_cannot_be_read_are_refused(book: Path, cell: str, value: Any, message: str) -> None:
    fill(book, development=lambda _, row: row % 2)
    change(book, JUDGED, cell, value)
    if cell == "A5" and value == 1:
        change(book, JUDGED, "B5", 0 if openpyxl.load_workbook(book)[SHEETS[JUDGED]]["B2"].value else 1)
    if cell == "A22":
        change(book, JUDGED, "B22", 1)
    assert message in refusal(book)


def test_a_lost_row_is_refused(book: Path) -> None:
    fill(book, development=1)
    workbook = openpyxl.load_workbook(book)
    workbook[SHEETS[WIDER]].delete_rows(4)
    workbook.save(book)
    assert "19 of 20 rows; number 3 is missing" in refusal(book)


def test_other_files_are_refused(tmp_path: Path, book: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"no workbook")
    assert "cannot read" in refusal(tmp_path / "a.xlsx")
    workbook = openpyxl.Workbook()
    workbook.save(tmp_path / "b.xlsx")
    assert "has the sheets Sheet" in refusal(tmp_path / "b.xlsx")
    damaged = openpyxl.load_workbook(book)
    damaged["run"]["A1"] = "{"
    damaged.save(book)
    assert "the sheet 'run' is damaged" in refusal(book)
