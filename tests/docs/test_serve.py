"""The chapters on the service: their requests run against a real service, and their statements hold."""

from __future__ import annotations

import json
import re
import shlex
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from scripts import endpoints
from tests.docs.test_readme import ROOT, assert_same_code, blocks, run, transcripts, workplace
from tests.serving import served, settings_of, state_of

from whorl.service.http.problems import TITLES
from whorl.service.settings import Settings
from whorl.service.state.users import SCOPES_OF

CHAPTERS = ("docs/SERVE", "docs/HTTP", "docs/DEPLOY")
ENDINGS = (".md", ".zh-CN.md")
THREATS = ("docs/SERVICE_SECURITY.md", "docs/SERVICE_SECURITY.zh-CN.md")
EXAMPLE_ADDRESS = "http://127.0.0.1:8000"
each_language = pytest.mark.parametrize("ending", ENDINGS)

__all__ = ["workplace"]


def curl() -> ArgumentParser:
    """Parse the options of ``curl`` that the chapters use."""
    parser = ArgumentParser("curl")
    parser.add_argument("url")
    parser.add_argument("-s", action="store_true")
    parser.add_argument("-N", action="store_true")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    for option in ("--json", "--data-binary", "-F", "-o"):
        parser.add_argument(option)
    return parser


@dataclass
class Shell:
    """A shell that sends requests like ``curl``.

    Attributes:
        folder: working directory.
        names: the variables of the shell.
    """

    folder: Path
    names: dict[str, str] = field(default_factory=dict)

    def ask(self, command: str) -> str:
        """Send the request of a command, which must succeed, and return its output."""
        program, *words = shlex.split(re.sub(r"\$(\w+)", lambda match: self.names[match[1]], command))
        assert program == "curl"
        arguments = curl().parse_args(words)
        request: dict[str, Any] = {}
        if arguments.json:
            request["json"] = json.loads(arguments.json)
        if arguments.data_binary:
            request["content"] = (self.folder / arguments.data_binary.removeprefix("@")).read_bytes()
        if arguments.F:
            part, _, path = arguments.F.partition("=@")
            request["files"] = {part: (Path(path).name, (self.folder / path).read_bytes())}
        headers = dict(header.split(": ", 1) for header in arguments.headers)
        answer = httpx.request("POST" if request else "GET", arguments.url, headers=headers, timeout=60, **request)
        assert answer.is_success, f"{command}\n{answer.text}"
        if arguments.url.endswith("/jobs"):
            self.names["JOB"] = answer.json()["id"]
        if arguments.o:
            (self.folder / arguments.o).write_bytes(answer.content)
        return "" if arguments.o else answer.text


@contextmanager
def newsroom(folder: Path, ending: str) -> Iterator[tuple[str, str]]:
    """Serve the library of the chapters; return the address and the key that they create."""
    printed = [run(command, folder) for command, _ in transcripts(f"docs/SERVE{ending}")]
    (secret,) = re.findall(r"^whorl_\S+$", "\n".join(printed), re.MULTILINE)
    library = str(folder / "newsroom")
    with served(Settings({"newsroom": library}, f"{library}/service", port=0)) as address:
        yield address, secret


def fragments(line: str) -> list[str]:
    """Return the parts of a documented line between the omissions."""
    return [re.sub(r"\s", "", part) for part in line.split("…") if part.strip()]


