"""Find matches: keys, indexes, candidates and comparison."""
