"""Frozen classes behave like frozen dataclasses of the standard library."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl._internal.frozen import fast_constructor, frozen

PAIRS: list[tuple[type[Any], type[Any]]] = []
"""Classes of this module, and the same classes of the standard library."""


def twin(decorate: Callable[[type], type], standard: Callable[[type], type]) -> Callable[[type], type]:
    """Decorate a class with both, and return the first."""

    def decorated(cls: type) -> type:
        body = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
        other = type(cls.__name__, cls.__bases__, dict(body))
        PAIRS.append((decorate(cls), standard(other)))
        return PAIRS[-1][0]

    return decorated


@twin(frozen, dataclass(frozen=True, slots=True))
class Plain:
    text: str
    number: int = 3
    more: tuple[int, ...] = ()


@twin(frozen, dataclass(frozen=True, slots=True))
class Single:
    value: float


@twin(frozen, dataclass(frozen=True, slots=True))
class Nothing:
    """A class without fields."""


@twin(frozen, dataclass(frozen=True, slots=True))
class Special:
    fields: int
    name: str = field(repr=False)
    numbers: list[int] = field(default_factory=list, compare=False)
    later: int = field(init=False, default=7)


@twin(frozen(kw_only=True), dataclass(frozen=True, slots=True, kw_only=True))
class ByName:
    first: int = 1
    second: str


@twin(frozen(eq=False), dataclass(frozen=True, slots=True, eq=False))
class Identity:
    value: int


@twin(frozen(slots=False), dataclass(frozen=True))
class Unslotted:
    value: int

    @cached_property
    def double(self) -> int:
        return 2 * self.value


@twin(frozen, dataclass(frozen=True, slots=True))
class Checked:
    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("negative")

    def __repr__(self) -> str:
        return f"<{self.value}>"


VALUES = {
    "Plain": [{"text": "渔"}, {"text": "渔", "number": 4}, {"text": "港", "more": (1, 2)}],
    "Single": [{"value": 1.5}, {"value": float("inf")}, {"value": 1.5}],
    "Nothing": [{}],
    "Special": [{"fields": 1, "name": "a"}, {"fields": 1, "name": "b"}, {"fields": 1, "name": "a", "numbers": [2]}],
    "ByName": [{"second": "x"}, {"second": "x", "first": 2}],
    "Identity": [{"value": 1}, {"value": 1}],
    "Unslotted": [{"value": 1}, {"value": 2}],
    "Checked": [{"value": 1}, {"value": 2}],
}


@pytest.fixture(params=PAIRS, ids=lambda pair: pair[0].__name__)
def pair(request: pytest.FixtureRequest) -> tuple[type[Any], type[Any]]:
    classes: tuple[type[Any], type[Any]] = request.param
    return classes


def examples(cls: type[Any]) -> list[Any]:
    return [cls(**arguments) for arguments in VALUES[cls.__name__]]


def outcome(action: Callable[[], object]) -> object:
    """Return the result of an action, or its error."""
    try:
        return action()
    except (TypeError, AttributeError, ValueError, FrozenInstanceError) as error:
        return type(error), str(error)


def test_everything_that_dataclasses_offer_is_the_same(pair: tuple[type[Any], type[Any]]) -> None:
    ours, standard = pair
    assert is_dataclass(ours)
    for mine, theirs in zip(examples(ours), examples(standard), strict=True):
        assert repr(mine) == repr(theirs)
        assert asdict(mine) == asdict(theirs)
        assert [part.name for part in fields(mine)] == [part.name for part in fields(theirs)]
        assert ours.__match_args__ == standard.__match_args__
        assert hasattr(mine, "__dict__") == hasattr(theirs, "__dict__")
    assert [a == b for a in examples(ours) for b in examples(ours)] == [
        a == b for a in examples(standard) for b in examples(standard)
    ]


def test_signatures_and_wrong_arguments_are_the_same(pair: tuple[type[Any], type[Any]]) -> None:
    ours, standard = pair
    mine, theirs = inspect.signature(ours).parameters, inspect.signature(standard).parameters
    assert {name: (part.kind, part.annotation) for name, part in mine.items()} == {
        name: (part.kind, part.annotation) for name, part in theirs.items()
    }
    for arguments in ({"unknown": 1}, {"value": -1}, {}):
        assert repr(outcome(lambda: ours(**arguments))) == repr(outcome(lambda: standard(**arguments)))  # noqa: B023
    assert outcome(lambda: ours(*range(9))) == outcome(lambda: standard(*range(9)))


def test_values_hash_as_they_compare(pair: tuple[type[Any], type[Any]]) -> None:
    values = examples(pair[0])
    assert all(hash(a) == hash(b) for a in values for b in values if a == b)


def test_values_cannot_be_changed(pair: tuple[type[Any], type[Any]]) -> None:
    for mine, theirs in zip(examples(pair[0]), examples(pair[1]), strict=True):
        for name in (part.name for part in fields(mine)):
            assert outcome(lambda: setattr(mine, name, 1)) == outcome(lambda: setattr(theirs, name, 1))  # noqa: B023
            assert outcome(lambda: delattr(mine, name)) == outcome(lambda: delattr(theirs, name))  # noqa: B023
        with pytest.raises(FrozenInstanceError):
            mine.unknown = 1


def test_values_survive_copies_and_pickles(pair: tuple[type[Any], type[Any]]) -> None:
    for mine in examples(pair[0]):
        for again in (copy.copy(mine), copy.deepcopy(mine), pickle.loads(pickle.dumps(mine))):
            assert asdict(again) == asdict(mine)
            assert type(again) is type(mine)


def test_a_field_can_be_replaced() -> None:
    assert replace(Plain("a"), number=9) == Plain("a", 9)
    assert Unslotted(4).double == Unslotted(4).double == 8


def test_a_subclass_has_the_fields_of_both() -> None:
    @frozen
    class Longer(Plain):  # type: ignore[valid-type, misc]
        last: str = "z"

    assert repr(Longer("a")).endswith("Longer(text='a', number=3, more=(), last='z')")
    assert Longer("a") != Plain("a")


def test_a_frozen_dataclass_may_extend_a_frozen_class() -> None:
    @dataclass(frozen=True)
    class Longer(Plain):  # type: ignore[valid-type, misc]
        last: str = "z"

    assert Longer("a") == Longer("a")
    assert hash(Longer("a")) == hash(Longer("a"))
    with pytest.raises(FrozenInstanceError):
        Longer("a").last = "y"
    with pytest.raises(TypeError):
        dataclass(type("Open", (Plain,), {}))


@given(st.lists(st.one_of(st.integers(), st.text(), st.floats()), min_size=3, max_size=3))
def test_the_fast_constructor_makes_equal_values(values: list[Any]) -> None:
    create, plain = fast_constructor(Plain), Plain(*values)
    assert create(*values) == plain
    assert repr(create(*values)) == repr(plain)
    with pytest.raises(FrozenInstanceError):
        create(*values).text = "b"
