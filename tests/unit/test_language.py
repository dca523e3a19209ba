"""Messages in the language of the reader."""

from __future__ import annotations

import json
import pickle
import re
from contextvars import copy_context
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import whorl
from whorl.errors import InputError
from whorl.i18n import LANGUAGES, Message, as_message, say, say_many, speaking, spoken, translated
from whorl.indexes import KeyIndex

PLACES = re.compile(r"(?<!\{)\{(\w+)")


class Lock:
    """An object that cannot be pickled."""

    def __repr__(self) -> str:
        return "<a lock that is open and has a long name>"

    def __reduce__(self) -> str:
        raise TypeError


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_MESSAGES": "zh_TW", "LANG": "en_US.UTF-8"}, "zh"),
        ({"WHORL_LANG": "en", "LC_ALL": "zh_CN.UTF-8"}, "en"),
        ({"WHORL_LANG": "ZH"}, "zh"),
        ({"WHORL_LANG": "", "LANG": "de_DE.UTF-8"}, "en"),
    ],
)
def test_the_environment_chooses_unless_the_program_does(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WHORL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert spoken() == language
    with speaking("zh"):
        assert spoken() == "zh"
    assert spoken() == language


def test_an_error_speaks_the_language_of_its_reader_and_is_english_for_programs() -> None:
    error = InputError(say("{message}", message="{not a place}"), hint="look")
    with speaking("zh"):
        assert str(error) == "{not a place}\n  建议：look"
    assert str(error) == "{not a place}\n  hint: look"
    assert error.message == "{not a place}"


def test_messages_survive_pickling() -> None:
    inner = say("{message}\n  hint: {hint}", message="A", hint="B")
    outer = pickle.loads(pickle.dumps(say("{message}\n  hint: {hint}", message=inner, hint="C")))
    assert outer == "A\n  hint: B\n  hint: C"
    assert translated(outer, "zh") == "A\n  建议：B\n  建议：C"


def test_a_number_decides_between_templates() -> None:
    assert [say_many("{count} day of {year}", "{count} days of {year}", n, year=2026) for n in (0, 1, 2)] == [
        "0 days of 2026",
        "1 day of 2026",
        "2 days of 2026",
    ]


def test_importers_choose_a_language() -> None:
    def chosen() -> str:
        whorl.i18n.speak("zh")
        return spoken()

    assert copy_context().run(chosen) == "zh"


def test_messages_store_text_of_arguments() -> None:
    message = say("{name} is {value!r:.60}, expected a column name", name="text", value=Lock())
    again = pickle.loads(pickle.dumps(message))
    assert again == message == f"text is {Lock()!r}, expected a column name"
    assert translated(again, "zh") == f"text 是 {Lock()!r}，应为列名"


def test_an_exception_in_a_message_is_what_it_was_raised_with() -> None:
    reason = ValueError(say("binary data, not text"))
    message = say("the file is {reason}", reason=reason)
    assert (message, translated(message, "zh")) == ("the file is binary data, not text", "文件是二进制数据，不是文本")


def test_errors_of_other_processes_are_translatable() -> None:
    error = pickle.loads(pickle.dumps(InputError(say("{path} is empty", path=Path("a.csv")), hint=say("omit it"))))
    assert error.to("zh") == "a.csv 是空的\n  建议：请省略它"


def test_what_was_written_in_english_is_heard_again() -> None:
    message = as_message("not a JSON object: EOF while parsing a string, column 27")
    assert translated(message, "zh") == "不是 JSON 对象：字符串没有结束，第 27 列"
    assert as_message("what nobody says") == "what nobody says"


@pytest.mark.parametrize("count", [0, 1, 2, 12_345])
def test_a_sentence_with_a_number_that_decides_is_heard_in_either_form(count: int) -> None:
    original = say_many("{count:,} article removed", "{count:,} articles removed", count)
    parsed = as_message(str(original))
    assert (parsed, translated(parsed, "zh")) == (original, original.to("zh"))
    assert translated(parsed, "zh") == f"已删 {count:,} 篇"


def test_only_sentences_are_translated_and_no_names() -> None:
    message = say("column '{name}' is missing", name="hidden")
    assert translated(as_message(str(message)), "zh") == translated(message, "zh") == "缺少列“hidden”"


def test_core_messages_are_parsed() -> None:
    lines = (Path(__file__).parents[2] / "crates" / "messages.txt").read_text(encoding="utf-8").splitlines()
    templates = [line for line in lines if line and not line.startswith("#")]
    originals = [say(template, **dict.fromkeys(PLACES.findall(template), "7")) for template in templates]
    parsed = [as_message(str(message)) for message in originals]
    assert [translated(message, "zh") for message in parsed] == [translated(message, "zh") for message in originals]
    assert all(isinstance(message, Message) for message in parsed)


def test_the_core_is_heard_where_it_refuses_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        KeyIndex.open(tmp_path)
    assert refused.value.message == f"{tmp_path}: not a file of this index: it has no manifest"
    assert refused.value.to("zh") == f"{tmp_path}：不是这种索引的文件：缺少清单\n  建议：用原来的数据重建索引"


def test_files_for_programs_are_english_and_pages_in_every_language(tmp_path: Path) -> None:
    articles = tmp_path / "articles"
    articles.mkdir()
    (articles / "a.jsonl").write_text('{"id": "1", "text": "今天天气很好"}\n{"id": "2"}\n', encoding="utf-8")
    (articles / ".notes").touch()
    (articles / "b.csv").write_text("id,words\n1,今天天气很好\n", encoding="utf-8")
    with speaking("zh"):
        whorl.dedup_files(articles, tmp_path / "out")
    run = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    rejected = (tmp_path / "out" / "rejected" / "rejected.jsonl").read_text(encoding="utf-8").splitlines()
    lacking = f"{articles / 'b.csv'} has no column 'text'; its columns are id, words"
    assert [json.loads(line)["reason"] for line in rejected] == ["column 'text' is missing", lacking]
    assert run["rejected_reasons"] == {"column 'text' is missing": 1, lacking: 1}
    assert run["skipped"]["reasons"] == {"hidden": 1}
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert all(words in page for words in ("缺少列“text”", "隐藏文件", "没有列 &#39;text&#39;；各列是 id, words"))
    assert translated(as_message(lacking), "zh") == f"{articles / 'b.csv'} 没有列 'text'；各列是 id, words"


def test_pydantic_writes_a_message_in_the_language_that_is_spoken() -> None:
    adapter = TypeAdapter(Message)
    message = say("the original is probably not a member")
    assert adapter.json_schema(mode="serialization") == {"type": "string"}
    for language in LANGUAGES:
        with speaking(language):
            assert adapter.dump_python(message) == message.to(language)
            assert adapter.dump_python("text") == "text"
