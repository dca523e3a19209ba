import os
from pathlib import Path

import pyarrow as pa
import pytest

from whorl.corpus import Selection, Source, demand_existing, discover, survey
from whorl.corpus.discovery import demand_file
from whorl.errors import InputError, UsageError


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix.lower())
        path.write_bytes(b"x\n" if kind is None else pa.compress(b"x\n", kind, asbytes=True))


def names(sources: list[Source]) -> list[str]:
    return [source.name for source in sources]


@pytest.mark.parametrize(
    ("name", "file_format", "compression"),
    [
        ("a.jsonl", "jsonl", None),
        ("a.ndjson.gz", "jsonl", "gz"),
        ("a.json.zst", "jsonl", "zst"),
        ("A.JSONL.GZ", "jsonl", "gz"),
        ("a.parquet", "parquet", None),
        ("a.csv", "csv", None),
        ("a.tsv.gz", "csv", "gz"),
        ("a.xlsx", "xlsx", None),
        ("a.txt", "text", None),
        ("a.log.gz", "text", "gz"),
        ("a.md.gz", "markdown", "gz"),
        ("a.RTF", "rtf", None),
        ("a.fodt", "odt", None),
        ("a.epub", "epub", None),
        ("a.mht", "mhtml", None),
        ("a.tex", "latex", None),
        ("a.warc.gz", "warc", "gz"),
        ("README", "text", None),
    ],
)
def test_the_suffix_tells_the_format(tmp_path: Path, name: str, file_format: str, compression: str | None) -> None:
    make(tmp_path, name)
    [source] = discover([tmp_path / name])
    assert (source.name, source.format, source.compression) == (name, file_format, compression)


def test_a_folder_is_searched_to_any_depth_in_the_order_of_names(tmp_path: Path) -> None:
    make(tmp_path, "b.jsonl", "a/z.txt", "a/b/c.csv", ".hidden.txt", ".git/config", "_SUCCESS", "_posts/one.md")
    assert names(discover([tmp_path])) == ["_posts/one.md", "a/b/c.csv", "a/z.txt", "b.jsonl"]


def test_a_hidden_file_that_is_named_is_taken(tmp_path: Path) -> None:
    make(tmp_path, ".hidden.txt")
    assert names(discover([tmp_path / ".hidden.txt"])) == [".hidden.txt"]


def test_links_are_followed_but_never_in_circles(tmp_path: Path) -> None:
    make(tmp_path, "data/a.txt", "elsewhere/b.txt")
    (tmp_path / "data/loop").symlink_to(tmp_path / "data")
    (tmp_path / "data/more").symlink_to(tmp_path / "elsewhere")
    assert names(discover([tmp_path / "data"])) == ["a.txt", "more/b.txt"]


@pytest.mark.parametrize("value", ["data", "data/*", "data/**/*", "da*"])
def test_a_link_to_nothing_is_found_and_cannot_be_read(tmp_path: Path, value: str) -> None:
    make(tmp_path, "data/a.txt")
    (tmp_path / "data" / "b.txt").symlink_to(tmp_path / "nowhere")
    sources = discover([tmp_path / value])
    assert [Path(name).name for name in names(sources)] == ["a.txt", "b.txt"]
    demand_file(sources[0])
    with pytest.raises(InputError, match=r"(?s)b\.txt is a broken link: .*nowhere does not exist.*hint: "):
        demand_file(sources[1])
    (tmp_path / "data" / "b.txt").rename(tmp_path / "data" / ".b.txt")
    assert names(discover([tmp_path / "data"])) == ["a.txt"], "hidden entries are none of our business"


