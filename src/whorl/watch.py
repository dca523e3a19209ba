"""Watching web sites for copies of protected articles: one pass, alerts, and statistics of the copies."""

from __future__ import annotations

from whorl.monitor.alerts.telling import alert
from whorl.monitor.findings.copy_statistics import copy_statistics
from whorl.monitor.watching import watch

__all__ = ["alert", "copy_statistics", "watch"]
