"""Cohort pages: a class is uploaded, compared, shown, decided and exported."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest
from lxml import html
from tests.serving import served, settings_of, state_of

import whorl

PAGE = {"Accept": "text/html", "Accept-Language": "en"}
COHORTS = "/libraries/news/cohorts"
SHARED = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了，码头上从早到晚都有车。"
OTHER = "山里的小学昨天来了一位新老师，孩子们都很高兴，家长们也来学校看她。"
ESSAYS = {"林一.txt": f"冰厂的经营\n{SHARED}{OTHER}", "陈二.txt": f"码头与冰\n{SHARED}", "赵三.txt": OTHER[::-1]}


@pytest.fixture
def asking(client: httpx.Client) -> httpx.Client:
    client.headers.update(PAGE)
    return client


def packed(files: dict[str, str | bytes]) -> bytes:
    """Return a ZIP."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def begin(client: httpx.Client, files: dict[str, str | bytes] | bytes, **fields: str) -> httpx.Response:
    uploads = (
        [("manuscripts", ("class.zip", files))]
        if isinstance(files, bytes)
        else [("manuscripts", (name, content)) for name, content in files.items()]
    )
    return client.post(COHORTS, files=uploads, data={"quotations": "true", **fields})


def finished(client: httpx.Client, begun: httpx.Response) -> tuple[str, html.HtmlElement]:
    assert begun.status_code == 303, begun.text
    place = begun.headers["location"]
    late = monotonic() + 60
    while monotonic() < late:
        page = html.fromstring(client.get(place).text)
        assert not page.xpath("//script[not(@src)] | //*[@style]")
        if not page.xpath("//*[@data-job]"):
            return place.partition("on=")[2], page
        sleep(0.1)
    raise AssertionError("the cohort does not end")


def test_a_class_is_compared_decided_and_exported(asking: httpx.Client) -> None:
    id, page = finished(asking, begin(asking, ESSAYS, title="渔港班", examiner="周老师"))
    rows = {
        row.xpath("string(th//small)"): row.text_content() for row in page.xpath("//section[@id='class']//tbody/tr")
    }
    assert set(rows) == set(ESSAYS)
    assert "100.0%" in rows["陈二.txt"]
    assert "–" in rows["赵三.txt"]
    report = asking.get(page.xpath("string(//tr//th/a/@href)"))
    assert report.status_code == 200
    assert "script-src" not in report.headers["content-security-policy"]
    assert "default-src 'none'" in report.headers["content-security-policy"]
    overview = asking.get(f"{COHORTS}/{id}/files/index.html")
    assert "周老师" in overview.text

    decided = asking.post(
        f"{COHORTS}/{id}/decisions", data={"manuscript": "陈二.txt", "decision": "discuss", "note": "<b>面谈</b>"}
    )
    assert decided.status_code == 303
    listed = html.fromstring(asking.get(decided.headers["location"]).text)
    (row,) = [row for row in listed.xpath("//section[@id='class']//tbody/tr") if "陈二.txt" in row.text_content()]
    assert "to be discussed" in row.text_content()
    assert "<b>面谈</b>" in row.text_content()
    table = asking.get(f"{COHORTS}/{id}/decisions.csv")
    assert "陈二.txt" in table.text
    assert "discuss" in table.text
    asking.post(f"{COHORTS}/{id}/decisions", data={"manuscript": "陈二.txt", "decision": ""})
    assert "discuss" not in asking.get(f"{COHORTS}/{id}/decisions.csv").text

    result = asking.get(f"/v1/jobs/{id}/result")
    with zipfile.ZipFile(io.BytesIO(result.content)) as archive:
        names = set(archive.namelist())
        assert {"index.html", "class.xlsx", "pairs.csv", "reports/陈二.txt.html"} <= names
        assert not any(name.startswith("state") for name in names)
        assert json.loads(archive.read("cohort.json"))["out"] == "."


