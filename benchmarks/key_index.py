"""Cost per worker of an in-memory index and of one in Redis, on the same library; reported in docs/LIBRARY_ADMIN.md.

    python benchmarks/key_index.py FILE.jsonl.gz redis://host:6379/0 [ARTICLES]

The first argument is a file of rows with `text`, the second an empty Redis database. Each worker is a separate process.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any
from urllib.parse import quote, unquote

from redis import Redis

import whorl

CHECKS, ADDED = 500, 500


def texts(file: str, limit: int) -> list[str]:
    """Return the first texts of a file."""
    if file.endswith(".zst"):
        import pyarrow as pa

        data = pa.CompressedInputStream(pa.OSFile(file), "zstd").read()
    else:
        data = gzip.decompress(Path(file).read_bytes())
    return [json.loads(line)["text"] for line in data.splitlines()[:limit]]


def memory() -> float:
    """Return the current memory of this process in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024


class Processor:
    """Processor time of this process, and of Redis if it holds the index."""

    def __init__(self, address: str) -> None:
        _, _, place = address.partition("?index=")
        self._redis = Redis.from_url(unquote(place)) if place else None
        self._began = self._now()

    def milliseconds_per_call(self, times: int) -> list[float]:
        """Return the elapsed milliseconds per operation."""
        return [round(1000 * (now - began) / times, 2) for now, began in zip(self._now(), self._began, strict=True)]

    def _now(self) -> list[float]:
        if self._redis is None:
            return [process_time()]
        cpu_info: Any = self._redis.info("cpu")
        return [process_time(), cpu_info["used_cpu_user"] + cpu_info["used_cpu_sys"]]


def work(address: str, file: str, limit: int) -> dict[str, Any]:
    """Open a library, check and add articles, and print the cost."""
    articles = texts(file, limit)
    whorl.Library  # noqa: B018 - imported before the clock runs
    before, began = memory(), perf_counter()
    with whorl.open(address) as library:
        library.check(articles[0])
        opened, took, of_checks = perf_counter() - began, [], Processor(address)
        for text in articles[:: max(1, len(articles) // CHECKS)]:
            began = perf_counter()
            library.check(text)
            took.append(perf_counter() - began)
        memory_used, checking = memory() - before, of_checks.milliseconds_per_call(len(took))
        began, of_adding = perf_counter(), Processor(address)
        library.add([{"id": f"new {number}", "text": text[5:]} for number, text in enumerate(articles[:ADDED])])
        batch, adding = perf_counter() - began, of_adding.milliseconds_per_call(ADDED)
        began = perf_counter()
        for number, text in enumerate(articles[:50]):
            library.add({"id": f"one {number}", "text": text[9:]})
        single = perf_counter() - began
        library.remove([id_ for id_ in library if id_.startswith(("new ", "one "))])
    took.sort()
    return {
        "start_s": round(opened, 2),
        "memory_mb": round(memory_used, 1),
        "p50_ms": round(1000 * took[len(took) // 2], 2),
        "p99_ms": round(1000 * took[int(0.99 * len(took))], 2),
        "check_processor_ms": checking,
        "add_processor_ms": adding,
        "added_a_second": round(ADDED / batch),
        "single_adds_a_second": round(50 / single),
    }


def main(file: str, redis: str, articles: str = "10000") -> None:
    """Create the library and run milliseconds_per_call kind of worker twice: new to the library, then again."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "library"
        with whorl.open(place) as library:
            rows = [{"id": f"{number}", "text": text} for number, text in enumerate(texts(file, int(articles)))]
            library.add(rows)
        shared = f"sqlite:{place}?index={quote(redis)}"
        for turn in ("first", "again"):
            for name, address in (("own", str(place)), ("redis", shared)):
                if turn == "first" and name == "own":
                    for index_file in (place / "index").iterdir():
                        index_file.unlink()
                process = subprocess.run(
                    [sys.executable, __file__, "--worker", address, file, articles], capture_output=True, check=True
                )
                print(name, turn, process.stdout.decode().strip())
        with whorl.open(shared) as library:
            library.reindex()
            stats = library.stats()
        print("redis", stats["index"]["bytes"] / stats["documents"], "bytes an article", stats["index"])


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        print(json.dumps(work(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
    else:
        main(*sys.argv[1:])
