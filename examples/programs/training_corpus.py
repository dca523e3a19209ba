"""Deduplicate a training corpus, and check the effect.

Copies waste training and leak test data. Deduplication must not change the mixture: the statistics of the kept
documents are compared with those of the input, and every removal can be looked up.
"""

import json
import tempfile
from collections import Counter
from pathlib import Path

import whorl

CORPUS = Path(__file__).parents[1] / "newsroom" / "articles.jsonl"


def statistics(path: Path) -> dict[str, float]:
    """Return documents, characters, and the share of sentences that also occur elsewhere in the corpus."""
    texts = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    sentences = Counter(
        sentence for text in texts for sentence in set(text.replace("\n", "。").split("。")) if sentence
    )
    repeated = sum(count for count in sentences.values() if count > 1)
    chinese = sum(any("\u4e00" <= sign <= "\u9fff" for sign in text) for text in texts)
    return {
        "documents": len(texts),
        "characters": sum(map(len, texts)),
        "in Chinese": chinese / len(texts),
        "repeated sentences": repeated / sentences.total(),
    }


with tempfile.TemporaryDirectory() as folder:
    # "corpus" removes near-duplicates of whole texts; "news" also removes compilations and rewritten copies.
    runs = {method: whorl.dedup_files(CORPUS, Path(folder, method), method=method) for method in ("corpus", "news")}
    columns = {"input": statistics(CORPUS)}
    columns |= {name: statistics(run.out / "kept" / CORPUS.name) for name, run in runs.items()}

    print(" " * 20 + "".join(f"{name:>10}" for name in columns))
    for figure in columns["input"]:
        values = [column[figure] for column in columns.values()]
        print(f"{figure:20}" + "".join(f"{value:10.1%}" if value <= 1 else f"{value:10,}" for value in values))

    # Every removal has evidence: the removed article, the kept one, and the deciding score.
    print("\nthe least certain removals of each:")
    for name, run in runs.items():
        row = min(run.duplicates.to_pylist(), key=lambda row: (row["similarity"], row["id"]))
        print(f"{name:8} {row['id']} is a copy of {row['duplicate_of']}: {row['measure']} {row['similarity']:.3f}")
