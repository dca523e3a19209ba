"""Commands in the reader's language: help, options, and the messages of Typer.

Everything is declared in English and looked up in the catalogue when the program starts.
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

from whorl.cli.settings import CliSettings, settings
from whorl.cli.ui.failures import print_error, report_failure
from whorl.cli.ui.usage_errors import MISTAKES, tell
from whorl.cli.ui.values import convert_values
from whorl.errors import WhorlError
from whorl.i18n import LANGUAGES, Language, looked_up, say, speaking, spoken, translated

Lang = Annotated[
    Language | None,
    typer.Option(
        "--lang",
        metavar="|".join(LANGUAGES),
        help="Language of the output. (default: WHORL_LANG, else that of the system)",
    ),
]

COMPLETION = "_WHORL_COMPLETE"
"""Environment variable of a shell that requests completions."""

COMMAND_LINE = "whorl.command_line"
"""Key of the command line in the context metadata."""

SYNONYMS = {
    "clean": "dedup",
    "contamination": "decontaminate",
    "crawl": "watch",
    "deduplicate": "dedup",
    "diff": "compare",
    "find": "check",
    "plagiarism": "compare",
    "query": "check",
    "search": "check",
    "server": "serve",
    "similarity": "compare",
}
"""Commands by words that people use for them."""

_LANG = re.compile("--lang(=|$)")
_HELP = "Show this message and exit."
_USAGE = "Usage: "

if TYPE_CHECKING:
    _Base = TyperCommand
else:
    _Base = object


class _Speaking(_Base):
    """Mixin of commands and groups: usage and help in the current language, and a fast start."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line."""
        for parameter in self.get_params(ctx):
            convert_values(parameter)
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage line."""
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), looked_up(_USAGE))

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print the help."""
        from whorl.cli.ui.help import print_help

        print_help(self, ctx)

    def get_help_option(self, ctx: Any) -> Any:
        """Return the help option."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = looked_up(_HELP)
        return option


class Command(_Speaking, TyperCommand):
    """A command with translated help."""


class Group(_Speaking, TyperGroup):
    """A command group that shows its help if no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command name."""
        return super().parse_args(ctx, args if after_language(args) else [])


class DefaultGroup(Group):
    """A command group with a default command.

    Attributes:
        default: name of the default command.
    """

    default = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the default command before arguments that name none."""
        remaining = after_language(args)
        if remaining and remaining[0] not in self.commands and remaining[0] not in ctx.help_option_names:
            args = [self.default, *args]
        return super().parse_args(ctx, args)


class Program(Group):
    """The main program, which chooses the language: by ``--lang`` at any position, or as `whorl.spoken` does."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; for a word that people use for it, suggest its name."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as mistake:
            name = SYNONYMS.get(args[0]) if args else None
            if name is not None and hasattr(mistake, "message"):
                mistake.message = f"No such command {args[0]!r}. Did you mean {name!r}?"
            raise

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command name, and keep the command line for options that depend on others."""
        ctx.meta[COMMAND_LINE] = tuple(args)
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
        """Run the program; an invalid command line ends with exit code 2."""
        arguments = sys.argv[1:] if args is None else list(args)
        if COMPLETION in os.environ:
            completion_init()
        with speaking(_chosen_language(arguments) or spoken()):
            try:
                kept = settings()
                chosen = [language for file in kept if (language := file.language)]
                language = _chosen_language(arguments) or (chosen[-1] if chosen else spoken())
                defaults = [file.defaults(self, arguments) for file in kept]
                extra |= {"default_map": reduce(_overlaid, defaults)} if defaults else {}
                with speaking(language):
                    _name_foreign(kept, arguments)
                    translate(self)
                    code = super().main(arguments, prog_name, complete_var, False, windows_expand_args, **extra)
            except typer.TyperException as mistake:
                code = tell(mistake)
            except WhorlError as error:
                print_error(error)
                code = error.exit_code
            except OSError as failure:  # of commands, their own guard reports it
                code = report_failure(failure)
        if standalone_mode:
            sys.exit(code)
        return code


def _overlaid(defaults: Mapping[str, Any], by: Mapping[str, Any]) -> dict[str, Any]:
    """Merge nested tables of defaults; values of the second file take precedence."""
    both = {name: _overlaid(defaults[name], by[name]) for name in defaults.keys() & by.keys() if _is_table(by[name])}
    return {**defaults, **by, **both}


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _name_foreign(kept: Sequence[CliSettings], arguments: Sequence[str]) -> None:
    """Report settings that the user may not be aware of."""
    for file in kept:
        if not file.is_own and not {"-q", "--quiet", "--json"}.intersection(arguments):
            read = say("settings: {path}", path=file.path)
            sys.stderr.write(f"{translated(read)}\n")


def texts(command: TyperCommand | TyperGroup) -> Iterator[str]:
    """Yield all English texts of a command, its subcommands and Typer; some more than once."""
    yield from (_HELP, _USAGE, *MISTAKES)
    for holder, name in _places(command):
        yield from _paragraphs(getattr(holder, name))


def speaks(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option ``--lang`` to a command, unless it has one; the program evaluates it."""
    original = signature(command, eval_str=True)
    if "lang" in original.parameters:
        return command

    @wraps(command)
    def run(*args: Any, lang: Language | None = None, **kwargs: Any) -> None:  # noqa: ARG001
        command(*args, **kwargs)

    lang = Parameter("lang", Parameter.KEYWORD_ONLY, default=None, annotation=Lang)
    run.__signature__ = original.replace(parameters=[*original.parameters.values(), lang])  # type: ignore[attr-defined]
    return run


def after_language(arguments: list[str]) -> list[str]:
    """Return arguments without a leading language option."""
    if arguments and _LANG.match(arguments[0]):
        return arguments[1:] if "=" in arguments[0] else arguments[2:]
    return arguments


def translate(command: TyperCommand | TyperGroup) -> None:
    """Translate all texts of a command and its subcommands."""
    for holder, name in _places(command):
        setattr(holder, name, "\n\n".join(map(looked_up, _paragraphs(getattr(holder, name)))))


def _places(command: Any) -> Iterator[tuple[Any, str]]:
    """Yield all objects with a text, with the name of the attribute."""
    for member in _commands(command):
        texts = [
            (member, name)
            for name in ("help", "short_help", "options_metavar", "subcommand_metavar", "rich_help_panel")
        ]
        texts += [(parameter, name) for parameter in member.params for name in ("help", "rich_help_panel")]
        yield from ((holder, name) for holder, name in texts if getattr(holder, name, None))


def _commands(command: Any) -> Iterator[Any]:
    yield command
    for child in getattr(command, "commands", {}).values():
        yield from _commands(child)


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, each on one line."""
    return [" ".join(paragraph.split()) for paragraph in cleandoc(text).split("\n\n")]


def _chosen_language(arguments: Sequence[str]) -> Language | None:
    """Return the requested language, even of an invalid command line, whose errors are translated too."""
    options = [*takewhile(lambda argument: argument != "--", arguments), ""]
    named = [
        then if option == "--lang" else option.removeprefix("--lang=")
        for option, then in pairwise(options)
        if _LANG.match(option)
    ]
    return next((language for language in LANGUAGES if language in named[-1:]), None)


__all__ = [
    "COMMAND_LINE",
    "COMPLETION",
    "Command",
    "DefaultGroup",
    "Group",
    "Lang",
    "Program",
    "speaks",
    "texts",
    "translate",
]
