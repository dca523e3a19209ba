"""Tools for assistants: a real server as a process, and a client of the protocol."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.meaning import OTHER_PORT, REPORT, RETELLING, write_model

import whorl

SENTENCE = "码头上的木桩每隔七年要换一次，换桩的那个月全镇的人绕路走。"
DRAFT = f"另据报道，{SENTENCE}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two rows, one a copy of the other, and a library beside it."""
    folder = tmp_path / "texts"
    folder.mkdir()
    rows = [{"id": "a", "text": f"{SENTENCE}镇上的面馆也搬到河东去。"}, {"id": "b", "text": SENTENCE}]
    (folder / "rows.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (tmp_path / "secret.txt").write_text(SENTENCE, encoding="utf-8")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    with whorl.open(tmp_path / "newsroom") as library:
        library.add({"id": "pier", "title": "木桩", "text": SENTENCE})
    return folder


def ask(folder: Path, calls: Sequence[tuple[str, dict[str, Any]]], *options: str) -> list[Any]:
    """Call tools of one server, and return their results."""
    command = ["-m", "whorl", "mcp", "--folder", str(folder), *options]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=folder)

    async def talk() -> list[Any]:
        async with Client(server) as client:
            tools = await client.list_tools()
            return [tools, *[await client.call_tool(name, arguments) for name, arguments in calls]]

    return asyncio.run(talk())


def error(result: Any) -> str:
    """Return the message of a failed call."""
    assert result.is_error
    text: str = result.content[0].text
    return text


def test_texts_are_compared_explained_and_checked(folder: Path) -> None:
    calls = [
        ("compare", {"a": SENTENCE, "b": DRAFT}),
        ("explain", {"a": DRAFT, "b": SENTENCE, "method": "news"}),
        ("check", {"text": DRAFT}),
    ]
    tools, compared, explained, checked = ask(folder, calls, "--library", str(folder.parent / "newsroom"))
    assert [tool.name for tool in tools.tools] == ["check", "compare", "compare_files", "explain", "dedup"]
    assert all(tool.annotations.read_only_hint for tool in tools.tools)
    assert compared.structured_content["sentence"] == "87% of text B is in text A"
    assert [passage["text"] for passage in compared.structured_content["passages"]] == [SENTENCE]
    assert explained.structured_content["ruling"]["relation"] == "near_duplicate"
    [match] = checked.structured_content["matches"]
    assert (match["id"], match["title"], match["passages"][0]["text"]) == ("pier", "木桩", SENTENCE)


def test_meaning_is_compared_if_the_user_allows_it(folder: Path) -> None:
    if find_spec("tokenizers") is None or find_spec("onnxruntime") is None:
        pytest.skip("needs the extra meaning-onnx")
    articles = folder.parent / "articles"
    with whorl.open(articles, recipe="content") as library:
        library.add([{"id": "port", "text": REPORT}, {"id": "salt", "text": OTHER_PORT}])
    (folder / "report.txt").write_text(REPORT, encoding="utf-8")
    (folder / "retelling.txt").write_text(RETELLING, encoding="utf-8")
    calls = [
        ("compare", {"a": REPORT, "b": RETELLING, "meaning": True}),
        ("compare_files", {"file": "retelling.txt", "against": ["report.txt"], "meaning": True}),
        ("check", {"text": RETELLING, "meaning": True}),
        ("check", {"text": RETELLING}),
    ]
    model = write_model(folder.parent / "model")
    options = ("--library", str(articles), "--meaning-model", str(model))
    _, compared, files, checked, unasked = ask(folder, calls, *options)
    assert (compared.structured_content["relation"], compared.structured_content["shares_of_b"]["copied"]) == (
        "reworded",
        0,
    )
    assert {passage["kind"] for passage in compared.structured_content["passages"]} == {"meaning"}
    assert files.structured_content["shares"]["meaning"] > 0.5
    [match] = checked.structured_content["matches"]
    assert (match["id"], match["relation"], match["copied"]) == ("port", "reworded", 0)
    assert match["same_content"] > 0.9
    assert unasked.structured_content["matches"] == []
    for refused in ask(folder, calls[:3], "--library", str(articles))[1:]:
        assert "does not compare by meaning" in error(refused)


def test_files_are_read_and_nothing_is_written(folder: Path) -> None:
    before = sorted(folder.iterdir())
    calls = [
        ("dedup", {"inputs": ["rows.jsonl"], "method": "news"}),
        ("compare_files", {"file": "rows.jsonl:2", "against": ["rows.jsonl"]}),
        ("dedup", {"inputs": ["rows.jsonl"], "out": "clean"}),
        ("dedup", {"inputs": ["rows.jsonl"], "method": "minhsh"}),
    ]
    _, listed, compared, refused, mistaken = ask(folder, calls)
    assert listed.structured_content["counts"]["duplicates"] == 1
    [removed] = listed.structured_content["removed"]
    assert (removed["id"], removed["duplicate_of"], removed["relation"]) == ("b", "a", "excerpt")
    assert [source["share"] for source in compared.structured_content["sources"]] == [1.0]
    assert "this server only reads" in error(refused)
    assert "minhash" in error(mistaken)
    assert sorted(folder.iterdir()) == before


def test_a_permitted_result_is_written_into_the_folder(folder: Path) -> None:
    calls = [
        ("dedup", {"inputs": ["rows.jsonl"], "out": "clean"}),
        ("dedup", {"inputs": ["rows.jsonl"], "out": "../clean"}),
    ]
    tools, written, refused = ask(folder, calls, "--write")
    assert [tool.name for tool in tools.tools if not tool.annotations.read_only_hint] == ["dedup"]
    assert not written.is_error
    assert (folder / "clean" / "report.html").exists()
    assert "is not in the folder" in error(refused)
    assert not (folder.parent / "clean").exists()


def test_nothing_outside_the_folder_is_read(folder: Path) -> None:
    places = ["../secret.txt", "link.txt", "link.txt:1", "/etc/hostname", "-", "https://host/a.txt"]
    calls: list[tuple[str, dict[str, Any]]] = []
    for place in places:
        calls += [
            ("compare_files", {"file": place, "against": ["rows.jsonl"]}),
            ("compare_files", {"file": "rows.jsonl:1", "against": [place]}),
            ("dedup", {"inputs": [place]}),
        ]
    calls.append(("dedup", {"inputs": ["."]}))  # a link in the folder is not followed out of it
    for (_, arguments), result in zip(calls, ask(folder, calls)[1:], strict=True):
        message = error(result)
        is_row = "link.txt:1" in (*arguments.get("against", ()), *arguments.get("inputs", ()))
        assert ("does not exist" if is_row else "is not in the folder") in message
        assert SENTENCE not in message


def test_libraries_are_only_those_that_the_user_named(folder: Path) -> None:
    newsroom = str(folder.parent / "newsroom")
    [_, without] = ask(folder, [("check", {"text": DRAFT})])
    assert "there is no library" in error(without)
    options = ("--library", f"one={newsroom}", "--library", f"two={newsroom}")
    calls = [("check", {"text": DRAFT}), ("check", {"text": DRAFT, "library": newsroom})]
    [_, unnamed, address] = ask(folder, calls, *options)
    assert "choose among: one, two" in error(unnamed)
    assert "no library is called" in error(address)
