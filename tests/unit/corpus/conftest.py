"""Fixtures that read a file like a run and collect the result."""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whorl.corpus import Columns, KeptRejects, ReadOptions, Source, discover, format_of
from whorl.corpus.reader import module_of


@dataclass
class Reading:
    source: Source
    texts: list[str] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    order: list[Any] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    others: list[Mapping[str, Any]] = field(default_factory=list)
    batches: int = 0
    rejected: list[dict[str, Any]] = field(default_factory=list)
    rejected_path: Path = Path()

    @property
    def reasons(self) -> list[str]:
        return [entry["reason"] for entry in self.rejected]

    @property
    def rejected_bytes(self) -> bytes:
        return self.rejected_path.read_bytes()


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Reading]:
    """Read one file with its format, in this process if not ``isolated``; bad rows go to ``tmp_path / "rejected"``."""

    def run(path: Path, columns: Columns | None = None, *, isolated: bool = True, **options: Any) -> Reading:
        [source] = discover([path])
        reader = format_of(source) if isolated else module_of(source)
        reading = Reading(source, rejected_path=tmp_path / "rejected" / source.name)
        with KeptRejects(tmp_path / "rejected") as rejects:
            for batch in reader.read(source, columns or Columns(), rejects, ReadOptions(**options)):
                reading.batches += 1
                reading.texts += batch.texts.to_pylist()
                reading.ids += batch.ids.to_pylist()
                reading.order += [] if batch.order is None else batch.order.to_pylist()
                reading.rows += batch.rows.tolist()
                reading.others += batch.others or ()
        listed = (tmp_path / "rejected" / "rejected.jsonl").read_text(encoding="utf-8")
        reading.rejected = [json.loads(line) for line in listed.splitlines()]
        return reading

    return run


@pytest.fixture
def keep_rows(tmp_path: Path) -> Callable[..., Path]:
    """Write the named rows of a file of ``count`` rows and return the new file."""

    def run(path: Path, rows: list[int], count: int, **options: Any) -> Path:
        [source] = discover([path])
        keep = np.zeros(count, np.bool_)
        keep[np.array(rows, np.int64) - 1] = True
        target = tmp_path / "kept" / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        format_of(source).write(source, target, keep, ReadOptions(**options))
        return target

    return run


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The commands of the processes that begin during a test."""
    commands: list[object] = []
    begin = subprocess.Popen

    def counted(*arguments: Any, **options: Any) -> Any:
        commands.append(arguments)
        return begin(*arguments, **options)

    monkeypatch.setattr("whorl.corpus.sandbox.processes.subprocess.Popen", counted)
    return commands
