"""Text reuse: all shared passages of a corpus, clusters, groups, hot passages, chance, files and graphs."""

import csv
import importlib.util
import json
import random
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from tests.rewritten import REWRITES

import whorl
from whorl.errors import InputError, UsageError
from whorl.matching.compare import compare_many
from whorl.results import Reuse

SENTENCE = "码头上的木桩每隔七年要换一次，换桩的那个月全镇的人绕路走。"


def prose(seed: int, length: int = 400) -> str:
    """Return invented text that shares no run of characters with that of another seed."""
    source = random.Random(seed)
    signs = "".join(chr(source.randrange(0x4E00, 0x9000)) for _ in range(length))
    return "。\n".join(signs[start : start + 25] for start in range(0, length, 25)) + "。"


def quoting(count: int) -> list[dict[str, str]]:
    """Return documents that share one sentence and nothing else, the last one published first."""
    return [
        {
            "id": f"d{number}",
            "text": f"{prose(number)}\n{SENTENCE}\n{prose(1000 + number)}",
            "date": f"2020-01-{count - number:02}" if count < 30 else "2020-01-01",
            "paper": "甲乙丙"[number % 3],
        }
        for number in range(count)
    ]


def pairs_of(result: Reuse) -> set[frozenset[str]]:
    """Return the pairs of documents with a passage."""
    return {frozenset((row["a_id"], row["b_id"])) for row in result.pairs.to_pylist()}


def with_errors(text: str, share: float, seed: int) -> str:
    """Return a text in which a share of the characters is misread."""
    source = random.Random(seed)
    return "".join(chr(source.randrange(0x4E00, 0x9000)) if source.random() < share else sign for sign in text)


def test_a_sentence_in_fourteen_texts_has_all_pairs_and_places() -> None:
    documents = quoting(14)
    result = whorl.reuse(documents)
    assert len(pairs_of(result)) == 14 * 13 // 2
    [cluster] = result.clusters.to_pylist()
    assert (cluster["documents"], cluster["hot"], cluster["first_id"]) == (14, False, "d13")
    texts = {document["id"]: document["text"] for document in documents}
    witnesses = result.witnesses.to_pylist()
    assert [witness["id"] for witness in witnesses] == [f"d{number}" for number in reversed(range(14))]
    assert {texts[row["id"]][row["start"] : row["end"]] for row in witnesses} == {SENTENCE}


def test_a_hot_sentence_keeps_all_places_with_few_pairs() -> None:
    result = whorl.reuse(quoting(200), hot=50)
    [cluster] = result.clusters.to_pylist()
    assert (cluster["documents"], cluster["hot"]) == (200, True)
    counts = result.run["counts"]
    assert counts["pairs"] < 5 * 200
    assert counts["pairs"] + counts["pairs_not_listed"] == 200 * 199 // 2


@pytest.mark.parametrize("hot", [2, 50])
def test_groups_are_compared_with_each_other_only(hot: int) -> None:
    result = whorl.reuse(quoting(12), group="paper", hot=hot)
    groups = zip(*(result.pairs[name].to_pylist() for name in ("a_group", "b_group")), strict=True)
    assert all(a != b for a, b in groups)
    assert result.clusters["documents"].to_pylist() == [12]
    assert {name for name, _ in result.nodes} == {"甲", "乙", "丙"}
    counts = result.run["counts"]
    assert counts["pairs"] + counts["pairs_not_listed"] == 3 * 4 * 4


def test_two_corpora_are_compared_with_each_other_only() -> None:
    documents = quoting(7)
    result = whorl.reuse(documents[:4], against=documents[4:])
    assert len(pairs_of(result)) == 4 * 3


def test_passages_are_those_of_all_comparisons() -> None:
    texts = [prose(number) for number in range(9)]
    texts[3] += texts[1][30:130]
    texts[5] = texts[5][:200] + texts[2][:60].replace("。", "，") + texts[5][200:]
    texts[6] += "\n" + SENTENCE
    texts[7] = SENTENCE + "\n" + texts[7]
    texts[8] = with_errors(texts[0], 0.1, 5)
    numbers = list(combinations(range(9), 2))
    compared = compare_many([(texts[a], texts[b]) for a, b in numbers], least=13)
    expected = {
        (str(a + 1), str(b + 1), passage.a_start, passage.a_end, passage.b_start, passage.b_end, passage.kind)
        for (a, b), comparison in zip(numbers, compared, strict=True)
        for passage in comparison.passages
    }
    columns = ("a_id", "b_id", "a_start", "a_end", "b_start", "b_end", "kind")
    rows = whorl.reuse(texts).passages.to_pylist()
    assert {tuple(row[name] for name in columns) for row in rows} == expected
    assert len({row[:2] for row in expected}) == 4


