"""Commands in the language of whoever reads them: their help, their options, and the words of Typer itself.

All of it is written in English where it is declared, and looked up in the catalogue when the program begins.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce, wraps
from inspect import Parameter, cleandoc, signature
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]
from typer.core import TyperCommand, TyperGroup

from whorl.cli.failures import print_error
from whorl.cli.mistakes import MISTAKES, tell
from whorl.cli.settings import Settings, settings
from whorl.errors import WhorlError
from whorl.language import LANGUAGES, Language, looked_up, say, speaking, spoken, translated

Lang = Annotated[
    Language | None,
    typer.Option(
        "--lang",
        metavar="|".join(LANGUAGES),
        help="Language of all that is shown. (default: WHORL_LANG, else that of the system)",
    ),
]

COMPLETION = "_WHORL_COMPLETE"
"""The variable by which a shell asks what could follow."""

GIVEN = "whorl.given"
"""Under which a context keeps the command line."""

_LANG = re.compile("--lang(=|$)")
_HELP = "Show this message and exit."
_USAGE = "Usage: "

if TYPE_CHECKING:
    _Base = TyperCommand
else:
    _Base = object


class _Speaking(_Base):
    """What commands and groups share: usage and help in the language that is spoken."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the line of usage."""
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), looked_up(_USAGE))

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print the help."""
        from whorl.cli.help import print_help

        print_help(self, ctx)

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option that asks for the help."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = looked_up(_HELP)
        return option


class Command(_Speaking, TyperCommand):
    """A command that speaks the language that is spoken."""


class Group(_Speaking, TyperGroup):
    """Commands below one name; without any of them its help is shown."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the name of a command."""
        return super().parse_args(ctx, args if after_language(args) else [])


class DefaultGroup(Group):
    """Commands below one name, one of which need not be named.

    Attributes:
        default: the name of that one.
    """

    default = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command in front of arguments that name none."""
        own = after_language(args)
        if own and own[0] not in self.commands and own[0] not in ctx.help_option_names:
            args = [self.default, *args]
        return super().parse_args(ctx, args)


class Program(Group):
    """The whole program, which chooses the language: by ``--lang``, wherever it stands, or as `whorl.spoken` says."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the name of a command, and keep the command line for options that look at others."""
        ctx.meta[GIVEN] = tuple(args)
        return super().parse_args(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program; a command line that cannot be read ends with exit code 2."""
        given = sys.argv[1:] if args is None else list(args)
        if COMPLETION in os.environ:
            completion_init()
        with speaking(_asked(given) or spoken()):
            try:
                kept = settings()
                chosen = [language for one in kept if (language := one.language)]
                language = _asked(given) or (chosen[-1] if chosen else spoken())
                defaults = [one.defaults(self, given) for one in kept]
                extra |= {"default_map": reduce(_overlaid, defaults)} if defaults else {}
                with speaking(language):
                    _name_foreign(kept, given)
                    translate(self)
                    code = super().main(given, prog_name, complete_var, False, windows_expand_args, **extra)
            except typer.TyperException as mistake:
                code = tell(mistake)
            except WhorlError as error:
                print_error(error)
                code = error.exit_code
        if standalone_mode:
            sys.exit(code)
        return code


def _overlaid(defaults: Mapping[str, Any], by: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables of defaults, with those of another file in their place."""
    both = {name: _overlaid(defaults[name], by[name]) for name in defaults.keys() & by.keys() if _is_table(by[name])}
    return {**defaults, **by, **both}


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _name_foreign(kept: Sequence[Settings], given: Sequence[str]) -> None:
    """Say that settings were read which the user may not know of."""
    for one in kept:
        if not one.is_own and not {"-q", "--quiet", "--json"}.intersection(given):
            read = say("settings: {path}", path=one.path)
            sys.stderr.write(f"{translated(read)}\n")


def texts(command: TyperCommand | TyperGroup) -> Iterator[str]:
    """Yield all that is said in English of a command, of those below it, and by Typer; some of it more than once."""
    yield from (_HELP, _USAGE, *MISTAKES)
    for holder, name in _places(command):
        yield from _paragraphs(getattr(holder, name))


def speaks(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command's function with the option ``--lang``, which the program obeys, unless it has it itself."""
    own = signature(command, eval_str=True)
    if "lang" in own.parameters:
        return command

    @wraps(command)
    def run(*args: Any, lang: Language | None = None, **kwargs: Any) -> None:  # noqa: ARG001
        command(*args, **kwargs)

    lang = Parameter("lang", Parameter.KEYWORD_ONLY, default=None, annotation=Lang)
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), lang])  # type: ignore[attr-defined]
    return run


def after_language(arguments: list[str]) -> list[str]:
    """Return arguments without the option for the language that stands first."""
    if arguments and _LANG.match(arguments[0]):
        return arguments[1:] if "=" in arguments[0] else arguments[2:]
    return arguments


def translate(command: TyperCommand | TyperGroup) -> None:
    """Let a command, and those below it, say everything in the language that is spoken."""
    for holder, name in _places(command):
        setattr(holder, name, "\n\n".join(map(looked_up, _paragraphs(getattr(holder, name)))))


def _places(command: Any) -> Iterator[tuple[Any, str]]:
    """Everything that has a text, with the name of its attribute."""
    for one in _commands(command):
        held = [(one, name) for name in ("help", "short_help", "options_metavar", "subcommand_metavar")]
        held += [(parameter, name) for parameter in one.params for name in ("help", "rich_help_panel")]
        yield from ((holder, name) for holder, name in held if getattr(holder, name, None))


def _commands(command: Any) -> Iterator[Any]:
    yield command
    for one in getattr(command, "commands", {}).values():
        yield from _commands(one)


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each on one line."""
    return [" ".join(paragraph.split()) for paragraph in cleandoc(text).split("\n\n")]


def _asked(arguments: Sequence[str]) -> Language | None:
    """The language that a command line asks for, even one that has mistakes; they are told in it too."""
    own = [*takewhile(lambda argument: argument != "--", arguments), ""]
    named = [
        then if one == "--lang" else one.removeprefix("--lang=") for one, then in pairwise(own) if _LANG.match(one)
    ]
    return next((language for language in LANGUAGES if language in named[-1:]), None)


__all__ = ["COMPLETION", "GIVEN", "Command", "DefaultGroup", "Group", "Lang", "Program", "speaks", "texts", "translate"]
