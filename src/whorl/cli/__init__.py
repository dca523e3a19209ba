"""The command line: one module per command, in a folder per subject, and shared options and output.

Startup is fast because a command imports its dependencies only when it runs.
"""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from whorl.cli.ui.startup import travel_light

if TYPE_CHECKING:
    import typer

_PANELS = {
    "corpora": "Corpora",
    "texts": "Plagiarism and text reuse",
    "libraries": "Library",
    "watching": "Watching and evidence",
    "service": "Service",
    "lab": "Methods and words",
    "program": "This program",
}
"""The titles of the list of commands, by the folder of their modules."""


def run() -> None:
    """Be the program ``whorl``: may change the global state of the process, which ends with it.

    Raises:
        SystemExit: always, with an exit code listed by ``whorl --help``.
    """
    departure = travel_light()
    try:
        main()
    except SystemExit as end:
        departure.expect(end.code)
        raise


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``whorl`` and exit.

    Args:
        arguments: arguments after the program name; None uses those of this process.

    Raises:
        SystemExit: always, with an exit code listed by ``whorl --help``.
    """
    command_line = sys.argv[1:] if arguments is None else list(arguments)
    _occupy_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    build_app(sole_command(command_line))(
        args=command_line, prog_name="whorl", obj=shlex.join(["whorl", *command_line])
    )


def sole_command(arguments: Sequence[str]) -> str | None:
    """Return the command that a command line begins with; None if settings need to know the other commands as well."""
    from whorl.cli.settings import settings
    from whorl.cli.ui.localization import COMPLETION
    from whorl.errors import WhorlError

    try:
        is_alone = COMPLETION not in os.environ and not settings()
    except (OSError, WhorlError):  # reported when the program reads them
        return None
    return arguments[0] if arguments and is_alone else None


def _occupy_closed_streams() -> None:
    """Occupy closed standard streams, so that no opened file becomes standard output and receives printed text.

    Raises:
        SystemExit: there is no stream to print to.
    """
    from whorl.cli.ui.failures import demand_standard_output

    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the program
    demand_standard_output()


class _Entry(NamedTuple):
    """A command: its module below `whorl.cli.commands`, and what the list of commands says about it.

    The command is the function of its name; its epilog is the constant ``NAME_EPILOG`` of the module, if there is one.
    """

    module: str
    short_help: str

    @property
    def panel(self) -> str:
        return _PANELS[self.module.partition(".")[0]]


def build_app(only: str | None = None) -> typer.Typer:
    """Return the program with all its commands.

    Args:
        only: name of the single command, or group of commands, to build; other names build all of them.
    """
    import typer

    from whorl.cli.program import PROGRAM_EPILOG, program
    from whorl.cli.ui.localization import Program

    app = typer.Typer(
        name="whorl",
        cls=Program,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog=PROGRAM_EPILOG)(_ready(program))
    for name in [only] if only in _COMMANDS else _COMMANDS:
        entry = _COMMANDS[name]
        if isinstance(entry, _Entry):
            module = import_module(f"whorl.cli.commands.{entry.module}")
            function = name.replace("-", "_")
            epilog = getattr(module, f"{function.upper()}_EPILOG", None)
            _add(app, getattr(module, function), entry.short_help, epilog, name=name, panel=entry.panel)
        else:
            group, folder = entry
            app.add_typer(group(), rich_help_panel=_PANELS[folder])
    return app


def _evaluation() -> typer.Typer:
    """Return ``whorl eval`` with its commands and a default command."""
    import typer

    from whorl.cli.commands.lab.evaluate import DEFAULT, EVAL_EPILOG, EvalGroup, evaluate
    from whorl.cli.commands.lab.sample import SAMPLE_EPILOG, SCORE_EPILOG, sample, score

    group = typer.Typer(
        name="eval",
        cls=EvalGroup,
        help="Evaluate methods on labelled duplicates or on human judgments.",
        short_help="Measure recall and precision of the methods.",
        epilog=EVAL_EPILOG,
        no_args_is_help=True,
        subcommand_metavar="DOCS... TRUTH | COMMAND [ARGS]...",
        rich_markup_mode="rich",
    )
    group.callback()(_ready(_group))
    _add(group, evaluate, "DOCS... TRUTH: evaluate methods on labelled duplicates.", name=DEFAULT)
    _add(group, sample, "Write a workbook of pairs for people to label.", SAMPLE_EPILOG)
    _add(group, score, "Score a labelled workbook.", SCORE_EPILOG)
    return group


def _cases() -> typer.Typer:
    """Return ``whorl case`` with its commands."""
    import typer

    from whorl.cli.commands.watching import case
    from whorl.cli.ui.localization import Group

    group = typer.Typer(
        name="case",
        cls=Group,
        help="Follow copies of protected articles, from the first sighting to the settlement.",
        short_help="Follow copies from first sighting to settlement.",
        epilog=case.CASE_EPILOG,
        no_args_is_help=True,
        rich_markup_mode="rich",
    )
    group.callback()(_ready(_group))
    _add(group, case.list_cases, name="list")
    _add(group, case.show_case, name="show")
    _add(group, case.open_case, name="open")
    _add(group, case.send_notice, name="notice")
    _add(group, case.pack_case, name="evidence")
    _add(group, case.close_case, name="close")
    _add(group, case.reopen_case, name="reopen")
    _add(group, case.note_case, name="note")
    _add(group, case.rebuild_cases, name="rebuild")
    return group


def _evidence() -> typer.Typer:
    """Return ``whorl evidence`` with its commands and a default command."""
    import typer

    from whorl.cli.commands.watching import evidence

    group = typer.Typer(
        name="evidence",
        cls=evidence.EvidenceGroup,
        help="Export all evidence of a match as one verifiable file.",
        epilog=evidence.EVIDENCE_EPILOG,
        no_args_is_help=True,
        subcommand_metavar="LIB ID OTHER -o PACK | COMMAND [ARGS]...",
        rich_markup_mode="rich",
    )
    group.callback()(_ready(_group))
    _add(group, evidence.pack, "LIB ID OTHER: write an evidence pack.", name=evidence.DEFAULT)
    _add(group, evidence.verify, "Verify that an evidence pack is unaltered.", evidence.VERIFY_EPILOG)
    return group


def _keys() -> typer.Typer:
    """Return ``whorl key`` with its commands."""
    import typer

    from whorl.cli.commands.service import access
    from whorl.cli.ui.localization import Group

    group = typer.Typer(
        name="key",
        cls=Group,
        help="Manage the keys of programs that use a service.",
        epilog=access.KEY_EPILOG,
        no_args_is_help=True,
        rich_markup_mode="rich",
    )
    group.callback()(_ready(_group))
    _add(group, access.add_key, name="add")
    _add(group, access.list_keys, name="list")
    _add(group, access.revoke_key, name="revoke")
    return group


def _users() -> typer.Typer:
    """Return ``whorl user`` with its commands."""
    import typer

    from whorl.cli.commands.service import access
    from whorl.cli.ui.localization import Group

    group = typer.Typer(
        name="user",
        cls=Group,
        help="Manage the users of a service.",
        epilog=access.USER_EPILOG,
        no_args_is_help=True,
        rich_markup_mode="rich",
    )
    group.callback()(_ready(_group))
    _add(group, access.add_user, name="add")
    _add(group, access.list_users, name="list")
    _add(group, access.remove_user, name="remove")
    return group


def _library() -> typer.Typer:
    """Return ``whorl library`` with its commands."""
    import typer

    from whorl.cli.commands.libraries import access_logs, library, sites
    from whorl.cli.commands.libraries.statistics import statistics
    from whorl.cli.ui.localization import Group

    group = typer.Typer(
        name="library",
        cls=Group,
        help="Inspect and maintain a library.",
        epilog=library.LIBRARY_EPILOG,
        no_args_is_help=True,
        rich_markup_mode="rich",
    )
    group.callback()(_ready(_group))
    _add(group, library.list_articles, name="list")
    for command in (
        library.create,
        library.clusters,
        library.zone,
        library.trace,
        library.collect,
        library.remove,
        library.stats,
        statistics,
        library.verify,
        library.reindex,
        library.backup,
        library.copy,
        library.upgrade,
        library.export,
        sites.sites,
        sites.permissions,
        sites.accounts,
        sites.attestations,
        access_logs.access_log,
        sites.snapshots,
        sites.prune,
        sites.ledger,
    ):
        _add(group, command)
    return group


def _attribution() -> typer.Typer:
    """Return ``whorl attribute`` with its command."""
    import typer

    from whorl.cli.commands.watching.attribution import FIT_EPILOG, fit
    from whorl.cli.ui.localization import Group

    group = typer.Typer(
        name="attribute",
        cls=Group,
        help="Learn how to find the original.",
        epilog=FIT_EPILOG,
        no_args_is_help=True,
        rich_markup_mode="rich",
    )
    group.callback()(_ready(_group))
    _add(group, fit)
    return group


def _group() -> None:
    """Callback of a command group, which does nothing."""


def _add(
    group: typer.Typer,
    command: Callable[..., None],
    short_help: str | None = None,
    epilog: str | None = None,
    name: str | None = None,
    panel: str | None = None,
) -> None:
    from whorl.cli.ui.localization import Command
    from whorl.cli.ui.logs import logged

    declare = group.command(name, cls=Command, short_help=short_help, epilog=epilog, rich_help_panel=panel)
    declare(_ready(logged(command)))


def _ready(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that reports errors as messages and takes ``--lang``."""
    from whorl.cli.ui.failures import guarded
    from whorl.cli.ui.localization import speaks

    return speaks(guarded(command))


