"""Options from settings files: `whorl.toml`, or the table `[tool.whorl]` of `pyproject.toml`.

Two files are read. The user's file, `whorl/whorl.toml` in the configuration folder, may set every option. The nearest
one to the working folder, searched upwards, takes precedence, but may have come with somebody else's corpus. Therefore
it may only choose how texts are read, judged and shown, and nothing that writes, connects, listens, authenticates or
reads outside its folder. `WHORL_CONFIG` names a file that replaces both and is trusted like the user's file, or
disables both if it is empty.

Values at the top level of a file apply to every command with such an option, values in a table such as `[dedup]` or
`[library.list]` only to that command. The command line takes precedence.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import InputError, UsageError
from whorl.i18n import LANGUAGES, Language, say

FILE = "whorl.toml"
_PROJECT = "pyproject.toml"
_OF_COMMAND_LINE = frozenset({"out", "html", "table", "help", "lang", "version"})
"""Options that no table may set: output paths, and the language, which is set at the top level."""
_PLACES = frozenset({"recipe", "user_dict", "against", "alerts", "state"})
"""Options that name a file, relative to the settings file."""
_WRITTEN = "log"
"""Option that names an output file, relative to the settings file."""
_OF_METHOD = frozenset({"threshold", "verify", "verify_threshold", "verify_over"})
"""Options of a method: if one of them is on the command line, those of the file are ignored."""
_READING = frozenset({"text", "id", "date", "title", "source", "author", "url", "encoding", "include", "exclude"})
_JUDGING = frozenset({
    "method", "recipe", "threshold", "verify", "verify_threshold", "verify_over", "keep", "remove", "links", "window",
    "least", "most", "short", "reprint", "against",
})  # fmt: skip
_CUTTING = frozenset({"mode", "pos", "stem", "fold", "chunks", "hmm", "user_dict"})
_SHOWING = frozenset({"json", "quiet", "verbose", "changes", "top", "at_least", "since", "until", "order"})
_HARMLESS = _READING | _JUDGING | _CUTTING | _SHOWING
"""Options that a file in or above the working folder may set."""
_LARGEST = 1 << 20
"""Maximum size of a settings file in bytes."""


@frozen
class CliSettings:
    """Contents of a settings file.

    Attributes:
        path: path of the file.
        values: its options and tables of options.
        is_own: True for the user's file, which may set every option.
    """

    path: Path
    values: Mapping[str, Any]
    is_own: bool

    @property
    def language(self) -> Language | None:
        """Return the language of the file; None if ``WHORL_LANG`` is set.

        Raises:
            UsageError: the language is not supported.
        """
        configured = self.values.get("lang")
        supported = next((language for language in LANGUAGES if language == configured), None)
        if configured is not None and supported is None:
            raise UsageError(
                say("{path}: lang is {value}", path=self.path, value=repr(configured)),
                hint=say("choose one of: {names}", names=", ".join(LANGUAGES)),
            )
        return None if os.environ.get("WHORL_LANG") else supported

    def defaults(self, program: Any, arguments: Sequence[str]) -> dict[str, Any]:
        """Return its options for each command, by parameter name.

        Args:
            program: the main command group.
            arguments: the command line; a method or recipe in it replaces that of the file with all its options.

        Raises:
            UsageError: the file names an unknown option or command, or a value has the wrong type.
        """
        table = {name: value for name, value in self.values.items() if name != "lang"}
        option_names = {name for command in _commands(program) for name in _options(command)}
        shared = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
        self._demand_known(shared, option_names, "")
        return self._of_group(program, table, shared, _without(arguments), "")

    def _of_group(
        self, group: Any, table: Mapping[str, Any], shared: Mapping[str, Any], without: frozenset[str], place: str
    ) -> dict[str, Any]:
        tables = {name: value for name, value in table.items() if isinstance(value, Mapping)}
        for name in tables.keys() - group.commands.keys():
            raise UsageError(
                say("{path}: there is no command {name}", path=self.path, name=repr(f"{place}{name}")),
                hint=say("choose one of: {names}", names=", ".join(group.commands)),
            )
        defaults: dict[str, Any] = {}
        for name, command in group.commands.items():
            section = tables.get(name, {})
            if hasattr(command, "commands"):
                defaults[name] = self._of_group(command, section, shared, without, f"{place}{name}.")
                continue
            options = _options(command)
            self._demand_known(section, options.keys(), f"{place}{name}")
            merged = {_plain(option): value for option, value in {**shared, **section}.items()}
            defaults[name] = {
                options[option].name: self._value(option, options[option], value)
                for option, value in merged.items()
                if option in options and option not in without
            }
        return defaults

    def _demand_known(self, options: Mapping[str, Any], option_names: Iterable[str], place: str) -> None:
        for option in options:
            if _plain(option) not in option_names:
                where = f"[{place}] {option}" if place else option
                raise UsageError(
                    say("{path}: a settings file cannot set {option}", path=self.path, option=where),
                    hint=say("choose one of: {names}", names=", ".join(sorted(option_names)).replace("_", "-")),
                )
            if not self.is_own and _plain(option) not in _HARMLESS:
                where = f"[{place}] {option}" if place else option
                raise UsageError(
                    say("{path}: {option} can be set only in your user settings", path=self.path, option=where),
                    hint=say("set it in {file}, or run with WHORL_CONFIG= to ignore this file", file=own_file()),
                )

    def _value(self, option: str, parameter: Any, value: Any) -> Any:
        values = value if isinstance(value, list) else [value]
        is_flag = bool(parameter.is_flag)
        fits = all(isinstance(element, bool) if is_flag else _is_scalar(element) for element in values)
        if not fits or (isinstance(value, list) and not parameter.multiple):
            raise UsageError(
                say("{path}: {option} is {value}", path=self.path, option=option, value=repr(value)),
                hint=say("use true or false") if is_flag else say("set a string or a number"),
            )
        if is_flag:
            return value
        if option == _WRITTEN:
            return str(self.path.parent / str(value))
        written = [self._beside(element) if option in _PLACES else str(element) for element in values]
        return written if parameter.multiple else written[0]

    def _beside(self, named: Any) -> str:
        """Resolve a file or folder relative to the settings; other addresses are unchanged.

        Raises:
            UsageError: the settings are not the user's, and the path is outside their folder.
        """
        place = self.path.parent / str(named)
        if not self.is_own and not (place.exists() and place.resolve().is_relative_to(self.path.parent.resolve())):
            raise UsageError(
                say("{path}: {name} does not exist in this folder", path=self.path, name=repr(str(named))),
                hint=say("set it on the command line, or in {file}", file=own_file()),
            )
        return str(place) if place.exists() else str(named)


def settings() -> list[CliSettings]:
    """Return the settings that apply in the working folder, in order of increasing precedence.

    Raises:
        InputError: a file cannot be read, or is not TOML.
    """
    named = os.environ.get("WHORL_CONFIG")
    if named is not None:
        kept = [_read(Path(named), is_own=True)] if named else []
    else:
        here = Path.cwd()
        of_user = _read(own_file(), is_own=True) if own_file().is_file() else None
        kept = [of_user, next(filter(None, map(_of_folder, (here, *here.parents))), None)]
    return [file for file in kept if file is not None]


def own_file() -> Path:
    """Return the path of the user's settings file, which need not exist."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "whorl" / FILE  # noqa: PTH117 - "" too


