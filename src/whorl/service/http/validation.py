"""Messages about invalid parts of requests, in the language of the caller.

The validation library describes an error by a type with limits, and by an English sentence, which is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from whorl.i18n import Message, say

Limits = Mapping[str, Any]

_MESSAGES: Mapping[str, Callable[[Limits], Message]] = {
    "missing": lambda _: say("is missing"),
    "extra_forbidden": lambda _: say("is not a field of this request"),
    "string_type": lambda _: say("expected a text"),
    "int_type": lambda _: say("expected a whole number"),
    "float_type": lambda _: say("expected a number"),
    "bool_type": lambda _: say("expected true or false"),
    "list_type": lambda _: say("expected a list"),
    "dict_type": lambda _: say("expected an object"),
    "string_too_long": lambda limits: say("has more than {limit:,} characters", limit=limits["max_length"]),
    "string_too_short": lambda limits: say("has fewer than {limit:,} characters", limit=limits["min_length"]),
    "too_long": lambda limits: say("has more than {limit:,} items", limit=limits["max_length"]),
    "too_short": lambda limits: say("has fewer than {limit:,} items", limit=limits["min_length"]),
    "greater_than": lambda limits: say("expected more than {limit}", limit=limits["gt"]),
    "greater_than_equal": lambda limits: say("expected at least {limit}", limit=limits["ge"]),
    "less_than": lambda limits: say("expected less than {limit}", limit=limits["lt"]),
    "less_than_equal": lambda limits: say("expected at most {limit}", limit=limits["le"]),
    "literal_error": lambda limits: say("use one of: {known}", known=str(limits["expected"]).replace(" or ", ", ")),
    "json_invalid": lambda _: say("is not valid JSON"),
    "time": lambda _: say("expected a time such as {example}", example="2026-07-01, 2026-07-01T08:00:00+08:00"),
    "value_error": lambda limits: _of(limits["error"]),
}
_SAME = {
    "int_parsing": "int_type",
    "int_parsing_size": "int_type",
    "int_from_float": "int_type",
    "float_parsing": "float_type",
    "finite_number": "float_type",
    "bool_parsing": "bool_type",
    "model_type": "dict_type",
    "model_attributes_type": "dict_type",
    "mapping_type": "dict_type",
}
"""Types of errors with the message of another one."""


def message_of(error: Mapping[str, Any]) -> Message:
    """Return the message about an error of the validation library."""
    kind = _SAME.get(error["type"], error["type"])
    if kind not in _MESSAGES:
        return say("is not a valid value")
    return _MESSAGES[kind](error.get("ctx", {}))


def _of(error: Exception) -> Message:
    """Return the message of a validator of the service."""
    return error.args[0] if error.args and isinstance(error.args[0], Message) else say("is not a valid value")


__all__ = ["message_of"]