@pytest.mark.parametrize("is_zip", [False, True])
def test_late_manuscripts_are_added_to_a_class(asking: httpx.Client, is_zip: bool) -> None:
    id, _ = finished(asking, begin(asking, ESSAYS, title="渔港班", examiner="周老师"))
    for name in ("陈二.txt", "赵三.txt"):
        asking.post(f"{COHORTS}/{id}/decisions", data={"manuscript": name, "decision": "discuss"})
    late: dict[str, str | bytes] = {"吴四.txt": f"冰与船\n{SHARED}", "赵三.txt": SHARED[::-1]}
    again, page = finished(asking, begin(asking, packed(late) if is_zip else late, after=id, title="别班"))
    rows = {
        row.xpath("string(th//small)"): row.text_content() for row in page.xpath("//section[@id='class']//tbody/tr")
    }
    assert set(rows) == {*ESSAYS, "吴四.txt"}
    assert "100.0%" in rows["吴四.txt"]
    assert "to be discussed" in rows["陈二.txt"].partition("none")[0]
    assert "to be discussed" not in rows["赵三.txt"].partition("none")[0]
    assert page.xpath("string(//section[@id='class']/h2)") == "渔港班"
    assert "周老师" in asking.get(f"{COHORTS}/{again}/files/index.html").text
    assert asking.get(f"{COHORTS}/{id}/files/index.html").status_code == 200


def test_manuscripts_are_not_added_to_what_is_no_cohort(asking: httpx.Client) -> None:
    assert begin(asking, ESSAYS, after="00ff").status_code == 404
    assert begin(asking, ESSAYS, after="../x").status_code == 404
    id, _ = finished(asking, begin(asking, {"a.zip": b"PK"}))
    assert begin(asking, ESSAYS, after=id).status_code == 404
    refused = asking.post("/v1/libraries/news/jobs/cohort", params={"after": "00ff"}, content=packed(dict(ESSAYS)))
    assert refused.status_code == 404


def test_manuscripts_are_not_added_to_a_cohort_of_another_library(tmp_path: Path) -> None:
    with (
        served(settings_of(tmp_path, "news", "theses")) as address,
        httpx.Client(base_url=address, timeout=60, headers=PAGE) as asking,
    ):
        id, _ = finished(asking, begin(asking, ESSAYS))
        other = "/libraries/theses"
        files = [("manuscripts", ("吴四.txt", SHARED))]
        assert asking.post(f"{other}/cohorts", files=files, data={"after": id}).status_code == 404
        late = asking.post(f"/v1{other}/jobs/cohort", params={"after": id}, content=packed(dict(ESSAYS)))
        assert late.status_code == 404


def test_a_zip_is_unpacked_without_what_is_hidden(asking: httpx.Client) -> None:
    hidden = {"__MACOSX/林一/._论文.txt": "x", "林一/.DS_Store": "x", "../../etc/张四.txt": SHARED, "空/": ""}
    files = {"林一/论文.txt": SHARED, "陈二/论文.txt": SHARED, **hidden}
    _, page = finished(asking, begin(asking, packed(files)))
    names = page.xpath("//section[@id='class']//tbody/tr/th/small/bdi[1]/text()")
    assert set(names) == {"林一/论文.txt", "陈二/论文.txt", "etc/张四.txt"}


def test_what_cannot_be_read_is_listed(asking: httpx.Client) -> None:
    files = {**ESSAYS, "class.parquet": b"PAR1xxxxPAR1", "broken.docx": b"PK\x03\x04nothing"}
    _, page = finished(asking, begin(asking, files))
    rows = page.xpath("//section[@id='class']//tbody/tr[td[@colspan]]")
    assert {row.xpath("string(th)") for row in rows} == {"class.parquet", "broken.docx"}
    assert "not accepted" in next(row.text_content() for row in rows if "parquet" in row.text_content())


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (b"PK\x03\x04 no archive", "the ZIP cannot be read"),
        (packed({"a.parquet": b"PAR1"}), "no manuscript can be read"),
    ],
)
def test_a_class_that_cannot_be_read_fails_with_the_reason(asking: httpx.Client, files: bytes, reason: str) -> None:
    begun = begin(asking, files)
    _, page = finished(asking, begun)
    assert reason in page.xpath("string(//div[@class='notice wrong'])")


