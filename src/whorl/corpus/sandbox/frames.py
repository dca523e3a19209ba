"""Wire format of the processes: a JSON header, followed by a payload of the length in the header."""

from __future__ import annotations

import json
import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, overload

from whorl.corpus.contract import Batch, Columns, DownloadInfo, ReadOptions, Source
from whorl.types.scans import lines_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LENGTH = struct.Struct(">I")
_TIMES: tuple[tuple[str, type[datetime | date | time]], ...] = (
    ("datetime", datetime),
    ("date", date),
    ("time", time),
)
WRITTEN = "written"
"""Name of the output file in the writable folder of a process."""

_MOST_NESTED = 4096
"""Maximum JSON characters of nested values in a row: brackets take 20 times as much memory once unpacked."""


def send(stream: IO[bytes], header: dict[str, Any], payload: bytes = b"") -> None:
    """Write a frame."""
    stream.write(framed(header, payload))
    stream.flush()


def framed(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """Return the bytes of a frame."""
    line = json.dumps({**header, "bytes": len(payload)}).encode()
    return _LENGTH.pack(len(line)) + line + payload


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Read a frame; None if the stream ends, even within a frame."""
    length = stream.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    line = stream.read(*_LENGTH.unpack(length))
    try:
        header: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    payload = stream.read(header["bytes"])
    return (header, payload) if len(payload) == header["bytes"] else None


def read_request(
    source: Source, columns: Columns, options: ReadOptions, *, module: str | None = None, keeps: bool = False
) -> dict[str, Any]:
    """Return the header of a request to read a file.

    Args:
        source: the file.
        columns: the columns to read.
        options: the read options.
        module: the name of the module that reads it; None uses the module of its format.
        keeps: whether to return rejected rows that the format would keep itself.
    """
    return {
        "source": written_source(source),
        "columns": columns._asdict(),
        "options": _written_options(options),
        "module": module,
        "keeps": keeps,
    }


def write_request(source: Source, keep: NDArray[np.bool_], options: ReadOptions) -> dict[str, Any]:
    """Return the header of a request to write the kept rows of a file."""
    return {"source": written_source(source), "options": _written_options(options), **marked_rows(keep)}


def marked_rows(rows: NDArray[np.bool_]) -> dict[str, Any]:
    """Encode a row mask as header entries."""
    import numpy as np

    return {"rows": len(rows), "keep": b64encode(np.packbits(rows).tobytes()).decode("ascii")}


def kept_rows(header: dict[str, Any]) -> NDArray[np.bool_]:
    """Decode the row mask of a header."""
    import numpy as np

    packed = np.frombuffer(b64decode(header["keep"]), np.uint8)
    return np.unpackbits(packed, count=header["rows"]).astype(np.bool_)


def read_options(written: dict[str, Any]) -> ReadOptions:
    """Decode the read options of a header."""
    return ReadOptions(**written | {"text": tuple(written["text"])})


def _written_options(options: ReadOptions) -> dict[str, Any]:
    return options._asdict() | {"text": list(options.text)}


def written_source(source: Source) -> dict[str, Any]:
    """Encode a source for `read_source`."""
    fetched = source.fetched
    return {
        "path": str(source.path),
        "name": source.name,
        "format": source.format,
        "compression": source.compression,
        "address": source.address,
        "fetched": [
            *(fetched.url, fetched.content_type),
            None if fetched.at is None else fetched.at.isoformat(),
            fetched.zone,
        ],
        "untrusted": source.untrusted,
    }


def read_source(written: dict[str, Any]) -> Source:
    """Decode the source of a header."""
    url, content_type, at, zone = written["fetched"]
    fetched = DownloadInfo(url, content_type, None if at is None else datetime.fromisoformat(at), zone)
    return Source(**written | {"path": Path(written["path"]), "fetched": fetched})


def pack(batch: Batch, *, most_columns: int | None = None) -> tuple[dict[str, Any], bytes]:
    """Return the frame of a batch without offsets, with at most ``most_columns`` of the other columns of each row."""
    import pyarrow as pa

    columns = {"text": pa.array(batch.texts), "id": pa.array(batch.ids), "row": pa.array(batch.rows)}
    if batch.order is not None:
        columns["order"] = pa.array(batch.order)
    if batch.others is not None:
        columns["others"] = pa.array((_written(row, most_columns) for row in batch.others), pa.large_string())
    if batch.lines is not None:
        rows = (json.dumps([line.row() for line in lines]) for lines in batch.lines)
        columns["lines"] = pa.array(rows, pa.large_string())
    table = pa.record_batch(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_batch(table)
    return {"is": "batch", "notices": dict(batch.notices), "dates": dict(batch.dates)}, sink.getvalue().to_pybytes()


def unpack(header: dict[str, Any], payload: bytes) -> Batch:
    """Decode a batch from a frame; raises ValueError for malformed data."""
    import numpy as np
    import pyarrow as pa

    with pa.ipc.open_stream(payload) as reader:
        table = reader.read_next_batch()
    table.validate(full=True)
    order = table.column("order") if "order" in table.schema.names else None
    others = _PackedRows(table.column("others")) if "others" in table.schema.names else None
    lines = table.column("lines").to_pylist() if "lines" in table.schema.names else None
    rows = np.asarray(table.column("row").to_numpy(zero_copy_only=False), np.int64)
    return Batch(
        table.column("text"),
        table.column("id"),
        order,
        rows,
        others=others,
        notices=header["notices"],
        dates=header["dates"],
        lines=None if lines is None else [lines_of(json.loads(row)) for row in lines],
    )


class _PackedRows(Sequence[Mapping[str, Any]]):
    """The other columns of rows, unpacked on access: packed rows take a tenth of the memory."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Mapping[str, Any]]: ...

    def __getitem__(self, place: int | slice) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        return {name: _restored(value) for name, value in json.loads(self._rows[place].as_py()).items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def _written(row: Mapping[str, Any], max_columns: int | None) -> str:
    room = _MOST_NESTED
    written: dict[str, Any] = {}
    for name, value in islice(row.items(), max_columns):
        if isinstance(value, list | dict):
            nested = json.dumps(value)
            room -= len(nested)
            written[name] = {"json": value} if room >= 0 else None
        else:
            written[name] = _plain(value)
    return json.dumps(written)


def _plain(value: Any) -> Any:
    """Convert a cell value to JSON types."""
    for name, kind in _TIMES:
        if isinstance(value, kind):
            return {name: value.isoformat()}
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _restored(value: Any) -> Any:
    """Restore a cell value from ``_plain``."""
    if isinstance(value, dict):
        ((name, written),) = value.items()
        if name == "json":
            return written
        return dict(_TIMES)[name].fromisoformat(written)
    return value


__all__ = [
    "WRITTEN",
    "framed",
    "kept_rows",
    "marked_rows",
    "pack",
    "read_options",
    "read_request",
    "read_source",
    "receive",
    "send",
    "unpack",
    "write_request",
    "written_source",
]
