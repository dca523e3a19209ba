"""Libraries on the command line."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.articles import article, edited
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke, write_jsonl

import whorl


@pytest.fixture
def place(tmp_path: Path, invoke: Invoke, corpus: Path) -> Path:
    """Return a library of the small corpus."""
    result = invoke("add", tmp_path / "library", corpus, "--date", "published")
    assert result.exit_code == 0, result.stderr
    report, _, hint = result.stdout.partition("hint: ")
    assert report.split() == ["new", "4", "known", "0", "revised", "0", "with", "matches", "3"]
    assert hint.startswith("3 of these share text with others")
    return tmp_path / "library"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def ok(invoke: Invoke, *arguments: Any, stdin: str | None = None) -> str:
    result = invoke(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def test_add_prints_a_line_per_article(invoke: Invoke, tmp_path: Path) -> None:
    rows = [{"id": f"{number}", "text": article(number % 2), "title": f"题 {number}"} for number in range(4)]
    value = "".join(json.dumps(row) + "\n" for row in [*rows, {"id": "none"}])
    result = invoke("add", tmp_path / "library", "-", "--json", stdin=value)
    assert result.exit_code == 0, result.stderr
    reports = lines(result.stdout)
    assert [report["id"] for report in reports] == ["0", "1", "2", "3"]
    assert [report["cluster_id"] for report in reports] == [1, 2, 1, 2]
    assert reports[3]["matches"][0]["id"] == "1"
    assert reports[3]["matches"][0]["title"] == "题 1"
    assert "not read: " in result.stderr
    again = lines(ok(invoke, "add", tmp_path / "library", "-", "--json", stdin=value))
    assert [report["state"] for report in again] == ["known"] * 4


def test_rows_without_ids_are_called_by_their_place(invoke: Invoke, tmp_path: Path) -> None:
    news = write_jsonl(tmp_path / "n.jsonl", {"text": HARBOUR}, {"text": BRIDGE})
    ok(invoke, "add", tmp_path / "library", news)
    assert [row["id"] for row in lines(ok(invoke, "library", "list", tmp_path / "library", "--json"))] == [
        "n.jsonl:1",
        "n.jsonl:2",
    ]
    assert "n.jsonl:2" in ok(invoke, "library", "list", tmp_path / "library")


PAGE = """<html><head><title>{title}</title><meta property="article:published_time" content="{date}"></head>
<body><article><p>{text}</p></article></body></html>"""


def test_files_that_are_one_document_are_added_with_what_they_tell(invoke: Invoke, tmp_path: Path) -> None:
    texts = [article(number, 400) for number in range(3)]
    (tmp_path / "plain.txt").write_text(texts[0], encoding="utf-8")
    dated = PAGE.format(title="改造", date="2024-05-06T08:00:00+08:00", text=texts[1])
    (tmp_path / "dated.html").write_text(dated, encoding="utf-8")
    (tmp_path / "vague.html").write_text(PAGE.format(title="改建", date="昨天", text=texts[2]), encoding="utf-8")
    names = ("plain.txt", "dated.html", "vague.html")
    assert invoke("add", tmp_path / "kept", *(tmp_path / name for name in names)).exit_code == 0
    with whorl.open(tmp_path / "kept") as library:
        kept = [library.get(f"{name}:1") for name in names]
        assert all(document is not None for document in kept)
        reported = [(document.title, document.published_at) for document in kept if document is not None]
    assert reported == [(None, None), ("改造", datetime(2024, 5, 6, tzinfo=UTC)), ("改建", None)]


def test_invalid_dates_are_counted_and_kept(invoke: Invoke, tmp_path: Path) -> None:
    rows = [{"id": f"x{number}", "text": article(number), "published_at": "one day"} for number in range(3)]
    ended = invoke("add", tmp_path / "kept", write_jsonl(tmp_path / "dated.jsonl", *rows))
    assert ended.exit_code == 0
    assert "3 values of column 'published_at' are not valid for published_at and were kept in metadata" in ended.stderr
    with whorl.open(tmp_path / "kept") as library:
        document = library.get("x1")
    assert document is not None
    assert (document.published_at, document.metadata) == (None, {"published_at": "one day"})


def test_check_reports_and_can_fail(invoke: Invoke, place: Path, tmp_path: Path) -> None:
    (report,) = lines(ok(invoke, "check", place, "-", "--json", stdin=f"{HARBOUR}完"))
    assert report["matches"][0]["id"] == "harbour"
    assert report["matches"][0]["changes"]["inserted"] == 1
    assert invoke("check", place, "-", "--fail-on", "copy", stdin=HARBOUR).exit_code == 1
    assert invoke("check", place, "-", "--fail-on", "copy", stdin=article(5)).exit_code == 0
    excerpt = write_jsonl(tmp_path / "n.jsonl", {"id": "x", "text": article(5, 400) + HARBOUR[:60]})
    assert invoke("check", place, excerpt, "--fail-on", "copy").exit_code == 0
    assert invoke("check", place, excerpt, "--fail-on", "match").exit_code == 1
    output = ok(invoke, "check", place, excerpt)
    assert "harbour" in output
    assert "新冰厂" in output
    for language, value in (("en", "harbour: changed: the byline"), ("zh", "harbour: 改了编辑名")):
        assert value in ok(invoke, "check", place, "-", "--lang", language, stdin=f"责任编辑：周敏\n{HARBOUR}")


def test_window_is_set_once_per_library(invoke: Invoke, tmp_path: Path, corpus: Path) -> None:
    ok(invoke, "add", tmp_path / "wire", corpus, "--window", "30d", "--quiet")
    ok(invoke, "add", tmp_path / "wire", corpus, "--quiet")
    refused = invoke("add", tmp_path / "wire", corpus, "--window", "7d", "--quiet")
    assert (refused.exit_code, "hint" in refused.stderr) == (2, True)


def test_window_uses_dates_of_checked_articles(invoke: Invoke, tmp_path: Path) -> None:
    dated = write_jsonl(tmp_path / "kept.jsonl", {"id": "old", "text": HARBOUR, "published_at": "2020-01-01"})
    ok(invoke, "add", tmp_path / "wire", dated, "--window", "30d", "--quiet")
    near = write_jsonl(tmp_path / "near.jsonl", {"id": "a", "text": HARBOUR, "published_at": "2020-01-20"})
    far = write_jsonl(tmp_path / "far.jsonl", {"id": "b", "text": HARBOUR, "published_at": "2020-03-20"})
    assert invoke("check", tmp_path / "wire", near, "--fail-on", "copy").exit_code == 1
    assert invoke("check", tmp_path / "wire", far, "--fail-on", "copy").exit_code == 0


def test_an_article_is_shown_with_its_matches(invoke: Invoke, place: Path) -> None:
    output = json.loads(ok(invoke, "show", place, "bridge", "--json"))
    assert output["document"]["published_at"] == "2021-03-01T00:00:00+00:00"
    assert {match["id"] for match in output["report"]["matches"]} == {"bridge-shouted", "bridge-longer"}
    assert "bridge-longer" in ok(invoke, "show", place, "bridge")
    assert invoke("show", place, "nobody").exit_code == 2


def test_hot_is_the_same_for_a_library(invoke: Invoke, place: Path) -> None:
    output = json.loads(ok(invoke, "hot", place, "--json"))
    assert (output["articles"], output["groups"]) == (4, 1)
    assert [article["title"] for article in output["largest"][0]["articles"]] == ["Bridge to close", "BRIDGE", "Bridge"]
    assert json.loads(ok(invoke, "hot", place, "--since", "1d", "--json"))["groups"] == 1
    assert "Bridge to close" in ok(invoke, "hot", place)
    assert invoke("hot", place, "--since", "yesterday").exit_code == 2


def test_looking_into_a_library(invoke: Invoke, place: Path) -> None:
    (cluster,) = json.loads(ok(invoke, "library", "clusters", place, "--json"))
    assert cluster["documents"] == ["bridge", "bridge-shouted", "bridge-longer"]
    assert "bridge-longer" in ok(invoke, "library", "clusters", place, "--top", "1")
    traced = json.loads(ok(invoke, "library", "trace", place, cluster["id"], "--json"))
    assert [item["document"]["id"] for item in traced] == ["bridge", "bridge-shouted", "bridge-longer"]
    assert [item["match"] and item["match"]["id"] for item in traced] == [None, "bridge", "bridge"]
    assert "2021-03-04" in ok(invoke, "library", "trace", place, cluster["id"])
    assert json.loads(ok(invoke, "library", "stats", place, "--json"))["documents"] == 4
    assert "articles" in ok(invoke, "library", "stats", place)


def test_a_trace_shows_the_figure_of_what_it_names(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    whole, book = article(1, 1_200), article(2, 40_000)
    rows = [
        {"id": "part", "text": whole[:600], "date": "2020-01-01"},
        {"id": "whole", "text": whole, "date": "2020-01-02"},
        {"id": "later", "text": whole[500:1_100], "date": "2020-01-03"},
        {"id": "book", "text": book, "date": "2020-01-04"},
    ]
    ok(invoke, "add", tmp_path / "library", write_jsonl(tmp_path / "n.jsonl", *rows))
    output = " ".join(ok(invoke, "library", "trace", tmp_path / "library", "1").split())
    assert "part contains it 99% of the other" in output
    assert "0%" not in output.replace("100%", "")
    assert "whole is an excerpt of it 99% of this" in output
    excerpt = write_jsonl(tmp_path / "excerpt.jsonl", {"id": "x", "text": book[:120]})
    table = ok(invoke, "check", tmp_path / "library", excerpt)
    assert "is an excerpt of it" in table
    assert " 0.3%" in table
    assert " 0%" not in table


def test_looking_after_a_library(invoke: Invoke, place: Path, tmp_path: Path) -> None:
    assert json.loads(ok(invoke, "library", "verify", place, "--json"))["faults"] == []
    assert "4" in ok(invoke, "library", "verify", place)
    ok(invoke, "library", "backup", place, tmp_path / "copy")
    assert json.loads(ok(invoke, "library", "remove", place, "bridge", "nobody", "--json")) == {"removed": 1}
    assert json.loads(ok(invoke, "library", "reindex", place, "--json")) == {"documents": 3}
    assert json.loads(ok(invoke, "library", "stats", tmp_path / "copy", "--json"))["documents"] == 4
    assert invoke("library", "verify", tmp_path / "nowhere").exit_code == 3


def test_a_library_is_copied(invoke: Invoke, place: Path, tmp_path: Path) -> None:
    assert ok(invoke, "library", "copy", place, tmp_path / "copy", "--quiet") == "4 articles copied\n"
    output = json.loads(ok(invoke, "library", "copy", place, tmp_path / "again", "-q", "--json"))
    assert (output["documents"], output["rows"]["texts"], output["resumed"], output["faults"]) == (4, 4, False, [])
    assert ok(invoke, "library", "list", tmp_path / "copy") == ok(invoke, "library", "list", place)
    refused = invoke("library", "copy", place, tmp_path / "copy")
    assert (refused.exit_code, "the destination already contains a library" in refused.stderr) == (2, True)
    assert invoke("library", "copy", tmp_path / "nowhere", tmp_path / "new").exit_code == 3
    assert not (tmp_path / "new").exists()


def test_articles_are_put_into_a_collection(invoke: Invoke, place: Path, tmp_path: Path) -> None:
    ids = ok(invoke, "library", "list", place).split()
    assert ok(invoke, "library", "collect", place, "own", ids[0]) == "1 article collected\n"
    listed = tmp_path / "ids.txt"
    listed.write_text(f"{ids[1]}\r\n\n[red]\n", encoding="utf-8")
    output = json.loads(ok(invoke, "library", "collect", place, "own", ids[0], "--ids-from", listed, "--json"))
    assert output == {"collection": "own", "collected": 2, "unknown": ["[red]"]}
    assert ok(invoke, "library", "list", place, "--among", "own").split() == ids[:2]
    assert "[red]" in ok(invoke, "library", "collect", place, "seen", "--ids-from", "-", stdin=f"{ids[2]}\n[red]\n")
    assert ok(invoke, "library", "list", place, "--among", "seen").split() == [ids[2]]
    assert ok(invoke, "library", "collect", place, "", *ids[:2]) == "2 articles collected\n"
    assert ok(invoke, "library", "list", place, "--among", "own") == ""


@pytest.mark.parametrize(("ids", "exit_code"), [(None, 2), ("gone.txt", 3), ("gbk.txt", 3), ("empty.txt", 2)], ids=str)
def test_ids_that_cannot_be_read_have_a_hint(
    invoke: Invoke, place: Path, tmp_path: Path, ids: str | None, exit_code: int
) -> None:
    (tmp_path / "gbk.txt").write_bytes("a\n例子\n".encode("gb18030"))
    (tmp_path / "empty.txt").write_bytes(b"\n")
    inputs = [] if ids is None else ["--ids-from", tmp_path / ids]
    refused = invoke("library", "collect", place, "own", *inputs)
    assert refused.exit_code == exit_code
    assert "hint: " in refused.stderr
    assert "Traceback" not in refused.stderr


def test_sites_permissions_attestations_and_ledger(invoke: Invoke, place: Path, tmp_path: Path) -> None:
    sites = '{"domain": "例子.cn", "name": "[red]例子", "trust": 0.5, "since": "2003", "update_cycle": "6h"}\n'
    assert ok(invoke, "library", "sites", place, "--import", "-", stdin=sites) == "1 stored\n"
    listed = ok(invoke, "library", "sites", place).split()
    assert listed[-5:] == ["xn--fsqu00a.cn", "[red]例子", "0.50", "2003-01-01", "6:00:00"]
    assert lines(ok(invoke, "library", "sites", place, "--json"))[0]["update_cycle"] == 21600
    with whorl.open(place) as library:
        id_ = next(iter(library))
        library.pages.keep("https://例子.cn/a", b"<p>", document=id_)
    value = json.dumps({"document": id_, "kind": "print", "at": "2026-03-05", "by": "编辑"})
    assert ok(invoke, "library", "attestations", place, "--import", "-", "--json", stdin=value).split() == [
        *("{", '"kept":', "1,", '"known":', "0", "}")
    ]
    assert "2026-03-05" in ok(invoke, "library", "attestations", place)
    assert (
        ok(invoke, "library", "permissions", place, "--import", "-", stdin='{"domain": "b.org", "path": "a"}')
        == "1 stored\n"
    )
    assert "/a" in ok(invoke, "library", "permissions", place)
    assert ok(invoke, "library", "snapshots", place, "--export", tmp_path / "pages.jsonl") == "1 row written\n"
    again = ok(invoke, "library", "snapshots", place, "--import", tmp_path / "pages.jsonl")
    assert again == "0 stored\n1 already known\n"
    assert "https://" in ok(invoke, "library", "snapshots", place)
    (output,) = lines(ok(invoke, "library", "ledger", place, "--json"))
    assert output["kind"] == "snapshot"
    assert output["chain"][:16] in ok(invoke, "library", "ledger", place)
    wrong = invoke("library", "sites", place, "--import", "-", "--export", tmp_path / "x.jsonl")
    assert (wrong.exit_code, "hint: remove one of them" in wrong.stderr) == (2, True)
    wrong = invoke("library", "sites", place, "--import", "-", stdin='\n{"domain": "a.org", "trust": 7}')
    assert (wrong.exit_code, "line 2: invalid trust of Site: 7" in wrong.stderr) == (3, True), wrong.stderr


def test_articles_are_in_collections(invoke: Invoke, tmp_path: Path) -> None:
    rows = [{"id": f"{number}", "text": article(0), "collection": "own"} for number in range(2)]
    value = "".join(json.dumps(row) + "\n" for row in rows)
    ok(invoke, "add", tmp_path / "library", "-", stdin=value)
    ok(invoke, "add", tmp_path / "library", "-", "--collection", "protected", stdin=value.splitlines()[0])
    assert ok(invoke, "library", "list", tmp_path / "library", "--among", "protected") == "0\n"
    write_jsonl(tmp_path / "draft.jsonl", {"id": "draft", "text": article(0)})
    for collection, result in (("own", ["1"]), ("protected", ["0"]), ("none", [])):
        output = lines(
            ok(invoke, "check", tmp_path / "library", tmp_path / "draft.jsonl", "--among", collection, "--json")
        )
        assert [match["id"] for match in output[0]["matches"]] == result
    wrong = invoke("check", tmp_path / "library", tmp_path / "draft.jsonl", "--among", "")
    assert (wrong.exit_code, "hint: use the name of a collection" in wrong.stderr) == (2, True)


def test_copies_beside_each_other_are_compressed_better(invoke: Invoke, tmp_path: Path) -> None:
    rows = [
        {"id": f"{number}", "text": edited(article(number % 50, 2000), 3, seed=number), "title": "题"}
        for number in range(200)
    ]
    ok(invoke, "add", tmp_path / "library", write_jsonl(tmp_path / "n.jsonl", *rows))
    sizes = {
        order: json.loads(
            ok(
                invoke,
                "library",
                "export",
                tmp_path / "library",
                tmp_path / f"{order}.jsonl.gz",
                "--order",
                order,
                "--json",
            )
        )
        for order in ("added", "time", "cluster")
    }
    assert {size["bytes"] for size in sizes.values()} == {sizes["added"]["bytes"]}
    assert sizes["cluster"]["written"] < 0.6 * sizes["added"]["written"]
    ok(invoke, "add", tmp_path / "again", tmp_path / "cluster.jsonl.gz")
    stats = json.loads(ok(invoke, "library", "stats", tmp_path / "again", "--json"))
    assert (stats["documents"], stats["clusters"]) == (200, 50)
    assert invoke("library", "export", tmp_path / "library", tmp_path / "time.jsonl.gz").exit_code == 2


def test_a_library_is_a_reference_that_brings_its_recipe(invoke: Invoke, place: Path, tmp_path: Path) -> None:
    new = write_jsonl(
        tmp_path / "new.jsonl", {"id": "again", "text": f"{HARBOUR}完"}, {"id": "fresh", "text": article(7)}
    )
    run = json.loads(ok(invoke, "dedup", new, "-o", tmp_path / "out", "--against", place, "--quiet", "--json"))
    assert (run["counts"]["kept"], run["recipe"]["method"], run["recipe"]["threshold"]) == (1, "winnowing", 0.45)
    (row,) = pq.read_table(tmp_path / "out" / "duplicates.parquet").to_pylist()
    assert (row["id"], row["duplicate_of"]) == ("again", "harbour")
    refused = invoke("dedup", new, "-o", tmp_path / "other", "--against", place, "--method", "minhash")
    assert refused.exit_code == 2
    assert "another recipe" in refused.stderr
