"""Every file that whorl writes, damaged in turn, and every operation that reads it.

A case is a kind of folder, an operation and a damage, applied to every file of the folder. The invariant is always the
same: the result of the intact folder, or an error with a hint; never a traceback, never a different result."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.articles import article, edited, jsonl, write_jsonl
from tests.rounds import stride
from tests.runs import RecordedProgress, duplicates, files
from tests.unit.library.test_survival import documents
from typer.testing import CliRunner

import whorl
from whorl.cli import build_app
from whorl.cli.ui.failures import user_error
from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files
from whorl.errors import WhorlError
from whorl.indexes import HammingIndex, KeyIndex

BITS, MANY_BITS = 1, 40
"""Number of flipped bits per file, in every test run and in a soak run."""


@dataclass(frozen=True)
class Place:
    """A folder with one damaged file.

    Attributes:
        sound: the intact folder.
        other: the output of another run of the same kind.
        folder: a copy of ``sound`` that is damaged.
    """

    sound: Path
    other: Path
    folder: Path

    def become(self, whole: Path) -> None:
        """Replace ``folder`` by a copy of another one."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(whole, self.folder)

    @property
    def beside(self) -> Path:
        """Return a folder that does not exist yet."""
        path = self.folder.with_name("beside")
        shutil.rmtree(path, ignore_errors=True)
        return path


# Folders


