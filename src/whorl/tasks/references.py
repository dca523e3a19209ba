"""Libraries among the references of a run: open while it runs, their recipe its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from whorl.engines.against import recipe_against
from whorl.tasks.arguments import lent

if TYPE_CHECKING:
    from whorl.library import Library
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
def references(given: Sequence[str | Library], recipe: Recipe, *, is_chosen: bool) -> Iterator[References]:
    """Lend the references of a run.

    Args:
        given: corpora, earlier runs and libraries, open or by their address.
        recipe: of the run.
        is_chosen: whether somebody chose its method.

    Raises:
        UsageError: its method is not the one of a library, or two libraries have different ones.
    """
    libraries = [one for one in given if _is_library(one)]
    with ExitStack() as stack:
        sources = tuple(stack.enter_context(lent(place)).candidates() for place in libraries)
        others = tuple(one for one in given if isinstance(one, str) and one not in libraries)
        yield References(others, sources, recipe_against(sources, recipe, is_chosen=is_chosen))


def _is_library(reference: str | Library) -> bool:
    from whorl.library import Library, exists

    return isinstance(reference, Library) or exists(reference)


__all__ = ["References", "references"]
