"""Alert settings: channels and rules, read from a TOML file or table.

::

    [channels.desk]
    kind = "wecom"                       # webhook, wecom, dingtalk, feishu, slack or email
    url = { env = "DESK_ROBOT" }         # what only the receiver may know is never written here

    [channels.archive]
    kind = "webhook"
    url = "https://archive.example/whorl"
    secret = { file = "archive.secret" }

    [[rules]]
    name = "reprints"
    to = ["desk", "archive"]
    sites = ["copies.example"]
    share = 0.5
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, field, fields
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import InputError, NotFoundError, UsageError, WhorlError
from whorl.i18n import say
from whorl.monitor.alerts.channels import ROBOTS, Channel, Mailbox, Webhook
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.rules import AlertRule
from whorl.monitor.alerts.secrets import Secret, secret_of
from whorl.monitor.settings.setting_error import SettingError

FILE = "alerts.toml"
"""Name of the settings file in the folder of a library, which the service reads."""
SECRETS = ("url", "secret", "password")
"""Settings of a channel that may refer to secrets."""
KINDS = ("webhook", *ROBOTS, "email")
"""Kinds of channels."""


@frozen
class AlertSettings:
    """Channels and rules.

    Attributes:
        channels: channels by name.
        rules: rules in their order. A channel is notified once even if several rules select it.
    """

    channels: Mapping[str, Channel] = field(default_factory=dict)
    rules: tuple[AlertRule, ...] = ()

    def channels_for(self, alert: CopyFound) -> tuple[str, ...]:
        """Return the names of the channels that are notified of a copy."""
        return tuple(dict.fromkeys(name for rule in self.rules if rule.takes(alert) for name in rule.to))

    def channel(self, name: str) -> Channel:
        """Return a channel.

        Raises:
            NotFoundError: the channel does not exist.
        """
        if name not in self.channels:
            raise NotFoundError(
                say("channel '{name}' not found", name=name),
                hint=say("choose one of: {known}", known=", ".join(self.channels) or "–"),
            )
        return self.channels[name]


def load_alerts(path: str | PathLike[str]) -> AlertSettings:
    """Read channels and rules from a TOML file.

    Raises:
        InputError: the file is unreadable or not TOML, or a secret is missing.
        UsageError: a key is unknown or a value out of range; the message names file and key.
    """
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(
            say("cannot read {path}: {reason}", path=path, reason=error.strerror),
            hint=say("check its path and permissions"),
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            say("{path} is not a TOML file: {error}", path=path, error=error),
            hint=say("see docs/EVIDENCE.md for an example"),
        ) from error
    return alerts_of(data, path)


def alerts_of(data: Mapping[str, Any], path: Path) -> AlertSettings:
    """Parse channels and rules from a table.

    Args:
        data: table with "channels" and "rules".
        path: source file; file names of secrets are relative to it.

    Raises:
        InputError: a secret is missing.
        UsageError: a key is unknown or a value out of range.
    """
    unknown = sorted(set(data) - {"channels", "rules"})
    if unknown:
        raise _at(path, unknown[0], say("unknown key"), say("known keys: {known}", known="channels, rules"))
    tables, rules = data.get("channels", {}), data.get("rules", [])
    if not isinstance(tables, Mapping):
        raise _at(path, "channels", say("expected a table"), say("write [channels.NAME]"))
    if not isinstance(rules, list):
        raise _at(path, "rules", say("expected a list of tables"), say("write [[rules]]"))
    channels = {name: channel_of(table, name, path) for name, table in tables.items()}
    parsed_rules = tuple(rule_of(table, number, path) for number, table in enumerate(rules, start=1))
    for number, rule in enumerate(parsed_rules, start=1):
        for name in rule.to:
            if name not in channels:
                choices = say("choose one of: {known}", known=", ".join(channels) or "–")
                raise _at(path, f"rules[{number}].to", say("channel '{name}' not found", name=name), choices)
    return AlertSettings(MappingProxyType(channels), parsed_rules)


def channel_of(table: Any, name: str, path: Path) -> Channel:
    """Parse a channel from a table; errors as those of ``alerts_of``."""
    place = f"channels.{name}"
    if not isinstance(table, Mapping) or table.get("kind") not in KINDS:
        raise _at(path, place, say("missing or unknown kind"), say("choose one of: {known}", known=", ".join(KINDS)))
    kind = table["kind"]
    channel_type: type[Channel] = Mailbox if kind == "email" else Webhook
    values = {key: value for key, value in table.items() if not (channel_type is Mailbox and key == "kind")}
    _demand_known(values, channel_type, {"name"}, path, place)
    key = ""
    try:
        for key in SECRETS:
            if key in values:
                is_open = key == "url" and kind == "webhook" and isinstance(values[key], str)
                values[key] = Secret(values[key]) if is_open else secret_of(values[key], key, path.parent)
        key = ""
        return channel_type(name=name, **_tuples(values))
    except WhorlError as error:
        raise _at(path, place, error.message, error.hint, type(error), _cause(error, key)) from None


def rule_of(table: Any, number: int, path: Path) -> AlertRule:
    """Parse a rule from a table, without checking that its channels exist; errors as those of ``alerts_of``."""
    place = f"rules[{number}]"
    if not isinstance(table, Mapping):
        raise _at(path, place, say("expected a table"), say("write [[rules]]"))
    _demand_known({"name": "", **table}, AlertRule, set(), path, place)
    try:
        return AlertRule(**{"name": str(number), **_tuples(table)})
    except UsageError as error:
        raise _at(path, place, error.message, error.hint, cause=_cause(error)) from None


def _demand_known(values: Mapping[str, Any], kind: type, implied: set[str], path: Path, place: str) -> None:
    known_fields = {known_field.name: known_field for known_field in fields(kind) if known_field.name not in implied}
    unknown = sorted(set(values) - set(known_fields))
    if unknown:
        choices = say("known keys: {known}", known=", ".join(known_fields))
        raise _at(path, f"{place}.{unknown[0]}", say("unknown key"), choices)
    missing = [
        name
        for name, known_field in known_fields.items()
        if known_field.default is MISSING and known_field.default_factory is MISSING and name not in values
    ]
    if missing:
        raise _at(path, place, say("{name} is missing", name=missing[0]), say("add it"), cause=(missing[0], ""))


def _at(
    path: Path,
    place: str,
    problem: str,
    hint: str,
    kind: type[WhorlError] = UsageError,
    cause: tuple[str, str] = ("", ""),
) -> WhorlError:
    """Return an error that names file and key; one about a single setting also has its key and value."""
    message = say("{path}: {place}: {message}", path=path, place=place, message=problem)
    if cause[0] and issubclass(kind, UsageError):
        return SettingError(message, hint=hint, key=cause[0], value=cause[1])
    return kind(message, hint=hint)


def _cause(error: WhorlError, key: str = "") -> tuple[str, str]:
    """Return the setting that an error is about, and its value unless that is secret."""
    return (error.key, error.value) if isinstance(error, SettingError) else (key, "")


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


__all__ = ["FILE", "KINDS", "SECRETS", "AlertSettings", "alerts_of", "channel_of", "load_alerts", "rule_of"]
