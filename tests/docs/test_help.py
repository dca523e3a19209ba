"""The examples in the help run for real, in a folder with the files they name."""

import gzip
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from tests.authority import answered, found_authority
from tests.docs.test_readme import task_commands
from tests.office import paragraphs, write_docx
from tests.once import made_once
from tests.runs import shell
from tests.servers.shared import fresh

import whorl
from whorl.cli import build_app
from whorl.cli.ui.epilogs import Section
from whorl.monitor.settings.stored_sites import put_site
from whorl.recipe import load_recipe

LIGHTHOUSE = (
    "The lighthouse on Crane Rock has been lit by hand for the last time. From tonight a lamp no bigger than a teacup "
    "will do the work of the great lens, which goes to the museum in town. Its keeper, who climbed the two hundred and "
    "twelve steps every evening for thirty-one years, says that he will miss the gulls more than the stairs."
)
ORCHARD = (
    "今年的梨熟得早。果园主人说，春天没有倒春寒，夏天雨水又匀，枝头压得比往年低了半尺。"
    "合作社已经订好冷库，打算把一半的梨存到春节，另一半做成梨膏，省得集中上市卖不出价钱。"
)
ON_SERVERS = {"postgresql://host/news": "postgresql", "mysql://host/db": "mariadb"}
"""Placeholders of the addresses of servers, with the kind of each."""

ROWS = [
    {"id": "ID", "url": "/1", "title": "Crane Rock", "body": LIGHTHOUSE, "text": LIGHTHOUSE, "published": "2022-07-02"},
    {"id": "b", "url": "/2", "title": "梨", "body": ORCHARD, "text": ORCHARD, "published": "2022-05-03"},
    *(
        {"id": f"c{day}", "url": f"/{day}", "title": "Rock", "body": LIGHTHOUSE, "text": f"{LIGHTHOUSE} So be it.",
         "published": f"2022-06-{day}"}
        for day in range(10, 20)
    ),
]  # fmt: skip


PREPARATIONS = (
    (("^whorl show",), "whorl dedup articles.jsonl -o clean"),
    ((" newsroom", "=newsroom", "verify pack.zip"), "whorl add newsroom library.jsonl"),
    (
        ("attribute fit", "ours.toml"),
        """echo '{"document": "ID", "kind": "server-log", "at": "2022-05-01"}' > attestations.jsonl""",
    ),
    (
        ("attribute fit", "ours.toml"),
        "if [ -d newsroom ]; then whorl library attestations newsroom --import attestations.jsonl; fi",
    ),
    (("^whorl trace newsroom",), "if [ -f attestations.jsonl ]; then whorl attribute fit newsroom --out ours.toml; fi"),
    (("^whorl serve ours",), "whorl add archive library.jsonl"),
    (("^whorl serve wire --state",), "whorl add wire library.jsonl"),
    (("--first-key-file",), "openssl rand -hex 32 > key"),
    (("--host", "key revoke", "copy-state"), "whorl key add newsroom desk"),
    (("user remove",), "echo a long password | whorl user add newsroom mei"),
    (("--undo",), "whorl review newsroom b7 a1 --state confirmed"),
    (("whorl case",), "whorl case open newsroom b7 a1"),
    (("--import sites.toml",), "grep -v allow_private sites.toml > public.toml; mv public.toml sites.toml"),
    (("--earlier theses",), "whorl add theses library.jsonl"),
    (
        ("--against benchmarks.index",),
        "whorl decontaminate corpus.jsonl --against mmlu.jsonl --save-index benchmarks.index",
    ),
    (("--approved list.csv",), "echo decision,text > list.csv; echo cut,So be it. >> list.csv"),
    (("verify pack.zip",), "whorl evidence newsroom b7 a1 -o pack.zip"),
)
"""Words of an example, beginning with ^ if it starts with them, and a command that prepares it."""

KEPT = [
    *ROWS,
    {"id": "a1", "text": ORCHARD * 2, "url": "https://paper.example/1"},
    {"id": "b7", "text": f"{ORCHARD * 2}摘自别处。", "url": "https://copies.example/7"},
]
SITES = """
[[site]]
name = "Nobody is there"
start = ["http://127.0.0.1:9/"]
allow_private = true
"""
ALERTS = """
[channels.desk]
kind = "webhook"
url = "http://127.0.0.1:9/"
secret = { file = "desk.secret" }
allowed = ["127.0.0.1"]

[[rules]]
name = "whole books"
to = ["desk"]
length = 1000000
"""


def commands() -> list[Any]:
    """Yield the program, its commands, and their subcommands."""
    result = [typer.main.get_command(build_app())]
    for command in result:
        result += getattr(command, "commands", {}).values()
    return result


