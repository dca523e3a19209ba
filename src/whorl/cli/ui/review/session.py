"""Interactive review of matches with single keys."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from whorl.cli.ui.review.lines import KEYS, match_line, named
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whorl.tasks.review.run import ReviewQueue, WaitingMatch

_ENDS = ("q", "\x03", "\x04", "\x1b")


def is_asked() -> bool:
    """Return True if a person at a terminal can decide."""
    return sys.stdin.isatty() and sys.stdout.isatty()


class ReviewSession:
    """An interactive review.

    Args:
        library: address of the library.
        queue: the matches to review.
        by: name of the reviewer; empty uses the user of this machine.
    """

    def __init__(self, library: str, queue: ReviewQueue, by: str) -> None:
        self._address, self._queue = library, queue
        self._by = by or os.environ.get("USER", "") or os.environ.get("USERNAME", "")
        self._decided: list[WaitingMatch] = []
        self._note = ""

    def run(self) -> None:
        """Show one match after the other until all are decided or skipped, or the reviewer quits."""
        from whorl.tasks.library.arguments import lent

        waiting = self._queue.open_to(self._by)
        place = 0
        with lent(self._address) as self._library:
            while place < len(waiting):
                self._show(waiting[place], place + 1, len(waiting))
                key = self._key()
                if key in _ENDS:
                    break
                if key == "u":
                    place = max(0, self._taken_back(waiting, place))
                    continue
                if key in KEYS:
                    self._decide(waiting[place], KEYS[key])
                elif key != "s":
                    continue
                place += 1
        count = len(self._decided)
        typer.echo(translated(say_many("{count:,} match decided", "{count:,} matches decided", count)))

    def _key(self) -> str:
        """Return the pressed key; the reviewer may write a note first."""
        while True:
            typer.echo(translated(say("[c]onfirm [d]ismiss [a]uthorised [s]kip [n]ote [u]ndo [q]uit ")), nl=False)
            key = typer.getchar().lower()
            typer.echo(key if key.isprintable() else "")
            if key != "n":
                return key
            self._note = typer.prompt(translated(say("note")), default="", show_default=False)

    def _show(self, match: WaitingMatch, number: int, count: int) -> None:
        from whorl._internal.visible_text import visible
        from whorl.cli.ui.output import columns, print_view
        from whorl.reports.terminal import comparison
        from whorl.tasks.compare.run import compare_documents

        compared = compare_documents(self._library, match.id, match.other)
        width, plain = columns()
        print_view(f"\n{number:,}/{count:,}  {visible(match.id)} ← {visible(match.other)}", match_line(match))
        for line in filter(None, (match.title, match.url, match.other_title, match.other_url)):
            print_view(f"  {visible(line)}")
        for vote in match.votes:
            print_view(visible(f"  {vote.by or '–'}: {named(vote.state)} {vote.note}"))
        print_view(comparison(compared.result, compared.text, compared.sources, width, plain=plain))

    def _decide(self, match: WaitingMatch, state: str) -> None:
        now = self._library.review(
            match.id, match.other, state, by=self._by, note=self._note, reviewers=self._queue.reviewers
        )
        self._note = ""
        self._decided.append(match)
        if now.state != state:
            typer.echo(translated(say("stored; another reviewer must agree before it counts")))

    def _taken_back(self, waiting: Sequence[WaitingMatch], place: int) -> int:
        """Undo the last decision; return the position of its match."""
        if not self._decided:
            typer.echo(translated(say("there is no decision to undo")))
            return place
        last = self._decided.pop()
        self._library.reviews.undo(last.id, last.other, by=self._by, reviewers=self._queue.reviewers)
        return waiting.index(last)


__all__ = ["ReviewSession", "is_asked"]
