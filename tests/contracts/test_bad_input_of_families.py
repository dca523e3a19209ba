"""Unusual texts and bad tables, with every fingerprint family, through the command line.

It runs in this process, so that a dictionary is loaded once; tests that need a separate process are in
`test_bad_input.py`."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.articles import article, newsroom_articles, write_jsonl
from tests.contracts.test_bad_input import INPUT, MEASURED, assert_done, assert_failed, assert_nothing_published
from tests.runs import Finished, duplicates, kept_documents
from typer.testing import CliRunner

from whorl.cli import build_app
from whorl.fingerprints import families
from whorl.text.idf import METADATA_KEY


def having(*parameters: str) -> list[str]:
    """Return the families that have all of ``parameters``."""
    return [
        name for name, member in sorted(families().items()) if set(parameters) <= {item.name for item in fields(member)}
    ]  # type: ignore[arg-type]


each_family = pytest.mark.parametrize("name", sorted(families()))
each_family_of_words = pytest.mark.parametrize("name", having("user_dictionary", "idf"))


def run(*arguments: str | Path) -> Finished:
    """Run the command line."""
    ended = CliRunner().invoke(build_app(str(arguments[0])), [str(argument) for argument in arguments])
    return Finished(ended.exit_code, ended.stdout, ended.stderr)


def dedup(source: Path, out: Path, name: str, **parameters: Any) -> Finished:
    """Deduplicate with a family and parameters in a recipe file; these parameters belong to SimHash over words."""
    if name == "simhash":
        parameters["features"] = "words"
    lines = [f"{parameter} = {json.dumps(value)}" for parameter, value in parameters.items()]
    recipe = out.parent / f"{out.name}.toml"
    recipe.write_text("\n".join(["[parameters]", *lines]), encoding="utf-8")
    return run("dedup", source, "-o", out, "--method", name, "--recipe", recipe)


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    """Return two articles of real words, and a copy of the first."""
    first, second = (row["text"] for row in newsroom_articles()[:2])
    return write_jsonl(
        tmp_path / "articles.jsonl", [{"id": n, "text": t} for n, t in zip("abc", (first, second, first), strict=True)]
    )


# Dictionaries and tables

BAD_WORDS = {
    "a frequency that is none": "好词 3 n\n坏词 三 n".encode(),
    "another encoding": "坏词 3 n".encode("gb18030"),
    "bytes of something else": b"\x00\xff\xfe" * 100,
}


@each_family_of_words
@pytest.mark.parametrize("kind", BAD_WORDS)
def test_a_malformed_dictionary_is_refused(name: str, kind: str, articles: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_bytes(BAD_WORDS[kind])
    ended = dedup(articles, tmp_path / "out", name, user_dictionary=str(tmp_path / "words.txt"))
    assert_failed(ended, INPUT, "words.txt")
    assert_nothing_published(tmp_path / "out")


@pytest.fixture
def table(articles: Path, tmp_path: Path) -> Path:
    """Return a table of `whorl idf`."""
    path = tmp_path / "idf.parquet"
    ended = run("idf", articles, "-o", path)
    assert ended.code == 0, ended.error
    return path


def of_another_version(path: Path) -> None:
    data = pq.read_table(path)
    facts = json.loads(data.schema.metadata[METADATA_KEY]) | {"version": 0}
    pq.write_table(data.replace_schema_metadata({METADATA_KEY: json.dumps(facts)}), path)


def of_another_program(path: Path) -> None:
    pq.write_table(pa.table({"word": ["词"], "documents": [1]}), path)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def without_a_column(path: Path) -> None:
    pq.write_table(pq.read_table(path).drop_columns(["documents"]), path)


def with_other_facts(path: Path) -> None:
    data = pq.read_table(path)
    facts = json.loads(data.schema.metadata[METADATA_KEY]) | {"documents": "many"}
    pq.write_table(data.replace_schema_metadata({METADATA_KEY: json.dumps(facts)}), path)


def with_no_facts(path: Path) -> None:
    pq.write_table(pq.read_table(path).replace_schema_metadata({METADATA_KEY: "[]"}), path)


def with_more_than_there_are(path: Path) -> None:
    data = pq.read_table(path)
    place = data.column_names.index("documents")
    pq.write_table(data.set_column(place, data.schema.field(place), pa.array([99] * len(data), pa.uint64())), path)


def with_text_for_numbers(path: Path) -> None:
    data = pq.read_table(path)
    place = data.column_names.index("documents")
    pq.write_table(data.set_column(place, "documents", data["documents"].cast(pa.string())), path)


def with_nothing_for_numbers(path: Path) -> None:
    data = pq.read_table(path)
    place = data.column_names.index("documents")
    pq.write_table(data.set_column(place, "documents", pa.nulls(len(data), pa.uint64())), path)


BAD_TABLES = [
    of_another_version,
    of_another_program,
    cut_short,
    without_a_column,
    with_other_facts,
    with_no_facts,
    with_more_than_there_are,
    with_text_for_numbers,
    with_nothing_for_numbers,
    Path.unlink,
]


@each_family_of_words
@pytest.mark.parametrize("spoil", BAD_TABLES)
def test_a_bad_table_is_refused(name: str, spoil: Any, articles: Path, table: Path, tmp_path: Path) -> None:
    spoil(table)
    assert_failed(dedup(articles, tmp_path / "out", name, idf=str(table)), INPUT, "idf.parquet")
    assert_nothing_published(tmp_path / "out")


@each_family_of_words
def test_a_sound_table_is_taken(name: str, articles: Path, table: Path, tmp_path: Path) -> None:
    assert_done(dedup(articles, tmp_path / "out", name, idf=str(table)), tmp_path / "out")


@pytest.mark.parametrize("name", having("tags"))
def test_a_filter_that_leaves_nothing_removes_equal_texts(name: str, articles: Path, tmp_path: Path) -> None:
    words = {"features": "words"} if name in having("features") else {}
    counts = assert_done(dedup(articles, tmp_path / "out", name, tags=["nosuchtag"], **words), tmp_path / "out")
    assert (counts["kept"], counts["duplicates"]) == (2, 1)


# Texts

SCRIPTS = {
    "Thai": "รัฐบาลประกาศนโยบายใหม่เกี่ยวกับการศึกษาในวันนี้ ประชาชนจำนวนมากเดินทางไปที่จัตุรัสกลางเมืองเพื่อฟังคำแถลง",
    "Khmer": "រដ្ឋាភិបាលបានប្រកាសគោលនយោបាយថ្មីស្តីពីការអប់រំនៅថ្ងៃនេះ ប្រជាជនជាច្រើនបានធ្វើដំណើរទៅកាន់ទីលានកណ្តាលទីក្រុង",
    "Lao": "ລັດຖະບານໄດ້ປະກາດນະໂຍບາຍໃໝ່ກ່ຽວກັບການສຶກສາໃນມື້ນີ້ ປະຊາຊົນຈຳນວນຫຼາຍໄດ້ເດີນທາງໄປທີ່ຈະຕຸລັດກາງເມືອງ",
    "Tibetan": "དེ་རིང་སྲིད་གཞུང་གིས་སློབ་གསོའི་སྐོར་གྱི་སྲིད་ཇུས་གསར་པ་ཞིག་ཁྱབ་བསྒྲགས་བྱས། མི་མང་པོ་ཞིག་གྲོང་ཁྱེར་གྱི་དཀྱིལ་ལ་སོང་།",
}


@each_family
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_without_a_segmenter(name: str, script: str, tmp_path: Path) -> None:
    """A family with keys for the script finds the copy; no family reports a different text."""
    text = SCRIPTS[script]
    other = "".join(random.Random(1).sample(text, len(text)))[::2]
    documents = [{"id": n, "text": t} for n, t in (("a", text), ("b", other), ("c", text))]
    counts = assert_done(dedup(write_jsonl(tmp_path / "a.jsonl", documents), tmp_path / "out", name), tmp_path / "out")
    assert counts["rejected"] == 0
    assert {row["id"] for row in duplicates(tmp_path / "out")} <= {"c"}
    if name not in having("user_dictionary"):
        assert counts["duplicates"] == 1


@each_family
def test_lone_surrogates(name: str, tmp_path: Path) -> None:
    """JSON can contain half a surrogate pair: each becomes U+FFFD, and the texts are counted."""
    whole = [{"id": "a", "text": article(1)}, {"id": "b", "text": article(1)}]
    path = write_jsonl(tmp_path / "a.jsonl", whole)
    halves = [
        rf'{{"id": "{n}", "text": "{half}{article(1)}"}}' for n, half in zip("cd", (r"\ud800", r"\udfff"), strict=True)
    ]
    path.write_text(path.read_text(encoding="utf-8") + "\n".join(halves) + "\n", encoding="utf-8")
    counts = assert_done(dedup(path, tmp_path / "out", name), tmp_path / "out")
    assert (counts["rows"], counts["rejected"], counts["mended_texts"]) == (4, 0, 2)
    assert counts["duplicates"] >= 2, "the second is a copy of the first, and the fourth is the text of the third"


@each_family
def test_texts_with_little_in_them_equal_no_others(name: str, tmp_path: Path) -> None:
    """Texts that are empty, without features or very short are no copies of different texts."""
    texts = ["", "", " ", "。", "。", "🎉", "🎉", "\u200b", "天", "地人", "a", "ab", "12", "好吗"]
    documents = [{"id": f"{n}", "text": text} for n, text in enumerate(texts)]
    counts = assert_done(dedup(write_jsonl(tmp_path / "a.jsonl", documents), tmp_path / "out", name), tmp_path / "out")
    assert (counts["kept"], counts["duplicates"]) == (len(texts), 0)
    assert kept_documents(tmp_path / "out") == documents


# Size

LONGEST_SENTENCE = 3 * 10**6
MOST_MEMORY = 2**29


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one sentence of three million bytes, twice, and an article."""
    rng = random.Random(1)
    parts = ["".join(sign for sign in row["text"] if sign.isalnum()) for row in newsroom_articles()]
    sentence, size = [], 0
    while size < LONGEST_SENTENCE:
        sentence.append(rng.choice(parts))
        size += len(sentence[-1].encode())
    texts = ["".join(sentence), "".join(sentence) + "。", article(1)]
    path = tmp_path_factory.mktemp("endless") / "a.jsonl"
    return write_jsonl(path, [{"id": n, "text": text} for n, text in zip("abc", texts, strict=True)])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@each_family
def test_a_sentence_without_an_end(name: str, endless: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", MEASURED, "dedup", endless, "-o", out, "--method", name, "--quiet"]
    process = subprocess.run(command, capture_output=True, timeout=600, check=False)
    peak = int(process.stderr.split()[-1]) * 1024
    counts = assert_done(Finished(process.returncode, "", process.stderr.decode()), out)
    assert (counts["kept"], counts["duplicates"]) == (2, 1)
    assert peak < MOST_MEMORY
