"""Indexes: who is near whom, or shares a key with whom, without comparing everybody with everybody."""

from __future__ import annotations
