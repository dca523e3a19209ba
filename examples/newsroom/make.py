"""Make articles.jsonl and truth.jsonl from originals.jsonl and rewrites.jsonl, reproducibly.

Run it where whorl is installed: `python examples/newsroom/make.py`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

from whorl.evaluation.edits import language_of
from whorl.evaluation.fragments import CopiedPassage, Fragment, assemble
from whorl.evaluation.mutations import KINDS, kinds_for, mutate, others_needed

HERE = Path(__file__).parent
SEED = 20260101
LONG_ENOUGH = 350
REPUBLISHERS = {
    "zh": ("jukan-toutiao", "tiantian-sulan", "hewan-news", "haijiao-repost"),
    "en": ("dailyfold", "pressloop", "harbour-digest"),
}


@dataclass(frozen=True)
class Article:
    """An article on its way into the corpus; `kind` is empty for an original."""

    key: str
    title: str
    text: str
    date: str
    source: str
    kind: str = ""
    sources: tuple[str, ...] = ()
    passages: tuple[CopiedPassage, ...] = ()


def main() -> None:
    """Write both files next to this script."""
    originals = {row["id"]: row for row in read("originals.jsonl")}
    articles = [Article(row["id"], row["title"], row["text"], row["date"], row["source"]) for row in originals.values()]
    articles += mutated(list(originals.values()), Random(SEED))
    articles += [rewritten(row, originals[row["of"]]) for row in read("rewrites.jsonl")]
    Random(SEED).shuffle(articles)
    ids = {article.key: f"nr-{number:03}" for number, article in enumerate(articles, start=1)}
    write("articles.jsonl", (public(article, ids[article.key]) for article in articles))
    write("truth.jsonl", (truth(article, ids) for article in articles if article.kind))


def mutated(originals: Sequence[Mapping[str, Any]], rng: Random) -> Iterator[Article]:
    """Return two copies of every kind: one Chinese and one English, or two Chinese where the kind needs it."""
    pools = {
        language: [row for row in originals if len(row["text"]) >= LONG_ENOUGH and language_of(row["text"]) == language]
        for language in ("zh", "en")
    }
    turns = {language: cycle(rng.sample(pool, len(pool))) for language, pool in pools.items()}
    for kind in KINDS:
        for language in ("zh", "en" if kind in kinds_for("en") else "zh"):
            first = next(turns[language])
            unrelated = [row for row in pools[language] if row is not first]
            sources = [first, *rng.sample(unrelated, others_needed(kind))]
            yield copied(sources, kind, rng.choice(REPUBLISHERS[language]), rng)


def copied(sources: Sequence[Mapping[str, Any]], kind: str, republisher: str, rng: Random) -> Article:
    """Return one copy of the first source, published one hour to four days after the last source."""
    first, *others = sources
    copy = mutate(first["text"], kind, rng.randrange(2**32), others=[other["text"] for other in others])
    published = max(datetime.fromisoformat(row["date"]) for row in sources) + timedelta(minutes=rng.randrange(60, 5760))
    title = first["other_title"] if kind in {"retitle", "combo"} else first["title"]
    keys = tuple(row["id"] for row in sources)
    return Article(f"{kind} of {keys}", title, copy.text, published.isoformat(), republisher, kind, keys, copy.passages)


def rewritten(row: Mapping[str, Any], original: Mapping[str, Any]) -> Article:
    """Return a rewrite by hand, with the offsets of the sentences it follows."""
    gap = "" if language_of(original["text"]) == "zh" else " "
    fragments = [rewritten_sentence(sentence, gap, original["text"]) for sentence in row["sentences"]]
    text, passages = assemble(fragments)
    return Article(
        f"rewrite of {row['of']}", row["title"], text, row["date"], row["source"], "rewrite", (row["of"],), passages
    )


def rewritten_sentence(sentence: Mapping[str, str], gap: str, original: str) -> Fragment:
    """Return the rewritten sentence, linked to its source sentence if it has one."""
    if "source" not in sentence:
        return Fragment(sentence["copy"], gap)
    start = original.index(sentence["source"])
    return Fragment(sentence["copy"], gap, 0, start, start + len(sentence["source"]))


def public(article: Article, identifier: str) -> dict[str, str]:
    """Return the row for a detector: only its date distinguishes a copy from an original."""
    day = article.date[:10].replace("-", "/")
    url = f"https://{article.source}.example/{day}/{identifier}.html"
    return {
        "id": identifier,
        "title": article.title,
        "text": article.text,
        "url": url,
        "date": article.date,
        "source": article.source,
    }


def truth(article: Article, ids: Mapping[str, str]) -> dict[str, Any]:
    """Return the row of the labels, hidden from a detector."""
    sources = [ids[key] for key in article.sources]
    passages = [
        {
            "source": sources[passage.source],
            "s0": passage.source_start,
            "s1": passage.source_end,
            "c0": passage.copy_start,
            "c1": passage.copy_end,
        }
        for passage in article.passages
    ]
    return {"copy_id": ids[article.key], "kind": article.kind, "sources": sources, "passages": passages}


def read(name: str) -> Iterator[dict[str, Any]]:
    """Return the rows of a file next to this script."""
    with (HERE / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows, one JSON object per line."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (HERE / name).write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
