"""Libraries among the references of a run: open while it runs, their recipe its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from whorl.cli.show import is_library

if TYPE_CHECKING:
    from whorl.matching.candidates import CandidateSource
    from whorl.recipe import Recipe


class References(NamedTuple):
    """What a run is held against.

    Attributes:
        paths: corpora and earlier runs.
        sources: libraries.
        recipe: that the run must have.
    """

    paths: tuple[str, ...]
    sources: tuple[CandidateSource, ...]
    recipe: Recipe


@contextmanager
def references(given: Sequence[str], recipe: Recipe, *, is_chosen: bool) -> Iterator[References]:
    """Lend the references of a run.

    Args:
        given: corpora, earlier runs and libraries.
        recipe: of the run.
        is_chosen: whether somebody chose its method.

    Raises:
        UsageError: its method is not the one of a library, or two libraries have different ones.
    """
    places = [path for path in given if is_library(Path(path))]
    if not places:
        yield References(tuple(given), (), recipe)
        return
    from whorl.engines.against import recipe_against
    from whorl.library import open as open_library

    with ExitStack() as stack:
        libraries = [stack.enter_context(open_library(place, create=False)) for place in places]
        sources = tuple(library.candidates() for library in libraries)
        others = tuple(path for path in given if path not in places)
        yield References(others, sources, recipe_against(sources, recipe, is_chosen=is_chosen))


__all__ = ["References", "references"]
