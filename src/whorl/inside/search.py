"""What to search for within documents, and what to do with it."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.inside.approved import ApprovedTexts

Kind = Literal["lines", "sentences", "paragraphs", "passages"]
Action = Literal["cut", "mask", "tag"]

KINDS: tuple[str, ...] = get_args(Kind)
ACTIONS: tuple[str, ...] = get_args(Action)
REPETITION = ("measure", "filter")
"""What is done with measures of the repetition within documents."""
NONE = "none"
"""Rule that keeps no occurrence."""
MASK = "[…]"
"""Default replacement of masked text."""

_LETTERS = {"lines": 60, "sentences": 60, "paragraphs": 60, "passages": 150}
_LEARNED_LETTERS = {"lines": 6, "sentences": 6, "paragraphs": 6, "passages": 60}
_MIN_PASSAGE = {"letters": 12, "tokens": 4}
_LENGTH = re.compile(r"(\d+)\s*(letters?|tokens?|l|t)?", re.IGNORECASE)


@frozen
class Strip:
    """What is stripped from documents, and how.

    Attributes:
        inside: the kind of repeated text: "lines", "sentences", "paragraphs" or "passages".
        least: minimum length of repeated text: letters, where a character of a script written without spaces counts as
            three, or tokens: "20 tokens". None is 60 letters, for passages 150.
        repeats: minimum number of occurrences.
        per: a column; only documents with the same value are compared. An address counts as its host.
        keep: the rule whose first document keeps the text; "none" removes the first occurrence too.
        action: "cut" removes, "mask" replaces by ``mask``, and "tag" only lists repeated text.
        mask: the replacement.
        drop_below: documents of which less than this length is left are dropped. Others are never dropped.
        by: a column; what its values share is counted.
        repetition: "measure" lists the repetition within each document, "filter" also drops documents above a
            published limit, before anything else; None does neither.
        approved: if not None, only these texts are cut, at every occurrence, and ``least``, ``repeats`` and ``keep``
            do not matter.

    Raises:
        UsageError: a value is out of range.
    """

    inside: str = "passages"
    least: int | str | None = None
    repeats: int = 2
    per: str | None = None
    keep: str | None = None
    action: str = "cut"
    mask: str = MASK
    drop_below: int = 1
    by: str | None = None
    repetition: str | None = None
    approved: ApprovedTexts | None = None

    def __post_init__(self) -> None:
        if self.inside not in KINDS:
            raise UsageError(
                say("unknown unit {unit!r}", unit=self.inside),
                hint=say("choose one of {names}", names=", ".join(KINDS)),
            )
        if self.action not in ACTIONS:
            raise UsageError(
                say("unknown action {action!r}", action=self.action),
                hint=say("choose one of {names}", names=", ".join(ACTIONS)),
            )
        if self.repetition not in (None, *REPETITION):
            raise UsageError(
                say("{name} is {value!r}", name="repetition", value=self.repetition),
                hint=say("choose one of {names}", names=", ".join(REPETITION)),
            )
        for name, limit in (("repeats", 2), ("drop_below", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < limit:
                raise UsageError(
                    say("{name} is {value!r}", name=name, value=value),
                    hint=say("use an integer of at least {limit}", limit=limit),
                )
        length, measure = self.length
        minimum = _MIN_PASSAGE[measure] if self.inside == "passages" else 1
        if length < minimum:
            raise UsageError(
                say("{name} is {value!r}", name="least", value=self.least),
                hint=say("use at least {limit} {measure}", limit=minimum, measure=measure),
            )

    @classmethod
    def of(cls, inside: str | None, approved: str | Path | None = None, **values: Any) -> Strip:
        """Return the settings for the arguments of ``whorl.strip``; those of a list follow from it.

        Raises:
            UsageError: a value is out of range, or contradicts the list.
            InputError: the list cannot be read, or a row of it is wrong.
        """
        if approved is None:
            return cls(inside or "passages", **values)
        for name, default in (("least", None), ("repeats", 2), ("keep", None)):
            if values.get(name, default) not in (default, NONE):
                raise UsageError(
                    say("{name} does not apply to a list of approved text", name=name),
                    hint=say("leave it out; every occurrence of an approved text goes"),
                )
        listed = ApprovedTexts.read(approved)
        if None not in (inside, listed.inside) and inside != listed.inside:
            raise UsageError(
                say("{path} is a list of {listed}, not of {unit}", path=approved, listed=listed.inside, unit=inside),
                hint=say("leave out --inside"),
            )
        listed.demand_sites(values.get("per"))
        return cls(inside or listed.inside or "lines", approved=listed, **{**values, "keep": NONE})

    @classmethod
    def to_learn(
        cls, inside: str | None, least: int | str | None, repeats: int, per: str | None, by: str | None
    ) -> Strip:
        """Return the settings for the arguments of ``whorl.learn_boilerplate_files``: every occurrence is listed.

        Raises:
            UsageError: a value is out of range.
        """
        unit = inside or "lines"
        length = _LEARNED_LETTERS.get(unit) if least is None else least
        return cls(unit, length, repeats, per, keep=NONE, action="tag", by=by)

    @property
    def keeps(self) -> bool:
        """True if an occurrence of repeated text stays."""
        return self.keep != NONE

    @property
    def rule(self) -> str | None:
        """The rule that ranks the documents."""
        return self.keep if self.keeps else None

    @property
    def length(self) -> tuple[int, str]:
        """The minimum length and its measure, "letters" or "tokens".

        Raises:
            UsageError: it is not a length.
        """
        if self.approved is not None:
            return self.approved.min_letters, "letters"
        if self.least is None:
            return _LETTERS[self.inside], "letters"
        match = None if isinstance(self.least, bool) else _LENGTH.fullmatch(str(self.least).strip())
        if match is None or int(match[1]) >= 2**31:
            raise UsageError(
                say("{name} is {value!r}", name="least", value=self.least),
                hint=say("use a number of letters, such as 60, or of tokens, such as '20 tokens'"),
            )
        return int(match[1]), "tokens" if (match[2] or "l").lower().startswith("t") else "letters"

    @property
    def search(self) -> _core.InsideSearch:
        """The search for the core."""
        length, measure = self.length
        return _core.InsideSearch(self.inside, measure, length)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain data, with the resolved length."""
        length, measure = self.length
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "approved"}
        listed = {} if self.approved is None else {"approved": self.approved.path, "digest": self.approved.digest}
        return {**values, **listed, "least": length, "measure": measure}


__all__ = ["ACTIONS", "KINDS", "MASK", "NONE", "REPETITION", "Action", "Kind", "Strip"]
