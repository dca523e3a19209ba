"""SQL statements of a library for all databases, and the store on servers: PostgreSQL, and MySQL or MariaDB.

Statements are written once (`reading`, `monitoring`, `statistics`, `writing`, `checking`), and a `Dialect` supplies the
differences between databases. `whorl.stores.sqlite` uses only these modules, which need no driver and no SQLAlchemy.

The state of the service (`whorl.service.state`) has tables of its own, and uses the servers and the pool from here.

A store on a server (`store`) has a module for each kind of server, an `SqlServer`, and tables that are defined once,
with SQLAlchemy (`schema`). Writers of all processes and hosts take turns by a lock on one row, which is released when
its connection ends. Therefore change numbers are in the order of commits, and a reader that has read up to a number has
missed no earlier change. Acknowledged data is committed, and the server is configured to have it on disk by then. A
read is a consistent snapshot.
"""
