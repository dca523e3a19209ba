"""Documents of the quality gates, with labeled copies."""

from __future__ import annotations

import gzip
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.articles import NEWSROOM

from whorl.evaluation.mutations import kinds_for, mutate, others_needed
from whorl.evaluation.scoring import Copy, Truth, pair

GENERATED = ("newsroom",)
REAL = ("zh-news", "mutated-zh", "mutated-en")
_SEEDS = 6


@dataclass(frozen=True)
class LabelledCorpus:
    """Documents, and the pairs of them that may be copies.

    Attributes:
        texts: texts by id.
        pairs: every labeled pair of documents that share text; other pairs are not counted.
    """

    texts: dict[str, str]
    pairs: tuple[tuple[str, str], ...]


def data_folder() -> Path | None:
    """Return the folder of real corpora named by ``WHORL_DATA``."""
    named = os.environ.get("WHORL_DATA")
    return Path(named) if named else None


def available() -> tuple[str, ...]:
    """Return the names of the available corpora of the gates."""
    return GENERATED if data_folder() is None else GENERATED + REAL


def load(name: str) -> LabelledCorpus:
    """Read or generate a corpus."""
    if name == "newsroom":
        return _newsroom()
    folder = data_folder()
    assert folder is not None, "real corpora are only offered where they are"
    return _zh_news(folder) if name == "zh-news" else _mutated(folder / name)


@dataclass(frozen=True)
class Copies:
    """Documents, and the copies among them.

    Attributes:
        texts: texts by id.
        truth: the copies, and further pairs that share text, such as an added notice.
    """

    texts: dict[str, str]
    truth: Truth


def of_copies() -> tuple[str, ...]:
    """Return the names of the available corpora of copies: real articles, or else those of the example."""
    return ("newsroom",) if data_folder() is None else ("mutated-zh", "mutated-en")


def copies(name: str) -> tuple[Copies, ...]:
    """Read or generate corpora of copies in which an article is used for at most one copy."""
    folder = data_folder()
    return tuple(_newsroom_by_kind()) if folder is None else (_real_copies(folder / name),)


def _newsroom_by_kind() -> Iterator[Copies]:
    """Return the originals with a copy of each, of one kind and generated with one seed.

    Copies of more than one original are left out: here the others would be originals that have copies, too."""
    corpus = _newsroom()
    by_kind: dict[str, list[tuple[str, str]]] = {}
    for copy, original in corpus.pairs:
        by_kind.setdefault(copy.split("/", 1)[1], []).append((copy, original))
    copied = {copy for copy, _ in corpus.pairs}
    originals = {document: text for document, text in corpus.texts.items() if document not in copied}
    for kind, pairs in by_kind.items():
        if others_needed(kind.split("/")[0]):
            continue
        texts = originals | {copy: corpus.texts[copy] for copy, _ in pairs}
        yield Copies(texts, Truth(tuple(Copy(copy, kind.split("/")[0], (original,)) for copy, original in pairs)))


def _real_copies(folder: Path) -> Copies:
    texts, opaque = _opaque(folder)
    copies = tuple(
        Copy(opaque[row["copy_id"]], row["kind"], tuple(opaque[source] for source in row["sources"]))
        for row in lines(folder / "truth.jsonl.gz")
    )
    others = lines(folder / "other-overlap.jsonl.gz")
    return Copies(texts, Truth(copies, aside=frozenset(pair(opaque[row["a"]], opaque[row["b"]]) for row in others)))


@dataclass(frozen=True)
class Related:
    """Texts on one subject, of one house style.

    Attributes:
        texts: texts by id.
        groups: group by id; texts of one group are editions of one page.
    """

    texts: dict[str, str]
    groups: dict[str, str]


def of_related() -> tuple[str, ...]:
    """Return the names of the available sets of related texts."""
    return ("newsroom",) if data_folder() is None else ("manpages-zh", "python-docs-en")


def related(name: str) -> Related:
    """Read a set of related texts, or else pair the originals of the example with shortened editions."""
    folder = data_folder()
    if folder is not None:
        rows = list(lines(folder / "related" / f"{name}.jsonl.gz"))
    else:
        originals = list(lines(NEWSROOM / "originals.jsonl"))
        edited = [row | {"text": mutate(row["text"], "drop20", 0).text} for row in originals]
        editions = {"": originals, "/2": edited}
        rows = [row | {"id": f"{row['id']}{mark}", "group": row["id"]} for mark in editions for row in editions[mark]]
    return Related({row["id"]: row["text"] for row in rows}, {row["id"]: row.get("group", row["id"]) for row in rows})


def _newsroom() -> LabelledCorpus:
    """Return the originals of the example newsroom, and copies of each by every edit."""
    originals = list(lines(NEWSROOM / "originals.jsonl"))
    texts = {original["id"]: original["text"] for original in originals}
    pairs = []
    for place, original in enumerate(originals):
        language = "zh" if original["id"].startswith("zh") else "en"
        same = [other["text"] for other in originals if other["id"].startswith(language) and other is not original]
        for kind in kinds_for(language):
            for seed in range(_SEEDS):
                others = [same[(place + seed + step) % len(same)] for step in range(others_needed(kind))]
                copy = f"{original['id']}/{kind}/{seed}"
                texts[copy] = mutate(original["text"], kind, seed, others=others).text
                pairs.append((copy, original["id"]))
    return LabelledCorpus(texts, tuple(pairs))


def _zh_news(folder: Path) -> LabelledCorpus:
    """Return real news, with every neighbor of 2,000 articles."""
    texts = {row["id"]: row["text"] for row in lines(folder / "zh-news" / "articles.jsonl.zst")}
    pairs = {
        tuple(sorted((row["query"], neighbour[0])))
        for row in lines(folder / "zh-labelled" / "exhaustive-2000.jsonl.gz")
        for neighbour in row["neighbours"]
    }
    return LabelledCorpus(texts, tuple((a, b) for a, b in sorted(pairs)))


def _mutated(folder: Path) -> LabelledCorpus:
    """Return real articles and copies of them by known edits, with opaque ids, since the ids name the kind."""
    texts, opaque = _opaque(folder)
    pairs = [(row["copy_id"], source) for row in lines(folder / "truth.jsonl.gz") for source in row["sources"]]
    labelled = [(opaque[a], opaque[b]) for a, b in pairs if a in opaque and b in opaque]
    return LabelledCorpus(texts, tuple(labelled))


def _opaque(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts of a folder by opaque ids, and the opaque id of each."""
    texts = {row["id"]: row["text"] for row in lines(folder / "docs.jsonl.gz")}
    ordered = sorted(texts, key=lambda name: blake2b(texts[name].encode()).digest())
    opaque = {name: f"{number:05}" for number, name in enumerate(ordered)}
    return {opaque[name]: text for name, text in texts.items()}, opaque


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of JSON Lines, compressed or not."""
    if path.suffix == ".zst":
        with pa.CompressedInputStream(str(path), "zstd") as stream:
            yield from map(json.loads, io.BytesIO(stream.read()))
        return
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        yield from map(json.loads, file)
