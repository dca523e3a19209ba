"""Reviewed lists of boilerplate: the texts that a person approved for removal."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl._internal.json_objects import json_objects
from whorl.corpus.encoding import decode_text
from whorl.errors import InputError, UsageError
from whorl.i18n import Message, say
from whorl.inside.labels import Labels, label_of
from whorl.inside.records import RECORD, in_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIST_COLUMNS = ("decision", "site", "documents", "share", "sites", "occurrences", "text", "unit", "examples")
"""Columns of a list of boilerplate. Only ``decision`` and ``text`` are needed to apply one."""
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""Cells that begin with one of these would be formulas in a spreadsheet; they are written with an apostrophe."""
_MAX_BYTES = 256 * 2**20
_CUT = frozenset(("cut", "删", "删除", "刪", "刪除"))
_KEEP = frozenset(("", "keep", "留", "保留"))
_UNITS = {"line": "lines", "sentence": "sentences", "paragraph": "paragraphs", "passage": "passages"}
_MIN_PASSAGE = 12


@frozen(eq=False)
class ScopedTexts:
    """Approved texts, each in the scope in which it is cut.

    Attributes:
        texts: the texts.
        scopes: uint64 (n,), the scope of each.
        lines: uint32 (n,), the line of each in the list.
    """

    texts: list[str]
    scopes: NDArray[np.uint64]
    lines: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.texts)

    def records(
        self, search: _core.InsideSearch, bits: int
    ) -> tuple[memoryview, NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the records of the texts by partition, the bounds of the partitions in bytes, and their keys, sorted.

        Records of documents are only needed for these keys.
        """
        records, bounds = _core.inside_approved_records(self.texts, self.scopes, search, bits)
        keys = np.unique(np.frombuffer(memoryview(records), RECORD)["key"])
        return memoryview(records), in_bytes(bounds, RECORD.itemsize), keys


@frozen
class ApprovedTexts:
    """The texts of a list that are marked for removal.

    Attributes:
        path: the list.
        digest: its SHA-256.
        inside: the kind of units, such as "lines"; None if the list has no column ``unit``.
        texts: the texts.
        sites: the site on which each is cut; "" is all.
        lines: the line of each in the list.
        min_letters: length of the shortest text, in letters.
    """

    path: str
    digest: str
    inside: str | None
    texts: tuple[str, ...]
    sites: tuple[str, ...]
    lines: tuple[int, ...]
    min_letters: int

    @classmethod
    def read(cls, path: str | Path) -> ApprovedTexts:
        """Read a list: CSV or TSV with a header, or JSON Lines.

        Raises:
            InputError: the list cannot be read, lacks a column, has an unknown decision or two that contradict each
                other, or approves nothing.
        """
        path = Path(path)
        data = _data(path)
        rows = [_Row(path, line, values) for line, values in _rows(path, data)]
        _demand_columns(rows)
        approved = [row for row in rows if row.is_cut]
        if not approved:
            raise InputError(
                say("{path} approves no text", path=path),
                hint=say("write cut in the column decision, in the rows of text to remove"),
            )
        measure = _core.InsideSearch("lines", "letters", 1)
        lengths = [measure.length(row.text) for row in approved]
        for row, length in zip(approved, lengths, strict=True):
            if length == 0:
                raise row.refused(say("the text has no letters"), say("write keep in the column decision"))
        _demand_agreement(rows)
        inside = _inside(rows)
        shortest = lengths.index(min(lengths))
        if inside == "passages" and lengths[shortest] < _MIN_PASSAGE:
            raise approved[shortest].refused(
                say("the passage has fewer than {limit} letters", limit=_MIN_PASSAGE),
                say("write keep in the column decision"),
            )
        return cls(
            str(path),
            sha256(data).hexdigest(),
            inside,
            tuple(row.text for row in approved),
            tuple(row.site for row in approved),
            tuple(row.line for row in approved),
            min(lengths),
        )

    def demand_sites(self, per: str | None) -> None:
        """Check that sites are known if the list has any.

        Raises:
            UsageError: the list has sites, and no column is named for them.
        """
        if per is None and any(self.sites):
            line = next(line for line, site in zip(self.lines, self.sites, strict=True) if site)
            raise UsageError(
                say("{path}:{number}: this text is approved for one site only", path=self.path, number=line),
                hint=say("add --per COLUMN, or empty the column site to cut it everywhere"),
            )

    def scoped(self, labels: Labels) -> ScopedTexts:
        """Return the texts in their scopes. A text without a site is in every scope; one of an absent site in none."""
        numbers = {name: number for number, name in enumerate(labels.names)}
        everywhere = range(len(labels.names))
        pairs = [
            (text, number)
            for text, site in enumerate(self.sites)
            for number in (everywhere if not site else filter(None, [numbers.get(site)]))
        ]
        texts, scopes = np.array(pairs, np.int64).reshape(-1, 2).T
        return ScopedTexts(
            [self.texts[text] for text in texts.tolist()],
            labels.scopes_of(scopes.astype(np.uint32)),
            np.array(self.lines, np.uint32)[texts],
        )


@frozen
class _Row:
    path: Path
    line: int
    values: Mapping[str, Any]

    def refused(self, problem: Message, hint: Message) -> InputError:
        return InputError(
            say("{path}:{number}: {problem}", path=self.path, number=self.line, problem=problem), hint=hint
        )

    @property
    def text(self) -> str:
        text = self.values.get("text")
        if not isinstance(text, str):
            raise self.refused(say("the text is missing"), say("delete the row"))
        return text[1:] if text[:1] == "'" and text[1:].startswith(FORMULAS) else text

    @property
    def site(self) -> str:
        site = str(self.values.get("site") or "")
        return label_of(site[1:] if site[:1] == "'" and site[1:].startswith(FORMULAS) else site.strip())

    @property
    def is_cut(self) -> bool:
        decision = str(self.values.get("decision") or "").strip()
        if decision.casefold() in _CUT:
            return True
        if decision.casefold() in _KEEP:
            return False
        raise self.refused(
            say("the decision is {decision!r}", decision=decision), say("write cut, or keep, or leave it empty")
        )

    @property
    def inside(self) -> str | None:
        unit = str(self.values.get("unit") or "").strip()
        if not unit:
            return None
        if unit not in _UNITS:
            raise self.refused(
                say("the unit is {unit!r}", unit=unit), say("choose one of {names}", names=", ".join(_UNITS))
            )
        return _UNITS[unit]


def _demand_columns(rows: list[_Row]) -> None:
    for name in ("decision", "text"):
        if rows and name not in rows[0].values:
            raise rows[0].refused(
                say("there is no column {name!r}", name=name),
                say("keep the columns decision and text of the list that --learn wrote"),
            )


def _demand_agreement(rows: list[_Row]) -> None:
    """Refuse a text with two decisions for the same site."""
    with_text = [row for row in rows if isinstance(row.values.get("text"), str)]
    digests = memoryview(_core.exact([row.text for row in with_text])[0]).tobytes()
    size = len(digests) // max(len(with_text), 1)
    first: dict[tuple[str, bytes], _Row] = {}
    for place, row in enumerate(with_text):
        earlier = first.setdefault((row.site, digests[place * size : (place + 1) * size]), row)
        if earlier.is_cut != row.is_cut:
            raise row.refused(
                say("line {number} has another decision on the same text", number=earlier.line),
                say("delete one of both rows"),
            )


def _inside(rows: list[_Row]) -> str | None:
    if not rows:
        return None
    kind = rows[0].inside
    for row in rows:
        if row.inside != kind:
            raise row.refused(
                say("the list has different units"), say("apply one list for each unit, one after the other")
            )
    return kind


def _data(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(
                say("{path} is too large for a list of boilerplate", path=path),
                hint=say("learn with a higher --repeats, or keep only the rows to cut"),
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(
            say("{path} does not exist", path=path),
            hint=say("write a list with `whorl strip INPUT -o LIST.csv --learn`"),
        ) from error
    except OSError as error:
        raise InputError(
            say("cannot read {path}: {error}", path=path, error=error), hint=say("name a file of CSV or JSON Lines")
        ) from error


def _rows(path: Path, data: bytes) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        text = decode_text(data, None).text.removeprefix("\ufeff")
    except ValueError as error:
        raise InputError(
            say("{path}: {reason}", path=path, reason=str(error)), hint=say("save it as CSV in UTF-8")
        ) from error
    return json_objects(path, text) if path.suffix.lower() in (".jsonl", ".ndjson") else _records(path, text)


def _records(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    csv.field_size_limit(_MAX_BYTES)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        line = reader.line_num + 1
        for fields in reader:
            if len(fields) > len(names) and not any(fields[len(names) :]):
                del fields[len(names) :]
            if any(fields) and len(fields) != len(names):
                raise InputError(
                    say(
                        "{path}:{number}: {count} fields where the header has {width}",
                        path=path,
                        number=line,
                        count=len(fields),
                        width=len(names),
                    ),
                    hint=say("quote fields with delimiters"),
                )
            if any(fields):
                yield line, dict(zip(names, fields, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            say("{path}:{number}: not a CSV record: {error}", path=path, number=line, error=error),
            hint=say("save it again as CSV"),
        ) from error


__all__ = ["FORMULAS", "LIST_COLUMNS", "ApprovedTexts", "ScopedTexts"]
