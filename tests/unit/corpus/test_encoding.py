import pytest

from whorl.corpus.encoding import LineDecoder, decode, detect_encoding, named_encoding
from whorl.errors import UsageError

SIMPLIFIED = "记者昨日从市政府获悉，今年全市将新建公园三十座，方便市民休闲健身。\n" * 5
TRADITIONAL = "記者昨日從市政府獲悉，今年全市將新建公園三十座，方便市民休閒健身。\n" * 5


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("plain English\n", "ascii"),
        (SIMPLIFIED, "utf-8"),
        (SIMPLIFIED, "utf-8-sig"),
        (SIMPLIFIED, "gbk"),
        (SIMPLIFIED + "𠮷", "gb18030"),
        (TRADITIONAL, "big5"),
        (SIMPLIFIED, "utf-16"),
        (SIMPLIFIED, "utf-32"),
    ],
)
def test_an_encoding_is_found_and_decoded(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    assert decode(data, detect_encoding(data)) == text


def test_a_few_broken_lines_leave_a_file_utf_8() -> None:
    assert detect_encoding(SIMPLIFIED.encode() + "坏行\n".encode("gbk")) == "utf-8"


def test_english_before_the_first_chinese_line_does_not_hide_the_encoding() -> None:
    data = b"an English line\n" * 200_000 + SIMPLIFIED.encode("gbk")
    assert detect_encoding(data) == "gb18030"


def test_one_long_utf_8_line_stays_utf_8_where_the_sample_cuts_a_character() -> None:
    assert detect_encoding(b"x" + "新".encode() * 500_000) == "utf-8"


def test_the_first_block_outside_ascii_decides() -> None:
    decoder = LineDecoder(None)
    decoder.look_at(b"ascii\n")
    assert decoder.encoding == "utf-8"
    decoder.look_at(SIMPLIFIED.encode("gbk"))
    assert decoder.decode("公园".encode("gbk")) == "公园"


def test_an_unknown_encoding_is_refused_with_a_cure() -> None:
    assert named_encoding("GBK") == "gb18030"
    with pytest.raises(UsageError, match="cure"):
        named_encoding("klingon")
