"""Conversion and validation of the arguments of tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from os import PathLike, fspath
from typing import TYPE_CHECKING

from whorl.errors import UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    from whorl.corpus import ReadOptions, Selection
    from whorl.library import Library
    from whorl.recipe import Recipe

Place = str | PathLike[str]
Places = Place | Iterable[Place]
"""A file, folder or glob, or several."""
Texts = str | Iterable[str]
"""One string or several."""
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def places(paths: Places) -> tuple[str, ...]:
    """Return files, folders and globs as strings.

    Raises:
        UsageError: an argument is not a path.
    """
    several = [paths] if isinstance(paths, str | PathLike) else paths
    if isinstance(several, bytes | Mapping) or not isinstance(several, Iterable):
        raise UsageError(
            say("expected one or more paths, got {given!r:.60}", given=paths), hint=say("use one or more paths")
        )
    listed = list(several)
    if not all(isinstance(place, str | PathLike) for place in listed):
        raise UsageError(
            say("expected a path, got {found!r:.60}", found=listed),
            hint=say("use paths; for documents in memory use whorl.dedup or a library"),
        )
    named = tuple(fspath(place) for place in listed)
    if "" in named:
        raise UsageError(say("an input is empty"), hint=say("name a file or a folder; . is the working folder"))
    return named


def demand_options(options: Mapping[str, object], kind: type) -> None:
    """Refuse keyword arguments that a typed dict of options does not have, as a function with parameters would.

    Raises:
        TypeError: an option is unknown.
    """
    unknown = min(options.keys() - kind.__annotations__.keys(), default=None)
    if unknown is not None:
        raise TypeError(f"got an unexpected keyword argument {unknown!r}")


def demand_inputs(paths: Places) -> None:
    """Refuse a path that does not exist. A command calls this before it imports what reads files.

    Raises:
        InputError: a path does not exist.
        UsageError: an argument is not a path, or a malformed address.
    """
    from whorl.corpus import demand_existing

    demand_existing(places(paths))


def strings(names: Texts | None) -> tuple[str, ...] | None:
    """Return one or more strings as a tuple; None for None.

    Raises:
        UsageError: an argument is not a string.
    """
    if names is None:
        return None
    listed = (names,) if isinstance(names, str) else tuple(names)
    if not all(isinstance(name, str) for name in listed):
        raise UsageError(say("expected a name, got {given!r:.60}", given=names), hint=say("use one string or several"))
    return listed


def selected(include: Texts | None, exclude: Texts | None) -> Selection:
    """Return the selection of files in folders and globs.

    Raises:
        UsageError: a pattern is not valid for a path in a folder.
    """
    from whorl.corpus import Selection

    return Selection(strings(include) or (), strings(exclude) or ())


def reading(recipe: Recipe) -> ReadOptions:
    """Return the options of a recipe for parsing rows."""
    from whorl.corpus import ReadOptions

    return ReadOptions.of(recipe)


@contextmanager
def lent(library: Library | Place) -> Iterator[Library]:
    """Open the library at an address for the duration of the block; an open library stays open.

    Raises:
        InputError: there is no library at the address.
    """
    from whorl.library import Library
    from whorl.library import open as open_library

    if isinstance(library, Library):
        yield library
        return
    with open_library(library, create=False) as opened:
        yield opened


def demand_from(name: str, value: object, minimum: int) -> None:
    """Refuse a value that is not an integer of at least ``minimum``.

    Raises:
        UsageError: the value is invalid.
    """
    if type(value) is not int or value < minimum:
        raise UsageError(
            say("{name} is {value!r}, expected an integer of at least {least}", name=name, value=value, least=minimum),
            hint=say("use {least} or more", least=minimum),
        )


def demand_part(name: str, value: object) -> None:
    """Refuse a value that is not a number from 0 to 1.

    Raises:
        UsageError: the value is invalid.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(
            say("{name} is {value!r}, expected a number from 0 to 1", name=name, value=value),
            hint=say("use a number such as 0.97"),
        )


def demand_texts(library: Library) -> None:
    """Refuse a library without texts.

    Raises:
        UsageError: the library keeps no texts.
    """
    if not library.rules.texts:
        raise UsageError(
            say("the library keeps no texts"),
            hint=say("create a library that keeps texts, and add the articles again"),
        )


__all__ = [
    "Clock",
    "Place",
    "Places",
    "Texts",
    "demand_from",
    "demand_inputs",
    "demand_options",
    "demand_part",
    "demand_texts",
    "lent",
    "places",
    "reading",
    "selected",
    "strings",
    "utc_now",
]
