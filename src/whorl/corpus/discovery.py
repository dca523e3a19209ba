"""Find the input files: expand folders, globs and single files into a sorted list of sources."""

from __future__ import annotations

import glob
import logging
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from whorl.corpus.containers import content_of
from whorl.corpus.contract import Source
from whorl.corpus.remote.address import RemotePlace, place_of
from whorl.corpus.selection import ABOUT_DATA, EVERYTHING, LIBRARY, OUTPUT, Selection, Skipped, is_about_data
from whorl.corpus.signature import TABLES, format_by_content, table_by_content
from whorl.errors import InputError, UsageError
from whorl.i18n import Message, say

if TYPE_CHECKING:
    from whorl.corpus.remote.fetching import DownloadProgress

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
    ".xltx": "xlsx",
    ".xltm": "xlsx",
    ".xls": "xlsx",
    ".xlt": "xlsx",
    ".xlsb": "xlsx",
    ".et": "xlsx",
    ".ett": "xlsx",
    ".ods": "xlsx",
    ".html": "html",
    ".htm": "html",
    ".shtml": "html",
    ".xhtml": "html",
    ".docx": "docx",
    ".docm": "docx",
    ".dotx": "docx",
    ".dotm": "docx",
    ".odt": "odt",
    ".ott": "odt",
    ".fodt": "odt",
    ".rtf": "rtf",
    ".epub": "epub",
    ".mht": "mhtml",
    ".mhtml": "mhtml",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mkd": "markdown",
    ".tex": "latex",
    ".latex": "latex",
    ".ltx": "latex",
    ".warc": "warc",
    ".srt": "subtitles",
    ".vtt": "subtitles",
    ".sbv": "subtitles",
    ".ass": "subtitles",
    ".ssa": "subtitles",
    ".lrc": "subtitles",
    ".doc": "closed",
    ".dot": "closed",
    ".wps": "closed",
    ".wpt": "closed",
    ".pages": "closed",
    ".pdf": "pdf",
    ".png": "picture",
    ".jpg": "picture",
    ".jpeg": "picture",
    ".tif": "picture",
    ".tiff": "picture",
    ".webp": "picture",
    ".svg": "picture",
}
_COMPRESSION_BY_SUFFIX = {".gz": "gz", ".zst": "zst", ".zstd": "zst"}
_SELF_COMPRESSED = {"parquet", "xlsx", "docx", "odt", "epub", "closed", "pdf", "picture"}
OF_ROWS = frozenset(("jsonl", "csv", "parquet", "xlsx", "warc"))
"""Formats with many documents per file."""
_FOLDERS: list[TemporaryDirectory[str]] = []
_LOG = logging.getLogger("whorl.corpus")
_STANDARD_INPUT = "stdin.jsonl"
_KEPT = "kept"
_RESERVED = "rejected.jsonl"


class Survey(NamedTuple):
    """Result of expanding the inputs.

    Attributes:
        sources: the files, sorted by name, without repetition.
        skipped: entries of folders and patterns that were skipped, in the order of the walk.
    """

    sources: list[Source]
    skipped: tuple[Skipped, ...]


def survey(
    inputs: Sequence[str | Path],
    *,
    forbid: Path | None = None,
    selection: Selection = EVERYTHING,
    fetched: Path | None = None,
    course: DownloadProgress | None = None,
) -> Survey:
    """Expand ``inputs`` into files, and list what was skipped.

    Args:
        inputs: files, folders (searched to any depth), globs (``**`` too), or ``-`` for JSONL on standard input.
            Addresses, such as ``s3://bucket/folder``, are downloaded. In folders and globs, entries that are never
            articles are skipped: hidden entries, locks, backups. A named file is always read.
        forbid: the output folder, which patterns skip.
        selection: further entries of folders and globs to skip.
        fetched: the download folder, whose existing files are reused; None uses a folder that is removed with this
            process.
        course: receives the progress of downloads.

    Raises:
        InputError: an input cannot be downloaded, does not exist or is not a file, a folder cannot be listed, or no
            file is left.
        UsageError: an input lies in the output folder or contains it, or two inputs would share a name.

    A name is relative to the deepest folder that holds all inputs, so it does not depend on their order. Names that are
    not UTF-8 are made readable. Unreadable entries of a folder, such as a dangling link, are among the files, and their
    reader reports the error.

    Cost: one directory walk, and one ``realpath`` per file; for a file with one document, also its first 4 KiB.
    """
    search = _FileSearch(forbid, selection, fetched, course)
    for index, raw in enumerate(inputs):
        search.add(raw, index)
    sources = search.sources()
    if not sources:
        raise _no_files(inputs, search.skipped)
    _check_names(sources)
    for passed in search.skipped:
        _LOG.info("%s: passed over: %s", passed.path, passed.reason)
    return Survey(sources, search.skipped)


