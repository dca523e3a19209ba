"""All shared passages of a corpus: time and memory, equality with the comparison of all pairs, and rivals.

Whole programs. Rivals compare all pairs, so they get small corpora only.
"""

from __future__ import annotations

import csv
import itertools
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import rivals
from benchmarks.articles import Language, data_folder, load_articles, read_rows
from benchmarks.corpora import Strangers
from benchmarks.manuscripts import Manuscripts, recalled, write_manuscripts
from benchmarks.measure import Cost, RunFailed, run
from benchmarks.questions import Answer, Settings, say, scratch
from benchmarks.units import alphabet_for

_LANGUAGES: tuple[Language, ...] = ("zh", "en")
_WHORL = "whorl"
_SHORTEST = 13
_DENSE = 0x2E80
_SETS = {
    "related, manual pages": "related/manpages-zh.jsonl.gz",
    "related, Python documentation": "related/python-docs-en.jsonl.gz",
    "histories, laws": "families/laws-zh.jsonl.gz",
    "histories, Django documentation": "families/django-docs.jsonl.gz",
}

Place = tuple[int, int, int, int, int, int]
"""Both documents, and the range of a passage in both."""


def ask(settings: Settings) -> Answer:
    """Search corpora of both languages, and compare pairs without candidates."""
    rows: list[dict[str, Any]] = []
    origins: list[str] = []
    for corpus, language in itertools.product(settings["corpora"], _LANGUAGES):
        if corpus["kind"] == "news" and language != _LANGUAGES[0]:
            continue  # of both languages
        with scratch() as folder:
            manuscripts, about = _write(folder / "corpus.jsonl", corpus, language, settings)
            say(f"reuse: {about['corpus']}, {about['documents']:,}")
            origins.append(f"{about['corpus']}, {about['documents']:,}: {manuscripts.origin}")
            rows += [
                about | {"name": name} | _run(name, folder / "corpus.jsonl", manuscripts, settings)
                for name in (_WHORL, *_rivals(corpus, language, settings))
            ]
    compared = [_compared(name, texts, pairs) for name, texts, pairs in _sets(settings)]
    versions = rivals.versions("copydetect", "text-matcher")
    return {"data": origins, "rows": rows, "compared": compared, "rivals": versions}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {
        f"{row['corpus']}, {row['documents']:,}, {figure}": row[figure]
        for row in answer["rows"]
        if row["name"] == _WHORL
        for figure in ("cpu", "memory")
    }


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = [
        "| corpus | program | wall s | CPU s | memory MB | compared pairs | passages | verbatim found | edited found |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
        *map(_line, answer["rows"]),
        "",
        "| all pairs one by one | documents | pairs | passages | found by `whorl reuse` | found beyond these |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row['set']} | {row['documents']:,} | {row['pairs']:,} | {row['expected']:,} | {row['both']:,} "
        f"| {row['found'] - row['both']:,} |"
        for row in answer["compared"]
    ]
    return "\n".join(lines)


def _write(
    path: Path, corpus: dict[str, Any], language: Language, settings: Settings
) -> tuple[Manuscripts, dict[str, Any]]:
    """Write a corpus; also return how it is named in the answer."""
    count = corpus["documents"]
    if corpus["kind"] == "news":
        manuscripts, name = _write_news(path, count, settings["seed"]), "news, zh and en"
    else:
        shape = (language, count, corpus["characters"])
        manuscripts = write_manuscripts(path, *shape, settings["share"], settings["seed"])
        name = f"{corpus['characters']:,} characters each, {language}"
    return manuscripts, {"corpus": name, "documents": count, "text_bytes": manuscripts.text_bytes}


def _line(row: dict[str, Any]) -> str:
    corpus = f"{row['corpus']}, {row['documents']:,} documents, {row['text_bytes'] / 1e6:,.1f} MB"
    if "failure" in row:
        return f"| {corpus} | {row['name']} | {row['failure'].splitlines()[-1][:80]} |"
    counts = [f"{row[name]:,}" if name in row else "" for name in ("pairs", "passages")]
    shares = [f"{row[name]:.3f}" if name in row else "" for name in ("verbatim", "edited")]
    costs = [f"{row['wall']:.1f}", f"{row['cpu']:.1f}", f"{row['memory'] / 1e6:,.0f}"]
    return f"| {corpus} | {row['name']} | {' | '.join([*costs, *counts, *shares])} |"


def _rivals(corpus: dict[str, Any], language: Language, settings: Settings) -> list[str]:
    return [
        rival["name"]
        for rival in settings["rivals"]
        if language in rival["languages"] and corpus["documents"] <= rival["largest"]
    ]


def _run(name: str, path: Path, manuscripts: Manuscripts, settings: Settings) -> dict[str, Any]:
    with scratch() as out:
        try:
            cost: Cost = run(_command(name, path, out, settings))
        except RunFailed as failure:
            return {"failure": str(failure)}
        figures: dict[str, Any] = {"wall": cost.wall, "cpu": cost.cpu, "memory": cost.memory}
        passages, counts = _results(out) if name == _WHORL else (_of_rival(out / "passages.tsv"), {})
        figures |= counts | {"passages": len(passages)}
        for kind, is_edited in (("verbatim", False), ("edited", True)):
            planted = [passage for passage in manuscripts.planted if passage.is_edited == is_edited]
            if planted:
                figures[kind] = len(recalled(planted, passages)) / len(planted)
        return figures


