"""What a text is made of: sentences, segments, and the surroundings of its punctuation marks.

Everything is given by its place: a half-open range of code points of the text as it stands.
"""

from whorl import _core
from whorl.errors import NotFoundError, UsageError
from whorl.language import say

RULES = ("length", "sentence", "paragraph")
_TITLE_LENGTH = 60

Span = tuple[int, int]


def sentences(text: str) -> list[Span]:
    """Return the sentences of ``text`` in order, without the white space around them.

    A sentence ends at a line break, at a sign such as 。！？；…, and at a full stop that belongs to no number, initial
    or abbreviation; closing quotation marks and brackets stay with it.

    Cost: linear.
    """
    return _core.sentences(text)


def segments(text: str, count: int, rule: str = "length") -> list[Span | None]:
    """Return ``count`` segments of ``text`` of equal length, as near as the rule allows.

    Args:
        text: the text to cut.
        count: how many segments, 1 or more.
        rule: where a cut may be: "length" between any two tokens, "sentence", "paragraph".

    Returns:
        The segments in order; None for one that is empty.

    Raises:
        NotFoundError: there is no such rule, or the count is out of range.

    Cost: linear.
    """
    if count < 1:
        raise UsageError(say("{name} is {value}", name="count", value=count), cure=say("ask for one segment or more"))
    if rule not in RULES:
        raise NotFoundError(
            say("there is no rule {rule!r}", rule=rule), cure=say("choose one of: {known}", known=", ".join(RULES))
        )
    return _core.segments(text, count, rule)


def punctuation_contexts(text: str, width: int = 2) -> list[Span]:
    """Return the ``width`` tokens before and behind each place with punctuation marks, where there are that many.

    Raises:
        UsageError: the width is out of range.

    Cost: linear.
    """
    if width < 1:
        raise UsageError(say("{name} is {value}", name="width", value=width), cure=say("ask for one token or more"))
    return _core.punctuation_contexts(text, width)


def beginning(text: str) -> str:
    """Return what a text without a title is called: its first line that says something, cut where it is long."""
    line = text.strip().partition("\n")[0].rstrip()
    return line if len(line) <= _TITLE_LENGTH else f"{line[:_TITLE_LENGTH]}…"


__all__ = ["RULES", "beginning", "punctuation_contexts", "segments", "sentences"]
