"""The base of all pages: both languages on it, one visible, and nothing in a message becomes markup."""

import pytest
from tests.unit.reports.page import HOSTILE, Page

from whorl.i18n import LANGUAGES, Language, say, speaking
from whorl.reports.html import environment, in_each

PAGE = """{% extends "page.html.j2" %}
{% block title %}{{ message|spoken }}{% endblock %}
{% block main %}<p>{{ message }}</p>{% endblock %}"""


def page(language: Language, value: str = "articles.txt") -> str:
    message = say("{message}\n  hint: {hint}", message=value, hint="name another")
    with speaking(language):
        return environment().from_string(PAGE).render(message=message, command="whorl test")


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_starts_in_the_selected_language(language: Language) -> None:
    rendered = page(language)
    assert f'<html lang="{language}">' in rendered
    assert f'id="speak-{language}" checked>' in rendered
    assert rendered.count(" checked>") == 1
    title = rendered.partition("<title>")[2].partition("</title>")[0]
    assert ("建议" in title) == (language == "zh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_are_present_in_every_language(language: Language) -> None:
    rendered = page(language)
    assert '<p><span lang="en">articles.txt\n  hint: name another</span>' in rendered
    assert '<span lang="zh">articles.txt\n  建议：name another</span></p>' in rendered


def test_the_style_shows_one_language_without_a_script() -> None:
    rendered = page("en")
    assert '#speak-zh:checked ~ .page [lang="en"], #speak-en:checked ~ .page [lang="zh"] { display: none; }' in rendered
    assert "script" not in Page(rendered).tags


def test_equal_translations_are_printed_once() -> None:
    assert in_each(say("{message}", message="2024")) == "2024"


def test_values_of_a_message_are_only_text() -> None:
    parsed = Page(page("en", HOSTILE))
    assert parsed.tags.count("script") == 0
    assert parsed.text.count("<script>alert(1)</script>") == 3
