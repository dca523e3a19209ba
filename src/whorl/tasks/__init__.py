"""Use cases: the functions behind the command line, the service, monitors and notebooks.

A task takes plain arguments and a progress receiver and returns frozen data, whose ``to_dict()`` front ends output as
JSON. It reads and writes only the files in its arguments, prints nothing, and does not depend on a terminal, page or
protocol. A task that produces rows or articles one by one passes each to a callback and returns the totals.

Arguments for articles are the same everywhere: ``inputs`` are one or more files, folders and globs; a ``library`` is an
address or an open ``whorl.Library``; a ``recipe`` is a ``whorl.Recipe``, a TOML file, or the name of a method or
preset. Arguments that are None use the value of the recipe.
"""

from whorl.engines.progress import Progress, Silent

__all__ = ["Progress", "Silent"]