def _command(name: str, path: Path, out: Path, settings: Settings) -> list[str | Path]:
    if name == _WHORL:
        return [Path(sys.executable).with_name("whorl"), "reuse", path, "-o", out / "reused", "--quiet"]
    script = next(rival["script"] for rival in settings["rivals"] if rival["name"] == name)
    return rivals.command(script, path, out, str(settings["threshold"]), str(settings["cores"]))


def _results(out: Path) -> tuple[list[tuple[int, int, int, int]], dict[str, int]]:
    """Return both documents and the range in the later one of each passage, and the number of compared pairs."""
    import pyarrow.parquet as pq

    names = ("a_id", "b_id", "a_start", "a_end", "b_start", "b_end")
    columns = pq.read_table(out / "reused" / "passages.parquet", columns=list(names)).to_pydict()
    passages = []
    for a, b, *ranges in zip(*(columns[name] for name in names), strict=True):
        number_a, number_b = int(a), int(b)
        places = (number_a, number_b, *ranges[2:]) if number_a < number_b else (number_b, number_a, *ranges[:2])
        passages.append(places)
    counts = json.loads((out / "reused" / "run.json").read_text(encoding="utf-8"))["counts"]
    return passages, {"pairs": counts["candidates"]}


def _of_rival(path: Path) -> list[tuple[int, int, int, int]]:
    with path.open(encoding="ascii", newline="") as file:
        return [(int(a), int(b), int(start), int(end)) for a, b, start, end in csv.reader(file, delimiter="\t")]


def _write_news(path: Path, count: int, seed: int) -> Manuscripts:
    """Write the real articles of both languages, reprints included, and permuted ones up to ``count``."""
    folder, texts = data_folder(), list[str]()
    for name in () if folder is None else ("zh-news/articles.jsonl.zst", "en-news/articles.jsonl.gz"):
        texts += [row["text"] for row in read_rows(Path(folder or "") / name)]
    real = len(texts[:count])
    articles = load_articles("zh", seed)
    alphabet = alphabet_for("zh", articles.texts)
    strangers = Strangers.of(articles.texts, alphabet, len(articles.texts) + count, seed)
    text_bytes = 0
    first = len(strangers.ends) if real else 0  # the first repetition has the text of the real articles
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            beyond = first + number - real
            text = texts[number] if number < real else alphabet.decode(strangers[beyond])
            text_bytes += len(text.encode())
            file.write(f"{json.dumps({'id': str(number), 'text': text}, ensure_ascii=False)}\n")
    return Manuscripts(text_bytes, [], f"{real:,} real articles with their reprints; {strangers.repetitions()}")


def _sets(settings: Settings) -> list[tuple[str, list[str], list[tuple[int, int]]]]:
    """Return texts, and pairs of them to compare: all, or those with a planted passage and random ones."""
    compared, folder = settings["compared"], data_folder()
    sets = []
    for name, file in _SETS.items() if folder is not None else ():
        rows = itertools.islice(read_rows(Path(folder or "") / file), compared["texts"])
        texts = [row["text"] for row in rows]
        sets.append((name, texts, list(itertools.combinations(range(len(texts)), 2))))
    for language in _LANGUAGES:
        with scratch() as place:
            path, count = place / "corpus.jsonl", compared["manuscripts"]
            arguments = (language, count, compared["characters"], settings["share"], settings["seed"])
            planted = write_manuscripts(path, *arguments).planted
            texts = [row["text"] for row in read_rows(path)]
        draw = random.Random(settings["seed"])
        pairs = {(passage.source, passage.target) for passage in planted}
        while len(pairs) < compared["pairs"] and len(pairs) < count * (count - 1) // 4:
            a, b = sorted(draw.sample(range(count), 2))
            pairs.add((a, b))
        sets.append((f"manuscripts, {language}", texts, sorted(pairs)))
    return sets


def _compared(name: str, texts: list[str], pairs: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Compare pairs one by one, and count the passages that the search among all texts finds as well."""
    import whorl

    say(f"reuse: {name}, {len(pairs):,} pairs one by one")
    expected: set[Place] = set()
    are_dense = [_is_dense(text) for text in texts]
    for is_dense, shortest in ((True, _SHORTEST), (False, 3 * _SHORTEST)):
        chosen = [pair for pair in pairs if are_dense[pair[1]] == is_dense]
        for start in range(0, len(chosen), 1000):
            batch = chosen[start : start + 1000]
            results = whorl.compare_many([(texts[a], texts[b]) for a, b in batch], least=shortest)
            for (a, b), result in zip(batch, results, strict=True):
                expected |= {
                    (a, b, passage.a_start, passage.a_end, passage.b_start, passage.b_end)
                    for passage in result.passages
                }
    columns = whorl.reuse(texts, hot=len(texts)).passages.to_pydict()
    names = ("a_id", "b_id", "a_start", "a_end", "b_start", "b_end")
    compared = set(pairs)
    places: set[Place] = set()
    for a, b, a_start, a_end, b_start, b_end in zip(*(columns[key] for key in names), strict=True):
        place = (int(a) - 1, int(b) - 1, a_start, a_end, b_start, b_end)
        if place[:2] in compared:
            places.add(place)
    return {
        "set": name,
        "documents": len(texts),
        "pairs": len(pairs),
        "expected": len(expected),
        "found": len(places),
        "both": len(expected & places),
    }


def _is_dense(text: str) -> bool:
    """Return whether a quarter of the folded text is Han characters, kana or Hangul syllables, as for `whorl reuse`."""
    from whorl.text import fold

    folded = fold(text)
    return 4 * sum(ord(sign) >= _DENSE for sign in folded) > len(folded)
