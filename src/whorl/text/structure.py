"""Structure of a text: sentences, segments, and the contexts of punctuation marks.

All results are half-open ranges of code points of the original text.
"""

from whorl import _core
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say

RULES = ("length", "sentence", "paragraph")
_TITLE_LENGTH = 60

Span = tuple[int, int]


def sentences(text: str) -> list[Span]:
    """Return the sentences of ``text`` in order, without surrounding white space.

    A sentence ends at a line break, at a sign such as 。！？；…, and at a period that does not belong to a number,
    initial or abbreviation. Closing quotation marks and brackets belong to it.

    Cost: linear.
    """
    return _core.sentences(text)


def segments(text: str, count: int, rule: str = "length") -> list[Span | None]:
    """Split ``text`` into ``count`` segments of about equal length.

    Args:
        text: the text to split.
        count: number of segments, at least 1.
        rule: allowed boundaries: "length" between any two tokens, "sentence", "paragraph".

    Returns:
        The segments in order; None for an empty one.

    Raises:
        NotFoundError: the rule does not exist, or the count is out of range.

    Cost: linear.
    """
    if count < 1:
        raise UsageError(say("{name} is {value}", name="count", value=count), hint=say("ask for one segment or more"))
    if rule not in RULES:
        raise NotFoundError(
            say("there is no rule {rule!r}", rule=rule), hint=say("choose one of: {known}", known=", ".join(RULES))
        )
    return _core.segments(text, count, rule)


def punctuation_contexts(text: str, width: int = 2) -> list[Span]:
    """Return the ``width`` tokens before and after each punctuation, where there are that many.

    Raises:
        UsageError: the width is out of range.

    Cost: linear.
    """
    if width < 1:
        raise UsageError(say("{name} is {value}", name="width", value=width), hint=say("ask for one token or more"))
    return _core.punctuation_contexts(text, width)


def beginning(text: str) -> str:
    """Return a label for a text without title: its first informative line, shortened."""
    line = text.strip().partition("\n")[0].rstrip()
    return line if len(line) <= _TITLE_LENGTH else f"{line[:_TITLE_LENGTH]}…"


__all__ = ["RULES", "beginning", "punctuation_contexts", "segments", "sentences"]
