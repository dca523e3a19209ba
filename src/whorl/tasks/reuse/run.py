"""Find all passages that documents of a corpus share.

The steps: order the documents by date; leave out the layer that is not searched; find candidate pairs; compare them;
join passages to clusters; write tables, graphs and a page. No step enumerates the pairs of documents.
"""

from __future__ import annotations

from dataclasses import replace
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from whorl._internal.atomic_folder import demand_free
from whorl.corpus.rejects import no_documents, nothing_read
from whorl.errors import UsageError
from whorl.i18n import Language, say
from whorl.matching.reuse import PairColumns, PassageColumns, cluster_passages
from whorl.recipe import Recipe, recipe_of
from whorl.reports.reuse.page import MAX_PAIRS, ShownReuse
from whorl.tasks.library.arguments import Place, Places, Texts, places, strings
from whorl.tasks.reuse.documents import OrderedDocuments, ReuseCorpus, read_files, read_memory
from whorl.tasks.reuse.graphs import graph_of
from whorl.tasks.reuse.layers import DocumentLayer, layer_of
from whorl.tasks.reuse.outputs import write_outputs
from whorl.tasks.reuse.search import CorpusSearch, SearchResult
from whorl.tasks.reuse.settings import MIN_HAN, ReuseSettings
from whorl.tasks.reuse.summary import count_pairs_not_listed, run_of
from whorl.tasks.reuse.tables import TextSlices, cluster_tables, document_table, pair_table, passage_table
from whorl.text.commentary import Layer
from whorl.types.comparison import Passage
from whorl.types.reuse import Reuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.matching.meaning import Model
    from whorl.tasks import Progress

    PassageClusters = tuple[NDArray[np.uint32], NDArray[np.uint32]]


