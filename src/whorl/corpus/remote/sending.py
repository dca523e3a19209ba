"""Upload results to remote places: they are created locally, and uploaded once complete."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from whorl._internal.disk import user_caches
from whorl.corpus.remote.address import RemotePlace
from whorl.corpus.remote.systems import reached, system_of
from whorl.errors import UsageError
from whorl.i18n import say

_PIECE_BYTES = 8 * 2**20


def work_folder(place: RemotePlace, job: object) -> Path:
    """Return the local folder in which the results of a job for a place are created; the same job has the same folder.

    Args:
        place: the destination.
        job: plain data that identifies the job.

    Raises:
        UsageError: this user has no folder for it.
    """
    caches = user_caches()
    if caches is None:
        raise UsageError(
            say("this user has no home folder for temporary files"), hint=say("name a folder in XDG_CACHE_HOME")
        )
    return caches / "out" / sha256(repr((place.scheme, place.host, place.path, job)).encode()).hexdigest()[:16]


def demand_free(place: RemotePlace, folder: Path, last: str) -> None:
    """Refuse a place that has files already, except an unfinished upload of ``folder``, without ``last``.

    Raises:
        UsageError: the place has files, or is not writable.
        InputError: the place is unreachable.
    """
    if place.is_web:
        hint = say("name a folder of this machine, or of s3://, gs:// or hdfs://")
        raise UsageError(say("{url} cannot be written to", url=place.url), hint=hint)
    there = _listed(*system_of(place), place)
    if there and (not folder.exists() or any(path.endswith(f"{place.path.rstrip('/')}/{last}") for path in there)):
        raise UsageError(say("{url} is not empty", url=place.url), hint=say("name a new folder with -o"))


def send(folder: Path, place: RemotePlace, last: str) -> int:
    """Upload the files of a folder, except hidden folders, to a place; the file ``last`` comes after all others.

    A file that exists already with the same size and is not older is not uploaded again, so an interrupted upload
    continues.

    Returns the number of uploaded files.

    Raises:
        InputError: the place cannot be reached.
    """
    system, root = system_of(place)
    there = _listed(system, root, place)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = {path.relative_to(folder).as_posix(): path for path in files}
    sent = 0
    for name in sorted((name for name in names if not name.startswith(".")), key=lambda name: (name == last, name)):
        status = names[name].stat()
        size, modified = there.get(f"{root}/{name}", (-1, -1))
        if size == status.st_size and modified >= status.st_mtime_ns:
            continue
        with names[name].open("rb") as file, reached(place):
            if place.scheme == "hdfs":
                system.create_dir(f"{root}/{name}".rpartition("/")[0], recursive=True)
            with system.open_output_stream(f"{root}/{name}") as stream:
                while piece := file.read(_PIECE_BYTES):
                    stream.write(piece)
        sent += 1
    return sent


def is_run(place: RemotePlace, run: str) -> bool:
    """True if a place is the output of a run, which has a file of that name."""
    from pyarrow.fs import FileType

    if place.is_web:
        return False
    system, root = system_of(place)
    with reached(place):
        return bool(system.get_file_info(f"{root}/{run}").type == FileType.File)


def run_files(place: RemotePlace, run: str) -> tuple[bytes, dict[str, int]]:
    """Return the content of the file ``run`` of a place that ``is_run``, and the sizes of all files there by name."""
    system, root = system_of(place)
    sizes = {path.removeprefix(f"{root}/"): size for path, (size, _) in _listed(system, root, place).items()}
    with reached(place), system.open_input_stream(f"{root}/{run}") as stream:
        return stream.read(), sizes


def _listed(system: Any, root: str, place: RemotePlace) -> dict[str, tuple[int, int]]:
    """Return size and time of all files below a place."""
    from pyarrow.fs import FileSelector, FileType

    with reached(place):
        entries = system.get_file_info(FileSelector(root, recursive=True, allow_not_found=True))
    return {entry.path: (entry.size, entry.mtime_ns or 0) for entry in entries if entry.type == FileType.File}


__all__ = ["demand_free", "is_run", "run_files", "send", "work_folder"]
