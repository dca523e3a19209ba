"""Find the most reprinted articles: the largest groups of duplicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whorl._internal.frozen import frozen
from whorl.corpus import EVERYTHING, Columns, ReadOptions, Rejects, Selection, Source, discover, format_of
from whorl.engines.job import STDIN, DedupJob
from whorl.engines.local.run import dedup_files
from whorl.engines.local.unread import demand_read
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.recipe import AUTO, Recipe
from whorl.text.structure import beginning
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    import pyarrow as pa

    from whorl.engines.progress import Progress
from whorl.reports.hints import hint_of_groups

USUAL_TITLE = "title"
"""Default title column."""


class Place(NamedTuple):
    """Location of an article: a file, by its name in the run, and a row."""

    file: str
    row: int


@frozen
class HotArticle:
    """An article of a group.

    >>> import whorl
    >>> [group] = whorl.runs.hot("examples/newsroom/articles.jsonl", top=1).largest
    >>> len(group), group[0].title
    (5, 'Baker wins Skarrow fell race after leader stops to help')

    Attributes:
        title: its title, or the beginning of its text.
        file: the name of its file.
        row: its row there, from 1.
    """

    title: str
    file: str
    row: int


@frozen
class Hot(Plain):
    """The largest groups of duplicates in a corpus.

    >>> import whorl
    >>> hot = whorl.runs.hot("examples/newsroom/articles.jsonl", top=1)
    >>> hot.articles, len(hot.titles())
    (91, 1)

    Attributes:
        articles: number of articles read.
        groups: number of groups of two or more.
        largest: the largest groups, each beginning with the article that a run would keep.
        hint: one sentence in English on how to improve the next run, or None.
    """

    articles: int
    groups: int
    largest: tuple[tuple[HotArticle, ...], ...]
    hint: str | None = None

    def titles(self) -> list[list[str]]:
        """Return the titles of each of the largest groups."""
        return [[article.title for article in group] for group in self.largest]

    def report(self) -> str:
        """Return the groups as one self-contained HTML page."""
        from whorl.reports.hot import Reprint, render_hot

        groups = [
            [Reprint(article.title, f"{article.file}:{article.row}") for article in group] for group in self.largest
        ]
        return render_hot(self.articles, self.groups, groups)


def hottest(
    inputs: Sequence[str],
    recipe: Recipe,
    *,
    title: str | None = None,
    top: int = 30,
    workers: int | None = None,
    progress: Progress | None = None,
    selection: Selection = EVERYTHING,
) -> Hot:
    """Group the articles of files as a deduplication does, and return the largest groups.

    Args:
        inputs: files, folders and globs.
        recipe: how articles are read and compared.
        title: the title column. None uses "title" if it exists, else the beginning of the text.
        top: number of groups.
        workers: threads; None uses all cores.
        progress: receives the progress.
        selection: which files of folders and globs are read.

    Raises:
        UsageError: standard input is requested.
        InputError: a file cannot be read as requested, or has no such column.

    Cost: that of a deduplication including its temporary disk space, and one or two more passes over the files of the
    largest groups.
    """
    if STDIN in inputs:
        raise UsageError(
            say("files are read twice, but standard input can be read only once"), hint=say("save it to a file first")
        )
    with TemporaryDirectory(prefix="whorl-") as folder:
        out = Path(folder) / "out"
        # Nothing is removed, so no original can be lost; the longest article gathers the most excerpts.
        rule = "longest" if recipe.keep == AUTO else recipe.keep
        job = DedupJob(
            tuple(inputs), out, recipe.changed(keep=rule), workers=workers, command="whorl hot", selection=selection
        )
        run = dedup_files(job, progress)
        demand_read(run, say("fix the input"))
        groups, places = _largest(out / "clusters.parquet", top)
    titles = _Titles(discover(inputs, selection=selection), recipe, title)
    called = titles.of({place for group in places for place in group})
    largest = tuple(tuple(HotArticle(called[place], *place) for place in group) for group in places)
    articles = run["counts"]["rows"] - run["counts"]["rejected"]
    return Hot(
        articles, groups, largest, hint_of_groups(articles, groups, len(largest), recipe.preset or recipe.method)
    )


def _largest(path: Path, top: int) -> tuple[int, list[list[Place]]]:
    """Return the number of groups and the members of the largest ones."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    clusters: pa.Table = pq.read_table(path.absolute())
    sizes = clusters.group_by("cluster_id").aggregate([("row", "count")])
    sizes = sizes.filter(pc.greater(sizes["row_count"], 1))
    chosen = sizes.sort_by([("row_count", "descending"), ("cluster_id", "ascending")]).slice(0, top)["cluster_id"]
    names = chosen.combine_chunks() if isinstance(chosen, pa.ChunkedArray) else chosen
    members = clusters.filter(pc.is_in(clusters["cluster_id"], value_set=names))
    return len(sizes), _members(members, names.to_pylist())


def _members(table: pa.Table, names: Sequence[str]) -> list[list[Place]]:
    groups: dict[str, list[tuple[bool, Place]]] = {name: [] for name in names}
    for row in table.to_pylist():
        groups[row["cluster_id"]].append((row["role"] == "duplicate", Place(row["file"], row["row"])))
    return [[place for _, place in sorted(group)] for group in groups.values()]


class _Titles:
    """Reader of article titles."""

    def __init__(self, sources: Iterable[Source], recipe: Recipe, column: str | None) -> None:
        self._sources = {source.name: source for source in sources}
        self._recipe = recipe
        self._column = column

    def of(self, places: set[Place]) -> Mapping[Place, str]:
        """Return the titles of articles, or the beginning of the text for articles without a title."""
        titles = self._read(places, (self._column or USUAL_TITLE,), demanded=self._column is not None)
        return titles | self._read(places - titles.keys(), self._recipe.text, demanded=True)

    def _read(self, places: set[Place], columns: tuple[str, ...], *, demanded: bool) -> dict[Place, str]:
        rows: dict[str, list[int]] = defaultdict(list)
        for place in places:
            rows[place.file].append(place.row)
        titles: dict[Place, str] = {}
        for file, wanted_rows in sorted(rows.items()):
            try:
                titles |= self._read_file(self._sources[file], columns, wanted_rows)
            except InputError as error:
                if demanded:
                    raise InputError(error.message, hint=say("set the title column: `title`")) from error
        return titles

    def _read_file(self, source: Source, columns: tuple[str, ...], wanted_rows: Sequence[int]) -> dict[Place, str]:
        import pyarrow as pa

        titles: dict[Place, str] = {}
        options = ReadOptions.of(self._recipe, self._recipe.text)
        for batch in format_of(source).read(source, Columns(columns).texts_of(source.name), Rejects(), options):
            here = np.flatnonzero(np.isin(batch.rows, wanted_rows))
            texts = pa.array(batch.texts).take(pa.array(here)).to_pylist()
            for row, text in zip(batch.rows[here].tolist(), texts, strict=True):
                titles[Place(source.name, row)] = beginning(text)
        return {place: title for place, title in titles.items() if title}


__all__ = ["USUAL_TITLE", "Hot", "HotArticle", "Place", "hottest"]
