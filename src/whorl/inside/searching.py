"""Search the files of a job for repeated text, out of core: read, rank, index, decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.corpus import Source
from whorl.engines.job import DedupJob
from whorl.engines.local.begin import describe_job, rank_corpus, spooled
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.folder import OutputFolder
from whorl.engines.local.read import read_corpus
from whorl.engines.progress import Progress
from whorl.inside.cuts import CutBlock, CutStore
from whorl.inside.index import HotPassages, PassageIndex, RankedTexts
from whorl.inside.labels import Labels, read_labels
from whorl.inside.repetition import Repetitions
from whorl.inside.search import Strip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Timed = Callable[[str], AbstractContextManager[None]]
"""Measures the time of a stage by name."""


@frozen(eq=False)
class CorpusCuts:
    """The repeated text of a corpus.

    Attributes:
        corpus: the documents.
        order: uint32 (m,), the document of each rank; documents that are left out have none.
        blocks: returns the decisions, by rank.
        hot: what was bounded.
        refuted: number of pairs that were not equal.
        repetitions: the repetition within each document, if it is requested.
    """

    corpus: SegmentedCorpus
    order: NDArray[np.uint32]
    blocks: Callable[[], Iterator[CutBlock]]
    hot: HotPassages
    refuted: int
    repetitions: Repetitions | None


def describe_search(job: DedupJob, strip: Strip, sources: Sequence[Source]) -> dict[str, Any]:
    """Return everything that determines the result of a search, as JSON values."""
    return {**describe_job(job, sources), "strip": strip.as_dict()}


def search_corpus(
    job: DedupJob, strip: Strip, folder: OutputFolder, sources: Sequence[Source], progress: Progress, timed: Timed
) -> tuple[CorpusCuts, Labels]:
    """Find all repeated text of files, or continue an interrupted search in the same folder.

    Returns the repeated text, and the value of ``Strip.per`` of each document.

    Raises:
        InputError: a file cannot be read as requested or changed during the run, or a bad row stops it.
    """
    recipe = job.recipe
    with timed("read"):
        copied = spooled(sources, folder.work)
        segments = read_corpus(copied, folder.work / "documents", recipe, job.on_error, progress)
    corpus = SegmentedCorpus.joined(segments, [])
    with timed("rank"):
        order = rank_corpus(recipe, corpus, progress)
        labels = read_labels(corpus, recipe, strip.per)
    approved = None if strip.approved is None else strip.approved.scoped(labels)
    ranked = RankedTexts(corpus.texts(recipe.text), order, corpus.column("length"), labels.scopes, approved)
    repetitions = _measure(ranked, strip, progress, timed)
    if repetitions is not None and strip.repetition == "filter":
        ranked = replace(ranked, order=order[~repetitions.is_above[order]])
    index = PassageIndex(folder.work / "index", ranked, strip)
    with timed("index"):
        hot = index.build(progress)
    cuts = CutStore(folder.work / "cuts", ranked, strip)
    with timed("decide"):
        refuted = cuts.decide(index, progress)
    index.drop()
    return CorpusCuts(corpus, ranked.order, cuts.blocks, hot, refuted, repetitions), labels


def _measure(ranked: RankedTexts, strip: Strip, progress: Progress, timed: Timed) -> Repetitions | None:
    """Measure the repetition within documents, if it is requested."""
    if strip.repetition is None or not isinstance(ranked.texts, _core.FileTexts):
        return None
    with timed("repetition"):
        progress.stage("repetition", len(ranked), "documents")
        return Repetitions.of_files(ranked.texts, ranked.blocks(), progress)


__all__ = ["CorpusCuts", "Timed", "describe_search", "search_corpus"]
