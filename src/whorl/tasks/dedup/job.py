"""The job of a deduplication, for every engine and for shards."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from whorl.corpus.rejects import OnError
from whorl.corpus.remote.address import place_of
from whorl.engines.job import DedupJob
from whorl.engines.options import Output, RecipeOptions, RunOptions
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.recipe import Recipe, recipe_of
from whorl.stores import masked, on_server
from whorl.tasks.dedup.references import references
from whorl.tasks.library.arguments import Place, Places, Texts, demand_options, places, selected, strings

if TYPE_CHECKING:
    from whorl.library import Library


class DedupOptions(RunOptions, total=False):
    """Options of ``dedup_files`` other than input and output, for other ways to run the same job."""

    text: Texts | None
    encoding: str | None
    ocr: bool | None
    include: Texts | None
    exclude: Texts | None
    on_error: OnError
    against: Places | Library | Iterable[Place | Library]
    recipe: Recipe | Place | None
    output: Output
    command: str


@contextmanager
def lent_job(inputs: Places, out: Place, options: DedupOptions) -> Iterator[DedupJob]:
    """Open the libraries of a job and yield the job for the duration of the block.

    Raises:
        UsageError: the arguments contradict each other.
        TypeError: an option is unknown.
    """
    demand_options(options, DedupOptions)
    corpora, against = places(inputs), several_references(options.get("against", ()))
    chosen = chosen_recipe(options)
    is_chosen = options.get("method") is not None or options.get("recipe") is not None
    secrets = (*corpora, os.fspath(out), *map(str, against))
    with references(against, chosen, is_chosen=is_chosen) as resolved:
        yield DedupJob(
            inputs=corpora,
            out=Path(out),
            recipe=resolved.recipe.changed(threshold=options.get("threshold")),
            against=resolved.paths,
            on_error=options.get("on_error", "auto"),
            workers=options.get("workers"),
            command=without_secrets(options.get("command", ""), secrets),
            selection=selected(options.get("include"), options.get("exclude")),
            sources=resolved.sources,
            output=options.get("output", "rows"),
        )


def chosen_recipe(options: DedupOptions) -> Recipe:
    """Return the requested recipe, before the recipe of a library is applied."""
    overrides = {name: options.get(name) for name in ("encoding", "ocr", *RecipeOptions.__annotations__)}
    return recipe_of(options.get("recipe"), text=strings(options.get("text")), **overrides)


def without_secrets(command: str, addresses: Iterable[str]) -> str:
    """Return a command line without the secrets of its addresses."""
    for place in filter(None, (place_of(address) for address in addresses if not on_server(address))):
        command = place.without_secrets(command)
    return masked(command)


def several_references(references: Places | Library | Iterable[Place | Library]) -> list[str | Library]:
    """Return files, folders and libraries as one list.

    Raises:
        UsageError: an item has another type.
    """
    if references == ():
        return []
    from whorl.library import Library

    several = [references] if isinstance(references, str | PathLike | Library) else references
    if not isinstance(several, Iterable):
        raise UsageError(
            say("{given!r:.60} is no reference", given=references), hint=say("use one or more paths or libraries")
        )
    return [reference if isinstance(reference, Library) else places([reference])[0] for reference in several]


def demand_local(engine: str, master: str | None) -> None:
    """Refuse engines that do not exist, and a master of no cluster.

    Raises:
        UsageError: the engine is unknown, or there is a master.
    """
    if engine != "local":
        raise UsageError(say("unknown engine '{engine}'", engine=engine), hint=say("choose local or spark"))
    if master is not None:
        raise UsageError(say("`master` requires the engine spark"), hint=say("add `engine=spark`"))


__all__ = ["DedupOptions", "chosen_recipe", "demand_local", "lent_job", "several_references", "without_secrets"]
