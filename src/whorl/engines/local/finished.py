"""Read a finished run: its kept documents, and removed documents next to the kept ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.corpus import Batch, Columns, ReadOptions, Rejects, Source, format_of
from whorl.engines.changes import compare_texts
from whorl.engines.corpus import REFERENCE
from whorl.engines.local.columns import LIBRARY
from whorl.engines.local.folder import demand_rows, load_run
from whorl.engines.local.seen import digest_of, noted_digest
from whorl.errors import InputError
from whorl.i18n import say
from whorl.reports.evidence import KeptArticle, Pair, RemovedArticle, Side

if TYPE_CHECKING:
    import pyarrow as pa


def removed_pair(out: Path, id: str) -> Pair:
    """Return a removed document with its kept document and their common passages.

    Args:
        out: the output folder of a finished run.
        id: the id of the removed document, or ``file:row``.

    Raises:
        UsageError: ``out`` is not the output folder of a finished run.
        InputError: the document was not removed, its file is missing or changed, or the folder is damaged.

    Cost: one pass over the two files that contain the documents.
    """
    import pyarrow as pa

    run = load_run(out)
    try:
        duplicate = _find_duplicate(out, id)
        centre = _find_kept(out, duplicate["cluster_id"])
        removed_text = _text_at(out, run, duplicate["file"], duplicate["row"])
        kept_text = _text_at(out, run, centre["file"], centre["row"])
    except (KeyError, TypeError, IndexError, StopIteration, pa.ArrowException) as error:
        hint = say("fetch the folder again, or see report.html")
        raise InputError(
            say("{out} is damaged: {error}", out=out, error=error or type(error).__name__), hint=hint
        ) from error

    def side(row: dict[str, Any], text: str) -> Side:
        return Side(row["id"], row["file"], row["row"], None, text)

    return Pair(
        side(duplicate, removed_text),
        side(centre, kept_text),
        duplicate["similarity"],
        duplicate["measure"],
        compare_texts(kept_text, removed_text),
        str(run["keeping"]["rule"]) if "keeping" in run else "",
    )


def kept_article(out: Path, id: str) -> KeptArticle | None:
    """Return a kept document with the documents removed in favor of it.

    Return None if there is no document with this id or one of them was removed.

    Args:
        out: the output folder of a finished run.
        id: the id of the document, or ``file:row``.

    Raises:
        UsageError: ``out`` is not the output folder of a finished run.
        InputError: the folder is damaged.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    load_run(out)
    try:
        clusters = read_table(out, "clusters.parquet")
        members = clusters.filter(_is_called(clusters, id)).to_pylist()
        if not members or any(row["role"] == "duplicate" for row in members):
            return None
        centre = members[0]
        removed = read_table(out, "duplicates.parquet")
        removed = removed.filter(pc.equal(removed["cluster_id"], centre["cluster_id"]))
        rows = removed.select(["id", "file", "row", "relation", "similarity"]).to_pylist()
        return KeptArticle(centre["id"], centre["file"], centre["row"], tuple(RemovedArticle(**row) for row in rows))
    except (KeyError, TypeError, OSError, pa.ArrowException) as error:
        hint = say("fetch the folder again, or see report.html")
        raise InputError(
            say("{out} is damaged: {error}", out=out, error=error or type(error).__name__), hint=hint
        ) from error


