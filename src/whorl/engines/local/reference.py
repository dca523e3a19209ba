"""References that are never dropped: corpora, or earlier runs whose sketches are reused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.corpus import Columns, ReadOptions, Rejects, Source, discover, format_of
from whorl.corpus.remote.address import RemotePlace, place_of
from whorl.engines.corpus import FileRecord, file_state
from whorl.engines.local.columns import PASSING, ColumnWriter
from whorl.engines.local.durable import is_as_written, read_json
from whorl.engines.local.folder import RUN, demand_rows, is_finished_run, load_run
from whorl.engines.local.read import (
    PARTITIONS,
    StoredSegment,
    load_segment,
    read_corpus,
    save_segment,
    write_texts,
)
from whorl.engines.local.unread import demand_readable, describe_unread
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.i18n import say
from whorl.recipe import Recipe
from whorl.text import FOLD_VERSION

Read = Callable[[Sequence[Source], Path, Recipe, str, Progress], list[StoredSegment]]
"""Reads a corpus into segments, as ``read_corpus`` does."""


def read_references(
    paths: Sequence[str], folder: Path, recipe: Recipe, on_error: str, progress: Progress, read: Read = read_corpus
) -> list[StoredSegment]:
    """Return the segments of all references; their work lies below ``folder``.

    Args:
        paths: corpora, or the output folders of earlier runs.
        folder: folder of their segments.
        recipe: how documents are read and fingerprinted.
        on_error: "skip", "stop", or "auto", which refuses a reference without a readable row.
        progress: receives the progress.
        read: reads a corpus.

    Raises:
        InputError: a reference cannot be read.
    """
    segments: list[StoredSegment] = []
    for number, path in enumerate(paths):
        place = folder / str(number)
        read_here = _read_reference(path, place, recipe, on_error, progress, read)
        if on_error == "auto":
            demand_readable(describe_unread([path], [record for segment in read_here for record in segment.files]))
        segments += read_here
    return segments


def _read_reference(
    address: str, folder: Path, recipe: Recipe, on_error: str, progress: Progress, read: Read
) -> list[StoredSegment]:
    path = Path(address)
    if not is_finished_run(path):
        place = place_of(address)
        if place is not None:
            address = _kept_there(place) or address
        return read(discover([address]), folder, recipe, on_error, progress)
    kept, run = path / "kept", load_run(path)
    demand_rows(run, path)
    sketches = _sketches(path, run, recipe)
    if sketches is not None:
        return _borrow_all(sketches, kept, folder, recipe)
    progress.note(
        say(
            "{path} has another recipe, has changed or is damaged: fingerprinting its kept documents again",
            path=path,
        )
    )
    _demand_kept_files(run, lambda name: _size(path / name), path.joinpath)
    sources = discover([str(kept)])
    for source in sources:
        if source.path is None or not source.path.resolve().is_relative_to(kept.resolve()):
            raise InputError(
                say("{label} is outside {kept}", label=source.label, kept=kept),
                hint=say("replace the link with a copy of the file"),
            )
    return read(sources, folder, recipe, on_error, progress)


def _size(file: Path) -> int:
    """Return the size of a file; -1 for none."""
    return file.stat().st_size if file.is_file() else -1


def _kept_there(place: RemotePlace) -> str | None:
    """Return the address of the kept documents of an earlier run beyond this machine; None for another place.

    Refuses an earlier run that lacks kept files; see `_demand_kept_files`.
    """
    from whorl.corpus.remote.sending import is_run, run_files

    if not is_run(place, RUN):
        return None
    content, sizes = run_files(place, RUN)
    try:
        run = json.loads(content)
    except (ValueError, RecursionError):
        run = None
    if isinstance(run, dict):
        demand_rows(run, place.url)
    root = place.path.rstrip("/")
    _demand_kept_files(run, lambda name: sizes.get(name, -1), lambda name: place.at(f"{root}/{name}").url)
    return place.at(f"{root}/kept").address


def _demand_kept_files(run: Any, size_of: Callable[[str], int], label_of: Callable[[str], str | Path]) -> None:
    """Refuse an earlier run that lacks kept files: fewer duplicates would be found.

    Args:
        run: its ``run.json``.
        size_of: the size of a file of the run; -1 where it is missing.
        label_of: where such a file is, as messages name it.

    Raises:
        InputError: a kept file is missing or empty, or ``run.json`` does not say which there are.
    """
    try:
        names = [f"kept/{record['file']}" for record in run["inputs"] if record["kept"]]
    except (KeyError, TypeError) as error:
        raise InputError(
            say("{path} is damaged", path=label_of(RUN)),
            hint=say("use the documents alone: {path}", path=label_of("kept")),
        ) from error
    for name in names:
        size = size_of(name)
        if size < 0:
            raise InputError(
                say("{path} is missing: the run kept documents in it", path=label_of(name)),
                hint=say("restore it, or name the files to compare with instead of the run"),
            )
        if not size:
            raise InputError(
                say("{path} is empty: the run kept documents in it", path=label_of(name)),
                hint=say("restore it, or name the files to compare with instead of the run"),
            )


class _Sketches(NamedTuple):
    """A segment of an earlier run and the documents that the run kept."""

    segment: StoredSegment
    kept: NDArray[np.bool_]


def _sketches(path: Path, run: dict[str, Any], recipe: Recipe) -> list[_Sketches] | None:
    """Return the segments of an earlier run, or None unless they match this recipe and its kept files.

    Their claims about files outside ``kept`` are not trusted.
    """
    if not (path / "sketches").is_dir():
        return None
    folders = sorted(place for place in (path / "sketches").iterdir() if place.is_dir())
    loaded = [_of_folder(place, path / "kept") for place in folders]
    sketches = [item for item in loaded if item is not None]
    try:
        names = [record["file"] for record in run["inputs"]]
        is_complete = (
            len(sketches) == len(loaded)
            and names == [record.name for item in sketches for record in item.segment.files if not record.goes_on]
            and sum(int(item.kept.sum()) for item in sketches) == run["counts"]["kept"]
        )
        return sketches if is_complete and _same_sketches(run, recipe) else None
    except (KeyError, TypeError, AttributeError):
        return None


def _of_folder(place: Path, kept_folder: Path) -> _Sketches | None:
    segment, kept_record = load_segment(place), read_json(place / "kept.json")
    if segment is None or not segment.is_whole([name for name in segment.sums if _is_left_out(name)]):
        return None
    try:
        is_same = is_as_written(place, kept_record["sums"]) and kept_record["states"] == [
            list(file_state(kept_folder / record.name)) for record in segment.files if _is_below(record, kept_folder)
        ]
    except (KeyError, TypeError):
        return None
    if not is_same or not _is_consistent(segment, kept_folder):
        return None
    return _Sketches(segment, segment.column("kept"))


def _is_left_out(name: str) -> bool:
    """Return True if a finished run has deleted the data under this name."""
    return name in PASSING or name.startswith("rejected/")


def _is_below(record: FileRecord, folder: Path) -> bool:
    """Return True if a file name stays below a folder after links are resolved."""
    return (folder / record.name).resolve().is_relative_to(folder.resolve())


def _is_consistent(segment: StoredSegment, kept_folder: Path) -> bool:
    """Return True if the columns are consistent with each other and with the kept files."""
    count = segment.documents
    names = ("digest", "length", "key_count", "file", "row", "id_end", "size", "kept", "kept_offset")
    if count != sum(record.documents for record in segment.files) or any(
        len(segment.column(name)) != count for name in names
    ):
        return False
    postings, ends = segment.column("posting"), segment.column("partition_end").astype(np.int64)
    id_ends, files = segment.column("id_end"), segment.column("file")
    expected = np.repeat(np.arange(len(segment.files)), [record.documents for record in segment.files])
    if not np.array_equal(files, expected) or not _ascends(id_ends, len(segment.column("id"))):
        return False
    if not _ascends(ends, len(postings)) or len(ends) % PARTITIONS or (postings["document"] >= count).any():
        return False
    sizes = np.array([file_state(kept_folder / record.name)[0] for record in segment.files], np.int64)
    lies_in_file = np.array([record.encoding is not None for record in segment.files], np.bool_)
    kept = segment.column("kept") & (lies_in_file[files] if count else np.empty(0, np.bool_))
    reached = segment.column("kept_offset").astype(np.float64) + segment.column("size")
    return bool((reached[kept] <= sizes[files][kept]).all()) if count else True


def _ascends(ends: NDArray[Any], last: int) -> bool:
    """Return True if bounds ascend from 0 or more up to ``last``."""
    return bool(not len(ends) or (ends[0] >= 0 and (np.diff(ends) >= 0).all())) and (
        int(ends[-1]) == last if len(ends) else last == 0
    )


def _same_sketches(run: dict[str, Any], recipe: Recipe) -> bool:
    """Return True if ``recipe`` and this version of whorl make the same sketches as ``run``."""
    ours, theirs = json.loads(json.dumps(recipe.as_dict())), run["recipe"]
    same_recipe = all(theirs.get(name) == ours.get(name) for name in ("method", "parameters", "text", "version"))
    return same_recipe and _families(theirs) == _families(ours) and run["versions"].get("fold") == FOLD_VERSION


def _families(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return the fingerprint settings of each field, or an empty dict if documents are judged as a whole."""
    names = ("method", "parameters")
    return {part: [parameters[name] for name in names] for part, parameters in recipe.get("fields", {}).items()}


