"""Boilerplate lists: what is learned, how a reviewed list is applied, and what is refused."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import whorl
from whorl.errors import InputError, UsageError, WhorlError

NAVIGATION = "首页 > 新闻 > 国际"
NOTICE = "本网站所有内容未经书面授权，不得转载。"
MENU = "Home | News | Contact"


def pages(path: Path) -> Path:
    rows = [
        {
            "id": f"a{number}",
            "url": f"https://a.example/{number}",
            "text": f"{NAVIGATION}\n第{number}号消息。\n{NOTICE}",
        }
        for number in range(4)
    ] + [
        {"id": f"b{number}", "url": f"https://b.example/{number}", "text": f"{MENU}\nStory number {number}.\n{NOTICE}"}
        for number in range(3)
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def listed(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def decide(path: Path, texts: set[str], sites: set[str] | None = None) -> None:
    """Mark rows as a reviewer would."""
    rows = listed(path)
    for row in rows:
        row["decision"] = "cut" if row["text"].lstrip("'") in texts and (not sites or row["site"] in sites) else "keep"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def kept(out: Path) -> dict[str, str]:
    rows = [json.loads(line) for line in (out / "kept/pages.jsonl").read_text(encoding="utf-8").splitlines()]
    return {row["id"]: row["text"] for row in rows}


def test_a_list_has_a_row_for_each_text_of_a_site_with_its_counts(tmp_path: Path) -> None:
    source = pages(tmp_path / "pages.jsonl")
    learned = whorl.learn_boilerplate_files(source, tmp_path / "list.csv", per="url")
    rows = listed(tmp_path / "list.csv")
    assert [(row["site"], row["text"], row["documents"], row["share"], row["sites"]) for row in rows] == [
        ("a.example", NOTICE, "4", "1.0", "2"),
        ("a.example", NAVIGATION, "4", "1.0", "1"),
        ("b.example", MENU, "3", "1.0", "1"),
        ("b.example", NOTICE, "3", "1.0", "2"),
    ]
    assert {row["decision"] for row in rows} == {""}
    assert rows[0]["examples"] == "a0 | a1 | a2"
    assert learned.run["counts"]["texts"] == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list.csv", "pages.jsonl"]


def test_documents_are_counted_and_not_places(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text(
        json.dumps({"text": f"{NOTICE}\n一\n{NOTICE}\n二\n{NOTICE}"}) + "\n" + json.dumps({"text": NOTICE}) + "\n"
    )
    whorl.learn_boilerplate_files(tmp_path / "pages.jsonl", tmp_path / "two.jsonl", repeats=2)
    (row,) = [json.loads(line) for line in (tmp_path / "two.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (row["documents"], row["occurrences"], row["share"]) == (2, 4, 1.0)
    whorl.learn_boilerplate_files(tmp_path / "pages.jsonl", tmp_path / "three.jsonl", repeats=3)
    assert (tmp_path / "three.jsonl").read_text(encoding="utf-8") == ""


def test_only_approved_text_goes_and_only_on_its_site(tmp_path: Path) -> None:
    source = pages(tmp_path / "pages.jsonl")
    whorl.learn_boilerplate_files(source, tmp_path / "list.csv", per="url")
    decide(tmp_path / "list.csv", {NOTICE, MENU}, {"b.example"})
    run = whorl.strip_files(source, tmp_path / "out", approved=tmp_path / "list.csv", per="url")
    texts = kept(tmp_path / "out")
    assert texts["a0"] == f"{NAVIGATION}\n第0号消息。\n{NOTICE}"
    assert {texts[f"b{number}"] for number in range(3)} == {f"Story number {number}." for number in range(3)}
    cuts = run.cuts.to_pylist()
    assert len(cuts) == 6
    assert {(cut["text"], cut["approved_line"], cut["kept_document"]) for cut in cuts} == {
        (MENU, 4, None),
        (NOTICE, 5, None),
    }
    assert run.run["approved"]["found"] == 2
    assert run.run["keep"] == "none"


def test_an_empty_site_is_every_site(tmp_path: Path) -> None:
    source = pages(tmp_path / "pages.jsonl")
    (tmp_path / "list.csv").write_text(f"decision,site,text\ncut,,{NOTICE}\ncut,b.example,{NAVIGATION}\n", "utf-8")
    run = whorl.strip_files(source, tmp_path / "out", approved=tmp_path / "list.csv", per="url")
    texts = kept(tmp_path / "out")
    assert not any(NOTICE in text for text in texts.values())
    assert texts["a0"].startswith(NAVIGATION)
    assert run.run["approved"] == {
        "list": str(tmp_path / "list.csv"),
        "texts": 2,
        "found": 1,
        "absent_lines": [3],
    }


def test_short_text_is_cut_where_it_is_a_unit_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("decision,text\ncut,Share\n", "utf-8")
    texts = ["Share\nWe share the view.", "Share this story\nshare\nEnd.", "| Share | 1 |\n\nShare"]
    result = whorl.strip(texts, approved=tmp_path / "list.csv")
    assert result.kept == ["We share the view.", "Share this story\nEnd.", "| Share | 1 |"]


@pytest.mark.parametrize("inside", ["lines", "sentences", "paragraphs", "passages"])
def test_every_kind_is_learned_and_applied(tmp_path: Path, inside: str) -> None:
    notice = "Reproduction of this article without the written consent of the publisher is prohibited."
    rows = [
        {"text": f"{subject} came to the town in {year}, and stayed.\n\n{notice}\n\nThe {thing} was sold."}
        for subject, year, thing in [("A bear", 1901, "boat"), ("My aunt", 1955, "mill"), ("Nobody", 1988, "horse")]
    ]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    whorl.learn_boilerplate_files(tmp_path / "pages.jsonl", tmp_path / "list.csv", inside=inside)
    assert [row["text"] for row in listed(tmp_path / "list.csv")] == [notice]
    decide(tmp_path / "list.csv", {notice})
    result = whorl.strip(rows, approved=tmp_path / "list.csv")
    assert [row["text"] for row in result.kept] == [row["text"].replace(f"\n\n{notice}", "") for row in rows]
    assert result.run["strip"]["inside"] == inside


def test_an_approved_passage_goes_whole_or_not_at_all(tmp_path: Path) -> None:
    passage = "The harbour office reports the tides at noon, and the ferry leaves an hour later."
    (tmp_path / "list.csv").write_text(f'decision,text,unit\ncut,"{passage}",passage\n', "utf-8")
    texts = [f"Dear reader: {passage} Good night.", f"{passage[:60]} never."]
    assert whorl.strip(texts, approved=tmp_path / "list.csv").kept == ["Dear reader: Good night.", texts[1]]


def test_a_paragraph_of_several_lines_is_one_unit(tmp_path: Path) -> None:
    notice = "All rights\nReserved by us"
    rows = [{"text": f"Story {name}.\n\n{notice}\n\nThe end of {name}."} for name in ("one", "two", "six")]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    whorl.learn_boilerplate_files(tmp_path / "pages.jsonl", tmp_path / "list.csv", inside="paragraphs")
    decide(tmp_path / "list.csv", {notice})
    result = whorl.strip(rows, approved=tmp_path / "list.csv")
    assert result.kept[0]["text"] == "Story one.\n\nThe end of one."


def test_files_and_memory_agree_for_a_list(tmp_path: Path) -> None:
    source = pages(tmp_path / "pages.jsonl")
    (tmp_path / "list.jsonl").write_text(
        json.dumps({"decision": "cut", "text": NOTICE, "site": "a.example"}) + "\n", "utf-8"
    )
    run = whorl.strip_files(source, tmp_path / "out", approved=tmp_path / "list.jsonl", per="url", keep="none")
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    result = whorl.strip(rows, approved=tmp_path / "list.jsonl", per="url", keep="none")
    in_files = [{**row, "file": "", "row": 0} for row in run.cuts.to_pylist()]
    assert in_files == [{**row, "file": "", "row": 0} for row in result.cuts.to_pylist()]
    assert {row["id"]: row["text"] for row in result.kept} == kept(tmp_path / "out")


def test_a_list_survives_a_spreadsheet(tmp_path: Path) -> None:
    """Cells that would be formulas are guarded; a list saved with semicolons in a Chinese code page is read."""
    text = "- 本报记者摄影报道，请勿转载"
    rows = [{"text": f"{text}\n第{number}条。"} for number in "一二三"]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    whorl.learn_boilerplate_files(tmp_path / "pages.jsonl", tmp_path / "list.csv")
    (row,) = listed(tmp_path / "list.csv")
    assert row["text"] == f"'{text}"
    (tmp_path / "saved.csv").write_bytes(f"Decision;Text;\r\nCUT;{row['text']};\r\n;;\r\n".encode("gb18030"))
    assert whorl.strip(rows, approved=tmp_path / "saved.csv").kept == [
        {"text": f"第{number}条。"} for number in "一二三"
    ]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("decision,text\ndelete,x y\n", "list.csv:2"),
        ('decision,text\nkeep,"a\nb"\nno,x\n', "list.csv:4"),
        ("decision,words\ncut,x\n", "list.csv:2"),
        ("text\nx\n", "list.csv:2"),
        ("decision,text\ncut,x,y\n", "list.csv:2"),
        ("decision,text\ncut,...\n", "list.csv:2"),
        ("decision,text\ncut,All rights.\nkeep,ALL RIGHTS\n", "list.csv:3"),
        ("decision,text,unit\ncut,x,word\n", "list.csv:2"),
        ("decision,text,unit\ncut,x,line\nkeep,y,sentence\n", "list.csv:3"),
        ("decision,text,unit\ncut,too short,passage\n", "list.csv:2"),
        ("decision,text\nkeep,x\n", "list.csv"),
        ("", "list.csv"),
        ('decision,text\ncut,"x\n', "list.csv:2"),
        ("decision,site,text\ncut,a.example,x\n", "list.csv:2"),
    ],
)
def test_a_wrong_list_is_refused_with_its_line(tmp_path: Path, content: str, place: str) -> None:
    (tmp_path / "list.csv").write_text(content, "utf-8")
    with pytest.raises(WhorlError) as caught:
        whorl.strip(["x"], approved=tmp_path / "list.csv")
    assert place in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("options", [{"least": 20}, {"repeats": 3}, {"keep": "first"}, {"inside": "sentences"}])
def test_options_that_a_list_decides_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    (tmp_path / "list.csv").write_text("decision,text,unit\ncut,x,line\n", "utf-8")
    with pytest.raises(UsageError):
        whorl.strip(["x"], approved=tmp_path / "list.csv", **options)


def test_decisions_are_not_overwritten(tmp_path: Path) -> None:
    source = pages(tmp_path / "pages.jsonl")
    whorl.learn_boilerplate_files(source, tmp_path / "list.csv")
    decide(tmp_path / "list.csv", {NOTICE})
    before = (tmp_path / "list.csv").read_bytes()
    with pytest.raises(UsageError):
        whorl.learn_boilerplate_files(source, tmp_path / "list.csv")
    with pytest.raises(UsageError):
        whorl.learn_boilerplate_files(source, tmp_path / "list.txt")
    with pytest.raises(InputError):
        whorl.strip_files(source, tmp_path / "out", approved=tmp_path / "absent.csv")
    assert (tmp_path / "list.csv").read_bytes() == before


def test_duplicates_go_first_and_then_what_was_approved(tmp_path: Path) -> None:
    source = pages(tmp_path / "pages.jsonl")
    whorl.learn_boilerplate_files(source, tmp_path / "list.csv", per="url")
    decide(tmp_path / "list.csv", {NOTICE}, {"a.example"})
    repeated = {**json.loads(source.read_text(encoding="utf-8").splitlines()[0]), "id": "again"}
    with source.open("a", encoding="utf-8") as file:
        file.write(json.dumps(repeated, ensure_ascii=False) + "\n")
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "whorl",
        "dedup",
        str(source),
        "-o",
        str(out),
        "--method",
        "exact",
        "--keep",
        "first",
    ]
    command += ["--approved", str(tmp_path / "list.csv"), "--per", "url", "--json"]
    run = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    counts = run["counts"]
    assert (counts["rows"], counts["duplicates"], counts["kept"], counts["changed"]) == (8, 1, 7, 4)
    assert pq.read_table(out / "duplicates.parquet")["id"].to_pylist() == ["again"]
    assert kept(out) == {
        **{f"a{number}": f"{NAVIGATION}\n第{number}号消息。" for number in range(4)},
        **{f"b{number}": f"{MENU}\nStory number {number}.\n{NOTICE}" for number in range(3)},
    }
    refused = subprocess.run([*command, "--least", "20"], capture_output=True, check=False)
    assert refused.returncode == 2
    assert b"least" in refused.stderr
