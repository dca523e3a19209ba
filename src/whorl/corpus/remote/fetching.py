"""Download the files that an address stands for into a local folder, each once."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, Protocol

from whorl.corpus.remote.address import RemotePlace
from whorl.corpus.remote.systems import reached, system_of
from whorl.corpus.selection import Selection, Skipped, pattern
from whorl.errors import InputError
from whorl.i18n import say

_PIECE_BYTES = 2**20
_AT_ONCE = 8


class DownloadProgress(Protocol):
    """Receiver of download progress, called by several threads."""

    def stage(self, name: str, total: int | None, unit: str) -> None:
        """Start a stage of ``total`` units; None if the total is unknown."""
        ...

    def advance(self, amount: int) -> None:
        """Add to the progress."""
        ...


class DownloadResult(NamedTuple):
    """Result of a download.

    Attributes:
        root: the local folder for the given one, or for the fixed part of a pattern.
        files: the files there, each with its address for display.
        is_file: whether the address is that of a file.
        skipped: entries that were skipped.
    """

    root: Path
    files: list[tuple[Path, str]]
    is_file: bool
    skipped: list[Skipped]


class _ListedFile(NamedTuple):
    """A file as listed by its place."""

    path: str
    size: int
    modified: int


def fetch(
    place: RemotePlace, folder: Path, selection: Selection, course: DownloadProgress | None = None
) -> DownloadResult:
    """Download a file, all files of a folder, or the files that match a pattern, to below ``folder``.

    A file that exists already with the same size and time is not downloaded again. The course receives the bytes.

    Raises:
        InputError: the place is empty or unreachable.
        UsageError: the address is not that of a web file, or a requirement to reach it is missing.

    Cost: one listing, and the bytes; disk for all of them.
    """
    local = folder / place.scheme / _named(place.host)
    if place.is_web:
        return _fetch_page(place, local, course)
    system, path = system_of(place)
    prefix = path.removesuffix(place.path.rstrip("/"))
    root, met, is_file = _met(system, path, place)
    base = root.removeprefix(prefix.rstrip("/")).strip("/")
    files, skipped = (met, list[Skipped]()) if is_file else _chosen(met, root, place.at(base), selection)
    targets = [(file, local.joinpath(*_parts(file.path.removeprefix(prefix)))) for file in files]
    lacking = [(file, target) for file, target in targets if not _is_there(target, file.size, file.modified)]
    if course is not None and lacking:
        course.stage("fetch", sum(file.size for file, _ in lacking), "bytes")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(lambda item: _fetch(system, item[0], item[1], place, course), lacking))
    addresses = [(target, place.at(file.path.removeprefix(prefix).lstrip("/")).url) for file, target in targets]
    start = local.joinpath(*_parts(base))
    return DownloadResult(start.parent if is_file else start, addresses, is_file, skipped)


def _met(system: Any, path: str, place: RemotePlace) -> tuple[str, list[_ListedFile], bool]:
    """Return the given path or the fixed part of a pattern, the files there, and whether the path is a file."""
    from pyarrow.fs import FileSelector, FileType

    with reached(place):
        info = system.get_file_info(path)
        if info.type == FileType.File:
            return path, [_ListedFile(info.path, info.size, info.mtime_ns or 0)], True
        root = path
        if info.type == FileType.NotFound:
            if not glob.has_magic(path):
                hint = say("check the spelling; folders and patterns such as *.jsonl are accepted")
                raise InputError(say("{raw} does not exist", raw=place.url), hint=hint)
            root = _fixed_part(path)
        listed = system.get_file_info(FileSelector(root, recursive=True, allow_not_found=True))
    means = None if root == path else pattern(path)
    files = [
        _ListedFile(entry.path, entry.size, entry.mtime_ns or 0)
        for entry in sorted(listed, key=lambda entry: str(entry.path))
        if entry.type == FileType.File and (means is None or _is_meant(means, entry.path, root))
    ]
    if not files:
        hint = say("check the pattern; ** matches folders of any depth")
        raise InputError(say("no file matches {raw}", raw=place.url), hint=hint)
    return root, files, False


def _is_meant(means: Any, path: str, root: str) -> bool:
    """True if a pattern matches a file or a folder that contains it."""
    below = PurePosixPath(path)
    return any(
        means.fullmatch(str(candidate)) for candidate in (below, *below.parents) if len(str(candidate)) > len(root)
    )


def _fixed_part(path: str) -> str:
    parts = path.split("/")
    fixed = next(place for place, part in enumerate(parts) if glob.has_magic(part))
    return "/".join(parts[:fixed])


def _chosen(
    met: list[_ListedFile], root: str, place: RemotePlace, selection: Selection
) -> tuple[list[_ListedFile], list[Skipped]]:
    """Return the selected files, and the skipped entries without repetition."""
    files, skipped = list[_ListedFile](), dict[str, str]()
    for file in met:
        below = file.path.removeprefix(root).lstrip("/")
        parts = below.split("/")
        for depth in range(1, len(parts) + 1):
            way = "/".join(parts[:depth])
            reason = selection.refusal(way, is_folder=depth < len(parts))
            if reason is not None:
                skipped[place.at(f"{place.path.strip('/')}/{way}".lstrip("/")).url] = reason
                break
        else:
            files.append(file)
    return files, [Skipped(path, reason) for path, reason in skipped.items()]


def _fetch(system: Any, met: _ListedFile, target: Path, place: RemotePlace, course: DownloadProgress | None) -> None:
    with reached(place):
        stream = system.open_input_stream(met.path)
    with stream:
        _store(target, stream, met.size, met.modified, place, course)


def _fetch_page(place: RemotePlace, local: Path, course: DownloadProgress | None) -> DownloadResult:
    from whorl.corpus.remote import web

    web.demand_file(place)
    with web.open_response(place) as answer:
        folders = place.path.split("/")[:-1]
        target = local.joinpath(*_parts("/".join(folders)), _named(answer.name))
        if not (answer.modified and answer.size is not None and _is_there(target, answer.size, answer.modified)):
            if course is not None:
                course.stage("fetch", answer.size, "bytes")
            _store(target, answer.stream, answer.size, answer.modified, place, course)
    return DownloadResult(target.parent, [(target, place.url)], True, [])


def _is_there(target: Path, size: int, modified: int) -> bool:
    try:
        status = target.stat()
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (size, modified)


def _store(
    target: Path,
    stream: IO[bytes],
    size: int | None,
    modified: int,
    place: RemotePlace,
    course: DownloadProgress | None,
) -> None:
    """Write a stream to a file, which gets its name when it is complete."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        problem = say("{url} has a file and a folder with the same name", url=place.url)
        raise InputError(problem, hint=say("rename one of them, or exclude it with `exclude`")) from None
    written = 0
    unfinished = target.with_name(f".{target.name}.part")
    with unfinished.open("wb") as file:
        for piece in _pieces(stream, place):
            file.write(piece)
            written += len(piece)
            if course is not None:
                course.advance(len(piece))
    if size is not None and written != size:
        unfinished.unlink()
        problem = say("the download of {url} ended after {count} bytes", url=place.url, count=written)
        raise InputError(problem, hint=say("fetch it again"))
    os.utime(unfinished, ns=(modified, modified))
    unfinished.replace(target)


def _pieces(stream: IO[bytes], place: RemotePlace) -> Iterator[bytes]:
    while True:
        with reached(place):
            piece = stream.read(_PIECE_BYTES)
        if not piece:
            return
        yield piece


def _parts(path: str) -> list[str]:
    """Return the parts of a path by their local names."""
    return [_named(part) for part in path.strip("/").split("/") if path.strip("/")]


def _named(part: str) -> str:
    """Return the local name of a part of a path, which cannot lead out of its folder."""
    if part in ("", ".", ".."):
        return part.replace(".", "%2E") or "%"
    return part.replace("\0", "%00").replace("\\", "%5C") if os.name == "nt" else part.replace("\0", "%00")


__all__ = ["DownloadProgress", "DownloadResult", "fetch"]
