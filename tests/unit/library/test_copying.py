"""A library copied into another store gives the same results."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited, newsroom_articles
from tests.stores import place

import whorl
from whorl import stores
from whorl.errors import InputError, ResourceError, UsageError
from whorl.library.maintenance import copy as copying
from whorl.library.maintenance.blocks import PARTS, RowKinds
from whorl.library.maintenance.copy import copy

ROOT = Path(__file__).parents[3]
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
NAMED = {"nr-006", "nr-036", "nr-042", "nr-064", "nr-066"}
FOOT = "本报声明：转载须经授权，不得用于商业目的，违者必究；法律顾问与举报电话见本报第二版。"


def fill(library: whorl.Library) -> None:
    """Add records of every kind, with gaps from removals."""
    library.add([row for row in newsroom_articles() if row["id"] in NAMED or row["id"] < "nr-030"])
    library.add([{"id": "one", "text": article(1)}, {"id": "two", "text": article(2)}])
    library.add({"id": "near", "text": f"{article(1)}{article(2)}", "links": ["https://b.org", "https://a.org"]})
    library.add([{"id": f"foot {number}", "text": article(number + 50) + FOOT} for number in range(12)])
    library.add({"id": "near", "text": edited(article(1), 3), "first_seen_at": "2026-05-02", "url": "https://c.org"})
    library.remove(["nr-064", "nr-006", "foot 11"])
    library.collect(["nr-042"], "protected")
    library.review("nr-042", "nr-066", "rejected", by="a", note="不同")
    library.review("nr-042", "nr-036", "confirmed", by="b")
    library.reviews.undo("nr-042", "nr-036", by="c")
    library.review("one", "two", "confirmed", by="b")
    library.sites.put([{"domain": "例子.cn", "name": "例子", "trust": 0.5, "since": "2003", "update_cycle": "6h"}])
    library.permissions.put(
        [{"domain": "b.org", "path": "/转载"}, {"domain": "b.org", "until": "2027", "note": "合同"}]
    )
    library.attestations.put([{"document": "nr-042", "kind": "print", "at": "2026-03-05"}])
    for number in range(12):
        library.pages.keep(f"https://例子.cn/{number}", b"\0\xff%d" % (number // 2), document="one")
    library.cases.open("nr-042", "nr-036", by="c", note="转载")
    library.cases.record(1, "notice", to="例子", deadline="2027-01-01")
    library.ledger.note("manifest", "0" * 64)
    library.outbox.put([{"rule": "copies", "payload": {"页": number}, "key": f"{number}"} for number in range(3)])
    library.outbox.sent([1])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library with records of every kind, shared read-only."""
    place = tmp_path_factory.mktemp("copying") / "library"
    with whorl.open(place) as library:
        fill(library)
    return place


