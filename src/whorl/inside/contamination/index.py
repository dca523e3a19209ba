"""Items in an index, which is saved as a folder and used again.

A saved index holds the items as they were read, and the index is built again when it is loaded: for 100,000 items this
takes about as long as reading a binary index of ten times the size, and it fits every version of the normalization.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from whorl import _core
from whorl._internal.atomic_file import appearing
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.inside.contamination.benchmarks import Item
from whorl.inside.contamination.fields import ItemText

FORMAT = "whorl-contamination-1"
"""Version of the file format."""

_MANIFEST, _ITEMS = "index.json", "items.parquet"


class ItemIndex:
    """The items of one or more benchmarks, indexed.

    Args:
        items: the items; those of a benchmark have different ids.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = tuple(items)
        self.parts = [text for item in self.items for text in item.texts]
        numbers = [number for number, item in enumerate(self.items) for _ in item.texts]
        texts = [text.text for text in self.parts]
        self._core = _core.ContaminationIndex(texts, numbers, [text.field for text in self.parts])

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def benchmarks(self) -> Mapping[str, int]:
        """The number of items of each benchmark."""
        return Counter(item.benchmark for item in self.items)

    @cached_property
    def digest(self) -> str:
        """A value that identifies the items; that of a saved index is the same."""
        items = [(item.benchmark, item.id, [_plain(text) for text in item.texts]) for item in self.items]
        return hashlib.sha256(json.dumps(items).encode()).hexdigest()

    @property
    def too_short(self) -> int:
        """Number of questions that are too short to be found without their choices."""
        return self._core.too_short

    def scan(self, texts: Any) -> list[_core.ContaminationHit]:
        """Return the hits in documents: a list of str or an Arrow array."""
        return self._core.scan(texts)

    def save(self, folder: Path) -> None:
        """Write the items to a folder, the manifest last.

        Raises:
            UsageError: the folder holds something else.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not is_saved(folder))):
            raise UsageError(
                say("{path} exists and is no index of benchmarks", path=folder), hint=say("choose a new folder")
            )
        folder.mkdir(parents=True, exist_ok=True)
        rows = [
            {"benchmark": item.benchmark, "id": item.id, "texts": [_plain(text) for text in item.texts]}
            for item in self.items
        ]
        text = pa.struct([("field", pa.string()), ("column", pa.string()), ("text", pa.string())])
        schema = pa.schema([("benchmark", pa.string()), ("id", pa.string()), ("texts", pa.list_(text))])
        (folder / _MANIFEST).unlink(missing_ok=True)
        with appearing(folder / _ITEMS) as path, path.open("wb") as file:
            pq.write_table(pa.Table.from_pylist(rows, schema), file, compression="zstd")
        manifest = {"format": FORMAT, "items": len(self.items), "sha256": _digest(folder / _ITEMS)}
        with appearing(folder / _MANIFEST) as path:
            path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def is_saved(path: Path) -> bool:
    """Return True if a path is the folder of a saved index, intact or not."""
    return (path / _MANIFEST).is_file() or (path / _ITEMS).is_file()


def load_items(folder: Path) -> list[Item]:
    """Read the items of a saved index.

    Raises:
        InputError: the index is damaged, incomplete, or of another version.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    hint = say("write the index again with `save_index`")
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        kind, count, digest = manifest["format"], manifest["items"], manifest["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            say("{path}: the index of benchmarks is incomplete: {error}", path=folder, error=error), hint=hint
        ) from error
    if kind != FORMAT:
        raise InputError(
            say("{path}: the format is {kind!r}, expected {expected!r}", path=folder, kind=kind, expected=FORMAT),
            hint=hint,
        )
    try:
        if _digest(folder / _ITEMS) != digest:
            raise InputError(say("{path}: the checksum does not match", path=folder / _ITEMS), hint=hint)
        with (folder / _ITEMS).open("rb") as file:
            rows = pq.read_table(file).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            say("{path}: the index of benchmarks is damaged: {error}", path=folder, error=error), hint=hint
        ) from error
    if len(rows) != count:
        raise InputError(say("{path}: the checksum does not match", path=folder / _ITEMS), hint=hint)
    return [Item(row["benchmark"], row["id"], tuple(ItemText(**text) for text in row["texts"])) for row in rows]


def _plain(text: ItemText) -> dict[str, str]:
    sound = text.text.encode("utf-8", "replace").decode()
    return {"field": text.field, "column": text.column, "text": sound}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


__all__ = ["FORMAT", "ItemIndex", "is_saved", "load_items"]
