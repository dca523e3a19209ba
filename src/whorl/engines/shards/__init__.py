"""Run in stages and shards: independent processes share a folder, on one machine or several."""
