"""``whorl review``: decide about the matches of a library, in order or by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import Json, Place
from whorl.cli.ui.review.lines import named
from whorl.cli.ui.zones import shows_times
from whorl.i18n import say, say_many, translated
from whorl.types.times import shown_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from whorl.tasks.review.run import ReviewQueue

REVIEW_EPILOG = Epilog(
    examples(
        ("whorl review newsroom", say("one after the other, with single keys")),
        ("whorl review newsroom --list --top 20", say("list pending matches")),
        ("whorl review newsroom b7 a1 --state confirmed", say("decide one")),
        ("whorl review newsroom b7 a1 --undo", say("undo")),
        "whorl review newsroom --json --states confirmed,authorised",
    ),
    Section(
        say("Keys"),
        [
            ("c", say("confirm: it is a copy")),
            ("d", say("dismiss: it is not a copy")),
            ("a", say("authorised: a copy with permission")),
            ("s", say("skip")),
            ("n", say("write a note first")),
            ("u", say("undo the last decision")),
            ("q", say("quit")),
        ],
    ),
)

State = Literal["pending", "confirmed", "rejected", "authorised"]
Id = Annotated[str | None, typer.Argument(metavar="ID", show_default=False, help="Id of an article.")]
Other = Annotated[
    str | None, typer.Argument(metavar="OTHER", show_default=False, help="Id of the other article of the match.")
]
Decided = Annotated[
    State | None,
    typer.Option(
        "--state", metavar="STATE", show_default=False, help="Decide: confirmed, rejected, authorised or pending."
    ),
]
By = Annotated[str, typer.Option(metavar="NAME", show_default=False, help="Name of the reviewer.")]
Note = Annotated[str, typer.Option(metavar="TEXT", show_default=False, help="Reason.")]
Undo = Annotated[bool, typer.Option("--undo", help="Undo the last decision about the match.")]
Recount = Annotated[
    bool, typer.Option("--recount", help="Recompute all states after changing the number of reviewers.")
]
List = Annotated[bool, typer.Option("--list", help="List the pending matches without asking.")]
Top = Annotated[int | None, typer.Option(min=1, metavar="N", help="Maximum number. (default: all)")]
InCollection = Annotated[
    str | None,
    typer.Option(
        "--among",
        metavar="COLLECTION",
        show_default=False,
        help="Only matches with articles of this collection. (default: protected, if it has articles)",
    ),
]
States = Annotated[
    list[str] | None, typer.Option(metavar="STATE,...", show_default=False, help="States to show. (default: pending)")
]
Reviewers = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Number of reviewers who must agree, each named by --by. For whorl.toml."),
]


@shows_times
def review(
    library: Place,
    id: Id = None,
    other: Other = None,
    state: Decided = None,
    by: By = "",
    note: Note = "",
    undo: Undo = False,
    recount: Recount = False,
    list_only: List = False,
    top: Top = None,
    collection: InCollection = None,
    states: States = None,
    reviewers: Reviewers = 1,
    json: Json = False,
) -> None:
    """Review the matches of a library, the most severe first: copy, no copy, or authorised reprint.

    On a terminal each match is shown and decided with one key; otherwise matches are listed. Decisions affect clusters
    and alerts, and the estimated probability that similar matches are right.
    """
    from whorl.cli.ui.options import column_names
    from whorl.errors import UsageError
    from whorl.tasks.review.run import recount_reviews, review_queue

    if recount:
        if id is not None or state is not None or undo:
            raise UsageError(say("--recount applies to all matches, but a match is named"), hint=say("omit it"))
        _tell_changed(recount_reviews(library, reviewers=reviewers), json=json)
        return
    if id is not None:
        if other is None:
            raise UsageError(say("only one article is named"), hint=say("name both articles of the match"))
        _review_match(library, id, other, state, by, note, undo=undo, reviewers=reviewers, json=json)
        return
    if state is not None or undo:
        raise UsageError(say("no match is selected"), hint=say("name both articles of the match"))
    queue = review_queue(
        library, collection=collection, states=column_names(states) or "pending", top=top, reviewers=reviewers
    )
    _show(library, queue, by, list_only=list_only, json=json)


def _tell_changed(changed: int, *, json: bool) -> None:
    from whorl.cli.ui.output import print_json, print_view

    if json:
        print_json({"changed": changed})
    else:
        print_view(translated(say_many("{count:,} match changed state", "{count:,} matches changed state", changed)))


def _show(library: str, queue: ReviewQueue, by: str, *, list_only: bool, json: bool) -> None:
    from whorl.cli.ui.output import print_json, print_view
    from whorl.cli.ui.review.session import ReviewSession, is_asked

    if json:
        print_json(queue.to_dict())
    elif list_only or not is_asked():
        print_view(*_queue(queue))
    else:
        ReviewSession(library, queue, by).run()


def _review_match(
    library: str,
    id: str,
    other: str,
    state: State | None,
    by: str,
    note: str,
    *,
    undo: bool,
    reviewers: int,
    json: bool,
) -> None:
    """Decide about one match, undo a decision, or show the decisions."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.errors import UsageError
    from whorl.tasks.review.run import decisions, undo_review
    from whorl.tasks.review.run import review as decide

    if state is not None and undo:
        raise UsageError(say("a decision and --undo exclude each other"), hint=say("use only one of them"))
    if state is not None:
        decide(library, id, other, state, by=by, note=note, reviewers=reviewers)
    elif undo:
        undo_review(library, id, other, by=by, reviewers=reviewers)
    listed = decisions(library, id, other)
    if json:
        print_json([decision.to_dict() for decision in listed])
        return
    from whorl._internal.visible_text import visible
    from whorl.reports.tables import new_table

    table = new_table()
    for heading in (say("when"), say("who"), say("decided"), say("note"), say("undone by")):
        table.add_column(translated(heading))
    for decision in listed:
        undone = "" if decision.undone_at is None else decision.undone_by or "–"
        table.add_row(
            shown_time(decision.at), *map(visible, (decision.by, named(decision.state), decision.note, undone))
        )
    print_view(table)


def _queue(queue: ReviewQueue) -> Iterator[RenderableType]:
    from whorl._internal.visible_text import visible
    from whorl.reports.tables import new_table
    from whorl.types.comparison import percent

    table = new_table()
    headings = (say("severity"), say("copy"), say("original"), say("of original"), say("characters"), say("likely"))
    for heading in (*headings, say("decided")):
        table.add_column(translated(heading), overflow="fold")
    for match in queue.matches:
        likely = "–" if match.probability is None else f"{percent(match.probability)} ({match.decided_of:,})"
        votes = ", ".join(f"{vote.by or '–'}: {named(vote.state)}" for vote in match.votes)
        shares = (percent(match.share), f"{match.length:,}", likely)
        table.add_row(f"{match.severity:,.1f}", visible(match.id), visible(match.other), *shares, visible(votes))
    yield table
    yield str(translated(say_many("{count:,} match waits", "{count:,} matches wait", queue.waiting)))
    for band in queue.bands:
        if band.probability is not None:
            yield str(
                translated(
                    say(
                        "{low}–{high} shared: {right:,} right of {count:,} decided, so {share} (95%: {least}–{most})",
                        low=percent(band.low),
                        high=percent(band.high),
                        right=band.right,
                        count=band.right + band.wrong,
                        share=percent(band.probability),
                        least=percent(band.interval[0]),
                        most=percent(band.interval[1]),
                    )
                )
            )
    if queue.unlisted:
        yield str(translated(say("{count:,} further matches of articles with too many", count=queue.unlisted)))


__all__ = ["REVIEW_EPILOG", "review"]
