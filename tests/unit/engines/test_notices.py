"""The notices of a run about reading its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.articles import article

import whorl


def clean(folder: Path) -> dict[str, Any]:
    """Return the run on a folder in the format of ``run.json``."""
    whorl.dedup_files(folder, folder.parent / "out")
    run: dict[str, Any] = json.loads((folder.parent / "out" / "run.json").read_text(encoding="utf-8"))
    return run


def notices(run: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {entry["file"]: entry["notices"] for entry in run["inputs"] if "notices" in entry}


def test_guessed_encodings_are_counted_and_listed(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    rows = "".join(json.dumps({"text": article(number)}, ensure_ascii=False) + "\n" for number in (3, 4))
    (folder / "said.txt").write_text(article(1), encoding="utf-8")
    (folder / "guessed.txt").write_text(article(2), encoding="gbk")
    (folder / "guessed.jsonl").write_text(rows, encoding="gbk")
    (folder / "guessed.csv").write_text(f"text\n{article(5)}\n", encoding="big5", errors="ignore")
    run = clean(folder)
    assert (run["counts"]["kept"], run["counts"]["guessed_encodings"]) == (5, 3)
    assert notices(run) == {
        "guessed.txt": {"guessed_encoding": "gb18030"},
        "guessed.jsonl": {"guessed_encoding": "gb18030"},
        "guessed.csv": {"guessed_encoding": "big5hkscs"},
    }


def index_page(letters: str) -> str:
    """Return an index of a manual: letters, lists of links under them, and a footer shared by all pages."""
    jumps = "".join(f'<li><a href="#{letter}">{letter}</a></li>' for letter in letters)
    lists = "".join(
        f"<h2>{letter}</h2><ul>{''.join(f'<li><a href=t.html>{letter}{n}</a></li>' for n in range(40))}</ul>"
        for letter in letters
    )
    foot = (
        "Harbour Tools 2.1, the index of functions, methods, options and directives, by letter, in alphabetical order"
    )
    return f"<html><head><title>Index</title></head><body><ul>{jumps}</ul>{lists}<p>{foot}</p></body></html>"


def test_pages_of_an_index_are_no_copies_of_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "index-all.html").write_text(index_page("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), encoding="utf-8")
    (folder / "index-p.html").write_text(index_page("P"), encoding="utf-8")
    (folder / "news.html").write_text(f"<p>{article(1)}</p>", encoding="utf-8")
    run = clean(folder)
    assert (run["counts"]["kept"], run["counts"]["whole_pages"]) == (3, 2)
    assert set(notices(run)) == {"index-all.html", "index-p.html"}
