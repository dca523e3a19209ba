"""Dates as written on pages: hand-written cases, and properties of any line."""

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.corpus.pages.dates import CHINA, EARLIEST, first_moment, read_date

FILE = tomllib.loads((Path(__file__).parents[3] / "cases" / "dates.toml").read_text(encoding="utf-8"))
NOW = datetime.fromisoformat(FILE["now"])
SIGNS = [*"0123456789〇一二三十年月日时分秒点前天昨今上下午周:-/. TZ+", "小时", "刚刚", "2021", "GMT"]


@pytest.mark.parametrize("case", FILE["case"], ids=lambda case: case.get("name") or case["input"] or "nothing")
def test_case(case: dict[str, Any]) -> None:
    now = datetime.fromisoformat(case["now"]) if "now" in case else NOW
    moment = first_moment(case["input"], now)
    assert ("" if moment is None else str(moment)) == case["reads"]
    assert read_date(case["input"], now) == (None if moment is None else moment.at)


@pytest.mark.parametrize("line", ["昨天 14:05", "3小时前", "3月5日", "03-05 14:05", "刚刚"])
def test_what_is_counted_from_now_is_not_read_where_now_is_not_known(line: str) -> None:
    assert read_date(line, None) is None
    assert read_date(line, NOW) is not None


def test_a_time_without_a_zone_is_of_asia_shanghai() -> None:
    assert read_date("2021-03-05 14:05", None) == datetime(2021, 3, 5, 6, 5, tzinfo=UTC)
    assert read_date("昨天 14:05", NOW.replace(tzinfo=None)) == datetime(2021, 3, 5, 6, 5, tzinfo=UTC)


def test_nothing_is_read_that_is_after_the_clock_where_now_is_not_known() -> None:
    tomorrow = datetime.now(CHINA) + timedelta(days=2)
    assert read_date(f"{tomorrow:%Y-%m-%d}", None) is None


@given(
    st.lists(st.sampled_from(SIGNS) | st.characters(), max_size=40).map("".join),
    st.datetimes(EARLIEST.replace(tzinfo=None)),
)
def test_any_line_gives_an_instant_between_the_first_page_and_now_or_none(line: str, now: datetime) -> None:
    result = read_date(line, now)
    assert result is None or (result >= EARLIEST and result - now.replace(tzinfo=CHINA) <= timedelta(hours=14))


@pytest.mark.parametrize("piece", ["2021", " ", "年", "2021-", "1月", "昨天", "2021年3月5日 ", "十" * 3, "：", "(周"])
def test_long_lines_end(piece: str) -> None:
    read_date(piece * 100_000, NOW)
