"""Whole runs on every engine, and what they foretell of more documents on more machines."""
