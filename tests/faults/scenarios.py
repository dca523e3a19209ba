"""Work under failing calls, the invariants after any fault, and the result of the repeated command."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq
from tests.articles import article, edited, jsonl, small_corpus, write_jsonl
from tests.faults import works
from tests.faults.injected import KILLED, Ended
from tests.runs import assert_nothing_half_written, result

import whorl
from whorl.errors import InputError

_FAILED = 4
"""The exit code for exhausted resources."""


class Scenario(Protocol):
    """Work on a folder, and its invariants."""

    work: tuple[str, ...]
    folder: Path
    whole: Any
    """Result of an undisturbed run, once there was one."""

    def begin(self) -> None:
        """Prepare the folder for the work."""

    def hold(self, ended: Ended) -> None:
        """Assert the invariants after any fault."""

    def again(self) -> tuple[str, ...] | None:
        """Return the work that completes the job after the fault; None if no work is left."""

    def outcome(self) -> Any:
        """Return the result of the work, equal for equal results."""


def demand_told(ended: Ended) -> None:
    """Assert that a process that was not killed has done its work, or reports an error with a hint."""
    if ended.status in (0, KILLED):
        return
    assert ended.status == _FAILED, ended
    assert "error: " in ended.error, ended
    assert "hint: " in ended.error, ended
    assert not {"Traceback", "panicked", "defect"} & set(ended.error.replace(":", " ").split()), ended


class Dedup:
    """``whorl dedup`` on files of several formats, against an earlier output."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "out"
        corpus, earlier = place / "corpus", place / "earlier"
        documents = small_corpus(20)
        write_jsonl(corpus / "a.jsonl", [*documents[:30], {"no": "text"}])
        (corpus / "deeper").mkdir()
        pq.write_table(pa.Table.from_pylist(documents[30:50]), corpus / "deeper" / "b.parquet")
        (corpus / "c.jsonl.gz").write_bytes(gzip.compress(jsonl(documents[50:])))
        (corpus / "d.txt").write_text(article(900), encoding="utf-8")
        write_jsonl(place / "old.jsonl", [{"id": f"r{n}", "text": edited(article(n), 4, seed=7)} for n in range(4)])
        whorl.dedup_files(place / "old.jsonl", earlier)
        self.work = ("program", "dedup", str(corpus), "-o", str(self.folder), "--against", str(earlier), "--quiet")
        self.whole: dict[str, Any] | None = None

    def begin(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        assert_nothing_half_written(self.folder, self.whole)
        if ended.status == 0:
            assert self.outcome() == self.whole

    def again(self) -> tuple[str, ...] | None:
        is_done = (self.folder / "run.json").exists() and not (self.folder / ".whorl" / "job.json").exists()
        return None if is_done else self.work

    def outcome(self) -> dict[str, Any]:
        shutil.rmtree(self.folder / ".whorl", ignore_errors=True)
        return result(self.folder)


class Shards(Dedup):
    """The same in stages and shards, all of which are repeated after a fault."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        _, _, corpus, _, _, *options = self.work
        self.folder = place / "shards"
        self._out = self.folder / "out"
        self.work = ("shards", "dedup", corpus, "-o", str(self._out), "--work", str(self.folder / "work"), *options)

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        assert_nothing_half_written(self._out, self.whole)

    def again(self) -> tuple[str, ...] | None:
        return self.work

    def outcome(self) -> dict[str, Any]:
        return result(self._out)


class StripShards(Shards):
    """``whorl strip`` in stages and shards."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        options = ("--inside", "passages", "--least", "60", "--on-error", "skip", "--quiet")
        self.work = ("shards", "strip", *self.work[2:7], *options)

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        for name, data in result(self._out).items() if (self._out / "run.json").exists() else ():
            assert self.whole is None or self.whole[name] == data, name


def acknowledged(out: str) -> list[Any]:
    """Return the complete lines of a process's output."""
    return [json.loads(line) for line in out.splitlines(keepends=True) if line.endswith("\n")]


class _Library:
    """A library of some articles."""

    def __init__(self, place: Path) -> None:
        self.whole: Any = None
        self.folder = place / "library"
        self._first = place / "first"
        with whorl.open(self._first) as library:
            library.add(works.batch(0))

    def begin(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._first, self.folder)

    def outcome(self) -> dict[str, Any]:
        with whorl.open(self.folder, create=False) as library:
            demand_sound(library)
            kept = {}
            for id_ in library:
                document, report = library.get(id_), library.report(id_)
                assert document is not None
                matches = {match.id: (match.similarity, match.relation, match.joins) for match in report.matches}
                copies = None if report.cluster_id is None else set(library.cluster(report.cluster_id).documents)
                kept[id_] = (document.text, document.title, matches, copies)
        return kept


def demand_sound(library: whorl.Library) -> None:
    """Assert that every row is right and the index finds every article; a second check has no repairs to make."""
    assert library.verify().faults == ()
    checkup = library.verify()
    assert (checkup.faults, checkup.healed) == ((), ())


def demand_there(library: whorl.Library, ids: set[str]) -> None:
    """Assert that some articles are stored and found."""
    assert ids <= set(library)
    for id_ in ids:
        document = library.get(id_)
        assert document is not None
        assert id_ in {match.id for match in library.check(document.text).matches}


class Add(_Library):
    """``whorl add`` of files to a library; its reports state what is on disk."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        news = write_jsonl(place / "news.jsonl", [document for batch in works.BATCHES for document in batch])
        self.work = ("program", "add", str(self.folder), str(news), "--json", "--quiet")

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        reported = {report["id"] for report in acknowledged(ended.out)}
        everything = {document["id"] for batch in works.BATCHES for document in batch}
        with whorl.open(self.folder, create=False) as library:
            kept = set(library)
            demand_there(library, reported | {document["id"] for document in works.batch(0)})
            demand_sound(library)
        assert everything & kept in (everything, set()), "a batch is there whole or not at all"
        if ended.status == 0:
            assert reported == everything

    def again(self) -> tuple[str, ...]:
        return self.work


class New(Add):
    """The same, into a new library."""

    def begin(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        reported = {report["id"] for report in acknowledged(ended.out)}
        if not (self.folder / "library.sqlite").exists():
            assert not reported
            return
        try:
            library = whorl.open(self.folder)
        except InputError as error:
            raise AssertionError("what was not finished is no library") from error
        with library:
            demand_there(library, reported)
            demand_sound(library)


class Batches(_Library):
    """Batches added in Python, a new index, and a removed article."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.work = ("add_batches", str(self.folder))

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        output = acknowledged(ended.out)
        reported = {id_ for id_ in output if isinstance(id_, str) and id_.isdigit()}
        with whorl.open(self.folder, create=False) as library:
            kept = set(library)
            # The process may have ended before it could report the removal.
            removed = {"100"} - kept if len(reported) == 36 else set()
            demand_there(library, reported - removed)
            demand_sound(library)
        assert "without 100" not in output or removed
        for batch in works.BATCHES:
            ids = {document["id"] for document in batch} - removed
            assert ids & kept in (ids, set()), "a batch is there whole or not at all"

    def again(self) -> tuple[str, ...]:
        return self.work


class Beside(_Library):
    """Sites, permissions, attestations, pages, the ledger, reviews and alerts, each stored and some of them removed."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.work = ("keep_beside", str(self.folder))

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        reported = set(acknowledged(ended.out))
        with whorl.open(self.folder, create=False) as library:
            kept = _beside(library)
            demand_there(library, {document["id"] for document in works.batch(0)})
            demand_sound(library)
        for name in reported & kept.keys():
            assert kept[name], f"{name} was acknowledged"
        assert {page["url"] for page in works.PAGES} & reported <= {url for url, *_ in kept["pages"]}
        for name, whole in (("sites", (2, 3)), ("permissions", (1, 2)), ("attestations", (3,)), ("outbox", (2,))):
            assert len(kept[name]) in (0, *whole), f"{name} are kept whole or not at all"
        assert ("without a site" in reported) <= (len(kept["sites"]) == 2)
        assert ("without a permission" in reported) <= (len(kept["permissions"]) == 1)
        assert ("outbox" in reported) <= (("first", "sent") in kept["outbox"])

    def again(self) -> tuple[str, ...]:
        return self.work

    def outcome(self) -> dict[str, Any]:
        result = super().outcome()
        with whorl.open(self.folder, create=False) as library:
            return result | _beside(library)


def _beside(library: whorl.Library) -> dict[str, Any]:
    """Return the records of a library other than its articles, without their times."""
    return {
        "sites": [site.to_dict() for site in library.sites],
        "permissions": [permission.to_dict() for permission in library.permissions],
        "attestations": [
            (attestation.document, attestation.kind, attestation.at) for attestation in library.attestations
        ],
        "pages": [(page.url, page.document, library.pages.body(page.digest)) for page in library.pages],
        "ledger": [record.kind for record in library.ledger],
        "reviews": [(decision.id, decision.other, decision.state, decision.by) for decision in library.reviews],
        "outbox": [(alert.key, alert.state) for alert in library.outbox],
    }


class Reindex(_Library):
    """``whorl library reindex``."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.work = ("program", "library", "reindex", str(self.folder))

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        with whorl.open(self.folder, create=False) as library:
            demand_there(library, {document["id"] for document in works.batch(0)})
            demand_sound(library)

    def again(self) -> tuple[str, ...]:
        return self.work


class _Index:
    """A saved index is opened, changed, and saved again."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "index"
        self._first = place / "saved"
        self._save_first(self._first)
        self._before = self._answers(self._first)
        self.whole: Any = None

    def _save_first(self, folder: Path) -> None:
        raise NotImplementedError

    def _answers(self, folder: Path) -> Any:
        raise NotImplementedError

    def begin(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._first, self.folder)

    def hold(self, ended: Ended) -> None:
        demand_told(ended)
        result = self.outcome()
        assert result in (self._before, self.whole), "the index is the old or the new one"
        if ended.status == 0:
            assert result == self.whole

    def again(self) -> tuple[str, ...] | None:
        return None if self.outcome() == self.whole else self.work

    def outcome(self) -> Any:
        return self._answers(self.folder)


class Keys(_Index):
    """A ``KeyIndex``."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.work = ("save_key_index", str(self.folder))

    def _save_first(self, folder: Path) -> None:
        index = whorl.indexes.KeyIndex()
        index.add(*works.key_rows(0))
        index.save(folder)

    def _answers(self, folder: Path) -> Any:
        index = whorl.indexes.KeyIndex.open(folder, mapped=False)
        index.verify()
        return len(index), [index.query([key], limit=10).hits for key in range(0, 600, 3)]


class Codes(_Index):
    """A ``HammingIndex``."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.work = ("save_hamming_index", str(self.folder))

    def _save_first(self, folder: Path) -> None:
        index = whorl.indexes.HammingIndex()
        index.add(*works.codes(0))
        index.save(folder)

    def _answers(self, folder: Path) -> Any:
        index = whorl.indexes.HammingIndex.open(folder, mapped=False)
        index.verify()
        values = [int(value) for first in (0, 1000) for value in works.codes(first)[0]]
        return len(index), [index.query(value).hits for value in values]


SCENARIOS: dict[str, type[Any]] = {
    "dedup": Dedup,
    "shards": Shards,
    "strip in shards": StripShards,
    "add": Add,
    "add to a new library": New,
    "batches": Batches,
    "beside": Beside,
    "reindex": Reindex,
    "key index": Keys,
    "hamming index": Codes,
}
"""All scenarios by name."""
