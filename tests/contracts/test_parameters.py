"""Every parameter of every family has bounds: valid at the bounds, rejected with a hint beyond them.

The bounds are found by search instead of being repeated here, so that new families are covered automatically."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from tests.articles import article

from whorl.errors import UsageError
from whorl.fingerprints import families, family
from whorl.text.terms import TermChoice

TEXTS = [article(1), article(2, 30), "天", "", "Short words, of another script; and a number 1984."]
ENDLESS = 2**70


def parameters(*kinds: type) -> list[Any]:
    """Yield every parameter whose default is of one of ``kinds``, with the name of its family."""
    return [
        pytest.param(name, item.name, id=f"{name}-{item.name}")
        for name in sorted(families())
        for item in fields(family(name))  # type: ignore[arg-type]
        if type(getattr(family(name), item.name)) in kinds
    ]


def beside(name: str, parameter: str) -> dict[str, Any]:
    """Return the parameters that must be set with another one: codes of SimHash are of words if words matter."""
    of_words = parameter == "top" or parameter in {item.name for item in fields(TermChoice)}
    return {"features": "words"} if name == "simhash" and of_words else {}


def refusal(name: str, parameter: str, value: Any) -> str | None:
    """Return why the family rejects ``value``, or None; an error must name a parameter and have a hint."""
    try:
        family(name, **beside(name, parameter) | {parameter: value})
    except UsageError as error:
        refused = error
    else:
        return None
    names = [parameter, *(item.name for item in fields(family(name)))]  # type: ignore[arg-type]
    assert any(parameter_name in refused.message for parameter_name in names), f"{refused} names no parameter"
    assert refused.hint, f"{refused} has no hint"
    return refused.message


def furthest(accepted: Callable[[int], bool], start: int, direction: int) -> int:
    """Return the last accepted number from ``known`` on: strides double until one is rejected, then halve."""
    stride = 8
    while accepted(start + direction * stride):
        start += direction * stride
        stride *= 2
        assert stride < ENDLESS, "there is no bound"
    while stride > 1:
        stride //= 2
        if accepted(start + direction * stride):
            start += direction * stride
    return start


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(("name", "parameter"), parameters(int))
def test_a_whole_number_has_bounds_and_works_at_them(name: str, parameter: str, direction: int) -> None:
    default = getattr(family(name), parameter)
    bound = furthest(lambda value: refusal(name, parameter, value) is None, default, direction)
    chosen = family(name, **beside(name, parameter) | {parameter: bound})
    fingerprints = chosen.fingerprint(TEXTS)
    assert fingerprints.counts.shape == (len(TEXTS),)
    assert chosen.similarity(TEXTS[0], TEXTS[0]) in (0.0, 1.0)
    assert chosen.min_shared >= 1
    error = refusal(name, parameter, bound + direction)
    assert re.search(rf"\b{bound}\b", error or ""), f"{error} does not say that the bound is {bound}"


@pytest.mark.parametrize("value", [2.5, "5", True, None, [5], float("nan"), ENDLESS, -ENDLESS], ids=repr)
@pytest.mark.parametrize(("name", "parameter"), parameters(int))
def test_what_is_no_whole_number_in_range_is_refused(name: str, parameter: str, value: Any) -> None:
    assert refusal(name, parameter, value) is not None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), -1e-9, 1e9, "0.5", True, None], ids=repr)
@pytest.mark.parametrize(("name", "parameter"), parameters(float))
def test_what_is_no_share_in_range_is_refused(name: str, parameter: str, value: Any) -> None:
    assert refusal(name, parameter, value) is not None


@pytest.mark.parametrize("value", ["", "no such choice", 1, None, ["a", "b"]], ids=repr)
@pytest.mark.parametrize(("name", "parameter"), parameters(str))
def test_what_is_no_choice_is_refused(name: str, parameter: str, value: Any) -> None:
    [kind] = [field.type for field in fields(families()[name]) if field.name == parameter]  # type: ignore[arg-type]
    is_choice = value is None and "None" in str(kind)
    assert (refusal(name, parameter, value) is None) == is_choice


@pytest.mark.parametrize("value", [0, 1, "true", None], ids=repr)
@pytest.mark.parametrize(("name", "parameter"), parameters(bool))
def test_what_is_neither_true_nor_false_is_refused(name: str, parameter: str, value: Any) -> None:
    assert refusal(name, parameter, value) is not None


@pytest.mark.parametrize("parameter", [{"tags": ("n",)}, {"hmm": False}, {"top": 7}, {"shortest": 1}], ids=repr)
def test_what_chooses_words_is_refused_where_words_are_no_features(parameter: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="requires words as features"):
        family("simhash", **parameter)
    assert family("simhash", features="words", **parameter)


@pytest.mark.parametrize("name", sorted(families()))
def test_an_unknown_parameter_is_refused(name: str) -> None:
    assert refusal(name, "no_such_parameter", 1) is not None
