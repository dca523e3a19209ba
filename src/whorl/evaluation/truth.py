"""Readers for truth files: pairs, clusters, or copies with their sources.

The columns determine the format. JSON Lines, CSV and TSV are read, also compressed (``.gz``, ``.zst``):

- pairs: ``a`` and ``b`` (or ``id_a`` and ``id_b``), optionally ``label`` (is it a copy?) and ``kind``;
- clusters: ``id`` and ``cluster`` (or ``cluster_id``): documents of one cluster are copies of each other;
- copies: ``copy_id``, ``sources`` (a list), and ``kind``; optionally ``passages``, a list of objects with ``source``,
  ``s0`` and ``s1`` (start and end of the passage in the source), ``c0`` and ``c1`` (in the copy), in code points; JSON
  Lines only.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from whorl._internal.frozen import frozen
from whorl._internal.json_objects import json_objects
from whorl.errors import InputError
from whorl.evaluation.labelling.labels import ACCEPTED, read_label
from whorl.evaluation.plagdet import CopiedStretch
from whorl.evaluation.scoring import Copy, Pair, Truth, of_one_original, pair
from whorl.i18n import say

_CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".br": "brotli"}
_PAIR_COLUMNS = (("a", "b"), ("id_a", "id_b"))
_CLUSTER_COLUMNS = ("cluster", "cluster_id")
_PASSAGES = say('write each as {{"source": "id", "s0": 0, "s1": 9, "c0": 0, "c1": 9}}, code points from and up to')
_LAYOUTS = say("a and b for pairs, id and cluster for clusters, copy_id and sources for copies")


@frozen
class _Row:
    """A row of a truth file with its location."""

    path: Path
    line: int
    values: Mapping[str, Any]

    def refused(self, message: str, hint: str) -> InputError:
        return InputError(say("{path}:{line}: {message}", path=self.path, line=self.line, message=message), hint=hint)

    def id(self, column: str, documents: Collection[str]) -> str:
        """Return the document id in ``column``, which must be in ``documents``."""
        return self.document(self.values.get(column), column, documents)

    def document(self, value: Any, column: str, documents: Collection[str]) -> str:
        if value is None or value == "" or isinstance(value, list | dict | bool):
            raise self.refused(say("{column} has no document id", column=column), say("add the id of a document"))
        if str(value) not in documents:
            raise self.refused(
                say("document {id!r} not found", id=str(value)), say("name documents by their ids; see `id`")
            )
        return str(value)


def load_truth(path: Path, documents: Collection[str], *, ignore: Path | None = None, complete: bool = True) -> Truth:
    """Read a truth file.

    Args:
        path: the truth file.
        documents: ids of the corpus.
        ignore: file of pairs to exclude from scoring.
        complete: treat every pair that is not in the file as no copy.

    Raises:
        InputError: a file cannot be read, is empty, lacks columns, names an unknown document, or contradicts itself.

    Cost: linear in the file, but quadratic in each cluster and in the copies of one source.
    """
    rows = _rows(path)
    truth = _layout(rows[0])(rows, documents, complete)
    if not truth.copies:
        raise InputError(say("{path} contains no copies", path=path), hint=say("label at least one pair as a copy"))
    if ignore is None:
        return truth
    aside = frozenset(labeled_pair for labeled_pair, _, _ in _labelled(_rows(ignore), documents))
    return Truth(truth.copies, truth.related, aside, truth.others, complete)


def _layout(first: _Row) -> Callable[[list[_Row], Collection[str], bool], Truth]:
    columns = first.values.keys()
    if {"copy_id", "sources"} <= columns:
        return _of_copies
    if "id" in columns and columns & set(_CLUSTER_COLUMNS):
        return _of_clusters
    if _pair_columns(first) is not None:
        return _of_pairs
    raise first.refused(
        say("the columns are {names}", names=", ".join(map(str, columns)) or say("none")),
        say("name them {columns}", columns=_LAYOUTS),
    )


def _of_copies(rows: list[_Row], documents: Collection[str], complete: bool) -> Truth:
    lines: dict[str, int] = {}
    copies = []
    for row in rows:
        document = row.id("copy_id", documents)
        if document in lines:
            raise row.refused(
                say("{id!r} is already in line {line}", id=document, line=lines[document]),
                say("list all sources in one row"),
            )
        lines[document] = row.line
        source_ids = row.values.get("sources")
        if not isinstance(source_ids, list) or not source_ids:
            raise row.refused(say("sources is not a list of documents"), say('write it as "sources": ["id", ...]'))
        sources = tuple(dict.fromkeys(row.document(source, "sources", documents) for source in source_ids))
        if document in sources:
            raise row.refused(say("{id!r} is its own source", id=document), say("remove it from the sources"))
        copies.append(Copy(document, _kind(row), sources, _passages(row, document, sources)))
    return Truth(tuple(copies), related=of_one_original(tuple(copies)), complete=complete)


def _passages(row: _Row, document: str, sources: Collection[str]) -> tuple[CopiedStretch, ...]:
    """Return the passages of a copy, without empty ones."""
    entries = row.values.get("passages")
    if entries is None:
        return ()
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise row.refused(say("passages is not a list of objects"), _PASSAGES)
    passages = []
    for entry in entries:
        ends = [entry.get(name) for name in ("c0", "c1", "s0", "s1")]
        if str(entry.get("source")) not in sources:
            raise row.refused(
                say("a passage comes from {id!r}, which is not a source of the copy", id=entry.get("source")), _PASSAGES
            )
        if any(type(end) is not int or end < 0 for end in ends) or ends[0] > ends[1] or ends[2] > ends[3]:
            raise row.refused(
                say(
                    "a passage lies from {c0} to {c1} and from {s0} to {s1}",
                    c0=ends[0],
                    c1=ends[1],
                    s0=ends[2],
                    s1=ends[3],
                ),
                _PASSAGES,
            )
        if ends[0] < ends[1] and ends[2] < ends[3]:
            passages.append(CopiedStretch(document, ends[0], ends[1], str(entry["source"]), ends[2], ends[3]))
    return tuple(passages)


def _of_clusters(rows: list[_Row], documents: Collection[str], complete: bool) -> Truth:
    column = next(name for name in _CLUSTER_COLUMNS if name in rows[0].values)
    members: dict[str, list[str]] = defaultdict(list)
    cluster_of: dict[str, tuple[str, int]] = {}
    for row in rows:
        document, cluster = row.id("id", documents), row.values.get(column)
        if cluster is None or cluster == "":
            raise row.refused(say("{column} is empty", column=column), say("name the cluster of every document"))
        if document in cluster_of:
            before, line = cluster_of[document]
            if before != str(cluster):
                message = say(
                    "{id!r} is in cluster {cluster!r}, and in {before!r} by line {line}",
                    id=document,
                    cluster=cluster,
                    before=before,
                    line=line,
                )
                raise row.refused(message, say("keep one of them: a document is in one cluster"))
            continue
        cluster_of[document] = (str(cluster), row.line)
        members[str(cluster)].append(document)
    pairs = (member_pair for group in members.values() for member_pair in combinations(group, 2))
    return Truth(tuple(Copy(a, "", (b,)) for a, b in pairs), complete=complete)


def _of_pairs(rows: list[_Row], documents: Collection[str], complete: bool) -> Truth:
    labels: dict[Pair, tuple[bool, str, int]] = {}
    for labeled_pair, row, is_copy in _labelled(rows, documents):
        before = labels.setdefault(labeled_pair, (is_copy, _kind(row), row.line))
        if before[0] != is_copy:
            message = say(
                "{a!r} and {b!r} are not copies here, but copies in line {line}",
                a=labeled_pair[0],
                b=labeled_pair[1],
                line=before[2],
            )
            if is_copy:
                message = say(
                    "{a!r} and {b!r} are copies here, but not copies in line {line}",
                    a=labeled_pair[0],
                    b=labeled_pair[1],
                    line=before[2],
                )
            raise row.refused(message, say("keep one of the two rows"))
        if is_copy and before[1] != _kind(row):
            raise row.refused(
                say("the pair is of kind {kind!r} in line {line}", kind=before[1], line=before[2]),
                say("keep one of the two rows"),
            )
    copies = tuple(
        Copy(labeled_pair[0], kind, (labeled_pair[1],))
        for labeled_pair, (is_copy, kind, _) in labels.items()
        if is_copy
    )
    return Truth(
        copies,
        others=frozenset(labeled_pair for labeled_pair, label in labels.items() if not label[0]),
        complete=complete,
    )


def _labelled(rows: list[_Row], documents: Collection[str]) -> Iterator[tuple[Pair, _Row, bool]]:
    """Yield every pair of a file with its row and True if it is a copy."""
    names = _pair_columns(rows[0])
    if names is None:
        raise rows[0].refused(
            say("the columns are {names}", names=", ".join(map(str, rows[0].values))), say("name them a and b")
        )
    for row in rows:
        a, b = (row.id(name, documents) for name in names)
        if a == b:
            raise row.refused(say("{id!r} is paired with itself", id=a), say("remove the row"))
        label = row.values.get("label")
        is_copy = True if label is None else read_label(label)
        if is_copy is None:
            raise row.refused(
                say("the label is {label!r}", label=label),
                say("write {accepted}; what kind of copy it is belongs in kind", accepted=ACCEPTED),
            )
        yield pair(a, b), row, is_copy


def _pair_columns(row: _Row) -> tuple[str, str] | None:
    return next((names for names in _PAIR_COLUMNS if set(names) <= row.values.keys()), None)


def _kind(row: _Row) -> str:
    return str(row.values.get("kind") or "")


def _rows(path: Path) -> list[_Row]:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in (".gz", ".zst")]
    suffix = suffixes[-1] if suffixes else ""
    text = _text(path)
    rows = list(_records(path, text, suffix) if suffix in (".csv", ".tsv") else _objects(path, text))
    if not rows:
        raise InputError(
            say("{path} is empty", path=path),
            hint=say("give it at least one row; the columns are {columns}", columns=_LAYOUTS),
        )
    return rows


def _text(path: Path) -> str:
    import pyarrow as pa

    try:
        # Opened here: pyarrow takes no name that is not Unicode.
        with path.open("rb") as file, pa.input_stream(file, compression=_CODECS.get(path.suffix.lower())) as stream:
            return bytes(stream.read()).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(say("{path} does not exist", path=path), hint=say("check the spelling")) from error
    except UnicodeDecodeError as error:
        raise InputError(
            say("{path} is not UTF-8: byte {byte}", path=path, byte=error.start), hint=say("save it as UTF-8")
        ) from error
    except OSError as error:
        raise InputError(
            say("cannot read {path}: {error}", path=path, error=error),
            hint=say("use a file of JSON Lines, CSV or TSV"),
        ) from error


def _objects(path: Path, text: str) -> Iterator[_Row]:
    return (_Row(path, number, values) for number, values in json_objects(path, text))


def _records(path: Path, text: str, suffix: str) -> Iterator[_Row]:
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter="\t" if suffix == ".tsv" else ",")
    try:
        for values in reader:
            row = _Row(path, reader.line_num, values)
            if None in values or None in values.values():
                raise row.refused(
                    say("the row has more or fewer fields than the header"), say("quote fields with delimiters")
                )
            yield row
    except csv.Error as error:
        raise InputError(
            say("{path}:{number}: not a CSV record: {error}", path=path, number=reader.line_num, error=error),
            hint=say("save it again as CSV"),
        ) from error


__all__ = ["load_truth"]
