"""State of a cohort between runs, in its output folder: texts, learned boilerplate and results.

Texts are in Arrow files that are mapped into memory, so a rerun reads only those that it compares.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from whorl._internal.atomic_file import appearing
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.tasks.cohort.manuscripts import FileStamp, ReadDocument
from whorl.text import shared_spans
from whorl.text.paratext import paratexts
from whorl.types.cohort import Manuscript

FOLDER = "state"
_INDEX = "cohort.json"
_PASSAGES = "passages.parquet"
_PAIRS = "pairs.parquet"
_VERSION = 2
_BATCH = 64

PAIR_COLUMNS = pa.schema(
    [
        ("text", pa.string()),
        ("source", pa.string()),
        ("copied", pa.float64()),
        ("same_content", pa.float64()),
        ("relation", pa.string()),
        ("passages", pa.int64()),
        ("matched", pa.int64()),
        ("longest", pa.string()),
        ("documents", pa.int64()),
    ]
)
"""A directed comparison of a manuscript with one source alone."""
PASSAGE_COLUMNS = pa.schema(
    [
        ("text", pa.string()),
        ("source", pa.string()),
        *((name, pa.int64()) for name in ("a_start", "a_end", "b_start", "b_end")),
        ("similarity", pa.float64()),
        ("kind", pa.string()),
        ("moved", pa.bool_()),
        *(
            (name, pa.int64())
            for name in ("matched", "replaced", "homophones", "inserted", "deleted", "script", "noise", "documents")
        ),
    ]
)
"""A passage of such a comparison; ``documents`` is the number of texts that contain it."""


@frozen
class Record:
    """A text that was read.

    Attributes:
        manuscript: what is shown of it.
        file: its file, or an empty string.
        segment: number of the file of texts that contains it.
        row: its row there.
        hidden: number of characters that its file hides.
        parts: kind and range of each part that does not count.
    """

    manuscript: Manuscript
    file: str
    segment: int
    row: int
    hidden: int = 0
    parts: Sequence[tuple[str, int, int]] = ()

    @property
    def key(self) -> str:
        """Its kind and name, which identify it."""
        return f"{self.manuscript.kind}:{self.manuscript.name}"


@dataclass(slots=True)
class CohortState:
    """State that a run leaves for the next one.

    Attributes:
        options: options on which the results depend.
        records: the texts by key.
        files: state of the files, by kind and name.
        rejected: reasons why files and rows cannot be read, by kind and file, then by name.
        forms: learned boilerplate: text, first manuscript, number of manuscripts.
        runs: hashes of its token runs.
        learned_from: number of manuscripts that it was learned from.
        results: results by key of the manuscript, as plain data.
        pairs: table of ``PAIR_COLUMNS``.
        passages: table of ``PASSAGE_COLUMNS``.
        segments: number of files of texts.
    """

    options: Mapping[str, Any]
    records: dict[str, Record] = field(default_factory=dict)
    files: dict[str, FileStamp] = field(default_factory=dict)
    rejected: dict[str, dict[str, str]] = field(default_factory=dict)
    forms: list[tuple[str, str, int]] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)
    learned_from: int = 0
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    pairs: pa.Table = field(default_factory=PAIR_COLUMNS.empty_table)
    passages: pa.Table = field(default_factory=PASSAGE_COLUMNS.empty_table)
    segments: int = 0


def demand_own(out: Path) -> None:
    """Refuse an output folder with files of something else.

    Raises:
        UsageError: the folder is not empty and has no state of a cohort, or it is a file.
    """
    if not out.exists() or (out / FOLDER / _INDEX).is_file():
        return
    if not out.is_dir() or any(out.iterdir()):
        raise UsageError(
            say("{path} already exists and is not the result of a cohort", path=out), hint=say("name a new folder")
        )


def load(out: Path, options: Mapping[str, Any]) -> CohortState | None:
    """Return the state of the last run; None without one, or if it had other options."""
    folder = out / FOLDER
    try:
        data = json.loads((folder / _INDEX).read_text("utf-8"))
    except FileNotFoundError:
        return None
    if data["version"] != _VERSION or data["options"] != json.loads(json.dumps(options)):
        return None
    records = [Record(Manuscript(**row["manuscript"]), *row["place"]) for row in data["records"]]
    return CohortState(
        options,
        {record.key: record for record in records},
        {name: FileStamp(*stamp) for name, stamp in data["files"].items()},
        data["rejected"],
        [tuple(form) for form in data["forms"]],
        data["runs"],
        data["learned_from"],
        data["results"],
        pq.read_table(folder / _PAIRS),
        pq.read_table(folder / _PASSAGES),
        data["segments"],
    )


def save(out: Path, state: CohortState) -> None:
    """Write the state; its index last."""
    folder = out / FOLDER
    for name, table in ((_PAIRS, state.pairs), (_PASSAGES, state.passages)):
        with appearing(folder / name) as place:
            pq.write_table(table, place, compression="zstd")
    records = [
        {
            "manuscript": record.manuscript.to_dict(),
            "place": [record.file, record.segment, record.row, record.hidden, record.parts],
        }
        for record in state.records.values()
    ]
    data = {
        "version": _VERSION,
        "options": state.options,
        "records": records,
        "files": {name: list(asdict(stamp).values()) for name, stamp in state.files.items()},
        "rejected": state.rejected,
        "forms": state.forms,
        "runs": state.runs,
        "learned_from": state.learned_from,
        "results": state.results,
        "segments": state.segments,
    }
    with appearing(folder / _INDEX) as place:
        place.write_text(json.dumps(data, ensure_ascii=False), "utf-8")


def store_texts(
    out: Path, state: CohortState, kind: str, documents: Iterable[ReadDocument], template: str
) -> list[Record]:
    """Write texts to a new file of the state and add their records. Memory: a batch of texts.

    Args:
        out: the output folder.
        state: receives the records.
        kind: kind of the texts.
        documents: the texts.
        template: text that does not count, such as that of the institution.
    """
    folder = out / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if not state.segments:
        # An index of no texts replaces that of other options, so that an interrupted run can be repeated.
        save(out, CohortState(state.options))
    schema = pa.schema([("text", pa.large_string())])
    records: list[Record] = []
    number = state.segments
    remaining = iter(documents)
    with pa.OSFile(str(folder / _segment(number)), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        while batch := list(islice(remaining, _BATCH)):
            texts = pa.array([_encodable(document.text) for document in batch], pa.large_string())
            for document, parts in zip(batch, _parts(texts, template), strict=True):
                records.append(_record(document, kind, number, len(records), parts))
            writer.write_batch(pa.record_batch([texts], schema))
    state.segments += 1
    state.records |= {record.key: record for record in records}
    return records


def _record(document: ReadDocument, kind: str, segment: int, row: int, parts: Sequence[tuple[str, int, int]]) -> Record:
    manuscript = Manuscript(
        document.name, document.title, document.author, kind, len(document.text), document.digest, document.missing
    )
    return Record(manuscript, document.file, segment, row, document.hidden, parts)


def _encodable(text: str) -> str:
    """Replace lone surrogates, one by one, so that offsets stay."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _parts(texts: pa.LargeStringArray, template: str) -> list[list[tuple[str, int, int]]]:
    """Return cover, declarations, table of contents, references and text of the template of each text. Linear."""
    parts = paratexts(texts)
    if template:
        for text, ranges in zip(texts.to_pylist(), parts, strict=True):
            ranges += [("boilerplate", start, end) for start, end in shared_spans(text, template)]
    return parts


def texts_of(out: Path, records: Sequence[Record]) -> pa.LargeStringArray:
    """Return texts in the order of ``records``, mapped into memory where possible."""
    parts: list[pa.Array] = []
    start = 0
    while start < len(records):
        segment, end = records[start].segment, start
        while end < len(records) and records[end].segment == segment:
            end += 1
        reader = pa.ipc.open_file(pa.memory_map(str(out / FOLDER / _segment(segment))))
        rows = [record.row for record in records[start:end]]
        if len(rows) > _BATCH:
            column = reader.read_all().column("text")
            chosen = column if rows == list(range(len(column))) else column.take(pa.array(rows, pa.int64()))
            parts += chosen.chunks
        else:
            parts += [reader.get_batch(row // _BATCH).column("text").slice(row % _BATCH, 1) for row in rows]
        start = end
    return pa.concat_arrays(parts) if parts else pa.array([], pa.large_string())


def _segment(number: int) -> str:
    return f"texts-{number:04}.arrow"


__all__ = [
    "FOLDER",
    "PAIR_COLUMNS",
    "PASSAGE_COLUMNS",
    "CohortState",
    "Record",
    "demand_own",
    "load",
    "save",
    "store_texts",
    "texts_of",
]
