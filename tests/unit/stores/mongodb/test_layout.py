"""Rows of collections as records."""

from __future__ import annotations

from whorl.stores.mongodb.layout import NOTICES
from whorl.stores.records import BoilerplateRecord


def test_a_row_that_lacks_what_came_later_or_has_what_went_is_read() -> None:
    notice = BoilerplateRecord(1, "声明", b"12345678", 2)
    row = NOTICES.row_of(notice)
    assert NOTICES.record_of(row) == notice
    del row["holders"]
    assert NOTICES.record_of(row | {"what is no longer kept": 7}) == notice._replace(holders=0)
