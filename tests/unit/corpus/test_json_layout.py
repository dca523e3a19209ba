import pytest

from whorl.corpus.formats.json.layout import layout_of


@pytest.mark.parametrize(
    "head",
    [
        '{broken\n{"text": "a"}\n{"text": "b"}\n',
        "{broken\n",
        '{"text": \n{"text": "a"}\n{"text": "b"}\n',
        '{"text": \r\n{"text": "a"}\r\n\r\n{"text": "b"}\r\n',
        '{"text": "a\n{"text": "b"}\n',
    ],
)
def test_a_first_row_that_breaks_off_takes_no_other_rows_with_it(head: str) -> None:
    assert layout_of(head, {"text"}, is_all=True) is None


@pytest.mark.parametrize("head", ['{"a":\n  {"text": "a"},\n "b": 1}\n', '{\n "text": "a"\n}\n{\n "text": "b"\n}\n'])
def test_objects_over_many_lines_are_rows(head: str) -> None:
    layout = layout_of(head, {"text"}, is_all=True)
    assert layout is not None
    assert layout.kind == "values"