def _run(folder: Path, seed: int) -> None:
    """Return the output of a run with removed, rejected and unread rows."""
    source = folder.parent / f"in-{seed}"
    rows = [{"id": f"o{n}", "text": edited(article(seed + n % 5), n // 5, seed=n)} for n in range(12)]
    (source / "deep").mkdir(parents=True)
    (source / "a.jsonl").write_bytes(jsonl([*rows, {"id": "none"}]))
    (source / "deep" / "b.csv").write_text(f"id,text\nc,{article(seed)}\nd,{article(seed + 99)}\n", encoding="utf-8")
    dedup_files(DedupJob((str(source),), folder))


def _keys(seed: int) -> Any:
    return np.random.default_rng(seed).integers(0, 2**64, (9000, 3), np.uint64)


def _key_index(folder: Path, seed: int) -> None:
    index = KeyIndex()
    index.add(_keys(seed))
    index.remove([5])
    index.save(folder)


def _code_index(folder: Path, seed: int) -> None:
    index = HammingIndex()
    index.add(_keys(seed)[:, 0])
    index.remove([5])
    index.save(folder)


def _library(folder: Path, seed: int) -> None:
    with whorl.open(folder) as library:
        library.add(documents(seed, 40))
        library.verify()


FOLDERS: dict[str, Callable[[Path, int], None]] = {
    "a run": _run,
    "an index of keys": _key_index,
    "an index of codes": _code_index,
    "a library": _library,
}

# Damage


def removed_file(path: Path, place: Place) -> Iterator[None]:
    path.unlink()
    yield


def empty(path: Path, place: Place) -> Iterator[None]:
    path.write_bytes(b"")
    yield


def halved(path: Path, place: Place) -> Iterator[None]:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    yield


def _flipped(path: Path, seeds: range) -> Iterator[None]:
    whole = path.read_bytes()
    for seed in seeds if whole else ():
        rng = random.Random(f"{path.name} {seed}")
        at = rng.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :])
        yield


def bit_flipped(path: Path, place: Place) -> Iterator[None]:
    yield from _flipped(path, range(BITS))


def many_bits_flipped(path: Path, place: Place) -> Iterator[None]:
    yield from _flipped(path, range(1000, 1000 + MANY_BITS))


def of_another(path: Path, place: Place) -> Iterator[None]:
    """Return the file of the same name of another run or index, or the only one with its suffix."""
    same = place.other / path.relative_to(place.folder)
    matches = [same] if same.is_file() else sorted(place.other.rglob(f"*{path.suffix}"))[:1]
    for match in matches:
        path.write_bytes(match.read_bytes())
        yield


DAMAGES = [removed_file, empty, halved, bit_flipped, of_another]

# Operations


class ReportedError(WhorlError):
    """The damage was reported."""


def _program(*arguments: object) -> str:
    """Return the output of the program; an explained failure raises `WhorlError`."""
    ended = CliRunner().invoke(build_app(str(arguments[0])), list(map(str, arguments)))
    if ended.exit_code in (2, 3, 4):
        assert "hint" in ended.stderr, ended.stderr
        raise ReportedError(ended.stderr)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def run_again(place: Place) -> Any:
    source = place.sound.parent / "in-0"
    before = files(place.folder)
    with pytest.raises(WhorlError, match="hint"):
        dedup_files(DedupJob((str(source),), place.folder))
    assert files(place.folder) == before
    raise ReportedError("a folder that holds something is left as it is")


def show(place: Place) -> Any:
    details = json.loads(_program("show", place.folder, "o5", "--json"))
    return {name: details[name] for name in ("removed", "kept", "similarity", "measure")}


def against(place: Place) -> Any:
    news = [{"id": f"n{n}", "text": edited(article(n), 3, seed=9)} for n in range(4)]
    write_jsonl(place.sound.parent / "news.jsonl", [*news, {"id": "new", "text": article(1000)}])
    progress = RecordedProgress()
    job = DedupJob((str(place.sound.parent / "news.jsonl"),), place.beside, against=(str(place.folder),))
    dedup_files(job, progress)
    if any("fingerprinting its kept documents again" in note for note in progress.notes):
        raise ReportedError("the change of the reference was reported")
    return [(row["id"], row["duplicate_of"], row["similarity"]) for row in duplicates(job.out)]


def query_keys(place: Place) -> Any:
    index = KeyIndex.open(place.folder)
    index.verify()
    answers = index.query_many(_keys(0)[:200])
    return answers.query.tolist(), answers.id.tolist()


def query_codes(place: Place) -> Any:
    index = HammingIndex.open(place.folder)
    index.verify()
    answers = index.query_many(_keys(0)[:200, 0])
    return answers.query.tolist(), answers.id.tolist()


def ask_library(place: Place) -> Any:
    with whorl.open(place.folder, create=False) as library:
        checkup = library.verify()
        if checkup.faults:
            raise ReportedError(str(checkup.faults))
        return (
            {row["id"]: (row["text"], row["cluster"]) for row in library.export()},
            [[(match.id, match.similarity) for match in library.check(article(n)).matches] for n in range(40)],
        )


def show_library(place: Place) -> Any:
    return json.loads(_program("show", place.folder, "3", "--json"))["report"]["matches"]


def against_library(place: Place) -> Any:
    news = write_jsonl(place.sound.parent / "news.jsonl", [{"id": f"{n}", "text": article(n)} for n in (1, 2, 500)])
    return json.loads(_program("dedup", news, "-o", place.beside, "--against", place.folder, "--json"))["counts"]


QUESTIONS: dict[str, list[Callable[[Place], Any]]] = {
    "a run": [run_again, show, against],
    "an index of keys": [query_keys],
    "an index of codes": [query_codes],
    "a library": [ask_library, show_library, against_library],
}
DOCUMENT_FILES = {"library.sqlite", "kept/a.jsonl", "kept/deep/b.csv"}
"""Files with the documents themselves: if one is replaced by an intact one, that one is read."""

CASES = [(kind, question) for kind, questions in QUESTIONS.items() for question in questions]
each_case = pytest.mark.parametrize(
    ("kind", "question"), CASES, ids=[f"{kind}: {question.__name__}" for kind, question in CASES]
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip fsync to save time."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr("whorl._core.sync_files", lambda _: None)


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """Return an intact folder and another one of each kind."""
    folders = {}
    for kind, make in FOLDERS.items():
        base = tmp_path_factory.mktemp("intact")
        make(base / "sound", 0)
        make(base / "other", 500)
        folders[kind] = (base / "sound", base / "other")
    return folders


@each_case
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_or_changes_nothing(
    intact: dict[str, tuple[Path, Path]], tmp_path: Path, kind: str, question: Any, damage: Any
) -> None:
    is_known = question is against and damage in (
        removed_file,
        halved,
        bit_flipped,
    )  # tests/unit/engines/test_power_cut.py
    attack(intact[kind], tmp_path, question, damage, passing="sketches/" if is_known else None)


@pytest.mark.soak
@each_case
def test_every_bit_is_told_or_changes_nothing(
    intact: dict[str, tuple[Path, Path]], tmp_path: Path, kind: str, question: Any
) -> None:
    attack(intact[kind], tmp_path, question, many_bits_flipped)


def test_a_figure_that_was_changed_on_the_disk_is_not_shown(
    intact: dict[str, tuple[Path, Path]], tmp_path: Path
) -> None:
    place = Place(*intact["a run"], tmp_path / "damaged")
    place.become(place.sound)
    expected = show(place)
    table = place.folder / "duplicates.parquet"
    whole = table.read_bytes()
    group = pq.ParquetFile(table).metadata.row_group(0)
    [column] = [
        similarity_column
        for similarity_column in map(group.column, range(group.num_columns))
        if similarity_column.path_in_schema == "similarity"
    ]
    for at in range(column.data_page_offset, column.data_page_offset + column.total_compressed_size, stride(11)):
        table.write_bytes(whole[:at] + bytes([whole[at] ^ 2]) + whole[at + 1 :])
        assert answer(place, show) in (None, expected), at


def attack(
    intact: tuple[Path, Path], base: Path, question: Callable[[Place], Any], damage: Any, passing: str | None = None
) -> None:
    place = Place(*intact, base / "damaged")
    answers = []
    for whole in intact:
        place.become(whole)
        answers.append(answer(place, question))
    tried = 0
    for name in files(place.sound):
        if passing is not None and name.startswith(passing):
            continue
        place.become(place.sound)
        for _ in damage(place.folder / name, place):
            tried += 1
            actual = answer(place, question)
            allowed = answers if damage is of_another and name in DOCUMENT_FILES else answers[:1]
            assert actual in [None, *allowed], name
    assert tried


def answer(place: Place, question: Callable[[Place], Any]) -> Any:
    """Return the result, or None for an error with a hint."""
    try:
        return question(place)
    except Exception as error:
        message = user_error(error)
        if message is None or not (message.hint or isinstance(error, ReportedError)):
            raise
        return None
