import sys

from hypothesis import given
from hypothesis import strategies as st
from tests.articles import c2pa_manifest

from whorl._internal.visible_text import has_hidden, runs, visible

_ANY_TEXT = st.text(st.characters())


def test_names_what_cannot_be_seen() -> None:
    assert visible("春\x00天") == "春⟨NUL⟩天"
    assert visible("user\u202egpj.exe") == "user⟨RLO⟩gpj.exe"
    assert visible("转\u200b载") == "转⟨ZWSP⟩载"
    assert visible("half \ud83d") == "half ⟨U+D83D⟩"


def test_counts_a_repeated_character_once() -> None:
    assert visible("\x00" * 3000) == "⟨NUL×3,000⟩"


def test_leaves_layout_and_real_scripts_alone() -> None:
    for text in ("一行\n\t二行", "👩\u200d🚀", "می\u200cخواهم", "日本語 Ελληνικά"):
        assert visible(text) == text
    assert visible("a\r\nb") == "a\nb"


def test_names_joiners_between_han_characters() -> None:
    assert visible("转\u200d载") == "转⟨ZWJ⟩载"


def test_names_a_manifest_as_a_whole() -> None:
    manifest = c2pa_manifest(b"\x00jumbf\xff")
    assert visible(f"新闻{manifest}。") == "新闻⟨C2PA manifest⟩。"
    assert visible(f"新闻{manifest[:8]}") == f"新闻⟨BOM⟩{manifest[1:8]}", "its magic number is incomplete"


@given(_ANY_TEXT)
def test_result_can_be_encoded_and_hides_nothing(text: str) -> None:
    output = visible(text)
    output.encode("utf-8")
    assert not any(hidden for _, hidden in runs(output))


def test_every_character_is_hidden_or_not_wherever_it_is_checked() -> None:
    wrong = [c for c in map(chr, range(sys.maxunicode + 1)) if has_hidden(c) != any(hidden for _, hidden in runs(c))]
    assert not wrong


@given(_ANY_TEXT)
def test_a_text_has_hidden_characters_if_a_run_is_hidden(text: str) -> None:
    assert has_hidden(text.replace("\r\n", "\n")) == any(hidden for _, hidden in runs(text))
