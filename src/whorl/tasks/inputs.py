"""Refuse missing inputs, before the modules that read them are imported."""

from __future__ import annotations

from whorl.corpus import demand_existing

__all__ = ["demand_existing"]
