"""Files crafted to break readers are rejected, and the others are read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import pytest

import whorl
from whorl.corpus import (
    Columns,
    KeptRejects,
    ReadOptions,
    Rejects,
    Source,
    discover,
    format_of,
    read_files,
    sources_ahead,
)
from whorl.corpus.sandbox import BUDGETS, Budget, processes_bounded
from whorl.corpus.sandbox.isolation import process_limit
from whorl.corpus.sandbox.processes import WorkerProcess
from whorl.monitor.pages import Fetched, articles_of

PAGES = 12


def page(text: str) -> str:
    return f"<html><head><title>页</title></head><body><p>{text}</p></body></html>"


def texts_of(folder: Path, aside: Path) -> tuple[list[str], list[str]]:
    """Return the first lines of the texts of a folder, and the reasons for rejected files."""
    with KeptRejects(aside) as rejects:
        result = read_files([folder], Columns(), rejects, ReadOptions())
        return [text for _, batch in result for text in batch.texts.to_pylist()], sorted(rejects.reasons)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for number in range(PAGES):
        (tmp_path / "in" / f"{number:02}.html").write_text(page(f"第 {number} 页的正文。"), encoding="utf-8")
    return tmp_path / "in"


EXPECTED = [f"第 {number} 页的正文。" for number in range(PAGES)]


def document(path: Path, paragraphs: int) -> None:
    """Return a DOCX file of many paragraphs, a hundred times smaller than its text."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "<w:p><w:r><w:t>文</w:t></w:r></w:p>" * paragraphs
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')


def portable(path: Path, repetitions: int) -> None:
    """Return a PDF file of one page whose content is packed twice."""
    output = b"BT /F1 12 Tf (" + b"a" * 80 + b") Tj ET\n"
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(output * 10_000) for _ in range(repetitions)) + packer.flush()
    content = zlib.compress(packed, 9)
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    head = b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>\nstream\n" % len(content)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1" + font + b">>>>>>",
        head + content + b"\nendstream",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, value in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, value)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(data)
    path.write_bytes(data + b"xref\n0 5\n0000000000 65535 f \n" + table + trailer)


def test_files_are_sources_ahead_in_their_order(pages: Path, tmp_path: Path) -> None:
    assert texts_of(pages, tmp_path / "aside") == (EXPECTED, [])


