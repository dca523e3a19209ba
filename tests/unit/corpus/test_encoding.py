import pytest

from whorl.corpus.encoding import LineDecoder, decode_page, decode_text, named_encoding
from whorl.errors import UsageError

SIMPLIFIED = "记者昨日从市政府获悉，今年全市将新建公园三十座，方便市民休闲健身。\n" * 5
TRADITIONAL = "記者昨日從市政府獲悉，今年全市將新建公園三十座，方便市民休閒健身。\n" * 5


@pytest.mark.parametrize(
    ("text", "encoding", "guessed"),
    [
        ("plain English\n", "ascii", False),
        (SIMPLIFIED, "utf-8", False),
        (SIMPLIFIED, "utf-8-sig", False),
        (SIMPLIFIED, "gbk", True),
        (SIMPLIFIED + "𠮷", "gb18030", True),
        (TRADITIONAL, "big5", True),
        (SIMPLIFIED, "utf-16", False),
        (SIMPLIFIED, "utf-16-le", True),
        ("plain English\n", "utf-16-be", True),
        (SIMPLIFIED, "utf-32", False),
        ("“Don’t wait,” he said.\n", "cp1252", True),
    ],
)
def test_an_encoding_is_found_and_decoded(text: str, encoding: str, guessed: bool) -> None:
    decoded = decode_text(text.encode(encoding), None)
    assert (decoded.text, decoded.encoding.guessed) == (text, guessed)


def test_a_few_broken_lines_leave_a_file_utf_8() -> None:
    with pytest.raises(ValueError, match="not valid UTF-8 text"):
        decode_text(SIMPLIFIED.encode() + "坏行\n".encode("gbk"), None)


def test_a_broken_byte_does_not_turn_chinese_into_latin_letters() -> None:
    with pytest.raises(ValueError, match="not valid GB18030 text, and that encoding was detected: set it"):
        decode_text(SIMPLIFIED.encode("gbk") + b"\xff\n", None)


def test_null_bytes_are_text_in_utf_8_alone() -> None:
    assert decode_text(b"a null \0 and text", None).text == "a null \0 and text"
    with pytest.raises(ValueError, match="binary data"):
        decode_text(b"\x7fELF\x02\0\0\xff\xfe\0\x80", None)


def test_english_before_the_first_chinese_line_does_not_hide_the_encoding() -> None:
    data = b"an English line\n" * 200_000 + SIMPLIFIED.encode("gbk")
    assert decode_text(data, None).encoding.codec == "gb18030"


def test_one_long_utf_8_line_stays_utf_8_where_the_sample_cuts_a_character() -> None:
    assert decode_text(b"x" + "新".encode() * 500_000, None).encoding.codec == "utf-8"


@pytest.mark.parametrize(
    ("claim", "encoding", "guessed"),
    [
        ('<meta charset="gb2312">', "gb18030", False),
        ('<meta http-equiv=Content-Type content="text/html; charset=GBK">', "gb18030", False),
        ('<?xml version="1.0" encoding="gb18030"?>', "gb18030", False),
        ('<meta charset="iso-8859-1">', "gb18030", True),
        ('<meta charset="big5">', "gb18030", True),
        ('<meta charset="utf-8">', "gb18030", True),
        ('<meta charset="klingon">', "gb18030", True),
        ("", "gb18030", True),
    ],
)
def test_what_a_page_claims_holds_where_it_fits(claim: str, encoding: str, guessed: bool) -> None:
    page = f"{claim}<p>{SIMPLIFIED}"
    decoded = decode_page(page.encode("gbk"), None)
    assert (decoded.text, decoded.encoding.codec, decoded.encoding.guessed) == (page, encoding, guessed)


def test_a_claim_decides_where_the_bytes_do_not() -> None:
    """Two letters that are equally plausible in Slovene and in Italian."""
    for claim, read in (("windows-1250", "č"), ("windows-1252", "è")):
        assert read in decode_page(f"<meta charset={claim}><p>".encode() + b"ra\xe8un, ra\xe8una", None).text


def test_the_first_block_outside_ascii_decides() -> None:
    decoder = LineDecoder(None)
    decoder.look_at(b"ascii\n")
    assert decoder.encoding.codec == "utf-8"
    decoder.look_at(SIMPLIFIED.encode("gbk"))
    assert decoder.decode("公园".encode("gbk")) == "公园"


def test_an_unknown_encoding_is_refused_with_a_hint() -> None:
    assert named_encoding("GBK") == "gb18030"
    with pytest.raises(UsageError, match="hint"):
        named_encoding("klingon")