def demand_existing(inputs: Sequence[str | Path]) -> None:
    """Refuse a path that does not exist, as ``survey`` does.

    A command calls this before it imports what reading needs, which takes longer than the rest of its start.

    Raises:
        InputError: a path does not exist.
        UsageError: an address is malformed.
    """
    for raw in inputs:
        is_path = str(raw) not in ("", "-") and place_of(raw) is None and not glob.has_magic(str(raw))
        if is_path and not os.path.lexists(raw):
            raise _missing(raw)


def discover(
    inputs: Sequence[str | Path], *, forbid: Path | None = None, selection: Selection = EVERYTHING
) -> list[Source]:
    """Return the files that ``inputs`` expand to; see ``survey``."""
    return survey(inputs, forbid=forbid, selection=selection).sources


def readable(name: str) -> str:
    """Return the name of a file as Unicode text: one that is not UTF-8 is decoded as GB18030 or escaped as ``%XX``."""
    return "/".join(part if _is_unicode(part) else _decoded(os.fsencode(part)) for part in name.split("/"))


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def _decoded(name: bytes) -> str:
    try:
        text = name.decode("gb18030")
    except UnicodeDecodeError:
        text = "\0"
    if text.isprintable():
        return text
    return "".join(chr(byte) if byte in range(0x20, 0x7F) else f"%{byte:02X}" for byte in name)


@cache
def _folder_of_this_process() -> Path:
    """Return a download folder that is removed with this process."""
    _FOLDERS.append(TemporaryDirectory(prefix="whorl-fetched-"))
    return Path(_FOLDERS[-1].name)


def demand_file(source: Source) -> None:
    """Refuse a path that is not a file, or not a file of its format, before it is opened.

    Raises:
        InputError: with the reason. No named input is skipped silently: a dangling link may be a missing article. A
            named pipe is read if the user named it.
    """
    path = source.path
    if path is None:
        return
    if not (path.exists() if source.named else path.is_file()):
        hint = say("remove it, or name the files to read")
        if path.is_symlink() and not path.exists():
            target = path.readlink()
            raise InputError(
                say("{path} is a broken link: {target} does not exist", path=path, target=target), hint=hint
            )
        raise InputError(say("{path} is neither a file nor a folder", path=path), hint=hint)
    if (path.is_char_device() or path.is_block_device()) and path != Path(os.devnull):
        raise InputError(
            say("{path} is a device, not a file", path=path),
            hint=say("name a file, or - for standard input"),
        )
    if source.compression is not None and source.format in _SELF_COMPRESSED:
        message = say(
            "{path}: a {suffix} file is compressed inside, not outside",
            path=path,
            suffix=Path(path.stem).suffix.lower(),
        )
        raise InputError(message, hint=say("decompress {name}", name=path.name))


