"""Commands that clean corpora."""
