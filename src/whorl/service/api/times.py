"""Times in request bodies, with the precision and the zone that they are written with."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from whorl.library.provenance.times import is_time


def _demand_time(value: float | str) -> float | str:
    if not is_time(value):
        raise PydanticCustomError("time", "expected a time such as 2026-07-01, 2026-07-01T08:00:00+08:00")
    return value


WrittenTime = Annotated[int | float | str, AfterValidator(_demand_time)]
"""A time as text, or as a number of seconds since 1970."""

__all__ = ["WrittenTime"]
