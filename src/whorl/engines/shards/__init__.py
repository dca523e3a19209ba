"""A run in stages and shards: processes that know nothing of each other share a folder, on one machine or on many."""
