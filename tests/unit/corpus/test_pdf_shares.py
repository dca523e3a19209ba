"""Generated PDF files × properties: nearly all of the true text is read from each, and hardly any other text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
from reportlab.lib.colors import Color, black, blue, white
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas
from tests.unit.corpus.shares import ARTICLES, CHINESE, ENGLISH, shares

import whorl

LEAST_READ = 0.99
MOST_FOREIGN = 0.01
SONG, SIZE, STEP, TOP, MARGIN = "STSong-Light", 11, 15, 780, 50


def font(canvas: Canvas, size: float = SIZE) -> None:
    canvas.setFont(SONG, size)


def wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width // 2 if text in CHINESE else width, break_on_hyphens=False)


def broken(text: str, width: int, sign: str) -> Iterator[str]:
    """Return lines of equal length, with a hyphen in broken words."""
    rest = text
    while rest:
        line, rest = rest[:width], rest[width:]
        is_word = line[-1:].isascii() and line[-1:].isalpha() and line[-2:-1].isalpha() and rest[:2].isalpha()
        if is_word and line[-1].islower():
            yield line + sign
        else:
            cut = 0 if text in CHINESE or not rest else len(line) - line.rfind(" ") - 1
            rest = line[len(line) - cut :] + rest if cut else rest
            yield line[: len(line) - cut]


def lines_at(canvas: Canvas, lines: list[str], x: float = MARGIN, top: float = TOP, space: float = 0) -> None:
    for number, line in enumerate(lines):
        canvas.drawString(x, top - STEP * number, line, charSpace=space)


def plain(canvas: Canvas, text: str) -> None:
    lines_at(canvas, wrapped(text, 80))


def columns(canvas: Canvas, text: str, count: int = 2) -> None:
    """Draw columns line by line across the page."""
    lines = wrapped(text, 100 // count - 6)
    height = -(-len(lines) // count)
    parts = [lines[number * height : (number + 1) * height] for number in range(count)]
    for number, row in enumerate(zip_longest(*parts, fillvalue="")):
        for place, line in enumerate(row):
            canvas.drawString(MARGIN + place * 520 / count, TOP - STEP * number, line)


def hyphened(sign: str) -> Callable[[Canvas, str], None]:
    return lambda canvas, text: lines_at(canvas, list(broken(text, 46, sign)))


def letters(canvas: Canvas, text: str) -> None:
    lines_at(canvas, [" ".join(line.replace(" ", "  ")) for line in wrapped(text, 44)])


def running(canvas: Canvas, text: str) -> None:
    """Draw headers, page numbers and footers on each of several pages."""
    lines = wrapped(text, 40)
    pages = [lines[start : start + 4] for start in range(0, len(lines), 4)]
    for number, part in enumerate(pages, 1):
        font(canvas)
        canvas.drawString(MARGIN, 820, "The Example Review of Mills")
        lines_at(canvas, part)
        canvas.drawString(MARGIN, 40, f"Volume 7, page {number}")
        canvas.drawString(300, 20, f"{number}")
        if number < len(pages):
            canvas.showPage()


def with_hidden(draw: Callable[[Canvas, str], None]) -> Callable[[Canvas, str], None]:
    """Draw invisible decoys over each line of an article."""

    def page(canvas: Canvas, text: str) -> None:
        for number, line in enumerate(wrapped(text, 80)):
            font(canvas)
            canvas.setFillColor(black)
            canvas.drawString(MARGIN, TOP - STEP * number, line)
            canvas.saveState()
            draw(canvas, f"decoy 假的 {number}")
            canvas.restoreState()

    return page


def in_white(canvas: Canvas, decoy: str) -> None:
    font(canvas)
    canvas.setFillColor(white)
    canvas.drawString(MARGIN, 300, decoy)


def transparent(canvas: Canvas, decoy: str) -> None:
    font(canvas)
    canvas.setFillColor(Color(0, 0, 0, alpha=0))
    canvas.drawString(MARGIN, 300, decoy)


def tiny(canvas: Canvas, decoy: str) -> None:
    font(canvas, 1)
    canvas.drawString(MARGIN, 300, decoy)


def scaled(canvas: Canvas, decoy: str) -> None:
    font(canvas)
    canvas.scale(0.05, 0.05)
    canvas.drawString(6000, 6000, decoy)


def invisible(canvas: Canvas, decoy: str) -> None:
    font(canvas)
    written = canvas.beginText(MARGIN, 300)
    written.setTextRenderMode(3)
    written.textLine(decoy)
    canvas.drawText(written)


def beside_the_page(canvas: Canvas, decoy: str) -> None:
    font(canvas)
    canvas.drawString(-900, 300, decoy)


def filled_in(canvas: Canvas, text: str) -> None:
    """Return an article in form fields, without printed words."""
    for number, line in enumerate(wrapped(text, 80)):
        canvas.acroForm.textfield(name=f"f{number}", value=line, x=MARGIN, y=TOP - 24 * number, width=480, height=20)


HIDDEN = (in_white, transparent, tiny, scaled, invisible, beside_the_page)
PROPERTIES: dict[str, Callable[[Canvas, str], None]] = {
    "plain": plain,
    "two columns": columns,
    "three columns": lambda canvas, text: columns(canvas, text, 3),
    "hyphen": hyphened("-"),
    "hyphen U+2010": hyphened("\u2010"),
    "soft hyphen": hyphened("\u00ad"),
    "letter spacing": lambda canvas, text: lines_at(canvas, wrapped(text, 40), space=5),
    "letters apart": letters,
    "heads and page numbers": running,
    "form fields": filled_in,
    **{draw.__name__: with_hidden(draw) for draw in HIDDEN},
}


def save(path: Path, draw: Callable[[Canvas, str], None], text: str) -> Path:
    registerFont(UnicodeCIDFont(SONG))
    canvas = Canvas(str(path))
    font(canvas)
    draw(canvas, text)
    canvas.save()
    return path


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_text_of_a_generated_file_is_read_and_no_other(tmp_path: Path, read, name: str) -> None:
    chosen = ENGLISH if name in ("letters apart", "form fields") else ARTICLES
    measured = []
    for number, text in enumerate(chosen):
        (extracted,) = read(save(tmp_path / f"{number}.pdf", PROPERTIES[name], text)).texts
        measured.append(shares(text.replace("\n", " "), extracted.replace("\n", "" if text in CHINESE else " ")))
    assert min(share for share, _ in measured) >= LEAST_READ, measured
    assert max(foreign for _, foreign in measured) <= MOST_FOREIGN, measured


def test_white_text_on_a_dark_ground_is_text(tmp_path: Path, read) -> None:
    def banner(canvas: Canvas, text: str) -> None:
        plain(canvas, text)
        canvas.setFillColor(blue)
        canvas.rect(MARGIN, 400, 400, 40, stroke=0, fill=1)
        canvas.setFillColor(white)
        canvas.drawString(MARGIN + 5, 410, "A banner over the mill")

    assert "A banner over the mill" in read(save(tmp_path / "a.pdf", banner, ENGLISH[0])).texts[0]


def test_the_text_layer_of_a_scan_is_read(tmp_path: Path, read) -> None:
    from PIL import Image

    Image.new("RGB", (60, 80), (200, 190, 180)).save(tmp_path / "scan.png")

    def scan(canvas: Canvas, text: str) -> None:
        canvas.drawImage(str(tmp_path / "scan.png"), 0, 0, 595, 842)
        written = canvas.beginText(MARGIN, TOP)
        written.setTextRenderMode(3)
        for line in wrapped(text, 80):
            written.textLine(line)
        canvas.drawText(written)

    (extracted,) = read(save(tmp_path / "a.pdf", scan, ENGLISH[0])).texts
    assert shares(ENGLISH[0], extracted)[0] >= LEAST_READ


def scanned(path: Path, stamps: list[str], pictures: int, *, as_drawing: bool = False) -> Path:
    """Return pages with a stamp each; the first ones have a picture or a drawing of their text."""
    from PIL import Image

    registerFont(UnicodeCIDFont(SONG))
    Image.new("RGB", (60, 80), (200, 190, len(stamps))).save(path.with_suffix(".png"))
    canvas = Canvas(str(path))
    for number, stamp in enumerate(stamps):
        if number < pictures and as_drawing:
            for place in range(20):
                canvas.rect(50 + 9 * place, 100 + 30 * place, 60, 12, fill=1)
        elif number < pictures:
            canvas.drawImage(str(path.with_suffix(".png")), 0, 0, 595, 842)
        font(canvas)
        for line, part in enumerate(stamp.split("\n")):
            canvas.drawString(MARGIN, 40 + STEP * line, part)
        canvas.showPage()
    canvas.save()
    return path


@pytest.mark.parametrize("as_drawing", [False, True])
@pytest.mark.parametrize(
    "stamps",
    [
        ["Scanned with PageCamera"],
        ["由全能扫描王扫描"],
        ["Scanned with PageCamera"] * 5,
        [f"Archive of the county 00{number}" for number in range(6)],
        [f"Received 2024-05-0{number}\nPage {number} of 4" for number in range(1, 5)],
        ["", "", "Received"],
    ],
)
def test_scans_with_stamps_need_ocr(tmp_path: Path, read, stamps: list[str], as_drawing: bool) -> None:
    path = scanned(tmp_path / "a.pdf", stamps, len(stamps), as_drawing=as_drawing)
    reading = read(path)
    assert reading.texts == []
    assert reading.reasons[0].endswith("recognize it with `ocr`, which needs the extra 'ocr'")


def test_different_scans_are_no_copies(tmp_path: Path) -> None:
    for pages in (5, 8):
        scanned(tmp_path / f"{pages}.pdf", ["Scanned with PageCamera"] * pages, pages)
    counts = whorl.dedup_files(sorted(tmp_path.glob("*.pdf")), tmp_path / "out").run["counts"]
    assert (counts["duplicates"], counts["rejected"]) == (0, 2)


def test_a_file_of_which_few_pages_are_scanned_is_read_and_said_to_be_incomplete(tmp_path: Path) -> None:
    texts = ["", *("\n".join(wrapped(text, 80)) for text in ENGLISH), "\n".join(wrapped(CHINESE[0], 80))]
    run = whorl.dedup_files(scanned(tmp_path / "a.pdf", texts, 1), tmp_path / "out").run
    assert (run["counts"]["kept"], run["counts"]["incomplete_files"]) == (1, 1)
    (entry,) = run["inputs"]
    assert entry["notices"] == {
        "missing_parts": "1 page of 4 shows a picture in the place of text: recognize it with `ocr` (1)"
    }


def test_what_is_written_beside_pictures_is_text(tmp_path: Path, read) -> None:
    story = ["The mouse went out.", "It met a cat.", "They had tea together."]
    assert read(scanned(tmp_path / "a.pdf", story, 3)).texts == ["\n".join(story)]


def test_forms_that_differ_in_what_was_filled_in_are_no_copies(tmp_path: Path) -> None:
    def form(value: str, choice: int) -> Callable[[Canvas, str], None]:
        def draw(canvas: Canvas, label: str) -> None:
            canvas.drawString(MARGIN, TOP, label)
            canvas.acroForm.textfield(name="a", value=value, x=MARGIN, y=600, width=480, height=90)
            for place in range(2):
                canvas.acroForm.checkbox(name=f"c{place}", checked=place == choice, x=MARGIN, y=500 - 30 * place)

        return draw

    for number, text in enumerate(ENGLISH):
        save(tmp_path / f"{number}.pdf", form(text, number), "What happened at the harbor on that day?")
    counts = whorl.dedup_files(sorted(tmp_path.glob("*.pdf")), tmp_path / "out").run["counts"]
    assert (counts["kept"], counts["duplicates"]) == (2, 0)


def test_ticked_boxes_are_read(tmp_path: Path, read) -> None:
    def form(canvas: Canvas, label: str) -> None:
        canvas.drawString(MARGIN, TOP, label)
        canvas.acroForm.checkbox(name="agreed", checked=True, x=MARGIN, y=600)
        canvas.acroForm.checkbox(name="refused", checked=False, x=MARGIN, y=500)

    (text,) = read(save(tmp_path / "a.pdf", form, "Do you agree?")).texts
    assert text.split("\n") == ["Do you agree?", "agreed: Yes"]


@pytest.mark.parametrize(
    ("notice", "reason"),
    [
        (
            (
                "Please wait...\nIf this message is not eventually replaced by the proper contents of the "
                "document, your PDF\n"
                "viewer may not be able to display this type of document. You can upgrade to the latest Adobe Reader."
            ),
            "the file is an XFA form, whose content only Adobe Acrobat shows: print it to PDF there",
        ),
        (
            "For the best experience, open this PDF portfolio in\nAcrobat X or Adobe Reader X, or later.",
            "the file is the cover of a PDF portfolio: extract the files in it",
        ),
    ],
)
def test_a_notice_in_the_place_of_the_document_is_set_aside(tmp_path: Path, read, notice: str, reason: str) -> None:
    assert read(scanned(tmp_path / "a.pdf", [notice], 0)).reasons == [reason]


def test_compounds_keep_their_hyphens(tmp_path: Path, read) -> None:
    lines = ["A well-known miller of the well-", "known family rebuilt the mill-", "house near Upper-", "Brook."]
    (text,) = read(save(tmp_path / "a.pdf", lambda canvas, _: lines_at(canvas, lines), "")).texts
    assert (
        text.replace("\n", " ")
        == "A well-known miller of the well-known family rebuilt the millhouse near Upper-Brook."
    )