class _FileSearch:
    """Collects the files of inputs."""

    def __init__(
        self, forbid: Path | None, selection: Selection, fetched: Path | None, course: DownloadProgress | None
    ) -> None:
        self._course = course
        self._forbid = forbid
        self._selection = selection
        self._skipped: dict[str, str] = {}
        self._files: list[tuple[Path, int, bool]] = []
        self._roots: list[Path] = []
        self._fetched = fetched
        self._addresses: dict[Path, tuple[Path, str]] = {}
        self._standard_input: int | None = None

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Entries that were skipped."""
        return tuple(Skipped(path, reason) for path, reason in self._skipped.items())

    def add(self, raw: str | Path, index: int) -> None:
        """Add the files of one input."""
        if not str(raw):
            raise UsageError(say("an input is empty"), hint=say("name a file or a folder; . is the working folder"))
        if str(raw) == "-":
            self._standard_input = index if self._standard_input is None else self._standard_input
            return
        place = place_of(raw)
        if place is not None:
            self._fetch(place, index)
            return
        path = Path(os.path.normpath(Path.cwd() / raw))
        if _is_run(path):
            path /= _KEPT  # the rest of a run folder has no articles
        if path.is_dir():
            _refuse_library(path)
            self._refuse_output(path)
            if self._forbid is not None and _within(self._forbid, path):
                message = say("the output folder {out} lies in the input {path}", out=self._forbid, path=path)
                raise UsageError(message, hint=say("choose a folder outside it"))
            root, files = path, list(self._walk(path, path))
        elif os.path.lexists(path):
            self._refuse_output(path)
            root, files = path.parent, [path]
        elif glob.has_magic(str(raw)):
            root, files = self._expand(path, raw)
        else:
            raise _missing(raw)
        self._roots.append(root)
        named = files == [path]
        if not named:
            files = self._without_descriptions(files)
        self._files += [(file, index, named) for file in files]

    def _fetch(self, place: RemotePlace, index: int) -> None:
        """Download an address; files keep their remote names, below the kind of place and its host."""
        from whorl.corpus.remote.fetching import fetch

        folder = _folder_of_this_process() if self._fetched is None else self._fetched
        download = fetch(place, folder, self._selection, self._course)
        self._skipped.update({skipped.path: skipped.reason for skipped in download.skipped})
        self._roots.append(Path("/", download.root.relative_to(folder)))
        for path, address in download.files:
            self._addresses[path] = (Path("/", path.relative_to(folder)), address)
            self._files.append((path, index, download.is_file))

    def sources(self) -> list[Source]:
        """The files, sorted by name, without repetition; a file that was also named counts as named."""
        sources: dict[str, Source] = {}
        root = os.path.commonpath(self._roots) if self._roots else ""
        for path, index, named in sorted(self._files):
            there, address = self._addresses.get(path, (path, None))
            source = _source(path, readable(Path(os.path.relpath(there, root)).as_posix()), index, named=named)
            source = source._replace(address=address)
            earlier = sources.setdefault(os.path.realpath(path), source)
            if named and not earlier.named:
                sources[os.path.realpath(path)] = earlier._replace(named=True)
        unique = list(sources.values())
        if self._standard_input is not None:
            unique.append(Source(None, _STANDARD_INPUT, "jsonl", None, self._standard_input))
        return sorted(unique, key=lambda source: source.name)

    def _expand(self, pattern: Path, raw: str | Path) -> tuple[Path, list[Path]]:
        """Return the fixed part of a pattern, and the files that match it or lie in matching folders."""
        root = Path(pattern.anchor)
        for part in pattern.parts[1:]:
            if glob.has_magic(part):
                break
            root /= part
        files: list[Path] = []
        matches = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
        for path in map(Path, matches):
            way = [folder for folder in reversed(path.parents) if folder.is_relative_to(root)]
            if _within(path, self._forbid) or not all(self._takes(folder, root, is_folder=True) for folder in way):
                continue
            if path.is_dir():
                files += self._walk(path, root) if self._takes(path, root, is_folder=True) else []
            elif self._takes(path, root, is_folder=False):
                files.append(path)
        if not matches:
            raise InputError(
                say("no file matches {raw}", raw=raw),
                hint=say("check the pattern; ** matches folders of any depth"),
            )
        return root, files

    def _walk(self, folder: Path, root: Path) -> Iterator[Path]:
        """Yield every file below ``folder``; links are followed, but each folder is entered only once.

        Raises:
            InputError: a folder cannot be listed.
        """
        visited: set[str] = set()
        for here, folders, files in os.walk(folder, onerror=_refuse_folder, followlinks=True):
            real = os.path.realpath(here)
            if real in visited or _within(Path(real), self._forbid):
                folders.clear()
                continue
            visited.add(real)
            if here != str(folder) and (reason := _made_by_whorl(Path(here))) is not None:
                self._skipped[here] = reason
                folders.clear()
                continue
            folders[:] = [name for name in sorted(folders) if self._takes(Path(here, name), root, is_folder=True)]
            below = (Path(here, name) for name in sorted(files))
            yield from (path for path in below if self._takes(path, root, is_folder=False))

    def _takes(self, path: Path, root: Path, *, is_folder: bool) -> bool:
        """True if an entry below ``root`` is selected; others are recorded as skipped, once."""
        if path == root:
            return True
        reason = self._selection.refusal(path.relative_to(root).as_posix(), is_folder=is_folder)
        if reason is not None:
            self._skipped[str(path)] = reason
        return reason is None

    def _without_descriptions(self, files: Sequence[Path]) -> list[Path]:
        """Return the files without those that describe the tables in their folder or below it."""
        tables = {folder for path in files if _is_table(path) for folder in path.parents}
        data_files = [path for path in files if not (is_about_data(path.name) and path.parent in tables)]
        self._skipped.update({str(path): ABOUT_DATA for path in set(files) - set(data_files)})
        return data_files

    def _refuse_output(self, path: Path) -> None:
        if _within(path, self._forbid):
            message = say("the input {path} lies in the output folder {out}", path=path, out=self._forbid)
            raise UsageError(message, hint=say("choose another output folder"))


def _missing(raw: str | Path) -> InputError:
    hint = say("check the spelling; folders and patterns such as *.jsonl are accepted")
    return InputError(say("{raw} does not exist", raw=raw), hint=hint)


def _is_run(path: Path) -> bool:
    """True if a folder is the output of a run."""
    return (path / "run.json").is_file() and (path / _KEPT).is_dir()


def _is_library(path: Path) -> bool:
    return (path / "library.sqlite").is_file()


def _made_by_whorl(path: Path) -> Message | None:
    if _is_run(path):
        return OUTPUT
    return LIBRARY if _is_library(path) else None


def _refuse_library(path: Path) -> None:
    if _is_library(path):
        hint = say("compare with it by `against`, or export its articles: `whorl library export`")
        raise InputError(say("{path} is a library, not a folder of articles", path=path), hint=hint)


def _is_table(path: Path) -> bool:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = len(suffixes) > 1 and suffixes[-1] in _COMPRESSION_BY_SUFFIX
    suffix = suffixes[-2 if packed else -1] if suffixes else ""
    return _FORMAT_BY_SUFFIX.get(suffix) in OF_ROWS and not is_about_data(path.name)


def _refuse_folder(error: OSError) -> None:
    hint = say("check its permissions, or exclude it with `exclude`")
    raise InputError(
        say("cannot list {filename}: {error}", filename=error.filename, error=error.strerror), hint=hint
    ) from error


def _no_files(inputs: Sequence[str | Path], skipped: Sequence[Skipped]) -> InputError:
    listed = ", ".join(str(item) for item in inputs) or say("the list of inputs is empty")
    if not skipped:
        return InputError(say("no files in {listed}", listed=listed), hint=say("name at least one existing file"))
    first = skipped[0]
    message = say(
        "no files to read in {listed}; {count:,} were skipped, the first is {path}: {reason}",
        listed=listed,
        count=len(skipped),
        path=first.path,
        reason=first.reason,
    )
    return InputError(message, hint=say("check `include` and `exclude`, or name a file"))


def _within(path: Path, folder: Path | None) -> bool:
    if folder is None:
        return False
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _source(path: Path, name: str, index: int, *, named: bool) -> Source:
    suffix = path.suffix.lower()
    compression = _COMPRESSION_BY_SUFFIX.get(suffix)
    if compression is not None:
        suffix = Path(path.stem).suffix.lower()
    by_name = _FORMAT_BY_SUFFIX.get(suffix, "text")
    kind, compression = content_of(path, by_name, compression)
    if compression is None and kind == by_name and by_name not in OF_ROWS:
        kind = format_by_content(path, by_name)
    if compression is None and kind in TABLES:
        kind = table_by_content(path, kind)
    source = Source(path, name, kind, compression, index, named)
    if named:
        demand_file(source)
    return source


def _check_names(sources: list[Source]) -> None:
    names = [source.name for source in sources]
    name, count = Counter(names).most_common(1)[0]
    if count > 1 and name != _STANDARD_INPUT:
        raise UsageError(
            say("{count} files are named {name} once their names are read", count=count, name=name),
            hint=say("rename one of them"),
        )
    if names.count(_STANDARD_INPUT) > 1:
        raise UsageError(
            say("standard input and a file are both named {name}", name=_STANDARD_INPUT),
            hint=say("rename the file"),
        )
    if _RESERVED in names:
        raise UsageError(
            say("an input is named {name}, like the list of rejected rows", name=_RESERVED),
            hint=say("rename the file"),
        )


__all__ = ["OF_ROWS", "Survey", "demand_existing", "demand_file", "discover", "readable", "survey"]
