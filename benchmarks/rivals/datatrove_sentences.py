"""datatrove: its three stages for spans of three sentences, as for C4; sentences end at their punctuation."""

from __future__ import annotations

import re
import tempfile
from itertools import pairwise

from contract import Task, read, task
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.dedup import SentenceDedupFilter, SentenceDedupSignature, SentenceFindDedups
from datatrove.pipeline.dedup.sentence_dedup import SentDedupConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.word_tokenizers import WordTokenizer

_END = re.compile(r"(?:[。！？]+[”’」』）]*|[.!?]+[\"”’)]*(?=\s)|(?=\n))\s*")


class Sentences(WordTokenizer):
    """Tokenizer that knows sentences of both languages."""

    def word_tokenize(self, text: str) -> list[str]:
        """Return the words; unused."""
        return text.split()

    def sent_tokenize(self, text: str) -> list[str]:
        """Return the sentences."""
        return [text[start:end] for start, end in self.span_tokenize(text)]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        """Return the ranges of the sentences."""
        ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
        return [(start, end) for start, end in pairwise(ends) if start < end]


def main() -> None:
    """Remove repeated sentences from a corpus."""
    job = task()
    lines = read(job.corpus).lines
    shards, signatures, duplicates = (job.out / name for name in ("shards", "signatures", "duplicates"))
    shards.mkdir()
    size = -(-len(lines) // job.cores)
    for number in range(job.cores):
        (shards / f"{number:05d}.jsonl").write_bytes(b"".join(lines[number * size : (number + 1) * size]))
    config = SentDedupConfig(only_dedup_in_index=False, min_doc_words=0, min_num_sentences=0)
    reader = JsonlReader(str(shards))
    signing = SentenceDedupSignature(str(signatures), finder_workers=job.cores, config=config, language=Sentences())
    _execute([reader, signing], job)
    _execute([SentenceFindDedups(str(signatures), str(duplicates), config=config)], job)
    filtering = SentenceDedupFilter(str(duplicates), config=config, language=Sentences())
    _execute([reader, filtering, JsonlWriter(str(job.out / "stripped" / "kept"), compression=None)], job)


def _execute(steps: list[PipelineStep], job: Task) -> None:
    logs = tempfile.mkdtemp(prefix="logs-", dir=job.out)
    LocalPipelineExecutor(steps, tasks=job.cores, workers=job.cores, logging_dir=logs).run()


if __name__ == "__main__":
    main()
