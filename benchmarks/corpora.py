"""Corpora of any size with labeled copies.

Real articles, cut and joined to about 1,000 characters, are repeated as often as needed. Each repetition applies
another permutation of the characters (English: words) of similar frequency. Repetitions therefore share no text, but
keep the statistics of the language. The first repetition is the unchanged articles. 20% of the documents are planted
copies of random earlier articles.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.articles import Language, load_articles
from benchmarks.cache import cache
from benchmarks.edits import edit
from benchmarks.units import Alphabet, Bands, Units, alphabet_for

_SHORTEST, _LONGEST = 700, 1300
_COPIES = 0.2
_BLANKS = 10
_FILLED = (0.05, 0.6)
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus on disk.

    Attributes:
        path: JSON Lines of ``id``, the row number from 0, and ``text``.
        truth_path: Parquet of ``copy``, ``base`` (row numbers), ``edits`` ("scattered" or "spans") and ``share``.
        documents: number of rows.
        text_bytes: UTF-8 bytes of all texts.
        origin: the source of the articles.
    """

    path: Path
    truth_path: Path
    documents: int
    text_bytes: int
    origin: str


def corpus(language: Language, documents: int, seed: int, template: float = 0.0) -> Corpus:
    """Return the corpus of a language, size and seed; it is generated once and cached.

    Args:
        language: language of the articles.
        documents: number of documents.
        seed: seed of the articles, their permutations and the copies.
        template: share of the documents that are one article with blanks filled in differently each time. The blanks
            cover 5 to 60% of it. These documents are not in the truth.

    Cost: about 30 µs and the text's bytes on disk per document; the memory of one repetition.
    """
    articles = load_articles(language, seed)
    kind = f"-template{template:g}" if template else ""
    folder = cache("corpora") / f"{articles.name}-{documents}-{seed}{kind}-{_FORMAT}"
    if not folder.exists():
        unfinished = folder.with_suffix(".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        strangers = Strangers.of(articles.texts, alphabet_for(language, articles.texts), documents, seed)
        text_bytes = _write(strangers, _documents(strangers, documents, seed, template), unfinished)
        about = {"text_bytes": text_bytes, "origin": f"{articles.origin}; {strangers.repetitions()}"}
        (unfinished / "corpus.json").write_text(json.dumps(about), encoding="utf-8")
        unfinished.rename(folder)
    about = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    return Corpus(folder / "articles.jsonl", folder / "truth.parquet", documents, about["text_bytes"], about["origin"])


@dataclass(frozen=True, slots=True, eq=False)
class Strangers:
    """An unlimited number of articles that are no copies of each other.

    Attributes:
        alphabet: the units of a text.
        stream: the units of one repetition.
        ends: the ends of its articles.
        tables: the permutation of each repetition.
    """

    alphabet: Alphabet
    stream: Units
    ends: NDArray[np.int64]
    tables: list[Units]

    @classmethod
    def of(cls, texts: list[str], alphabet: Alphabet, documents: int, seed: int) -> Strangers:
        """Cut the stream of all ``texts`` into articles, with permutations for ``documents`` of them."""
        generator = np.random.default_rng([seed, 0])
        stream = np.concatenate([alphabet.encode(texts[index]) for index in generator.permutation(len(texts))])
        reach = np.cumsum(alphabet.lengths(stream))
        targets = np.cumsum(generator.integers(_SHORTEST, _LONGEST + 1, size=int(reach[-1]) // _SHORTEST))
        ends = np.searchsorted(reach, targets[targets <= reach[-1]], side="right").astype(np.int64)
        bands = Bands.of(stream, alphabet)
        tables = [np.arange(alphabet.size(), dtype=np.uint32)]
        tables += [bands.permutation(generator) for _ in range(documents // len(ends))]
        return cls(alphabet, stream, ends, tables)

    def __getitem__(self, number: int) -> Units:
        repetition, article = divmod(number, len(self.ends))
        start = self.ends[article - 1] if article else 0
        return self.tables[repetition][self.stream[start : self.ends[article]]]

    def repetitions(self) -> str:
        """Return how often the articles are repeated."""
        return f"cut into {len(self.ends):,} of 700 to 1,300 characters, in {len(self.tables)} permutation(s)"


@dataclass(frozen=True, slots=True, eq=False)
class _Document:
    units: Units
    base: int | None = None
    edits: str = ""
    share: float = 0.0


def _documents(strangers: Strangers, documents: int, seed: int, template: float) -> Iterator[_Document]:
    generator = np.random.default_rng([seed, documents])
    rows_of_originals = np.empty(documents, np.int64)
    originals = filled = 0
    for row, draw in enumerate(generator.random(documents)):
        if originals and draw < _COPIES:
            number = int(generator.integers(originals))
            yield _Document(*_planted(strangers, number, int(rows_of_originals[number]), generator))
        elif draw >= 1 - template:
            filled += 1
            yield _Document(_fill_blanks(strangers[0], strangers[documents - filled], generator))
        else:
            yield _Document(strangers[originals])
            rows_of_originals[originals] = row
            originals += 1


def _fill_blanks(template: Units, filling: Units, generator: np.random.Generator) -> Units:
    """Fill the blanks of a template, at regular places, with the text of another article at the same places."""
    every = len(template) // _BLANKS + 1
    is_blank = np.arange(len(template)) % every >= every * (1 - generator.uniform(*_FILLED))
    return np.where(is_blank, np.resize(filling, len(template)), template)


def _planted(
    strangers: Strangers, number: int, base: int, generator: np.random.Generator
) -> tuple[Units, int, str, float]:
    copy, kind, share = edit(strangers[number], strangers.stream, generator)
    return copy, base, kind, share


def _write(strangers: Strangers, documents: Iterable[_Document], folder: Path) -> int:
    """Write the corpus and its truth, and return the bytes of the texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    truth: dict[str, list[Any]] = {"copy": [], "base": [], "edits": [], "share": []}
    text_bytes = 0
    with (folder / "articles.jsonl").open("wb", buffering=1 << 20) as file:
        for row, document in enumerate(documents):
            text = strangers.alphabet.decode(document.units).strip()
            text_bytes += len(text.encode())
            file.write(f'{{"id": "{row}", "text": {json.dumps(text, ensure_ascii=False)}}}\n'.encode())
            if document.base is not None:
                for name, value in zip(truth, (row, document.base, document.edits, document.share), strict=True):
                    truth[name].append(value)
    pq.write_table(pa.table(truth), folder / "truth.parquet")
    return text_bytes
