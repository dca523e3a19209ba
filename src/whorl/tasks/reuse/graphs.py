"""Graph of text reuse: documents or groups as nodes, common passages as weighted edges; GEXF and GraphML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whorl.types.reuse import ReuseGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.matching.reuse import PairColumns, PassageColumns
    from whorl.tasks.reuse.documents import OrderedDocuments
    from whorl.tasks.reuse.tables import TextSlices

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 forbids."""
_TYPES = {str: ("string", "string"), int: ("long", "long"), float: ("double", "double")}
"""Names of types in GEXF and in GraphML."""

_GEXF_END = "</attvalues></edge>\n"
_EDGE = ("weight", "passages", "pairs")
"""The attributes of edges."""

Attributes = Mapping[str, Any]


def graph_of(
    documents: OrderedDocuments, slices: TextSlices, pairs: PairColumns, passages: PassageColumns, *, by_group: bool
) -> ReuseGraph:
    """Build the graph of the documents with passages, or of their groups."""
    matched = np.bincount(passages.pair, passages.edits[:, 0], len(pairs.texts))
    connected = np.unique(pairs.texts)
    is_directed = bool(len(connected)) and not bool(np.isnan(documents.dates[connected]).any())
    key = [documents.groups[n] or documents.ids[n] if by_group else documents.ids[n] for n in range(len(documents))]
    nodes: dict[str, dict[str, Any]] = {}
    dates = slices.dates.to_pylist()
    for number in connected.tolist():
        label = key[number] if by_group else documents.titles[number] or key[number]
        node = nodes.setdefault(key[number], {"label": label, "documents": 0, "characters": 0})
        node["documents"] += 1
        node["characters"] += int(documents.lengths[number])
        if not by_group:
            node |= {
                name: value
                for name, value in (("group", documents.groups[number]), ("date", dates[number]))
                if value is not None
            }
    numbers = {name: number for number, name in enumerate(nodes)}
    node_of = np.zeros(len(documents), np.int64)
    node_of[connected] = [numbers[key[number]] for number in connected.tolist()]
    ends = node_of[pairs.texts]
    if not is_directed:
        by_name = np.argsort(np.array(sorted(range(len(numbers)), key=list(numbers).__getitem__), np.int64))
        swapped = by_name[ends[:, 1]] < by_name[ends[:, 0]]
        ends[swapped] = ends[swapped, ::-1]
    edges, edge = np.unique(ends, axis=0, return_inverse=True)

    def total(weights: NDArray[Any] | None) -> NDArray[np.int64]:
        return np.bincount(edge.ravel(), weights, len(edges)).astype(np.int64)

    return ReuseGraph(tuple(nodes.items()), edges, total(matched), total(pairs.passages), total(None), is_directed)


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
            file.write(f"<node id={quoted_ids[id_]} label={_quoted(attributes['label'])}><attvalues>")
            file.writelines(_gexf_values("node", attributes))
            file.write("</attvalues></node>\n")
        file.write("</nodes>\n<edges>\n")
        ids = [quoted_ids[id_] for id_, _ in graph.nodes]
        values = {name: (f'<attvalue for="edge_{name}" value="', '"/>') for name in _EDGE}
        number = np.arange(len(graph.ends))
        ends = ('<edge id="', number, '" source=', _ends(ids, graph, 0), " target=", _ends(ids, graph, 1))
        _write_edges(file, *ends, ' weight="', graph.weights, '"><attvalues>', *_columns(graph, values), _GEXF_END)
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
        ids = [quoted_ids[id_] for id_, _ in graph.nodes]
        values = {name: (f'<data key="edge_{name}">', "</data>") for name in _EDGE}
        ends = ("<edge source=", _ends(ids, graph, 0), " target=", _ends(ids, graph, 1), ">")
        _write_edges(file, *ends, *_columns(graph, values), "</edge>\n")
        file.write("</graph>\n</graphml>\n")


def _names(graph: ReuseGraph) -> tuple[dict[str, type], dict[str, type]]:
    """Return the attributes of nodes and of edges with their types."""
    of_nodes = {name: type(value) for _, attributes in graph.nodes for name, value in attributes.items()}
    return of_nodes, dict.fromkeys(_EDGE if len(graph.ends) else (), int)


def _ends(ids: Sequence[str], graph: ReuseGraph, side: int) -> pa.Array:
    """Return the quoted id of one end of each edge."""
    return pa.array(ids, pa.large_string()).take(pa.array(graph.ends[:, side]))


def _columns(graph: ReuseGraph, around: Mapping[str, tuple[str, str]]) -> Iterator[str | NDArray[np.int64]]:
    """Yield the attributes of edges, each between the two strings of its name."""
    for name, values in zip(_EDGE, (graph.weights, graph.passages, graph.pairs), strict=True):
        before, behind = around[name]
        yield from (before, values, behind)


def _write_edges(file: TextIOWrapper, *parts: str | NDArray[np.int64] | pa.Array) -> None:
    """Write a line for each edge, joined from constants and columns."""
    columns = [
        pa.array(part).cast(pa.large_string())
        if isinstance(part, np.ndarray)
        else pa.scalar(part, pa.large_string())
        if isinstance(part, str)
        else part
        for part in parts
    ]
    lines = pc.binary_join_element_wise(*columns, pa.scalar("", pa.large_string()))
    file.flush()
    file.buffer.write(lines.buffers()[2] or b"")


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


__all__ = ["graph_of", "write_gexf", "write_graphml"]