def _borrow_all(sketches: Sequence[_Sketches], kept_folder: Path, folder: Path, recipe: Recipe) -> list[StoredSegment]:
    segments, rows = [], 0
    for item in sketches:
        rows = rows if item.segment.goes_on else 0
        segments.append(_borrow(item, rows, kept_folder, folder / item.segment.folder.name, recipe))
        rows += segments[-1].documents
    return segments


def _borrow(sketches: _Sketches, rows: int, kept_folder: Path, folder: Path, recipe: Recipe) -> StoredSegment:
    """Copy the kept documents of a segment, and store the texts that cannot be read from the kept file.

    ``rows`` is the number of preceding rows in its kept file.
    """
    done = load_segment(folder)
    if done is not None and done.is_whole():
        return done
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    theirs, kept = sketches
    with ColumnWriter(folder) as writer:
        for name in ("digest", "length", "key_count", "file"):
            writer.append(name, theirs.column(name)[kept])
        writer.append("code", theirs.column("code").reshape(len(kept), -1)[kept] if len(kept) else kept)
        _take_ids(theirs, kept, writer)
        _take_postings(theirs, kept, writer)
        files = _take_places(theirs, kept, rows, kept_folder, recipe, writer)
    segment = StoredSegment(folder, tuple(files), int(kept.sum()), {}, writer.sums)
    save_segment(segment)
    return segment


