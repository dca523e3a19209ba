"""Explain why two texts are, or are not, duplicates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.matching.fields import split
from whorl.matching.verify import Explanation, Figure, Verification
from whorl.matching.verify import explain as explain_part
from whorl.recipe import Recipe, recipe_of
from whorl.tasks.compare.articles import place_label, read_article
from whorl.tasks.library.arguments import Place, Texts, strings
from whorl.types.cards import card
from whorl.types.comparison import plain

LISTED = _core.LISTED
"""Number of kept documents per key at which the key is cut, in a corpus."""


@frozen
class Part:
    """Explanation for one part of two texts.

    >>> import whorl
    >>> [part] = whorl.explain("今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!").parts
    >>> part.part
    'whole'

    Attributes:
        part: "whole"; or "title" or "text" if these are judged separately.
        method: the family that made the fingerprints.
        explanation: the keys, the similarities and the judgment.
    """

    part: str
    method: str
    explanation: Explanation


@frozen
class ExplanationSet:
    """Explanation of why two texts are, or are not, duplicates.

    >>> import whorl
    >>> whorl.explain("今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!").copies
    True

    Attributes:
        a: name of the text that may be dropped.
        b: name of the other text.
        copies: True if they are duplicates.
        combine: if title and text are judged separately: "and" if both must be duplicates, "or" if one suffices. Else
            None.
        parts: the whole text, or title and text.
    """

    a: str
    b: str
    copies: bool
    combine: str | None
    parts: tuple[Part, ...]

    def _repr_html_(self) -> str:
        columns = (say("part"), say("method"), say("copy"), say("reason"))
        rows = [(part.part, part.method, part.explanation.copies, part.explanation.reason) for part in self.parts]
        return card(f"{self.a} – {self.b}", [(say("copy"), self.copies)], columns=columns, rows=rows, count=len(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON; if the whole text is judged, its figures are at the top level."""
        named = {"a": self.a, "b": self.b}
        if self.combine is None:
            (whole,) = self.parts
            return named | {"method": whole.method} | plain(whole.explanation)
        fields = {part.part: plain(part.explanation) for part in self.parts}
        return named | {"combine": self.combine, "copies": self.copies, "fields": fields}


def explain(
    a: str,
    b: str,
    *,
    method: str | None = None,
    threshold: float | None = None,
    verify: str | Mapping[str, Any] | None = None,
    recipe: Recipe | Place | None = None,
) -> ExplanationSet:
    """Judge two texts as a deduplication would, and explain the judgment.

    >>> import whorl
    >>> found = whorl.explain("今天天气很好，适合出门。", "今天天气很好,适合出门!")
    >>> found.copies, found.parts[0].explanation.reason
    (True, 'the Jaccard similarity 1.0000 reaches the threshold 0.8')

    Args:
        a: the text that may be dropped.
        b: the other text.
        method: a method or preset.
        threshold: minimum similarity of a duplicate, inclusive.
        verify: additional exact measure to reach, or a mapping of the fields of ``whorl.matching.verify.Verification``.
        recipe: further settings; the arguments above override it.

    Raises:
        UsageError: a value is unknown or out of range, or a text is not a string.
        InputError: the recipe cannot be read.

    Cost: linear in both texts, except for "edit": n² / 64 steps.
    """
    if not all(isinstance(text, str) for text in (a, b)):
        raise UsageError(say("expected texts of type str"), hint=say("decode bytes, and drop missing values"))
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
) -> ExplanationSet:
    """Explain the judgment on two articles in files, like ``explain``.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> whorl.explain_files(f"{news}:1", f"{news}:2").copies
    False

    Args:
        a: the text that may be dropped: a text, HTML, DOCX or PDF file, ``FILE:ROW`` for a row of a file with several,
            or ``-`` for standard input.
        b: the other text, in the same notation.
        text: the columns that make up the text.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        method: as for ``explain``, like the next three.
        threshold: minimum similarity of a duplicate.
        verify: additional exact measure to reach.
        recipe: further settings.

    Raises:
        UsageError: a value is unknown or out of range, or a file has several rows and no row is selected.
        InputError: a file or row does not exist or cannot be read.
    """
    if a == b == "-":
        raise UsageError(say("stdin can be only one of the two texts"), hint=say("save the other to a file"))
    judged = {"method": method, "threshold": threshold, "verify": verify}
    chosen = recipe_of(recipe, text=strings(text), encoding=encoding, **judged)
    texts = [(place_label(place), read_article(place, chosen, may_be_empty=True)) for place in (a, b)]
    return _explained(texts[0], texts[1], chosen)


def _explained(a: tuple[str, str], b: tuple[str, str], recipe: Recipe) -> ExplanationSet:
    pair = [a[1], b[1]]
    halves = [pair] if recipe.fields is None else split(pair)
    parts = tuple(
        Part(
            judgement.part,
            judgement.family.name,
            explain_part(
                text_a,
                text_b,
                judgement.family,
                judgement.threshold,
                judgement.verification,
                (a[1], b[1]),
                recipe.remove,
            ),
        )
        for judgement, (text_a, text_b) in zip(recipe.judgements(), halves, strict=True)
    )
    combine = None if recipe.fields is None else recipe.combine
    copies = (any if combine == "or" else all)(part.explanation.copies for part in parts)
    return ExplanationSet(a[0], b[0], copies, combine, parts)


__all__ = ["LISTED", "Explanation", "ExplanationSet", "Figure", "Part", "Verification", "explain", "explain_files"]
