"""Runs over a corpus: its largest clusters, one article with its evidence, and a run in shards."""

from __future__ import annotations

from whorl.tasks.dedup.hot import hot
from whorl.tasks.dedup.shards import dedup_shard
from whorl.tasks.dedup.show import show

__all__ = ["dedup_shard", "hot", "show"]