@pytest.mark.parametrize("share", [0.1, 0.2])
def test_text_with_recognition_errors_is_found(share: float) -> None:
    originals = [prose(number, 150) for number in range(40)]
    scans = [prose(100 + number, 200) + with_errors(text, share, number) for number, text in enumerate(originals)]
    pairs = [(a, b) for a, b in zip(originals, scans, strict=True)]
    compared = [number for number, result in enumerate(compare_many(pairs, least=13), start=1) if result.passages]
    scanned = pairs_of(whorl.reuse(originals, against=scans))
    recalled = [number for number in compared if frozenset((str(number), f"other:{number}")) in scanned]
    assert len(recalled) >= 0.95 * len(compared) >= 0.95 * 30


def test_short_quotations_have_their_offsets() -> None:
    texts = [prose(1, 60) + "渔舟唱晚响穷彭蠡" + prose(2, 60), prose(3, 60) + "渔舟唱晚，响穷彭蠡" + prose(4, 60)]
    assert whorl.reuse(texts).passages.num_rows == 0
    [row] = whorl.reuse(texts, least=8).passages.to_pylist()
    assert (row["a_text"], row["b_text"], row["matched"]) == ("渔舟唱晚响穷彭蠡", "渔舟唱晚，响穷彭蠡", 8)
    assert texts[1][row["b_start"] : row["b_end"]] == row["b_text"]


def test_indented_text_needs_no_longer_passages() -> None:
    indented = [f"{prose(number, 50)}\n{SENTENCE[:20]}".replace("。\n", "。\n" + " " * 400) for number in range(2)]
    assert whorl.reuse(indented).passages["matched"].to_pylist() == [19]


def test_variants_and_other_scripts_are_found() -> None:
    simplified, traditional = "学而时习之不亦说乎有朋自远方来不亦乐乎", "學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？"
    result = whorl.reuse([prose(1) + simplified, prose(2) + traditional])
    assert result.passages["matched"].to_pylist() == [19]


def test_chance_is_stated_for_large_enough_corpora() -> None:
    assert whorl.reuse(["短。", "文。"]).run["chance"] is None
    chance = whorl.reuse([prose(number, 3000) for number in range(10)]).run["chance"]
    assert chance["decoy_hits"] == 0
    assert chance["expected"] <= chance["upper"]


def test_the_earlier_document_is_the_source() -> None:
    rows = [{"id": "late", "text": SENTENCE, "date": "2021-05-02"}, {"id": "early", "text": SENTENCE, "date": "1998"}]
    [pair] = whorl.reuse(rows).pairs.to_pylist()
    assert (pair["a_id"], pair["b_id"], pair["order"]) == ("early", "late", "earlier")
    [pair] = whorl.reuse([{"id": "x", "text": SENTENCE}, {"id": "y", "text": SENTENCE}]).pairs.to_pylist()
    assert pair["order"] is None


def test_frames_and_lists_give_the_same() -> None:
    documents = quoting(3)
    tables = [whorl.reuse(source).passages for source in (documents, pd.DataFrame(documents), iter(documents))]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, Reuse]:
    """Return the output folder and the result of a run over a file."""
    rows = [*quoting(3), {"id": '<&"\x01>', "text": SENTENCE, "date": "2019-01-01", "paper": "=1+1"}]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (tmp_path / "news.jsonl").write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out"
    return out, whorl.reuse_files(tmp_path / "news.jsonl", out, group="paper")


