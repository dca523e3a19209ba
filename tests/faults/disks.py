"""Possible contents of a disk after a power cut, derived from the recorded calls of a process.

Synced data is present. Of other writes a file may have no data, a part, some writes, or all of them. Names created or
removed in a folder that was not synced since may be in their former state.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

_HEAD = struct.Struct("<6q")

Names = Literal["in order", "lost"]
"""All names as at the cut, like a journaling file system, or any unsynced name lost."""


@dataclass(frozen=True, slots=True)
class Event:
    """Effect of a call: written, output, created, truncated, synced, all synced, renamed, linked, removed, made."""

    what: str
    inode: int
    offset: int
    path: Path
    other: Path
    data: bytes


def read_events(log: Path) -> list[Event]:
    """Read the record that `faults.c` wrote."""
    data, place, events = log.read_bytes(), 0, []
    while place < len(data):
        what, inode, offset, *sizes = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        parts = []
        for size in sizes:
            parts.append(data[place : place + size])
            place += size
        path, other, content = parts
        events.append(Event(chr(what), inode, offset, Path(path.decode()), Path(other.decode()), content))
    return events


@dataclass(eq=False)
class _File:
    """The content of a file: the state on disk, and later changes."""

    synced: bytes = b""
    changes: list[Event] = field(default_factory=list)

    def sync(self) -> None:
        self.synced, self.changes = _changed(self.synced, self.changes), []

    def survived(self, rng: random.Random) -> bytes:
        """Return a possible content after the cut."""
        changes = self.changes
        act = rng.choice(["nothing", "some at first", "some", "everything"])
        if act == "nothing":
            changes = []
        elif act == "some at first":
            changes = changes[: rng.randrange(len(changes) + 1)]
        elif act == "some":
            changes = [change for change in changes if rng.random() < 0.5]
        content = _changed(self.synced, changes)
        is_torn = act == "some at first" and len(content) > len(self.synced)
        return content[: rng.randrange(len(self.synced), len(content))] if is_torn else content


def _changed(content: bytes, changes: Iterable[Event]) -> bytes:
    changed = bytearray(content)
    for change in changes:
        end = change.offset + len(change.data)
        if change.what == "t":
            del changed[change.offset :]
        changed.extend(bytes(max(0, end - len(changed))))
        changed[change.offset : end] = change.data
    return bytes(changed)


class _Folder(dict[str, "_File | _Folder"]):
    """The names in a folder, and those on disk."""

    __hash__ = object.__hash__

    def __init__(self) -> None:
        super().__init__()
        self.synced: dict[str, _File | _Folder] = {}

    def survived(self, rng: random.Random) -> dict[str, _File | _Folder]:
        """Return possible names after the cut."""
        names = {
            name: (self if rng.random() < 0.5 else self.synced).get(name) for name in sorted({*self, *self.synced})
        }
        return {name: content for name, content in names.items() if content is not None}


class Disk:
    """A folder with its state on disk, if it existed, and later events."""

    def __init__(self, folder: Path) -> None:
        self._above = folder.parent
        self._root = _Folder()
        self._files: dict[int, _File] = {}
        if folder.exists():
            self._root[folder.name] = self._snapshot(folder)
        self._root.synced = dict(self._root)

    def _snapshot(self, place: Path) -> _File | _Folder:
        if place.is_file():
            return self._files.setdefault(place.stat().st_ino, _File(place.read_bytes()))
        folder = _Folder()
        folder.update((path.name, self._snapshot(path)) for path in place.iterdir())
        folder.synced = dict(folder)
        return folder

    def happen(self, event: Event) -> None:
        """Apply an event."""
        if event.what in "wt":
            self._files[event.inode].changes.append(event)
        elif event.what == "c":
            folder, name = self._place(event.path)
            folder[name] = self._files[event.inode] = _File()
        elif event.what == "m":
            folder, name = self._place(event.path)
            folder[name] = _Folder()
        elif event.what == "u":
            folder, name = self._place(event.path)
            del folder[name]
        elif event.what in "rl":
            self._move(event)
        elif event.what in "sa":
            self._sync(event)

    def _move(self, event: Event) -> None:
        folder, name = self._place(event.path)
        target, new = self._place(event.other)
        target[new] = folder[name]
        if event.what == "r":
            del folder[name]

    def _sync(self, event: Event) -> None:
        if event.what == "a":
            self._sync_all(self._root)
            return
        if event.path == self._above:
            self._root.synced = dict(self._root)
            return
        file = self._node_at(event.path)
        if isinstance(file, _Folder):
            file.synced = dict(file)
        else:
            self._files[event.inode].sync()

    def _node_at(self, path: Path) -> _File | _Folder | None:
        """Return the node with a name; None for a removed file that is still open."""
        try:
            folder, name = self._place(path)
        except KeyError:
            return None
        return folder.get(name)

    def _sync_all(self, folder: _Folder) -> None:
        folder.synced = dict(folder)
        for file in folder.values():
            if isinstance(file, _Folder):
                self._sync_all(file)
            else:
                file.sync()

    def _place(self, path: Path) -> tuple[_Folder, str]:
        folder = self._root
        *above, name = path.relative_to(self._above).parts
        for part in above:
            below = folder[part]
            assert isinstance(below, _Folder)
            folder = below
        return folder, name

    def rebuild(self, names: Names, rng: random.Random) -> None:
        """Write a possible state in place of the folder, which no longer exists."""
        self._write(self._root, self._above, names, rng)

    def _write(self, folder: _Folder, place: Path, names: Names, rng: random.Random) -> None:
        place.mkdir(parents=True, exist_ok=True)
        entries = folder.survived(rng) if names == "lost" else dict(folder)
        for name, content in entries.items():
            if name.endswith("-shm"):
                continue  # memory shared by processes
            if isinstance(content, _Folder):
                self._write(content, place / name, names, rng)
            else:
                (place / name).write_bytes(content.survived(rng))


__all__ = ["Disk", "Event", "Names", "read_events"]
