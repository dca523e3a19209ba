from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from whorl.errors import InputError
from whorl.evaluation.plagdet import CopiedStretch
from whorl.evaluation.scoring import Copy, Truth
from whorl.evaluation.truth import load_truth

IDS = frozenset("abcdef")


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_pairs_may_be_labelled_and_named(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("a,b,label,kind\na,b,是,reprint\nd,c,0,\nb,a,1,reprint\n", encoding="utf-8")
    assert load_truth(path, IDS) == Truth((Copy("a", "reprint", ("b",)),), others=frozenset({("c", "d")}))


def test_pairs_need_no_label(tmp_path: Path) -> None:
    path = tmp_path / "truth.tsv"
    path.write_text("id_a\tid_b\nb\ta\nc\td\n", encoding="utf-8-sig")
    assert [copy.sources for copy in load_truth(path, IDS).copies] == [("b",), ("d",)]


def test_clusters_are_all_their_pairs(tmp_path: Path) -> None:
    rows = [{"id": value, "cluster": name} for value, name in zip("abcde", [7, 7, 8, 7, 9], strict=True)]
    truth = load_truth(write(tmp_path / "truth.jsonl", *rows, rows[0]), IDS)
    assert [value for value, _ in truth.pairs()] == [("a", "b"), ("a", "d"), ("b", "d")]


def test_copies_have_kinds_and_sources_and_relate_copies_of_one_original(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl.gz"
    rows = [
        {"copy_id": "b", "kind": "typo1", "sources": ["a"], "passages": []},
        {"copy_id": "c", "kind": "mix2", "sources": ["a", "d"]},
    ]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n\n" for row in rows)
    truth = load_truth(path, IDS, complete=False)
    assert truth.copies == (Copy("b", "typo1", ("a",)), Copy("c", "mix2", ("a", "d")))
    assert (truth.related, truth.complete) == ({("b", "c")}, False)


def test_passages_of_copies_are_read(tmp_path: Path) -> None:
    passages = [
        {"source": "a", "s0": 3, "s1": 9, "c0": 0, "c1": 6},
        {"source": "a", "s0": 4, "s1": 4, "c0": 7, "c1": 8},
    ]
    row = {"copy_id": "b", "kind": "excerpt", "sources": ["a"], "passages": passages}
    (copy,) = load_truth(write(tmp_path / "truth.jsonl", row), IDS).copies
    assert copy.passages == (CopiedStretch("b", 0, 6, "a", 3, 9),)


@pytest.mark.parametrize(
    ("passages", "message"),
    [
        ("a", "passages is not a list"),
        ([[0, 1]], "passages is not a list"),
        ([{"source": "c", "s0": 0, "s1": 1, "c0": 0, "c1": 1}], "'c', which is not a source"),
        ([{"source": "a", "s0": 0, "s1": 1, "c0": 0}], "from 0 to None"),
        ([{"source": "a", "s0": 2, "s1": 1, "c0": 0, "c1": 1}], "from 2 to 1"),
        ([{"source": "a", "s0": -1, "s1": 1, "c0": 0, "c1": 1}], "from -1 to 1"),
        ([{"source": "a", "s0": "0", "s1": 1, "c0": 0, "c1": 1}], "from 0 to 1"),
    ],
)
def test_invalid_passages_are_refused(tmp_path: Path, passages: Any, message: str) -> None:
    row = {"copy_id": "b", "sources": ["a"], "passages": passages}
    with pytest.raises(InputError, match=r"truth\.jsonl:1: ") as refused:
        load_truth(write(tmp_path / "truth.jsonl", row), IDS)
    assert message in refused.value.message
    assert refused.value.hint


def test_pairs_to_ignore_are_set_aside(tmp_path: Path) -> None:
    path = write(tmp_path / "truth.jsonl", {"a": "a", "b": "b"})
    aside = write(tmp_path / "aside.jsonl", {"a": "d", "b": "c", "jaccard": 0.2})
    assert load_truth(path, IDS, ignore=aside).aside == {("c", "d")}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "is empty"),
        ([{"x": 1}], "truth.jsonl:1: the columns are x"),
        ([{"a": "a", "b": "b"}, {"a": "a", "b": "z"}], "truth.jsonl:2: document 'z' not found"),
        ([{"a": "a", "b": None}], "truth.jsonl:1: b has no document id"),
        ([{"a": "a", "b": "a"}], "truth.jsonl:1: 'a' is paired with itself"),
        ([{"a": "a", "b": "b", "label": "unclear"}], "truth.jsonl:1: the label is 'unclear'"),
        ([{"a": "a", "b": "b", "label": 0}], "contains no copies"),
        (
            [{"a": "a", "b": "b", "label": 1}, {"a": "b", "b": "a", "label": "no"}],
            "truth.jsonl:2: 'a' and 'b' are not copies here, but copies in line 1",
        ),
        (
            [{"a": "a", "b": "b", "kind": "x"}, {"a": "b", "b": "a", "kind": "y"}],
            "truth.jsonl:2: the pair is of kind 'x' in line 1",
        ),
        (
            [{"id": "a", "cluster": 1}, {"id": "a", "cluster": 2}],
            "truth.jsonl:2: 'a' is in cluster 2, and in '1' by line 1",
        ),
        ([{"id": "a", "cluster": None}], "truth.jsonl:1: cluster is empty"),
        ([{"copy_id": "a", "sources": "b"}], "truth.jsonl:1: sources is not a list"),
        ([{"copy_id": "a", "sources": ["a"]}], "truth.jsonl:1: 'a' is its own source"),
        ([{"copy_id": "a", "sources": ["b"]}] * 2, "truth.jsonl:2: 'a' is already in line 1"),
        ([["a", "b"]], "truth.jsonl:1: not a JSON object"),
    ],
)
def test_a_truth_that_cannot_be_one_is_refused(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        load_truth(write(tmp_path / "truth.jsonl", *rows), IDS)
    assert message in refusal.value.message
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("truth.jsonl", b"{", "truth.jsonl:1: not JSON"),
        ("truth.jsonl", '{"a": "梨"}'.encode("gb18030"), "is not UTF-8"),
        ("truth.jsonl.gz", b"no gzip", "cannot read"),
        ("truth.csv", b"a,b\na\n", "truth.csv:2: the row has more or fewer fields"),
        ("truth.csv", b"a,b\na,b,c\n", "truth.csv:2: the row has more or fewer fields"),
        ("truth.csv", b"a,b\n", "is empty"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as refusal:
        load_truth(tmp_path / name, IDS)
    assert message in refusal.value.message


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load_truth(tmp_path / "truth.csv", IDS)


def test_pairs_to_ignore_must_be_pairs(tmp_path: Path) -> None:
    path = write(tmp_path / "truth.jsonl", {"a": "a", "b": "b"})
    with pytest.raises(InputError, match=r"aside\.jsonl:1: the columns are id, cluster"):
        load_truth(path, IDS, ignore=write(tmp_path / "aside.jsonl", {"id": "a", "cluster": 1}))


@pytest.mark.parametrize("line", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text(f'{{"a": "a", "b": "b"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"truth\.jsonl:2: not JSON"):
        load_truth(path, IDS)


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode here")
@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
def test_the_name_of_a_file_need_not_be_unicode(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / os.fsdecode(b"truth \xff\n{0}" + suffix.encode())
    row = b'{"a": "a", "b": "b"}\n'
    path.write_bytes(gzip.compress(row) if suffix.endswith(".gz") else row)
    assert load_truth(path, IDS).copies == (Copy("a", "", ("b",)),)
    path.write_bytes(b"[]")
    with pytest.raises(InputError):
        load_truth(path, IDS)
