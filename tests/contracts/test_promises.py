"""The documented guarantees of a dedup run, one after the other."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import docx
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas
from tests.articles import NEWSROOM, article, edited, jsonl, newsroom_articles, small_corpus, write_jsonl
from tests.quality.exact import jaccard
from tests.runs import RecordedProgress, clusters, dedup, duplicates, files, kept_documents, rejected
from tests.runs import whorl as command

import whorl
from whorl.engines.job import DedupJob
from whorl.engines.local import read
from whorl.engines.local.run import dedup_files
from whorl.engines.memory.rows import Rows, decide_rows, gather, rows_of_texts
from whorl.errors import UsageError
from whorl.fingerprints import families, family
from whorl.recipe import Recipe

PROVED = ("id", "duplicate_of", "similarity", "measure", "cluster_id")


def removals(out: Path) -> list[tuple[Any, ...]]:
    """Return the removals without the position of the removed row, which depends on its file."""
    return [tuple(row[name] for name in PROVED) for row in duplicates(out)]


# No removal without proof


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 1.0])
def test_every_removal_names_a_kept_document_and_its_exact_figure(tmp_path: Path, threshold: float) -> None:
    texts = {row["id"]: row["text"] for row in newsroom_articles()}
    dedup(NEWSROOM / "articles.jsonl", tmp_path / "out", threshold=threshold)
    kept = {row["id"] for row in kept_documents(tmp_path / "out")}
    removed = duplicates(tmp_path / "out")
    assert removed
    for row in removed:
        assert row["id"] not in kept
        assert row["duplicate_of"] in kept
        assert row["cluster_id"] == row["duplicate_of"], "a cluster is a star"
        assert row["measure"] == "jaccard"
        exact = jaccard(texts[row["id"]], texts[row["duplicate_of"]])
        assert row["similarity"] == pytest.approx(exact, abs=1e-9)
        assert exact >= threshold


def test_nothing_chains(tmp_path: Path) -> None:
    """A hundred texts, each similar to its neighbor, the last unlike the first."""
    chain = [article(1)]
    for step in range(100):
        chain.append(edited(chain[-1], 3, seed=step))
    write_jsonl(tmp_path / "chain.jsonl", [{"id": f"{step:03}", "text": text} for step, text in enumerate(chain)])
    dedup(tmp_path / "chain.jsonl", tmp_path / "out")
    centres = {row["cluster_id"] for row in clusters(tmp_path / "out")}
    assert len(centres) > 5
    for row in clusters(tmp_path / "out"):
        assert jaccard(chain[int(row["id"])], chain[int(row["cluster_id"])]) >= 0.8


def test_the_exact_method_removes_only_texts_that_fold_alike(tmp_path: Path) -> None:
    documents = [
        {"id": "plain", "text": "今日天气晴朗，适合出游。"},
        {"id": "punctuated", "text": "今日天气 晴朗！！适合出游"},
        {"id": "one character off", "text": "今日天气晴朗，适合出行。"},
    ]
    write_jsonl(tmp_path / "a.jsonl", documents)
    dedup(tmp_path / "a.jsonl", tmp_path / "out", method="exact")
    assert [(row["id"], row["similarity"], row["measure"]) for row in duplicates(tmp_path / "out")] == [
        ("punctuated", 1.0, "exact")
    ]


# Deterministic


@pytest.fixture
def dealt(tmp_path: Path) -> tuple[Path, Path]:
    """Return a corpus in two files."""
    documents = small_corpus()
    random.Random(0).shuffle(documents)
    return (
        write_jsonl(tmp_path / "in" / "a.jsonl", documents[:70]),
        write_jsonl(tmp_path / "in" / "b.jsonl", documents[70:]),
    )


def test_the_order_of_the_files_does_not_matter(dealt: tuple[Path, Path], tmp_path: Path) -> None:
    results = []
    for name, sources in (("ab", dealt), ("ba", dealt[::-1]), ("folder", (dealt[0].parent,))):
        dedup(sources, tmp_path / name)
        results.append([files(tmp_path / name / "kept"), duplicates(tmp_path / name), clusters(tmp_path / name)])
    assert results[0][1]
    assert results[0] == results[1] == results[2]


def test_the_order_of_the_rows_does_not_matter(tmp_path: Path) -> None:
    documents = small_corpus()
    results = []
    for seed in range(3):
        random.Random(seed).shuffle(documents)
        write_jsonl(tmp_path / "in" / f"{seed}.jsonl", documents)
        dedup(tmp_path / "in" / f"{seed}.jsonl", tmp_path / str(seed))
        results.append(removals(tmp_path / str(seed)))
    assert results[0]
    assert results[0] == results[1] == results[2]


def test_first_means_the_order_of_the_input(tmp_path: Path) -> None:
    sources = [write_jsonl(tmp_path / f"{name}.jsonl", [{"id": name, "text": article(1)}]) for name in "cab"]
    dedup(tuple(sources), tmp_path / "out", keep="first")
    assert [row["id"] for row in kept_documents(tmp_path / "out")] == ["c"]


def test_the_number_of_threads_does_not_matter(dealt: tuple[Path, Path], tmp_path: Path) -> None:
    results = []
    for threads in ("1", "2", "5"):
        out = tmp_path / threads
        ended = command("dedup", dealt[0].parent, "-o", out, environment={"RAYON_NUM_THREADS": threads})
        assert ended.code == 0, ended.error
        results.append([files(out / "kept"), duplicates(out), clusters(out)])
    assert results[0] == results[1] == results[2]


def test_the_size_of_blocks_and_segments_does_not_matter(
    dealt: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dedup(dealt, tmp_path / "large")
    monkeypatch.setattr(read, "SEGMENT_BYTES", 1000)
    dedup(dealt, tmp_path / "small", max_row_bytes=2000)
    assert duplicates(tmp_path / "large")
    for look in (duplicates, clusters, lambda out: files(out / "kept")):
        assert look(tmp_path / "small") == look(tmp_path / "large")


def test_the_format_does_not_matter(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    documents = small_corpus()
    table = pa.Table.from_pylist(documents)
    folder = tmp_path / "in"
    write_jsonl(folder / "a.jsonl", documents)
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(jsonl(documents)))
    (folder / "a.jsonl.zst").write_bytes(pa.compress(jsonl(documents), codec="zstd", asbytes=True))
    (folder / "gbk.jsonl").write_bytes(jsonl(documents).decode().encode("gb18030"))
    pq.write_table(table, folder / "a.parquet")
    pyarrow.csv.write_csv(table, folder / "a.csv")
    pyarrow.csv.write_csv(table, folder / "a.tsv", pyarrow.csv.WriteOptions(delimiter="\t"))
    workbook = openpyxl.Workbook()
    for row in (("id", "text"), *((document["id"], document["text"]) for document in documents)):
        workbook.active.append(row)
    workbook.save(folder / "a.xlsx")
    results = {}
    for path in sorted(folder.iterdir()):
        dedup(path, tmp_path / path.name)
        results[path.name] = removals(tmp_path / path.name)
    assert len(results) == 8
    assert results["a.jsonl"]
    assert all(result == results["a.jsonl"] for result in results.values())


def test_the_kind_of_document_does_not_matter(tmp_path: Path) -> None:
    """With one article per file, the same articles are removed, and the others are kept byte for byte."""
    documents = small_corpus(originals=8)
    savers = {"txt": save_text, "html": save_page, "docx": save_word, "pdf": save_pdf}
    results = {}
    for kind, save in savers.items():
        folder = tmp_path / kind
        folder.mkdir()
        for document in documents:
            save(folder / f"{document['id']}.{kind}", document["text"])
        run = dedup(folder, tmp_path / f"{kind}-out")
        assert run["counts"]["rejected"] == 0
        kept = files(tmp_path / f"{kind}-out" / "kept")
        assert all(data == (folder / name).read_bytes() for name, data in kept.items())
        assert len(kept) == run["counts"]["kept"]
        results[kind] = sorted(name.partition(".")[0] for name in kept)
    assert len(results["txt"]) < len(documents)
    assert all(result == results["txt"] for result in results.values())


def save_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def save_page(path: Path, text: str) -> None:
    page = f"<html><head><title>页</title></head><body><nav><a href='/'>首页</a></nav><article><p>{text}</p></article>"
    path.write_bytes(page.encode("gb18030"))


def save_word(path: Path, text: str) -> None:
    document = docx.Document()
    document.add_paragraph(text)
    document.save(str(path))


def save_pdf(path: Path, text: str) -> None:
    registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(str(path), invariant=1)  # all of one date, as in the other kinds: by default each has its second
    canvas.setFont("STSong-Light", 12)
    for line, start in enumerate(range(0, len(text), 30)):
        canvas.drawString(72, 780 - 20 * line, text[start : start + 30])
    canvas.save()


def test_files_and_memory_give_the_same(tmp_path: Path) -> None:
    documents = small_corpus()
    write_jsonl(tmp_path / "a.jsonl", documents)
    dedup(tmp_path / "a.jsonl", tmp_path / "out")
    for source in (documents, pa.Table.from_pylist(documents)):
        in_memory = whorl.dedup(source).duplicates.to_pylist()
        assert [tuple(row[name] for name in PROVED) for row in in_memory] == removals(tmp_path / "out")


# Bounded: a key that half the corpus shares costs linear work


@dataclass(frozen=True)
class CountedRows(Rows):
    """Rows that count how often a text is read again for a comparison."""

    reads: list[int] = field(default_factory=list)

    def take(self, documents: Sequence[int]) -> Any:
        self.reads.append(len(documents))
        return super().take(documents)


@pytest.mark.parametrize("count", [500, 2000])
def test_a_key_that_all_share_costs_linear_work(count: int) -> None:
    """Every text has the same first half: they share keys, come close to the threshold, and contain no copy."""
    texts = [article(0, 100) + article(number, 100) for number in range(1, count + 1)]
    rows = rows_of_texts(texts)
    counted = CountedRows(rows.texts, rows.ids, rows.order)
    parameters = {"threshold": 0.2, "target_recall": 0.9}
    recipe = Recipe(threshold=0.4, keep="first", parameters=parameters)
    decisions, _ = decide_rows(gather(counted, rows_of_texts([]), recipe), recipe)
    assert decisions.kept.all()
    assert decisions.hot_keys
    keys = Recipe(threshold=0.4, parameters=parameters).as_dict()["parameters"]["bands"]
    assert count <= sum(counted.reads) <= count * (1 + 64 * keys)
    assert max(documents for _, documents, _, _ in decisions.hot_keys) > count / 4
    assert all(documents - unlisted == 64 for _, documents, unlisted, _ in decisions.hot_keys), "64 are listed"


def test_hot_keys_are_counted_and_listed(tmp_path: Path) -> None:
    documents = [{"id": f"{n:03}", "text": article(0, 100) + article(n, 100)} for n in range(1, 301)]
    write_jsonl(tmp_path / "a.jsonl", documents)
    recipe = {"threshold": 0.4, "parameters": {"threshold": 0.2, "target_recall": 0.9}}
    hot = dedup(tmp_path / "a.jsonl", tmp_path / "out", **recipe)["hot_keys"]
    assert hot["count"] >= len(hot["top"]) > 0
    assert hot["limit"] == 64
    assert hot["unlisted"] >= sum(entry["unlisted"] for entry in hot["top"]) > 0
    assert all(entry["example"] in {row["id"] for row in documents} for entry in hot["top"])


# No row is skipped silently

AWKWARD_ROWS = [
    '{"text":"第一篇，键在前。", "id" : 1}',
    '{ "id": "逃逸", "text": "\\u4e00\\u4e8c\\u4e09\\u56db\\u4e94\\u516d\\u4e03" }',
    '{"id":"emoji","text":"今天的新闻 \\ud83d\\ude00 到此为止","extra":{"nested":[1,2.50,null]}}',
    '{"id":"slash","text":"a\\/b c d e f g h","text2":"\\t"}',
    '{"id":"twice","text":"先","text":"同一个键出现两次的一行"}',
    '{"id":"featureless 1","text":""}',
    '{"id":"featureless 2","text":"。。。"}',
    '{"id":"featureless 3","text":"。。。"}',
    '{"id":"nul","text":"空\\u0000字符在中间的一行"}',
    '   {"id":"indented","text":"行首有空格的一行文字"}   ',
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "newline"])
def test_kept_rows_are_the_bytes_of_the_input(tmp_path: Path, newline: str, last: str) -> None:
    data = newline.join(AWKWARD_ROWS).encode() + (newline.encode() if last else b"")
    (tmp_path / "a.jsonl").write_bytes(data)
    dedup(tmp_path / "a.jsonl", tmp_path / "out")
    kept = (tmp_path / "out" / "kept" / "a.jsonl").read_bytes()
    assert kept.rstrip(b"\r\n") == data.rstrip(b"\r\n")


def test_a_text_without_features_is_kept_and_equals_nothing(tmp_path: Path) -> None:
    documents = [
        {"id": str(n), "text": text} for n, text in enumerate(["", "", "。", "。", " \n", "🎉", "🎉", "\u200b"])
    ]
    write_jsonl(tmp_path / "a.jsonl", documents)
    run = dedup(tmp_path / "a.jsonl", tmp_path / "out")
    assert kept_documents(tmp_path / "out") == documents
    assert run["counts"]["featureless"] == len(documents)


def test_every_row_is_kept_a_duplicate_or_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    copies = small_corpus(originals=3)
    broken = [b'{"id": "x", "text": "\xff\xfe"}', b"no json", b'{"id": "y"}', b'{"text": 5}', b'{"text": null}', b"[1]"]
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(jsonl(copies) + b"\n\n" + b"\n".join(broken) + b"\n")
    (folder / "b.csv").write_text(f'id,text\n1,"{copies[0]["text"]}"\n2,too,many\n3,"另一篇\n两行"\n', encoding="utf-8")
    pq.write_table(pa.table({"text": [copies[4]["text"], None, "只此一篇的短文"]}), folder / "c.parquet")
    (folder / "d.txt").write_text(copies[8]["text"], encoding="utf-8")
    (folder / "e.txt").write_bytes(b"\x00\xff\x80" * 100)
    run = dedup(folder, tmp_path / "out")
    counts = run["counts"]
    assert counts["rows"] == 12 + 6 + 3 + 3 + 1 + 1
    assert counts["rows"] == counts["kept"] + counts["duplicates"] + counts["rejected"]
    assert (
        counts["rejected"] == 6 + 1 + 1 + 1 == len(rejected(tmp_path / "out")) == sum(run["rejected_reasons"].values())
    )
    for entry in run["inputs"]:
        assert entry["rows"] == entry["kept"] + entry["duplicates"] + entry["rejected"]
    for name in ("kept", "duplicates", "rejected", "rows"):
        assert counts[name] == sum(entry[name] for entry in run["inputs"])
    assert (tmp_path / "out" / "rejected" / "a.jsonl").read_bytes() == b"\n".join(broken) + b"\n"
    assert (tmp_path / "out" / "rejected" / "e.txt").read_bytes() == b"\x00\xff\x80" * 100
    roles = [row["role"] for row in clusters(tmp_path / "out")]
    assert (roles.count("kept"), roles.count("duplicate")) == (counts["kept"], counts["duplicates"])


def test_bad_rows_of_a_reference_are_not_rows_of_the_input(tmp_path: Path) -> None:
    (tmp_path / "reference.jsonl").write_bytes(jsonl([{"text": article(1)}]) + b"broken\n")
    write_jsonl(tmp_path / "a.jsonl", [{"text": article(1)}, {"text": article(2)}])
    counts = dedup(tmp_path / "a.jsonl", tmp_path / "out", against=(tmp_path / "reference.jsonl",))["counts"]
    assert (counts["rows"], counts["kept"], counts["duplicates"], counts["rejected"]) == (2, 1, 1, 0)


# Sketches are never mixed


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """Return an earlier run."""
    write_jsonl(tmp_path / "old.jsonl", small_corpus())
    dedup(tmp_path / "old.jsonl", tmp_path / "earlier")
    return tmp_path / "earlier"


@pytest.fixture
def news(tmp_path: Path) -> Path:
    """Return later documents: copies of documents of the earlier run, and one new article twice."""
    documents = [{"id": f"n{n}", "text": edited(article(n), 3, seed=9)} for n in range(10)]
    new = [{"id": f"new{n}", "text": article(1000)} for n in range(2)]
    return write_jsonl(tmp_path / "news.jsonl", documents + new)


def against(earlier: Path, news: Path, out: Path, **recipe: Any) -> tuple[list[tuple[Any, ...]], list[str]]:
    progress = RecordedProgress()
    dedup_files(DedupJob((str(news),), out, Recipe(**recipe), (str(earlier),)), progress)
    assert not [row for row in kept_documents(out) if row["id"].startswith("o")], "references are not written"
    return removals(out), progress.notes


def test_the_sketches_of_an_earlier_run_give_what_its_texts_give(earlier: Path, news: Path, tmp_path: Path) -> None:
    reused, notes = against(earlier, news, tmp_path / "reused")
    fresh, _ = against(earlier / "kept", news, tmp_path / "fresh")
    assert notes == []
    assert reused == fresh
    assert len(reused) == 11
    assert [row["id"] for row in kept_documents(tmp_path / "reused")] == ["new0"]


def test_a_reference_of_another_recipe_is_fingerprinted_again(earlier: Path, news: Path, tmp_path: Path) -> None:
    parameters = {"shingle": 4}
    reused, notes = against(earlier, news, tmp_path / "reused", parameters=parameters)
    fresh, _ = against(earlier / "kept", news, tmp_path / "fresh", parameters=parameters)
    assert "another recipe" in notes[0]
    assert reused == fresh


def is_sound(name: str, parameters: dict[str, Any]) -> bool:
    try:
        family(name, **parameters)
    except UsageError:
        return False
    return True


def changed_parameters() -> list[Any]:
    """Yield each family with its first integer parameter increased by one; families without integers are left out."""
    result = []
    for name in sorted(families()):
        numbers = {item.name: getattr(family(name), item.name) for item in fields(family(name))}  # type: ignore[arg-type]
        one_more = ({parameter: value + 1} for parameter, value in numbers.items() if type(value) is int)
        changed = next((parameters for parameters in one_more if is_sound(name, parameters)), None)
        if changed is not None:
            result.append(pytest.param(name, changed, id=f"{name}-{next(iter(changed))}"))
    return result


@pytest.mark.parametrize(("name", "changed"), changed_parameters())
def test_sketches_of_other_parameters_are_refused_by_every_family(
    news: Path, tmp_path: Path, name: str, changed: dict[str, Any]
) -> None:
    write_jsonl(tmp_path / "old.jsonl", small_corpus(originals=12))
    dedup(tmp_path / "old.jsonl", tmp_path / "earlier", method=name)
    same, notes = against(tmp_path / "earlier", news, tmp_path / "same", method=name)
    assert notes == [], "the same parameters: nothing is fingerprinted again"
    assert same == against(tmp_path / "earlier" / "kept", news, tmp_path / "read", method=name)[0]
    reused, notes = against(tmp_path / "earlier", news, tmp_path / "reused", method=name, parameters=changed)
    fresh, _ = against(tmp_path / "earlier" / "kept", news, tmp_path / "fresh", method=name, parameters=changed)
    assert "another recipe" in notes[0]
    assert reused == fresh


@pytest.mark.parametrize("version", ["recipe", "fold"])
def test_a_reference_of_another_version_is_fingerprinted_again(
    earlier: Path, news: Path, tmp_path: Path, version: str
) -> None:
    run = json.loads((earlier / "run.json").read_text(encoding="utf-8"))
    run["versions"][version] = "0"
    if version == "recipe":
        run["recipe"]["version"] = 0
    (earlier / "run.json").write_text(json.dumps(run), encoding="utf-8")
    reused, notes = against(earlier, news, tmp_path / "reused")
    fresh, _ = against(earlier / "kept", news, tmp_path / "fresh")
    assert len(notes) == 1
    assert reused == fresh


def test_a_reference_whose_texts_have_changed_is_fingerprinted_again(earlier: Path, news: Path, tmp_path: Path) -> None:
    write_jsonl(earlier / "kept" / "old.jsonl", [{"id": "only", "text": article(3)}])
    result, notes = against(earlier, news, tmp_path / "out")
    assert "has changed" in notes[0]
    assert [row[:2] for row in result] == [("n3", "only"), ("new1", "new0")]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("begins", [b"", b"\xef\xbb\xbf", b"\n  \n"])
@pytest.mark.parametrize("ends", [b"", b"\n", b"not json"])
def test_the_sketches_know_where_kept_rows_lie(
    news: Path, tmp_path: Path, newline: bytes, begins: bytes, ends: bytes
) -> None:
    """The rows of the earlier input are found again for comparison, whatever surrounds them."""
    lines = jsonl(small_corpus()).splitlines()
    (tmp_path / "old.jsonl").write_bytes(begins + newline.join(lines) + newline + ends)
    dedup(tmp_path / "old.jsonl", tmp_path / "earlier")
    reused, notes = against(tmp_path / "earlier", news, tmp_path / "reused")
    assert notes == []
    assert len(reused) == 11


@pytest.mark.parametrize("name", ["old.jsonl.gz", "old.parquet", "old.csv"])
def test_the_sketches_of_every_format_are_reused(news: Path, tmp_path: Path, name: str) -> None:
    table = pa.Table.from_pylist(small_corpus())
    if name.endswith(".gz"):
        (tmp_path / name).write_bytes(gzip.compress(jsonl(small_corpus())))
    elif name.endswith(".parquet"):
        pq.write_table(table, tmp_path / name)
    else:
        pyarrow.csv.write_csv(table, tmp_path / name)
    dedup(tmp_path / name, tmp_path / "earlier")
    reused, notes = against(tmp_path / "earlier", news, tmp_path / "reused")
    assert notes == []
    assert len(reused) == 11


def test_a_chain_of_runs_lets_every_document_in_once(tmp_path: Path) -> None:
    """Day after day, each run against all days before."""
    documents = small_corpus()
    random.Random(1).shuffle(documents)
    outs: list[Path] = []
    for day in range(4):
        write_jsonl(tmp_path / f"{day}.jsonl", documents[day * 30 : day * 30 + 30])
        dedup(tmp_path / f"{day}.jsonl", tmp_path / f"out{day}", against=tuple(outs))
        outs.append(tmp_path / f"out{day}")
    kept = [row["id"].split("-")[0] for out in outs for row in kept_documents(out)]
    assert len(set(kept)) == 30
    assert len(kept) == len(set(kept)), "no article is kept on two days"
