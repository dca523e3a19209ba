"""Output files of fingerprints: Parquet, or JSON Lines for programs that do not read it."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from whorl.corpus.compression import open_writer
from whorl.engines.prints.lines import json_lines
from whorl.errors import UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

_COMPRESSIONS = {".jsonl": None, ".jsonl.gz": "gz", ".jsonl.zst": "zst"}
_PARQUET = ".parquet"
SUFFIXES = (_PARQUET, *_COMPRESSIONS)
_GROUP_ROWS = 65_536
_GROUP_BYTES = 128 * 2**20


class FingerprintOutput(Protocol):
    """An output file that is open for writing."""

    def write(self, rows: pa.RecordBatch) -> None:
        """Append rows."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ParquetOutput:
    """A Parquet file with row groups of 65,536 rows or 128 MiB."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq

        self._rows: list[pa.RecordBatch] = []
        with ExitStack() as opened:
            # Arrow would read a path with a colon as a URI.
            file = opened.enter_context(path.open("wb"))
            options: dict[str, Any] = {
                "compression": "zstd",
                "use_dictionary": ["file"],
                "write_page_checksum": True,
            }
            self._writer = opened.enter_context(pq.ParquetWriter(file, schema, **options))
            self._opened = opened.pop_all()

    def write(self, rows: pa.RecordBatch) -> None:
        """Append rows."""
        self._rows.append(rows)
        if sum(map(len, self._rows)) >= _GROUP_ROWS or sum(part.nbytes for part in self._rows) >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._writer.write_table(pa.Table.from_batches(self._rows))
            self._rows = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._opened:
            if kind is None:
                self._flush()


class LinesOutput:
    """JSON Lines, compressed according to the suffix."""

    def __init__(self, path: Path, compression: str | None) -> None:
        self._file = open_writer(path, compression)

    def write(self, rows: pa.RecordBatch) -> None:
        """Append rows."""
        self._file.write(json_lines(rows))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def demand_suffix(path: Path) -> None:
    """Refuse an output file whose suffix names no supported format.

    Raises:
        UsageError: the suffix is not in ``SUFFIXES``.
    """
    if not path.name.endswith(SUFFIXES):
        raise UsageError(
            say("{path}: unknown output format", path=path),
            hint=say("use one of the suffixes {suffixes}", suffixes=", ".join(SUFFIXES)),
        )


def open_output(path: Path, name: str, schema: pa.Schema) -> FingerprintOutput:
    """Create a file at ``path`` in the format of the file name ``name``."""
    if name.endswith(_PARQUET):
        return ParquetOutput(path, schema)
    suffix = max((suffix for suffix in _COMPRESSIONS if name.endswith(suffix)), key=len)
    return LinesOutput(path, _COMPRESSIONS[suffix])


__all__ = ["SUFFIXES", "FingerprintOutput", "LinesOutput", "ParquetOutput", "demand_suffix", "open_output"]
