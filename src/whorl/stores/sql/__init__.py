"""A library in a database of PostgreSQL, or of MySQL or MariaDB: one store, with a module per server.

Tables (`schema`) and statements are defined once, with SQLAlchemy; a `Dialect` supplies the differences. Writers of all
processes and hosts take turns by a lock on one row, which is released when its connection ends. Therefore change
numbers are in the order of commits, and a reader that has read up to a number has missed no earlier change.
Acknowledged data is committed, and the server is configured to have it on disk by then. A read is a consistent
snapshot.
"""
