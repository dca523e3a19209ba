"""Metrics of a worker process in files, which any worker process can aggregate.

`prometheus_client` maps such files into memory. A page of a mapped file that the disk has no room for kills the process
that touches it (SIGBUS), so on a full disk every request ended a worker. Files are therefore written, at the places
where `prometheus_client` expects the values (`MultiProcessCollector` reads them): a write that fails is an error, the
value stays in memory, and it is written again as soon as there is room. A write of 16 bytes takes some microseconds.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from threading import Lock
from typing import Any

from prometheus_client.mmap_dict import mmap_key

_HEADER = struct.Struct("i4x")
_PAIR = struct.Struct("dd")
_ALIGNMENT = 8


class _Figures:
    """Values of one type of metric: a header with the used length, followed by entries of a key and its value."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._content = bytearray(_HEADER.pack(_HEADER.size))
        self._places: dict[str, int] = {}
        self._written = 0
        self._lock = Lock()

    def value(self, key: str) -> float:
        """Return the value of a key, initially 0."""
        with self._lock:
            value: float = _PAIR.unpack_from(self._content, self._place(key))[0]
            return value

    def put(self, key: str, value: float, *, is_added: bool) -> None:
        """Set a value, or add to it."""
        with self._lock:
            place = self._place(key)
            if is_added:
                value += _PAIR.unpack_from(self._content, place)[0]
            _PAIR.pack_into(self._content, place, value, 0.0)
            try:
                self._write(place)
            except OSError:
                self._written = 0  # everything is written again next time
                self._drop_stub()

    def _place(self, key: str) -> int:
        if key not in self._places:
            encoded = key.encode()
            size = 4 + len(encoded)
            padded = encoded + b" " * (_ALIGNMENT - size % _ALIGNMENT)
            self._content += struct.pack("i", len(encoded)) + padded
            self._places[key] = len(self._content)
            self._content += _PAIR.pack(0.0, 0.0)
            _HEADER.pack_into(self._content, 0, len(self._content))
        return self._places[key]

    def _write(self, place: int) -> None:
        """Write new entries before the header, so that the header never covers missing data."""
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        if place < self._written:
            self._write_at(place, place + _PAIR.size)
        if self._written < len(self._content):
            self._write_at(max(_HEADER.size, self._written), len(self._content))
            self._write_at(0, _HEADER.size)
            self._written = len(self._content)

    def _drop_stub(self) -> None:
        """Remove a file without a complete header, which readers would reject."""
        if self._descriptor is not None and os.fstat(self._descriptor).st_size < _HEADER.size:
            os.close(self._descriptor)
            self._descriptor = None
            self._path.unlink(missing_ok=True)

    def _write_at(self, begin: int, end: int) -> None:
        assert self._descriptor is not None
        os.lseek(self._descriptor, begin, os.SEEK_SET)
        while begin < end:
            begin += os.write(self._descriptor, self._content[begin:end])


_FILES: dict[tuple[str, int, str], _Figures] = {}
_LOCK = Lock()


def _figures(kind: str) -> _Figures:
    folder, process = os.environ["PROMETHEUS_MULTIPROC_DIR"], os.getpid()
    with _LOCK:
        return _FILES.setdefault((folder, process, kind), _Figures(Path(folder) / f"{kind}_{process}.db"))


class FileValue:
    """Metric value with the interface of `prometheus_client.values`."""

    _multiprocess = True

    def __init__(self, kind: str, metric: str, name: str, labels: Any, label_values: Any, help_text: str) -> None:
        self._kind = kind
        self._key = mmap_key(metric, name, labels, label_values, help_text)
        _figures(kind).put(self._key, 0.0, is_added=True)

    def inc(self, amount: float) -> None:
        """Add to the value."""
        _figures(self._kind).put(self._key, amount, is_added=True)

    def set(self, value: float, timestamp: float | None = None) -> None:  # noqa: ARG002
        """Set the value."""
        _figures(self._kind).put(self._key, value, is_added=False)

    def get(self) -> float:
        """Return the value."""
        return _figures(self._kind).value(self._key)

    def set_exemplar(self, exemplar: object) -> None:
        """Do nothing: files have no exemplars."""

    def get_exemplar(self) -> None:
        """Return None: files have no exemplars."""


__all__ = ["FileValue"]
