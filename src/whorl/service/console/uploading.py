"""Articles out of a file that somebody chose."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath, PureWindowsPath
from tempfile import TemporaryDirectory

from whorl.corpus import Rejection, Rejects
from whorl.library.files import read_documents
from whorl.library.model import Document
from whorl.recipe import recipe_of

MOST = 100
"""How many articles of a file are looked at."""
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What a file holds.

    Attributes:
        articles: the first of them.
        rejected: what could not be read.
        is_whole: whether these are all.
    """

    articles: Sequence[Document]
    rejected: Sequence[Rejection]
    is_whole: bool


def articles_of(name: str, content: bytes) -> Uploaded:
    """Return the articles of a file, which is on the disk while it is read.

    Args:
        name: as its owner calls it, of which only the ending counts.
        content: all of it.

    Raises:
        InputError: it cannot be read.
    """
    ending = PurePosixPath(PureWindowsPath(name).name).suffix.lower()
    rejects = Rejects()
    with TemporaryDirectory(prefix="whorl-") as folder:
        file = Path(folder) / f"file{ending if _SUFFIX.fullmatch(ending) else ''}"
        file.write_bytes(content)
        with closing(read_documents([str(file)], recipe_of(None), rejects, named={}, misread=Counter())) as rows:
            articles = list(islice(rows, MOST + 1))
    return Uploaded(articles[:MOST], rejects.named, len(articles) <= MOST)


__all__ = ["MOST", "Uploaded", "articles_of"]
