"""Graph of text reuse: documents or groups as nodes, common passages as weighted edges; GEXF and GraphML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

if TYPE_CHECKING:
    from whorl.matching.reuse import PairColumns, PassageColumns
    from whorl.tasks.reuse.documents import OrderedDocuments
    from whorl.tasks.reuse.tables import TextSlices

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 forbids."""
_TYPES = {str: ("string", "string"), int: ("long", "long"), float: ("double", "double")}
"""Names of types in GEXF and in GraphML."""

Attributes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReuseGraph:
    """A graph.

    Attributes:
        nodes: id and attributes of each node.
        edges: both ids and the attributes of each edge.
        is_directed: True if edges lead from the earlier to the later document.
    """

    nodes: tuple[tuple[str, Attributes], ...]
    edges: tuple[tuple[str, str, Attributes], ...]
    is_directed: bool


def graph_of(
    documents: OrderedDocuments, slices: TextSlices, pairs: PairColumns, passages: PassageColumns, *, by_group: bool
) -> ReuseGraph:
    """Build the graph of the documents with passages, or of their groups."""
    matched = np.bincount(passages.pair, passages.edits[:, 0], len(pairs.texts)).astype(np.int64).tolist()
    connected = np.unique(pairs.texts)
    is_directed = bool(len(connected)) and not bool(np.isnan(documents.dates[connected]).any())
    label = [documents.groups[n] or documents.ids[n] if by_group else documents.ids[n] for n in range(len(documents))]
    nodes: dict[str, dict[str, Any]] = {}
    dates = slices.dates.to_pylist()
    for number in connected.tolist():
        node = nodes.setdefault(label[number], {"label": label[number], "documents": 0, "characters": 0})
        node["documents"] += 1
        node["characters"] += int(documents.lengths[number])
        if not by_group:
            node |= {
                name: value
                for name, value in (("group", documents.groups[number]), ("date", dates[number]))
                if value is not None
            }
    edges: dict[tuple[str, str], dict[str, int]] = {}
    for (a, b), weight, count in zip(pairs.texts.tolist(), matched, pairs.passages.tolist(), strict=True):
        key = (label[a], label[b])
        if not is_directed and key[1] < key[0]:
            key = key[::-1]
        edge = edges.setdefault(key, {"weight": 0, "passages": 0, "pairs": 0})
        edge["weight"] += weight
        edge["passages"] += count
        edge["pairs"] += 1
    return ReuseGraph(tuple(nodes.items()), tuple((a, b, edge) for (a, b), edge in edges.items()), is_directed)


def write_gexf(graph: ReuseGraph, path: Path) -> None:
    """Write GEXF 1.2, the version that Gephi and networkx read."""
    kind = "directed" if graph.is_directed else "undirected"
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n')
        file.write(f'<graph mode="static" defaultedgetype="{kind}">\n')
        node_names, edge_names = _names(graph)
        for owner, names in (("node", node_names), ("edge", edge_names)):
            file.write(f'<attributes class="{owner}" mode="static">\n')
            for name, type_ in names.items():
                file.write(f'<attribute id="{owner}_{name}" title="{name}" type="{_TYPES[type_][0]}"/>\n')
            file.write("</attributes>\n")
        file.write("<nodes>\n")
        quoted_ids = {id_: _quoted(id_) for id_, _ in graph.nodes}
        for id_, attributes in graph.nodes:
            file.write(f"<node id={quoted_ids[id_]} label={quoted_ids[id_]}><attvalues>")
            file.writelines(_gexf_values("node", attributes))
            file.write("</attvalues></node>\n")
        file.write("</nodes>\n<edges>\n")
        for number, (a, b, attributes) in enumerate(graph.edges):
            ends = f'id="{number}" source={quoted_ids[a]} target={quoted_ids[b]} weight="{attributes["weight"]}"'
            file.write(f"<edge {ends}><attvalues>")
            file.writelines(_gexf_values("edge", attributes))
            file.write("</attvalues></edge>\n")
        file.write("</edges>\n</graph>\n</gexf>\n")


def write_graphml(graph: ReuseGraph, path: Path) -> None:
    """Write GraphML."""
    kind = "directed" if graph.is_directed else "undirected"
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        for owner, names in zip(("node", "edge"), _names(graph), strict=True):
            for name, type_ in names.items():
                key = f'id="{owner}_{name}" for="{owner}" attr.name="{name}" attr.type="{_TYPES[type_][1]}"'
                file.write(f"<key {key}/>\n")
        file.write(f'<graph edgedefault="{kind}">\n')
        quoted_ids = {id_: _quoted(id_) for id_, _ in graph.nodes}
        for id_, attributes in graph.nodes:
            file.write(f"<node id={quoted_ids[id_]}>{''.join(_graphml_values('node', attributes))}</node>\n")
        for a, b, attributes in graph.edges:
            values = "".join(_graphml_values("edge", attributes))
            file.write(f"<edge source={quoted_ids[a]} target={quoted_ids[b]}>{values}</edge>\n")
        file.write("</graph>\n</graphml>\n")


def _names(graph: ReuseGraph) -> tuple[dict[str, type], dict[str, type]]:
    """Return the attributes of nodes and of edges with their types."""

    def of(rows: Iterator[Attributes]) -> dict[str, type]:
        return {name: type(value) for row in rows for name, value in row.items()}

    return of(attributes for _, attributes in graph.nodes), of(attributes for *_, attributes in graph.edges)


def _legal(value: str) -> str:
    return _ILLEGAL.sub("�", value)


def _quoted(value: object) -> str:
    return quoteattr(_legal(value)) if isinstance(value, str) else f'"{value}"'


def _gexf_values(owner: str, attributes: Attributes) -> Sequence[str]:
    return [f'<attvalue for="{owner}_{name}" value={_quoted(value)}/>' for name, value in attributes.items()]


def _graphml_values(owner: str, attributes: Attributes) -> Sequence[str]:
    return [
        f'<data key="{owner}_{name}">{escape(_legal(value)) if isinstance(value, str) else value}</data>'
        for name, value in attributes.items()
    ]


__all__ = ["ReuseGraph", "graph_of", "write_gexf", "write_graphml"]
