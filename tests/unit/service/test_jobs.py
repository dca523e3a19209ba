"""Jobs: submitted, done by any live process, followed, cancelled, and never done twice."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.panics import panic_in_core
from tests.serving import served, settings_of, state_of

import whorl
from whorl.errors import UsageError
from whorl.service import running
from whorl.service.jobs import JobQueue
from whorl.service.jobs.desk import KEPT
from whorl.service.jobs.kinds import KINDS, MAX_WAITING
from whorl.service.running import Service
from whorl.service.settings import Settings
from whorl.service.state import State
from whorl.service.state.jobs import LEASE, TRIES
from whorl.service.throttling import TooManyError

NEWSROOM = "examples/newsroom/articles.jsonl"
_PATIENCE = 60


def _ended(client: httpx.Client, location: str) -> dict[str, Any]:
    """Return a job once it has ended; fail where nothing of it advances for _PATIENCE seconds."""
    until, last = time.monotonic() + _PATIENCE, None
    while time.monotonic() < until:
        job: dict[str, Any] = client.get(location).json()
        if job["state"] in ("done", "failed", "cancelled"):
            return job
        advance = (job["state"], job["stage"], job["done"], job["tries"])
        if advance != last:
            until, last = time.monotonic() + _PATIENCE, advance
        time.sleep(0.05)
    raise AssertionError(job)


def _done(client: httpx.Client, kind: str, **message: Any) -> dict[str, Any]:
    begun = client.post("/v1/libraries/news/jobs", json={"kind": kind, **message})
    assert begun.status_code == 202, begun.text
    return _ended(client, begun.headers["location"])


def _added(client: httpx.Client, **params: str) -> dict[str, Any]:
    begun = client.post("/v1/libraries/news/jobs/add", content=Path(NEWSROOM).read_bytes(), params=params)
    assert begun.status_code == 202, begun.text
    return _ended(client, begun.headers["location"])


def test_many_articles_are_added_with_a_line_for_each(client: httpx.Client) -> None:
    job = _added(client, collection="protected")
    assert (job["state"], job["result"]["new"], job["done"]) == ("done", 91, 91)
    lines = client.get(f"/v1/jobs/{job['id']}/result").text.splitlines()
    assert [json.loads(line)["state"] for line in lines] == ["new"] * 91
    again = _added(client)
    assert (again["result"]["new"], again["result"]["known"]) == (0, 91)


def test_rows_without_an_id_are_named_by_their_job(client: httpx.Client) -> None:
    begun = client.post("/v1/libraries/news/jobs/add", content=json.dumps({"text": "渔港的冰厂"}) + "\n{}\n")
    job = _ended(client, begun.headers["location"])
    (line,) = client.get(f"/v1/jobs/{job['id']}/result").text.splitlines()
    assert json.loads(line)["id"] == f"{job['id']}.jsonl:1"
    assert not any("/" in note for note in job["result"]["notes"])


def test_every_kind_of_care(client: httpx.Client) -> None:
    _added(client)
    exported = _done(client, "export")
    content = client.get(f"/v1/jobs/{exported['id']}/result")
    assert "attachment" in content.headers["content-disposition"]
    assert len(gzip.decompress(content.content).splitlines()) == 91
    assert _done(client, "verify")["result"]["faults"] == []
    assert _done(client, "reindex")["result"]["documents"] == 91
    assert _done(client, "backup")["result"]["file"] == "backup.tar"


def test_evidence_and_reports(client: httpx.Client) -> None:
    _added(client)
    pair = {"id": "nr-042", "other": "nr-006"}
    packed = _done(client, "evidence", **pair)
    assert client.get(f"/v1/jobs/{packed['id']}/result").content.startswith(b"PK")
    assert "path" not in packed["result"]
    report = _done(client, "report", format="csv", **pair)
    assert client.get(f"/v1/jobs/{report['id']}/result").status_code == 200
    failed = _done(client, "report", id="nr-042", other="nobody")
    assert (failed["state"], failed["problem"]["code"]) == ("failed", "not-found")


def test_an_evaluation(client: httpx.Client) -> None:
    _added(client)
    truth = Path("examples/newsroom/truth.jsonl").read_text("utf-8")
    job = _done(client, "evaluate", truth=truth, methods=["exact"], sweep=False)
    assert [method["name"] for method in job["result"]["methods"]] == ["exact"]


def test_a_watch_reads_no_files_of_the_machine_and_asks_no_inner_hosts(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        secret, _ = state.keys.make("desk", ["read", "write"])
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {secret}"}) as client:
            body = {"kind": "watch", "sites": '[[site]]\npages = ["/etc/hostname"]\n'}
            assert client.post("/v1/libraries/news/jobs", json=body).json()["code"] == "usage"
            body["sites"] = '[[site]]\nstart = ["http://paper.example/"]\nallow_private = true\n'
            assert client.post("/v1/libraries/news/jobs", json=body).json()["code"] == "forbidden"
            assert client.post("/v1/libraries/news/jobs", json={"kind": "backup"}).json()["code"] == "forbidden"


def test_jobs_of_other_libraries_are_not_there(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "ours", "theirs")
    with state_of(settings) as state, served(settings) as address:
        all_, _ = state.keys.make("all", ["read", "admin"])
        ours, _ = state.keys.make("ours", ["read", "admin"], ["ours"])
        with httpx.Client(base_url=address) as client:
            client.headers["Authorization"] = f"Bearer {all_}"
            for name in ("ours", "theirs", "ours"):
                begun = client.post(f"/v1/libraries/{name}/jobs", json={"kind": "verify"})
                if name == "theirs":
                    theirs = begun.headers["location"]
            first = client.get("/v1/jobs", params={"limit": 2}).json()
            rest = client.get("/v1/jobs", params={"limit": 2, "cursor": first["next"]}).json()
            assert [job["library"] for job in first["items"] + rest["items"]] == ["ours", "theirs", "ours"]
            assert rest["next"] is None
            client.headers["Authorization"] = f"Bearer {ours}"
            assert [job["library"] for job in client.get("/v1/jobs").json()["items"]] == ["ours", "ours"]
            assert client.get(theirs).status_code == client.get("/v1/jobs/none").status_code == 404
            assert client.delete(theirs).status_code == 404


def test_a_stream_tells_of_a_job_until_it_has_ended(client: httpx.Client) -> None:
    begun = client.post("/v1/libraries/news/jobs/add", content=Path(NEWSROOM).read_bytes())
    with client.stream("GET", f"{begun.headers['location']}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in stream.iter_lines() if line]
    assert lines[-2] == "event: end"
    assert json.loads(lines[-1].removeprefix("data: "))["result"]["new"] == 91


def test_streams_are_few_and_end_with_their_readers(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_STREAMS", 1)
    with state_of(settings) as state, served(settings) as address, httpx.Client(base_url=address) as client:
        state.jobs.put("slow", "nothing that is done here", "news", {}, "somebody")
        with client.stream("GET", "/v1/jobs/slow/events") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: progress"
            assert client.get("/v1/jobs/slow/events").json()["code"] == "too-many"
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            with client.stream("GET", "/v1/jobs/slow/events") as again:
                if again.status_code == 200:
                    return
        raise AssertionError(again.status_code)


@contextmanager
def _desk(settings: Settings) -> Iterator[tuple[JobQueue, State]]:
    """Return the jobs of a service that is not running."""
    service = Service.open(settings)
    try:
        yield service.jobs, service.state
    finally:
        service.close()


def _abandon(state: State, id: str) -> None:
    """Let the lease of a job expire, as if its process was killed."""
    with state.database.writing() as connection:
        past = (datetime.now(UTC) - 2 * LEASE).isoformat(timespec="microseconds")
        connection.execute("UPDATE job SET seen_at = ? WHERE id = ?", (past, id))


def test_the_job_of_a_dead_process_is_taken_by_another_and_in_the_end_by_none(everywhere: Settings) -> None:
    with _desk(everywhere) as (desk, state):
        job = desk.submit("verify", "news", {}, "somebody")
        for number in range(TRIES):
            claimed = state.jobs.claim(f"worker {number}", ["verify"])
            assert claimed is not None
            assert state.jobs.claim("another", ["verify"]) is None
            _abandon(state, job.id)
        assert state.jobs.claim("the next", ["verify"]) is None
        ended = desk.get(job.id)
        assert (ended.state, ended.problem and ended.problem["code"]) == ("failed", "resource")


def test_a_process_that_lost_its_job_changes_nothing(everywhere: Settings) -> None:
    with _desk(everywhere) as (desk, state):
        job = desk.submit("verify", "news", {}, "somebody")
        state.jobs.claim("slow", ["verify"])
        _abandon(state, job.id)
        state.jobs.claim("quick", ["verify"])
        assert not state.jobs.renew(job.id, "slow", "read", 7, None)
        assert not state.jobs.end(job.id, "slow", "done", result={})
        assert state.jobs.end(job.id, "quick", "done", result={"faults": []})
        assert desk.get(job.id).result == {"faults": []}


def test_one_job_of_a_kind_at_a_time_in_a_library(everywhere: Settings) -> None:
    with _desk(everywhere) as (desk, state):
        first, second = (desk.submit("verify", "news", {}, "somebody") for _ in range(2))
        claimed = state.jobs.claim("one", ["verify"])
        assert claimed is not None
        assert claimed.job.id == first.id
        assert state.jobs.claim("two", ["verify"]) is None
        state.jobs.end(first.id, "one", "done", result={})
        following = state.jobs.claim("two", ["verify"])
        assert following is not None
        assert following.job.id == second.id


def test_cancelling(everywhere: Settings) -> None:
    with _desk(everywhere) as (desk, state):
        waiting, running = (desk.submit("verify", "news", {}, "somebody") for _ in range(2))
        assert desk.cancel(waiting.id).state == "cancelled"
        state.jobs.claim("one", ["verify"])
        assert state.jobs.renew(running.id, "one", "read", 1, None)
        assert desk.cancel(running.id).state == "running"
        assert not state.jobs.renew(running.id, "one", "read", 2, None)
        assert desk.cancel(waiting.id).state == "cancelled"
        state.jobs.end(running.id, "one", "done", result={})
        with pytest.raises(UsageError, match="has already ended"):
            desk.cancel(running.id)


def test_a_running_job_ends_at_its_next_step(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")
    rows = (json.dumps({"id": f"a{n}", "text": f"第{n}篇：渔港的冰厂今年夏天添了{n}台新机器。"}) for n in range(30_000))
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        begun = client.post("/v1/libraries/news/jobs/add", content="\n".join(rows))
        location = begun.headers["location"]
        while client.get(location).json()["state"] == "queued":
            time.sleep(0.05)
        client.delete(location)
        job = _ended(client, location)
    assert job["state"] == "cancelled"
    with whorl.open(settings.libraries["news"]) as library:
        assert len(library) < 30_000


def test_a_job_at_which_the_core_panics_has_failed_and_the_next_one_is_done(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setitem(KINDS, "verify", replace(KINDS["verify"], run=lambda _: panic_in_core()))
        job = _done(client, "verify")
    assert (job["state"], job["tries"], job["problem"]["code"]) == ("failed", 1, "defect")
    assert _done(client, "verify")["state"] == "done"


def test_what_was_running_when_the_service_stopped_is_done_when_it_runs_again(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")
    rows = [json.dumps({"id": f"a{n}", "text": f"第{n}篇：渔港的冰厂今年夏天添了{n}台新机器。"}) for n in range(2_000)]
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        location = client.post("/v1/libraries/news/jobs/add", content="\n".join(rows)).headers["location"]
        while not client.get(location).json()["done"]:
            time.sleep(0.05)
    with state_of(settings) as state:
        (job,) = state.jobs.list()
        assert (job.state, job.tries) == ("queued", 0)
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        assert _ended(client, location)["state"] == "done"
    with whorl.open(settings.libraries["news"]) as library:
        assert len(library) == len(rows)


def test_jobs_of_a_revoked_key_and_of_a_removed_user_are_cancelled(tmp_path: Path) -> None:
    with state_of(settings_of(tmp_path, "news")) as state:
        keys = [state.keys.make(name, ["write", "read"])[1] for name in ("desk", "desk")]
        state.users.make("chen", "a long enough password", "admin", [])
        state.users.make("mei", "a long enough password", "editor", [])
        callers = [f"key {keys[0].number} desk", f"key {keys[1].number} desk", "user chen", "user mei"]
        jobs = [state.jobs.put(f"job{number}", "verify", "news", {}, by) for number, by in enumerate(callers)]
        claimed = state.jobs.claim("worker", ["verify"])
        assert claimed is not None
        assert claimed.job.by == callers[0]
        state.keys.revoke(keys[0].number)
        state.users.remove("mei")
        after = [state.jobs.get(job.id) for job in jobs if job]
    assert [(job.state, job.is_cancelled) for job in after] == [
        ("running", True),
        ("queued", False),
        ("queued", False),
        ("cancelled", True),
    ]


def test_nobody_hands_in_jobs_without_end(everywhere: Settings) -> None:
    with _desk(everywhere) as (desk, _):
        for _ in range(MAX_WAITING):
            desk.submit("verify", "news", {}, "somebody")
        with pytest.raises(TooManyError):
            desk.submit("verify", "news", {}, "somebody")
        assert desk.submit("verify", "news", {}, "somebody else").state == "queued"


def test_the_same_request_again_is_the_same_job(client: httpx.Client) -> None:
    body = {"json": {"kind": "verify"}, "headers": {"Idempotency-Key": "mine"}}
    first, again = (client.post("/v1/libraries/news/jobs", **body) for _ in range(2))
    assert first.headers["location"] == again.headers["location"]
    assert len(client.get("/v1/jobs").json()["items"]) == 1


def test_old_jobs_go_with_their_files(everywhere: Settings) -> None:
    with _desk(everywhere) as (desk, state):
        old, new = (desk.submit("verify", "news", {}, "somebody") for _ in range(2))
        for job in (old, new):
            desk.cancel(job.id)
        with state.database.writing() as connection:
            past = (datetime.now(UTC) - KEPT - timedelta(days=1)).isoformat(timespec="microseconds")
            connection.execute("UPDATE job SET ended_at = ? WHERE id = ?", (past, old.id))
        desk.tidy()
        assert [job.id for job in desk.list()] == [new.id]
        assert desk.folder(new.id).is_dir()
        assert not desk.folder(old.id).exists()


@pytest.mark.parametrize(
    "query",
    [
        {"kind": "report", "id": "\ud800", "other": "x"},
        {"kind": "evidence", "id": "x", "other": "\udfff"},
        {"kind": "watch", "sites": "\ud800"},
        {"kind": "evaluate", "truth": "{}", "methods": ["news", "\ud800"]},
    ],
)
def test_a_job_is_told_only_text(client: httpx.Client, query: dict[str, Any]) -> None:
    content = json.dumps(query)
    answer = client.post("/v1/libraries/news/jobs", content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert client.get("/v1/jobs").json()["items"] == []
