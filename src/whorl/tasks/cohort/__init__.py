"""Comparison of all manuscripts of a class with each other, with earlier ones and with sources."""
