"""Why two texts are, or are not, copies of each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from whorl import _core
from whorl.cards import card
from whorl.errors import UsageError
from whorl.language import say
from whorl.matching.fields import split
from whorl.matching.verify import Explanation, Figure, Verification
from whorl.matching.verify import explain as explain_part
from whorl.model import plain
from whorl.recipe import Recipe, recipe_of
from whorl.tasks.arguments import Place, Texts, strings
from whorl.tasks.articles import read_article, shown

LISTED = _core.LISTED
"""How many kept documents share a key before it is cut, in a corpus."""


@dataclass(frozen=True, slots=True)
class Part:
    """Why a part of two texts is, or is not, that of copies.

    >>> import whorl
    >>> [part] = whorl.explain("今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!").parts
    >>> part.part
    'whole'

    Attributes:
        part: "whole"; or "title" or "text", where these are judged apart.
        method: the family that made the fingerprints.
        found: the keys, the figures and the judgement.
    """

    part: str
    method: str
    found: Explanation


@dataclass(frozen=True, slots=True)
class Explained:
    """Why two texts are, or are not, copies.

    >>> import whorl
    >>> whorl.explain("今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!").copies
    True

    Attributes:
        a: what the one that may be dropped is called.
        b: what the other is called.
        copies: the answer.
        combine: where title and text are judged apart: "and", both must judge a copy; "or", one of them. Else None.
        parts: the whole text, or title and text.
    """

    a: str
    b: str
    copies: bool
    combine: str | None
    parts: tuple[Part, ...]

    def _repr_html_(self) -> str:
        columns = (say("part"), say("method"), say("copy"), say("reason"))
        rows = [(own.part, own.method, own.found.copies, own.found.reason) for own in self.parts]
        return card(f"{self.a} – {self.b}", [(say("copy"), self.copies)], columns=columns, rows=rows, count=len(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON; where the whole text is judged, its figures stand at the top."""
        named = {"a": self.a, "b": self.b}
        if self.combine is None:
            (whole,) = self.parts
            return named | {"method": whole.method} | plain(whole.found)
        fields = {part.part: plain(part.found) for part in self.parts}
        return named | {"combine": self.combine, "copies": self.copies, "fields": fields}


def explain(
    a: str,
    b: str,
    *,
    method: str | None = None,
    threshold: float | None = None,
    verify: str | Mapping[str, Any] | None = None,
    recipe: Recipe | Place | None = None,
) -> Explained:
    """Judge two texts the way a deduplication would, and say why.

    >>> import whorl
    >>> found = whorl.explain("今天天气很好，适合出门。", "今天天气很好,适合出门!")
    >>> found.copies, found.parts[0].found.reason
    (True, 'their exact jaccard 1.0000 reaches the threshold 0.8')

    Args:
        a: one text, the one that may be dropped.
        b: the other.
        method: a method or preset.
        threshold: from which similarity they are copies, inclusive.
        verify: an exact figure to reach besides: its measure, or a mapping of the fields of
            ``whorl.matching.verify.Verification``.
        recipe: the rest; the arguments above override it.

    Raises:
        UsageError: a value is unknown or out of range, or a text is no string.
        InputError: the recipe cannot be read.

    Cost: linear in both texts, but for "edit": n² / 64 steps.
    """
    if not all(isinstance(text, str) for text in (a, b)):
        raise UsageError(say("expected texts of type str"), cure=say("decode bytes, and drop missing values"))
    return _explained(("a", a), ("b", b), recipe_of(recipe, method=method, threshold=threshold, verify=verify))


def explain_files(
    a: str,
    b: str,
    *,
    text: Texts | None = None,
    encoding: str | None = None,
    method: str | None = None,
    threshold: float | None = None,
    verify: str | Mapping[str, Any] | None = None,
    recipe: Recipe | Place | None = None,
) -> Explained:
    """Say of two articles in files what ``explain`` says of two texts.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> whorl.explain_files(f"{news}:1", f"{news}:2").copies
    False

    Args:
        a: the one that may be dropped: a text, HTML, DOCX or PDF file, ``FILE:ROW`` for a row of a file that has many,
            or ``-`` for a text on standard input.
        b: the other, named likewise.
        text: the columns that make the text.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        method: as of ``explain``, like the next three.
        threshold: from which similarity they are copies.
        verify: an exact figure to reach besides.
        recipe: the rest.

    Raises:
        UsageError: a value is unknown or out of range; a file has many rows and none is named.
        InputError: a file cannot be read, or has no such row.
    """
    if a == b == "-":
        raise UsageError(say("stdin can be only one of the two texts"), cure=say("put the other in a file"))
    judged = {"method": method, "threshold": threshold, "verify": verify}
    chosen = recipe_of(recipe, text=strings(text), encoding=encoding, **judged)
    return _explained((shown(a), read_article(a, chosen)), (shown(b), read_article(b, chosen)), chosen)


def _explained(a: tuple[str, str], b: tuple[str, str], recipe: Recipe) -> Explained:
    pair = [a[1], b[1]]
    halves = [pair] if recipe.fields is None else split(pair)
    parts = tuple(
        Part(
            own.part,
            own.family.name,
            explain_part(one, other, own.family, own.threshold, own.verification, (a[1], b[1]), recipe.remove),
        )
        for own, (one, other) in zip(recipe.judgements(), halves, strict=True)
    )
    combine = None if recipe.fields is None else recipe.combine
    copies = (any if combine == "or" else all)(part.found.copies for part in parts)
    return Explained(a[0], b[0], copies, combine, parts)


__all__ = ["LISTED", "Explained", "Explanation", "Figure", "Part", "Verification", "explain", "explain_files"]
