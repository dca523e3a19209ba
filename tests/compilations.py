"""The compilations of ``tests/cases/compilations.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.articles import article

_LENGTH = 400
_PART = re.compile(r"(\d+)(?:\[(\d*):(\d*)\])?")


@dataclass(frozen=True)
class Case:
    """Documents and their relations.

    Attributes:
        name: description of the case.
        documents: the text of each document.
        stories: pairs of a compilation and a document that it contains.
        copies: documents that may be removed as copies of each other.
        removed: the documents that a run with ``keep="longest"`` removes.
    """

    name: str
    documents: dict[str, str]
    stories: frozenset[tuple[str, str]]
    copies: tuple[frozenset[str], ...]
    removed: frozenset[str]


def cases() -> list[Case]:
    """Return all cases."""
    data = tomllib.loads((Path(__file__).parent / "cases" / "compilations.toml").read_text(encoding="utf-8"))
    return [_case(**case) for case in data["case"]]


def text_of(parts: str) -> str:
    """Return a text composed of stories."""
    return "\n".join(_story(*part.groups()) for part in _PART.finditer(parts))


def _story(number: str, start: str | None, end: str | None) -> str:
    return article(int(number), _LENGTH)[int(start or 0) : int(end or _LENGTH)]


def _case(name: str, documents: dict[str, str], compilations: Any = None, copies: Any = (), removed: Any = ()) -> Case:
    stories = {(holder, story) for holder, story_names in (compilations or {}).items() for story in story_names}
    texts = {id_: text_of(parts) for id_, parts in documents.items()}
    return Case(name, texts, frozenset(stories), tuple(map(frozenset, copies)), frozenset(removed))
