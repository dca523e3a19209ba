"""Labels by which people mark two articles as copies or not."""

from __future__ import annotations

from typing import Any

from whorl.i18n import say

YES = frozenset({"1", "yes", "y", "true", "是"})
NO = frozenset({"0", "no", "n", "false", "否"})
ACCEPTED = say("1 or 0, yes or no, y or n, 是 or 否")


def read_label(value: Any) -> bool | None:
    """Parse a label: True for copy, False for no copy, None if it is neither."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    word = str(value).strip().lower()
    return True if word in YES else False if word in NO else None


__all__ = ["ACCEPTED", "read_label"]
