"""Result of text reuse: tables of passages, pairs and clusters, and their graph."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.types.cards import ROWS, NotebookCard, card

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TABLES = ("passages", "pairs", "clusters", "witnesses", "documents")
"""Names of the tables."""


@frozen(eq=False)
class ReuseGraph:
    """Graph of text reuse: documents or groups, connected by common passages. Edges are columns.

    Attributes:
        nodes: id and attributes of each node.
        ends: int64 (n, 2), the numbers of the nodes of each edge.
        weights: int64 (n,), matched characters.
        passages: int64 (n,), number of passages.
        pairs: int64 (n,), number of pairs of documents.
        is_directed: True if edges lead from the earlier to the later document.
    """

    nodes: tuple[tuple[str, Mapping[str, Any]], ...]
    ends: NDArray[np.int64]
    weights: NDArray[np.int64]
    passages: NDArray[np.int64]
    pairs: NDArray[np.int64]
    is_directed: bool


@frozen(eq=False)
class Reuse(NotebookCard):
    """All passages that documents of a corpus share.

    >>> import whorl
    >>> sentence = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> result = whorl.reuse([{"id": "a", "text": sentence}, {"id": "b", "text": f"另据报道，{sentence}"}])
    >>> [(row["id"], row["start"]) for row in result.witnesses.to_pylist()]
    [('a', 0), ('b', 5)]

    Attributes:
        passages: a passage per row: ids, offsets and text on both sides, relation, similarity, order in time, cluster;
            without a cluster if only the content is the same.
        pairs: a pair of documents per row, the earlier one first: shares, relation, number of passages; with
            ``meaning`` also ``same_content``, the share of the second that has the content of the first.
        clusters: a passage with the number of documents that contain it, the largest first.
        witnesses: the places of each cluster, the earliest first.
        documents: the documents in order of time.
        graph: the graph of the documents, or of their groups.
        run: settings, counts, expected chance hits, versions and the methods paragraph, as in ``run.json``.

    The tables are Arrow tables. Offsets count code points of the original texts.
    """

    passages: Any
    pairs: Any
    clusters: Any
    witnesses: Any
    documents: Any
    graph: ReuseGraph
    run: Mapping[str, Any]

    @property
    def nodes(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Id and attributes of each node of the graph: a document, or a group."""
        return self.graph.nodes

    @property
    def edges(self) -> tuple[tuple[str, str, Mapping[str, int]], ...]:
        """Both ids and the attributes of each edge of the graph."""
        ids = [id_ for id_, _ in self.graph.nodes]
        columns = (self.graph.weights, self.graph.passages, self.graph.pairs)
        rows = zip(self.graph.ends.tolist(), *(column.tolist() for column in columns), strict=True)
        return tuple(
            (ids[a], ids[b], {"weight": weight, "passages": passages, "pairs": pairs})
            for (a, b), weight, passages, pairs in rows
        )

    @property
    def is_directed(self) -> bool:
        """True if all connected documents are dated; edges then lead from the earlier to the later one."""
        return self.graph.is_directed

    def to_dict(self) -> dict[str, Any]:
        """Return settings and counts as plain data for JSON.

        >>> import whorl
        >>> sentence = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
        >>> result = whorl.reuse([sentence, sentence])
        >>> result.to_dict()["counts"]["pairs"]
        1
        """
        return dict(self.run)

    def to_pandas(self, table: str = "passages") -> Any:
        """Return a table as a pandas frame.

        >>> import whorl
        >>> sentence = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
        >>> result = whorl.reuse([sentence, sentence])
        >>> list(result.to_pandas("witnesses")["id"])
        ['1', '2']

        Raises:
            UsageError: pandas is not installed, or there is no such table.
        """
        arrow = self._table(table)
        try:
            return arrow.to_pandas()
        except ImportError as error:
            raise _missing("pandas") from error

    def to_polars(self, table: str = "passages") -> Any:
        """Return a table as a polars frame.

        >>> import whorl
        >>> sentence = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
        >>> result = whorl.reuse([sentence, sentence])
        >>> result.to_polars("pairs").height
        1

        Raises:
            UsageError: polars is not installed, or there is no such table.
        """
        arrow = self._table(table)
        try:
            import polars as pl
        except ImportError as error:
            raise _missing("polars") from error
        return pl.from_arrow(arrow)

    def to_networkx(self) -> Any:
        """Return the graph; edges have ``weight`` (matched characters) and ``passages``.

        Raises:
            UsageError: networkx is not installed.
        """
        try:
            nx = import_module("networkx")
        except ImportError as error:
            raise _missing("networkx") from error
        graph = nx.DiGraph() if self.is_directed else nx.Graph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph

    def _repr_html_(self) -> str:
        counts = self.run["counts"]
        rows = self.clusters.select(["documents", "first_id", "text"]).slice(0, ROWS).to_pylist()
        return card(
            type(self).__name__,
            counts.items(),
            columns=("documents", "first_id", "text"),
            rows=[tuple(row.values()) for row in rows],
            count=self.clusters.num_rows,
        )

    def _table(self, name: str) -> Any:
        if name not in TABLES:
            raise UsageError(
                say("expected the name of a table, got {name!r}", name=name),
                hint=say("choose from: {known}", known=", ".join(TABLES)),
            )
        return getattr(self, name)


def _missing(package: str) -> UsageError:
    return UsageError(
        say("{package} is not installed", package=package), hint=say("pip install {package}", package=package)
    )


__all__ = ["TABLES", "Reuse", "ReuseGraph"]
