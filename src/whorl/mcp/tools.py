"""The tools: each calls a use case and returns what an assistant needs to answer, as plain data.

Descriptions and results are in English, whatever the language of the user: they are read by a model. Long texts are
clipped and long lists cut; a result says how much it leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from whorl.library import open as open_library
from whorl.matching.compare import compare
from whorl.mcp.settings import ToolSettings
from whorl.reports.comparison.summary import parts_of
from whorl.tasks.compare.explain import explain
from whorl.tasks.compare.run import compare_against
from whorl.tasks.dedup.run import dedup_files
from whorl.types.comparison import Passage

_PASSAGES = 20
_MATCHES = 20
_REMOVED = 100
_CHARACTERS = 400
"""Longest quoted passage."""


class Tools:
    """The tools of a server.

    Args:
        settings: what they may read and write.
    """

    def __init__(self, settings: ToolSettings) -> None:
        self._settings = settings

    def check(self, text: str, library: str | None = None, *, meaning: bool = False) -> dict[str, Any]:
        """Find the articles of a library that share text with a new text, with relation, copied share and passages.

        Nothing is stored. "copied" is the share of the new text that is, word for word, in the article.

        Args:
            text: the new text.
            library: the name of the library; may be left out if there is only one.
            meaning: also find articles with the same content in other words or in another language, by a language model
                that takes seconds, if the user allows it; "same_content" is then the share of the new text.
        """
        model = self._settings.model(requested=meaning)
        with open_library(self._settings.library(library), create=False) as opened:
            report = opened.check(text, meaning=model)
        return {
            "matches": [
                {
                    "id": match.id,
                    "title": match.title,
                    "relation": match.relation,
                    "copied": match.this_in_other,
                    "same_content": match.same_content,
                    "passages": _passages(text, match.passages),
                }
                for match in report.matches[:_MATCHES]
            ],
            "more": max(0, len(report.matches) - _MATCHES),
        }

    def compare(self, a: str, b: str, *, meaning: bool = False) -> dict[str, Any]:
        """Compare two texts: relation, shares of b that are in a, and the common passages of b.

        Args:
            a: the text that may be the source.
            b: the text that may be the copy.
            meaning: also compare texts that share nothing by a language model that takes seconds, to find the same
                content in other words or in another language, if the user allows it.
        """
        result = compare(a, b, meaning=self._settings.model(requested=meaning))
        data = result.to_dict()
        return {
            "sentence": data["sentence"],
            "relation": result.relation,
            "confidence": result.confidence,
            "shares_of_b": data["ratios"],
            "passages": _passages(b, result.passages),
            "more": max(0, len(result.passages) - _PASSAGES),
        }

    def compare_files(self, file: str, against: list[str], *, meaning: bool = False) -> dict[str, Any]:
        """Find what a document shares with files and folders: sources with their shares, and the common passages.

        Args:
            file: the document: a file, or FILE:ROW for a row of JSON Lines, CSV, Parquet or Excel.
            against: files, folders and globs with the possible sources.
            meaning: as in `compare`, with the eight sources that share most rare words with the document.
        """
        model = self._settings.model(requested=meaning)
        document = self._settings.document(file)
        compared = compare_against(self._settings.inputs(against), document, meaning=model)
        parts, data = parts_of(compared.result, compared.sources), compared.result.to_dict()
        return {
            "sentence": data["sentence"],
            "relation": compared.result.relation,
            "shares": data["ratios"],
            "sources": [{"name": part.source.label, "share": part.share} for part in parts[:_MATCHES]],
            "more_sources": max(0, len(parts) - _MATCHES),
            "unreadable": compared.rejected,
            "passages": _passages(compared.text.text, compared.result.passages),
            "more": max(0, len(compared.result.passages) - _PASSAGES),
        }

    def explain(self, a: str, b: str, method: str | None = None) -> dict[str, Any]:
        """Explain why two texts are, or are not, duplicates by a method: keys, measured figures, threshold, reason.

        Args:
            a: the text that may be dropped.
            b: the text that would be kept.
            method: a method or preset, such as "news", "web", "corpus" or "minhash"; the default is minhash.
        """
        return explain(a, b, method=method).to_dict()

    def dedup(
        self, inputs: list[str], method: str = "news", text: list[str] | None = None, out: str | None = None
    ) -> dict[str, Any]:
        """Find the duplicates in files: counts by relation, and each removed document with the kept one and the reason.

        Without `out` nothing is written. With it, the kept rows, tables and a report are written to a new folder, if
        the user allows it. Input files are never changed.

        Args:
            inputs: files, folders and globs.
            method: "news" for articles and posts, "web" for pages, "corpus" for training data, or a method.
            text: the columns that make up the text; the default is "text".
            out: a new folder for the result.
        """
        paths = self._settings.inputs(inputs)
        columns = None if text is None else tuple(text)
        if out is not None:
            return self._deduplicated(paths, Path(self._settings.output(out)), method, columns)
        with TemporaryDirectory(prefix="whorl-mcp-") as folder:
            return self._deduplicated(paths, Path(folder) / "out", method, columns) | {"out": None}

    def _deduplicated(
        self, inputs: Sequence[str], out: Path, method: str, text: tuple[str, ...] | None
    ) -> dict[str, Any]:
        cleaned = dedup_files(list(inputs), out, method=method, text=text, command="whorl mcp")
        cleaned.demand_read()
        columns = ["id", "file", "row", "duplicate_of", "relation", "measure", "similarity"]
        removed = cleaned.duplicates.select(columns)
        return {
            "counts": cleaned.run["counts"],
            "relations": cleaned.run["relations"],
            "removed": removed.slice(0, _REMOVED).to_pylist(),
            "more": max(0, len(removed) - _REMOVED),
            "warnings": [warning["message"] for warning in cleaned.warnings],
            "out": str(out),
        }


def _passages(text: str, passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """Return the first passages as they are in the examined text ``b``."""
    return [
        {
            "text": _clipped(text[passage.b_start : passage.b_end]),
            "start": passage.b_start,
            "end": passage.b_end,
            "kind": passage.kind,
            "similarity": round(passage.similarity, 3),
        }
        for passage in passages[:_PASSAGES]
    ]


def _clipped(text: str) -> str:
    return text if len(text) <= _CHARACTERS else text[: _CHARACTERS - 1] + "…"


__all__ = ["Tools"]
