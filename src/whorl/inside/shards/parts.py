"""Files of blocks that are divided into parts. Every shard writes one such file, and reads one part of all of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from types import TracebackType
from typing import IO, Any, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from whorl._internal.disk import make_folder, sync_folder
from whorl.engines.shards.work import WorkFolder
from whorl.engines.stages.columns import packed, unpacked


class PartWriter:
    """Writes a file of blocks; it has its name when the ``with`` block ends without an error.

    Args:
        work: the folder that the shards share.
        name: the name of the file in it, without a suffix.
        parts: number of parts of each block.

    Attributes:
        sums: the checksums of the finished file and of its index, by name.
    """

    def __init__(self, work: WorkFolder, name: str, parts: int) -> None:
        self.sums: dict[str, Sequence[int]] = {}
        self._work = work
        self._name = name
        self._parts = parts
        self._path = work.path / _data(name)
        self._temporary = self._path.with_name(f".{self._path.name}")
        self._bounds: list[NDArray[np.uint64]] = []
        self._checks: list[list[int]] = []
        self._size = self._sum = 0

    def __enter__(self) -> Self:
        make_folder(self._path.parent)
        self._file: IO[bytes] = self._temporary.open("wb")
        return self

    def append(self, data: memoryview | bytes, bounds: NDArray[np.uint64]) -> None:
        """Append a block, whose parts are between ``bounds``, in bytes."""
        places = bounds.tolist()
        self._file.write(data)
        self._bounds.append(bounds + np.uint64(self._size))
        self._checks.append([crc32(data[start:end]) for start, end in pairwise(places)])
        self._size += len(data)
        self._sum = crc32(data, self._sum)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with self._file as file:
            if kind is not None:
                return
            file.flush()
            os.fsync(file.fileno())
        self._temporary.replace(self._path)
        sync_folder(self._path.parent)
        bounds = np.array(self._bounds, np.uint64).reshape(-1, self._parts + 1)
        checks = np.array(self._checks, np.uint32).reshape(-1, self._parts)
        index = self._work.save(_index(self._name), packed({"bounds": bounds, "checks": checks}))
        self.sums = {_data(self._name): (self._size, self._sum), _index(self._name): index}


class PartReader:
    """Reads the file of a shard.

    Args:
        work: the folder that the shards share.
        stage: the stage that wrote the file.
        number: the shard that wrote it.
        name: its name, without a suffix.

    Raises:
        InputError: the file is missing or damaged.
    """

    def __init__(self, work: WorkFolder, stage: str, number: int, name: str) -> None:
        self._work = work
        self._shard = (stage, number)
        self._path = work.path / _data(name)
        index = work.load(stage, number, unpacked, _index(name))
        self._bounds, self._checks = index["bounds"].astype(np.int64), index["checks"]

    def part(self, part: int) -> NDArray[np.uint8]:
        """Return a part of all blocks."""
        places = zip(self._bounds[:, part].tolist(), self._bounds[:, part + 1].tolist(), strict=True)
        return self._read([*places], self._checks[:, part].tolist())

    def block(self, block: int, part: int) -> NDArray[np.uint8]:
        """Return a part of one block."""
        start, end = self._bounds[block, part : part + 2].tolist()
        return self._read([(start, end)], [int(self._checks[block, part])])

    def _read(self, places: Sequence[tuple[int, int]], checks: Sequence[int]) -> NDArray[np.uint8]:
        whole = np.empty(sum(end - start for start, end in places), np.uint8)
        view, filled = whole.data, 0
        try:
            with self._path.open("rb", buffering=0) as file:
                for (start, end), check in zip(places, checks, strict=True):
                    if start == end:
                        continue
                    target = view[filled : filled + end - start]
                    file.seek(start)
                    if not _filled(file, target) or crc32(target) != check:
                        raise self._work.damaged(self._path, *self._shard)
                    filled += end - start
        except OSError as error:
            raise self._work.damaged(self._path, *self._shard) from error
        return whole


def _filled(file: Any, target: memoryview) -> bool:
    """Fill a buffer from an unbuffered file; return False if it ends before."""
    filled = 0
    while filled < len(target):
        count = file.readinto(target[filled:])
        if not count:
            return False
        filled += count
    return True


def _data(name: str) -> str:
    return f"{name}.parts"


def _index(name: str) -> str:
    return f"{name}.npz"


__all__ = ["PartReader", "PartWriter"]