def _of_folder(folder: Path) -> CliSettings | None:
    settings_file, project = folder / FILE, folder / _PROJECT
    if settings_file.is_file():
        return _read(settings_file, is_own=False)
    return _read(project, is_own=False) if project.is_file() else None


def _read(path: Path, *, is_own: bool) -> CliSettings | None:
    """Read a settings file; None for a project without settings."""
    import tomllib

    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise InputError(
                say("{path}: expected at most {most:,} bytes", path=path, most=_LARGEST),
                hint=say("fix the file, or run with WHORL_CONFIG= to ignore it"),
            )
        text = content.decode("utf-8")
        if path.name == _PROJECT and "tool.whorl" not in text:
            return None
        values = tomllib.loads(text)
        if path.name == _PROJECT:
            values = _table(_table(values, "tool"), "whorl")
    except RecursionError as error:
        raise _unreadable(path, "nested too deeply") from error
    except (OSError, ValueError) as error:  # also for an integer with too many digits
        raise _unreadable(path, str(error)) from error
    return CliSettings(path, values, is_own)


def _table(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a table of a file, empty if it does not exist.

    Raises:
        ValueError: the name belongs to another value.
    """
    table = values.get(name, {})
    if not isinstance(table, dict):
        raise ValueError(f"{name} is not a table")
    return table


def _unreadable(path: Path, reason: str) -> InputError:
    return InputError(
        say("{path}: {reason}", path=path, reason=reason),
        hint=say("fix the file, or run with WHORL_CONFIG= to ignore it"),
    )


def _without(arguments: Sequence[str]) -> frozenset[str]:
    """Return the options of a file that a command line disables."""
    named = {argument.partition("=")[0] for argument in arguments}
    if "--recipe" in named:
        return _OF_METHOD | {"method"}
    return _OF_METHOD | {"recipe"} if "--method" in named else frozenset()


def _commands(group: Any) -> Iterator[Any]:
    for command in group.commands.values():
        yield from _commands(command) if hasattr(command, "commands") else [command]


def _options(command: Any) -> dict[str, Any]:
    """Return the options of a command that a file may set, by name."""
    parameters = {
        _plain(parameter.opts[0]): parameter for parameter in command.params if parameter.opts[0].startswith("--")
    }
    return {name: parameter for name, parameter in parameters.items() if name not in _OF_COMMAND_LINE}


def _plain(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


__all__ = ["FILE", "CliSettings", "own_file", "settings"]
