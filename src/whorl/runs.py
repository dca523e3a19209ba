"""Runs over a corpus: its largest clusters, one article with its evidence, and runs in shards."""

from __future__ import annotations

from whorl.tasks.decontaminate.shards import decontaminate_shard
from whorl.tasks.dedup.hot import hot
from whorl.tasks.dedup.shards import dedup_shard
from whorl.tasks.dedup.show import show
from whorl.tasks.strip_shards import strip_shard

__all__ = ["decontaminate_shard", "dedup_shard", "hot", "show", "strip_shard"]