def reuse(
    source: Any,
    *,
    against: Any = None,
    out: Place | None = None,
    group: str | None = None,
    least: int = MIN_HAN,
    hot: int | None = None,
    noisy: bool | None = None,
    reworded: bool = False,
    layer: Layer = "all",
    notes: str | None = None,
    meaning: Model = False,
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
            None is 20 from ten thousand documents on, and more in smaller corpora.
        noisy: also find candidates by short k-grams, for texts with recognition errors. None does so up to ten
            million characters.
        reworded: also find documents that retell others sentence by sentence, by their rare words, names and numbers.
            Their pairs have the relation ``reworded``, and passages of the kind "rewritten".
        layer: for editions with commentary between the words: "text" searches the text without it, "commentary" only
            the commentary. Offsets are those of the original texts, and passages include what lies between their words.
        notes: pairs of brackets that hold commentary, such as "【】（）"; None recognizes what an edition of classical
            Chinese uses regularly. See `whorl.text.commentary`.
        meaning: also compare documents without a passage, but with many rare words, names and numbers in common, by the
            vectors of sentences, to find the same content in other words or in another language: True with the model of
            the extra ``meaning``, or the path of a folder with a model. Includes ``reworded``.
        text: the columns that make up a text.
        id: the column of document ids.
        title: title of the page.
        language: initial language of the page; None is the current language.
        progress: receives the progress.

    Raises:
        UsageError: an argument is out of range, ``out`` is not free, or an extra is not installed.
        InputError: the documents cannot be read, or there are none; or none has the commentary that is searched.

    Cost: linear in the texts and their common k-grams; about half a millisecond for each pair of documents with a
    passage and 1,000 characters. With ``meaning``, also about 30 ms of a core for each sentence of documents that have
    many rare words in common.
    """
    settings, recipe = (
        ReuseSettings(least, hot, noisy, reworded, group, layer, notes, meaning),
        recipe_of(None, text=strings(text), id=id),
    )
    target = _target(out)
    corpus = ReuseCorpus()
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
    least: int = MIN_HAN,
    hot: int | None = None,
    noisy: bool | None = None,
    reworded: bool = False,
    layer: Layer = "all",
    notes: str | None = None,
    meaning: Model = False,
    text: Texts | None = None,
    id: str | None = None,
    encoding: str | None = None,
    ocr: bool | None = None,
    recipe: Recipe | Place | None = None,
    title: str = "",
    language: Language | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> Reuse:
    """Find all passages that documents in files share, verbatim or edited.

    >>> import whorl
    >>> result = whorl.reuse_files("examples/newsroom/articles.jsonl")
    >>> result.run["counts"]["documents"]
    91

    Args:
        inputs: files, folders and globs: a text per file, or files with rows.
        out: a new folder for tables, graphs and a page; None writes nothing.
        against: a second corpus; then only passages between both are searched.
        group: see `reuse`; "folder" is the folder of a file.
        least: see `reuse`.
        hot: see `reuse`.
        noisy: see `reuse`.
        reworded: see `reuse`.
        layer: see `reuse`.
        notes: see `reuse`.
        meaning: see `reuse`.
        text: the columns that make up a text, for files with rows.
        id: the column of document ids.
        encoding: encoding of text files; None detects it.
        ocr: recognize the text of scanned pages and pictures; needs the extra ``ocr``.
        recipe: further settings for reading.
        title: title of the page.
        language: initial language of the page; None is the current language.
        command: the command line, shown on the page without folders.
        progress: receives the progress.

    Raises:
        UsageError: an argument is out of range, ``out`` is not free, or an extra is not installed.
        InputError: an input does not exist, no document can be read, or none has the commentary that is searched.
    """
    from whorl.tasks import Silent

    settings = ReuseSettings(least, hot, noisy, reworded, group, layer, notes, meaning)
    chosen = recipe_of(recipe, text=strings(text), id=id, encoding=encoding, ocr=ocr)
    target, report = _target(out), progress or Silent()
    corpus = ReuseCorpus()
    forbid = Path(realpath(target)) if target else None
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
    corpus: ReuseCorpus,
    settings: ReuseSettings,
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
        first = next(iter(corpus.rejected), None)
        raise nothing_read(first.file, len(corpus.rejected), first.reason) if first else no_documents()
    if is_against and (documents.others.all() or not documents.others.any()):
        raise UsageError(say("one of the two corpora has no documents"), hint=say("check --against"))
    settings = settings.for_corpus(len(documents), int(documents.lengths.sum()))
    layer = layer_of(documents, settings)
    search = CorpusSearch(layer.documents if layer else documents, settings, is_against)
    outcome = search.run(report)
    clusters = cluster_passages(outcome.pairs, outcome.passages)
    if layer is not None:
        outcome, clusters = _original(layer, outcome, clusters)
    result = _tabulated(corpus, documents, layer, settings, recipe, search.groups, outcome, clusters)
    if out is not None:
        report.stage("write", None, "documents")
        strongest = _strongest(documents, outcome.pairs, outcome.passages)
        if outcome.same_content is not None:
            strongest += _strongest(documents, outcome.same_content.pairs, outcome.same_content.passages)
        write_outputs(out, result, strongest, title=title, language=language, command=command)
    return result


def _original(
    layer: DocumentLayer, outcome: SearchResult, clusters: PassageClusters
) -> tuple[SearchResult, PassageClusters]:
    """Map passages and places of clusters from a layer to the original texts."""
    of_passages, places = clusters
    mapped = layer.original(places[:, 0], places[:, 1:3])
    same = outcome.same_content
    if same is not None:
        same = replace(same, passages=_mapped(layer, same.pairs, same.passages))
    return (
        replace(outcome, passages=_mapped(layer, outcome.pairs, outcome.passages), same_content=same),
        (of_passages, np.stack([places[:, 0], mapped[:, 0], mapped[:, 1], places[:, 3]], axis=1)),
    )


def _mapped(layer: DocumentLayer, pairs: PairColumns, passages: PassageColumns) -> PassageColumns:
    texts = pairs.texts[passages.pair]
    sides = [layer.original(texts[:, side], passages.spans[:, 2 * side : 2 * side + 2]) for side in range(2)]
    return replace(passages, spans=np.concatenate(sides, axis=1))


def _tabulated(
    corpus: ReuseCorpus,
    documents: OrderedDocuments,
    layer: DocumentLayer | None,
    settings: ReuseSettings,
    recipe: Recipe,
    groups: NDArray[np.uint32],
    outcome: SearchResult,
    passage_clusters: PassageClusters,
) -> Reuse:
    """Build all tables and the graph."""
    pairs, passages, hot = outcome.pairs, outcome.passages, settings.hot or 0
    of_passages, cluster_places = passage_clusters
    commentary = layer.commentary if layer else None
    slices = TextSlices(documents)
    sizes = np.bincount(of_passages, minlength=int(cluster_places[:, 3].max(initial=0)) + 1)
    clusters, witnesses = cluster_tables(documents, slices, cluster_places, sizes, hot)
    not_listed = count_pairs_not_listed(groups, passages, of_passages, cluster_places, hot)
    same = outcome.same_content
    listed_pairs = pair_table(documents, slices, pairs, passages, None if same is None else np.zeros(len(pairs.texts)))
    listed = passage_table(documents, slices, pairs, passages, of_passages)
    if same is not None:
        further = pair_table(documents, slices, same.pairs, same.passages, same.shares)
        listed_pairs = pa.concat_tables([listed_pairs, further])
        listed = pa.concat_tables([listed, passage_table(documents, slices, same.pairs, same.passages, None)])
    return Reuse(
        passages=listed,
        pairs=listed_pairs,
        clusters=clusters,
        witnesses=witnesses,
        documents=document_table(documents, slices, commentary),
        graph=graph_of(documents, slices, pairs, passages, by_group=settings.group is not None),
        run=run_of(corpus, documents, commentary, settings, recipe, outcome, clusters, not_listed),
    )


def _strongest(documents: OrderedDocuments, pairs: PairColumns, passages: PassageColumns) -> list[ShownReuse]:
    """Return the strongest pairs with their texts."""
    matched = np.bincount(passages.pair, passages.edits[:, 0], len(pairs.texts))
    chosen = np.lexsort((np.arange(len(matched)), -matched))[:MAX_PAIRS]
    strongest = []
    for number in chosen.tolist():
        a, b = pairs.texts[number].tolist()
        rows = np.flatnonzero(passages.pair == number)
        columns = (passages.spans, passages.similarity, passages.kind, passages.moved, passages.edits)
        listed = tuple(
            Passage(spans[0], spans[1], spans[2], spans[3], similarity, kind, moved, *edits)
            for spans, similarity, kind, moved, edits in zip(*(part[rows].tolist() for part in columns), strict=True)
        )
        texts = documents.texts[a].as_py(), documents.texts[b].as_py()
        strongest.append(ShownReuse(documents.ids[a], documents.ids[b], *texts, listed, int(matched[number])))
    return strongest


__all__ = ["reuse", "reuse_files"]
