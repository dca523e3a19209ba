"""A library in a database of MongoDB, or of another server that implements its protocol.

    mongodb://host/database

Rows are never changed in place. A replaced row gets a new version, a removed one a version that marks the removal
(`rows`), and each version names the turn that wrote it. Turns and commits form one chain of small documents with the
ids 1, 2, 3 …, each with the complete state of the library (`chain`). Taking the turn inserts the next document, and so
does a commit. No id can be inserted twice, so this insertion is atomic on every server, including servers without
transactions and servers that find and change a document in two steps:
- *Atomicity.* Readers see the versions of turns that were committed when they began. A commit is one document,
acknowledged by a majority of the replica set from their journals, after all rows of its turn.
- *Snapshots.* A ``reading`` block sees one link of the chain; versions are kept for an hour after they were replaced.
- *Turns.* The holder of the turn sends a heartbeat each second. After five seconds without one it is passed over: the
next link declares its turn dead, with all that it has written or will write. If the holder resumes, its commit is
refused.

Transactions of the server would not do: they end after a minute, which many articles may exceed, limit the amount of
written data, and are not available on a standalone server.
"""

from whorl.stores.mongodb.store import MongoStore, exists, open_store, versions

__all__ = ["MongoStore", "exists", "open_store", "versions"]
