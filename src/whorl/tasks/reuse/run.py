"""Find all passages that documents of a corpus share.

The steps: order the documents by date; find candidate pairs; compare them; join passages to clusters; write tables,
graphs and a page. No step enumerates the pairs of documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from whorl._internal.atomic_folder import demand_free
from whorl.errors import InputError, UsageError
from whorl.i18n import Language, say
from whorl.matching.reuse import (
    PairColumns,
    PassageColumns,
    ReuseCandidates,
    cluster_passages,
    compare_candidates,
    find_candidates,
)
from whorl.recipe import Recipe, recipe_of
from whorl.reports.comparison.summary import versions
from whorl.reports.reuse.page import SHOWN, ShownReuse
from whorl.tasks.library.arguments import Place, Places, Texts, demand_from, places, strings
from whorl.tasks.reuse.chance import SMALLEST, Chance, decoys
from whorl.tasks.reuse.documents import Corpus, OrderedDocuments, read_files, read_memory
from whorl.tasks.reuse.graphs import graph_of
from whorl.tasks.reuse.methods_text import methods_paragraph
from whorl.tasks.reuse.outputs import write_outputs
from whorl.tasks.reuse.tables import TextSlices, cluster_tables, document_table, pair_table, passage_table
from whorl.types.comparison import Passage
from whorl.types.reuse import Reuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.tasks import Progress

LEAST = 13
"""Default minimum length of a passage in Han characters; 39 letters in other scripts."""
SHORTEST = 8
HOT = 50
"""Default number of documents above which a passage is aligned with its earliest witnesses only."""
NOISY_CHARACTERS = 10_000_000
"""Up to this length of a corpus, candidates are also found by short k-grams unless this is chosen."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run.

    Attributes:
        least: minimum length of a passage.
        hot: number of documents above which a passage is hot.
        noisy: whether candidates are also found by short k-grams; None decides by the size of the corpus.
        group: name of the group column.
    """

    least: int = LEAST
    hot: int = HOT
    noisy: bool | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        demand_from("least", self.least, SHORTEST)
        demand_from("hot", self.hot, 2)


def reuse(
    source: Any,
    *,
    against: Any = None,
    out: Place | None = None,
    group: str | None = None,
    least: int = LEAST,
    hot: int = HOT,
    noisy: bool | None = None,
    text: Texts | None = None,
    id: str | None = None,
    title: str = "",
    language: Language | None = None,
    progress: Progress | None = None,
) -> Reuse:
    """Find all passages that documents in memory share, verbatim or edited.

    >>> import whorl
    >>> sentence = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> result = whorl.reuse([sentence, "据本站消息，" + sentence + "码头上的人都说够用了。", "明天有雨，出门请带伞。"])
    >>> result.pairs.num_rows, result.passages["b_text"][0].as_py()[:5]
    (1, '渔港的冰厂')

    Args:
        source: a pandas or polars frame, an Arrow table, or a list of strings or dicts.
        against: a second corpus; then only passages between both are searched.
        out: a new folder for tables, graphs and a page.
        group: a column, such as the author or the newspaper; only documents of different groups are compared.
        least: minimum length of a passage: Han characters, or a third of the letters in other scripts. At least 8.
            Below 13, equal runs are passages as well.
        hot: a passage in more documents than this is aligned with its earliest witnesses only; its cluster has all.
        noisy: also find candidates by short k-grams, for texts with recognition errors. None does so up to ten
            million characters.
        text: the columns that make up a text.
        id: the column of document ids.
        title: title of the page.
        language: initial language of the page; None is the current language.
        progress: receives the progress.

    Raises:
        UsageError: an argument is out of range, or ``out`` is not free.
        InputError: the documents cannot be read, or there are none.

    Cost: linear in the texts and their common k-grams; about half a millisecond for each pair of documents with a
    passage and 1,000 characters.
    """
    settings, recipe = Settings(least, hot, noisy, group), recipe_of(None, text=strings(text), id=id)
    target = _target(out)
    corpus = Corpus()
    read_memory(corpus, source, recipe, group, False)
    if against is not None:
        read_memory(corpus, against, recipe, group, True)
    return _run(corpus, settings, recipe, against is not None, target, title, language, "", progress)


def reuse_files(
    inputs: Places,
    out: Place | None = None,
    *,
    against: Places = (),
    group: str | None = None,
    least: int = LEAST,
    hot: int = HOT,
    noisy: bool | None = None,
    text: Texts | None = None,
    id: str | None = None,
    encoding: str | None = None,
    recipe: Recipe | Place | None = None,
    title: str = "",
    language: Language | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> Reuse:
    """Find all passages that documents in files share, verbatim or edited.

    Args:
        inputs: files, folders and globs: a text per file, or files with rows.
        out: a new folder for tables, graphs and a page; None writes nothing.
        against: a second corpus; then only passages between both are searched.
        group: see `reuse`; "folder" is the folder of a file.
        least: see `reuse`.
        hot: see `reuse`.
        noisy: see `reuse`.
        text: the columns that make up a text, for files with rows.
        id: the column of document ids.
        encoding: encoding of text files; None detects it.
        recipe: further settings for reading.
        title: title of the page.
        language: initial language of the page; None is the current language.
        command: the command line, shown on the page without folders.
        progress: receives the progress.

    Raises:
        UsageError: an argument is out of range, or ``out`` is not free.
        InputError: an input does not exist, or no document can be read.
    """
    from whorl.tasks import Silent

    settings = Settings(least, hot, noisy, group)
    chosen = recipe_of(recipe, text=strings(text), id=id, encoding=encoding)
    target, report = _target(out), progress or Silent()
    corpus = Corpus()
    forbid = target.resolve() if target else None
    report.stage("read", None, "documents")
    read_files(corpus, places(inputs), chosen, group, False, forbid, report)
    others = places(against)
    if others:
        read_files(corpus, others, chosen, group, True, forbid, report)
    return _run(corpus, settings, chosen, bool(others), target, title, language, command, report)


def _target(out: Place | None) -> Path | None:
    if out is None:
        return None
    demand_free(Path(out))
    return Path(out)


def _run(
    corpus: Corpus,
    settings: Settings,
    recipe: Recipe,
    is_against: bool,
    out: Path | None,
    title: str,
    language: Language | None,
    command: str,
    progress: Progress | None,
) -> Reuse:
    from whorl.tasks import Silent

    report = progress or Silent()
    documents = OrderedDocuments.of(corpus)
    if not len(documents):
        raise InputError(say("there are no documents to compare"), hint=say("check the inputs and the text column"))
    if is_against and (documents.others.all() or not documents.others.any()):
        raise UsageError(say("one of the two corpora has no documents"), hint=say("check --against"))
    noisy = settings.noisy if settings.noisy is not None else int(documents.lengths.sum()) <= NOISY_CHARACTERS
    report.stage("group", None, "documents")
    search = _Search(documents, settings, noisy, is_against)
    candidates, decoyed = search.candidates()
    report.stage("compare", len(candidates.pairs), "pairs")
    pairs, passages = compare_candidates(
        search.texts, candidates, least=settings.least, on_progress=report.advance
    )
    pairs, passages, hits = _without_decoys(pairs, passages, len(documents))
    chance = search.chance(hits) if decoyed else None
    of_passages, found_places = cluster_passages(pairs, passages)
    slices = TextSlices(documents)
    listed = np.bincount(of_passages, minlength=int(found_places[:, 3].max(initial=0)) + 1)
    clusters, witnesses = cluster_tables(documents, slices, found_places, listed, settings.hot)
    graph = graph_of(documents, slices, pairs, passages, by_group=settings.group is not None)
    run = {
        "command": "reuse",
        "settings": {
            "least": settings.least,
            "hot": settings.hot,
            "noisy": noisy,
            "group": settings.group,
            "against": is_against,
            "text": list(recipe.text),
            "id": recipe.id,
        },
        "inputs": corpus.inputs,
        "digest": documents.digest,
        "counts": {
            "documents": len(documents),
            "dated": int((~np.isnan(documents.dates)).sum()),
            "groups": len({group for group in documents.groups if group is not None}),
            "characters": int(documents.lengths.sum()),
            "rejected": len(corpus.rejected),
            "candidates": len(candidates.pairs),
            "pairs": len(pairs.texts),
            "passages": len(passages.pair),
            "clusters": clusters.num_rows,
            "hot_clusters": int(np.asarray(clusters["hot"]).sum()),
            "pairs_not_listed": _pairs_not_listed(search, pairs, passages, of_passages, found_places, settings.hot),
        },
        "chance": None
        if chance is None
        else {
            "expected": chance.expected,
            "upper": chance.upper,
            "share": min(1.0, chance.expected / max(1, len(passages.pair))),
            "decoy_characters": chance.decoy_characters,
            "decoy_hits": chance.decoy_hits,
        },
        "rejected": [f"{item.file}:{item.row}: {item.reason}" for item in corpus.rejected],
        "versions": versions(),
    }
    run["methods"] = methods_paragraph(run)
    result = Reuse(
        passages=passage_table(documents, slices, pairs, passages, of_passages),
        pairs=pair_table(documents, slices, pairs, passages),
        clusters=clusters,
        witnesses=witnesses,
        documents=document_table(documents, slices),
        nodes=graph.nodes,
        edges=graph.edges,
        is_directed=graph.is_directed,
        run=run,
    )
    if out is not None:
        report.stage("write", None, "documents")
        shown = _shown(documents, pairs, passages)
        write_outputs(out, result, shown, title=title, language=language, command=command)
    return result


class _Search:
    """Candidates of a corpus and of its decoys."""

    def __init__(self, documents: OrderedDocuments, settings: Settings, noisy: bool, is_against: bool) -> None:
        self._documents, self._settings, self._noisy = documents, settings, noisy
        self.is_against = is_against
        self.groups = self._numbers()
        self.texts: Any = documents.texts
        self._decoy_characters = 0

    def _numbers(self) -> NDArray[np.uint32]:
        """Return equal numbers for documents that are not compared with each other."""
        documents = self._documents
        if self.is_against:
            return documents.others.astype(np.uint32)
        if self._settings.group is None:
            return np.arange(len(documents), dtype=np.uint32)
        numbers: dict[str, int] = {}
        labels = (group if group is not None else f"\0{place}" for place, group in enumerate(documents.groups))
        return np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.uint32)

    def candidates(self) -> tuple[ReuseCandidates, bool]:
        """Return the candidate pairs, and whether decoys were added to the texts."""
        groups = self.groups
        is_modelled = int(self._documents.lengths.sum()) >= SMALLEST
        if is_modelled:
            added = decoys(self._documents.texts.to_pylist())
            self._decoy_characters = sum(map(len, added))
            self.texts = pa.concat_arrays([self.texts, pa.array(added, pa.large_string())])
            number = 0 if self.is_against else int(groups.max()) + 1
            groups = np.concatenate([groups, np.full(len(added), number, np.uint32)])
        settings = self._settings
        return (
            find_candidates(self.texts, groups, least=settings.least, hot=settings.hot, noisy=self._noisy),
            is_modelled,
        )

    def chance(self, hits: int) -> Chance:
        """Scale the hits of decoys to the corpus."""
        lengths = self._documents.lengths.astype(np.float64)
        if self.is_against:
            return Chance.of(hits, self._decoy_characters, int(lengths[~self._documents.others].sum()), 1.0)
        of_groups = np.bincount(self.groups, lengths) / lengths.sum()
        share = (1 - float((of_groups**2).sum())) / 2
        return Chance.of(hits, self._decoy_characters, int(lengths.sum()), share)


def _without_decoys(
    pairs: PairColumns, passages: PassageColumns, count: int
) -> tuple[PairColumns, PassageColumns, int]:
    """Split off the pairs with decoys, whose numbers begin at ``count``; return their number of passages."""
    real = pairs.texts[:, 1] < count
    kept = real[passages.pair]
    number = np.cumsum(real) - 1
    return (
        PairColumns(
            pairs.texts[real], pairs.relation[real], pairs.direction[real], pairs.shares[real], pairs.passages[real]
        ),
        PassageColumns(
            number[passages.pair[kept]],
            passages.spans[kept],
            passages.edits[kept],
            passages.similarity[kept],
            passages.kind[kept],
            passages.moved[kept],
        ),
        int((~kept).sum()),
    )


def _pairs_not_listed(
    search: _Search,
    pairs: PairColumns,
    passages: PassageColumns,
    of_passages: NDArray[np.uint32],
    found_places: NDArray[np.uint32],
    hot: int,
) -> int:
    """Count the pairs of documents of hot clusters that have no passage of the cluster of their own."""
    cluster, text = found_places[:, 3].astype(np.int64), found_places[:, 0].astype(np.int64)
    count = int(cluster.max(initial=-1)) + 1
    members = np.unique(np.stack([cluster, text], axis=1), axis=0)
    sizes = np.bincount(members[:, 0], minlength=count)
    in_groups = np.unique(
        np.stack([members[:, 0], search.groups[members[:, 1]].astype(np.int64)], axis=1), axis=0, return_counts=True
    )
    same = np.bincount(in_groups[0][:, 0], in_groups[1] * (in_groups[1] - 1) / 2, count)
    possible = sizes * (sizes - 1) / 2 - same
    listed = np.unique(np.stack([of_passages.astype(np.int64), passages.pair], axis=1), axis=0)
    missing = possible - np.bincount(listed[:, 0], minlength=count)
    return int(np.maximum(missing, 0)[sizes > hot].sum())


def _shown(documents: OrderedDocuments, pairs: PairColumns, passages: PassageColumns) -> Sequence[ShownReuse]:
    """Return the strongest pairs with their texts."""
    matched = np.bincount(passages.pair, passages.edits[:, 0], len(pairs.texts))
    chosen = np.lexsort((np.arange(len(matched)), -matched))[:SHOWN]
    shown = []
    for number in chosen.tolist():
        a, b = pairs.texts[number].tolist()
        rows = np.flatnonzero(passages.pair == number)
        listed = tuple(
            Passage(
                *spans,
                similarity=similarity,
                kind=str(kind),
                moved=bool(moved),
                matched=edits[0],
                replaced=edits[1],
                homophones=0,
                inserted=edits[2],
                deleted=edits[3],
                script=0,
                noise=0,
            )
            for spans, edits, similarity, kind, moved in zip(
                passages.spans[rows].tolist(),
                passages.edits[rows].tolist(),
                passages.similarity[rows].tolist(),
                passages.kind[rows].tolist(),
                passages.moved[rows].tolist(),
                strict=True,
            )
        )
        texts = documents.texts[a].as_py(), documents.texts[b].as_py()
        shown.append(ShownReuse(documents.ids[a], documents.ids[b], *texts, listed, int(matched[number])))
    return shown


__all__ = ["HOT", "LEAST", "NOISY_CHARACTERS", "reuse", "reuse_files"]
