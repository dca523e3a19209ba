"""The address of a library: where its store is, and where its index, if that is not beside it."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from whorl.errors import UsageError
from whorl.language import say

INDEXES = ("redis", "rediss", "unix")
"""The schemes of indexes that workers share."""

_INDEX = re.compile(r"(?P<before>[?&])index=(?P<address>[^&]*)(?P<after>&|$)")


class Address(NamedTuple):
    """Where a library is.

    Attributes:
        store: the path or address of its store.
        shared: the address of the index that its workers share; None where each keeps its own.
    """

    store: str
    shared: str | None

    @classmethod
    def of(cls, given: str) -> Address:
        """Take ``?index=ADDRESS``, or ``&index=ADDRESS``, out of an address; signs of it may be written as %XX.

        Raises:
            UsageError: there is no index of that kind.
        """
        told = _INDEX.search(given)
        if told is None or ":" not in unquote(told["address"]):
            return cls(given, None)
        index = unquote(told["address"])
        if index.partition(":")[0] not in INDEXES:
            raise UsageError(
                say("there is no index at '{scheme}:'", scheme=index.partition(":")[0]),
                cure=say("give the address of a Redis, such as ?index=redis://host:6379/0"),
            )
        kept = told["before"] if told["after"] else ""
        return cls(f"{given[: told.start()]}{kept}{given[told.end() :]}", index)


__all__ = ["INDEXES", "Address"]
