"""What a library was made with: the recipe of its keys, and the rules by which it judges and forgets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, TypedDict

from whorl import _core
from whorl.errors import InputError, UsageError
from whorl.fingerprints import Family, Fingerprints, Indexed, Local, Resembling, Seeking
from whorl.language import say
from whorl.recipe import Recipe
from whorl.stores.records import PERIODS

USUAL_RECIPE = "library"
CLOCKS = ("published", "first_seen")
_UNITS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
_SPAN = re.compile(r"([1-9][0-9]*)([hdw])")
_MICROSECONDS = 1_000_000
_VERSION = 2
_TOLD_BY_KEYS = ("winnowing", "exact")
"""The methods whose keys alone tell what two texts share."""
_KEPT = ("method", "threshold", "parameters")
"""What of a recipe decides; the rest says how files are read."""


@dataclass(frozen=True)
class Rules:
    """By what a library judges and forgets.

    >>> from whorl.results import Rules
    >>> Rules(window="30d").hits
    3

    Attributes:
        similarity: two articles are of one cluster from this share of each of them on that is copied from
            the other, inclusive, in (0, 1].
        containment: and from this share of either of them on.
        least: folded code points that two articles must share to be a match, unless they are of one cluster.
        hits: keys that a candidate must share with a text of ``few`` keys or more; the method may demand more of any.
        few: keys of a text that is too short for that: one in common is enough.
        compared: how many candidates are compared at most, those with the most keys in common.
        most: how many matches an answer lists at most.
        most_documents: a key that more articles have is boilerplate and is not looked at, but for the first 64 of them
            where a text has more such keys than others.
        texts: whether the texts are kept. Without them the figures are estimated from fingerprints, and there are no
            passages.
        window: None, or a span such as "36h", "30d" or "4w": articles that are further apart are never matched.
        clock: by which time a window goes: "published" (first seen where it is not known) or "first_seen".

    Raises:
        UsageError: a value is out of range.
    """

    similarity: float = 0.5
    containment: float = 0.7
    least: int = 13
    hits: int = 3
    few: int = 80
    compared: int = 32
    most: int = 32
    most_documents: int = 1000
    texts: bool = True
    window: str | None = None
    clock: str = "published"

    def __post_init__(self) -> None:
        for name in ("similarity", "containment"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
                raise UsageError(
                    say("{name} is {value!r}, not in (0, 1]", name=name, value=value),
                    cure=say("give a share such as 0.5"),
                )
        for name in ("least", "hits", "few", "compared", "most", "most_documents"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise UsageError(
                    say("{name} is {value!r}, not a whole number from 1", name=name, value=value),
                    cure=say("give a number such as 32"),
                )
        if type(self.texts) is not bool:
            raise UsageError(
                say("{name} is {value!r}, neither true nor false", name="texts", value=self.texts),
                cure=say("leave it away"),
            )
        if self.clock not in CLOCKS:
            raise UsageError(
                say("{name} is {value!r}", name="clock", value=self.clock),
                cure=say("choose one of: {known}", known=", ".join(CLOCKS)),
            )
        if self.window is not None:
            span(self.window)

    def needed(self, keys: int) -> int:
        """How many keys a candidate must share with a text of so many."""
        return self.hits if keys >= self.few else 1

    @cached_property
    def span(self) -> int | None:
        """The window in microseconds; None without one."""
        return None if self.window is None else span(self.window)

    @cached_property
    def step(self) -> int:
        """Microseconds of a period, within which articles that say the same share a content; 0 without a window."""
        return 0 if self.span is None else max(1, self.span // PERIODS)


def span(text: str) -> int:
    """Return the microseconds of a span such as ``36h``, ``30d`` or ``4w``.

    Raises:
        UsageError: it is none.
    """
    parts = _SPAN.fullmatch(str(text))
    if parts is None:
        raise UsageError(
            say("{text!r} is no span of time", text=text), cure=say("give hours, days or weeks, such as 36h, 30d or 4w")
        )
    return int(parts[1]) * _UNITS[parts[2]] * _MICROSECONDS


class GivenRules(TypedDict, total=False):
    """The fields of `Rules` that are given, by name."""

    similarity: float
    containment: float
    least: int
    hits: int
    few: int
    compared: int
    most: int
    most_documents: int
    texts: bool
    window: str | None
    clock: str


@dataclass(frozen=True)
class Making:
    """What a library was made with.

    Attributes:
        recipe: how keys are made; its columns say what is read of files.
        rules: how it judges.
    """

    recipe: Recipe
    rules: Rules

    def __post_init__(self) -> None:
        if self.recipe.fields is not None:
            cure = say("leave the fields away: the title is kept apart and never hides a copy")
            raise UsageError(say("a library judges texts as a whole"), cure=cure)
        if not self.rules.texts and not (isinstance(self.family, Resembling) or self.recipe.method in _TOLD_BY_KEYS):
            cure = say(
                "keep the texts, or choose one of: {known}, minhash, simhash",
                known=", ".join(_TOLD_BY_KEYS),
            )
            raise UsageError(
                say("without texts nothing can be estimated from the keys of '{method}'", method=self.recipe.method),
                cure=cure,
            )

    @cached_property
    def family(self) -> Family:
        """What makes the keys."""
        return self.recipe.family()

    @cached_property
    def seeking(self) -> Seeking | None:
        """What makes the keys, where it looks up by others; to find that out costs as much as a lookup."""
        return self.family if isinstance(self.family, Seeking) else None

    @cached_property
    def local(self) -> Local | None:
        """What makes the keys, where each is made of one stretch of a text."""
        return self.family if isinstance(self.family, Local) else None

    @cached_property
    def _indexed(self) -> Indexed | None:
        return self.family if isinstance(self.family, Indexed) else None

    def fingerprint(self, texts: Sequence[str] | _core.UnpackedTexts) -> Fingerprints:
        """Fingerprint texts with the keys by which the index finds them."""
        prints = self.family.fingerprint(texts)
        return prints if self._indexed is None else self._indexed.indexed(prints)

    @cached_property
    def described(self) -> str:
        """Everything that decides, as JSON."""
        recipe = {name: value for name, value in self.recipe.as_dict().items() if name in _KEPT}
        versions = {"version": _VERSION, "fold": _core.FOLD_VERSION}
        return json.dumps(recipe | {"library": asdict(self.rules)} | versions, sort_keys=True)

    def kept_rules(self) -> dict[str, Any]:
        """The rules by name."""
        return asdict(self.rules)

    @cached_property
    def name(self) -> str:
        """The method and a short digest of all that decides."""
        return f"{self.recipe.method}/{sha256(self.described.encode()).hexdigest()[:12]}"


def making(recipe: Recipe | None, changes: Mapping[str, Any]) -> Making:
    """Return what a new library is made with.

    Args:
        recipe: None takes the preset ``USUAL_RECIPE``.
        changes: of the rules that the recipe has in its table ``[library]``; those that are None change nothing.

    Raises:
        UsageError: a rule is unknown or out of range.
    """
    chosen = Recipe().changed(method=USUAL_RECIPE) if recipe is None else recipe
    given = {**chosen.library, **{name: value for name, value in changes.items() if value is not None}}
    unknown = sorted(given.keys() - {field.name for field in fields(Rules)})
    if unknown:
        known = ", ".join(field.name for field in fields(Rules))
        raise UsageError(
            say("a library has no rule '{name}'", name=unknown[0]), cure=say("known: {known}", known=known)
        )
    return Making(chosen, Rules(**given))


def made_with(described: str) -> Making:
    """Return what a library was made with, from its own description.

    Raises:
        UsageError: another version of whorl made it, whose keys are others.
        InputError: the description is damaged.
    """
    try:
        return _made_with(json.loads(described))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        problem = say("what the library says it was made with is damaged: {error}", error=error)
        raise InputError(problem, cure=say("restore a backup")) from error


def _made_with(kept: Any) -> Making:
    versions = (kept.get("version"), kept.get("fold"))
    if versions != (_VERSION, _core.FOLD_VERSION):
        cure = say("use that version to `whorl library export` it, and add the file to a new library")
        raise UsageError(
            say(
                "another version of whorl made this library: {version}, fold {fold}",
                version=versions[0],
                fold=versions[1],
            ),
            cure=cure,
        )
    parameters = {name: _plain(value) for name, value in kept["parameters"].items()}
    recipe = Recipe(method=kept["method"])
    known = {field.name for field in fields(recipe.family())}  # type: ignore[arg-type]
    own = {name: value for name, value in parameters.items() if name in known}
    chosen = Recipe(method=kept["method"], threshold=kept["threshold"], parameters=own)
    return Making(chosen, Rules(**kept["library"]))


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list) else value


__all__ = ["CLOCKS", "USUAL_RECIPE", "Making", "Rules", "made_with", "making", "span"]
