"""Watching: what appears elsewhere, and who is told of it."""
