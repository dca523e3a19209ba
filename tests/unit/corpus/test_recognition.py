"""Scanned pages and pictures. The font is the one in Pillow, so the pictures are the same on every machine."""

import sys
from base64 import b64encode
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from typer.testing import CliRunner

import whorl
from whorl.cli import build_app
from whorl.corpus.recognition import demand_package
from whorl.corpus.recognition.order import reading_order
from whorl.corpus.sandbox import BUDGETS, Budget
from whorl.errors import InputError, UsageError

HARBOUR = (
    "The lighthouse on Crane Rock has been",
    "lit by hand for the last time this week.",
    "Its keeper climbed the stairs at dusk,",
    "as three generations did before her.",
)
MARKET = (
    "Farmers brought eleven kinds of pears",
    "to the covered market on Saturday, and",
    "sold them before the bells rang noon.",
    "The baker next door ran out of flour.",
)
ROWS = 60


def page(*columns: Sequence[str], angle: float = 0, noise: float = 0) -> Image.Image:
    """Draw columns of lines on a page, turned and with noise like a scan."""
    picture = Image.new("L", (100 + 700 * len(columns), 100 + ROWS * max(map(len, columns))), 255)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(32)
    for number, column in enumerate(columns):
        for row, line in enumerate(column):
            draw.text((50 + 700 * number, 50 + ROWS * row), line, fill=0, font=font)
    turned = picture.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)
    rough = np.random.default_rng(1).normal(0, noise, (turned.height, turned.width))
    return Image.fromarray((np.asarray(turned) + rough).clip(0, 255).astype(np.uint8))


def saved(picture: Image.Image, path: Path, **options: object) -> Path:
    picture.save(path, **options)
    return path


def words(text: str) -> list[str]:
    return "".join(sign for sign in text.lower() if sign.isalpha() or sign.isspace()).split()


def test_a_turned_noisy_page_in_two_columns_is_read_column_by_column(tmp_path: Path) -> None:
    [document] = whorl.read(saved(page(HARBOUR, MARKET, angle=1.5, noise=20), tmp_path / "scan.png"), ocr=True)
    assert words(document.text) == words(" ".join((*HARBOUR, *MARKET)))


@pytest.mark.parametrize("degrees", [90, 180])
def test_a_page_that_lies_on_its_side_is_turned(tmp_path: Path, degrees: int) -> None:
    path = saved(page(HARBOUR[:3]).rotate(degrees, expand=True), tmp_path / "a.png")
    [document] = whorl.read(path, ocr=True)
    assert words(document.text) == words(" ".join(HARBOUR[:3]))
    first, *_, last = (line.box for line in document.lines)
    assert {
        90: first[2] < last[0],  # the first line is at the edge that was the top
        180: first[1] > last[3],
    }[degrees]


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.tiff", "a.webp", "a.pdf", "a-picture.txt"])
def test_pictures_of_every_kind_are_read_with_the_places_of_their_lines(tmp_path: Path, name: str) -> None:
    kind = "png" if name.endswith(".txt") else None
    [document] = whorl.read(saved(page(HARBOUR[:2]), tmp_path / name, format=kind), ocr=True)
    assert words(document.text) == words(" ".join(HARBOUR[:2]))
    assert [document.text[line.start : line.end] for line in document.lines] == document.text.split("\n")
    for row, line in enumerate(document.lines):
        x0, y0, x1, y1 = line.box
        assert line.page == 1
        assert 0 <= x0 < 0.1 < 0.6 < x1 <= 1
        assert y0 * 220 < 50 + ROWS * row + 20 < y1 * 220


def test_the_pages_of_a_tiff_are_numbered(tmp_path: Path) -> None:
    further = {"save_all": True, "append_images": [page(MARKET[:1])]}
    [document] = whorl.read(saved(page(HARBOUR[:1]), tmp_path / "a.tif", **further), ocr=True)
    assert words(document.text) == words(f"{HARBOUR[0]} {MARKET[0]}")
    assert [line.page for line in document.lines] == [1, 2]


def test_only_the_scanned_pages_of_a_pdf_are_recognized(tmp_path: Path) -> None:
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "a.pdf"), (450, 170))
    for row, line in enumerate(MARKET):
        canvas.drawString(30, 150 - 20 * row, line)
    canvas.showPage()
    canvas.drawImage(ImageReader(page(HARBOUR[:2])), 0, 0, 450, 170)
    canvas.showPage()
    canvas.save()
    [document] = whorl.read(tmp_path / "a.pdf", ocr=True)
    assert document.text.startswith("\n".join(MARKET))
    assert {line.page for line in document.lines} == {2}
    first = document.lines[0]
    assert words(document.text[first.start : first.end]) == words(HARBOUR[0])


def docx(path: Path, picture: bytes) -> None:
    import docx as word

    document = word.Document()
    document.add_paragraph(" ".join(MARKET))
    document.add_picture(BytesIO(picture))
    document.save(str(path))


