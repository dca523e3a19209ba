"""Generated articles without accidental overlap, and copies with a fixed overlap."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

NEWSROOM = Path(__file__).parents[1] / "examples" / "newsroom"
CHARACTERS = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 3000))


def article(number: int, length: int = 200) -> str:
    """Return an article of ``length`` characters in sentences of ten; each number gives an unrelated article."""
    rng = random.Random(number)
    signs = rng.choices(CHARACTERS, k=length)
    return "".join(f"{''.join(signs[start : start + 10])}。" for start in range(0, length, 10))


def edited(text: str, edits: int, seed: int = 0) -> str:
    """Return ``text`` with ``edits`` characters replaced, spread evenly."""
    rng = random.Random(seed)
    signs = list(text)
    for place in rng.sample([place for place, sign in enumerate(signs) if sign != "。"], edits):
        signs[place] = rng.choice(CHARACTERS)
    return "".join(signs)


def c2pa_manifest(statement: bytes) -> str:
    """Return a statement of origin as C2PA embeds it in a text: a variation selector for each byte."""
    data = b"C2PATXT\0\x01" + len(statement).to_bytes(4, "big") + statement
    return "\ufeff" + "".join(chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in data)


def small_corpus(originals: int = 30, copies: int = 3) -> list[dict[str, Any]]:
    """Return documents with ids: originals, each followed by a verbatim copy and copies with one more edit each."""
    documents = []
    for number in range(originals):
        text = article(number)
        documents.append({"id": f"o{number:03}", "text": text})
        documents += [{"id": f"o{number:03}-{copy}", "text": edited(text, copy, seed=copy)} for copy in range(copies)]
    return documents


def mixed_dates(rng: random.Random, size: int) -> list[dict[str, Any]]:
    """Return copies of a few articles of several lengths, some with dates in different columns, a few of one day."""
    documents = []
    for number in range(size):
        text = edited(article(rng.randint(1, 4)), rng.randint(0, 2), seed=number) + "好。" * rng.randint(0, 2)
        columns: dict[str, Any] = {"date": f"2024-03-{rng.randint(1, 5):02}", "time": "12:30"}
        if rng.random() < 0.3:
            columns = {"发布时间": "soon", "Date": 1709251200 + 86400 * rng.randint(0, 4)}
        documents.append({"id": f"{number:02}", "text": text} | (columns if rng.random() < 0.5 else {}))
    return documents


def newsroom_articles() -> list[dict[str, Any]]:
    """Return the example corpus."""
    lines = (NEWSROOM / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def jsonl(documents: Iterable[Mapping[str, Any]]) -> bytes:
    """Return ``documents`` as JSON Lines."""
    return b"".join(json.dumps(document, ensure_ascii=False).encode() + b"\n" for document in documents)


def write_jsonl(path: Path, documents: Iterable[Mapping[str, Any]]) -> Path:
    """Write ``documents`` to ``path``, and return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(documents))
    return path


def large_file(folder: Path) -> Path:
    """Write a large file that is split, among small ones; some of its rows cannot be read."""
    corpus = small_corpus(60)
    write_jsonl(folder / "a.jsonl", corpus[:5])
    good = [json.dumps(row, ensure_ascii=False) for row in corpus[5:-5]]
    bad = ['{"text": ', '{"no": "text"}', ""]
    lines = [line for n, row in enumerate(good) for line in ([row, bad[n % 3]] if n % 7 == 6 else [row])]
    (folder / "large.jsonl").write_text("\n".join(lines), encoding="utf-8")
    write_jsonl(folder / "z.jsonl", corpus[-5:])
    return folder
