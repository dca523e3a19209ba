"""What callers ask with, as the layers below take it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from os import PathLike, fspath
from typing import TYPE_CHECKING

from whorl.errors import UsageError
from whorl.language import say

if TYPE_CHECKING:
    from whorl.corpus import ReadOptions, Selection
    from whorl.library import Library
    from whorl.recipe import Recipe

Place = str | PathLike[str]
Places = Place | Iterable[Place]
"""A file, folder or glob; or several."""
Texts = str | Iterable[str]
"""One string, or several."""
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return what time it is."""
    return datetime.now(UTC)


def places(given: Places) -> tuple[str, ...]:
    """Return files, folders and globs as text.

    Raises:
        UsageError: they are none.
    """
    several = [given] if isinstance(given, str | PathLike) else given
    if isinstance(several, bytes | Mapping) or not isinstance(several, Iterable):
        raise UsageError(say("{given!r:.60} names no files", given=given), cure=say("give a path, or several"))
    found = list(several)
    if not all(isinstance(place, str | PathLike) for place in found):
        raise UsageError(
            say("{found!r:.60} names no files", found=found),
            cure=say("give paths; documents go to whorl.dedup or a library"),
        )
    named = tuple(fspath(place) for place in found)
    if "" in named:
        raise UsageError(say("an input is empty"), cure=say("name a file or a folder; . is the working folder"))
    return named


def strings(given: Texts | None) -> tuple[str, ...] | None:
    """Return one string, or several, as several; None for None.

    Raises:
        UsageError: they are no strings.
    """
    if given is None:
        return None
    found = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(one, str) for one in found):
        raise UsageError(say("{given!r:.60} is no name", given=given), cure=say("give a string, or several"))
    return found


def selected(include: Texts | None, exclude: Texts | None) -> Selection:
    """Return which files of folders and globs are chosen.

    Raises:
        UsageError: one is not a relative path pattern.
    """
    from whorl.corpus import Selection

    return Selection(strings(include) or (), strings(exclude) or ())


def reading(recipe: Recipe) -> ReadOptions:
    """Return how bytes become rows by a recipe."""
    from whorl.corpus import ReadOptions

    return ReadOptions(recipe.encoding, recipe.max_row_bytes)


@contextmanager
def lent(library: Library | Place) -> Iterator[Library]:
    """Lend a library: one that is open stays so, one at an address is open for as long as it is needed.

    Raises:
        InputError: there is none at the address.
    """
    from whorl.library import Library
    from whorl.library import open as open_library

    if isinstance(library, Library):
        yield library
        return
    with open_library(library, create=False) as opened:
        yield opened


def demand_from(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number from ``least``.

    Raises:
        UsageError: it is none.
    """
    if type(value) is not int or value < least:
        raise UsageError(
            say("{name} is {value!r}, not a whole number from {least}", name=name, value=value, least=least),
            cure=say("give {least} or more", least=least),
        )


def demand_part(name: str, value: object) -> None:
    """Refuse what is no share from 0 to 1.

    Raises:
        UsageError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(
            say("{name} is {value!r}, not a share from 0 to 1", name=name, value=value),
            cure=say("give a share such as 0.97"),
        )


def demand_texts(library: Library) -> None:
    """Refuse a library that keeps no texts.

    Raises:
        UsageError: it keeps none.
    """
    if not library.rules.texts:
        raise UsageError(
            say("the library keeps no texts, so that nothing can be shown"),
            cure=say("make a library that keeps texts, and add the articles again"),
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