def test_a_file_that_takes_too_long_is_set_aside(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document(pages / "05a.docx", 300_000)
    texts_of(pages, tmp_path / "begun")  # the start of the process is excluded
    monkeypatch.setitem(BUDGETS, "docx", Budget(0.05, 0, 768, 8))
    texts, reasons = texts_of(pages, tmp_path / "aside")
    assert texts == EXPECTED
    assert [reason.startswith("reading it took longer than") for reason in reasons] == [True]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the processor time of a process is read from /proc")
def test_a_file_is_read_on_a_machine_that_gives_its_process_no_time(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts_of(pages, tmp_path / "begun")  # the start of the process is excluded
    monkeypatch.setitem(BUDGETS, "html", Budget(0.5, 0, 512, 32))
    answer = WorkerProcess.answer
    stopped: list[int] = []

    def stopped_first(process: WorkerProcess, *arguments: Any) -> Any:
        if not stopped:
            stopped.append(process._process.pid)
            os.kill(stopped[0], signal.SIGSTOP)
            Timer(1.5, os.kill, (stopped[0], signal.SIGCONT)).start()
        return answer(process, *arguments)

    monkeypatch.setattr(WorkerProcess, "answer", stopped_first)
    assert texts_of(pages, tmp_path / "aside") == (EXPECTED, [])
    assert stopped


def test_a_file_that_takes_too_much_memory_is_set_aside(pages: Path, tmp_path: Path) -> None:
    """Some kilobytes that pdfium unpacks to half a gigabyte kill the process that reads them."""
    portable(pages / "05a.pdf", 600)
    assert (pages / "05a.pdf").stat().st_size < 20_000
    texts, reasons = texts_of(pages, tmp_path / "aside")
    assert texts == EXPECTED
    (reason,) = reasons
    assert "memory" in reason or "crashed" in reason
    assert (tmp_path / "aside" / "05a.pdf").read_bytes() == (pages / "05a.pdf").read_bytes()


def test_large_files_are_within_the_budget(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    document(folder / "a.docx", 200_000)
    (folder / "b.html").write_text(page("记者从现场了解到，活动今天开始。<br>\n" * 60_000), encoding="utf-8")
    texts, reasons = texts_of(folder, tmp_path / "aside")
    assert reasons == []
    assert [len(text) > 100_000 for text in texts] == [True, True]


def test_what_is_sources_ahead_and_not_wanted_holds_nothing_up(pages: Path, tmp_path: Path) -> None:
    ahead = sources_ahead(discover([pages]), Columns(), Rejects(), ReadOptions())
    assert next(ahead).name == "00.html"
    assert texts_of(pages, tmp_path / "second") == (EXPECTED, [])
    assert list(read_files([pages / "05.html"], Columns(), Rejects(), ReadOptions()))


def test_files_that_are_passed_over_hold_nothing_up(tmp_path: Path, begun: list[object]) -> None:
    for number in range(200):
        (tmp_path / f"{number:03}.html").write_text(page(f"第 {number} 页的正文。" * 300), encoding="utf-8")
    (tmp_path / "100.html").write_bytes(b"")
    columns, rejects, options = Columns(), Rejects(), ReadOptions()
    for source in sources_ahead(discover([tmp_path]), columns, rejects, options):
        if source.name == "199.html":
            (batch,) = format_of(source).read(source, columns.of(source), rejects, options)
            assert batch.texts[0].as_py().startswith("第 199 页的正文。")
    assert len(begun) <= process_limit()
    assert not rejects.total


def test_a_few_small_files_are_read_by_one_process(pages: Path, begun: list[object]) -> None:
    few = sorted(pages.iterdir())[:4]
    assert len(list(read_files(few, Columns(), Rejects(), ReadOptions()))) == len(few)
    assert len(begun) <= 1


def test_the_only_row_of_a_file_is_taken_without_beginning_a_process_anew(pages: Path, begun: list[object]) -> None:
    for source in discover([pages]):
        batch = next(format_of(source).read(source, Columns(others=True), Rejects(), ReadOptions()))
        assert batch.others == [{"title": "页", "url": None, "date": None, "author": None}]
    assert len(begun) <= 1


def test_fetched_pages_are_read_without_beginning_a_process_anew(pages: Path, begun: list[object]) -> None:
    now, headers = datetime.now(UTC), (("Content-Type", "text/html"),)
    fetched = [Fetched(path.as_uri(), "", now, path.read_bytes(), headers) for path in sorted(pages.iterdir())]
    for _ in range(3):
        assert all(article.document for article in articles_of(fetched))
    assert len(begun) <= process_limit()


COUNTED = """
import subprocess, sys
from whorl.corpus import Columns, ReadOptions, Rejects, read_files
from whorl.engines.workers import bounded

begun, begin = [], subprocess.Popen
subprocess.Popen = lambda *given, **options: begun.append(begin(*given, **options)) or begun[-1]
with bounded(int(sys.argv[1])):
    batches = list(read_files([sys.argv[2]], Columns(), Rejects(), ReadOptions()))
print(len(batches), len(begun))
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_bound_the_processes_that_read(pages: Path, workers: int) -> None:
    command = [sys.executable, "-c", COUNTED, str(workers), str(pages)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert done.stdout.split() == [str(PAGES), str(min(workers, cores or 1))]


def test_threads_read_beside_each_other(pages: Path, tmp_path: Path) -> None:
    result: list[tuple[list[str], list[str]]] = []
    asides = [tmp_path / f"{number}" for number in range(4)]
    threads = [Thread(target=lambda aside=aside: result.append(texts_of(pages, aside))) for aside in asides]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert result == [(EXPECTED, [])] * 4


def _in_child(folder: Path, aside: Path) -> bool:
    return texts_of(folder, aside) == (EXPECTED, [])


def test_a_child_that_was_forked_has_processes_of_its_own(pages: Path, tmp_path: Path) -> None:
    assert texts_of(pages, tmp_path / "parent") == (EXPECTED, [])
    with get_context("fork").Pool(1) as pool:
        assert pool.apply(_in_child, (pages, tmp_path / "child"))
    assert texts_of(pages, tmp_path / "parent") == (EXPECTED, [])


def test_where_no_process_can_be_begun_files_are_read_all_the_same(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert texts_of(pages, tmp_path / "aside") == (EXPECTED, [])


def test_of_large_files_no_more_are_opened_ahead_than_processes_read(tmp_path: Path) -> None:
    charts_by_name: list[Source] = []

    def sources() -> Iterator[Source]:
        for number in range(6):
            path = tmp_path / f"{number}.html"
            with path.open("wb") as file:
                file.truncate(20 * 2**20)
            charts_by_name.append(Source(path, path.name, "html"))
            yield charts_by_name[-1]

    with processes_bounded(1), closing(sources_ahead(sources(), Columns(), Rejects(), ReadOptions())) as ahead:
        assert next(ahead) == charts_by_name[0]
        assert len(charts_by_name) == 2


@pytest.mark.skipif(not os.access("/proc/sys/vm/drop_caches", os.W_OK), reason="only root frees the cache of names")
def test_a_warm_process_reads_on_after_the_system_freed_its_cache_of_names(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<article><p>渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。</p></article>", encoding="utf-8")
    before = whorl.read(page).documents
    Path("/proc/sys/vm/drop_caches").write_text("2")
    assert whorl.read(page).documents == before
