"""nshash, as drop-in replacement and as preset, compared with its original in Python: from texts in memory to groups.

The groups of each are compared with those of the original, by the share of common pairs.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import md5
from itertools import islice
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.articles import data_folder, read_rows
from benchmarks.corpora import corpus
from benchmarks.questions import Answer, Settings, on_one_core, say, scratch

_END = re.compile(r":|：|；|？|。|！|】|\n")
_LONG = 30
_SENTENCES = 5


def ask(settings: Settings) -> Answer:
    """Measure every variant in separate processes with one core, in turns."""
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in _WAYS}
    with scratch() as folder:
        path = folder / "articles.jsonl"
        texts, origin = _articles(settings)
        path.write_text("".join(f"{json.dumps(text)}\n" for text in texts), encoding="ascii")
        for turn in range(settings["runs"]):
            say(f"nshash: {len(texts):,} articles, run {turn + 1} of {settings['runs']}")
            for name, timings in runs.items():
                timings.append(on_one_core(sys.executable, "-m", __name__, name, path, folder / f"{turn}-{name}"))
    expected = runs[_RECIPE][0]["ids"]
    rows = [
        {
            "name": name,
            "seconds": median(run["seconds"] for run in timings),
            "saving": median(run["saving"] for run in timings),
            "groups": len(set(timings[0]["ids"])),
            "against": _SAME_STORE.get(name, _RECIPE),
        }
        | _agreement(timings[0]["ids"], expected)
        for name, timings in runs.items()
    ]
    return {"data": [origin], "documents": len(texts), "rows": rows}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    head = (
        "| | s | documents/s | of the recipe's speed, same store | saving, s | groups "
        "| of the recipe's pairs | of its pairs are the recipe's |"
    )
    lines = [head, "|---|--:|--:|--:|--:|--:|--:|--:|"]
    seconds = {row["name"]: row["seconds"] for row in answer["rows"]}
    for row in answer["rows"]:
        rate, ratio = answer["documents"] / row["seconds"], seconds[row["against"]] / row["seconds"]
        cells = f"{row['seconds']:.3f} | {rate:,.0f} | {ratio:.1f} × | {row['saving']:.3f} | {row['groups']:,}"
        lines.append(f"| {row['name']} | {cells} | {row['found']:.4f} | {row['right']:.4f} |")
    return "\n".join(lines)


def _agreement(ids: list[int], expected: list[int]) -> dict[str, float]:
    """Return recall and precision of the pairs in the same group."""
    both = _pairs_together(zip(ids, expected, strict=True))
    mine, theirs = _pairs_together(ids), _pairs_together(expected)
    return {"found": both / theirs if theirs else 1.0, "right": both / mine if mine else 1.0}


def _pairs_together(groups: Iterable[Any]) -> int:
    return sum(comb(members, 2) for members in Counter(groups).values())


def _articles(settings: Settings) -> tuple[list[str], str]:
    """Return as many real articles as the original was measured with, including natural copies."""
    folder, count = data_folder(), settings["documents"]
    if folder is None:
        pool = corpus("zh", count, settings["seed"])
        return [row["text"] for row in read_rows(pool.path)], pool.origin
    rows = islice(read_rows(folder / "zh-news" / "articles.jsonl.zst"), count)
    return [row["text"] for row in rows], f"the first {count:,} articles of zh-news in WHORL_DATA"


def measure(name: str, path: Path, store: Path) -> dict[str, Any]:
    """Return the time to group the texts of a file, the time to save, and the groups."""
    with path.open("rb") as file:
        texts = [json.loads(line) for line in file]
    group = _WAYS[name](store)
    start = time.perf_counter()
    ids, save = group(texts)
    grouped = time.perf_counter()
    save()
    return {"seconds": grouped - start, "saving": time.perf_counter() - grouped, "ids": ids}


Grouping = Callable[[list[str]], tuple[list[int], Callable[[], None]]]


def _recipe(_: Path) -> Grouping:
    """The original recipe: md5 and a dict."""
    owners: dict[str, int] = {}
    return lambda texts: (_similar_ids(texts, owners.get, owners.__setitem__), lambda: None)


def _recipe_leveldb(store: Path) -> Grouping:
    """The original recipe with md5 and LevelDB. Ids are compared as numbers, which the original forgot."""
    import plyvel

    database = plyvel.DB(str(store), create_if_missing=True)

    def get(key: str) -> int | None:
        stored = database.get(key.encode())
        return None if stored is None else int(stored)

    def put(key: str, value: int) -> None:
        database.put(key.encode(), str(value).encode())

    return lambda texts: (_similar_ids(texts, get, put), database.close)


def _similar_ids(texts: list[str], get: Callable[[str], int | None], put: Callable[[str, int], None]) -> list[int]:
    """Split, prefer long sentences, hash five, look up; the lowest id wins, or else a new id is assigned."""
    ids: list[int] = []
    last = 0
    for text in texts:
        sentences = _END.split(text)
        long = [sentence for sentence in sentences if len(sentence) > _LONG] or sentences
        hashes = [md5(s.encode()).hexdigest() for s in sorted(long, key=len, reverse=True)[:_SENTENCES]]
        candidate = min(filter(None, map(get, hashes)), default=0)
        if not candidate:
            last += 1
            candidate = last
        for key in hashes:
            put(key, candidate)
        ids.append(candidate)
    return ids


def _preset(_: Path) -> Grouping:
    """The preset of whorl.dedup: removed documents in memory, each with the kept one."""
    import whorl

    def group(texts: list[str]) -> tuple[list[int], Callable[[], None]]:
        clusters = whorl.dedup(texts, method="nshash").clusters
        names = dict(zip(clusters["row"].to_pylist(), clusters["cluster_id"].to_pylist(), strict=True))
        return [int(names[row]) for row in range(len(texts))], lambda: None

    return group


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
_RECIPE_LEVELDB = "the recipe in Python, md5, LevelDB"
_WAYS: dict[str, Callable[[Path], Grouping]] = {
    _RECIPE: _recipe,
    _RECIPE_LEVELDB: _recipe_leveldb,
    "whorl.dedup, preset nshash": _preset,
    "NSHash, md5, memory": _nshash("md5", "memory"),
    "NSHash, farmhash, memory": _nshash("farmhash", "memory"),
    "NSHash, farmhash, memory, one by one": _nshash("farmhash", "memory", one_by_one=True),
    "NSHash, md5, LevelDB": _nshash("md5", "leveldb"),
    "NSHash, farmhash, LevelDB": _nshash("farmhash", "leveldb"),
}
_SAME_STORE = dict.fromkeys((name for name in _WAYS if name.endswith("LevelDB")), _RECIPE_LEVELDB)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
