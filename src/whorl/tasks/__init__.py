"""Every use case once: what the command line, a service, a monitor or a notebook ask for is a function here.

A task takes plain arguments and a progress to tell of its course, and returns frozen data; ``to_dict()`` of that is
what a front passes on as JSON. It reads and writes the files that it is told to, prints nothing, and knows no terminal,
page or protocol. Where rows or articles come one by one, a task hands each to a function, and returns the sums.

Articles are asked for in one way everywhere: ``inputs`` are files, folders and globs, one or several; a ``library`` is
its address or an open ``whorl.Library``; a ``recipe`` is a ``whorl.Recipe``, a TOML file, or the name of a method or
preset. Arguments that are None are those of the recipe.
"""

from whorl.engines.progress import Progress, Silent

__all__ = ["Progress", "Silent"]