def test_no_file_is_a_mistake(asking: httpx.Client) -> None:
    answer = asking.post(COHORTS, data={"title": "x"})
    assert answer.status_code == 422
    assert "there are no manuscripts" in answer.text
    answer = begin(asking, ESSAYS, min_length="7")
    assert answer.status_code == 422
    assert asking.get(f"{COHORTS}?on=nothing").status_code == 404


def test_only_the_files_of_a_cohort_are_shown(asking: httpx.Client) -> None:
    id, _ = finished(asking, begin(asking, ESSAYS))
    for name in (
        "state/index.json",
        "../manuscripts/林一.txt",
        "%2e%2e/%2e%2e/%2e%2e/service.sqlite",
        "cohort.json",
        "",
        "%00",
        "a%00.html",
        "..%00/index.html",
        f"{'x' * 5000}.html",
        "reports",
    ):
        assert asking.get(f"{COHORTS}/{id}/files/{name}").status_code == 404, name


def test_earlier_articles_of_the_library_are_sources(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": "old", "text": SHARED, "title": "旧文"})
    with served(settings) as address, httpx.Client(base_url=address, timeout=60, headers=PAGE) as asking:
        _, page = finished(asking, begin(asking, {"陈二.txt": SHARED}, earlier="true"))
        assert "旧文" in page.xpath("string(//section[@id='class'])")
        _, page = finished(asking, begin(asking, {"陈二.txt": SHARED}))
        assert "旧文" not in page.xpath("string(//section[@id='class'])")


def test_a_program_uploads_a_zip(client: httpx.Client) -> None:
    begun = client.post(
        "/v1/libraries/news/jobs/cohort", params={"title": "渔港班"}, content=packed(dict(ESSAYS)),
        headers={"Content-Type": "application/zip"},
    )  # fmt: skip
    assert begun.status_code == 202
    late = monotonic() + 60
    while (job := client.get(begun.headers["location"]).json())["state"] in ("queued", "running"):
        assert monotonic() < late
        sleep(0.1)
    assert job["result"] == {
        "title": "渔港班", "manuscripts": 3, "unreadable": 0, "pairs": 1, "file": "cohort.zip", "notes": [],
    }  # fmt: skip
    refused = client.post("/v1/libraries/news/jobs/cohort", params={"min_length": 7}, content=b"")
    assert refused.status_code == 422


def test_readers_see_decisions_and_reviewers_make_them(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")
    keys = {}
    with state_of(settings) as state:
        for scopes in (["read"], ["read", "review"]):
            keys[scopes[-1]], _ = state.keys.make(scopes[-1], scopes)
    with served(settings) as address, httpx.Client(base_url=address, timeout=60, headers=PAGE) as asking:
        asking.headers["Authorization"] = f"Bearer {keys['read']}"
        id, _ = finished(asking, begin(asking, ESSAYS))
        decision = {"manuscript": "陈二.txt", "decision": "copied"}
        assert asking.post(f"{COHORTS}/{id}/decisions", data=decision).status_code == 403
        asking.headers["Authorization"] = f"Bearer {keys['review']}"
        assert asking.post(f"{COHORTS}/{id}/decisions", data=decision).status_code == 303
        assert asking.post(f"{COHORTS}/{id}/decisions", data={**decision, "decision": "x"}).status_code == 422
        assert asking.post(f"{COHORTS}/{id}/decisions", data={**decision, "manuscript": "x"}).status_code == 404
