"""A library in a database of PostgreSQL, or of MySQL or MariaDB: one store, and a module for what each does its way.

The tables are told once, by SQLAlchemy (`schema`), and so are the statements; a `Dialect` says what differs. Writers
of all processes and hosts take turns by a lock on one row, which a connection that is gone lets go of; so the numbers
of changes are in the order of their commits, and whoever has read up to one has missed none before it. What is
acknowledged is committed, with the server told to have it on its disk by then. A read is that of one moment.
"""