def epub(path: Path, picture: bytes) -> None:
    package = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
        <item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>
        <spine><itemref idref="c"/></spine></package>"""
    with ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", '<container><rootfile full-path="p/a.opf"/></container>')
        archive.writestr("p/a.opf", package)
        archive.writestr("p/c.xhtml", f"<html><body><p>{' '.join(MARKET)}</p><img src='i/1.png'/></body></html>")
        archive.writestr("p/i/1.png", picture)


def html(path: Path, picture: bytes) -> None:
    encoded = b64encode(picture).decode()
    body = f"<article><p>{' '.join(MARKET)}</p><img alt='' src='data:image/png;base64,{encoded}'></article>"
    path.write_text(f"<!doctype html><title>A market</title>{body}", encoding="utf-8")


@pytest.mark.parametrize("write", [docx, epub, html])
def test_pictures_in_documents_follow_their_text(tmp_path: Path, write: Callable[[Path, bytes], None]) -> None:
    picture = BytesIO()
    page(HARBOUR[:1]).save(picture, "PNG")
    path = tmp_path / f"a.{write.__name__}"
    write(path, picture.getvalue())
    for ocr in (False, True):
        [document] = whorl.read(path, ocr=ocr)
        assert words(document.text) == words(" ".join((*MARKET, *HARBOUR[:ocr])))
        assert [words(document.text[line.start : line.end]) for line in document.lines] == [words(HARBOUR[0])] * ocr


def test_without_the_option_a_picture_is_refused_with_the_way_to_read_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="recognize it with `ocr`, which needs the extra 'ocr'"):
        whorl.compare_files(str(saved(page(HARBOUR[:1]), tmp_path / "a.png")), str(tmp_path / "a.png"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "the picture is damaged"),
        (b"II*\0" + b"\xff" * 100, "the picture is damaged"),
        (None, "no text was recognized in the picture"),
    ],
)
def test_pictures_that_cannot_be_read_are_refused(tmp_path: Path, data: bytes | None, reason: str) -> None:
    path = saved(Image.new("L", (600, 400), 255), tmp_path / "a.png")
    if data is not None:
        path.write_bytes(data)
    (rejected,) = whorl.read(tmp_path, ocr=True, on_error="skip").rejected
    assert rejected.reason.startswith(reason)


@pytest.mark.parametrize(
    "command",
    ["compare {0}/a.png {0}/b.txt", "dedup {0} -o {1}", "cohort {0} -o {1} --no-reports", "reuse {0} -o {1}"],
)
def test_commands_read_pictures(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    saved(page(HARBOUR), folder / "a.png")
    (folder / "b.txt").write_text("\n".join(HARBOUR), encoding="utf-8")
    arguments = command.format(folder, tmp_path / "out").split()
    done = CliRunner().invoke(build_app(), [*arguments, "--ocr", "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "recognized" in done.stderr
    assert '"rejected": 0' in done.stdout or '"rejected": []' in done.stdout or '"copied": 1.0' in done.stdout


def test_a_scan_is_added_to_a_library_and_found_there(tmp_path: Path) -> None:
    saved(page(HARBOUR), tmp_path / "scan.png")
    added = whorl.library.add_files(tmp_path / "library", tmp_path / "scan.png", ocr=True)
    assert added.new == 1
    (tmp_path / "draft.txt").write_text(" ".join(HARBOUR), encoding="utf-8")
    assert whorl.library.check_files(tmp_path / "library", tmp_path / "draft.txt").copies == 1
    assert whorl.library.check_files(tmp_path / "library", tmp_path / "scan.png", ocr=True).copies == 1


def test_a_page_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(page(HARBOUR[:1]), tmp_path / "a.png")
    whorl.read(tmp_path, ocr=True)  # the start of the process is excluded
    monkeypatch.setitem(BUDGETS, "ocr", Budget(0.01, 0, 1536, 16))
    (rejected,) = whorl.read(tmp_path, ocr=True, on_error="skip").rejected
    assert rejected.reason.startswith("reading it took longer than")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(UsageError, match="rapidocr") as raised:
        demand_package("scan.png")
    assert "rapidocr" in str(raised.value.hint) or "[ocr]" in str(raised.value.hint)


def frame(x0: float, y0: float, x1: float, y1: float) -> list[list[float]]:
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def order_of(frames: Sequence[list[list[float]]], degrees: float = 0) -> list[list[int]]:
    angle = np.deg2rad(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return reading_order(np.array(frames, np.float64) @ turn)


@pytest.mark.parametrize("degrees", [0, 3, -3])
def test_a_title_ends_the_columns_above_it(degrees: float) -> None:
    west = [frame(0, y, 450, y + 20) for y in (0, 30, 60, 200, 230, 260)]
    east = [frame(500, y, 950, y + 20) for y in (0, 30, 60, 200, 230, 260)]
    title = frame(300, 120, 700, 150)
    assert order_of([*east, *west, title], degrees) == [
        [6],
        [7],
        [8],
        [0],
        [1],
        [2],
        [12],
        [9],
        [10],
        [11],
        [3],
        [4],
        [5],
    ]


def test_cells_of_a_table_are_read_row_by_row() -> None:
    cells = [frame(x, y, x + 60, y + 20) for y in (0, 30, 60, 90) for x in (0, 300, 600)]
    assert order_of(cells) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]


def test_a_page_without_lines_has_no_order() -> None:
    assert order_of(np.empty((0, 4, 2))) == []
