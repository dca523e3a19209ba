"""Read-only methods of a library about its clusters."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from whorl.indexes.columns import demand_positive
from whorl.library.handle import LibraryHandle
from whorl.library.ingest.arguments import demand_cluster
from whorl.library.ingest.user_data import several
from whorl.library.provenance.times import time_of
from whorl.library.search.queries import cluster_of, documents_of, titles_of, trace
from whorl.library.search.stories import Article, stories_of, stories_of_cluster
from whorl.types.cards import CardList
from whorl.types.library import Cluster, ClusterSize, Document, TraceStep, microseconds
from whorl.types.stories import Stories


class ClusterQueries(LibraryHandle):
    """Clusters of a library, with their members."""

    def stories(self, articles: int | Iterable[Article]) -> Stories:
        """Group articles into stories, each with its best article first: complete, clean and long, as ``--keep best``.

        >>> stories = library.stories(["nr-042", {"id": "feed-7", "text": library.get("nr-042").text + "。"}, "none"])
        >>> [(story.best, story.others) for story in stories.stories], stories.unknown
        ([('nr-042', ('feed-7',))], ('none',))

        Boilerplate of the library counts neither as length nor as the end of an article. The news agency of a story is
        known also for copies without the byline, if another article of the story or of its cluster names it.

        Args:
            articles: number of a cluster; or ids of stored articles and articles as for ``add``, which need not be
                stored. These are placed in the clusters that they would join, and none is stored.

        Raises:
            NotFoundError: the cluster does not exist.
            InputError: an article has no id or text, or two have the same id.

        Cost: reading the texts, and those of up to 32 further articles of each story; fingerprinting where a story has
            several of the articles. For an article that is not stored, that of a check.
        """
        if isinstance(articles, int):
            return stories_of_cluster(self._core, articles)
        return stories_of(self._core, several(articles))

    def clusters(
        self,
        *,
        at_least: int = 2,
        since: datetime | str | None = None,
        limit: int | None = None,
        after: ClusterSize | None = None,
    ) -> list[ClusterSize]:
        """Return the clusters, the largest first.

        >>> [cluster.size for cluster in library.clusters(limit=3)]
        [5, 4, 4]

        Args:
            at_least: minimum number of documents.
            since: count only documents that were first seen at or after this time.
            limit: maximum number of clusters; None for all.
            after: last cluster of the previous page.

        Cost: a pass over all documents; with ``since`` a longer one.
        """
        demand_positive("at_least", at_least)
        if limit is not None:
            demand_positive("limit", limit)
        time = time_of(since, "since")
        with self._core.store.reading() as reader:
            sizes = reader.cluster_sizes(
                at_least,
                None if time is None else microseconds(time),
                limit,
                None if after is None else (after.id, after.size),
            )
        return CardList(ClusterSize(*size) for size in sizes)

    def cluster(self, id: int) -> Cluster:
        """Return a cluster, or the cluster that it was merged into.

        >>> library.cluster(library.clusters()[0].id).size
        5

        Raises:
            UsageError: the cluster does not exist, or has no documents any more.
        """
        demand_cluster(id)
        with self._core.store.reading() as reader:
            return cluster_of(reader, id)

    def clusters_of(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the cluster of each document that exists.

        >>> library.clusters_of(["nr-042", "none"]) == {"nr-042": library.report("nr-042").cluster_id}
        True

        Args:
            ids: ids of the documents.
        """
        with self._core.store.reading() as reader:
            entries = reader.entries(dict.fromkeys(several(ids)))
            contents = reader.contents({entry.content for entry in entries.values()})
        return {id: contents[entry.content].cluster for id, entry in entries.items()}

    def titles(self, cluster: int, since: datetime | str | None = None) -> list[tuple[str, str]]:
        """Return id and title of the members of a cluster, in the order of adding; the text replaces a missing title.

        >>> len(library.titles(library.clusters()[0].id))
        5

        Args:
            cluster: its id.
            since: only documents that were first seen at or after this time.
        """
        demand_cluster(cluster)
        with self._core.store.reading() as reader:
            number = reader.cluster(cluster)
        return self.titles_of_all([number], since)[0]

    def titles_of_all(
        self, clusters: Iterable[int], since: datetime | str | None = None
    ) -> list[list[tuple[str, str]]]:
        """Return what ``titles`` returns for each of several clusters, with the round trips of a single call.

        >>> [len(titles) for titles in library.titles_of_all(one.id for one in library.clusters(limit=2))]
        [5, 4]

        Args:
            clusters: their ids, as ``clusters`` returns them.
            since: only documents that were first seen at or after this time.
        """
        numbers = list(clusters)
        for number in numbers:
            demand_cluster(number)
        time = time_of(since, "since")
        with self._core.store.reading() as reader:
            return titles_of(reader, numbers, None if time is None else microseconds(time))

    def members(self, clusters: Iterable[int], *, limit: int = 1000) -> list[list[Document]]:
        """Return the documents of each cluster without their texts and links, in the order of adding.

        >>> [[one.id for one in members] for members in library.members([library.clusters()[1].id], limit=2)]
        [['nr-016', 'nr-049']]

        Args:
            clusters: their ids, as ``clusters`` returns them.
            limit: maximum number for each cluster.
        """
        numbers = list(clusters)
        for number in numbers:
            demand_cluster(number)
        demand_positive("limit", limit)
        with self._core.store.reading() as reader:
            return documents_of(reader, numbers, limit)

    def trace(self, cluster: int) -> list[TraceStep]:
        """Return the members of a cluster in chronological order, each with its strongest link to the earlier ones.

        >>> [one.document.id for one in library.trace(library.clusters()[0].id)][:2]
        ['nr-047', 'nr-082']

        Raises:
            NotFoundError: the cluster does not exist.

        Cost: linear in the pairs of the cluster; each match is compared again.
        """
        demand_cluster(cluster)
        with self._core.store.reading() as reader:
            return CardList(trace(self._core, reader, cluster))


__all__ = ["ClusterQueries"]
