"""Help section that recommends a method by use case."""

from typing import NamedTuple

from whorl.cli.ui.epilogs import Section
from whorl.i18n import Message, say


class Advice(NamedTuple):
    """A recommended method.

    Attributes:
        have: the kind of corpus.
        go: the documents to remove.
        method: the recommended method or preset.
        keep: the rule that decides which duplicate is kept.
    """

    have: Message
    go: Message
    method: str
    keep: str


ADVICE = (
    Advice(
        say("a news desk"),
        say("exact copies, near-duplicates, excerpts with little new text; the rest is linked"),
        "news",
        "earliest",
    ),
    Advice(say("web pages"), say("the same text in different page layouts"), "web", "best"),
    Advice(say("a training corpus"), say("whole texts that are near-duplicates"), "corpus", "best"),
    Advice(say("short posts"), say("copies with a few changes"), "news", "earliest"),
    Advice(
        say("manuals, contracts, forms, laws, licenses, code"),
        say("whole texts that are near-duplicates"),
        "corpus",
        "latest",
    ),
    Advice(say("Chinese books"), say("retyped text, including homophones"), "novel", "longest"),
)


def advice() -> Section:
    """Return a help section with a line for each use case."""
    rows = [
        (f"--method {case.method} --keep {case.keep}", say("{have}: {go}", have=case.have, go=case.go))
        for case in ADVICE
    ]
    return Section(say("Which method"), rows)


__all__ = ["ADVICE", "Advice", "advice"]
