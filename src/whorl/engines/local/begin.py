"""Start a run: list its files, describe its dependencies, and rank the documents once they are read."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.corpus import Source, Survey, survey
from whorl.corpus.compression import standard_input
from whorl.engines.corpus import Identifiers, file_state
from whorl.engines.job import STDIN, DedupJob
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.folder import fetched_beside
from whorl.engines.progress import Progress
from whorl.engines.ranking import rank_documents
from whorl.engines.summary import versions
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.recipe import Recipe
from whorl.release import __version__

_COPY_BYTES = 8 * 2**20


def survey_inputs(job: DedupJob, progress: Progress) -> Survey:
    """Return the input files in the order of their documents, and the skipped files.

    Raises:
        UsageError: standard input is mixed with files, or the input contains the output or vice versa.
        InputError: there is no file, or one cannot be fetched.
    """
    if STDIN in job.inputs and len(job.inputs) > 1:
        raise UsageError(say("standard input cannot be combined with files"), hint=say("use '-' alone"))
    fetched = fetched_beside(job.out)
    surveyed = survey(job.inputs, forbid=job.out, selection=job.selection, fetched=fetched, course=progress)
    if job.recipe.keep == "first":
        surveyed.sources.sort(key=lambda source: (source.input_index, source.name))
    return surveyed


def spooled(sources: Sequence[Source], work: Path) -> list[Source]:
    """Replace standard input, which cannot be read twice, by a copy below ``work``."""
    return [_copied(source, work) if source.path is None else source for source in sources]


def _copied(source: Source, work: Path) -> Source:
    path = work / source.name
    stream = standard_input()
    with path.open("wb") as file:
        shutil.copyfileobj(stream, file, _COPY_BYTES)
        os.fsync(file.fileno())
    return source._replace(path=path, named=True)


def describe_job(job: DedupJob, sources: Sequence[Source]) -> dict[str, Any]:
    """Return everything that determines the result of a run, as JSON values."""
    states = [[source.name, str(source.path), *file_state(source.path)] for source in sources if source.path]
    return {
        "whorl": __version__,
        "versions": versions(),
        "recipe": job.recipe.as_dict(),
        "inputs": states or time.time_ns(),
        "against": [[path, *file_state(Path(path))] for path in job.against],
        "sources": [[source.address, source.state()] for source in job.sources],
        "on_error": "stop" if job.on_error == "stop" else "skip",
        "include": list(job.selection.include),
        "exclude": list(job.selection.exclude),
        "output": job.output,
    }


def rank_corpus(recipe: Recipe, corpus: SegmentedCorpus, progress: Progress) -> NDArray[np.uint32]:
    """Return the documents by rank: references first, in their original order; then the input by the keep rule."""
    first = corpus.references
    bounds = corpus.ids.bounds[first:]
    ids = Identifiers(corpus.ids.values[bounds[0] : bounds[-1]], bounds - bounds[0])
    ranked = rank_documents(recipe, corpus.traits, ids, progress)
    return np.concatenate([np.arange(first, dtype=np.uint32), ranked + np.uint32(first)])


__all__ = ["describe_job", "rank_corpus", "spooled", "survey_inputs"]
