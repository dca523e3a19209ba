"""The tutorial for rights holders runs from an empty database to a verified pack and a monthly report."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest
from tests.docs.test_readme import ROOT, assert_same_code, blocks, language_of, run, words
from tests.servers.shared import fresh
from tests.stores import place

NAMES = ("docs/tutorials/RIGHTS_HOLDER.md", "docs/tutorials/RIGHTS_HOLDER.zh-CN.md")
FILES = {"toml": "sites.toml", "json": "permissions.jsonl"}
"""Name of the file that a block of a language shows."""


def in_postgresql() -> str:
    return place("postgresql", Path())


def in_mongodb_and_redis() -> str:
    return f"{place('mongodb', Path())}&index={quote(fresh('redis'))}"


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    """Serve a folder, which may not exist yet, on a free port."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Discard the message."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_port
        server.shutdown()


def follow(name: str, folder: Path, port: int) -> None:
    """Do what the tutorial says, and compare what commands print."""
    text = (ROOT / name).read_text(encoding="utf-8").replace(":8000", f":{port}")
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language in FILES:
            (folder / FILES[language]).write_text(block, encoding="utf-8")
        elif language == "python":
            run([sys.executable, "-c", block], folder)
        elif language == "console":
            for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, *expected = step.splitlines()
                printed = words(run(command, folder, language_of(name)))
                missing = [line for line in expected if words(line) not in printed]
                assert not missing, f"{command} does not print {missing}:\n{printed}"


@pytest.mark.parametrize(("name", "library"), [(NAMES[0], in_postgresql), (NAMES[1], in_mongodb_and_redis)])
def test_the_tutorial_runs(
    name: str, library: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBRARY", library())
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    with serving(tmp_path / "copies") as port:
        follow(name, tmp_path, port)
    assert (tmp_path / "month.pdf").read_bytes().startswith(b"%PDF")
    assert zipfile.is_zipfile(tmp_path / "month.xlsx")
    assert zipfile.is_zipfile(tmp_path / "letter.docx")


def test_both_languages_show_the_same() -> None:
    assert_same_code(*NAMES)
    assert blocks(NAMES[0], "json") == blocks(NAMES[1], "json")