def _is_called(table: Any, id: str) -> Any:
    """Return the rows with this id or at this ``file:row``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    place = pc.binary_join_element_wise(
        table["file"], table["row"].cast("large_string"), pa.scalar(":", pa.large_string())
    )
    return pc.or_(pc.equal(table["id"], id), pc.equal(place, id))


def read_kept(out: Path) -> pa.Table:
    """Return the kept documents of a finished run: id, file, row and text.

    Raises:
        InputError: the run wrote only ids, or a kept file is missing or leads out of the folder.
    """
    import pyarrow as pa

    run = load_run(out)
    demand_rows(run, out)
    tables = []
    for record in run["inputs"]:
        path = out.absolute() / "kept" / record["file"]  # a parser process may run in another folder
        if not record["kept"]:
            continue
        if not path.exists():
            raise InputError(
                say("{path} is missing: the run kept documents in it", path=path),
                hint=say("restore it, or run `whorl dedup` again"),
            )
        if not path.resolve().is_relative_to(out.resolve()):
            raise InputError(
                say("{label} leads out of {kept}", label=record["file"], kept=out / "kept"),
                hint=say("put a copy of the file in its place"),
            )
        for batch in _read(run, Source(path, record["file"], record["format"], record["compression"])):
            ids = pa.array(batch.ids).cast(pa.large_string())
            names = pa.array([record["file"]] * len(batch), pa.large_string())
            rows = pa.array(batch.rows)
            tables.append(
                pa.table({"id": ids, "file": names, "row": rows, "text": pa.array(batch.texts).cast(pa.large_string())})
            )
    empty = pa.schema(
        [("id", pa.large_string()), ("file", pa.large_string()), ("row", pa.int64()), ("text", pa.large_string())]
    )
    return pa.concat_tables(tables) if tables else empty.empty_table()


def read_table(out: Path, name: str) -> pa.Table:
    """Read a table of a finished run and verify its checksums."""
    import pyarrow.parquet as pq

    return pq.read_table(out.absolute() / name, page_checksum_verification=True)


def _find_duplicate(out: Path, id: str) -> dict[str, Any]:
    table = read_table(out, "duplicates.parquet")
    rows = table.filter(_is_called(table, id))
    if len(rows):
        return rows.slice(0, 1).to_pylist()[0]  # type: ignore[no-any-return]
    raise InputError(
        say("{label}: {reason}", label=out, reason=say("there is no document '{id}'", id=id)),
        hint=say("{path} lists the ids", path=out / "clusters.parquet"),
    )


def _find_kept(out: Path, cluster_id: str) -> dict[str, Any]:
    import pyarrow.compute as pc

    table = read_table(out, "clusters.parquet")
    centre = pc.and_(pc.equal(table["cluster_id"], cluster_id), pc.not_equal(table["role"], "duplicate"))
    return table.filter(centre).slice(0, 1).to_pylist()[0]  # type: ignore[no-any-return]


def _text_at(out: Path, run: dict[str, Any], file: str, row: int) -> str:
    """Read the text of a document from the file that the run names.

    A manipulated folder could name any file, so a text is shown only if its digest is in the run.
    """
    listed = run["references"] if file.startswith(REFERENCE) else run["inputs"]
    record = next(record for record in listed if record["file"] == file.removeprefix(REFERENCE))
    if record["format"] == LIBRARY:
        hint = say("run `whorl show {path}`, or open report.html", path=record["path"])
        raise InputError(say("the kept text is an article of the library {path}", path=record["path"]), hint=hint)
    if record["path"] is None or not Path(record["path"]).is_file():
        raise InputError(
            say("{file} does not exist any more, so its texts cannot be shown", file=file),
            hint=say("restore the input, or open report.html"),
        )
    source = Source(Path(record["path"]), record["file"], record["format"], record["compression"])
    for batch in _read(run, source):
        place = np.flatnonzero(batch.rows == row)
        if len(place):
            text = str(batch.texts[int(place[0])].as_py())
            if digest_of(text) != noted_digest(out, file, row):
                break
            return text
    problem = say("{file}: row {row} differs from the text that the run read", file=file, row=row)
    raise InputError(problem, hint=say("run the deduplication again: the file has changed"))


def _read(run: dict[str, Any], source: Source) -> Iterator[Batch]:
    recipe = run["recipe"]
    columns = Columns(tuple(recipe["text"]), recipe["id"], None)
    options = ReadOptions(recipe["encoding"], recipe["max_row_bytes"], ocr=recipe.get("ocr", False))
    return format_of(source).read(source, columns.of(source), Rejects(), options)


__all__ = ["kept_article", "read_kept", "read_table", "removed_pair"]
