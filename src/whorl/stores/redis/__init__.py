"""Keys in Redis: which contents have a key, for all workers of a library together.

What is asked and put here is decided by `whorl.library.shared_index`; `keys` has the rows, `scripts` what Redis does
with them in one go, `records` their bytes.
"""

from whorl.stores.redis.keys import Found, Postings, RedisKeys, Refused, State, shown
from whorl.stores.redis.records import bits_for

__all__ = ["Found", "Postings", "RedisKeys", "Refused", "State", "bits_for", "shown"]
