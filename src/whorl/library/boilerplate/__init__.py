"""Boilerplate that a library learned, and the protected articles that it must not take from."""
