"""Template values of a comparison: ratios, map of the text, and passages side by side."""

from __future__ import annotations

from typing import Any

from whorl.reports.comparison.page import cells
from whorl.reports.comparison.passages import view
from whorl.reports.comparison.shares import of_tenths, share, tenths
from whorl.reports.comparison.summary import left_out_of, parts_of, tricks
from whorl.reports.comparison.wording import EXCLUSIONS, FLAGS, RELATIONS, headline, labelled
from whorl.tasks.compare.run import Compared

_VISIBLE_LENGTH = 60_000
"""Approximate maximum of text on a page, in code points."""


def template_values(compared: Compared) -> dict[str, Any]:
    """Return the arguments of the macros of ``compared.html.j2``."""
    comparison, text, sources = compared.result, compared.text, compared.sources
    parts = parts_of(comparison, sources)
    ranks = {part.number: part.rank for part in parts}
    shares, _ = tenths([part.share for part in parts], comparison.ratios.copied)
    return {
        "cells": list(cells(comparison.passages, len(text.text), len(sources), ranks)),
        "flags": [(FLAGS[kind], article.label, count) for kind, article, count in tricks(parts, text)],
        "headline": headline(comparison, len(parts), len(sources)),
        "kind": RELATIONS[comparison.relation]
        if parts and (len(sources) == 1 or comparison.relation == "compilation")
        else "",
        "labels": {part.number: (part.rank, part.source.label) for part in parts} if len(sources) > 1 else {},
        "left_out": [(EXCLUSIONS[item.reason], item) for item in left_out_of(parts)],
        "ratios": [(label, share(value)) for label, value in labelled(comparison.ratios)],
        "shares": {
            part.source.id: of_tenths(tenth) if tenth else share(part.share)
            for part, tenth in zip(parts, shares, strict=True)
        },
        "view": view([source.text for source in sources], text.text, comparison.passages, _VISIBLE_LENGTH, ranks),
    }


__all__ = ["template_values"]