@pytest.fixture(params=stores.schemes())
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty location in each store."""
    return place(request.param, tmp_path)


def state_of(library: whorl.Library) -> dict[str, Any]:
    """Return all query results of a library, except for its index, its size on disk and its changes."""
    ids = sorted(library)
    return {
        "documents": list(library.export()),
        "ids": list(library),
        "reports": [library.report(id_).to_dict() for id_ in ids],
        "sightings": [library.sightings(id_) for id_ in ids],
        "former": library.get("near", revision=1),
        "clusters": library.clusters(at_least=1),
        "aliases": [_cluster(library, number) for number in range(1, 120)],
        "traces": [library.trace(cluster.id) for cluster in library.clusters()],
        "collections": library.collections(),
        "notices": library.notices(),
        "reviews": list(library.reviews),
        "sites": [list(library.sites), list(library.permissions), list(library.attestations)],
        "pages": [(page, library.pages.body(page.digest)) for page in library.pages],
        "ledger": list(library.ledger),
        "alerts": list(library.outbox),
        "cases": [(case, library.cases.events(case.number)) for case in library.cases],
        "stats": {name: count for name, count in library.stats().items() if name not in ("bytes", "index")},
        "faults": library.verify().faults,
    }


def _cluster(library: whorl.Library, number: int) -> object:
    try:
        return library.cluster(number)
    except UsageError:
        return None


def test_a_copy_tells_all_that_the_library_tells(filled: Path, target: str) -> None:
    copied = copy(filled, target)
    assert (copied.resumed, copied.faults, copied.documents) == (False, (), copied.rows["documents"])
    few = {kind for kind, count in copied.rows.items() if count == 0}
    assert few == {"sketches"}
    with whorl.open(filled) as library, whorl.open(target) as again:
        assert state_of(again) == state_of(library)


def test_a_copy_goes_on_as_the_library_would(filled: Path, target: str, tmp_path: Path) -> None:
    with whorl.open(filled) as library:
        library.backup(tmp_path / "backup")
    copy(filled, target)
    with whorl.open(tmp_path / "backup") as library, whorl.open(target) as again:
        for item in (library, again):
            item.add([{"id": "new", "text": edited(article(1), 2)}, {"id": "alone", "text": article(99)}])
            item.remove(["one"])
            item.outbox.put([{"rule": "copies", "payload": {}, "key": "new"}])
        original, others = state_of(library), state_of(again)
        same = ["ids", "clusters", "aliases", "notices", "reviews", "ledger", "stats", "faults"]
        assert {name: others[name] for name in same} == {name: original[name] for name in same}
        assert [alert.number for alert in again.outbox] == [alert.number for alert in library.outbox]


def test_a_copy_of_a_copy_is_the_same(filled: Path, target: str, tmp_path: Path) -> None:
    there, back = copy(filled, target), copy(target, tmp_path / "back")
    assert (back.rows, back.digests) == (there.rows, there.digests)
    with whorl.open(filled) as library, whorl.open(tmp_path / "back") as again:
        assert state_of(again) == state_of(library)


def test_who_followed_the_library_is_told_of_everything_in_the_copy(filled: Path, target: str) -> None:
    copy(filled, target)
    with whorl.open(filled) as library, whorl.open(target) as again:
        followed = library.changes(limit=100_000)
        assert {change.id for change in again.changes(followed.mark, limit=100_000).added} == set(library)


def test_two_libraries_after_a_copy_share_no_index(filled: Path, tmp_path: Path) -> None:
    copy(filled, tmp_path / "copy")
    identities = set()
    for item in (filled, tmp_path / "copy"):
        store = stores.open_store(str(item), create=False)
        identities.add(store.settings()["identity"])
        store.close()
    assert len(identities) == 2


class Stopped(Exception):
    pass


def stop_after(monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    """Fail a copy with an error after a number of blocks."""
    remaining = blocks

    def put(part: RowKinds) -> RowKinds:
        def counted(writer: Any, rows: Any) -> None:
            nonlocal remaining
            if remaining == 0:
                raise Stopped
            remaining -= 1
            part.put(writer, rows)

        return part._replace(put=counted)

    monkeypatch.setattr(copying, "PARTS", tuple(map(put, PARTS)))


@pytest.mark.parametrize("blocks", [0, 1, 4, 8])
def test_a_copy_goes_on_where_it_was(
    filled: Path, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int
) -> None:
    with monkeypatch.context() as patched:
        stop_after(patched, blocks)
        try:
            copy(filled, target)
            pytest.fail("the library is copied in fewer blocks")
        except Stopped:
            pass
    with pytest.raises(UsageError, match="is incomplete"):
        whorl.open(target)
    with pytest.raises(UsageError, match="is incomplete"):
        copy(target, tmp_path / "copy of a part")
    stopped = copy(filled, target)
    assert stopped.resumed
    with whorl.open(filled) as library, whorl.open(target) as again:
        assert list(again.export()) == list(library.export())
        assert again.verify().faults == ()


def test_a_killed_copy_goes_on(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": f"{number}", "text": article(number, 1000)} for number in range(3000)])
    command = [sys.executable, "-m", "whorl", "library", "copy", tmp_path / "library", tmp_path / "copy", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    log = tmp_path / "copy" / "library.sqlite-wal"
    while process.poll() is None and (not log.exists() or log.stat().st_size < 2_000_000):
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    copied = copy(tmp_path / "library", tmp_path / "copy")
    assert (copied.resumed, copied.documents, copied.faults) == (True, 3000, ())


def test_nothing_is_copied_over_another_library(filled: Path, tmp_path: Path) -> None:
    with whorl.open(tmp_path / "other") as other:
        other.add({"id": "a", "text": TEXT})
    for item in (tmp_path / "other", filled):
        with pytest.raises(UsageError, match="already contains a library"):
            copy(filled, item)
    with pytest.raises(InputError):
        copy(tmp_path / "nowhere", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with whorl.open(tmp_path / "other") as other:
        assert list(other) == ["a"]


def test_a_copy_is_not_continued_from_another_library_or_another_moment(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with whorl.open(tmp_path / "other") as other:
        other.add({"id": "a", "text": TEXT})
    with monkeypatch.context() as patched:
        stop_after(patched, 0)
        with pytest.raises(Stopped):
            copy(tmp_path / "other", tmp_path / "copy")
    with pytest.raises(UsageError, match="another library"):
        copy(filled, tmp_path / "copy")
    with whorl.open(tmp_path / "other") as other:
        other.add({"id": "b", "text": TEXT})
    with pytest.raises(UsageError, match="has changed since"):
        copy(tmp_path / "other", tmp_path / "copy")


def test_what_was_changed_unseen_between_two_goes_is_found_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "a", "text": TEXT})
    with monkeypatch.context() as patched:
        stop_after(patched, 6)
        with pytest.raises(Stopped):
            copy(tmp_path / "library", tmp_path / "copy")
    with whorl.open(tmp_path / "library") as library:
        library.sites.put([{"domain": "a.org"}])
    with pytest.raises(InputError, match="differs from the library: sites"):
        copy(tmp_path / "library", tmp_path / "copy")
    with pytest.raises(UsageError, match="is incomplete"):
        whorl.open(tmp_path / "copy")


def test_a_copy_is_of_one_moment_whoever_writes_meanwhile(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "a", "text": TEXT})
        added = []

        def advance(_: int) -> None:
            if not added:
                added.append(library.add({"id": "b", "text": f"{TEXT}第二天又添了一台。"}))

        copied = copy(tmp_path / "library", tmp_path / "copy", advance=advance)
        assert (copied.documents, len(library), len(added)) == (1, 2, 1)
    with whorl.open(tmp_path / "copy") as again:
        assert list(again) == ["a"]


def test_two_copies_to_one_place_are_not_mixed(filled: Path, tmp_path: Path) -> None:
    began: list[int] = []

    def advance(_: int) -> None:
        if not began:
            began.append(1)
            copy(filled, tmp_path / "copy")

    with pytest.raises(ResourceError, match="another process is copying"):
        copy(filled, tmp_path / "copy", advance=advance)
    with whorl.open(tmp_path / "copy") as again:
        assert again.verify().faults == ()
