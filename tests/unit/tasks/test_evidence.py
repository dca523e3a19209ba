import json
import shutil
import zipfile
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import pytest

import whorl
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.library import Library
from whorl.library.ledger import chained
from whorl.tasks.evidence.archives import MANIFEST, json_bytes, manifest_of, packed
from whorl.tasks.evidence.checks import verify_evidence
from whorl.tasks.evidence.pack import LEDGER_KIND, PackedEvidence, pack_evidence
from whorl.tasks.timestamps import request

ORIGINAL = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。老渔民说，这在从前想也不敢想。"
COPY = f"据本报消息，{ORIGINAL}更多消息请看明天。"
PAGE = f"<html><script>alert(1)</script><p>{COPY}</p>".encode("gb18030")
AT = "2026-03-05T06:07:08Z"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = whorl.open(tmp_path / "newsroom")
    library.add(
        [
            {
                "id": "a1",
                "text": ORIGINAL,
                "title": "冰厂扩建",
                "collection": "protected",
                "published_at": "2026-03-01",
            },
            {"id": "b7", "text": COPY, "url": "https://copies.example/7", "collection": "watched"},
            {"id": "c", "text": "今天天气很好，适合出门散步，公园里人来人往，孩子们放起了风筝。"},
        ]
    )
    url = "https://copies.example/7"
    library.pages.keep(url, PAGE, at="2026-03-02T01:00:00Z", headers={"Content-Type": "text/html"}, document="b7")
    library.pages.keep(url, b"", at="2026-03-03T01:00:00Z", status=304, document="b7")
    library.pages.keep(url, PAGE + b"<p>more</p>", at="2026-03-04T01:00:00Z", document="b7")
    library.review("b7", "a1", "confirmed", by="editor")
    return library


def pack(library: Library, path: Path) -> PackedEvidence:
    return pack_evidence(library, "b7", "a1", path, pdf=False)


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_pack_is_complete(library: Library, tmp_path: Path) -> None:
    pack = pack_evidence(library, "b7", "a1", tmp_path / "pack.zip", zone="Asia/Shanghai")
    members_by_name = members(tmp_path / "pack.zip")
    assert pack.absent == ("original/page",)
    assert members_by_name["copy/page-1.body"] == PAGE
    assert members_by_name["copy/page-3.body"] == PAGE + b"<p>more</p>"
    assert members_by_name["copy/text.txt"].decode() == COPY
    assert members_by_name["original/text.txt"].decode() == ORIGINAL
    output = json.loads(members_by_name["copy/page-1.json"])
    assert output["headers"] == [["Content-Type", "text/html"]]
    assert output["fetched_at"] == {
        "utc": "2026-03-02T01:00:00.000000+00:00",
        "local": "2026-03-02T09:00:00.000000+08:00",
    }
    assert [fetch["status"] for fetch in json.loads(members_by_name["fetches.json"])] == [200, 304, 200]
    (passage,) = json.loads(members_by_name["comparison.json"])["passages"]
    assert passage["original"] == passage["copy"] == ORIGINAL
    assert json.loads(members_by_name["match.json"])["id"] == "a1"
    assert json.loads(members_by_name["decisions.json"])[0]["by"] == "editor"
    assert members_by_name["report.html"].startswith(b"<!doctype html>")
    assert members_by_name["report.pdf"].startswith(b"%PDF")
    assert members_by_name["manifest.tsq"] == request(sha256(members_by_name["manifest.json"]).hexdigest())
    last = library.ledger.last()
    assert last is not None
    assert (last.kind, last.digest, last.number) == ("evidence", pack.manifest, pack.number)


