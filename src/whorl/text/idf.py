"""Tables of document frequencies of words: format version 1.

A Parquet file with two columns, ``word`` (folded, ascending) and ``documents`` (number of documents with the word). Its
metadata contain, as JSON under ``whorl.idf``, what the counts depend on: see ``TableKind`` and ``documents``.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    import pyarrow as pa

IDF_VERSION = 1
METADATA_KEY = b"whorl.idf"
_RETRAIN = say("train it again with `whorl idf`")


@frozen
class TableKind:
    """Dependencies of the words of a table; tables and fingerprints of different kinds must not be mixed.

    Attributes:
        dictionary: digest of the user's words, in hexadecimal; zeros without user words.
        hmm: True if the model guesses words that the dictionary lacks.
        words: version of the segmenter.
        fold: version of the fold.
        version: version of the format.
    """

    dictionary: str
    hmm: bool
    words: str = _core.WORDS_VERSION
    fold: str = _core.FOLD_VERSION
    version: int = IDF_VERSION

    @classmethod
    def of(cls, dictionary: _core.Words, hmm: bool) -> TableKind:
        """Return the kind of words that ``dictionary`` produces."""
        return cls(f"{dictionary.digest():016x}", hmm)


def schema(kind: TableKind, documents: int, stop_share: float) -> pa.Schema:
    """Return the Arrow schema of a table, including its metadata."""
    import pyarrow as pa

    facts = asdict(kind) | {"documents": documents, "stop_share": stop_share}
    columns = [pa.field("word", pa.large_string(), False), pa.field("documents", pa.uint64(), False)]
    return pa.schema(columns, {METADATA_KEY: json.dumps(facts).encode()})


def read_facts(path: Path, kind: TableKind) -> dict[str, Any]:
    """Return the metadata of the table at ``path``.

    Raises:
        InputError: it cannot be read, is not a table, or is of another kind.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
        facts: dict[str, Any] = dict(json.loads(metadata[METADATA_KEY]))
    except OSError as error:
        raise InputError(
            say("cannot read the idf table {path}: {error}", path=path, error=error.strerror or error),
            hint=say("check its name"),
        ) from error
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
        raise InputError(say("{path} is not a table of `whorl idf`", path=path), hint=_RETRAIN) from error
    for name, expected in asdict(kind).items():
        if facts.get(name) != expected:
            raise InputError(
                say(
                    "the idf table {path} was made with {name} = {found!r}, not {expected!r}",
                    path=path,
                    name=name,
                    found=facts.get(name),
                    expected=expected,
                ),
                hint=_RETRAIN,
            )
    if not isinstance(facts.get("documents"), int) or not isinstance(facts.get("stop_share"), int | float):
        raise InputError(
            say("the idf table {path} does not say how many documents it counts", path=path), hint=_RETRAIN
        )
    return facts


def load_table(path: str, kind: TableKind) -> _core.IdfTable:
    """Load the table at ``path``.

    Raises:
        InputError: it cannot be read, is not a table, or is of another kind.

    Cost: about 0.1 µs per word, once for each state of the file.
    """
    facts = read_facts(Path(path), kind)
    return _load(path, Path(path).stat().st_mtime_ns, facts["documents"], facts["stop_share"])


@lru_cache(maxsize=4)
def _load(path: str, _modified: int, documents: int, stop_share: float) -> _core.IdfTable:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=["word", "documents"]).combine_chunks()
        _check_counts(table["documents"], documents)
        words = pa.concat_arrays(table["word"].cast(pa.large_string()).chunks or [pa.array([], pa.large_string())])
        counts = np.ascontiguousarray(table["documents"].to_numpy(), np.uint64)
    except (OSError, pa.ArrowInvalid, KeyError, ValueError) as error:
        raise InputError(
            say("the idf table {path} is damaged: {error}", path=path, error=error), hint=_RETRAIN
        ) from error
    return _core.IdfTable(documents, words, counts, stop_share)


def _check_counts(counts: pa.ChunkedArray, documents: int) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if counts.type != pa.uint64() or counts.null_count:
        raise ValueError(say("its counts are not whole numbers"))
    if len(counts) and not 1 <= pc.min(counts).as_py() <= pc.max(counts).as_py() <= documents:
        raise ValueError(say("its counts are not from 1 to its {documents} documents", documents=documents))


__all__ = ["IDF_VERSION", "METADATA_KEY", "TableKind", "load_table", "read_facts", "schema"]
