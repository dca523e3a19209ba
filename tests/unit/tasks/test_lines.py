"""Lines of JSON into a library: a response for each, and a report of the error that stops."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.articles import article

import whorl
from whorl.tasks.library.lines import add_lines


def lines(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield json.dumps({"id": str(number), "text": article(number, 40)}).encode()


def test_closed_library_stops_pending_lines(tmp_path: Path) -> None:
    with whorl.open(tmp_path) as library:
        answers = add_lines(library, lines(9000))
        first = next(answers)
        library.close()
        rest = list(answers)
    assert (first.line, first.state) == (1, "new")
    assert [report.line for report in rest] == list(range(2, len(rest) + 2))
    assert (rest[-1].state, {report.state for report in rest[:-1]}) == ("stopped", {"new"})
    assert rest[-1].problem
    with whorl.open(tmp_path) as library:
        assert len(library) == len(rest)


def test_no_more_is_read_than_its_answers_need(tmp_path: Path) -> None:
    read = iter(lines(50_000))
    with whorl.open(tmp_path) as library:
        answers = add_lines(library, read)
        assert [item.line for item in islice(answers, 3)] == [1, 2, 3]
        answers.close()
        assert len(library) <= 4000
    assert len(list(read)) > 40_000


def test_bad_lines_do_not_pile_up(tmp_path: Path) -> None:
    read = iter([b"{"] * 100_000)
    with whorl.open(tmp_path) as library:
        answers = add_lines(library, read)
        assert (next(answers).line, next(answers).state) == (1, "refused")
    assert len(list(read)) >= 80_000
