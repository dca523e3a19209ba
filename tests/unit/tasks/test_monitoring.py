"""Sites, reprinters, attestations and pages of a library, exported to files and imported."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import whorl
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.tasks.library.monitoring import KINDS, export_rows, import_rows

TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[whorl.Library]:
    with whorl.open(tmp_path / "library") as opened:
        opened.add({"id": "a", "text": TEXT})
        opened.sites.put([{"domain": "例子.cn", "name": "例子", "trust": 0.5, "since": "2003", "update_cycle": "6h"}])
        opened.permissions.put([{"domain": "b.org", "path": "/转载", "author": "边", "until": "2027", "note": "合同"}])
        opened.accounts.put([{"author": "边", "domain": "b.org", "path": "/边", "by": "mei", "note": "合同"}])
        opened.attestations.put([{"document": "a", "kind": "print", "at": "2026-03-05"}])
        opened.pages.keep("https://例子.cn/a", b"\0\xff", headers=[("A", "b"), ("A", "c")], document="a")
        opened.pages.keep("https://b.org/gone", b"", status=404)
        yield opened


def rows_of(library: whorl.Library, folder: Path) -> dict[str, list[dict[str, Any]]]:
    report = {}
    for kind in KINDS:
        path = folder / f"{kind}.jsonl"
        export_rows(library, kind, path)
        report[kind] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return report


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "jsonl.zst"])
def test_everything_comes_back(library: whorl.Library, tmp_path: Path, suffix: str) -> None:
    written = {kind: export_rows(library, kind, tmp_path / f"{kind}.{suffix}").rows for kind in KINDS}
    assert written == {"sites": 1, "permissions": 1, "accounts": 1, "attestations": 1, "snapshots": 2}
    with whorl.open(tmp_path / "again") as again:
        again.add({"id": "a", "text": TEXT})
        for kind in KINDS:
            assert import_rows(again, kind, tmp_path / f"{kind}.{suffix}").kept == written[kind]
        (tmp_path / "first").mkdir()
        (tmp_path / "second").mkdir()
        assert rows_of(again, tmp_path / "first") == rows_of(library, tmp_path / "second")
        assert again.pages.body(next(iter(again.pages)).digest) == b"\0\xff"
        assert again.verify().faults == ()


def test_stored_pages_are_skipped(library: whorl.Library, tmp_path: Path) -> None:
    export_rows(library, "snapshots", tmp_path / "pages.jsonl")
    again = import_rows(library, "snapshots", tmp_path / "pages.jsonl")
    assert (again.kept, again.known, len(library.pages)) == (0, 2, 2)


def test_a_backup_has_everything(library: whorl.Library, tmp_path: Path) -> None:
    library.backup(tmp_path / "copy")
    with whorl.open(tmp_path / "copy") as copy:
        (tmp_path / "first").mkdir()
        (tmp_path / "second").mkdir()
        assert rows_of(copy, tmp_path / "first") == rows_of(library, tmp_path / "second")
        assert list(copy.ledger) == list(library.ledger)


@pytest.mark.parametrize(
    ("kind", "second", "message"),
    [
        ("sites", {"domain": "a.org", "trust": 2}, "invalid trust of Site: 2"),
        ("sites", {"domain": "no domain"}, "is not a domain"),
        ("sites", [], "expected a JSON object, found a list"),
        ("permissions", {"domain": "a.org", "since": "soon"}, "since of Permission is not a valid time"),
        ("attestations", {"document": "b", "kind": "print", "at": "2026"}, "document 'b' not found"),
        ("attestations", {"document": "a", "at": "2026"}, "Attestation lacks kind"),
        ("snapshots", {"url": "u", "body": "?"}, "body: expected Base64"),
        ("snapshots", {"url": "u", "body": "", "digest": "ab" * 32}, "digest of the body does not match"),
        ("snapshots", {"url": "u", "body": "", "document": "b"}, "document 'b' not found"),
        ("snapshots", {"url": 7, "body": ""}, "url of"),
    ],
)
def test_mistakes_have_file_and_line(
    library: whorl.Library, tmp_path: Path, kind: Any, second: Any, message: str
) -> None:
    good = {
        "sites": {"domain": "new.org"},
        "permissions": {"domain": "new.org"},
        "attestations": {"document": "a", "kind": "log", "at": "2026"},
        "snapshots": {"url": "new", "body": b64encode(b"x").decode()},
    }[kind]
    before = library.stats()[kind]
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(good)}\n\n{json.dumps(second)}\n{json.dumps(good)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"rows\.jsonl, line 3: .*{message}") as caught:
        import_rows(library, kind, path)
    assert caught.value.hint
    assert library.stats()[kind] == before


def test_invalid_row_file_is_refused(library: whorl.Library, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text('{"domain": "a.org"}\n{"domain": ', encoding="utf-8")
    with pytest.raises(InputError, match=r"broken\.jsonl, line 2: not JSON"):
        import_rows(library, "sites", tmp_path / "broken.jsonl")
    (tmp_path / "sites.csv").write_text("domain\na.org\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^[^ ]*sites\.csv is not a JSON Lines file"):
        import_rows(library, "sites", tmp_path / "sites.csv")
    cut = gzip.compress(b'{"domain": "a.org"}\n' * 10_000)[:-30]
    (tmp_path / "cut.jsonl.gz").write_bytes(cut)
    with pytest.raises(InputError, match=r"cut\.jsonl\.gz"):
        import_rows(library, "sites", tmp_path / "cut.jsonl.gz")
    with pytest.raises(InputError):
        import_rows(library, "sites", tmp_path / "none.jsonl")
    with pytest.raises(NotFoundError, match="there is no kind 'pages'"):
        import_rows(library, "pages", tmp_path / "broken.jsonl")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="already exists"):
        export_rows(library, "sites", tmp_path / "sites.csv")
    assert len(library.sites) == 1
