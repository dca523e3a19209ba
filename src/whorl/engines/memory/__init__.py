"""Deduplication of what is in memory already: the same decisions, and nothing is written to disk."""
