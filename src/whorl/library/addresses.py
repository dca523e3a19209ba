"""The address of a library: where its store is and, if it is elsewhere, where its index is."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from whorl.errors import UsageError
from whorl.i18n import say

INDEXES = ("redis", "rediss", "unix")
"""Address schemes of indexes that workers share."""

_INDEX = re.compile(r"(?P<before>[?&])index=(?P<address>[^&]*)(?P<after>&|$)")


class Address(NamedTuple):
    """Location of a library.

    Attributes:
        store: path or address of the store.
        shared: address of the index that the workers share; None if each process has its own.
    """

    store: str
    shared: str | None

    @classmethod
    def of(cls, address: str) -> Address:
        """Split ``?index=ADDRESS`` or ``&index=ADDRESS`` off an address; %XX escapes are decoded.

        Raises:
            UsageError: the index scheme is not supported.
        """
        option = _INDEX.search(address)
        if option is None or ":" not in unquote(option["address"]):
            return cls(address, None)
        index = unquote(option["address"])
        if index.partition(":")[0] not in INDEXES:
            raise UsageError(
                say("unknown index address '{scheme}:'", scheme=index.partition(":")[0]),
                hint=say("use the address of a Redis server, such as ?index=redis://host:6379/0"),
            )
        kept = option["before"] if option["after"] else ""
        return cls(f"{address[: option.start()]}{kept}{address[option.end() :]}", index)


__all__ = ["INDEXES", "Address"]