def test_the_folder_has_tables_graphs_and_a_page(written: tuple[Path, Reuse]) -> None:
    out, result = written
    run: Mapping[str, Mapping[str, str]] = json.loads((out / "run.json").read_text("utf-8"))
    names = {path.name for path in out.iterdir()} - {"run.json"}
    assert set(run["files"]) == names >= {"passages.csv", "passages.parquet", "pairs.csv", "clusters.csv", "index.html"}
    with (out / "passages.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == result.passages.num_rows
    assert {row["a_group"] for row in rows} >= {"'=1+1"}
    assert pd.read_parquet(out / "passages.parquet")["a_group"].tolist().count("=1+1") == 3
    assert "whorl" in run["methods"]["zh"]
    page = (out / "index.html").read_text("utf-8")
    assert "<script" not in page
    assert '<svg class="network"' in page


@pytest.mark.parametrize(("name", "edge"), [("graph.gexf", ".//{*}edge"), ("graph.graphml", ".//{*}edge")])
def test_graphs_are_sound_xml(written: tuple[Path, Reuse], name: str, edge: str) -> None:
    out, result = written
    tree = ET.parse(out / name)
    ends = {(item.get("source"), item.get("target")) for item in tree.iterfind(edge)}
    assert ends == {(a, b) for a, b, _ in result.edges}
    assert {item.get("id") for item in tree.iterfind(".//{*}node")} == {name for name, _ in result.nodes}


def test_a_taken_folder_stays(written: tuple[Path, Reuse], tmp_path: Path) -> None:
    out, _ = written
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(UsageError, match="contains an earlier run"):
        whorl.reuse_files(tmp_path / "news.jsonl", out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_the_same_corpus_gives_the_same_files(written: tuple[Path, Reuse], tmp_path: Path) -> None:
    out, _ = written
    again = tmp_path / "again"
    whorl.reuse_files(tmp_path / "news.jsonl", again, group="paper")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {
        path.name: path.read_bytes() for path in again.iterdir()
    }


def test_folders_are_groups(tmp_path: Path) -> None:
    for name, text in (("论语/1.txt", SENTENCE), ("论语/2.txt", SENTENCE), ("孟子/1.txt", SENTENCE)):
        (tmp_path / "books" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "books" / name).write_text(text, encoding="utf-8")
    result = whorl.reuse_files(tmp_path / "books", group="folder")
    assert len(pairs_of(result)) == 2
    assert {name for name, _ in result.nodes} == {"论语", "孟子"}


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(UsageError, match="least"):
        whorl.reuse([SENTENCE], least=7)
    with pytest.raises(InputError, match="group column 'author'"):
        whorl.reuse([{"text": SENTENCE}], group="author")
    with pytest.raises(InputError, match="no documents"):
        whorl.reuse([])
    with pytest.raises(UsageError, match="name of a table"):
        whorl.reuse([SENTENCE]).to_pandas("sentences")


def test_networkx_has_the_graph() -> None:
    result = whorl.reuse(quoting(3))
    if importlib.util.find_spec("networkx") is None:
        with pytest.raises(UsageError, match="networkx is not installed"):
            result.to_networkx()
    else:
        assert result.to_networkx().number_of_edges() == 3


def test_pairs_of_many_groups_have_their_own_figures() -> None:
    texts = []
    for number in range(48):
        original = prose(number % 12, 300)
        excerpt = original[:150] + prose(500 + number, 150)
        texts.append([original, excerpt, with_errors(original, 0.05, number), original][number // 12])
    result = whorl.reuse(texts)
    rows = {(row["a_id"], row["b_id"]): row for row in result.pairs.to_pylist()}
    assert set(rows) == {(str(a + 1), str(b + 1)) for a, b in combinations(range(48), 2) if a % 12 == b % 12}
    compared = compare_many([(texts[int(a) - 1], texts[int(b) - 1]) for a, b in rows], least=13)
    for row, comparison in zip(rows.values(), compared, strict=True):
        assert (row["relation"], row["passages"]) == (comparison.relation, len(comparison.passages))
        assert row["matched"] == sum(passage.matched for passage in comparison.passages)
        assert row["relation"] != "exact" or row["copied_b"] == 1


@pytest.mark.parametrize(("source", "rewrite"), REWRITES, ids=["zh", "en"])
def test_rewritten_copies_are_pairs_on_request(source: str, rewrite: str) -> None:
    documents = [{"id": name, "text": text} for name, text in (("source", source), ("rewrite", rewrite))]
    documents += [{"id": f"d{number}", "text": prose(number)} for number in range(5)]
    assert pairs_of(whorl.reuse(documents)) == set()
    result = whorl.reuse(documents, reworded=True)
    assert pairs_of(result) == {frozenset(("source", "rewrite"))}
    [pair] = result.pairs.to_pylist()
    assert (pair["relation"], pair["copied_a"], pair["copied_b"]) == ("reworded", 0.0, 0.0)
    assert set(result.passages["kind"].to_pylist()) == {"rewritten"}
    grouped = [{**document, "author": "甲"} for document in documents]
    assert pairs_of(whorl.reuse(grouped, group="author", reworded=True)) == set()
    both = (("甲", source), ("乙", rewrite))
    editions = [{"id": f"{author}{n}", "text": text, "author": author} for author, text in both for n in range(12)]
    across = pairs_of(whorl.reuse(editions, group="author", reworded=True))
    assert {identifier for pair in across for identifier in pair} == {edition["id"] for edition in editions}


def test_documents_are_called_by_their_titles(tmp_path: Path) -> None:
    rows = [
        {"id": "7f3a", "title": "码头\n的桩", "text": SENTENCE},
        {"id": "9c01", "title": None, "text": f"另据报道，{SENTENCE}"},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    for result in (whorl.reuse(rows), whorl.reuse_files(path, tmp_path / "out")):
        assert result.documents["title"].to_pylist() == ["码头 的桩", None]
        assert [attributes["label"] for _, attributes in result.nodes] == ["码头 的桩", "9c01"]
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "<bdi>码头 的桩</bdi>" in page
    assert 'label="码头 的桩"' in (tmp_path / "out" / "graph.gexf").read_text(encoding="utf-8")
