"""Ids of articles without ids; none of them replaces another article."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.articles import article
from tests.unit.cli.articles import Invoke, write_jsonl

import whorl

Kept = Callable[[], dict[str, str]]
Add = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def add(tmp_path: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> Add:
    """Return a function that adds a folder to a library and returns id and state of each article."""

    def added(*value: object, within: str = ".", stdin: str | None = None) -> list[tuple[str, str]]:
        monkeypatch.chdir(tmp_path / within)
        result = invoke("add", tmp_path / "library", *value, "--json", "--quiet", stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return [(report["id"], report["state"]) for report in map(json.loads, result.stdout.splitlines())]

    return added


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    def texts() -> dict[str, str]:
        with whorl.open(tmp_path / "library") as library:
            return {id_: document.text for id_ in library if (document := library.get(id_)) is not None}

    return texts


def write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".txt").write_text(text, encoding="utf-8")


def test_folders_that_name_their_files_alike_keep_all_of_them(tmp_path: Path, add: Add, kept: Kept) -> None:
    write(tmp_path, day1__001=article(1), day1__in__002=article(2), day2__001=article(3))
    assert add("day1") == [("day1/001.txt:1", "new"), ("day1/in/002.txt:1", "new")]
    assert add("day2/") == [("day2/001.txt:1", "new")]
    assert kept() == {
        "day1/001.txt:1": article(1),
        "day1/in/002.txt:1": article(2),
        "day2/001.txt:1": article(3),
    }


@pytest.mark.parametrize(
    ("value", "within"),
    [("day1", "."), ("./day1/", "."), ("day1/001.txt", "."), ("day1/*.txt", "."), (".", "day1"), ("../day1", "other")],
)
def test_a_file_is_one_article_however_it_is_named(
    tmp_path: Path, add: Add, kept: Kept, value: str, within: str
) -> None:
    write(tmp_path, day1__001=article(1), other__x=article(2))
    assert add(tmp_path / "day1") == [("day1/001.txt:1", "new")]
    assert add(value, within=within) == [("day1/001.txt:1", "known")]
    write(tmp_path, day1__001=article(3))
    assert add(value, within=within) == [("day1/001.txt:1", "revised")]
    assert kept() == {"day1/001.txt:1": article(3)}


def test_another_file_under_the_same_name_is_another_article(tmp_path: Path, add: Add, kept: Kept) -> None:
    for number, folder in enumerate(("a", "b", "c__a", "c__b")):
        write(tmp_path, **{f"{folder}__001": article(number)})
    first = [add(".", within=folder) for folder in ("a", "b", "c/a", "c/b")]
    names = ["001.txt:1", "b/001.txt:1", "a/001.txt:1", "c/b/001.txt:1"]
    assert first == [[(name, "new")] for name in names]
    again = [add(".", within=folder) for folder in ("c/b", "b", "a", "c/a")]
    assert again == [[(names[number], "known")] for number in (3, 1, 0, 2)]
    assert kept() == {name: article(number) for number, name in enumerate(names)}


def test_moved_corpus_is_recognized(tmp_path: Path, add: Add, kept: Kept) -> None:
    write(tmp_path, a__day1__001=article(1))
    write(tmp_path, b__day1__001=article(1))
    assert add("day1", within="a") == [("day1/001.txt:1", "new")]
    assert add("day1", within="b") == [("day1/001.txt:1", "known")]
    write(tmp_path, b__day1__001=article(2))
    assert add("day1", within="b") == [("b/day1/001.txt:1", "new")]
    assert kept() == {"day1/001.txt:1": article(1), "b/day1/001.txt:1": article(2)}


def test_rows_without_ids_of_files_of_one_name_are_apart(tmp_path: Path, add: Add, kept: Kept) -> None:
    for number, folder in enumerate(("a", "b")):
        (tmp_path / folder).mkdir()
        write_jsonl(tmp_path / folder / "n.jsonl", {"text": article(number)}, {"id": "x", "text": article(9)})
    assert add("n.jsonl", within="a") == [("n.jsonl:1", "new"), ("x", "new")]
    assert add("n.jsonl", within="b") == [("b/n.jsonl:1", "new"), ("x", "known")]
    assert kept() == {"n.jsonl:1": article(0), "x": article(9), "b/n.jsonl:1": article(1)}


def test_rows_of_standard_input_are_apart_by_what_they_say(add: Add, kept: Kept) -> None:
    days = [json.dumps({"text": article(number)}) + "\n" for number in range(2)]
    ((first, state),) = add("-", stdin=days[0])
    assert state == "new"
    ((second, state),) = add("-", stdin=days[1])
    assert (state, first == second) == ("new", False)
    assert add("-", stdin=days[0]) == [(first, "known")]
    assert kept() == {first: article(0), second: article(1)}


def test_explicit_ids_are_not_reused_for_files(tmp_path: Path, add: Add, kept: Kept) -> None:
    write(tmp_path, day1__001=article(1))
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "day1/001.txt:1", "text": article(2)})
    name = f"{tmp_path.name}/day1/001.txt:1"
    assert add("day1") == [(name, "new")]
    with whorl.open(tmp_path / "library") as library:
        assert library.add({"id": name, "text": article(3)}).state == "revised"
    kept_before = kept()
    assert kept_before == {"day1/001.txt:1": article(2), name: article(3)}
    ((other, state),) = add("day1")
    assert state == "new"
    assert kept() == kept_before | {other: article(1)}


def test_a_name_that_a_row_of_the_same_input_gives_is_its_own(tmp_path: Path, add: Add, kept: Kept) -> None:
    rows = [{"id": "n.jsonl:2", "text": article(1)}, {"text": article(2)}, {"text": article(3)}]
    write_jsonl(tmp_path / "n.jsonl", *rows)
    add("n.jsonl")
    before = kept()
    assert before["n.jsonl:2"] == article(1)
    assert sorted(before.values()) == sorted(article(number) for number in (1, 2, 3))
    add("n.jsonl")
    assert kept() == before


def test_statements_of_an_export_are_counted_or_refused(tmp_path: Path, invoke: Invoke) -> None:
    text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。"
    with whorl.open(tmp_path / "first") as library:
        library.add([{"id": "a", "text": text}, {"id": "b", "text": text}])
        library.review("a", "b", "confirmed", by="mei")
    invoke("library", "export", tmp_path / "first", tmp_path / "articles.jsonl")
    added = invoke("add", tmp_path / "second", tmp_path / "articles.jsonl", "--lang", "en")
    assert "decisions, attestations and cases from the file" in added.stdout
    with whorl.open(tmp_path / "second") as library:
        assert library.matches("a")[0].review.state == "confirmed"
    refused = invoke("add", tmp_path / "third", tmp_path / "articles.jsonl", "--no-statements")
    assert refused.exit_code == 3
    assert "decisions" in refused.stderr
