"""Chapters of a manuscript."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.text.sections import PIECE, sections

BODY = "渔港在东边，每天早上都有船。" * 20


@pytest.mark.parametrize(
    ("headings", "titles"),
    [
        (
            ["摘要", "第一章 绪论", "1.1 背景", "第二章 渔港", "参考文献"],
            ["摘要", "第一章 绪论", "第二章 渔港", "参考文献"],
        ),
        (["Introduction", "Chapter 1 Ice", "Chapter 2 Fish"], ["Introduction", "Chapter 1 Ice", "Chapter 2 Fish"]),
        (["# One", "## Detail", "# Two"], ["# One", "# Two"]),
        (["# Title", "## One", "## Two"], ["", "## One", "## Two"]),
        (["一、背景", "（一）细节", "二、方法"], ["一、背景", "二、方法"]),
        (["1 引入", "1.1 细节", "2 方法"], ["1 引入", "2 方法"]),
        (["I. Ice", "II. Fish"], ["I. Ice", "II. Fish"]),
    ],
)
def test_the_outermost_headings_divide(headings: list[str], titles: list[str]) -> None:
    text = "\n".join(f"{heading}\n{BODY}" for heading in headings)
    assert [section.title for section in sections(text)] == titles


def test_prose_that_begins_like_a_heading_divides_nothing() -> None:
    text = "第一章写渔港，第二章写码头。\n第三章，写冰厂。\n1 台机器能出冰四十吨，\n2 台机器能出冰八十吨。"
    assert [section.title for section in sections(text)] == [""]


def test_items_of_a_list_are_no_chapters() -> None:
    items = "\n".join(f"{number}. 第{number}号船今天出海" for number in range(1, 9))
    assert [section.title for section in sections(f"{BODY}\n{items}\n{BODY}")] == [""]


def test_the_table_of_contents_is_no_chapter() -> None:
    contents = "第一章 渔港\n第二章 码头\n"
    text = f"{contents}第一章 渔港\n{BODY}\n第二章 码头\n{BODY}"
    assert len(sections(text)) == 4
    assert [section.start for section in sections(text, [(0, len(contents))])][1:] == [
        len(contents),
        text.rindex("第二章"),
    ]


@given(st.text(st.sampled_from("第一章二 \n1.#、ab。")), st.integers(0, 3))
def test_sections_cover_the_text_once(text: str, times: int) -> None:
    text = text + "字" * (PIECE * times)
    parts = sections(text)
    assert [part.start for part in parts] == [0, *(part.end for part in parts[:-1])]
    assert parts[-1].end == len(text)
