"""Deduplication of documents in memory: the same decisions, without writing to disk."""
