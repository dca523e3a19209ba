"""Options that stand in a file: `whorl.toml`, or the table `[tool.whorl]` of `pyproject.toml`.

Two files count. The user's own, `whorl/whorl.toml` in the folder for configuration, may give every option. The nearest
one to the working folder - of this folder, else of the one above, and so on - comes before it, but may have come with a
corpus that somebody else made: it chooses how texts are read, judged and shown, and nothing that writes, connects,
listens, authenticates or reads outside its folder. `WHORL_CONFIG` names a file that counts instead of both, as the
user's own, or none where it is empty.

What stands at the top of a file holds for every command that has such an option, what stands in a table such as
`[dedup]` or `[library.list]` for that command. The command line comes first.
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
_READING = frozenset({"text", "id", "date", "title", "source", "author", "url", "encoding", "include", "exclude"})
_JUDGING = frozenset({
    "method", "recipe", "threshold", "verify", "verify_threshold", "verify_over", "keep", "remove", "links", "window",
    "least", "most", "short", "reprint", "against",
})  # fmt: skip
_CUTTING = frozenset({"mode", "pos", "stem", "fold", "chunks", "hmm", "user_dict"})
_SHOWING = frozenset({"json", "quiet", "verbose", "changes", "top", "at_least", "since", "until", "order"})
_HARMLESS = _READING | _JUDGING | _CUTTING | _SHOWING
"""What a file that lies in or above the working folder may give."""
_LARGEST = 1 << 20
"""Bytes that a file of settings has at most."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file says.

    Attributes:
        path: the file.
        values: its options and tables of options.
        is_own: whether the user put it there: it may give every option.
    """

    path: Path
    values: Mapping[str, Any]
    is_own: bool

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
            if not self.is_own and _plain(option) not in _HARMLESS:
                where = f"[{place}] {option}" if place else option
                raise UsageError(
                    say("{path}: {option} may stand only in your own settings", path=self.path, option=where),
                    cure=say("put it into {file}, or run with WHORL_CONFIG= to ignore this one", file=own_file()),
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
        """A file or folder that lies beside the settings; an address of something else as it is.

        Raises:
            UsageError: the settings are not the user's own, and this lies outside their folder.
        """
        place = self.path.parent / str(named)
        if not self.is_own and not (place.exists() and place.resolve().is_relative_to(self.path.parent.resolve())):
            raise UsageError(
                say("{path}: there is no {name} in this folder", path=self.path, name=repr(str(named))),
                cure=say("give it on the command line, or put it into {file}", file=own_file()),
            )
        return str(place) if place.exists() else str(named)


def settings() -> list[Settings]:
    """Return the settings that hold in the working folder, those that come first last.

    Raises:
        InputError: a file cannot be read, or is no TOML.
    """
    named = os.environ.get("WHORL_CONFIG")
    if named is not None:
        kept = [_read(Path(named), is_own=True)] if named else []
    else:
        here = Path.cwd()
        own = _read(own_file(), is_own=True) if own_file().is_file() else None
        kept = [own, next(filter(None, map(_of_folder, (here, *here.parents))), None)]
    return [one for one in kept if one is not None]


def own_file() -> Path:
    """The user's own settings, whether they are there or not."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "whorl" / FILE  # noqa: PTH117 - "" too


def _of_folder(folder: Path) -> Settings | None:
    own, project = folder / FILE, folder / _PROJECT
    if own.is_file():
        return _read(own, is_own=False)
    return _read(project, is_own=False) if project.is_file() else None


def _read(path: Path, *, is_own: bool) -> Settings | None:
    """What a file says; None for a project without settings."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise InputError(
                say("{path}: larger than {most:,} bytes", path=path, most=_LARGEST),
                cure=say("repair the file, or run with WHORL_CONFIG= for none"),
            )
        text = content.decode("utf-8")
        if path.name == _PROJECT and "tool.whorl" not in text:
            return None
        values = tomllib.loads(text)
        if path.name == _PROJECT:
            values = _table(_table(values, "tool"), "whorl")
    except RecursionError as error:
        raise _unreadable(path, "nested too deeply") from error
    except (OSError, ValueError) as error:  # also for an integer of too many digits
        raise _unreadable(path, str(error)) from error
    return Settings(path, values, is_own)


def _table(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A table of a file, empty where there is none.

    Raises:
        ValueError: something else has its name.
    """
    table = values.get(name, {})
    if not isinstance(table, dict):
        raise ValueError(f"{name} is not a table")
    return table


def _unreadable(path: Path, reason: str) -> InputError:
    return InputError(
        say("{path}: {reason}", path=path, reason=reason),
        cure=say("repair the file, or run with WHORL_CONFIG= for none"),
    )


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


__all__ = ["FILE", "Settings", "own_file", "settings"]
