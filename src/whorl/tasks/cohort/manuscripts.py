"""Read the texts of a cohort: manuscripts and sources from folders, earlier ones from a library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from whorl._internal.frozen import frozen
from whorl.corpus import HIDDEN_TEXT, MISSING_PARTS, WHOLE, Columns, Rejection, Rejects, Source, read_source
from whorl.corpus import sources_ahead as ahead
from whorl.corpus.discovery import survey
from whorl.i18n import say
from whorl.reports.naming import title_of
from whorl.tasks.compare.submissions import has_bounds
from whorl.tasks.library.arguments import demand_texts, lent, reading
from whorl.text import fold
from whorl.text.paratext import cover_of

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.recipe import Recipe
    from whorl.tasks import Progress

_LIBRARY_PAGE = 500
_LONGEST_TITLE = 120
_FIRST_CHARACTERS = 4000
"""Length of the beginning of a text in which its cover is searched."""


@frozen
class FileStamp:
    """State of a file when it was read.

    Attributes:
        size: its size in bytes.
        modified_ns: its modification time in nanoseconds.
        digest: SHA-256 of its bytes, in hexadecimal.
    """

    size: int
    modified_ns: int
    digest: str


@frozen
class ReadDocument:
    """A text with its title and author.

    Attributes:
        name: its file below the folder, with ``:ROW`` for files with several rows; or its id in a library.
        file: its file below the folder; empty for a document of a library.
        title: its title.
        author: its author, or an empty string.
        text: the text.
        hidden: number of characters that its file hides.
        missing: what its file lacks, or an empty string.
    """

    name: str
    file: str
    title: str
    author: str
    text: str
    hidden: int = 0
    missing: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 of the text in UTF-8, in hexadecimal."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def files_in(folders: Sequence[str], forbid: Path | None) -> dict[str, Source]:
    """Return the files of folders by name.

    Raises:
        InputError: a folder does not exist, or holds no files.
    """
    return {source.name: source for source in survey(folders, forbid=forbid).sources}


def bounded(sources: Sequence[Source], rejected: list[Rejection]) -> Iterator[Source]:
    """Yield the files of another user, to be read in another process; those without bounds are rejected."""
    for source in sources:
        if has_bounds(source):
            yield source._replace(untrusted=True)
        else:
            reason = say("the file type of {name} is not accepted", name=source.name)
            rejected.append(Rejection(source.name, None, None, reason, 0))


def stamp_of(source: Source, before: FileStamp | None) -> FileStamp | None:
    """Return the state of a file; None if it cannot be read. Its bytes are read only if size or time changed."""
    if source.path is None:
        return None
    try:
        status = source.path.stat()
        if before and (before.size, before.modified_ns) == (status.st_size, status.st_mtime_ns):
            return before
        with source.path.open("rb") as file:
            return FileStamp(status.st_size, status.st_mtime_ns, file_digest(file, "sha256").hexdigest())
    except OSError:
        return None


def read_manuscripts(
    sources: Sequence[Source], recipe: Recipe, rejected: list[Rejection], progress: Progress
) -> Iterator[ReadDocument]:
    """Yield the texts of files; files and rows that are unreadable or have no text are appended to ``rejected``."""
    columns, options, rejects = Columns(recipe.text, others=True), reading(recipe), Rejects(on_error="skip")
    for source in ahead(list(sources), columns, rejects, options):
        unnamed = source._replace(named=False)
        for batch in read_source(unnamed, columns, rejects, options):
            texts: list[str] = pa.array(batch.texts).to_pylist()
            ids: list[str | None] = pa.array(batch.ids).to_pylist()
            others = batch.others or [{}] * len(texts)
            for row, text, id_, columns_of_row in zip(batch.rows.tolist(), texts, ids, others, strict=True):
                if fold(text):
                    yield _document(source, row, id_, text, columns_of_row, batch.notices)
                else:
                    rejected.append(Rejection(source.name, row, None, say("it has no text to compare"), 0))
            progress.advance(len(texts))
    rejected.extend(rejects.named)


def _document(
    source: Source, row: int, id_: str | None, text: str, columns: Mapping[str, Any], notices: Mapping[str, str]
) -> ReadDocument:
    is_whole = source.format in WHOLE
    name = source.name if is_whole else f"{source.name}:{row}"
    label = PurePosixPath(source.name).stem if is_whole else id_ or name
    cover = cover_of(text[:_FIRST_CHARACTERS])
    stated = str(columns.get("title") or "").strip()
    title = cover.title or stated or title_of(text, label)
    # The author of an office document is often the owner of the computer.
    author = cover.author or ("" if is_whole else str(columns.get("author") or "").strip())
    hidden = int(notices.get(HIDDEN_TEXT, 0)) if is_whole else 0
    missing = notices.get(MISSING_PARTS, "") if is_whole else ""
    return ReadDocument(name, source.name, title[:_LONGEST_TITLE], author, text, hidden, missing)


def ids_of(library: Library | str) -> list[str]:
    """Return the ids of the documents of a library.

    Raises:
        UsageError: the library keeps no texts.
    """
    with lent(library) as opened:
        demand_texts(opened)
        return list(opened.ids())


def read_library(library: Library | str, ids: Sequence[str], progress: Progress) -> Iterator[ReadDocument]:
    """Yield documents of a library by id; those that do not exist any more are skipped."""
    with lent(library) as opened:
        for start in range(0, len(ids), _LIBRARY_PAGE):
            page = ids[start : start + _LIBRARY_PAGE]
            for id_ in page:
                document = opened.get(id_)
                if document is not None:
                    title = document.title or title_of(document.text, document.id)
                    yield ReadDocument(id_, "", title[:_LONGEST_TITLE], document.author or "", document.text)
            progress.advance(len(page))


__all__ = ["FileStamp", "ReadDocument", "bounded", "files_in", "ids_of", "read_library", "read_manuscripts", "stamp_of"]
