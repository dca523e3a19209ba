"""RTF of Word, WPS, LibreOffice and pandoc: double bytes of a code page, and Unicode."""

from pathlib import Path

import pytest

from whorl.corpus import Columns

DATA = Path(__file__).parent / "data"
FONTS = rb"{\fonttbl{\f0\fnil\fcharset0 Times;}{\f1\fnil\fcharset134 \'cb\'ce\'cc\'e5;}{\f2\fnil\fcharset2 Wingdings;}}"
BODY = (
    "新图书馆开馆",
    "昨天下午，市里举行了新图书馆的开馆仪式。馆长介绍说，藏书共三十万册，“欢迎大家”来读书。",
    "楼层", "内容", "一楼", "儿童阅览室",
)  # fmt: skip
RARE = "生僻字：镕、喆、𠮷、㐂。English words & “quotes” — café."


def save(path: Path, inside: bytes, head: bytes = rb"\ansi\ansicpg936\deff0") -> Path:
    path.write_bytes(rb"{\rtf1" + head + FONTS + inside + b"}")
    return path


def escaped(text: str, encoding: str = "gb18030") -> bytes:
    return b"".join(b"\\'%02x" % byte for byte in text.encode(encoding))


@pytest.mark.parametrize("program", ["pandoc", "libreoffice"])
def test_a_document_of_another_program_is_read(read, program: str) -> None:
    lines = read(DATA / program / "article.rtf").texts[0].split("\n")
    assert tuple(lines[3:9]) == BODY
    assert RARE in lines
    assert lines[-1] == "据本报记者了解。"


def test_properties_are_read(read, tmp_path: Path) -> None:
    reading = read(DATA / "libreoffice/article.rtf", Columns(others=True))
    assert reading.others[0]["title"] == "新图书馆开馆"
    assert reading.others[0]["author"] == "王小明"
    info = rb"{\info{\title " + escaped("馆") + rb"}{\creatim\yr2024\mo5\dy2\hr8\min3}{\revtim\yr2025\mo1\dy1}}"
    dated = read(save(tmp_path / "a.rtf", info + b"text"), Columns(others=True))
    assert dated.others[0] == {"title": "馆", "url": None, "date": "2024-05-02T08:03:00", "author": None}
    assert dated.texts == ["text"]


@pytest.mark.parametrize(
    ("inside", "head"),
    [
        (rb"\f1 " + escaped("图书馆，镕"), rb"\ansi\ansicpg936"),
        (rb"\f0 " + escaped("图书馆，镕"), rb"\ansi\ansicpg936"),  # a Western font in a Chinese document
        (rb"\f1 " + escaped("图书馆，镕"), rb"\ansi\ansicpg1252"),
        (escaped("图书馆，镕"), rb"\ansi\ansicpg1252\deff1"),
        (rb"\loch\af0\hich\af0\dbch\af1 " + escaped("图书馆，镕"), rb"\ansi\ansicpg1252"),
        (rb"\f0 " + escaped("圖書館，鎔", "big5hkscs"), rb"\ansi\ansicpg950"),
        (rb"\f1 " + "图书馆，镕".encode("gb18030"), rb"\ansi\ansicpg936"),  # not escaped
        (rb"\uc1\u22270?\u20070?\u-26234?\u-244?\u-27307?", rb"\ansi\ansicpg1252"),
        (rb"\uc2\u22270\'cd\'bc\u20070\'ca\'e9\u-26234\'b9\'dd\u-244\'a3\'ac\u-27307\'e9\'46", rb"\ansi\ansicpg936"),
        (rb"\uc0\u22270\u20070\u39302\u65292\u38229 ", rb"\ansi"),
    ],
)
def test_chinese_is_read_however_it_is_written(read, tmp_path: Path, inside: bytes, head: bytes) -> None:
    [text] = read(save(tmp_path / "a.rtf", inside, head)).texts
    assert text in ("图书馆，镕", "圖書館，鎔")


def test_a_character_whose_second_byte_looks_like_a_mark_is_read(read, tmp_path: Path) -> None:
    marks = [char for char in "亄亅仼俓乗" if char.encode("gb18030")[1] in b"\\{}@["]
    inside = b"".join(b"\\'%02x\\'%02x" % tuple(char.encode("gb18030")) for char in marks)
    raw = "".join(marks).encode("gb18030")
    assert marks
    assert read(save(tmp_path / "a.rtf", rb"\f1 " + inside + b"|" + raw)).texts == [
        "".join(marks) + "|" + "".join(marks)
    ]


def test_two_halves_of_a_character_are_one_and_a_lone_half_is_none(read, tmp_path: Path) -> None:
    assert read(save(tmp_path / "a.rtf", rb"\u-10174?\u-8265?x\u-10174?")).texts == ["𠮷x\ufffd"]


def test_what_is_no_text_is_left_out(read, tmp_path: Path) -> None:
    inside = (
        rb"one{\pict\wmetafile8 0100090000}{\*\unknown{gone}}{\header gone}{\v gone}{\deleted gone}"
        rb"{\field{\*\fldinst HYPERLINK gone}{\fldrslt{ two}}}{\listtext\f2\'b7}{\f2\'b7}{\annotation gone}"
        rb"{\object{\*\objdata 0105}{\result three}}\bin4 {}}\ four"
        rb"{\shp{\*\shpinst{\sp{\sn gone}{\sv gone}}{\shptxt box\par}}{\shprslt gone}}"
    )
    assert read(save(tmp_path / "a.rtf", inside)).texts == ["one twothree fourbox"]


def test_cells_and_breaks_are_lines_and_notes_stand_last(read, tmp_path: Path) -> None:
    inside = rb"a{\footnote note \'c9\'cf}b\cell c\row d\line e\par f\tab g\~h\_i\-j\\\{\}\emdash "
    assert read(save(tmp_path / "a.rtf", inside)).texts == ["ab\nc\nd\ne\nf g h-ij\\{}—\nnote 上"]


def test_a_file_without_a_code_page_is_read_in_the_encoding_that_was_named(read, tmp_path: Path) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(rb"{\rtf1 " + escaped("图书馆") + b"}")
    assert read(path, encoding="gbk").texts == ["图书馆"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty: fetch it again"),
        (b"plain", "the file is not an RTF document: save it again as .rtf or .docx"),
        (rb"{\rtf1 begun", "the file is truncated, a group is not closed: fetch it again"),
        (rb"{\rtf1{\fonttbl}}", "the document is empty: check that it is the right file"),
        (rb"{\rtf1" + b"{" * 20_000, "the file is nested too deeply: save it again"),
    ],
)
def test_what_is_no_document_is_rejected_byte_for_byte(read, tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(data)
    reading = read(path)
    assert (reading.texts, reading.reasons, reading.rejected_bytes) == ([], [reason], data)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_part_of_a_document_is_rejected(read, tmp_path: Path, share: float) -> None:
    whole = (DATA / "libreoffice/article.rtf").read_bytes()
    (tmp_path / "a.rtf").write_bytes(whole[: int(share * len(whole))])
    assert len(read(tmp_path / "a.rtf").rejected) == 1


def test_a_changed_byte_anywhere_is_a_document_or_a_rejection(read, tmp_path: Path) -> None:
    whole = (DATA / "pandoc/article.rtf").read_bytes()
    for place in range(0, len(whole), 20):
        changed = bytearray(whole)
        changed[place] ^= 0x5F
        (tmp_path / "a.rtf").write_bytes(changed)
        reading = read(tmp_path / "a.rtf")
        assert len(reading.texts) + len(reading.rejected) == 1