def sections(title: str) -> list[Section]:
    """Yield the help sections with a heading."""
    result = [command.epilog.sections for command in commands() if command.epilog]
    return [section for group in result for section in group if section.title == title]


def examples() -> list[str]:
    """Return the examples of the help, and the commands in the first table of the README."""
    rows = [row for section in sections("Examples") for row in section.rows]
    return sorted({*(row if isinstance(row, str) else row[0] for row in rows), *task_commands("README.md")})


@pytest.fixture
def desk(
    example: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return a folder with every file that an example names, and what prepares it done."""
    commands = list(before(example))
    name = f"desk-{sha256(chr(10).join(commands).encode()).hexdigest()[:16]}"
    ready = made_once(tmp_path_factory, name, lambda folder: prepare(folder, commands))
    shutil.copytree(ready, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def whorl_on_path() -> dict[str, str]:
    """Return the variables of a shell that finds ``whorl``."""
    return os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def prepare(folder: Path, commands: list[str]) -> None:
    """Write the files that the examples name, and run commands beside them."""
    write_files(folder)
    for command in commands:
        done = shell(command, whorl_on_path(), folder)
        assert done.code == 0, done.error


def write_files(desk: Path) -> None:
    """Write every file that an example names."""
    jsonl = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    for name in ("corpus", "new", "news", "gbk-folder"):
        (desk / name).mkdir()
    for name in ("books", "classics", "essays", "scans"):
        (desk / name).mkdir()
        (desk / name / "lighthouse.txt").write_text(LIGHTHOUSE, encoding="utf-8")
    papers = [json.dumps({"text": ORCHARD, "newspaper": paper}) for paper in ("Morning", "Evening")]
    (desk / "papers.jsonl").write_text("\n".join(papers), encoding="utf-8")
    for name in (
        "articles.jsonl",
        "news.jsonl",
        "old.jsonl",
        "today.jsonl",
        "corpus/a.jsonl",
        "new/today.jsonl",
        "news/a.jsonl",
    ):
        (desk / name).write_text(jsonl, encoding="utf-8")
    with gzip.open(desk / "dump.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(jsonl)
    pq.write_table(pa.Table.from_pylist(ROWS), desk / "corpus" / "b.parquet")
    workbook = openpyxl.Workbook()
    for row in [("標題", "內容"), ("梨", ORCHARD), ("梨熟", ORCHARD)]:
        workbook.active.append(row)
    workbook.save(desk / "news.xlsx")
    (desk / "news.csv").write_text(f'id,text,published\n1,"{LIGHTHOUSE}",2022-05-02\n', encoding="utf-8")
    (desk / "truth.csv").write_text("a,b\nID,c10\n", encoding="utf-8")
    (desk / "gbk-folder" / "pear.txt").write_bytes(ORCHARD.encode("gb18030"))
    for name in ("a.txt", "published.txt"):
        (desk / name).write_text(LIGHTHOUSE, encoding="utf-8")
    for name in ("b.txt", "draft.txt"):
        (desk / name).write_text(ORCHARD, encoding="utf-8")
    (desk / "library.jsonl").write_text("\n".join(json.dumps(row) for row in KEPT), encoding="utf-8")
    (desk / "sites.toml").write_text(SITES, encoding="utf-8")
    (desk / "desk.secret").write_text("of the desk", encoding="utf-8")
    (desk / "alerts.toml").write_text(ALERTS, encoding="utf-8")
    page = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<article><p>{LIGHTHOUSE}</p></article>"
    record = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://copies.example/1\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(page.encode())}\r\n\r\n{page}\r\n\r\n"
    )
    with gzip.open(desk / "pages.warc.gz", "wb") as file:
        file.write(record.encode())
    write_benchmarks(desk)
    write_manuscripts(desk)


def write_benchmarks(folder: Path) -> None:
    """Write the corpora and the benchmarks of the examples of ``whorl decontaminate`` and ``whorl strip``."""
    item = {"id": "q1", "question": "Which fruit does the orchard of the old school grow?", "answer": "pears"}
    line = json.dumps(item)
    (folder / "benchmarks").mkdir()
    for name in ("mmlu.jsonl", "gsm8k.jsonl", "benchmarks/quiz.jsonl"):
        (folder / name).write_text(line, encoding="utf-8")
    pq.write_table(pa.Table.from_pylist([item]), folder / "test.parquet")
    (folder / "quiz.csv").write_text(
        f"id,stem,options,key\nq1,{item['question']},apples,{item['answer']}\n", encoding="utf-8"
    )
    documents = [{**row, "source": "press", "meta": {"source": "press"}} for row in ROWS]
    for name in ("corpus.jsonl", "manuals.jsonl"):
        (folder / name).write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "corpus.parquet")


def write_manuscripts(folder: Path) -> None:
    """Write the manuscripts, sources and pages of the examples of ``whorl cohort`` and ``whorl strip``."""
    for name in ("class", "web", "pages"):
        (folder / name).mkdir()
    for name, text in (("class/a.txt", LIGHTHOUSE), ("class/b.txt", LIGHTHOUSE + ORCHARD), ("web/c.txt", ORCHARD)):
        (folder / name).write_text(text, encoding="utf-8")
    write_docx(folder / "template.docx", paragraphs(["Declaration of authorship"]))
    for name, text in (("a", LIGHTHOUSE), ("b", ORCHARD)):
        page = f"<html><body><article><p>{text}</p></article></body></html>"
        (folder / f"pages/{name}.html").write_text(page, encoding="utf-8")


@pytest.mark.skipif(shutil.which("sh") is None or shutil.which("zcat") is None, reason="needs a POSIX shell")
@pytest.mark.parametrize("example", examples())
def test_an_example_runs(example: str, desk: Path) -> None:
    environment = whorl_on_path()
    for address, kind in ON_SERVERS.items():
        if address in example:
            example = example.replace(address, shlex.quote(fresh(kind)))
    if "labelled.xlsx" in example:
        label_a_sample(environment)
    if "pack.tsr" in example:
        stamp(desk)
    if example.startswith("whorl serve"):
        assert stopped_once_it_answers(example, environment, desk) == 0
        return
    if "--every 1h" in example:
        store_a_site()
    if "--every" in example:
        assert stopped_after_a_run(example, environment, desk / "run.html") == 130
        return
    done = shell(example, environment, stdin=b"a long password")
    assert done.code == 0, done.error


def before(example: str) -> Iterator[str]:
    """Yield commands that prepare an example."""
    for words, command in PREPARATIONS:
        if any(example.startswith(word[1:]) if word[0] == "^" else word in example for word in words):
            yield command


def stopped_once_it_answers(example: str, environment: dict[str, str], desk: Path) -> int:
    """Interrupt a service, on a free port, once it is ready, and return its result."""
    output = desk / "told"
    with (
        output.open("w") as stderr,
        subprocess.Popen(f"exec {example} --port 0", shell=True, env=environment, stderr=stderr) as running,
    ):
        until = monotonic() + 60
        while "http://" not in output.read_text("utf-8") and running.poll() is None and monotonic() < until:
            sleep(0.1)
        running.send_signal(signal.SIGINT)
        return running.wait(60)


def stamp(desk: Path) -> None:
    """Add a time-stamp of an authority to the pack."""
    (desk / "authority").mkdir()
    found_authority(desk / "authority")
    with zipfile.ZipFile("pack.zip") as pack:
        shutil.copy(answered(desk / "authority", pack.read("manifest.tsq")), "pack.tsr")
    shutil.copy(desk / "authority" / "root.pem", "authority.pem")


def stopped_after_a_run(example: str, environment: dict[str, str], report: Path) -> int:
    """Interrupt a repeating command after its first report, and return its result."""
    with subprocess.Popen(f"exec {example}", shell=True, env=environment) as running:
        until = monotonic() + 60
        while not report.exists() and monotonic() < until:
            sleep(0.1)
        running.send_signal(signal.SIGINT)
        return running.wait(60)


def store_a_site() -> None:
    """Store a site with the library, as the console does."""
    with whorl.open("newsroom") as library:
        put_site(library, {"name": "Nobody is there", "start": ["http://127.0.0.1:9/"]})


def label_a_sample(environment: dict[str, str]) -> None:
    """Write the workbook that an example reads."""
    assert shell("whorl eval sample articles.jsonl --out labelled.xlsx", environment).code == 0
    book = openpyxl.load_workbook("labelled.xlsx")
    for sheet in book.worksheets[:2]:
        for row in range(2, sheet.max_row + 1):
            sheet.cell(row, 2).value = "是"
    book.save("labelled.xlsx")


def test_every_command_has_an_example() -> None:
    program = typer.main.get_command(build_app())
    for command in program.commands:
        assert any(f"whorl {command} " in example for example in examples())


def test_the_recipe_in_the_help_is_a_recipe(tmp_path: Path) -> None:
    (section,) = sections("A recipe file")
    file = tmp_path / "recipe.toml"
    lines = (row if isinstance(row, str) else "  ".join(row) for row in section.rows)
    file.write_text("\n".join(lines), encoding="utf-8")
    recipe = load_recipe(file)
    assert (recipe.threshold, recipe.text, recipe.parameters["shingle"]) == (0.7, ("title", "body"), 4)
