"""Terms: counted words and their weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.articles import write_jsonl
from tests.golden.reference_words import text_rank, word_hash

from whorl.engines.idf import IdfJob, train_idf
from whorl.errors import InputError, UsageError
from whorl.fingerprints import family
from whorl.text.terms import TermChoice

TEXT = "茶园丰收\n今年的茶园比去年扩大了三成，茶农说收成很好。渔港的冰厂添了机器。"


def weights(text: str, limit: int = 100, **choice: Any) -> dict[int, int]:
    terms = TermChoice(**choice).terms([text], limit)
    return dict(zip(terms.hashes.tolist(), terms.weights.tolist(), strict=True))


def test_plain_weights_count_words() -> None:
    terms = weights(TEXT, weights="tf")
    assert (terms[word_hash("茶园")], terms[word_hash("冰厂")]) == (2 * 4096, 4096)


def test_rare_words_weigh_more() -> None:
    terms = weights("渔港的机器")
    assert terms[word_hash("渔港")] > terms[word_hash("机器")]


def test_the_title_and_the_opening_can_count_more() -> None:
    terms = weights(TEXT, weights="tf", title=5, opening=2)
    assert (terms[word_hash("茶园")], terms[word_hash("收成")], terms[word_hash("冰厂")]) == (7 * 4096, 2 * 4096, 4096)


def test_the_scale_is_from_one_to_five() -> None:
    terms = weights(TEXT, weights="scale")
    assert list(terms) == list(weights(TEXT))
    assert (min(terms.values()), max(terms.values())) == (1, 5)
    assert list(terms.values()) == sorted(terms.values(), reverse=True)


def test_a_table_does_not_change_plain_weights(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", [{"text": "渔港新闻。"}, {"text": "茶园新闻。"}])
    table = tmp_path / "idf.parquet"
    train_idf(IdfJob((str(tmp_path / "a.jsonl"),), table, stop_share=0.9))
    terms = weights(TEXT + "新闻", weights="tf", idf=str(table))
    assert terms[word_hash("茶园")] == 2 * 4096
    assert word_hash("新闻") not in terms


def test_ranks_are_those_of_the_neighbours() -> None:
    terms = weights("茶园产量增长，茶园机器增添，渔港机器", weights="textrank")
    expected = text_rank(["茶园", "产量", "增长", "茶园", "机器", "增添", "渔港", "机器"])
    assert terms == {word_hash(word): weight for word, weight in expected.items()}
    assert list(terms.values()) == sorted(terms.values(), reverse=True)


def test_a_pair_in_the_title_counts_more() -> None:
    plain, emphatic = (weights("茶园产量\n茶园机器", weights="textrank", title=title) for title in (1, 9))
    assert plain[word_hash("产量")] == plain[word_hash("机器")]
    assert emphatic[word_hash("产量")] > emphatic[word_hash("机器")]


def test_word_forms_are_one_term() -> None:
    terms = weights("The farmer met three farmers farming.", weights="tf", stem="english")
    assert terms[word_hash("farmer")] == 2 * 4096
    assert word_hash("farm") in terms
    assert weights(TEXT, stem="english") == weights(TEXT)


def test_chunks_are_terms() -> None:
    terms = weights("茶园产量的增长，渔港冰厂。The old stone bridge and the mill", weights="tf", chunks=True)
    expected = ["茶园产量", "增长", "渔港冰厂", "old stone bridge", "mill"]
    assert set(terms) == set(map(word_hash, expected))
    nouns = weights("茶园产量增长", weights="tf", chunks=True, tags=["n"])
    assert word_hash("茶园产量") in nouns


def test_noise_is_no_term() -> None:
    terms = weights("他们的 2024 的 the of 港")
    assert terms == {}
    assert word_hash("2024") in weights("他们的 2024", numbers=True)
    assert word_hash("他们") in weights("他们的 2024", stop_words=False)
    assert word_hash("港") in weights("港", shortest=1)


def test_parts_of_speech_choose_terms() -> None:
    nouns = weights("美丽的茶园迅速扩大", tags=("n",))
    assert word_hash("茶园") in nouns
    assert word_hash("迅速") not in nouns
    assert TermChoice(tags=["n"]) == TermChoice(tags=("n",))  # type: ignore[arg-type]


def test_filter_without_matches_gives_no_keys() -> None:
    for name in ("info", "keywords", "imatch"):
        prints = family(name, tags=["nosuchtag"]).fingerprint([TEXT])
        assert prints.counts.tolist() == [0]
        assert prints.lengths[0] > 0


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("info", {"top": 0}),
        ("info", {"top": 4, "shared": 5}),
        ("info", {"shared": 0}),
        ("info", {"least": 1.5}),
        ("info", {"weights": "bm25"}),
        ("info", {"tags": "n"}),
        ("info", {"tags": [""]}),
        ("info", {"hmm": 1}),
        ("info", {"shortest": 0}),
        ("info", {"title": 0}),
        ("info", {"stem": "chinese"}),
        ("info", {"stem": 1}),
        ("info", {"chunks": 1}),
        ("keywords", {"top": "6"}),
        ("keywords", {"least": True}),
        ("imatch", {"lexicons": -1}),
        ("imatch", {"lowest": 8, "highest": 7}),
        ("imatch", {"lowest": -1}),
        ("imatch", {"highest": float("nan")}),
        ("imatch", {"highest": "9"}),
        ("imatch", {"weights": "tf"}),
        ("imatch", {"no_such_parameter": 1}),
    ],
)
def test_parameters_out_of_range_are_refused(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        family(name, **parameters)


def test_an_own_table_changes_what_is_rare_and_drops_what_is_common(tmp_path: Path) -> None:
    texts = [*["渔港新闻。"] * 8, "茶园新闻。", "机器新闻。"]
    write_jsonl(tmp_path / "a.jsonl", [{"text": text} for text in texts])
    table = tmp_path / "idf.parquet"
    train_idf(IdfJob((str(tmp_path / "a.jsonl"),), table, stop_share=0.9))
    terms = weights("渔港新闻，茶园新闻。", idf=str(table))
    assert terms[word_hash("茶园")] > terms[word_hash("渔港")]
    assert word_hash("新闻") not in terms


def test_a_table_of_another_kind_is_refused_with_the_hint(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", [{"text": "渔港新闻。"}])
    table = tmp_path / "idf.parquet"
    train_idf(IdfJob((str(tmp_path / "a.jsonl"),), table))
    words = tmp_path / "words.txt"
    words.write_text("青石渔港\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"made with dictionary = .*\n.*whorl idf"):
        family("info", idf=str(table), user_dictionary=str(words))
    with pytest.raises(InputError, match="made with hmm = True"):
        family("info", idf=str(table), hmm=False)
    with pytest.raises(InputError, match="is not a table"):
        family("info", idf=str(tmp_path / "a.jsonl"))
    with pytest.raises(InputError, match="cannot read the idf table"):
        family("info", idf=str(tmp_path / "missing.parquet"))


def test_the_vocabulary_names_the_files_of_the_user(tmp_path: Path) -> None:
    result = [family("info").vocabulary]  # type: ignore[attr-defined]
    for number, text in enumerate(("渔港新闻。", "渔港新闻。茶园。")):
        write_jsonl(tmp_path / "a.jsonl", [{"text": text}])
        table = tmp_path / f"{number}.parquet"
        train_idf(IdfJob((str(tmp_path / "a.jsonl"),), table))
        result.append(family("info", idf=str(table)).vocabulary)  # type: ignore[attr-defined]
    words = tmp_path / "words.txt"
    words.write_text("青石渔港\n", encoding="utf-8")
    result.append(family("info", user_dictionary=str(words)).vocabulary)  # type: ignore[attr-defined]
    result.append(family("info", stem="english").vocabulary)  # type: ignore[attr-defined]
    assert len(set(result)) == len(result)
