"""``whorl trace`` and ``whorl attribute fit``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.articles import article
from tests.unit.cli.articles import Invoke

import whorl

TEXT = article(1, 600)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a library of an article, a reprint with permission, and a copy that names its source."""
    with whorl.open(tmp_path / "library") as library:
        library.add(
            [
                {
                    "id": "first",
                    "text": TEXT,
                    "url": "https://news.qinglan.example/1",
                    "published_at": "2026-03-05",
                },
                {"id": "copy", "text": f"{TEXT}\n转载自：青澜日报", "url": "https://copy.example/9"},
                {"id": "[red]", "text": f"{TEXT}\n来源：青澜日报", "url": "https://partner.example/3"},
            ]
        )
        library.sites.put([{"domain": "qinglan.example", "name": "青澜日报"}])
        library.permissions.put([{"domain": "partner.example"}])
    return tmp_path / "library"


def test_trace_shows_the_original_with_reasons(place: Path, invoke: Invoke) -> None:
    output = invoke("trace", place, 1)
    assert output.exit_code == 0, output.stderr
    assert "probably the original: first" in output.stdout
    assert "reprint" in output.stdout
    assert "2 members name it as the source" in output.stdout
    assert "[red]" in output.stdout, "an id is no markup"
    report = json.loads(invoke("trace", place, 1, "--json").stdout)
    assert report["attribution"]["originals"] == ["first"]
    assert [document["document"]["id"] for document in report["documents"]]
    spoken = invoke("trace", place, 1, "--lang", "zh")
    assert "原创很可能是：first" in spoken.stdout
    assert "2 篇注明来源是它" in spoken.stdout


def test_times_are_shown_in_the_zone_of_the_reader(tmp_path: Path, invoke: Invoke) -> None:
    rows = [{"id": "a", "text": TEXT, "date": "2026-11-24 08:00"}, {"id": "b", "text": TEXT, "date": "2026-11-25"}]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8")
    place = tmp_path / "library"
    assert invoke("add", place, tmp_path / "a.jsonl", "--date-zone", "Asia/Shanghai", "-q").exit_code == 0
    assert invoke("library", "zone", place).stdout.strip() == "Asia/Shanghai"
    trace_text = " ".join(invoke("trace", place, 1).stdout.split())
    assert "08:00 +08:00" in trace_text
    reader = " ".join(invoke("trace", place, 1, "--zone", "America/New_York").stdout.split())
    assert "2026-11-23" in reader
    assert "19:00 -05:00" in reader
    assert "2026-11-25" in reader, "a day stays a day"
    listed = invoke("library", "trace", place, 1, "--zone", "Asia/Tokyo").stdout
    assert "2026-11-24 09:00 +09:00" in listed
    refused = invoke("trace", place, 1, "--zone", "Nowhere")
    assert refused.exit_code == 2
    assert "unknown time zone" in refused.stderr
    assert json.loads(invoke("library", "zone", place, "none", "--json").stdout) == {"zone": ""}


def test_weights_are_learned_and_used(place: Path, invoke: Invoke, tmp_path: Path) -> None:
    nothing = invoke("attribute", "fit", place)
    assert nothing.exit_code == 2
    assert "no reviewed cluster has a known original" in nothing.stderr
    with whorl.open(place) as library:
        library.attestations.put([{"document": "first", "kind": "server-log", "at": "2026-03-01"}])
    out = tmp_path / "ours.toml"
    learned = invoke("attribute", "fit", place, "--out", out)
    assert learned.exit_code == 0, learned.stderr
    assert learned.stdout.startswith("1 cluster;")
    assert invoke("attribute", "fit", place, "--out", out).exit_code == 0, "an older one may go"
    again = invoke("trace", place, 1, "--recipe", out)
    assert again.exit_code == 0, again.stderr


@pytest.mark.parametrize(
    "arguments",
    [["trace", "LIB", "77"], ["trace", "LIB", "1", "--recipe", "BAD"], ["attribute", "fit", "LIB", "-o", "NEWS"]],
    ids=["no such cluster", "no such weight", "another file is there"],
)
def test_mistakes_have_a_hint(place: Path, invoke: Invoke, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "bad.toml").write_text("[attribution]\nluck = 1\n", encoding="utf-8")
    (tmp_path / "news.jsonl").write_text("{}\n", encoding="utf-8")
    places = {"LIB": place, "BAD": tmp_path / "bad.toml", "NEWS": tmp_path / "news.jsonl"}
    refused = invoke(*(places.get(word, word) for word in arguments))
    assert refused.exit_code == 2
    assert refused.stderr
    assert "Traceback" not in refused.stderr
    assert (tmp_path / "news.jsonl").read_text(encoding="utf-8") == "{}\n"