def _take_ids(theirs: StoredSegment, kept: NDArray[np.bool_], writer: ColumnWriter) -> None:
    lengths = np.diff(theirs.column("id_end"), prepend=0)
    writer.append("id", theirs.column("id")[np.repeat(kept, lengths)])
    writer.append("id_end", np.cumsum(lengths[kept]))


def _take_postings(theirs: StoredSegment, kept: NDArray[np.bool_], writer: ColumnWriter) -> None:
    """Copy kept postings batch by batch with renumbered documents; partitions keep their order."""
    numbers = (np.cumsum(kept) - 1).astype(np.uint32)
    postings = theirs.column("posting")
    ends = theirs.column("partition_end").astype(np.int64)
    stays = kept[postings["document"]] if len(postings) else np.empty(0, np.bool_)
    chosen = postings[stays]
    chosen["document"] = numbers[chosen["document"]]
    writer.append("posting", chosen)
    writer.append("partition_end", np.concatenate([[0], np.cumsum(stays)])[ends] if len(ends) else ends)


def _take_places(
    theirs: StoredSegment, kept: NDArray[np.bool_], rows: int, kept_folder: Path, recipe: Recipe, writer: ColumnWriter
) -> list[FileRecord]:
    """Locate the kept rows in the kept files, and store the texts that cannot be read there."""
    offsets, sizes = theirs.column("kept_offset"), theirs.column("size")
    files = []
    first = 0
    for record in theirs.files:
        here = slice(first, first + record.documents)
        first += record.documents
        count = int(kept[here].sum())
        path = kept_folder / record.name
        reduced = replace(record, path=str(path), last_row=count, documents=count, rejected=0)
        writer.append("row", np.arange(1, count + 1) + (rows if record.goes_on else 0))
        if record.encoding is None:
            _write_texts(reduced, recipe, writer)
        else:
            writer.append("offset", offsets[here][kept[here]])
            writer.append("size", sizes[here][kept[here]])
        files.append(reduced)
    return files


def _write_texts(record: FileRecord, recipe: Recipe, writer: ColumnWriter) -> None:
    if not record.documents:
        return
    columns = Columns(recipe.text, recipe.id, None)
    options = ReadOptions.of(recipe)
    for batch in format_of(record.source).read(record.source, columns.of(record.source), Rejects(), options):
        write_texts(batch.texts, writer)


__all__ = ["read_references"]