@pytest.mark.parametrize("target", ["b.txt", "nowhere"])
def test_a_link_to_nothing_that_is_named_is_an_error(tmp_path: Path, target: str) -> None:
    (tmp_path / "b.txt").symlink_to(target)
    with pytest.raises(InputError, match=r"b\.txt is a broken link"):
        discover([tmp_path / "b.txt"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_a_folder_cannot_be_read(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "b")
    with pytest.raises(InputError, match="b is neither a file nor a folder"):
        demand_file(discover([tmp_path])[1])
    demand_file(discover([tmp_path / "b"])[0])


def test_a_path_that_does_not_exist_is_refused_in_advance_as_it_would_be(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    for check in (demand_existing, discover):
        with pytest.raises(InputError, match=r"b\.txt does not exist"):
            check([tmp_path / "a.txt", tmp_path / "b.txt"])


def test_nothing_else_is_refused_in_advance(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    (tmp_path / "b.txt").symlink_to("nowhere")
    demand_existing([tmp_path, tmp_path / "a.txt", tmp_path / "b.txt", "*.nothing", "-", "", "s3://bucket/nothing"])


def test_names_do_not_depend_on_the_order_of_inputs(tmp_path: Path) -> None:
    make(tmp_path, "news/a.jsonl", "web/a.jsonl", "extra.csv")
    inputs = [tmp_path / "web", tmp_path / "extra.csv", tmp_path / "news"]
    forward, backward = discover(inputs), discover(inputs[::-1])
    assert names(forward) == names(backward) == ["extra.csv", "news/a.jsonl", "web/a.jsonl"]
    assert [source.input_index for source in forward] == [1, 2, 0]


def test_a_file_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.txt")
    (tmp_path / "c.txt").symlink_to(tmp_path / "a.txt")
    assert names(discover([tmp_path, tmp_path / "a.txt", tmp_path / "*.txt"])) == ["a.txt", "b.txt"]


def test_a_pattern_names_files_from_its_fixed_part_on(tmp_path: Path) -> None:
    make(tmp_path, "x/1/a.jsonl", "x/2/a.jsonl", "x/2/b.csv")
    assert names(discover([tmp_path / "x/*/a.jsonl"])) == ["1/a.jsonl", "2/a.jsonl"]
    assert names(discover([str(tmp_path / "x/**/*.csv")])) == ["2/b.csv"]


def test_a_file_name_with_pattern_signs_is_a_file(tmp_path: Path) -> None:
    make(tmp_path, "a[1].txt")
    assert names(discover([tmp_path / "a[1].txt"])) == ["a[1].txt"]


def test_a_relative_input_is_found_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "data/a.txt")
    monkeypatch.chdir(tmp_path)
    assert names(discover(["data"])) == ["a.txt"]
    assert names(discover([os.curdir])) == ["data/a.txt"]


def test_standard_input_is_jsonl(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    sources = discover(["-", tmp_path / "a.txt", "-"])
    assert sources[1] == Source(None, "stdin.jsonl", "jsonl", None, 0)
    assert names(sources) == ["a.txt", "stdin.jsonl"]


def test_the_output_folder_is_never_an_input(tmp_path: Path) -> None:
    make(tmp_path, "a.jsonl", "out/kept/a.jsonl")
    assert names(discover([tmp_path / "**/*.jsonl"], forbid=tmp_path / "out")) == ["a.jsonl"]
    with pytest.raises(UsageError, match="output folder"):
        discover([tmp_path], forbid=tmp_path)
    with pytest.raises(UsageError, match="lies in the input"):
        discover([tmp_path], forbid=tmp_path / "out")
    with pytest.raises(UsageError, match="output folder"):
        discover([tmp_path / "out/kept/a.jsonl"], forbid=tmp_path / "out")


@pytest.mark.parametrize("missing", ["nothing.jsonl", "nothing/*.jsonl", "empty"])
def test_an_input_without_files_is_an_error_with_a_hint(tmp_path: Path, missing: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"(?s)nothing|empty.*hint: "):
        discover([tmp_path / missing])


def test_no_input_at_all_is_an_error() -> None:
    with pytest.raises(InputError, match="hint"):
        discover([])


def test_names_that_the_output_needs_are_refused(tmp_path: Path) -> None:
    make(tmp_path, "rejected.jsonl", "stdin.jsonl")
    with pytest.raises(UsageError, match="rejected"):
        discover([tmp_path / "rejected.jsonl"])
    with pytest.raises(UsageError, match="stdin"):
        discover([tmp_path / "stdin.jsonl", "-"])


def test_parquet_inside_gzip_is_refused(tmp_path: Path) -> None:
    make(tmp_path, "a.parquet.gz")
    with pytest.raises(InputError, match="decompress"):
        discover([tmp_path / "a.parquet.gz"])


JUNK = {
    "~$book.xlsx": "an office lock file",
    ".~lock.book.ods#": "an office lock file",
    ".DS_Store": "a system file",
    "Thumbs.db": "a system file",
    "Desktop.ini": "a system file",
    "__MACOSX/._a.txt": "a system file",
    "a.txt~": "an editor backup",
    "#a.txt#": "an editor backup",
    "a.txt.swp": "an editor backup",
    "b.jsonl.part": "an incomplete download",
    "b.jsonl.crdownload": "an incomplete download",
    "_SUCCESS": "a Spark marker file",
    ".git/config": "hidden",
    ".hidden.txt": "hidden",
}


@pytest.mark.parametrize("value", ["", "*", "**/*", "**"])
def test_what_is_known_to_be_no_article_is_passed_over_and_told(tmp_path: Path, value: str) -> None:
    make(tmp_path, *JUNK, "deep/Thumbs.db", "deep/b.txt", "a.txt")
    inventory = survey([tmp_path / value])
    assert names(inventory.sources) == ["a.txt", "deep/b.txt"]
    report = {Path(item.path).relative_to(tmp_path).as_posix(): item.reason for item in inventory.skipped}
    expected = {name.split("/")[0]: reason for name, reason in JUNK.items()} | {"deep/Thumbs.db": "a system file"}
    if value.endswith("*") and value != "**":
        expected = {name: reason for name, reason in expected.items() if not name.startswith(".")}
    assert report == expected


def test_junk_that_is_named_is_taken(tmp_path: Path) -> None:
    make(tmp_path, *JUNK)
    for name in JUNK:
        assert [source.path for source in discover([tmp_path / name])] == [tmp_path / name]


def test_a_folder_of_junk_has_no_files(tmp_path: Path) -> None:
    make(tmp_path, "Thumbs.db")
    with pytest.raises(InputError, match=r"(?s)no files .*Thumbs\.db: a system file.*hint: "):
        discover([tmp_path])


TREE = ("a.csv", "a.jsonl", "drafts/b.jsonl", "drafts/deep/c.jsonl", "x/drafts/d.jsonl", "x/e[1].txt")
SELECTIONS = [
    ((), (), TREE),
    (("*.jsonl",), (), ("a.jsonl",)),
    (("**/*.jsonl",), (), ("a.jsonl", "drafts/b.jsonl", "drafts/deep/c.jsonl", "x/drafts/d.jsonl")),
    (("*.csv", "x/**"), (), ("a.csv", "x/drafts/d.jsonl", "x/e[1].txt")),
    ((), ("drafts",), ("a.csv", "a.jsonl", "x/drafts/d.jsonl", "x/e[1].txt")),
    ((), ("**/drafts/",), ("a.csv", "a.jsonl", "x/e[1].txt")),
    ((), ("**/[bd].*",), ("a.csv", "a.jsonl", "drafts/deep/c.jsonl", "x/e[1].txt")),
    ((), ("**/[!bd].*",), ("drafts/b.jsonl", "x/drafts/d.jsonl", "x/e[1].txt")),
    ((), ("x/e[[]1[]].txt",), TREE[:-1]),
    ((), ("?.csv", "./a.j*", "drafts/*/*"), ("drafts/b.jsonl", "x/drafts/d.jsonl", "x/e[1].txt")),
    (("**/*.jsonl",), ("**/deep/*",), ("a.jsonl", "drafts/b.jsonl", "x/drafts/d.jsonl")),
]


@pytest.mark.parametrize(("include", "exclude", "expected"), SELECTIONS)
@pytest.mark.parametrize("value", [".", "**", "*"])
def test_globs_choose_among_the_files_of_folders(
    tmp_path: Path, value: str, include: tuple[str, ...], exclude: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    make(tmp_path, *TREE)
    assert tuple(names(discover([tmp_path / value], selection=Selection(include, exclude)))) == expected


def test_globs_do_not_touch_what_is_named(tmp_path: Path) -> None:
    make(tmp_path, "a.csv", "b.jsonl")
    chosen = Selection(("*.jsonl",), ("a.*",))
    assert names(discover([tmp_path, tmp_path / "a.csv"], selection=chosen)) == ["a.csv", "b.jsonl"]
    with pytest.raises(InputError, match="no files"):
        discover([tmp_path], selection=Selection(("*.parquet",)))


@pytest.mark.parametrize("glob", ["", "/etc/*"])
def test_a_glob_that_is_no_path_in_a_folder_is_refused(glob: str) -> None:
    with pytest.raises(UsageError, match="hint"):
        Selection(exclude=(glob,))
