"""Digests of the texts that a run read; the texts themselves are not stored twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.corpus import REFERENCE
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.durable import is_as_written, read_json, write_json
from whorl.engines.local.read import load_segment
from whorl.errors import InputError
from whorl.i18n import say

_LISTED = "references.json"


def digest_of(text: str) -> str:
    """Return the digest of a text, which is the same for every family."""
    return bytes(_core.exact([text])[0]).hex()


def note_references(corpus: SegmentedCorpus, listed: NDArray[np.uint32], sketches: Path) -> None:
    """Write the digests of references with duplicates in the input, whose segments are not kept."""
    if not len(listed):
        return
    digests = np.concatenate([segment.column("digest") for segment in corpus.segments])[listed]
    places = zip(corpus.file[listed].tolist(), corpus.row[listed].tolist(), digests, strict=True)
    sketches.mkdir(exist_ok=True)
    write_json(
        {f"{corpus.files[file]}:{row}": digest.tobytes().hex() for file, row, digest in places}, sketches / _LISTED
    )


def noted_digest(out: Path, file: str, row: int) -> str | None:
    """Return the digest of the text that a finished run read at a row of a file; None if it is not recorded.

    Raises:
        InputError: the record is damaged.
    """
    if file.startswith(REFERENCE):
        digests = read_json(out / "sketches" / _LISTED)
        return digests.get(f"{file}:{row}") if isinstance(digests, dict) else None
    for folder in sorted((out / "sketches").glob("*/")):
        segment = load_segment(folder)
        names = [] if segment is None else [record.name for record in segment.files]
        if segment is not None and file in names:
            if not is_as_written(folder, {name: segment.sums.get(name, ()) for name in ("file", "row", "digest")}):
                raise InputError(
                    say("{path} is damaged", path=folder), hint=say("fetch the folder again, or see report.html")
                )
            here = (segment.column("file") == names.index(file)) & (segment.column("row") == row)
            if here.any():
                return str(segment.column("digest")[here][0].tobytes().hex())
    return None


__all__ = ["digest_of", "note_references", "noted_digest"]
