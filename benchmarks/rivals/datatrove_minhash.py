"""datatrove: its three MinHash stages with default bands; every character is a word."""

from __future__ import annotations

import tempfile
from pathlib import Path
from struct import iter_unpack

import orjson
from contract import Groups, Task, read, task, write
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupCluster
from datatrove.pipeline.readers import JsonlReader
from datatrove.utils.word_tokenizers import WordTokenizer


class Characters(WordTokenizer):
    """Tokenizer whose words are single characters."""

    def word_tokenize(self, text: str) -> list[str]:
        """Return the characters without spaces."""
        return list(text.replace(" ", ""))

    def sent_tokenize(self, text: str) -> list[str]:
        """Return the whole text; unused."""
        return [text]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        """Return the whole text; unused."""
        return [(0, len(text))]


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    shards = _shards(rows.texts, job.out / "shards", job.cores)
    config = MinhashConfig(n_grams=5)
    signatures, pairs, clusters = (str(job.out / name) for name in ("signatures", "pairs", "clusters"))
    reader = JsonlReader(str(job.out / "shards"))
    _execute([reader, MinhashDedupSignature(signatures, config, language=Characters())], job.cores, job)
    _execute([MinhashDedupBuckets(signatures, pairs, config=config)], config.num_buckets, job)
    _execute([MinhashDedupCluster(pairs, clusters, config=config, save_cluster_id=True)], 1, job)
    groups = Groups(len(rows.texts))
    for cluster in _clusters(Path(clusters), shards).values():
        for document in cluster[1:]:
            groups.join(cluster[0], document)
    write(rows.lines, groups, job.out)


def _execute(steps: list[PipelineStep], tasks: int, job: Task) -> None:
    logs = tempfile.mkdtemp(prefix="logs-", dir=job.out)
    LocalPipelineExecutor(steps, tasks=tasks, workers=min(tasks, job.cores), logging_dir=logs).run()


def _shards(texts: list[str], folder: Path, cores: int) -> list[range]:
    """Write one file per core, and return the documents of each."""
    folder.mkdir()
    size = -(-len(texts) // cores)
    shards = [range(start, min(start + size, len(texts))) for start in range(0, len(texts), size)]
    for number, shard in enumerate(shards):
        with (folder / f"{number:05d}.jsonl").open("wb") as file:
            file.writelines(orjson.dumps({"id": str(index), "text": texts[index]}) + b"\n" for index in shard)
    return shards


def _clusters(folder: Path, shards: list[range]) -> dict[int, list[int]]:
    clusters: dict[int, list[int]] = {}
    for number, shard in enumerate(shards):
        for document, cluster in iter_unpack("<II", (folder / f"{number:06d}.clusters").read_bytes()):
            clusters.setdefault(cluster, []).append(shard[document])
    return clusters


if __name__ == "__main__":
    main()
