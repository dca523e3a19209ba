"""Recipe and rules of a library: how its keys are made, and how it judges and forgets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, TypedDict

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import InputError, UsageError, WhorlError
from whorl.fingerprints import Family, Fingerprints, Indexed, Local, Resembling, Seeking
from whorl.i18n import say
from whorl.library.word_files import demand_unchanged, digests_of, word_files
from whorl.recipe import Recipe
from whorl.stores.records import PERIODS

USUAL_RECIPE = "library"
CLOCKS = ("published", "first_seen")
_UNITS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
_SPAN = re.compile(r"([1-9][0-9]*)([hdw])")
_MICROSECONDS = 1_000_000
_VERSION = 2
_TOLD_BY_KEYS = ("winnowing", "exact")
"""Methods whose keys alone show how much two texts share."""
_KEPT = ("method", "threshold", "parameters")
"""Fields of a recipe that affect results; the others say how files are read."""


@frozen(slots=False)
class Rules:
    """Rules by which a library judges and forgets.

    >>> from whorl.results import Rules
    >>> Rules(window="30d").hits
    3

    Attributes:
        similarity: minimum copied share of both articles for one cluster, inclusive, in (0, 1].
        containment: minimum copied share of either article for one cluster.
        least: minimum normalised code points in common for a match of articles that are not in one cluster.
        hits: minimum keys that a candidate must share with a text of ``few`` or more keys; a method may require more.
        few: texts with fewer keys need only one key in common.
        compared: maximum number of candidates compared, those with the most keys in common.
        most: maximum number of matches in a report.
        most_documents: keys of more articles count as boilerplate and are cut. If most keys of a text are cut, the
            first 64 articles of each are still examined.
        texts: whether texts are kept. Without them figures are estimated from fingerprints, and there are no passages.
        window: None, or a span such as "36h", "30d" or "4w": articles further apart are never matched.
        clock: time that the window applies to: "published" (first seen if unknown) or "first_seen".

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
                    say("expected a number in (0, 1] for {name}, got {value!r}", name=name, value=value),
                    hint=say("use a share such as 0.5"),
                )
        for name in ("least", "hits", "few", "compared", "most", "most_documents"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise UsageError(
                    say("expected a positive whole number for {name}, got {value!r}", name=name, value=value),
                    hint=say("use a number such as 32"),
                )
        if type(self.texts) is not bool:
            raise UsageError(
                say("expected true or false for {name}, got {value!r}", name="texts", value=self.texts),
                hint=say("omit it"),
            )
        if self.clock not in CLOCKS:
            raise UsageError(
                say("{name} is {value!r}", name="clock", value=self.clock),
                hint=say("choose one of: {known}", known=", ".join(CLOCKS)),
            )
        if self.window is not None:
            span(self.window)

    def needed(self, keys: int) -> int:
        """Return the minimum number of keys that a candidate must share with a text."""
        return self.hits if keys >= self.few else 1

    @cached_property
    def span(self) -> int | None:
        """Window in microseconds; None without a window."""
        return None if self.window is None else span(self.window)

    @cached_property
    def step(self) -> int:
        """Length in microseconds of a period, within which equal articles share a content; 0 without a window."""
        return 0 if self.span is None else max(1, self.span // PERIODS)


def span(text: str) -> int:
    """Return the microseconds of a span such as ``36h``, ``30d`` or ``4w``.

    Raises:
        UsageError: the span is malformed.
    """
    parts = _SPAN.fullmatch(str(text))
    if parts is None:
        raise UsageError(
            say("{text!r} is not a duration", text=text), hint=say("use hours, days or weeks, such as 36h, 30d or 4w")
        )
    return int(parts[1]) * _UNITS[parts[2]] * _MICROSECONDS


class GivenRules(TypedDict, total=False):
    """Keyword arguments for the fields of `Rules`."""

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


@frozen(slots=False)
class Making:
    """Recipe and rules of a library.

    Attributes:
        recipe: how keys are made, and which columns of files are read.
        rules: how matches are judged.
        word_files: digests of the files that the recipe names, by parameter.
    """

    recipe: Recipe
    rules: Rules
    word_files: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.recipe.fields is not None:
            hint = say("remove the fields: a library stores the title separately and compares the text alone")
            raise UsageError(say("a library compares whole texts, without fields"), hint=hint)
        if not self.rules.texts and not (isinstance(self.family, Resembling) or self.recipe.method in _TOLD_BY_KEYS):
            hint = say(
                "keep the texts, or choose one of: {known}, minhash, simhash",
                known=", ".join(_TOLD_BY_KEYS),
            )
            raise UsageError(
                say(
                    "similarity cannot be estimated from the keys of '{method}' without texts",
                    method=self.recipe.method,
                ),
                hint=hint,
            )

    @cached_property
    def family(self) -> Family:
        """Family that makes the keys."""
        return self.recipe.family()

    @cached_property
    def by_content(self) -> bool:
        """True if texts with the same content match, although hardly a passage is the same."""
        return self.recipe.by_content

    @cached_property
    def seeking(self) -> Seeking | None:
        """Family as ``Seeking``, if it looks up by other keys. Determining this costs as much as a lookup."""
        return self.family if isinstance(self.family, Seeking) else None

    @cached_property
    def local(self) -> Local | None:
        """Family as ``Local``, if each key is made of one passage of a text."""
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
        """Return all settings that affect results, as JSON."""
        recipe = {name: value for name, value in self.recipe.as_dict().items() if name in _KEPT}
        versions = {"version": _VERSION, "fold": _core.FOLD_VERSION}
        files = {"files": dict(self.word_files)} if self.word_files else {}
        return json.dumps(recipe | {"library": asdict(self.rules)} | files | versions, sort_keys=True)

    @cached_property
    def identity(self) -> str:
        """Return all settings that affect results, as JSON; of files their content, not their paths."""
        described = json.loads(self.described)
        described["parameters"] |= dict.fromkeys(self.word_files)
        return json.dumps(described, sort_keys=True)

    def kept_rules(self) -> dict[str, Any]:
        """Return the rules by name."""
        return asdict(self.rules)

    @cached_property
    def name(self) -> str:
        """Method, and a short digest of all settings that affect results."""
        return f"{self.recipe.method}/{sha256(self.identity.encode()).hexdigest()[:12]}"


def making(recipe: Recipe | None, changes: Mapping[str, Any]) -> Making:
    """Return recipe and rules of a new library.

    Args:
        recipe: the recipe; None selects the preset ``USUAL_RECIPE``.
        changes: rules that override the table ``[library]`` of the recipe; None values are ignored.

    Raises:
        UsageError: a rule is unknown or out of range.
    """
    chosen = Recipe().changed(method=USUAL_RECIPE) if recipe is None else recipe
    if files := word_files(chosen.parameters):
        chosen = chosen.changed(parameters={**chosen.parameters, **files})
    overrides = {**chosen.library, **{name: value for name, value in changes.items() if value is not None}}
    unknown = sorted(overrides.keys() - {rule.name for rule in fields(Rules)})
    if unknown:
        names = ", ".join(rule.name for rule in fields(Rules))
        raise UsageError(
            say("unknown rule '{name}' of a library", name=unknown[0]), hint=say("use one of: {known}", known=names)
        )
    return Making(chosen, Rules(**overrides), digests_of(chosen.parameters))


def made_with(described: str, recipe: Recipe | None = None) -> Making:
    """Parse the stored description of a library.

    Args:
        described: the description.
        recipe: a recipe that names its files elsewhere; None for the stored paths.

    Raises:
        UsageError: another version of whorl made it, with different keys.
        InputError: the description is damaged, or a file of the recipe is missing or has changed.
    """
    try:
        return _made_with(json.loads(described), {} if recipe is None else word_files(recipe.parameters))
    except WhorlError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        problem = say("the settings of the library are damaged: {error}", error=error)
        raise InputError(problem, hint=say("restore a backup")) from error


def _made_with(kept: Any, files: Mapping[str, str]) -> Making:
    versions = (kept.get("version"), kept.get("fold"))
    if versions != (_VERSION, _core.FOLD_VERSION):
        hint = say("export it with that version (`whorl library export`), and add the file to a new library")
        raise UsageError(
            say(
                "this library was created by another version of whorl: {version}, fold {fold}",
                version=versions[0],
                fold=versions[1],
            ),
            hint=hint,
        )
    parameters: dict[str, Any] = {name: _plain(value) for name, value in kept["parameters"].items()}
    stored = kept.get("files", {})
    parameters |= {name: path for name, path in files.items() if name in stored}
    demand_unchanged(parameters, stored)
    recipe = Recipe(method=kept["method"])
    names = {parameter.name for parameter in fields(recipe.family())}  # type: ignore[arg-type]
    accepted = {name: value for name, value in parameters.items() if name in names}
    chosen = Recipe(method=kept["method"], threshold=kept["threshold"], parameters=accepted)
    return Making(chosen, Rules(**kept["library"]), stored or digests_of(accepted))


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list) else value


__all__ = ["CLOCKS", "USUAL_RECIPE", "Making", "Rules", "made_with", "making", "span"]
