"""Answers are written in pieces, and are what they would be if they were written at once."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from whorl.service.http.responses import plain_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
)
LONG = st.lists(SCALARS, min_size=1, max_size=3).flatmap(lambda some: st.integers(300, 1200).map(lambda n: some * n))


@given(VALUES | LONG | st.lists(LONG, max_size=2) | st.dictionaries(st.text(), LONG, max_size=2))
def test_plain_data_is_written_as_at_once(data: Any) -> None:
    assert plain_json(data) == json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
