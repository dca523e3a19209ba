"""Tables and dictionaries of a recipe belong to a library: a changed file is refused, and any folder will do."""

from pathlib import Path

import pytest
from tests.articles import article

import whorl
from whorl.errors import InputError, UsageError
from whorl.recipe import Recipe

ARTICLES = [{"id": str(number), "text": article(number)} for number in range(4)]


def recipe(folder: Path) -> Recipe:
    files = {"idf": str(folder / "t.parquet"), "user_dictionary": str(folder / "words.txt")}
    return Recipe().changed(method="simhash", parameters={"features": "words"} | files)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table and a dictionary, and a library that was created there with relative paths."""
    monkeypatch.chdir(tmp_path)
    Path("articles.txt").write_text("\n".join(str(row["text"]) for row in ARTICLES), encoding="utf-8")
    Path("words.txt").write_text("云帆港 5 n\n", encoding="utf-8")
    whorl.words.train_idf("articles.txt", "t.parquet", user_dictionary="words.txt")
    with whorl.open("library", recipe=recipe(Path())) as opened:
        opened.add(ARTICLES)
    return tmp_path


def ids(library: str | Path, **options: Recipe) -> list[str]:
    with whorl.open(library, **options) as opened:
        return [match.id for match in opened.check(article(1)).matches]


def test_a_library_is_opened_from_any_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert ids("../library") == ["1"]


@pytest.mark.parametrize("name", ["t.parquet", "words.txt"])
def test_a_changed_file_is_refused(name: str, folder: Path) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content + b" ")
    with pytest.raises(InputError, match=name) as refused:
        ids(folder / "library")
    assert "restore the file" in str(refused.value.hint)
    (folder / name).write_bytes(content)
    assert ids(folder / "library") == ["1"]


def test_a_moved_file_is_named_by_a_recipe_and_another_one_refused(folder: Path) -> None:
    moved = folder / "moved"
    moved.mkdir()
    for name in ("t.parquet", "words.txt"):
        (folder / name).rename(moved / name)
    with pytest.raises(InputError, match=r"words.txt|t\.parquet"):
        ids(folder / "library")
    assert ids(folder / "library", recipe=recipe(moved)) == ["1"]
    whorl.words.train_idf("articles.txt", moved / "t.parquet", user_dictionary=moved / "words.txt", update=True)
    with pytest.raises(InputError, match="not the file"):
        ids(folder / "library", recipe=recipe(moved))


def test_a_library_without_files_is_not_opened_with_some(folder: Path) -> None:
    with whorl.open("plain", recipe=Recipe().changed(method="simhash", parameters={"features": "words"})) as opened:
        opened.add(ARTICLES)
    with pytest.raises(UsageError, match="another recipe"):
        ids("plain", recipe=recipe(folder))
