"""Evidence of a case: any revision that was seen, with the log of requests, and the letter of a notice."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from tests.unit.tasks.test_evidence import COPY, ORIGINAL, PAGE, forged, members

import whorl
from whorl.errors import NotFoundError, UsageError
from whorl.library import Library
from whorl.tasks.evidence.case_members import CASE
from whorl.tasks.evidence.checks import verify_evidence
from whorl.tasks.evidence.pack import pack_evidence
from whorl.tasks.library.notices import send_notice
from whorl.types.cases import CopyDetails, PageCheck

URL = "https://copies.example/7"
NOW = datetime(2026, 3, 2, 1, tzinfo=UTC)
HOSTILE = "</p><script>alert(1)</script>&amp;\u202e冰厂"
OTHER = "今天天气很好，适合出门散步，公园里人来人往，孩子们放起了风筝，老人们下着棋。"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Return a library with a copy that was found, confirmed, rewritten and removed."""
    library = whorl.open(tmp_path / "newsroom")
    library.sites.put([{"domain": "copies.example", "name": HOSTILE}])
    library.add({"id": "a1", "text": ORIGINAL, "title": HOSTILE, "collection": "protected"})
    library.add({"id": "b7", "text": COPY, "url": URL, "title": "转载", "collection": "watched"})
    page = library.pages.keep(URL, PAGE, at=NOW, document="b7")
    copy = CopyDetails("b7", "a1", "site", 1, "excerpt", "copy", share=1.0, length=42, snapshot=page.number)
    _check(library, 0, 200, "there", (copy,))
    _check(library, 1, 304, "there", None)
    library.add({"id": "b7", "text": OTHER})
    library.pages.keep(URL, b"<p>rewritten</p>", at=NOW + timedelta(days=2), document="b7")
    _check(library, 2, 200, "changed", ())
    _check(library, 3, 404, "gone", None)
    return library


def _check(library: Library, day: int, status: int, outcome: str, copies: tuple[CopyDetails, ...] | None) -> None:
    library.cases.observe(PageCheck(URL, NOW + timedelta(days=day), status, outcome, copies=copies))


def test_a_pack_shows_the_revision_with_the_copy_after_the_page_was_rewritten(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    pack_evidence(library, "b7", "a1", path, zone="Asia/Shanghai", operator="梅", pdf=False)
    files = members(path)
    assert files["copy/text.txt"].decode() == COPY
    assert files["copy/latest.txt"].decode() == OTHER
    assert files["copy/page-1.body"] == PAGE
    case = json.loads(files[CASE])
    assert case["state"] == "removed"
    checks = [event["data"]["status"] for event in case["events"] if event["kind"] == "fetched"]
    assert checks == [200, 304, 200, 404]
    report = files["report.html"].decode()
    assert "梅" in report
    assert "2026-03-02 09:00 +08:00 (2026-03-02 01:00 UTC)" in report
    assert "<script>" not in report
    checked = verify_evidence(path, library)
    assert (checked.is_sound, checked.faults) == (True, ())


def test_a_revision_is_chosen_without_a_case(library: Library, tmp_path: Path) -> None:
    library.add({"id": "c", "text": COPY, "url": "https://other.example/1"})
    library.add({"id": "c", "text": OTHER})
    pack_evidence(library, "c", "a1", tmp_path / "pack.zip", pdf=False)
    assert members(tmp_path / "pack.zip")["copy/text.txt"].decode() == COPY
    with pytest.raises(NotFoundError, match="no text in common"):
        pack_evidence(library, "c", "a1", tmp_path / "none.zip", pdf=False, revision=2)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda case: case["events"][1]["data"].update(status=404), "case.json differs from the ledger entry"),
        (lambda case: case["events"].pop(), "is not about the pack"),
        (lambda case: case.update(events="none"), "case.json differs from the ledger entry"),
    ],
)
def test_an_altered_case_is_detected(library: Library, tmp_path: Path, change: Any, fault: str) -> None:
    path = tmp_path / "pack.zip"
    pack_evidence(library, "b7", "a1", path, pdf=False)
    case = json.loads(members(path)[CASE])
    change(case)
    checked = verify_evidence(forged(path, {CASE: json.dumps(case).encode()}))
    assert not checked.is_sound
    assert any(fault in message for message in checked.faults)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_letter_is_written_and_recorded(library: Library, tmp_path: Path, language: Any) -> None:
    _check(library, 4, 200, "there", (CopyDetails("b7", "a1", "site", 1, "excerpt", "copy", share=1.0, length=42),))
    for name in ("letter.html", "letter.docx"):
        path = tmp_path / name
        case = send_notice(
            library, 1, path, sender=HOSTILE, deadline="2026-04-01T00:00:00+08:00", zone="Asia/Shanghai",
            language=language,
        )  # fmt: skip
        assert case.state == "noticed"
        event = library.cases.events(1)[-1]
        assert event.data["sha256"] == sha256(path.read_bytes()).hexdigest()
    html = (tmp_path / "letter.html").read_text("utf-8")
    word = zipfile.ZipFile(BytesIO((tmp_path / "letter.docx").read_bytes())).read("word/document.xml").decode()
    for text in (html, word):
        assert all(part not in text for part in ("<script>", "\u202e"))
        assert all(part in text for part in (URL, "2026-04-01 00:00 +08:00"))
    files = [str(tmp_path / name) for name in ("letter.docx", "letter.html")]
    assert whorl.compare_files(*files).result.ratios.copied > 0.95
    with pytest.raises(UsageError, match="cannot be written"):
        send_notice(library, 1, tmp_path / "letter.odt")
    library.cases.record(1, "closed")
    with pytest.raises(UsageError, match="case 1 is closed"):
        send_notice(library, 1)
