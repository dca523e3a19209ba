"""Requests of hostile shapes for every operation, and a service whose memory and answers are watched from outside."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx

from tests.operations import CASES, RequestArguments, arguments_of, described, label
from whorl.service.http.paging import cursor_of

Shape = Callable[[int], str]

VALUES: dict[str, Shape] = {
    "lists nested deeply": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "objects nested deeply": lambda size: '{"a":' * (size // 6) + "1" + "}" * (size // 6),
    "many lists of allowed depth": lambda size: _list("[" * 25 + "]" * 25, size),
    "a list of numbers": lambda size: _list("1", size),
    "a list of empty lists": lambda size: _list("[]", size),
    "a list of empty objects": lambda size: _list("{}", size),
    "a list of short strings": lambda size: _list('"a"', size),
    "a list of lone surrogates": lambda size: _list(r'"\ud800"', size),
    "an object of many keys": lambda size: "{" + ",".join(f'"{n}":0' for n in range(size // 8)) + "}",
    "an object of one key repeated": lambda size: "{" + ",".join(['"a":0'] * (size // 6)) + "}",
    "a long string": lambda size: _string("a", size),
    "a long string of words": lambda size: _string("a b c d ", size),
    "a long string in Chinese": lambda size: _string("渔港的冰厂添了机器", size // 3),
    "a long string of escapes": lambda size: _string(r"\u4e2d", size),
    "a long string of quotes": lambda size: _string(r"\"", size),
    "a long string of NUL": lambda size: _string(r"\u0000", size),
    "a long string of lone surrogates": lambda size: _string(r"\udfff", size),
    "a lone surrogate": lambda _: r'"\ud800"',
    "an integer of many digits": lambda size: "9" * size,
    "an integer of 64 bits": lambda _: str(2**63),
    "a float beyond its range": lambda _: "1e999",
    "no number": lambda _: "NaN",
    "null": lambda _: "null",
    "true": lambda _: "true",
    "a negative number": lambda _: "-1",
    "an empty string": lambda _: '""',
    "an empty list": lambda _: "[]",
    "an empty object": lambda _: "{}",
}
"""JSON values by what they are, each of about so many bytes."""


def _list(item: str, size: int) -> str:
    return "[" + ",".join([item] * (size // (len(item) + 1))) + "]"


def _string(content: str, size: int) -> str:
    return '"' + content * (size // len(content)) + '"'


BODIES: dict[str, Callable[[int], bytes]] = {
    **{name: lambda size, shape=shape: shape(size).encode() for name, shape in VALUES.items()},  # type: ignore[misc]
    "nothing": lambda _: b"",
    "open lists": lambda size: b"[" * size,
    "an open string": lambda size: b'"' + b"a" * size,
    "bytes that are no text": lambda size: b'{"a": "' + b"\xff" * size + b'"}',
    "UTF-16": lambda size: ("[" + "1," * (size // 4) + "1]").encode("utf-16"),
    "NUL": lambda size: b"\0" * size,
}
"""Bodies by what they are."""

LINES: dict[str, Callable[[int], bytes]] = {
    **{name: lambda size, shape=shape: shape(size) + b"\n" for name, shape in BODIES.items()},  # type: ignore[misc]
    "empty lines": lambda size: b"\n" * size,
    "lines that are short and wrong": lambda size: b"1\n" * (size // 2),
    "empty objects": lambda size: b"{}\n" * (size // 3),
    "lone surrogates": lambda size: b'{"id":"\\ud800","text":"\\udfff"}\n' * (size // 32),
    "short articles": lambda size: b"".join(b'{"id":"%d","text":"a"}\n' % n for n in range(size // 24)),
    "an open line": lambda size: b'{"id":"1","text":"' + b"a" * size,
}

FILES: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "a text": ("a.txt", lambda size: b"a " * (size // 2)),
    "short lines": ("a.txt", lambda size: b"a\n" * (size // 2)),
    "NUL": ("a.txt", lambda size: b"\0" * size),
    "an open quote": ("a.csv", lambda size: b'id,text\n1,"' + b"a,\n" * (size // 3)),
    "many columns": ("a.csv", lambda size: b"a," * (size // 2)),
    "JSON nested deeply": ("a.jsonl", lambda size: b'{"text":' + b"[" * (size // 2) + b"]" * (size // 2) + b"}"),
    "JSON with many keys": ("a.jsonl", lambda size: VALUES["an object of many keys"](size).encode()),
    "tags nested deeply": ("a.html", lambda size: b"<div>" * (size // 5)),
    "many attributes": ("a.html", lambda size: b"<p " + b"".join(b"a%d " % n for n in range(size // 6)) + b">a"),
    "no archive": ("a.docx", lambda size: b"PK\3\4" + b"\0" * size),
    "no PDF": ("a.pdf", lambda size: b"%PDF-1.7\n" + b"1 0 obj<<" * (size // 9)),
    "groups nested deeply": ("a.rtf", lambda size: b"{\\rtf1 " + b"{" * size),
}

TEXTS = (
    "", "x" * 4096, "渔" * 1024, "a&a=" * 1000, "%ED%A0%80", "%FF", "%00", "\u202e", "[]", "../../etc/passwd",
    "9" * 5000, "-1", str(2**63), str(2**64), "1e999", "NaN",
    cursor_of(2**64) or "", cursor_of([2**64, ""]) or "", cursor_of("") or "",
    "0001-01-01", "9999-12-31T23:59:59-23:59", "-0001-01-01", "1" * 18 + "Z",
)  # fmt: skip
"""Values of parameters; those with a percent sign are sent as they are."""


class Request(NamedTuple):
    """A request of a hostile shape.

    Attributes:
        name: which operation, and what is wrong with it.
        arguments: as it is sent.
        size: of its body and address, in bytes.
    """

    name: str
    arguments: RequestArguments
    size: int


def requests(operation: str, size: int) -> Iterator[Request]:
    """Every request of a hostile shape for an operation, with bodies of about so many bytes."""
    for case in CASES:
        if case["operation"] == operation:
            yield from _parameters(case)
            for name, options in _bodies(case, size):
                yield request_of(case, name, options)


def operations() -> list[str]:
    """Every operation by its name."""
    return list(dict.fromkeys(case["operation"] for case in CASES))


def request_of(case: dict[str, Any], name: str, options: dict[str, Any], path: str = "") -> Request:
    """The request of a case with other options of `httpx`, or another path."""
    plain = arguments_of(case)
    request = RequestArguments(plain.method, path or plain.path, {**plain.options, **options})
    body = request.options.get("content", b"")
    content = next(iter(request.options.get("files", {"": ("", b"")}).values()))[1]
    query = str(httpx.QueryParams(request.options.get("params") or {}))
    return Request(f"{label(case)}: {name}", request, len(body) + len(content) + len(request.path) + len(query))


def _parameters(case: dict[str, Any]) -> Iterator[Request]:
    method, _, template = case["operation"].partition(" ")
    for parameter in described()["paths"][template][method.lower()].get("parameters", ()):
        name, place = parameter["name"], parameter["in"]
        if name == "library":
            continue
        for text in TEXTS:
            raw = text if text.startswith("%") else quote(text, safe="")
            what = f"{name}={raw[:24]}"
            if place == "path" and text:
                values = {"library": "news", **case.get("path", {}), name: raw}
                yield request_of(case, what, {}, template.format_map(values))
            elif place == "query":
                others = {other: value for other, value in case.get("query", {}).items() if other != name}
                path = f"{arguments_of(case).path}?{name}={raw}&{httpx.QueryParams(others)}"
                yield request_of(case, what, {"params": None}, path)
            elif place == "header" and raw.isascii():
                yield request_of(case, what, {"headers": {**arguments_of(case).options["headers"], name: raw}})


def _bodies(case: dict[str, Any], size: int) -> Iterator[tuple[str, dict[str, Any]]]:
    if "lines" in case:
        for name, build in LINES.items():
            yield name, {"content": build(size)}
    elif "file" in case:
        for name, (file, build) in FILES.items():
            yield name, {"files": {case["file"]["field"]: (file, build(size))}}
    elif "json" in case:
        headers = {"Content-Type": "application/json"}
        for name, body in _json(case["json"], size):
            yield name, {"content": body, "json": None, "headers": headers}


def _json(example: Any, size: int) -> Iterator[tuple[str, bytes]]:
    """Bodies of every shape as a whole, in place of every part of a right one, and beside them."""
    for name, build in BODIES.items():
        yield name, build(size)
    for place, holed in _holes(example):
        before, _, after = json.dumps(holed, ensure_ascii=False).partition(f'"{_HOLE}"')
        for name, shape in VALUES.items():
            yield f"{place}: {name}", f"{before}{shape(size)}{after}".encode()
    for place, items in _repeated(example, size):
        yield f"{place}: many right values", json.dumps(items, ensure_ascii=False).encode()


_HOLE = "\N{OBJECT REPLACEMENT CHARACTER}"


def _holes(example: Any) -> Iterator[tuple[str, Any]]:
    """A right body with a hole in place of each of its parts, and with one more."""
    if isinstance(example, dict):
        for key, value in example.items():
            yield key, {**example, key: _HOLE}
            for place, holed in _holes(value):
                yield f"{key}.{place}", {**example, key: holed}
        yield "unknown", {**example, "unknown": _HOLE}
    elif isinstance(example, list) and example:
        yield "0", [_HOLE, *example[1:]]
        for place, holed in _holes(example[0]):
            yield f"0.{place}", [holed, *example[1:]]


def _repeated(example: Any, size: int) -> Iterator[tuple[str, Any]]:
    """A right body in which each list has its first value again and again."""
    if isinstance(example, list) and example:
        yield "items", example[:1] * (size // (len(json.dumps(example[0])) + 2))
    elif isinstance(example, dict):
        for key, value in example.items():
            for place, items in _repeated(value, size):
                yield f"{key}.{place}", {**example, key: items}


class Outcome(NamedTuple):
    """What came of a request.

    Attributes:
        status: of the answer.
        size: of its body in bytes.
        grown: bytes by which the memory of all processes of the service went beyond what they had before, at most.
        stalled: seconds for which the service did not answer somebody else, at most.
    """

    status: int
    size: int
    grown: int
    stalled: float


class Watched:
    """A service in a process of its own, which is asked as an administrator.

    Args:
        address: of the service.
        pid: of its first process.
        secret: a key with all scopes.
        watchdog: of `watch`; None where the event loop is not watched.
    """

    def __init__(self, address: str, pid: int, secret: str, watchdog: Connection | None) -> None:
        self._client = httpx.Client(base_url=address, timeout=120, headers={"Authorization": f"Bearer {secret}"})
        self._pid = pid
        self._watchdog = watchdog

    def answer(self, request: Request) -> Outcome:
        """Send a request, and read the whole answer."""
        method, path, options = request.arguments
        with self._grown() as grown:
            self._look("begin")
            with self._client.stream(method, path, **options) as response:
                size = sum(map(len, response.iter_raw()))
            stalled = self._look("end")
        return Outcome(response.status_code, size, grown[0], stalled)

    def wait(self) -> None:
        """Wait until no job waits or runs."""
        states = ("queued", "running")
        while any(self._client.get("/v1/jobs", params={"state": state}).json()["items"] for state in states):
            time.sleep(0.05)

    def close(self) -> None:
        self._client.close()

    @contextmanager
    def _grown(self) -> Iterator[list[int]]:
        """By how much memory grows meanwhile: that of the first process, and the largest sum of the others."""
        Path(f"/proc/{self._pid}/clear_refs").write_text("5")  # the peak begins anew
        before, others = _memory(self._pid, "VmRSS"), self._others()
        peak, ended, grown = others, Event(), [0]

        def look() -> None:
            nonlocal peak
            while not ended.wait(0.02):
                peak = max(peak, self._others())

        looking = Thread(target=look)
        looking.start()
        try:
            yield grown
        finally:
            ended.set()
            looking.join()
            grown[0] = max(0, _memory(self._pid, "VmHWM") - before) + peak - others

    def _others(self) -> int:
        return sum(_memory(pid, "VmRSS") for pid in _tree(self._pid)[1:])

    def _look(self, word: str) -> float:
        if self._watchdog is None:
            return 0.0
        self._watchdog.send(word)
        longest: float = self._watchdog.recv()
        return longest


@contextmanager
def watched_service(folder: Path, secret: str, *, stalls: bool = False) -> Iterator[Watched]:
    """Start a service over a library in a folder, whose event loop is watched too where stalls are asked for."""
    log = folder.with_suffix(".log")
    command = [sys.executable, "-m", "whorl", "serve", f"news={folder}", "--port", "0"]
    with log.open("w") as file:
        environment = {**os.environ, "WHORL_CONFIG": "", "WHORL_LANG": "en"}
        process = subprocess.Popen(command, stderr=file, stdout=file, env=environment)
    try:
        address = _address(log)
        with _watchdog(address) if stalls else nullcontext() as watchdog:
            watched = Watched(address, process.pid, secret, watchdog)
            try:
                yield watched
            finally:
                watched.close()
    finally:
        process.terminate()
        try:
            process.wait(60)
        finally:
            process.kill()


def _address(log: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if begun := re.search(r"http://\S+:\d+", log.read_text("utf-8")):
            return begun[0]
        time.sleep(0.05)
    raise TimeoutError(log.read_text("utf-8"))


@contextmanager
def _watchdog(address: str) -> Iterator[Connection]:
    """A process that does nothing but `watch`."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    watching = context.Process(target=watch, args=(address, there), daemon=True)
    watching.start()
    there.close()
    try:
        yield here
    finally:
        watching.terminate()
        watching.join()


def watch(address: str, other: Connection) -> None:
    """Ask whether the service is alive every 50 ms, and say how long it took at most between "begin" and "end"."""
    with httpx.Client(base_url=address, timeout=120) as client:
        longest = 0.0
        while True:
            begun = time.monotonic()
            client.get("/healthz")
            longest = max(longest, time.monotonic() - begun)
            if other.poll(0.05):
                word = other.recv()
                other.send(longest)
                longest = 0.0 if word == "begin" else longest


def _tree(pid: int) -> list[int]:
    """A process and all below it."""
    processes = [pid]
    for parent in processes:
        for thread in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):
                processes += map(int, thread.read_text().split())
    return processes


def _memory(pid: int, name: str) -> int:
    """Bytes of a process, of what the system calls so; 0 of one that has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    line = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
    return 1024 * int(line[1]) if line else 0
