"""Results for places beyond this machine: made here, and sent when they are whole."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from whorl.corpus.places.address import Place
from whorl.corpus.places.systems import reached, system_of
from whorl.disk import user_caches
from whorl.errors import UsageError
from whorl.language import say

_PIECE_BYTES = 8 * 2**20


def work_folder(place: Place, job: object) -> Path:
    """The folder of this machine in which the results of a job are made for a place; the same whenever it is asked for.

    Args:
        place: where they go.
        job: plain data that tells the job from all others.

    Raises:
        UsageError: this user has no folder for it.
    """
    caches = user_caches()
    if caches is None:
        raise UsageError(say("this user has no home for what is made"), cure=say("name a folder in XDG_CACHE_HOME"))
    return caches / "out" / sha256(repr((place.scheme, place.host, place.path, job)).encode()).hexdigest()[:16]


def demand_free(place: Place, folder: Path, last: str) -> None:
    """Refuse a place that has something already, unless it is what is sent out of ``folder``, without ``last`` as yet.

    Raises:
        UsageError: it has, or cannot be written to.
        InputError: it cannot be reached.
    """
    if place.is_web:
        cure = say("name a folder of this machine, or of s3://, gs:// or hdfs://")
        raise UsageError(say("{url} cannot be written to", url=place.url), cure=cure)
    there = _listed(*system_of(place), place)
    if there and (not folder.exists() or any(path.endswith(f"{place.path.rstrip('/')}/{last}") for path in there)):
        raise UsageError(say("{url} is not empty", url=place.url), cure=say("name a new folder with -o"))


def send(folder: Path, place: Place, last: str) -> int:
    """Send the files of a folder, but for hidden folders, to a place, the one called ``last`` after all others.

    What is there already, of the same size and not older, is not sent again: one that broke off goes on.

    Returns how many files were sent.

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


def is_run(place: Place, run: str) -> bool:
    """Whether a place is the output of a run, by the file of that name."""
    from pyarrow.fs import FileType

    if place.is_web:
        return False
    system, root = system_of(place)
    with reached(place):
        return bool(system.get_file_info(f"{root}/{run}").type == FileType.File)


def run_files(place: Place, run: str) -> tuple[bytes, dict[str, int]]:
    """Return the content of the file ``run`` of a place that ``is_run``, and the sizes of all files there by name."""
    system, root = system_of(place)
    sizes = {path.removeprefix(f"{root}/"): size for path, (size, _) in _listed(system, root, place).items()}
    with reached(place), system.open_input_stream(f"{root}/{run}") as stream:
        return stream.read(), sizes


def _listed(system: Any, root: str, place: Place) -> dict[str, tuple[int, int]]:
    """Size and time of all files below a place."""
    from pyarrow.fs import FileSelector, FileType

    with reached(place):
        found = system.get_file_info(FileSelector(root, recursive=True, allow_not_found=True))
    return {one.path: (one.size, one.mtime_ns or 0) for one in found if one.type == FileType.File}


__all__ = ["demand_free", "is_run", "run_files", "send", "work_folder"]
