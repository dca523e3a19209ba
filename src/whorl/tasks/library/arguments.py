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


def places(given: Places) -> tuple[str, ...]:
    """Return files, folders and globs as strings.

    Raises:
        UsageError: an argument is not a path.
    """
    several = [given] if isinstance(given, str | PathLike) else given
    if isinstance(several, bytes | Mapping) or not isinstance(several, Iterable):
        raise UsageError(
            say("expected one or more paths, got {given!r:.60}", given=given), hint=say("use one or more paths")
        )
    found = list(several)
    if not all(isinstance(place, str | PathLike) for place in found):
        raise UsageError(
            say("expected a path, got {found!r:.60}", found=found),
            hint=say("use paths; for documents in memory use whorl.dedup or a library"),
        )
    named = tuple(fspath(place) for place in found)
    if "" in named:
        raise UsageError(say("an input is empty"), hint=say("name a file or a folder; . is the working folder"))
    return named


def strings(given: Texts | None) -> tuple[str, ...] | None:
    """Return one or more strings as a tuple; None for None.

    Raises:
        UsageError: an argument is not a string.
    """
    if given is None:
        return None
    found = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(one, str) for one in found):
        raise UsageError(say("expected a name, got {given!r:.60}", given=given), hint=say("use one string or several"))
    return found


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

    return ReadOptions(recipe.encoding, recipe.max_row_bytes)


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


def demand_from(name: str, value: object, least: int) -> None:
    """Refuse a value that is not an integer of at least ``least``.

    Raises:
        UsageError: the value is invalid.
    """
    if type(value) is not int or value < least:
        raise UsageError(
            say("{name} is {value!r}, expected an integer of at least {least}", name=name, value=value, least=least),
            hint=say("use {least} or more", least=least),
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
    "demand_part",
    "demand_texts",
    "lent",
    "places",
    "reading",
    "selected",
    "strings",
    "utc_now",
]
