"""Times as written by people, programs and files."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import InputError
from whorl.library.provenance.times import time_of

SECONDS = 1_577_836_800


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        ("2020", "2020-01-01"),
        (2020, "2020-01-01"),
        ("2020年", "2020-01-01"),
        ("2020-05", "2020-05-01"),
        ("2020年5月", "2020-05-01"),
        ("202005", "2020-05-01"),
        (20200531, "2020-05-31"),
        ("20200531081500", "2020-05-31T08:15:00"),
        (SECONDS, "2020-01-01"),
        (str(SECONDS), "2020-01-01"),
        (SECONDS * 1000 + 7, "2020-01-01T00:00:00.007"),
        (SECONDS * 1_000_000 + 7, "2020-01-01T00:00:00.000007"),
        (SECONDS * 1_000_000_000 + 7000, "2020-01-01T00:00:00.000007"),
        (SECONDS + 0.5, "2020-01-01T00:00:00.5"),
        (Decimal(f"{SECONDS}.25"), "2020-01-01T00:00:00.25"),
        (-(10**9), "1938-04-24T22:13:20"),
        ("2019年12月20日 8时", "2019-12-20T08:00:00"),
        ("2020/1/2 03:04", "2020-01-02T03:04:00"),
        ("Thu, 02 Jan 2020 08:00:00 +0800", "2020-01-02"),
        ("2020-01-02T08:00:00+08:00", "2020-01-02"),
        (date(2020, 1, 2), "2020-01-02"),
        (datetime(2020, 1, 2, 8, tzinfo=timezone(timedelta(hours=8))), "2020-01-02"),
    ],
)
def test_a_time_is_understood(written: Any, understood: str) -> None:
    assert time_of(written, "at") == datetime.fromisoformat(understood).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "one day",
        "昨天",
        "5",
        5,
        0,
        True,
        "12:30",
        "2020-13",
        "20201399",
        float("nan"),
        10**30,
        10**400,
        -(10**4000),
        b"2020",
        [],
    ],
)
def test_what_is_no_time_is_refused(written: Any) -> None:
    with pytest.raises(InputError, match=r"at is not a valid time[\s\S]*hint"):
        time_of(written, "at")


@given(st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 29), timezones=st.just(UTC)))
def test_every_time_comes_out_of_its_text(time: datetime) -> None:
    assert time_of(time.isoformat(), "at") == time
