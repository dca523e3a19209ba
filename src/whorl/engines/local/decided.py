"""Save decisions to disk so that an interrupted run can resume."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.engines.decide import Decisions
from whorl.engines.links import Links
from whorl.engines.local.read import StoredSegment


def save_decisions(decisions: Decisions, segments: Sequence[StoredSegment], path: Path) -> None:
    """Write the decisions on the documents of ``segments`` atomically and durably."""
    temporary = path.with_suffix(".part")
    links: dict[str, Any] = {f"links_{name}": column for name, column in decisions.links.arrays().items()}
    with temporary.open("wb") as file:
        np.savez(
            file,
            duplicate_of=decisions.duplicate_of,
            shared=decisions.shared,
            united=decisions.united,
            relation=decisions.relation,
            similarity=decisions.similarity,
            by_field=decisions.by_field,
            removed=np.array(decisions.removed),
            near_misses=np.array(decisions.near_misses),
            hot_keys=np.array(decisions.hot_keys, np.uint64).reshape(-1, 4),
            notices=np.array(json.dumps(decisions.notices)),
            phrases=np.array(decisions.phrases),
            comparisons=np.array(decisions.comparisons),
            segments=_identities(segments),
            **links,
        )
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _identities(segments: Sequence[StoredSegment]) -> NDArray[np.int64]:
    return np.array([segment.identity for segment in segments], np.int64).reshape(-1, 2)


def load_decisions(segments: Sequence[StoredSegment], path: Path) -> Decisions | None:
    """Read the file of ``save_decisions``; None if it is missing, damaged or about other segments."""
    try:
        return _load_decisions(segments, path)
    except (OSError, ValueError, LookupError, EOFError, zipfile.BadZipFile, zlib.error):
        return None


def _load_decisions(segments: Sequence[StoredSegment], path: Path) -> Decisions | None:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
        if not np.array_equal(data["segments"], _identities(segments)):
            return None
        hot = [
            (int(key), int(documents), int(unlisted), int(example))
            for key, documents, unlisted, example in data["hot_keys"]
        ]
        return Decisions(
            data["duplicate_of"],
            data["shared"],
            data["united"],
            data["relation"],
            data["similarity"],
            data["by_field"],
            data["removed"].tolist(),
            data["near_misses"].tolist(),
            hot,
            [(text, example, documents, keys) for text, example, documents, keys in json.loads(str(data["notices"]))],
            int(data["phrases"]),
            int(data["comparisons"]),
            Links(*(data[f"links_{name}"] for name in Links._fields)),
        )


__all__ = ["load_decisions", "save_decisions"]
