"""A library in a database of MongoDB, or of another server that speaks its protocol.

    mongodb://host/database

Nothing is ever changed in place. A row that takes the place of another is a new version of it, one that goes leaves a
version that says so (`rows`), and each version names the turn in which it was written. Turns and commits are one chain
of small documents with the ids 1, 2, 3 …, of which each tells the whole state of the library as of then (`chain`): to
take the turn is to insert the next one, and so is to commit. As no id can be inserted twice, that one insertion
decides, on every server, also on those that have no transactions, or that find a document and change it in two steps:

- *Whole or not at all.* Readers see the versions of the turns that were committed when they began. A commit is one
  document, acknowledged by most members of a replica set, from their journals, after all rows of its turn were.
- *One moment.* What is read in one ``reading`` is of one link of the chain; versions stay for an hour after they were
  replaced.
- *Turns.* Who holds the turn says each second that it is alive. Who has not for five is passed over: the next link then
  declares its turn dead, with all that it wrote or may still write, and its commit, should it wake up, is refused.

Transactions of the server would do no more: they end after a minute, which many articles may take, are limited in what
they write, and a server that stands alone has none.
"""

from whorl.stores.mongodb.store import MongoStore, exists, open_store

__all__ = ["MongoStore", "exists", "open_store"]
