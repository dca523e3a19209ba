"""Fingerprints of a corpus as tables for other databases and search engines."""
