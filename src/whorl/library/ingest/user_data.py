"""Parse data that callers pass as dataclasses or as mappings of their fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any

from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library.ingest.documents import is_storable
from whorl.library.provenance.times import time_of

LONGEST = 16_384
"""Maximum number of code points of an address, a name or a note."""


def several(value: Any) -> Iterable[Any]:
    """Return an iterable argument. Single texts and mappings are refused, since they are iterable too.

    Raises:
        UsageError: it is a single item.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise UsageError(say("expected a list, got {kind}", kind=type(value).__name__), hint=say("use a list"))
    return value


class FieldReader:
    """Typed access to the fields of one piece of data.

    Args:
        kind: the dataclass.
        given: an instance of it, or a mapping of its fields.

    Raises:
        InputError: it is neither, lacks a field, or has an unknown one.
    """

    def __init__(self, kind: type[Any], data: Any) -> None:
        self._kind = kind.__name__
        field_names = {field.name: field for field in fields(kind)}
        if isinstance(data, kind):
            self._values = {name: getattr(data, name) for name in field_names}
        elif isinstance(data, Mapping):
            self._values = {name: value for name, value in data.items() if value is not None}
        else:
            hint = say("use one, or a dict with: {known}", known=", ".join(field_names))
            raise InputError(say("expected {kind}, got {given}", given=type(data).__name__, kind=self._kind), hint=hint)
        unknown = [name for name in self._values if name not in field_names]
        if unknown:
            raise InputError(
                say("{kind} has no field {name!r:.60}", kind=self._kind, name=unknown[0]),
                hint=say("use one of: {known}", known=", ".join(field_names)),
            )
        for name, field in field_names.items():
            if name not in self._values and field.default is MISSING and field.default_factory is MISSING:
                raise InputError(
                    say("{kind} lacks {name}", kind=self._kind, name=name), hint=say("add {name}", name=name)
                )

    def get(self, name: str) -> Any:
        """Return the value of a field, or None."""
        return self._values.get(name)

    def text(self, name: str, limit: int = LONGEST) -> str:
        """Return text that a store can hold; empty if the field is missing."""
        value = self._values.get(name, "")
        if not isinstance(value, str) or not is_storable(value) or len(value) > limit:
            raise self.unfit(name, hint=say("use at most {most:,} characters", most=limit))
        return value

    def named(self, name: str) -> str:
        """Return text that is not empty."""
        value = self.text(name)
        if not value:
            raise self.unfit(name, hint=say("add {name}", name=name))
        return value

    def time(self, name: str) -> datetime | None:
        """Return a time in UTC; None if the field is missing."""
        return time_of(self._values.get(name), say("{name} of {kind}", name=name, kind=self._kind))

    def whether(self, name: str) -> bool:
        """Return a boolean; False if the field is missing."""
        value = self._values.get(name, False)
        if not isinstance(value, bool):
            raise self.unfit(name, hint=say("use true or false"))
        return value

    def share(self, name: str) -> float | None:
        """Return a number in [0, 1]; None if the field is missing."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.unfit(name, hint=say("use a number from 0 to 1"))
        return float(value)

    def unfit(self, name: str, *, hint: str) -> InputError:
        """Return the error for a field."""
        problem = say(
            "invalid {name} of {kind}: {value!r:.60}", name=name, kind=self._kind, value=self._values.get(name)
        )
        return InputError(problem, hint=hint)


__all__ = ["LONGEST", "FieldReader", "several"]
