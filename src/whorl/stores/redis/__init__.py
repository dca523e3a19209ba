"""Postings in Redis, shared by all workers of a library.

`whorl.library.search.shared_index` decides what is queried and written; `keys` has the operations, `scripts` their
atomic Lua scripts, `records` the byte format, and `connecting` the address.
"""

from whorl.stores.redis.connecting import client_of, masked
from whorl.stores.redis.failures import failures
from whorl.stores.redis.keys import FoundPostings, IndexState, PeriodKeys, RedisKeys, StateMismatch
from whorl.stores.redis.records import bits_for

__all__ = [
    "FoundPostings",
    "IndexState",
    "PeriodKeys",
    "RedisKeys",
    "StateMismatch",
    "bits_for",
    "client_of",
    "failures",
    "masked",
]
