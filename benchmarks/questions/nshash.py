"""nshash, the drop-in, beside the recipe of its original in Python: from texts in memory to the group of each."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import md5
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.articles import data_folder, read_rows
from benchmarks.corpora import corpus
from benchmarks.questions import Answer, Settings, say, scratch

_END = re.compile(r":|：|；|？|。|！|】|\n")
_LONG = 30
_SENTENCES = 5


def ask(settings: Settings) -> Answer:
    """Measure every way in processes of their own, which have one core, in turns."""
    rows: dict[str, dict[str, Any]] = {}
    with scratch() as folder:
        path = folder / "articles.jsonl"
        texts, origin = _articles(settings)
        path.write_text("".join(f"{json.dumps(text)}\n" for text in texts), encoding="ascii")
        for turn in range(settings["runs"]):
            say(f"nshash: {len(texts):,} articles, run {turn + 1} of {settings['runs']}")
            for name in _WAYS:
                found = _run(name, path, folder / f"{turn}-{name}")
                row = rows.setdefault(name, {"name": name, "groups": found["groups"], "seconds": [], "saving": []})
                row["seconds"].append(found["seconds"])
                row["saving"].append(found["saving"])
    medians = [row | {key: median(row[key]) for key in ("seconds", "saving")} for row in rows.values()]
    return {"data": [origin], "documents": len(texts), "rows": medians}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    recipe = next(row["seconds"] for row in answer["rows"] if row["name"] == _RECIPE)
    lines = ["| | s | documents/s | of the recipe's speed | saving, s | groups |", "|---|--:|--:|--:|--:|--:|"]
    for row in answer["rows"]:
        rate, ratio = answer["documents"] / row["seconds"], recipe / row["seconds"]
        cells = f"{row['seconds']:.3f} | {rate:,.0f} | {ratio:.1f} × | {row['saving']:.3f} | {row['groups']:,}"
        lines.append(f"| {row['name']} | {cells} |")
    return "\n".join(lines)


def _articles(settings: Settings) -> tuple[list[str], str]:
    """As many real articles as the original was measured with, their natural copies among them."""
    folder, count = data_folder(), settings["documents"]
    if folder is None:
        made = corpus("zh", count, settings["seed"])
        return [row["text"] for row in read_rows(made.path)], made.origin
    rows = islice(read_rows(folder / "zh-news" / "articles.jsonl.zst"), count)
    return [row["text"] for row in rows], f"the first {count:,} articles of zh-news in WHORL_DATA"


def _run(name: str, path: Path, store: Path) -> dict[str, Any]:
    single = os.environ | {"RAYON_NUM_THREADS": "1"}
    command = [sys.executable, "-m", __name__, name, str(path), str(store)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=single).stdout
    return dict(json.loads(output))


def measure(name: str, path: Path, store: Path) -> dict[str, Any]:
    """Return how long it took to group the texts of a file, and to save, and how many groups there are."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    with path.open("rb") as file:
        texts = [json.loads(line) for line in file]
    group = _WAYS[name](store)
    start = time.perf_counter()
    ids, save = group(texts)
    grouped = time.perf_counter()
    save()
    return {"seconds": grouped - start, "saving": time.perf_counter() - grouped, "groups": len(set(ids))}


Grouping = Callable[[list[str]], tuple[list[int], Callable[[], None]]]


def _recipe(_: Path) -> Grouping:
    """The recipe as published: split, prefer long sentences, hash five, look up, the lowest id wins."""
    owners: dict[str, int] = {}

    def similar_id(text: str) -> int:
        sentences = _END.split(text)
        long = [sentence for sentence in sentences if len(sentence) > _LONG] or sentences
        hashes = [md5(s.encode()).hexdigest() for s in sorted(long, key=len, reverse=True)[:_SENTENCES]]
        found = min(filter(None, map(owners.get, hashes)), default=0) or len(owners) + 1
        for key in hashes:
            owners[key] = found
        return found

    return lambda texts: ([similar_id(text) for text in texts], lambda: None)


def _nshash(hashfunc: str, hashdb: str, *, one_by_one: bool = False) -> Callable[[Path], Grouping]:
    def open_store(path: Path) -> Grouping:
        from whorl.compat.nshash import NSHash

        nshash = NSHash(path, hashfunc, hashdb)

        def group(texts: list[str]) -> tuple[list[int], Callable[[], None]]:
            ids = list(map(nshash.get_similar, texts)) if one_by_one else nshash.get_similar_all(texts)
            return [nshash.current_id(similar_id) for similar_id in ids], nshash.close

        return group

    return open_store


_RECIPE = "the recipe in Python, md5, a dict"
_WAYS: dict[str, Callable[[Path], Grouping]] = {
    _RECIPE: _recipe,
    "NSHash, md5, memory": _nshash("md5", "memory"),
    "NSHash, farmhash, memory": _nshash("farmhash", "memory"),
    "NSHash, farmhash, memory, one by one": _nshash("farmhash", "memory", one_by_one=True),
    "NSHash, farmhash, LevelDB": _nshash("farmhash", "leveldb"),
}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
