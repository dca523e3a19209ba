"""Receivers and rules that are stored with a library, as the console edits them.

They are stored as the table that `alerts.toml` would contain, and validated by the same code. Secrets are never stored:
a channel names a variable of the environment, and only such whose name begins with `PREFIX`. Otherwise whoever may edit
receivers could have any secret of the service, such as the password of its database, sent to a host of their choice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.errors import NotFoundError
from whorl.i18n import say, spoken, translated
from whorl.monitor.alerts.channels import Channel
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.sending import Outcome, send
from whorl.monitor.alerts.settings import FILE, SECRETS, AlertSettings, alerts_of, channel_of, load_alerts, rule_of
from whorl.monitor.settings.setting_error import SettingError

if TYPE_CHECKING:
    from whorl.library import Library

PREFIX = "WHORL_ALERT_"
"""Beginning of the names of variables that stored channels may refer to."""
LONGEST_NAME = 200
"""Maximum length of the name of a channel or a rule."""
_PLACE = Path("alerts")


def has_alerts_file(library: Library) -> bool:
    """Return True if the folder of a library has the file `alerts.toml`, which replaces what is stored."""
    return library.folder is not None and (library.folder / FILE).exists()


def alerts_for(library: Library) -> AlertSettings | None:
    """Return the receivers and rules of a library: those of its file, else the stored ones; None without any.

    Raises:
        InputError: the file is unreadable, or a secret is missing.
        UsageError: a setting is invalid.
    """
    if library.folder is not None and has_alerts_file(library):
        return load_alerts(library.folder / FILE)
    stored = library.alert_settings.read()
    return alerts_of(stored, _PLACE) if stored.get("channels") else None


def put_channel(library: Library, name: str, table: Mapping[str, Any], *, replaces: str = "") -> None:
    """Store a channel.

    Args:
        library: the library.
        name: its name.
        table: its keys, as in ``alerts.toml``.
        replaces: name of the channel that it replaces, also in rules; empty to add a new one.

    Raises:
        SettingError: a value is invalid.
        InputError: a secret is missing in the environment.
        NotFoundError: the replaced channel does not exist.
    """
    channel = {key: value for key, value in table.items() if value not in (None, "", [], ())}
    _demand_name(name)
    _demand_references(channel)
    channel_of(channel, name, _PLACE)

    def revise(stored: dict[str, Any]) -> dict[str, Any]:
        channels = dict(stored.get("channels", {}))
        if replaces and replaces not in channels:
            raise _absent(replaces)
        if name != replaces and name in channels:
            raise _name_conflict(name)
        renamed = {name if old == replaces else old: value for old, value in channels.items()} | {name: channel}
        rules = [{**rule, "to": [name if to == replaces else to for to in rule["to"]]} for rule in _rules(stored)]
        return {"channels": renamed, "rules": rules}

    library.alert_settings.change(revise)


def remove_channel(library: Library, name: str) -> None:
    """Remove a stored channel.

    Raises:
        NotFoundError: it does not exist.
        SettingError: a rule notifies it.
    """

    def revise(stored: dict[str, Any]) -> dict[str, Any]:
        channels = dict(stored.get("channels", {}))
        if name not in channels:
            raise _absent(name)
        user = next((rule["name"] for rule in _rules(stored) if name in rule["to"]), None)
        if user is not None:
            raise SettingError(
                say("the rule {rule!r:.60} notifies {name!r:.60}", rule=user, name=name),
                hint=say("change or remove the rule first"),
            )
        del channels[name]
        return {"channels": channels, "rules": _rules(stored)}

    library.alert_settings.change(revise)


def put_rule(library: Library, table: Mapping[str, Any], *, replaces: str = "") -> None:
    """Store a rule.

    Args:
        library: the library.
        table: its keys, as in ``alerts.toml``.
        replaces: name of the rule that it replaces; empty to add a new one.

    Raises:
        SettingError: a value is invalid.
        NotFoundError: the replaced rule, or a channel, does not exist.
    """
    rule = {key: value for key, value in table.items() if value not in (None, "", [], ())}
    name = str(rule.get("name", ""))
    _demand_name(name)
    rule_of({"to": [], **rule}, 1, _PLACE)

    def revise(stored: dict[str, Any]) -> dict[str, Any]:
        channels, rules = dict(stored.get("channels", {})), _rules(stored)
        missing = next((to for to in rule.get("to", ()) if to not in channels), None)
        if missing is not None:
            raise _absent(missing)
        names = [item["name"] for item in rules]
        if replaces and replaces not in names:
            raise NotFoundError(say("no rule {rule!r}", rule=replaces), hint=say("open the list of rules"))
        if name != replaces and name in names:
            raise _name_conflict(name)
        position = names.index(replaces) if replaces else len(rules)
        rules[position : position + 1] = [rule]
        return {"channels": channels, "rules": rules}

    library.alert_settings.change(revise)


def remove_rule(library: Library, name: str) -> None:
    """Remove a stored rule.

    Raises:
        NotFoundError: it does not exist.
    """

    def revise(stored: dict[str, Any]) -> dict[str, Any]:
        rules = [rule for rule in _rules(stored) if rule["name"] != name]
        if len(rules) == len(_rules(stored)):
            raise NotFoundError(say("no rule {rule!r}", rule=name), hint=say("open the list of rules"))
        return {"channels": dict(stored.get("channels", {})), "rules": rules}

    library.alert_settings.change(revise)


def send_test(channel: Channel, at: datetime) -> Outcome:
    """Send a test message to a channel.

    Cost: at most the timeout of the channel.
    """
    title = str(translated(say("Test message: no copy was found"), channel.language or spoken()))
    test = CopyFound("test", "test", 0.0, 0, "unrelated", title=title, original_title=title, found_at=at)
    return send(channel, [test], at)


def _demand_references(channel: Mapping[str, Any]) -> None:
    """Require that a channel refers to its secrets by variables for alerts, and opens no private network."""
    if "allowed" in channel:
        raise SettingError(
            say("allowed cannot be stored in a library"),
            hint=say("set it in the file {file} of the operator", file=FILE),
            key="allowed",
        )
    needed = {"webhook": "secret", "email": ""}.get(str(channel.get("kind")), "url")
    for key in SECRETS:
        reference = channel.get(key, {} if key == needed else None)
        is_open = key == "url" and channel.get("kind") == "webhook"
        if reference is None or (is_open and isinstance(reference, str)):
            continue
        variable = reference.get("env") if isinstance(reference, Mapping) and len(reference) == 1 else None
        if not isinstance(variable, str) or not variable.startswith(PREFIX):
            raise SettingError(
                say("{name} does not name a variable for alerts", name=key),
                hint=say("name a variable of the environment that begins with {prefix}", prefix=PREFIX),
                key=key,
            )
        if not os.environ.get(variable, "").strip():
            raise SettingError(
                say("{name}: the variable {variable} is not set", name=key, variable=variable),
                hint=say("set it in the environment of the service, and restart the service"),
                key=key,
                value=variable,
            )


def _demand_name(name: str) -> None:
    if not name.strip():
        raise SettingError(say("name is missing"), hint=say("add it"), key="name")
    if not name.isprintable():
        hint = say("use visible characters only")
        raise SettingError(say("the name has invisible characters"), hint=hint, key="name", value=name)
    if len(name) > LONGEST_NAME:
        raise SettingError(
            say("the name has {count:,} characters", count=len(name)),
            hint=say("use at most {limit}", limit=LONGEST_NAME),
            key="name",
        )


def _name_conflict(name: str) -> SettingError:
    return SettingError(
        say("the name {name!r:.60} is taken", name=name), hint=say("use different names"), key="name", value=name
    )


def _absent(name: str) -> NotFoundError:
    return NotFoundError(say("channel '{name}' not found", name=name), hint=say("open the list of receivers"))


def _rules(stored: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [dict(rule) for rule in stored.get("rules", ())]


__all__ = [
    "PREFIX",
    "alerts_for",
    "has_alerts_file",
    "put_channel",
    "put_rule",
    "remove_channel",
    "remove_rule",
    "send_test",
]
