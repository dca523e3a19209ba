"""Find the input files: folders, globs and single files become a sorted list of sources."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from whorl.corpus.contract import Source
from whorl.errors import InputError, UsageError

_FORMAT_BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".html": "html",
    ".htm": "html",
    ".shtml": "html",
    ".xhtml": "html",
    ".docx": "docx",
    ".docm": "docx",
    ".pdf": "pdf",
}
_COMPRESSION_BY_SUFFIX = {".gz": "gz", ".zst": "zst", ".zstd": "zst"}
_SELF_COMPRESSED = {"parquet", "xlsx", "docx", "pdf"}
_MARKERS = {"_SUCCESS", "_metadata", "_common_metadata"}
_STANDARD_INPUT = "stdin.jsonl"
_RESERVED = "rejected.jsonl"


def discover(inputs: Sequence[str | Path], *, forbid: Path | None = None) -> list[Source]:
    """Return the files that ``inputs`` stand for, sorted by name, each file once.

    Args:
        inputs: files, folders (searched to any depth), globs (``**`` too), or ``-`` for JSONL on standard input.
            In folders, hidden entries and the marker files of Spark are passed over; a file that is named is
            always taken.
        forbid: the output folder. A pattern passes it over.

    Raises:
        InputError: an input does not exist, a folder cannot be listed, an entry of it is a link to nothing or no file,
            or there is no file at all.
        UsageError: an input lies in the output folder or a folder around it, or two inputs would share a name.

    A name is relative to the deepest folder that holds all inputs, so it does not depend on their order.
    Cost: one directory walk, and one ``realpath`` a file.
    """
    found: list[tuple[Path, int]] = []
    roots: list[Path] = []
    standard_input: int | None = None
    for given, raw in enumerate(inputs):
        if str(raw) == "-":
            standard_input = given if standard_input is None else standard_input
            continue
        root, files = _expand(raw, forbid)
        roots.append(root)
        found += [(file, given) for file in files]
    sources = _named(found, roots)
    if standard_input is not None:
        sources.append(Source(None, _STANDARD_INPUT, "jsonl", None, standard_input))
    if not sources:
        raise InputError(f"no files in {_listed(inputs)}", cure="give at least one file that exists")
    sources.sort(key=lambda source: source.name)
    _check_names(sources)
    return sources


def _expand(raw: str | Path, forbid: Path | None) -> tuple[Path, list[Path]]:
    """One input → the folder that names are relative to, and its files."""
    path = Path(os.path.normpath(Path.cwd() / raw))
    if path.is_dir():
        _refuse_output(path, forbid)
        if forbid is not None and _within(forbid, path):
            raise UsageError(f"the output folder {forbid} lies in the input {path}", cure="choose one outside of it")
        return path, list(_walk(path, forbid))
    if path.exists():
        _refuse_output(path, forbid)
        return path.parent, [path]
    if glob.has_magic(str(raw)):
        return _expand_glob(path, raw, forbid)
    raise InputError(f"{raw} does not exist", cure="check the spelling; a folder or a pattern like *.jsonl will do")


def _expand_glob(pattern: Path, raw: str | Path, forbid: Path | None) -> tuple[Path, list[Path]]:
    root = Path(pattern.anchor)
    for part in pattern.parts[1:]:
        if glob.has_magic(part):
            break
        root /= part
    files: list[Path] = []
    for match in sorted(glob.glob(str(pattern), recursive=True)):  # noqa: PTH207 - Path.glob takes no absolute pattern
        path = Path(match)
        if _within(path, forbid):
            continue
        if path.is_dir():
            files += _walk(path, forbid)
        else:
            _refuse_no_file(path)
            files.append(path)
    if not files:
        raise InputError(f"no file matches {raw}", cure="check the pattern; ** goes through folders of any depth")
    return root, files


def _walk(folder: Path, forbid: Path | None) -> Iterator[Path]:
    """Every file below ``folder``; links are followed, a folder that was already seen is not entered again.

    Raises:
        InputError: a folder cannot be listed, or an entry of it is no file.
    """
    seen: set[str] = set()
    for here, folders, files in os.walk(folder, onerror=_refuse_folder, followlinks=True):
        real = os.path.realpath(here)
        if real in seen or _within(Path(real), forbid):
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(here, name)
            if not name.startswith(".") and name not in _MARKERS:
                _refuse_no_file(path)
                yield path


def _refuse_no_file(path: Path) -> None:
    """Nothing that was given is passed over in silence: a dangling link may be an article that is missing."""
    if not path.is_file():
        kind = (
            f"a link to {path.readlink()}, which is not there" if path.is_symlink() else "neither a file nor a folder"
        )
        raise InputError(f"{path} is {kind}", cure="remove it, or name the files to read")


def _refuse_folder(error: OSError) -> None:
    raise InputError(f"cannot list {error.filename}: {error.strerror}", cure="check its permissions") from error


def _within(path: Path, folder: Path | None) -> bool:
    if folder is None:
        return False
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _refuse_output(path: Path, forbid: Path | None) -> None:
    if _within(path, forbid):
        raise UsageError(f"the input {path} lies in the output folder {forbid}", cure="choose another output folder")


def _named(found: list[tuple[Path, int]], roots: list[Path]) -> list[Source]:
    if not found:
        return []
    root = os.path.commonpath(roots)
    sources: dict[str, Source] = {}
    for path, given in sorted(found):
        source = _source(path, Path(os.path.relpath(path, root)).as_posix(), given)
        sources.setdefault(os.path.realpath(path), source)
    return list(sources.values())


def _source(path: Path, name: str, given: int) -> Source:
    suffix = path.suffix.lower()
    compression = _COMPRESSION_BY_SUFFIX.get(suffix)
    if compression is not None:
        suffix = Path(path.stem).suffix.lower()
    file_format = _FORMAT_BY_SUFFIX.get(suffix, "text")
    if compression is not None and file_format in _SELF_COMPRESSED:
        raise InputError(f"{path}: a {suffix} file is compressed inside, not outside", cure=f"decompress {path.name}")
    return Source(path, name, file_format, compression, given)


def _check_names(sources: list[Source]) -> None:
    names = [source.name for source in sources]
    if names.count(_STANDARD_INPUT) > 1:
        raise UsageError(f"standard input and a file are both named {_STANDARD_INPUT}", cure="rename the file")
    if _RESERVED in names:
        raise UsageError(f"an input is named {_RESERVED}, like the list of rejected rows", cure="rename the file")


def _listed(inputs: Sequence[str | Path]) -> str:
    return ", ".join(str(item) for item in inputs) or "an empty list of inputs"


__all__ = ["discover"]
