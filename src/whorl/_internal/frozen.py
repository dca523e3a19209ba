"""Frozen dataclasses that are created in a quarter of the usual time.

``dataclasses.dataclass(frozen=True)`` compiles six methods for each class, one after the other. A short command creates
forty such classes and the service three hundred. Here only the initializer is compiled; the other methods are the
same functions for all classes. Everything else is left to ``dataclasses``: such a class is a dataclass to ``fields``,
``replace``, ``asdict``, type checkers and readers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, is_dataclass
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

_Value = TypeVar("_Value")
_Method = Callable[..., Any]


@overload
def frozen(cls: type[_Value], /) -> type[_Value]: ...
@overload
def frozen(*, slots: bool = True, eq: bool = True, kw_only: bool = False) -> Callable[[type[_Value]], type[_Value]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    cls: type[_Value] | None = None, /, *, slots: bool = True, eq: bool = True, kw_only: bool = False
) -> type[_Value] | Callable[[type[_Value]], type[_Value]]:
    """Make a class a frozen dataclass: values with the same class and fields are equal, and have the same hash.

    Methods that the class defines itself are kept.

    >>> @frozen
    ... class Passage:
    ...     start: int
    ...     end: int = 9
    >>> Passage(4)
    Passage(start=4, end=9)

    Args:
        cls: the class, with annotated fields.
        slots: True to store the fields in slots, in a new class; False if subclasses or methods add attributes.
        eq: True to compare values by their fields; False to compare them by identity.
        kw_only: True if the initializer takes its arguments by name only.

    Raises:
        TypeError: a field without a default value follows one with a default value.
    """

    def decorate(undecorated: type[_Value]) -> type[_Value]:
        return _freeze(undecorated, slots=slots, eq=eq, kw_only=kw_only)

    return decorate if cls is None else decorate(cls)


def fast_constructor(kind: type[_Value]) -> Callable[..., _Value]:
    """Return a function that creates values of a frozen class with slots in a quarter of the time.

    It assigns the fields of an instance of an unfrozen class with the same slots, then changes its class. Calling each
    slot descriptor instead takes twice as long.

    Args:
        kind: the class; it has no ``__post_init__``, and its fields have no factories.

    Returns:
        a function that takes the values of all fields, in their order.
    """
    names = [part.name for part in fields(kind)]  # type: ignore[arg-type]
    unfrozen = type(f"_New{kind.__name__}", (), {"__slots__": tuple(names)})
    lines = ["new = __new__(__unfrozen__)", *(f"new.{name} = {name}" for name in names)]
    lines += ["new.__class__ = __kind__", "return new"]
    constants = {"__new__": object.__new__, "__unfrozen__": unfrozen, "__kind__": kind}
    return _compiled(kind, "create", names, lines, constants)


def _freeze(cls: type[_Value], *, slots: bool, eq: bool, kw_only: bool) -> type[_Value]:
    defined = {name for name, value in vars(cls).items() if value is not None}
    extends = any(map(is_dataclass, cls.__mro__[1:]))  # only then does `dataclass` demand that both are frozen
    result: Any = dataclass(init=False, repr=False, eq=False, frozen=extends, slots=slots, kw_only=kw_only)(cls)
    result.__dataclass_params__.frozen = True  # so that frozen dataclasses may extend it
    parts = fields(result)
    methods: dict[str, _Method] = {"__init__": _initializer(result, parts), "__repr__": _represent}
    methods |= {"__setattr__": _refuse_assignment, "__delattr__": _refuse_deletion}
    if eq:
        methods["__eq__"], methods["__hash__"] = _comparison([part.name for part in parts if part.compare])
    if slots:  # values without slots are copied and pickled by their dictionaries
        methods |= {"__getstate__": _state, "__setstate__": _restore}
    for name in methods.keys() - defined:
        setattr(result, name, methods[name])
    return result  # type: ignore[no-any-return]


def _initializer(cls: type, parts: tuple[Field[Any], ...]) -> _Method:
    """Return the initializer; it assigns the fields through ``object``, since the class refuses assignments."""
    by_position = [_parameter(part) for part in parts if part.init and not part.kw_only]
    by_name = [_parameter(part) for part in parts if part.init and part.kw_only]
    parameters = ["self", *by_position, *(["*", *by_name] if by_name else [])]
    lines = [f"__assign__(self, {part.name!r}, {_value(part)})" for part in parts]
    lines += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    constants = {
        "__assign__": object.__setattr__,
        "__missing__": MISSING,
        "__fields__": {part.name: part for part in parts},
    }
    initializer = _compiled(cls, "__init__", parameters, lines, constants)
    initializer.__annotations__ = {part.name: part.type for part in parts if part.init} | {"return": None}
    return initializer


def _compiled(
    cls: type, name: str, parameters: Sequence[str], lines: Sequence[str], constants: Mapping[str, object]
) -> _Method:
    """Compile a function of a class; its annotations refer to the module of the class.

    Args:
        cls: the class.
        name: name of the function.
        parameters: its parameters, with default values.
        lines: its statements.
        constants: values by their names in parameters and statements.
    """
    body = "".join(f"  {line}\n" for line in lines or ["pass"])
    source = f"def create({', '.join(constants)}):\n def {name}({', '.join(parameters)}):\n{body} return {name}"
    created: dict[str, Any] = {}
    exec(source, vars(sys.modules[cls.__module__]), created)  # the source contains nothing but names of fields
    function: Any = created["create"](*constants.values())
    function.__qualname__ = f"{cls.__qualname__}.{name}"
    return function  # type: ignore[no-any-return]


def _parameter(part: Field[Any]) -> str:
    if part.default is not MISSING:
        return f"{part.name}=__fields__[{part.name!r}].default"
    return part.name if part.default_factory is MISSING else f"{part.name}=__missing__"


def _value(part: Field[Any]) -> str:
    """Return the expression for the value that the initializer assigns to a field."""
    if part.default_factory is not MISSING:
        default = f"__fields__[{part.name!r}].default_factory()"
        return f"{default} if {part.name} is __missing__ else {part.name}" if part.init else default
    return part.name if part.init else f"__fields__[{part.name!r}].default"


def _comparison(names: list[str]) -> tuple[_Method, _Method]:
    """Return the methods that compare values by the named fields."""

    def few(self: object) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in names)

    get = attrgetter(*names) if len(names) > 1 else few  # of a single field, it would not return a tuple

    def equal(self: object, other: object) -> bool:
        return bool(get(self) == get(other)) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(get(self))

    return equal, hashed


def _represent(self: Any) -> str:
    contents = ", ".join(f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.repr)
    return f"{self.__class__.__qualname__}({contents})"


def _refuse_assignment(_self: object, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, part.name) for part in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for part, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, part.name, value)


__all__ = ["fast_constructor", "frozen"]
