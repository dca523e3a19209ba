"""Exact comparison and judgment of texts, without I/O."""
