"""Libraries among the references of a run: their articles as a file, their recipe as the run's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from whorl.errors import UsageError
from whorl.library import exists
from whorl.tasks.arguments import lent

if TYPE_CHECKING:
    from whorl.recipe import Recipe


@contextmanager
def references(given: Sequence[str], recipe: Recipe, *, is_chosen: bool) -> Iterator[tuple[tuple[str, ...], Recipe]]:
    """Lend the references of a run as files, and the recipe that it must have.

    Args:
        given: corpora, earlier runs and libraries.
        recipe: of the run.
        is_chosen: whether somebody chose its method.

    Raises:
        UsageError: its method is not the one of a library, or two libraries have different ones.
    """
    places = list(filter(exists, given))
    if not places:
        yield tuple(given), recipe
        return
    chosen = recipe
    for place in places:
        chosen = _recipe_for(place, chosen, is_chosen=is_chosen or chosen is not recipe)
    with TemporaryDirectory(prefix="whorl-") as folder:
        files = [
            _written(place, Path(folder) / f"{Path(place).name}-{number}.jsonl", chosen)
            for number, place in enumerate(places)
        ]
        others = [path for path in given if path not in places]
        yield (*others, *map(str, files)), chosen


def _recipe_for(place: str, recipe: Recipe, *, is_chosen: bool) -> Recipe:
    with lent(place) as library:
        own = library.recipe
    if is_chosen and recipe.family() != own.family():
        cure = "leave the method and the recipe away: the recipe of the library decides"
        raise UsageError(f"{place} was made with another recipe: {own.method}", cure=cure)
    return (
        recipe if is_chosen else recipe.changed(method=own.method, parameters=own.parameters, threshold=own.threshold)
    )


def _written(place: str, file: Path, recipe: Recipe) -> Path:
    """The articles of a library as rows; the title is no part of what is compared."""
    with lent(place) as library, file.open("w", encoding="utf-8") as rows:
        for document in library.export():
            row = {recipe.id or "id": document["id"], recipe.text[-1]: document["text"]}
            rows.write(json.dumps(row) + "\n")
    return file


__all__ = ["references"]
