"""What an index of its own and one in Redis take from each worker, on the same library; told in docs/LIBRARY.md.

    python benchmarks/key_index.py FILE.jsonl.gz redis://host:6379/0 [ARTICLES]

The first is a file of rows with `text`, the second an empty database of a Redis. Each worker is a process of its own.
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


def texts(file: str, most: int) -> list[str]:
    """The first texts of a file."""
    if file.endswith(".zst"):
        import pyarrow as pa

        data = pa.CompressedInputStream(pa.OSFile(file), "zstd").read()
    else:
        data = gzip.decompress(Path(file).read_bytes())
    return [json.loads(line)["text"] for line in data.splitlines()[:most]]


def memory() -> float:
    """Megabytes that this process has now."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024


class Processor:
    """What something takes of the processor: of this process, and of Redis where the index is there."""

    def __init__(self, address: str) -> None:
        _, _, place = address.partition("?index=")
        self._redis = Redis.from_url(unquote(place)) if place else None
        self._began = self._now()

    def each(self, times: int) -> list[float]:
        """Milliseconds since it was made, each of some times."""
        return [round(1000 * (now - began) / times, 2) for now, began in zip(self._now(), self._began, strict=True)]

    def _now(self) -> list[float]:
        if self._redis is None:
            return [process_time()]
        told: Any = self._redis.info("cpu")
        return [process_time(), told["used_cpu_user"] + told["used_cpu_sys"]]


def work(address: str, file: str, most: int) -> dict[str, Any]:
    """Open a library, ask it and add to it, and tell what that took."""
    own = texts(file, most)
    whorl.Library  # noqa: B018 - imported before the clock runs
    before, began = memory(), perf_counter()
    with whorl.open(address) as library:
        library.check(own[0])
        opened, took, of_checks = perf_counter() - began, [], Processor(address)
        for text in own[:: max(1, len(own) // CHECKS)]:
            began = perf_counter()
            library.check(text)
            took.append(perf_counter() - began)
        held, checking = memory() - before, of_checks.each(len(took))
        began, of_adding = perf_counter(), Processor(address)
        library.add([{"id": f"new {number}", "text": text[5:]} for number, text in enumerate(own[:ADDED])])
        batch, adding = perf_counter() - began, of_adding.each(ADDED)
        began = perf_counter()
        for number, text in enumerate(own[:50]):
            library.add({"id": f"one {number}", "text": text[9:]})
        single = perf_counter() - began
        library.remove([id_ for id_ in library if id_.startswith(("new ", "one "))])
    took.sort()
    return {
        "start_s": round(opened, 2),
        "memory_mb": round(held, 1),
        "p50_ms": round(1000 * took[len(took) // 2], 2),
        "p99_ms": round(1000 * took[int(0.99 * len(took))], 2),
        "check_processor_ms": checking,
        "add_processor_ms": adding,
        "added_a_second": round(ADDED / batch),
        "single_adds_a_second": round(50 / single),
    }


def main(file: str, redis: str, articles: str = "10000") -> None:
    """Make the library, and let a worker of each kind work on it: first new to it, then once more."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "library"
        with whorl.open(place) as library:
            rows = [{"id": f"{number}", "text": text} for number, text in enumerate(texts(file, int(articles)))]
            library.add(rows)
        shared = f"sqlite:{place}?index={quote(redis)}"
        for turn in ("first", "again"):
            for name, address in (("own", str(place)), ("redis", shared)):
                if turn == "first" and name == "own":
                    for left in (place / "index").iterdir():
                        left.unlink()
                told = subprocess.run(
                    [sys.executable, __file__, "--worker", address, file, articles], capture_output=True, check=True
                )
                print(name, turn, told.stdout.decode().strip())
        with whorl.open(shared) as library:
            library.reindex()
            held = library.stats()
        print("redis", held["index"]["bytes"] / held["documents"], "bytes an article", held["index"])


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        print(json.dumps(work(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
    else:
        main(*sys.argv[1:])
