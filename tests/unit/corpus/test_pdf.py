from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from whorl.corpus import Columns

LINES = ("昨天下午，市里举行了新图书馆的开馆仪式。", "馆长介绍说，新馆的藏书比旧馆多了一倍。", "A word 与 123 字。")
SONG = "STSong-Light"


def save(path: Path, pages: Sequence[Sequence[str]] = (LINES,), encrypt: StandardEncryption | None = None) -> Path:
    registerFont(UnicodeCIDFont(SONG))
    canvas = Canvas(str(path), encrypt=encrypt)
    canvas.setTitle("新图书馆 开馆")
    canvas.setAuthor("王小明")
    for page in pages:
        canvas.setFont(SONG, 12)
        for number, line in enumerate(page):
            canvas.drawString(72, 750 - 20 * number, line)
        canvas.showPage()
    canvas.save()
    return path


def by_hand(path: Path, encoding: str, visible: bytes, to_unicode: bytes | None = None) -> Path:
    """Return a page that shows ``shown`` in a font that is not embedded, like old programs."""
    content = b"BT /F1 12 Tf 72 700 Td <" + visible.hex().encode() + b"> Tj ET"
    table = b"" if to_unicode is None else b"/ToUnicode 8 0 R"
    order = b"Identity" if encoding == "Identity-H" else b"GB1"
    system = b"<</Registry(Adobe)/Ordering(%b)/Supplement 2>>" % order
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%b\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type0/BaseFont/SimSun/Encoding/%b/DescendantFonts[6 0 R]%b>>"
        % (encoding.encode(), table),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/SimSun/FontDescriptor 7 0 R/CIDSystemInfo %b>>" % system,
        b"<</Type/FontDescriptor/FontName/SimSun/Flags 6/FontBBox[0 -220 1000 859]/ItalicAngle 0/Ascent 859/StemV 80>>",
    ]
    if to_unicode is not None:
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(to_unicode), to_unicode))
    written, places = b"%PDF-1.4\n", []
    for number, inside in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, inside)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(written))
    path.write_bytes(written + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end)
    return path


def test_the_text_of_all_pages_is_the_document(tmp_path: Path, read) -> None:
    reading = read(save(tmp_path / "a.pdf", [LINES[:2], LINES[2:]]))
    assert reading.texts == ["\n".join(LINES)]
    assert (reading.ids, reading.rows, reading.rejected) == ([None], [1], [])


def test_properties_can_be_asked_for(tmp_path: Path, read) -> None:
    reading = read(save(tmp_path / "a.pdf"), Columns(("title", "author", "text"), "title", "date"))
    assert reading.texts[0].startswith("新图书馆 开馆\n王小明\n昨天下午")
    assert reading.ids == ["新图书馆 开馆"]
    assert reading.order[0].startswith("20")


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("D:20240502083000+08'00'", "2024-05-02T08:30:00+08:00"),
        ("D:20240502083000Z", "2024-05-02T08:30:00Z"),
        ("D:20240502", "2024-05-02"),
        ("D:2024", "2024-01-01"),
        ("yesterday", None),
    ],
)
def test_dates_of_pdf_are_read(written: str, read_as: str | None) -> None:
    from whorl.corpus.formats.pdf.file import _iso

    assert _iso(written) == read_as


@pytest.mark.parametrize(
    ("encoding", "codec"), [("GBK-EUC-H", "gbk"), ("UniGB-UCS2-H", "utf-16-be"), ("UniGB-UTF16-H", "utf-16-be")]
)
def test_chinese_in_fonts_that_are_not_embedded(tmp_path: Path, read, encoding: str, codec: str) -> None:
    assert read(by_hand(tmp_path / "a.pdf", encoding, LINES[0].encode(codec))).texts == [LINES[0]]


def test_a_word_that_is_broken_at_the_end_of_a_line_is_joined(tmp_path: Path, read) -> None:
    (text,) = read(
        save(tmp_path / "a.pdf", [["the lantern was man-", "ufactured in the north", "and stayed there"]])
    ).texts
    assert "manufactured" in text


def test_a_file_that_needs_a_password_is_rejected(tmp_path: Path, read) -> None:
    path = save(tmp_path / "a.pdf", encrypt=StandardEncryption("user", "owner"))
    reading = read(path)
    assert (reading.texts, reading.reasons) == ([], ["the file needs a password: save it without one"])
    assert reading.rejected_bytes == path.read_bytes()
    assert read(save(tmp_path / "b.pdf", encrypt=StandardEncryption("", "owner"))).texts == ["\n".join(LINES)]


def test_a_scanned_file_is_rejected(tmp_path: Path, read) -> None:
    assert read(save(tmp_path / "a.pdf", [[], []])).reasons == [
        "the file has no text layer: recognize it with `ocr`, which needs the extra 'ocr'"
    ]
    assert read(save(tmp_path / "a.pdf", [LINES, [], []])).reasons == [
        "2 of its 3 pages have no text: recognize it with `ocr`, which needs the extra 'ocr'"
    ]
    assert read(save(tmp_path / "a.pdf", [LINES, []])).texts == ["\n".join(LINES)]


def test_a_file_whose_glyphs_have_no_meaning_is_rejected(tmp_path: Path, read) -> None:
    table = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        b"1 begincodespacerange <0000> <FFFF> endcodespacerange\n1 beginbfrange <0001> <00FF> <E001> endbfrange\n"
        b"endcmap CMapName currentdict /CMap defineresource pop end end"
    )
    output = b"".join(number.to_bytes(2, "big") for number in range(1, 60))
    reading = read(by_hand(tmp_path / "a.pdf", "Identity-H", output, table))
    assert reading.texts == []
    assert reading.reasons[0].startswith("most of its characters are meaningless")


