"""Training the table of rare words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.articles import newsroom_articles, write_jsonl

from whorl.engines import idf
from whorl.engines.idf import IdfJob, train_idf
from whorl.errors import InputError, UsageError
from whorl.text.words import segment


def documents() -> list[dict[str, Any]]:
    return newsroom_articles()


def counts(table: Path) -> dict[str, int]:
    rows = pq.read_table(table).to_pylist()
    return {row["word"]: row["documents"] for row in rows}


def slow_counts(texts: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for words in segment(texts, fold=True):
        for word in {word.text for word in words}:
            counts[word] = counts.get(word, 0) + 1
    return counts


def test_document_frequency_counts_a_word_once_per_document(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "a.jsonl", documents())
    trained = train_idf(IdfJob((str(file),), tmp_path / "idf.parquet"))
    expected = slow_counts([row["text"] for row in documents()])
    result = counts(tmp_path / "idf.parquet")
    assert result == expected
    assert list(result) == sorted(result)
    assert (trained.documents, trained.words) == (len(documents()), len(expected))
    word, share = trained.most_common[0]
    assert expected[word] == max(expected.values()) == round(share * trained.documents)
    assert trained.stop_words == sum(number > 0.5 * trained.documents for number in expected.values())


def test_setting_words_aside_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "in"
    for number in range(6):
        write_jsonl(folder / f"{number}.jsonl", documents()[number::6])
    train_idf(IdfJob((str(folder),), tmp_path / "held.parquet"))
    monkeypatch.setattr(idf, "WORDS_HELD", 50)
    monkeypatch.setattr(idf, "_ROWS_MERGED", 64)
    train_idf(IdfJob((str(folder),), tmp_path / "merged.parquet"))
    assert pq.read_table(tmp_path / "merged.parquet").equals(pq.read_table(tmp_path / "held.parquet"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["held.parquet", "in", "merged.parquet"]


def test_an_update_is_the_training_of_all(tmp_path: Path) -> None:
    half = len(documents()) // 2
    first = write_jsonl(tmp_path / "1.jsonl", documents()[:half])
    second = write_jsonl(tmp_path / "2.jsonl", documents()[half:])
    train_idf(IdfJob((str(first), str(second)), tmp_path / "all.parquet"))
    train_idf(IdfJob((str(first),), tmp_path / "grown.parquet"))
    train_idf(IdfJob((str(second),), tmp_path / "grown.parquet", update=True))
    grown, whole = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("grown", "all"))
    assert grown.equals(whole, check_metadata=True)


def test_a_table_is_not_overwritten_by_accident(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "a.jsonl", documents())
    train_idf(IdfJob((str(file),), tmp_path / "idf.parquet"))
    with pytest.raises(UsageError, match="`update`"):
        train_idf(IdfJob((str(file),), tmp_path / "idf.parquet"))
    with pytest.raises(InputError, match="made with hmm = True"):
        train_idf(IdfJob((str(file),), tmp_path / "idf.parquet", hmm=False, update=True))


def test_uncountable_inputs_are_refused_or_reported(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"text": ""}\nbroken\n')
    with pytest.raises(InputError, match="no document contains a word"):
        train_idf(IdfJob((str(file),), tmp_path / "idf.parquet"))
    file.write_bytes('{"text": "渔港"}\nbroken\n{"text": "。"}\n'.encode())
    trained = train_idf(IdfJob((str(file),), tmp_path / "idf.parquet"))
    assert (trained.documents, sum(trained.rejected.values())) == (1, 1)
    for share in (0, -1, 1.5, float("nan")):
        with pytest.raises(UsageError, match="stop share"):
            IdfJob((str(file),), tmp_path / "b.parquet", stop_share=share)
