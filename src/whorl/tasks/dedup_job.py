"""What is asked of a deduplication, whatever engine does it and however it is cut."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from whorl.corpus.places import place_of
from whorl.engines.job import Job
from whorl.errors import UsageError
from whorl.language import say
from whorl.recipe import Recipe, recipe_of
from whorl.stores import on_server, shown
from whorl.tasks.arguments import Place, Places, Texts, places, selected, strings
from whorl.tasks.references import references

if TYPE_CHECKING:
    from whorl.library import Library


class DedupOptions(TypedDict, total=False):
    """What ``dedup_files`` may be told besides its input and its output, for what runs the same job otherwise."""

    text: Texts | None
    id: str | None
    date: str | None
    encoding: str | None
    include: Texts | None
    exclude: Texts | None
    on_error: Literal["auto", "skip", "stop"]
    method: str | None
    threshold: float | None
    keep: str | None
    verify: str | Mapping[str, Any] | None
    changes: bool | None
    remove: Sequence[str] | None
    links: int | None
    against: Places | Library | Iterable[Place | Library]
    recipe: Recipe | Place | None
    workers: int | None
    command: str


@contextmanager
def lent_job(inputs: Places, out: Place, options: DedupOptions) -> Iterator[Job]:
    """Lend what is to be done; the libraries that it is held against are open meanwhile.

    Raises:
        UsageError: the arguments contradict each other.
    """
    taken, against = places(inputs), several_references(options.get("against", ()))
    chosen = chosen_recipe(options)
    is_chosen = options.get("method") is not None or options.get("recipe") is not None
    secrets = (*taken, os.fspath(out), *map(str, against))
    with references(against, chosen, is_chosen=is_chosen) as held:
        yield Job(
            inputs=taken,
            out=Path(out),
            recipe=held.recipe.changed(threshold=options.get("threshold")),
            against=held.paths,
            on_error=options.get("on_error", "auto"),
            workers=options.get("workers"),
            command=without_secrets(options.get("command", ""), secrets),
            selection=selected(options.get("include"), options.get("exclude")),
            sources=held.sources,
        )


def chosen_recipe(options: DedupOptions) -> Recipe:
    """Return the recipe that is asked for, before a library brings its own."""
    names = ("id", "date", "encoding", "method", "threshold", "keep", "verify", "changes", "remove", "links")
    own = {name: options.get(name) for name in names}
    return recipe_of(options.get("recipe"), text=strings(options.get("text")), **own)


def without_secrets(command: str, given: Iterable[str]) -> str:
    """Return a command without what the addresses in it keep to themselves."""
    for place in filter(None, (place_of(one) for one in given if not on_server(one))):
        command = place.without_secrets(command)
    return shown(command)


def several_references(given: Places | Library | Iterable[Place | Library]) -> list[str | Library]:
    """Return files, folders and libraries as one list.

    Raises:
        UsageError: they are none.
    """
    if given == ():
        return []
    from whorl.library import Library

    several = [given] if isinstance(given, str | PathLike | Library) else given
    if not isinstance(several, Iterable):
        raise UsageError(
            say("{given!r:.60} is no reference", given=given), cure=say("give a path, a library, or several")
        )
    return [one if isinstance(one, Library) else places([one])[0] for one in several]


__all__ = ["DedupOptions", "chosen_recipe", "lent_job", "several_references", "without_secrets"]
