"""Summary of a run: rows for any presentation, and the plain text for files and pipes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from whorl._internal.cells import cells
from whorl._internal.visible_text import visible
from whorl.i18n import Message, say, translated
from whorl.reports.comparison.wording import RELATIONS
from whorl.reports.figures import Counts, duration, keeping, outputs, part, percent, sentence

_FOLDERS = {"kept": say("kept"), "rejected": say("rejected")}


class Outcome(NamedTuple):
    """What became of some rows.

    Attributes:
        name: the outcome, for readers.
        rows: number of rows.
        kind: "kept", "exact", "near" (any other removal) or "rejected".
    """

    name: Message | str
    rows: int
    kind: str


def outcomes(run: Mapping[str, Any]) -> Iterator[Outcome]:
    """Yield the outcomes of the rows; removals by relation, if the run has relations.

    Args:
        run: content of `run.json`; any key may be missing.
    """
    counts = Counts.of(run)
    yield Outcome(say("kept"), counts.kept, "kept")
    removed = part(part(run, "relations"), "removed")
    for relation, number in removed.items():
        yield Outcome(RELATIONS.get(relation, relation), number, "exact" if relation == "exact" else "near")
    if not removed:
        yield Outcome(say("near"), counts.near, "near")
        yield Outcome(say("exact"), counts.exact, "exact")
    yield Outcome(say("rejected"), counts.rejected, "rejected")


def results(run: Mapping[str, Any]) -> Iterator[tuple[Message | str, str]]:
    """Yield the paths of the results and further figures, each with its name."""
    for name, place in outputs(run):
        yield _FOLDERS.get(name, name), place
    for relation, number in part(part(run, "relations"), "linked").items():
        yield say("kept and linked: {relation}", relation=RELATIONS.get(relation, relation)), f"{number:,}"
    for name, number in (
        (say("boilerplate"), part(run, "boilerplate").get("count")),
        (say("unreadable files"), part(run, "counts").get("unreadable_files")),
        (say("skipped files"), part(run, "skipped").get("count")),
        (say("hot keys"), part(run, "hot_keys").get("count")),
    ):
        if number:
            yield name, f"{number:,}"
    seconds = sum(part(run, "timings").values())
    if seconds:
        yield say("time"), duration(seconds)


def plain_summary(run: Mapping[str, Any]) -> str:
    """Return the summary as lines of text without colors, frames and line breaks in sentences.

    Args:
        run: content of `run.json`; any key may be missing.

    >>> print(plain_summary({"counts": {"rows": 4, "kept": 3, "exact": 1}}))
    Of 4 articles, 1 (25.0%) was removed: 1 exact duplicate.
    <BLANKLINE>
    rows      4
    kept      3  75.0%
    near      0   0.0%
    exact     1  25.0%
    rejected  0   0.0%
    clusters  0
    """
    counts = Counts.of(run)
    figures: list[Sequence[Message | str]] = [
        (say("rows"), f"{counts.rows:,}"),
        *((name, f"{rows:,}", percent(rows, counts.rows)) for name, rows, _ in outcomes(run)),
        (say("clusters"), f"{counts.clusters:,}"),
    ]
    blocks: list[Iterable[str]] = [
        [translated(sentence(run))],
        _aligned(figures, figures=True),
        [visible(translated(remark)) for remark in keeping(run, hints=False)],
        _aligned(list(results(run)), figures=False),
    ]
    return "\n\n".join(filter(None, map("\n".join, blocks)))


def _aligned(rows: Sequence[Sequence[Message | str]], *, figures: bool) -> Iterator[str]:
    """Yield rows as lines: names at the left; what follows too, but figures at the right of their columns."""
    texts = [[visible(translated(cell)) for cell in row] for row in rows]
    widths = [max(map(cells, column)) for column in zip_longest(*texts, fillvalue="")]
    for row in texts:
        gaps = [" " * (width - cells(text)) for text, width in zip(row, widths, strict=False)]
        columns = [f"{row[0]}{gaps[0]}"]
        columns += [f"{gap}{text}" if figures else text for text, gap in zip(row[1:], gaps[1:], strict=True)]
        yield "  ".join(columns).rstrip()


__all__ = ["Outcome", "outcomes", "plain_summary", "results"]
