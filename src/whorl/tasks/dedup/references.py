"""Open the libraries among the references of a run and determine its recipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from whorl.engines.against import recipe_against
from whorl.tasks.library.arguments import lent

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.matching.candidates import CandidateSource
    from whorl.recipe import Recipe


class References(NamedTuple):
    """References of a run.

    Attributes:
        paths: corpora and earlier runs.
        sources: candidate sources of the libraries.
        recipe: recipe of the run.
    """

    paths: tuple[str, ...]
    sources: tuple[CandidateSource, ...]
    recipe: Recipe


@contextmanager
def references(places: Sequence[str | Library], recipe: Recipe, *, is_chosen: bool) -> Iterator[References]:
    """Open the references of a run for the duration of the block.

    Args:
        places: corpora, earlier runs and libraries, open or by address.
        recipe: requested recipe of the run.
        is_chosen: True if the user chose its method.

    Raises:
        UsageError: its method differs from that of a library, or two libraries have different methods.
    """
    libraries = [entry for entry in places if _is_library(entry)]
    with ExitStack() as stack:
        sources = tuple(stack.enter_context(lent(place)).candidates() for place in libraries)
        others = tuple(entry for entry in places if isinstance(entry, str) and entry not in libraries)
        yield References(others, sources, recipe_against(sources, recipe, is_chosen=is_chosen))


def _is_library(reference: str | Library) -> bool:
    from whorl.library import Library, exists

    return isinstance(reference, Library) or exists(reference)


__all__ = ["References", "references"]
