"""Deduplicate a corpus, and show what was removed."""
