"""Reports as PDF."""

import os
import subprocess
import sys
import time
from pathlib import Path
from threading import BoundedSemaphore, Event, Thread

import pypdfium2
import pytest
from tests.unit.reports.test_comparison import compose

from whorl._internal.interruption import Interrupted, cancelled_by
from whorl.errors import ResourceError, UsageError
from whorl.reports.comparison.page import render_comparison, report_number
from whorl.reports.pdf.printing import _turn, as_pdf

pytest.importorskip("weasyprint", reason="Pango is not here", exc_type=OSError)

LATIN = Path("/usr/share/fonts/truetype/dejavu")


@pytest.fixture(scope="module")
def printed() -> pypdfium2.PdfDocument:
    """Return the report of a text composed of two sources."""
    composition, text, sources = compose()
    page = render_comparison(composition, sources, text, title="桥与港", author="林晓", paper=True, language="zh")
    try:
        return pypdfium2.PdfDocument(as_pdf(page))
    except ResourceError as error:
        pytest.skip(error.message)


def words(printed: pypdfium2.PdfDocument, page: int) -> str:
    text: str = printed[page].get_textpage().get_text_range()
    return text


def test_each_page_has_the_number_of_the_report_and_its_own(printed: pypdfium2.PdfDocument) -> None:
    composition, text, sources = compose()
    number = report_number(composition, sources, text)
    assert len(printed) > 1
    for place in range(len(printed)):
        assert number in words(printed, place)
        assert f"{place + 1} / {len(printed)}" in words(printed, place)


def test_pdf_has_bookmarks_title_and_author(printed: pypdfium2.PdfDocument) -> None:
    assert {"桥与港", "来源", "段落", "方法"} <= {mark.get_title() for mark in printed.get_toc()}
    stated = printed.get_metadata_dict()
    assert stated["Title"].startswith("whorl compare · 桥与港")
    assert stated["Author"] == "林晓"


def test_pdf_is_monolingual_and_searchable(printed: pypdfium2.PdfDocument) -> None:
    everything = "".join(words(printed, place) for place in range(len(printed)))
    assert "总文字复制比" in everything
    assert "largest single source" not in everything
    assert "bridge.txt" in everything


def run(code: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, encoding="utf-8", check=False
    ).stderr


def test_the_process_of_a_pdf_ends_and_sees_no_secrets(tmp_path: Path) -> None:
    stub = "import os; raise OSError(os.environ.get('SECRET', 'no secret'))"
    (tmp_path / "weasyprint.py").write_text(stub)
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    assert "which is not installed: no secret" in run(PRINT, PYTHONPATH=path, WHORL_LANG="en", SECRET="told")
    loaded = "import sys, whorl.reports.pdf.printing as p; p.as_pdf('<p>a</p>'); sys.exit('weasyprint' in sys.modules)"
    assert run(loaded) == ""


def test_a_pdf_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whorl.reports.pdf.printing._SECONDS", 0.1)
    with pytest.raises(ResourceError, match="longer than"):
        as_pdf("<p>a</p>")


def test_the_process_of_a_pdf_is_killed_once_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    stub = f"import os, time, pathlib; pathlib.Path({str(begun)!r}).write_text(str(os.getpid())); time.sleep(3600)"
    (tmp_path / "weasyprint.py").write_text(stub)
    monkeypatch.syspath_prepend(str(tmp_path))
    cancelled = Event()

    def cancel() -> None:
        while not (begun.is_file() and begun.read_text()):
            time.sleep(0.01)
        cancelled.set()

    cancelling = Thread(target=cancel, daemon=True)
    cancelling.start()
    with cancelled_by(cancelled), pytest.raises(Interrupted):
        as_pdf("<p>a</p>")
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)


def test_a_pdf_waits_for_its_turn_only_as_long_as_somebody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whorl.reports.pdf.printing._AT_ONCE", BoundedSemaphore(1))
    cancelled = Event()
    cancelled.set()
    with cancelled_by(cancelled), pytest.raises(Interrupted), _turn():
        pytest.fail("nobody waits")
    with _turn(), cancelled_by(cancelled), pytest.raises(Interrupted):
        as_pdf("<p>a</p>")


PRINT = "from whorl.reports.pdf.printing import as_pdf; as_pdf('<p>' + chr(0x5b57) + 'a</p>')"


def test_missing_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(UsageError) as refusal:
        as_pdf("<p>a</p>")
    assert refusal.value.hint == "pip install 'weasyprint>=68'"


def test_missing_library_is_reported(tmp_path: Path) -> None:
    (tmp_path / "weasyprint.py").write_text("raise OSError('cannot load library libpango-1.0-0')")
    output = run(PRINT, PYTHONPATH=str(tmp_path), WHORL_LANG="en")
    assert "ResourceError: PDF reports need Pango" in output
    assert "hint: install it: apt-get install libpango-1.0-0" in output


@pytest.mark.skipif(not LATIN.is_dir(), reason="no font without Chinese is here")
def test_missing_font_is_reported(tmp_path: Path) -> None:
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(f"<fontconfig><dir>{LATIN}</dir><cachedir>{tmp_path}</cachedir></fontconfig>")
    output = run(PRINT, FONTCONFIG_FILE=str(fonts), WHORL_LANG="en")
    assert "ResourceError: no installed font covers Chinese characters" in output
    assert "fonts-noto-cjk" in output


def test_pdf_loads_no_resources(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a word that nobody may see")
    pdf = as_pdf(f'<p>a</p><img src="{secret.as_uri()}"><link rel="attachment" href="{secret.as_uri()}">')
    assert not pypdfium2.PdfDocument(pdf).count_attachments()
