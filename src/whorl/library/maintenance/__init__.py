"""Verify, repair, copy, export and compact a library."""
