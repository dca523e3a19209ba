import json
from pathlib import Path

from tests.unit.cli.articles import Invoke, write_jsonl


def test_every_line_of_stdin_is_a_text(invoke: Invoke) -> None:
    result = invoke("segment", stdin="研究生命的起源\n\n茶园 丰收\n")
    assert (result.exit_code, result.stdout) == (0, "研究 生命 的 起源\n\n茶园 丰收\n")


def test_modes_and_tags(invoke: Invoke) -> None:
    assert invoke("segment", "-", "--mode", "fmm", stdin="研究生命的起源").stdout == "研究生 命 的 起源\n"
    assert invoke("segment", "--pos", stdin="我爱北京").stdout == "我/r 爱/v 北京/ns\n"
    assert invoke("segment", "--fold", stdin="茶園，豐收").stdout == "茶园 丰收\n"
    assert invoke("segment", "--no-hmm", stdin="网易杭研大厦").stdout == "网易 杭 研 大厦\n"
    assert invoke("segment", "--mode", "fastest", stdin="茶园").exit_code == 2


def test_chunks_and_stems(invoke: Invoke) -> None:
    assert invoke("segment", "--chunks", stdin="茶园产量的增长\n").stdout == "茶园产量 增长\n"
    assert invoke("segment", "--stem", "english", stdin="Ｔhe Farmers").stdout == "the farmer\n"
    result = invoke("segment", "--chunks", "--stem", "english", "--json", stdin="茶园　产量, old bridges")
    words = json.loads(result.stdout)["words"]
    assert [(word["text"], word["start"], word["end"]) for word in words] == [
        ("茶园产量", 0, 5),
        ("old bridg", 7, 18),
    ]
    assert invoke("segment", "--stem", "klingon", stdin="").exit_code == 2
    assert invoke("segment", "--chunks", "--mode", "full", stdin="").exit_code == 2


def test_json_has_offsets_in_code_points(invoke: Invoke, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "a.jsonl", {"id": "一", "text": "茶園，😀豐收"}, {"text": ""})
    result = invoke("segment", file, "--json", "--fold", "--pos")
    first, second = map(json.loads, result.stdout.splitlines())
    assert (first["file"], first["row"], first["id"]) == ("a.jsonl", 1, "一")
    assert [(word["text"], word["start"], word["end"]) for word in first["words"]] == [("茶园", 0, 2), ("丰收", 4, 6)]
    assert all(word["tag"] for word in first["words"])
    assert second == {"file": "a.jsonl", "row": 2, "words": []}


def test_columns_are_joined_and_bad_rows_reported(invoke: Invoke, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"title": "茶园", "body": "丰收"}\nbroken\n', encoding="utf-8")
    result = invoke("segment", file, "--text", "title,body")
    assert (result.exit_code, result.stdout) == (0, "茶园 丰收\n")
    assert "rejected: 1" in result.stderr


def test_words_of_the_user(invoke: Invoke, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("雾角镇\n", encoding="utf-8")
    assert invoke("segment", "--user-dict", words, stdin="雾角镇下雨").stdout == "雾角镇 下雨\n"
    words.write_text("雾角镇 三 n\n", encoding="utf-8")
    result = invoke("segment", "--user-dict", words, stdin="雾角镇下雨")
    assert result.exit_code == 3
    assert "line 1" in result.stderr
    assert invoke("segment", stdin=b"\xff\xfe\n").exit_code == 3


def test_a_table_of_rare_words(invoke: Invoke, corpus: Path, tmp_path: Path) -> None:
    table = tmp_path / "idf.parquet"
    result = invoke("idf", corpus, "-o", table, "--json")
    output = json.loads(result.stdout)
    assert (result.exit_code, output["documents"], output["rejected"]) == (0, 4, {})
    assert invoke("idf", corpus, "-o", table).exit_code == 2
    result = invoke("idf", corpus, "-o", table, "--update")
    assert result.exit_code == 0
    assert "8" in result.stdout
