"""Review of matches on the terminal."""
