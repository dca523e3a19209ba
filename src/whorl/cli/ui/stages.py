"""Names of the stages of a run, and amounts of work with their rate."""

from __future__ import annotations

from whorl.i18n import Language, say, translated
from whorl.reports.figures import size

_STAGES = {
    "evaluate": say("evaluate"),
    "distances": say("distances"),
    "judge": say("judge"),
    "fetch": say("fetch"),
    "read": say("read"),
    "rank": say("ranking"),
    "repetition": say("repetition"),
    "index": say("index"),
    "group": say("group"),
    "decide": say("decide"),
    "probe": say("probe"),
    "changes": say("changes"),
    "write": say("write"),
    "add": say("add"),
    "check": say("check"),
    "compare": say("compare"),
    "recognize": say("recognize pages"),
}
_UNITS = {
    "documents": say("documents"),
    "histograms": say("histograms"),
    "methods": say("methods"),
    "pages": say("pages"),
    "partitions": say("partitions"),
    "parts": say("parts"),
    "recipes": say("recipes"),
    "segments": say("segments"),
}
_WHOLE_RATE = 10
"""Above this number per second a rate has no decimals."""


def title(name: str) -> str:
    """Return the display name of a stage."""
    return str(translated(_STAGES.get(name, name)))


def measured(done: int, unit: str, seconds: float, language: Language | None = None) -> str:
    """Format ``1.2 GB (98.0 MB/s)`` or ``12,345 documents (51,000/s)``; empty for a stage without a count.

    A rate is never 0: a low one has decimals, and work that took no measurable time has none.
    """
    if not done:
        return ""
    units = _UNITS.get(unit, unit)
    if seconds <= 0:
        text = say("{done:,} {units}", done=done, units=units)
        return size(done) if unit == "bytes" else str(translated(text, language))
    rate = done / seconds
    if unit == "bytes":
        return f"{size(done)} ({size(rate)}/s)"
    rate_text = f"{rate:,.0f}" if rate >= _WHOLE_RATE else f"{rate:.2g}"
    text = say("{done:,} {units} ({rate}/s)", done=done, units=units, rate=rate_text)
    return str(translated(text, language))


__all__ = ["measured", "title"]