def test_the_same_evidence_makes_the_same_bytes(library: Library, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        pack_evidence(library, "b7", "a1", tmp_path / name, at=AT, zone="UTC")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert [entry.kind for entry in library.ledger].count("evidence") == 1


def test_a_valid_pack_lists_what_it_proves(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    alone, beside = verify_evidence(path), verify_evidence(path, library)
    assert alone.is_sound
    assert beside.is_sound
    assert (beside.id, beside.other) == ("b7", "a1")
    assert len(beside.proven) == len(alone.proven) + 1
    assert any("ledger of the library" in sentence for sentence in beside.proven)
    assert any("library" in sentence for sentence in alone.unproven)
    assert any("who wrote first" in sentence for sentence in beside.unproven)
    assert any("“a1”" in sentence for sentence in beside.unproven)


def forged(path: Path, changes: dict[str, bytes]) -> Path:
    """Return a pack that was rebuilt after a change, with a matching manifest."""
    members_by_name = members(path)
    output = json.loads(members_by_name[MANIFEST])
    inside = {
        name: changes.get(name, members_by_name[name]) for name in (entry["name"] for entry in output.pop("members"))
    }
    del output["format"], output["version"]
    manifest = manifest_of(inside, output)
    outside = {"ledger.json": members_by_name["ledger.json"], "manifest.tsq": request(sha256(manifest).hexdigest())}
    path.write_bytes(packed({**inside, MANIFEST: manifest, **outside, **changes}))
    return path


def test_a_changed_member_is_found(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    members_by_name = members(path)
    path.write_bytes(
        packed(
            {**members_by_name, "copy/text.txt": members_by_name["copy/text.txt"].replace("冰".encode(), "水".encode())}
        )
    )
    checked = verify_evidence(path)
    assert not checked.is_sound
    assert checked.faults[0] == "copy/text.txt was altered"


def test_forged_manifest_is_not_in_the_ledger(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    checked = verify_evidence(forged(path, {"copy/text.txt": "水".encode()}))
    assert not checked.is_sound
    assert "no ledger entry is about this manifest" in " ".join(checked.faults)


def test_forged_page_is_not_in_the_ledger(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    snapshot = json.loads(members(path)["copy/page-1.json"])
    snapshot["digest"] = sha256(b"another").hexdigest()
    checked = verify_evidence(
        forged(path, {"copy/page-1.body": b"another", "copy/page-1.json": json.dumps(snapshot).encode()})
    )
    assert any("copy/page-1.json" in fault for fault in checked.faults)


def test_a_forged_ledger_is_not_that_of_the_library(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    with whorl.open(tmp_path / "another") as another:
        another.add([library.get("a1"), library.get("b7")])
        pack(another, path)
    assert verify_evidence(path).is_sound
    assert not verify_evidence(path, library).is_sound


@pytest.mark.parametrize("ledger", [b"", b"{}", b"[1]", b'[{"number": 1e999}]', b'[{"number": "x"}]'])
def test_a_ledger_that_cannot_be_read_proves_nothing(library: Library, tmp_path: Path, ledger: bytes) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    path.write_bytes(packed({**members(path), "ledger.json": ledger}))
    assert not verify_evidence(path, library).is_sound


def test_the_ledger_is_said_to_have_a_pack_only_if_it_has_its_manifest(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    created = pack(library, path)
    sound = members(path)
    (proven,) = (sentence for sentence in verify_evidence(path, library).proven if "ledger of the library" in sentence)
    assert f"entry {created.number}," in proven
    entries = json.loads(sound["ledger.json"])
    without = json_bytes([entry for entry in entries if entry["kind"] != LEDGER_KIND])
    altered: list[dict[str, bytes]] = [
        {"ledger.json": b"[]\n"},
        {"ledger.json": without},
        {"ledger.json": json_bytes([*entries, entries[0] | {"note": "hidden"}])},
        {"ledger.json": sound["ledger.json"] + b"\n\n"},
        {"copy/text.txt": "水".encode()},
        {"report.html": b"<h1>Someone else copied</h1>"},
    ]
    for changes in altered:
        path.write_bytes(packed({**sound, **changes}))
        checked = verify_evidence(path, library)
        assert not checked.is_sound
        assert checked.faults
        assert checked.proven == ()
    for changes in altered[4:]:
        path.write_bytes(packed(sound))
        checked = verify_evidence(forged(path, changes), library)
        assert "the ledger of the library does not contain the manifest of this pack" in checked.faults
        assert checked.proven == ()


def test_a_pack_of_another_library_with_as_many_entries_is_not_proven(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    created = pack(library, path)
    with whorl.open(tmp_path / "another") as another:
        for number in range(created.number):
            another.ledger.note(LEDGER_KIND, f"{number:064x}")
        checked = verify_evidence(path, another)
    assert "the ledger of the library does not contain the manifest of this pack" in checked.faults
    assert checked.proven == ()


def test_a_consistent_forgery_with_its_own_ledger_is_not_in_the_library(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    forged(path, {"copy/text.txt": "水".encode()})
    content = members(path)
    digest = sha256(content[MANIFEST]).hexdigest()
    entries = json.loads(content["ledger.json"])
    for entry in entries:
        if entry["kind"] == LEDGER_KIND:
            at = datetime.fromisoformat(entry["at"])
            entry["digest"] = digest
            entry["chain"] = chained(entry["previous"], entry["number"], at, LEDGER_KIND, digest)
    path.write_bytes(packed({**content, "ledger.json": json_bytes(entries)}))
    alone = verify_evidence(path)
    assert alone.is_sound
    assert any("library recorded it" in sentence for sentence in alone.unproven)
    assert not any("ledger of the library" in sentence for sentence in alone.proven)
    assert verify_evidence(path, library).proven == ()


def test_a_member_that_no_digest_covers_is_a_fault(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    content = members(path)
    described = json.loads(content[MANIFEST])
    described["outside"].append("hidden.bin")
    path.write_bytes(packed({**content, MANIFEST: json_bytes(described), "hidden.bin": b"x"}))
    assert "the manifest has no digest of hidden.bin" in verify_evidence(path).faults


def test_what_lies_beside_a_pack_is_read_as_its_time_stamp(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    (tmp_path / "pack.tsr").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"pack\.tsr"):
        verify_evidence(path)


def test_user_mistakes_are_reported(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    with pytest.raises(NotFoundError, match="document 'none' not found"):
        pack_evidence(library, "none", "a1", path)
    with pytest.raises(NotFoundError, match="no text in common"):
        pack_evidence(library, "c", "a1", path)
    with pytest.raises(UsageError, match="unknown time zone"):
        pack_evidence(library, "b7", "a1", path, zone="Moon/Base")
    path.write_text("something else")
    with pytest.raises(UsageError, match="already exists"):
        pack(library, path)
    assert path.read_text() == "something else"


def test_a_pack_outlives_its_library(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack(library, path)
    library.close()
    shutil.rmtree(tmp_path / "newsroom")
    assert verify_evidence(path).is_sound
