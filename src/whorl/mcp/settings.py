"""What the tools may read and write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from os.path import realpath
from pathlib import Path

from whorl._internal.frozen import frozen
from whorl.corpus import discover
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.tasks.compare.articles import split_row

_NO_PATHS = ("-", "")
"""Standard input, which carries the protocol, and nothing."""


@frozen
class ToolSettings:
    """What the tools may read and write.

    Attributes:
        folder: the folder of all files that the tools read and write.
        libraries: addresses of the libraries that may be searched, by name.
        may_write: True if a tool may write new folders below ``folder``.
        meaning: model for comparisons by meaning: True for that of the package, or the path of a folder; False allows
            none.
    """

    folder: Path
    libraries: Mapping[str, str] = field(default_factory=dict)
    may_write: bool = False
    meaning: bool | str = False

    def inputs(self, places: Sequence[str]) -> list[str]:
        """Return files, folders and globs as absolute paths, none of which leads out of the folder.

        Raises:
            UsageError: an input is an address or standard input, or a file lies outside the folder, also by a link.
            InputError: an input does not exist.
        """
        paths = [self._inside(place) for place in places]
        root = Path(realpath(self.folder))
        for source in discover(paths):
            if source.path is None or not Path(realpath(source.path)).is_relative_to(root):
                raise self._outside(source.label)
        return paths

    def document(self, place: str) -> str:
        """Return ``FILE`` or ``FILE:ROW`` as an absolute path, which does not lead out of the folder.

        Raises:
            UsageError: it is an address or standard input, or lies outside the folder, also by a link.
        """
        file, row = split_row(str(self.folder / place))
        path = self._inside(place if row is None else file)
        return path if row is None else f"{path}:{row}"

    def output(self, place: str) -> str:
        """Return the path of a new folder below the folder.

        Raises:
            UsageError: nothing may be written, or it is outside the folder.
        """
        if not self.may_write:
            raise UsageError(
                say("this server only reads"), hint=say("leave out `out`, or ask the user to start it with --write")
            )
        return self._inside(place)

    def model(self, *, requested: bool) -> bool | str:
        """Return the model of a comparison by meaning; False if none was requested.

        Raises:
            UsageError: the user did not allow it.
        """
        if requested and not self.meaning:
            raise UsageError(
                say("this server does not compare by meaning"),
                hint=say("leave out `meaning`, or ask the user to start it with --meaning"),
            )
        return requested and self.meaning

    def library(self, name: str | None) -> str:
        """Return the address of a library.

        Args:
            name: its name; None is the only library.

        Raises:
            UsageError: there is no such library, or several and no name.
        """
        names = ", ".join(self.libraries)
        if not self.libraries:
            raise UsageError(
                say("there is no library to search"),
                hint=say("ask the user to name one: whorl mcp --library newsroom"),
            )
        if name is None and len(self.libraries) > 1:
            raise UsageError(say("there are several libraries"), hint=say("choose among: {known}", known=names))
        address = next(iter(self.libraries.values())) if name is None else self.libraries.get(name)
        if address is None:
            raise UsageError(
                say("no library is called {name}", name=name), hint=say("choose among: {known}", known=names)
            )
        return address

    def _inside(self, place: str) -> str:
        if "://" in place or place in _NO_PATHS:
            raise self._outside(place)
        path = self.folder / place
        if not Path(realpath(path)).is_relative_to(realpath(self.folder)):
            raise self._outside(place)
        return str(path)

    def _outside(self, place: str) -> UsageError:
        return UsageError(
            say("{place} is not in the folder of this server", place=place),
            hint=say("use files below {folder}, by relative paths", folder=self.folder),
        )


__all__ = ["ToolSettings"]
