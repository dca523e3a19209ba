"""Simulate how articles spread, and score the attribution of originals."""
