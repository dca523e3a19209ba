"""Copies of articles in a library or a reference are found without reading or fingerprinting them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited, write_jsonl
from tests.runs import duplicates, rows

import whorl
from whorl.engines.job import DedupJob
from whorl.engines.local import run
from whorl.engines.local.finished import removed_pair
from whorl.engines.local.run import dedup_files
from whorl.errors import InputError, UsageError
from whorl.recipe import Recipe

BOOK = article(1, 3000)
EXCERPTS = [BOOK[first : first + 300] for first in (407, 1013, 1989)]
"""Offset of the excerpt, where no granule of the book begins."""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with whorl.open(tmp_path / "library") as kept:
        kept.add({"id": f"kept-{number}", "text": article(number)} for number in range(50))
    return tmp_path / "library"


def new_articles(path: Path) -> Path:
    """Return a verbatim copy, one with a few edits, an excerpt of half, and two new articles."""
    texts = {
        "verbatim": article(3),
        "edited": edited(article(4), 5),
        "excerpt": article(5)[:120],
        "own": article(100),
        "own-too": article(101),
    }
    return write_jsonl(path, ({"id": name, "text": text} for name, text in texts.items()))


COPIES = {"verbatim": "kept-3", "edited": "kept-4", "excerpt": "kept-5"}


def dedup_against(source: Path, out: Path, *paths: Path, library: Path | None = None, **recipe: Any) -> dict[str, str]:
    """Deduplicate a file; return each removed document with the kept one."""
    if library is None:
        dedup_files(DedupJob((str(source),), out, Recipe(**recipe), tuple(map(str, paths))))
    else:
        with whorl.open(library) as kept:
            whorl.dedup_files(source, out, against=kept, **recipe)
    return {row["id"]: row["duplicate_of"] for row in duplicates(out)}


@pytest.mark.parametrize("options", [{}, {"threshold": 0.9}], ids=str)
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"")], ids=["missing", "empty"])
def test_an_earlier_run_without_a_kept_file_is_refused(tmp_path: Path, damage: Any, options: dict[str, Any]) -> None:
    folder = tmp_path / "in"
    for number in range(3):
        write_jsonl(folder / f"{number}.jsonl", [{"id": f"kept-{number}", "text": article(number)}])
    write_jsonl(folder / "again.jsonl", [{"id": "again", "text": article(0)}])
    dedup_files(DedupJob((str(folder),), tmp_path / "earlier"))
    source = write_jsonl(tmp_path / "new.jsonl", [{"id": f"{number}", "text": article(number)} for number in range(3)])
    assert len(dedup_against(source, tmp_path / "sound", tmp_path / "earlier", **options)) == 3
    damage(tmp_path / "earlier" / "kept" / "1.jsonl")
    with pytest.raises(InputError, match=r"1\.jsonl"):
        dedup_against(source, tmp_path / "out", tmp_path / "earlier", **options)


def test_copies_of_a_library_go_from_files_and_from_memory(library: Path, tmp_path: Path) -> None:
    source = new_articles(tmp_path / "new.jsonl")
    assert dedup_against(source, tmp_path / "out", library=library) == COPIES
    with whorl.open(library) as kept:
        result = whorl.dedup(_rows(source), against=kept)
    assert {row["id"]: row["duplicate_of"] for row in result.duplicates.to_pylist()} == COPIES
    assert [row["id"] for row in result.kept] == ["own", "own-too"]


def _rows(source: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]


def test_only_what_is_found_in_a_library_is_looked_at(library: Path, tmp_path: Path) -> None:
    source = new_articles(tmp_path / "new.jsonl")
    with whorl.open(library) as kept:
        run = whorl.dedup_files(source, tmp_path / "out", against=kept).run
    assert run["counts"]["reference"] == len(COPIES)
    assert run["references"] == [
        {"file": "library", "path": str(library), "format": "library", "compression": None},
    ]
    with pytest.raises(InputError, match="article of the library"):
        removed_pair(tmp_path / "out", "verbatim")
    roles = {row["id"]: row["role"] for row in rows(tmp_path / "out" / "clusters.parquet")}
    assert roles["kept-3"] == "reference"


def test_a_run_brings_the_recipe_of_its_library(library: Path, tmp_path: Path) -> None:
    source = new_articles(tmp_path / "new.jsonl")
    with whorl.open(library) as kept, pytest.raises(UsageError, match="another recipe"):
        whorl.dedup_files(source, tmp_path / "out", against=kept, method="minhash")


def test_notice_of_a_library_is_boilerplate_in_the_run(tmp_path: Path) -> None:
    notice = "凡转用其中一字一句者均须写信征得同意并注明出处违者必究特此声明"
    with whorl.open(tmp_path / "library") as kept:
        kept.add({"id": f"kept-{number}", "text": article(number) + notice} for number in range(20))
        assert kept.notices()
        texts = [article(200, 40) + notice, article(3) + notice]
        result = whorl.dedup(texts, against=kept)
    assert [row["duplicate_of"] for row in result.duplicates.to_pylist()] == ["kept-3"]


def test_a_library_without_texts_is_judged_by_its_codes_or_refused(tmp_path: Path) -> None:
    recipe = Recipe(method="simhash")
    with whorl.open(tmp_path / "library", recipe, texts=False) as kept:
        kept.add({"id": f"kept-{number}", "text": article(number)} for number in range(20))
        with pytest.raises(UsageError, match="keeps no texts"):
            whorl.dedup([article(3), article(100)], against=kept)
        result = whorl.dedup([article(3), article(100)], against=kept, verify="none")
        source = new_articles(tmp_path / "new.jsonl")
        with pytest.raises(UsageError, match="keeps no texts"):
            whorl.dedup_files(source, tmp_path / "refused", against=kept)
        whorl.dedup_files(source, tmp_path / "out", against=kept, verify="none")
        edits = whorl.dedup([edited(article(number), 2) for number in range(20)], against=kept, verify="none")
    assert [row["duplicate_of"] for row in result.duplicates.to_pylist()] == ["kept-3"]
    assert len(edits.duplicates) > 10
    assert not edits.run["warnings"]
    assert "verbatim" in {row["id"] for row in duplicates(tmp_path / "out")}


@pytest.mark.parametrize("edits", [0, 3])
def test_excerpts_cut_out_anywhere_are_found_in_references_by_pinyin(edits: int, tmp_path: Path) -> None:
    excerpts = [edited(text, edits, seed=1) for text in EXCERPTS]
    source = write_jsonl(tmp_path / "new.jsonl", ({"id": f"{n}", "text": text} for n, text in enumerate(excerpts)))
    books = {"book": BOOK, "other": article(2, 3000)}
    book = write_jsonl(tmp_path / "books.jsonl", ({"id": name, "text": text} for name, text in books.items()))
    recipe: dict[str, Any] = {"method": "pinyin", "threshold": 0.5}
    everything = {str(number): "book" for number in range(len(excerpts))}
    assert dedup_against(source, tmp_path / "out", book, **recipe) == everything
    dedup_files(DedupJob((str(book),), tmp_path / "earlier", Recipe(**recipe)))
    assert dedup_against(source, tmp_path / "again", tmp_path / "earlier", **recipe) == everything
    in_memory = whorl.dedup(excerpts, against=list(books.values()), **recipe)
    assert in_memory.kept == []
    with whorl.open(tmp_path / "library", "novel") as kept:
        kept.add({"id": "book", "text": BOOK})
        result = whorl.dedup(excerpts, against=kept)
    assert result.kept == []


def test_run_against_a_library_resumes(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = new_articles(tmp_path / "new.jsonl")
    with monkeypatch.context() as patched:

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        patched.setattr(run, "compare_removed", stop)
        with pytest.raises(KeyboardInterrupt):
            dedup_against(source, tmp_path / "out", library=library)
    assert dedup_against(source, tmp_path / "out", library=library) == COPIES
    assert not list((tmp_path / "out" / "sketches").rglob("sought"))


def test_a_notice_in_a_library_does_not_take_the_place_of_a_source(tmp_path: Path) -> None:
    notice = article(7100, 150)
    source = {"id": "source", "text": article(3, 600)}
    with whorl.open(tmp_path / "library") as kept:
        kept.add([*({"id": f"{row}", "text": f"{article(500 + row, 400)}\n{notice}"} for row in range(60)), source])
        result = whorl.dedup([f"{source['text'][200:300]}\n{notice}", article(4, 400)], against=kept)
    assert [(row["id"], row["duplicate_of"]) for row in result.duplicates.to_pylist()] == [("0", "source")]
