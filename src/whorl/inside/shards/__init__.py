"""Strip repeated text in stages and shards: independent processes share a folder, as for a deduplication."""