@pytest.mark.parametrize("limit", ["MOST_PAGES", "MOST_BYTES"])
def test_files_beyond_the_limits_are_rejected(
    tmp_path: Path, read, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(f"whorl.corpus.formats.pdf.file.{limit}", 1)
    (reason,) = read(save(tmp_path / "a.pdf", [LINES, LINES]), isolated=False).reasons
    assert reason.endswith("1 pages: divide it" if limit == "MOST_PAGES" else "1 bytes: divide it")


def test_a_text_longer_than_a_row_may_be_is_rejected(tmp_path: Path, read) -> None:
    assert read(save(tmp_path / "a.pdf"), max_row_bytes=20).reasons == [
        "the text is longer than 20 bytes: divide the file"
    ]


@pytest.mark.parametrize("data", [b"", b"plain text", b"%PDF-1.4\n", bytes(range(256)) * 10])
def test_what_is_no_pdf_is_rejected_byte_for_byte(tmp_path: Path, read, data: bytes) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    reading = read(path)
    assert (reading.texts, len(reading.rejected)) == ([], 1)
    assert "fetch it again" in reading.reasons[0]
    assert reading.rejected_bytes == data


def test_a_changed_byte_anywhere_is_a_document_or_a_rejection(tmp_path: Path, read) -> None:
    whole = save(tmp_path / "whole.pdf").read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 200)):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        (tmp_path / "a.pdf").write_bytes(changed)
        reading = read(tmp_path / "a.pdf")
        assert len(reading.texts) + len(reading.rejected) == 1
    for share in (0.1, 0.5, 0.9):
        (tmp_path / "a.pdf").write_bytes(whole[: int(share * len(whole))])
        assert len(read(tmp_path / "a.pdf").texts + read(tmp_path / "a.pdf").rejected) <= 2


def test_a_file_is_copied_byte_for_byte_and_no_other_is_made(tmp_path: Path, keep_rows) -> None:
    path = save(tmp_path / "a.pdf")
    assert keep_rows(path, [1], 1).read_bytes() == path.read_bytes()
    (tmp_path / "kept/a.pdf").unlink()
    assert not keep_rows(path, [], 1).exists()


def body_lines(page: int) -> list[str]:
    """Return lines that occur on no other page."""
    return [f"这是{page * 31 + line * line}号渔船的第{line}次出海，带回{page * line * 7}斤鱼。" for line in range(1, 8)]


def book(path: Path, pages: int, lead: int = 0, head: str = "海滨大学硕士学位论文") -> Path:
    """Return a thesis: a table of contents, then pages with a header, unique lines and a number."""
    contents = ["目录", *(f"第{number}章 讲渔港的历史 {'.' * 30} {number * 7}" for number in range(1, 6))]
    written = [[head, *body_lines(page), f"- {page + lead} -"] for page in range(2, pages + 1)]
    return save(path, [[head, *contents, f"- {1 + lead} -"], *written])


def test_heads_page_numbers_and_contents_are_no_text(tmp_path: Path, read) -> None:
    (text,) = read(book(tmp_path / "a.pdf", 6, lead=8)).texts
    assert text.split("\n") == ["目录", *(line for page in range(2, 7) for line in body_lines(page))]


def test_the_title_of_a_chapter_stays_once(tmp_path: Path, read) -> None:
    chapters = [(f"第{chapter}章 灯塔", page) for chapter in "一二三" for page in range(4)]
    pages = [[f"{name} {place}", *body_lines(place)] for place, (name, page) in enumerate(chapters)]
    (text,) = read(save(tmp_path / "a.pdf", pages)).texts
    assert [text.count(f"第{chapter}章 灯塔") for chapter in "一二三"] == [1, 1, 1]
    assert all(line in text for place in range(12) for line in body_lines(place))


@pytest.mark.parametrize(
    "pages",
    [
        [["第一页只有这一句。", "7"], ["第二页也只有一句。", "30"]],
        [["他数着：一……2", "停了停。"], ["又数……3", "不数了。"], ["睡了……4", "天亮了。"]],
        [["一封同样的信，印了三遍。", "署名也一样。"]] * 3,
        [["2024", "年的数字。"], ["1999", "年的数字，换了一年，再说一遍。"], ["2031", "年还没有到，所以没有数字。"]],
    ],
)
def test_what_only_looks_like_it_is_text(tmp_path: Path, read, pages: list[list[str]]) -> None:
    assert read(save(tmp_path / "a.pdf", pages)).texts == ["\n".join(line for page in pages for line in page)]


def test_two_theses_of_one_house_share_no_heads(tmp_path: Path, read) -> None:
    (extracted,), (other,) = (read(book(tmp_path / f"{pages}.pdf", pages)).texts for pages in (5, 6))
    assert "海滨大学" not in extracted + other


def test_short_documents_lose_their_page_numbers(tmp_path: Path, read) -> None:
    pages = [["第一页的一句话。", "第 1 页 共 2 页"], ["第二页的一句话。", "第 2 页 共 2 页"]]
    assert read(save(tmp_path / "a.pdf", pages)).texts == ["第一页的一句话。\n第二页的一句话。"]
