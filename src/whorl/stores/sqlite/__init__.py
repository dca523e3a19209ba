"""A library in one SQLite file, with a write-ahead log that is synced at every commit.

A library is a folder with ``library.sqlite``, the two empty files in which its writers queue and, while it is open, the
two files of its log.
"""

from whorl.stores.sqlite.store import SqliteStore, exists, open_store, versions

__all__ = ["SqliteStore", "exists", "open_store", "versions"]
