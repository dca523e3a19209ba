"""Helpers that several layers share and that know nothing about texts: files, garbage collection, overlap, display."""
