"""Columns made without `pyarrow.compute` are those that it makes."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl import _core
from whorl.engines.arrow import chosen, column, named, strings_of

NEWSROOM = Path(__file__).parents[3] / "examples" / "newsroom" / "articles.jsonl"

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=1, max_size=30)


@st.composite
def with_rows(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    names = draw(texts)
    return names, draw(st.lists(st.integers(0, len(names) - 1), max_size=40))


@given(with_rows())
def test_chosen_strings_are_those_that_arrow_takes(sample: tuple[list[str], list[int]]) -> None:
    names, rows = sample
    array = pa.array(names, pa.large_string())
    result = chosen(strings_of(names), np.array(rows, np.int64))
    result.validate(full=True)
    assert result.equals(array.take(pa.array(rows, pa.int64())))


@given(with_rows(), st.data())
def test_names_of_codes_are_null_where_they_are_not_valid(
    sample: tuple[list[str], list[int]], data: st.DataObject
) -> None:
    names, rows = sample
    valid = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    column_of_names = named(tuple(names), np.array(rows, np.uint8), np.array(valid, np.bool_))
    column_of_names.validate(full=True)
    expected = [names[row] if is_valid else None for row, is_valid in zip(rows, valid, strict=True)]
    assert column_of_names.equals(pa.array(expected, pa.string()))


@pytest.mark.parametrize("kind", ["bool", "uint8", "uint32", "int64", "float32", "float64"])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1000])
def test_numbers_are_those_of_arrow(kind: str, count: int) -> None:
    values = (np.arange(count * 2) % 3).astype(kind)[::2]
    valid = np.arange(count) % 5 != 0
    assert column(values).equals(pa.array(np.ascontiguousarray(values)))
    assert column(values, valid).equals(pa.array(np.ascontiguousarray(values), mask=~valid))


@given(with_rows(), st.data())
def test_a_label_is_the_id_or_the_place(sample: tuple[list[str], list[int]], data: st.DataObject) -> None:
    names, files = sample
    count = len(files)
    ids = data.draw(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=count, max_size=count))
    placed = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    rows = data.draw(st.lists(st.integers(0, 2**62), min_size=count, max_size=count))
    labels = strings_of(ids).labels(
        np.array(placed, np.uint8), strings_of(names), np.array(files, np.uint32), np.array(rows, np.int64)
    )
    result = chosen(labels, np.arange(count))
    result.validate(full=True)
    places = pc.binary_join_element_wise(
        pa.array([names[file] for file in files], pa.string()), pa.array(map(str, rows), pa.string()), ":"
    )
    expected = pc.if_else(pa.array(placed, pa.bool_()), places, pa.array(ids, pa.string()))
    assert result.equals(expected.cast(pa.large_string()))


@given(st.lists(st.text(), min_size=1))
def test_a_single_string_is_that_of_its_row(names: list[str]) -> None:
    strings = strings_of([name.encode(errors="replace").decode() for name in names])
    assert [strings[row] for row in range(len(names))] == chosen(strings, np.arange(len(names))).to_pylist()


def test_rows_and_bounds_that_do_not_exist_are_refused() -> None:
    with pytest.raises(IndexError):
        chosen(strings_of(["a"]), np.array([1]))
    with pytest.raises(IndexError):
        strings_of(["a"])[1]
    with pytest.raises(ValueError, match="ascend"):
        _core.Strings(b"ab", np.array([0, 3], np.int64))


def test_a_run_does_without_slow_imports(tmp_path: Path) -> None:
    program = (
        "import sys; from whorl.cli import run\n"
        "try: run()\n"
        "finally: print([name for name in ('pyarrow.compute', 'numpy.ma', 'rich._emoji_codes') if name in sys.modules])"
    )
    command = [sys.executable, "-c", program, "dedup", str(NEWSROOM), "-o", str(tmp_path / "out")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
