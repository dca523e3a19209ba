"""Options that stand in a file: `whorl.toml`, or the table `[tool.whorl]` of `pyproject.toml`.

The file is the nearest to where one stands: of this folder, else of the one above, and so on; `WHORL_CONFIG` names
another one, or none where it is empty. What stands at its top holds for every command that has such an option, what
stands in a table such as `[dedup]` or `[library.list]` for that command. The command line comes first.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whorl.errors import InputError, UsageError
from whorl.language import LANGUAGES, Language, say

FILE = "whorl.toml"
_PROJECT = "pyproject.toml"
_OF_COMMAND_LINE = frozenset({"out", "html", "table", "help", "lang", "version"})
"""Options that no table decides: where a result is written, and the language, which stands at the top."""
_PLACES = frozenset({"recipe", "user_dict", "against", "alerts", "state"})
"""Options that name a file, which is looked for beside the settings."""
_WRITTEN = "log"
"""The option that names a file which is written beside the settings."""
_OF_METHOD = frozenset({"threshold", "verify", "verify_threshold", "verify_over"})
"""Options that belong to a method: one of the command line comes without those of the file."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file says.

    Attributes:
        path: the file.
        values: its options and tables of options.
    """

    path: Path
    values: Mapping[str, Any]

    @property
    def language(self) -> Language | None:
        """The language that it asks for; None where ``WHORL_LANG`` asks for one.

        Raises:
            UsageError: whorl does not speak it.
        """
        asked = self.values.get("lang")
        found = next((language for language in LANGUAGES if language == asked), None)
        if asked is not None and found is None:
            raise UsageError(
                say("{path}: lang is {value}", path=self.path, value=repr(asked)),
                cure=say("choose one of: {names}", names=", ".join(LANGUAGES)),
            )
        return None if os.environ.get("WHORL_LANG") else found

    def defaults(self, program: Any, given: Sequence[str]) -> dict[str, Any]:
        """Return its options for each command, by the names of their parameters.

        Args:
            program: the group of all commands.
            given: the command line; what it says of the method or recipe takes the place of all that the file says.

        Raises:
            UsageError: the file names an option or a command that there is not, or gives a value of the wrong kind.
        """
        table = {name: value for name, value in self.values.items() if name != "lang"}
        known = {name for command in _commands(program) for name in _options(command)}
        shared = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
        self._demand_known(shared, known, "")
        return self._of_group(program, table, shared, _without(given), "")

    def _of_group(
        self, group: Any, table: Mapping[str, Any], shared: Mapping[str, Any], without: frozenset[str], place: str
    ) -> dict[str, Any]:
        tables = {name: value for name, value in table.items() if isinstance(value, Mapping)}
        for name in tables.keys() - group.commands.keys():
            raise UsageError(
                say("{path}: there is no command {name}", path=self.path, name=repr(f"{place}{name}")),
                cure=say("choose one of: {names}", names=", ".join(group.commands)),
            )
        defaults: dict[str, Any] = {}
        for name, command in group.commands.items():
            own = tables.get(name, {})
            if hasattr(command, "commands"):
                defaults[name] = self._of_group(command, own, shared, without, f"{place}{name}.")
                continue
            options = _options(command)
            self._demand_known(own, options.keys(), f"{place}{name}")
            asked = {_plain(option): value for option, value in {**shared, **own}.items()}
            defaults[name] = {
                options[option].name: self._value(option, options[option], value)
                for option, value in asked.items()
                if option in options and option not in without
            }
        return defaults

    def _demand_known(self, options: Mapping[str, Any], known: Iterable[str], place: str) -> None:
        for option in options:
            if _plain(option) not in known:
                where = f"[{place}] {option}" if place else option
                raise UsageError(
                    say("{path}: {option} is no option that a file may give", path=self.path, option=where),
                    cure=say("choose one of: {names}", names=", ".join(sorted(known)).replace("_", "-")),
                )

    def _value(self, option: str, parameter: Any, value: Any) -> Any:
        values = value if isinstance(value, list) else [value]
        is_flag = bool(parameter.is_flag)
        fits = all(isinstance(one, bool) if is_flag else _is_scalar(one) for one in values)
        if not fits or (isinstance(value, list) and not parameter.multiple):
            raise UsageError(
                say("{path}: {option} is {value}", path=self.path, option=option, value=repr(value)),
                cure=say("give true or false") if is_flag else say("give a string or a number"),
            )
        if is_flag:
            return value
        if option == _WRITTEN:
            return str(self.path.parent / str(value))
        written = [self._beside(one) if option in _PLACES else str(one) for one in values]
        return written if parameter.multiple else written[0]

    def _beside(self, named: Any) -> str:
        """A file or folder that lies beside the settings; an address of something else as it is."""
        place = self.path.parent / str(named)
        return str(place) if place.exists() else str(named)


def settings(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings | None:
    """Return the settings that hold where one stands; None where there are none.

    Raises:
        InputError: the file cannot be read, or is no TOML.
    """
    named = (os.environ if environment is None else environment).get("WHORL_CONFIG")
    if named is not None:
        return _read(Path(named)) if named else None
    here = Path.cwd() if folder is None else folder
    return next(filter(None, (_of_folder(each) for each in (here, *here.parents))), None)


def _of_folder(folder: Path) -> Settings | None:
    own, project = folder / FILE, folder / _PROJECT
    if own.is_file():
        return _read(own)
    return _read(project) if project.is_file() else None


def _read(path: Path) -> Settings | None:
    """What a file says; None for a project without settings."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.name == _PROJECT and "tool.whorl" not in text:
            return None
        values = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            say("{path}: {reason}", path=path, reason=str(error)),
            cure=say("repair the file, or run with WHORL_CONFIG= for none"),
        ) from error
    if path.name == _PROJECT:
        values = values.get("tool", {}).get("whorl", {})
    return Settings(path, values)


def _without(given: Sequence[str]) -> frozenset[str]:
    """The options of a file that do not hold beside a command line."""
    named = {one.partition("=")[0] for one in given}
    if "--recipe" in named:
        return _OF_METHOD | {"method"}
    return _OF_METHOD | {"recipe"} if "--method" in named else frozenset()


def _commands(group: Any) -> Iterator[Any]:
    for command in group.commands.values():
        yield from _commands(command) if hasattr(command, "commands") else [command]


def _options(command: Any) -> dict[str, Any]:
    """The options of a command that a file may give, by what they are called."""
    found = {_plain(parameter.opts[0]): parameter for parameter in command.params if parameter.opts[0].startswith("--")}
    return {name: parameter for name, parameter in found.items() if name not in _OF_COMMAND_LINE}


def _plain(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


__all__ = ["FILE", "Settings", "settings"]
