"""What whorl says, in the language of whoever reads it."""

from __future__ import annotations

import pickle

import pytest

import whorl
from whorl.errors import InputError
from whorl.language import say, say_many, speaking, spoken, translated


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
    error = InputError(say("{message}", message="{not a place}"), cure="look")
    with speaking("zh"):
        assert str(error) == "{not a place}\n  解法：look"
    assert str(error) == "{not a place}\n  cure: look"
    assert error.message == "{not a place}"


def test_a_sentence_says_what_it_says_after_a_journey_between_processes() -> None:
    inner = say("{message}\n  cure: {cure}", message="A", cure="B")
    outer = pickle.loads(pickle.dumps(say("{message}\n  cure: {cure}", message=inner, cure="C")))
    assert outer == "A\n  cure: B\n  cure: C"
    assert translated(outer, "zh") == "A\n  解法：B\n  解法：C"


def test_a_number_decides_between_templates() -> None:
    assert [say_many("{count} day of {year}", "{count} days of {year}", n, year=2026) for n in (0, 1, 2)] == [
        "0 days of 2026",
        "1 day of 2026",
        "2 days of 2026",
    ]


def test_whoever_imports_whorl_chooses_a_language() -> None:
    whorl.speak("zh")
    try:
        assert spoken() == "zh"
    finally:
        whorl.speak("en")
