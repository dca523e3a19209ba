"""List and describe the methods that find duplicates."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from whorl._internal.frozen import frozen
from whorl.fingerprints import families
from whorl.i18n import Message, listed, say
from whorl.recipe import PRESETS, Recipe
from whorl.types.comparison import Plain

_STEPS = range(10, 101, 10)


@frozen
class Method(Plain):
    """A method or preset.

    >>> import whorl
    >>> [method.name for method in whorl.lab.methods()][:3]
    ['bag', 'content', 'exact']

    Attributes:
        name: its name in options.
        finds: one line: what a method finds, or the settings of a preset.
        preset: True for a preset.
    """

    name: str
    finds: str
    preset: bool


@frozen
class MethodPage(Plain):
    """Description of a method or preset.

    >>> import whorl
    >>> whorl.lab.describe_method("exact").family
    'exact'

    Attributes:
        name: the requested name.
        family: the fingerprint family.
        preset: the settings of a preset in one line; None for a method.
        page: the public page of the family: paragraphs separated by empty lines.
        parameters: their values.
        derived: values that are derived from the parameters.
        threshold: minimum similarity of a duplicate, if the family uses it.
        curve: similarities, each with the probability that two such texts are compared; empty if unknown.
    """

    name: str
    family: str
    preset: str | None
    page: str
    parameters: Mapping[str, Any]
    derived: Mapping[str, Any]
    threshold: float | None
    curve: tuple[tuple[float, float], ...]


def methods() -> tuple[Method, ...]:
    """Return all methods, then all presets, sorted by name.

    >>> import whorl
    >>> [method.name for method in whorl.lab.methods() if "minhash" in method.name]
    ['minhash']

    Raises:
        UsageError: a method of another package cannot be loaded.
    """
    of_families = [Method(name, _page(member).splitlines()[0], False) for name, member in sorted(families().items())]
    return (*of_families, *(Method(name, _preset(preset), True) for name, preset in sorted(PRESETS.items())))


def describe_method(name: str, *, threshold: float | None = None) -> MethodPage:
    """Return the description of a method or preset.

    >>> import whorl
    >>> whorl.lab.describe_method("news").family
    'winnowing'

    Args:
        name: of the method or preset.
        threshold: for methods that choose parameters by it.

    Raises:
        UsageError: the method is unknown, or the threshold is out of range.
    """
    family = Recipe().changed(method=name, threshold=threshold).family()
    curve: tuple[tuple[float, float], ...] = ()
    if hasattr(family, "recall"):
        similarities = sorted({step / 100 for step in _STEPS} | {family.threshold})  # type: ignore[attr-defined]
        curve = tuple((similarity, float(family.recall(similarity))) for similarity in similarities)
    return MethodPage(
        name=name,
        family=family.name,
        preset=_preset(PRESETS[name]) if name in PRESETS else None,
        page=_page(type(family)),
        parameters={field.name: getattr(family, field.name) for field in fields(family)},  # type: ignore[arg-type]
        derived={chosen: getattr(family, chosen) for chosen in ("bands", "rows") if hasattr(family, chosen)},
        threshold=getattr(family, "threshold", None),
        curve=curve,
    )


def _page(member: type) -> str:
    return inspect.cleandoc(sys.modules[member.__module__].__doc__ or "")


def _preset(preset: Mapping[str, Any]) -> Message:
    """Return the settings of a preset as one line: its family, then all other values."""
    chosen = {name: value for name, value in preset.items() if name not in ("method", "parameters")}
    chosen |= preset.get("parameters", {})
    if not chosen:
        return say("Preset of {method}.", method=preset["method"])
    settings = listed([f"{name} {_formatted(value)}" for name, value in chosen.items()])
    return say("Preset of {method}, {settings}.", method=preset["method"], settings=settings)


def _formatted(value: Any) -> str:
    """Format a value of a recipe without Python syntax."""
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{name} {_formatted(item)}" for name, item in value.items()) + ")"
    return "+".join(map(str, value)) or "–" if isinstance(value, tuple | list) else str(value)


__all__ = ["Method", "MethodPage", "describe_method", "methods"]