@each_language
def test_documented_requests_run(ending: str, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"docs/HTTP{ending}"
    with newsroom(workplace, ending) as (address, secret):
        shell = Shell(workplace, {"KEY": f"Authorization: Bearer {secret}", "AT": f"{address}/v1"})
        shell.names["LIB"] = f"{address}/v1/libraries/newsroom"
        requests = [(command, output) for command, output in transcripts(name) if command.startswith("curl ")]
        assert len(requests) > 10
        for command, output in requests:
            printed = re.sub(r"\s", "", shell.ask(command))
            lacking = [part for line in output for part in fragments(line) if part not in printed]
            assert not lacking, f"{command} does not print {lacking}:\n{printed[:2000]}"
        monkeypatch.setenv("WHORL_KEY", secret)
        run([sys.executable, "-c", "\n".join(blocks(name, "python")).replace(EXAMPLE_ADDRESS, address)], workplace)


def example(schema: dict[str, Any], operation: endpoints.Operation) -> Any:
    """Return the example body in the description of an operation, or None."""
    content = operation.described.get("requestBody", {}).get("content", {})
    named = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    definition = schema["components"]["schemas"].get(named.rpartition("/")[2], {})
    return definition.get("examples", [None])[0]


def test_both_languages_show_the_same() -> None:
    for chapter in CHAPTERS:
        english, chinese = (f"{chapter}{ending}" for ending in ENDINGS)
        assert_same_code(english, chinese)
        assert blocks(english, "nginx", "caddy", "ini") == blocks(chinese, "nginx", "caddy", "ini")


@each_language
def test_documented_options_codes_and_roles_exist(ending: str) -> None:
    names = [f"{chapter}{ending}" for chapter in CHAPTERS]
    chapter = "\n".join((ROOT / name).read_text("utf-8") for name in names)
    options = set(re.findall(r"--[a-z][a-z-]+", run("whorl serve --help", ROOT)))
    code = "\n".join(block for name in names for block in blocks(name, "text", "ini"))
    documented = set(re.findall(r"--[a-z][a-z-]+", code))
    assert documented <= options
    required = options - {"--lang", "--help", "--verbose", "--log", "--port", "--scopes", "--role"}
    assert sorted(option for option in required if option not in chapter) == []
    assert sorted(code for code in TITLES if f"`{code}`" not in chapter) == []
    rows = dict(re.findall(r"^\| `(read|review|write|admin)` \| .*? \| (.*?) \|$", chapter, re.MULTILINE))
    roles_of = {scope: re.split("[,、] ?", roles) for scope, roles in rows.items()}
    assert roles_of == {
        scope: [role for role, scopes in SCOPES_OF.items() if scope in scopes]
        for scope in ("read", "review", "write", "admin")
    }


@each_language
def test_unit_file_starts_an_existing_command(ending: str) -> None:
    (unit,) = blocks(f"docs/DEPLOY{ending}", "ini")
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read_string(unit)
    program, command, *_ = parser["Service"]["ExecStart"].split()
    assert (Path(program).name, command) == ("whorl", "serve")


def test_reference_matches_the_service() -> None:
    run([sys.executable, "scripts/endpoints.py", "--check"], ROOT)


def test_operations_require_the_documented_scope(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")
    with state_of(settings) as state, served(settings) as address:
        scopes = ("read", "review", "write", "admin")
        secrets = {scope: state.keys.make(scope, [other for other in scopes if other != scope])[0] for scope in scopes}
        schema = httpx.get(f"{address}/v1/openapi.json").json()
        operations = [other for other in endpoints.operations(schema) if other.scope in scopes]
        assert len(operations) > 50
        for other in operations:
            method, _, path = other.heading.partition(" ")
            path = re.sub(r"{\w+}", "1", path.replace("{library}", "news"))
            key = {"Authorization": f"Bearer {secrets[other.scope]}"}
            answer = httpx.request(method, f"{address}{path}", headers=key, json=example(schema, other))
            assert answer.status_code == 403, (other.heading, other.scope, answer.text)


_TEST = re.compile(r"`((?:[\w/]+\.py::)?test_\w+)`")
"""A test by its name, where it has one file, else with its path."""


@pytest.mark.parametrize("name", THREATS)
def test_every_threat_names_tests_that_there_are(name: str) -> None:
    test_count: Counter[str] = Counter()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for test in set(re.findall(r"^ *(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)):
            test_count.update((test, f"{path.relative_to(ROOT).as_posix()}::{test}"))
    threats = [row for row in _rows(name) if len(row) == 3 and row[0] not in ("threat", "威胁")]
    assert len(threats) > 25
    assert [row[0] for row in threats if not _TEST.search(row[-1])] == []
    assert {test for row in threats for test in _TEST.findall(row[-1]) if test_count[test] != 1} == set()


def _rows(name: str) -> list[list[str]]:
    """The rows of all tables of a page, without those that set heads apart."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    rows = [re.split(r" \| ", line.strip("| ")) for line in lines if line.startswith("| ")]
    return [row for row in rows if not set("".join(row)) <= set("-: |")]


def test_both_languages_name_the_same_tests() -> None:
    english, chinese = (_TEST.findall((ROOT / name).read_text("utf-8")) for name in THREATS)
    assert english == chinese


def test_the_comparison_with_a_standard_counts_what_it_says() -> None:
    met_of = {}
    for name, words in (
        ("docs/ASVS.md", ("yes", "partly", "no", "n/a")),
        ("docs/ASVS.zh-CN.md", ("是", "部分", "否", "不适用")),
    ):
        rows = _rows(name)
        met = {row[0]: words.index(row[2]) for row in rows if re.fullmatch(r"V\d+\.\d+", row[0])}
        counts = {row[0].split()[0]: list(map(int, row[1:])) for row in rows if len(row) == 6 and row[1].isdigit()}
        *chapters, whole = counts
        for chapter in chapters:
            some = [status for section, status in met.items() if section.split(".")[0] == chapter]
            assert counts[chapter] == [len(some), *(some.count(status) for status in range(4))], chapter
        assert counts[whole] == [sum(column) for column in zip(*(counts[name_of] for name_of in chapters), strict=True)]
        met_of[name] = met
    assert met_of["docs/ASVS.md"] == met_of["docs/ASVS.zh-CN.md"]
