"""text-dedup: its command on spaced characters, since it splits at non-letters; its fastest hash."""

from __future__ import annotations

import pickle
import subprocess
import sys

import orjson
from contract import Groups, read, spaced, task, write


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    prepared = job.out / "spaced.jsonl"
    with prepared.open("wb") as file:
        file.writelines(orjson.dumps({"text": spaced(text)}) + b"\n" for text in rows.texts)
    options = {
        "path": "json",
        "data_files": prepared,
        "split": "train",
        "cache_dir": job.out / "cache",
        "output": job.out / "result",
        "column": "text",
        "ngram": 5,
        "threshold": job.threshold,
        "hash_func": "xxh3",
        "hash_bits": 32,
        "num_proc": job.cores,
    }
    arguments = [f"--{name}={value}" for name, value in options.items()]
    subprocess.run([sys.executable, "-m", "text_dedup.minhash", *arguments, "--debug"], check=True)
    groups = Groups(len(rows.texts))
    with (job.out / "result" / "uf.pkl").open("rb") as file:
        for document, parent in pickle.load(file).parent.items():
            groups.join(int(document), int(parent))
    write(rows.lines, groups, job.out)


if __name__ == "__main__":
    main()
