"""Keys in Redis: which contents have a key, for all workers of a library together.

What is asked and put here is decided by `whorl.library.shared_index`; `keys` has the rows, `scripts` what Redis does
with them in one go, `records` their bytes, `connecting` the address.
"""

from whorl.stores.redis.connecting import client_of, shown
from whorl.stores.redis.failures import failures
from whorl.stores.redis.keys import Found, Postings, RedisKeys, Refused, State
from whorl.stores.redis.records import bits_for

__all__ = [
    "Found",
    "Postings",
    "RedisKeys",
    "Refused",
    "State",
    "bits_for",
    "client_of",
    "failures",
    "shown",
]
