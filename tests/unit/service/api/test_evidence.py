"""Evidence packs created and read over HTTP, and the ledger."""

from __future__ import annotations

import io
import zipfile

import httpx
import pytest
from tests.unit.service.api.newsroom import ALONE, COPY, PAPER

REQUEST = {"id": COPY, "other": PAPER, "zone": "Asia/Shanghai", "pdf": False}


@pytest.fixture
def pack(desk: httpx.Client) -> bytes:
    """Return a pack of the copy."""
    answer = desk.post("/evidence", json=REQUEST)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert answer.headers["content-disposition"].startswith('attachment; filename="evidence-')
    return answer.content


def verified(desk: httpx.Client, pack: bytes, **more: tuple[str, bytes]) -> httpx.Response:
    address = f"{str(desk.base_url).rpartition('/libraries/')[0]}/evidence/verify"
    files = {"pack": ("any name", pack), **more}
    return httpx.post(address, files=files, params={"library": "news"}, timeout=60)


def test_a_pack_is_made_noted_and_read_back(desk: httpx.Client, pack: bytes) -> None:
    assert "report.html" in zipfile.ZipFile(io.BytesIO(pack)).namelist()
    body = verified(desk, pack).json()
    assert (body["is_sound"], body["id"], body["other"], body["faults"]) == (True, COPY, PAPER, [])
    assert len(body["proven"]) == 3
    (record,) = desk.get("/ledger").json()["items"]
    assert (record["kind"], record["digest"]) == ("evidence", body["manifest"])


def test_what_was_altered_is_told_in_the_language_of_the_request(desk: httpx.Client, pack: bytes) -> None:
    altered = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(pack)) as archive, zipfile.ZipFile(altered, "w") as other:
        for member in archive.infolist():
            other.writestr(member, archive.read(member).replace("冰厂".encode(), "鱼厂".encode()))
    address = f"{str(desk.base_url).rpartition('/libraries/')[0]}/evidence/verify"
    english, chinese = (
        httpx.post(address, files={"pack": altered.getvalue()}, params={"lang": language}).json()
        for language in ("en", "zh")
    )
    assert (english["is_sound"], chinese["is_sound"]) == (False, False)
    assert "copy/text.txt was altered" in english["faults"]
    assert english["faults"] != chinese["faults"]
    assert len(english["faults"]) == len(chinese["faults"])


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x05\x06" + bytes(18), b"\0" * 100_000])
def test_what_is_no_pack_is_told_without_a_path(desk: httpx.Client, content: bytes) -> None:
    answer = verified(desk, content)
    assert (answer.status_code, answer.json()["code"]) == (422, "input")
    assert "uploads" not in answer.text
    assert "pack.zip" in answer.json()["detail"]


def test_a_time_stamp_that_is_none_is_told_without_a_path(desk: httpx.Client, pack: bytes) -> None:
    answer = verified(desk, pack, timestamp=("a.tsr", b"none"))
    assert answer.status_code == 422
    assert "uploads" not in answer.text


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"other": "none"}, "not-found"),
        ({"other": ALONE}, "not-found"),
        ({"zone": "../../etc/passwd"}, "usage"),
        ({"zone": "Nowhere/None"}, "usage"),
        ({"to": "/tmp/pack.zip"}, "invalid"),
    ],
)
def test_what_cannot_be_packed_is_told_and_not_noted(desk: httpx.Client, wrong: dict[str, str], code: str) -> None:
    assert desk.post("/evidence", json=REQUEST | wrong).json()["code"] == code
    assert desk.get("/ledger").json()["items"] == []


def test_the_ledger_comes_page_by_page(desk: httpx.Client) -> None:
    for _ in range(3):
        desk.post("/evidence", json=REQUEST)
    first = desk.get("/ledger", params={"limit": 2}).json()
    rest = desk.get("/ledger", params={"limit": 2, "cursor": first["next"]}).json()
    assert [item["number"] for item in first["items"] + rest["items"]] == [1, 2, 3]
    assert rest["next"] is None
    assert desk.get("/ledger", params={"cursor": "W10"}).json()["code"] == "usage"