_COMMANDS: dict[str, _Entry | tuple[Callable[[], typer.Typer], str]] = {
    "dedup": _Entry("corpora.dedup", "Deduplicate a corpus, with evidence for each removal."),
    "strip": _Entry("corpora.strip", "Remove repeated text from within documents."),
    "decontaminate": _Entry("corpora.decontaminate", "Find benchmark contamination in training data."),
    "show": _Entry("corpora.show", "Show an article and its duplicates."),
    "hot": _Entry("corpora.hot", "Show the most reprinted articles."),
    "compare": _Entry("texts.compare", "Check a text for plagiarism, against one or many."),
    "cohort": _Entry("texts.cohort", "Compare all manuscripts of a class."),
    "reuse": _Entry("texts.reuse", "Find text reuse: all passages that texts share."),
    "explain": _Entry("texts.explain", "Explain why two texts are, or are not, duplicates."),
    "add": _Entry("libraries.add", "Add articles to a library and report copies."),
    "check": _Entry("libraries.add", "Check articles for copies of those in a library."),
    "library": (_library, "libraries"),
    "watch": _Entry("watching.watch", "Watch sites for copies of protected articles."),
    "trace": _Entry("watching.attribution", "Estimate the original of a cluster, with reasons."),
    "review": _Entry("watching.review", "Review matches."),
    "alerts": _Entry("watching.alerts", "Send alerts about copies."),
    "attribute": (_attribution, "watching"),
    "case": (_cases, "watching"),
    "evidence": (_evidence, "watching"),
    "serve": _Entry("service.serve", "Serve libraries over HTTP, with a console."),
    "key": (_keys, "service"),
    "user": (_users, "service"),
    "copy-state": _Entry("service.copying", "Copy keys, users and jobs to another place."),
    "mcp": _Entry("service.mcp", "Offer tools to coding assistants."),
    "methods": _Entry("lab.methods", "List the methods, or explain one."),
    "segment": _Entry("lab.segment", "Segment texts into words."),
    "idf": _Entry("lab.idf", "Count word frequencies in a corpus."),
    "fingerprint": _Entry("lab.fingerprint", "Write fingerprints for other databases."),
    "recommend": _Entry("lab.recommend", "Recommend a recipe for a corpus."),
    "eval": (_evaluation, "lab"),
    "doctor": _Entry("program.installation", "Describe this installation."),
    "selftest": _Entry("program.installation", "Run the test vectors of the specification."),
    "completion": _Entry("program.completion", "Print the script for tab completion."),
}
"""The commands, and the groups with their folders, in the order of the help. Only those that are run are imported."""

__all__ = ["build_app", "main", "run", "sole_command"]
