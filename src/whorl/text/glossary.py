"""Glossaries: terms of two languages that mean the same, one pair per line of a file."""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path

from whorl.errors import InputError
from whorl.i18n import say

Terms = tuple[tuple[str, str], ...]


def read_glossary(path: str | PathLike[str]) -> Terms:
    """Read pairs of terms from a file in UTF-8 with two columns, separated by tabs or commas.

    Empty lines and lines that start with ``#`` are skipped.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or has a line without two terms.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(
            say("cannot read the terms {path}: {error}", path=path, error=error.strerror),
            hint=say("check its name and permissions"),
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(say("the terms {path} are not UTF-8", path=path), hint=say("save it as UTF-8")) from error
    pairs = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        terms = [term.strip() for term in next(csv.reader([line], delimiter="\t" if "\t" in line else ","))]
        if len(terms) != 2 or not all(terms):
            raise InputError(
                say("the terms {path}, line {number}: expected two columns", path=path, number=number),
                hint=say("write a term and its translation, separated by a tab or a comma"),
            )
        pairs.append((terms[0], terms[1]))
    return tuple(pairs)


__all__ = ["Terms", "read_glossary"]
