"""The command line: one module per command, and shared options and output.

Startup is fast because a command imports its dependencies only when it runs.
"""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from whorl.cli.ui.startup import travel_light

if TYPE_CHECKING:
    import typer


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``whorl`` and exit.

    Args:
        arguments: arguments after the program name; None uses those of this process and may change its global state.

    Raises:
        SystemExit: always, with an exit code listed by ``whorl --help``.
    """
    if arguments is None:
        travel_light()
    command_line = sys.argv[1:] if arguments is None else list(arguments)
    _occupy_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    build_app()(args=command_line, prog_name="whorl", obj=shlex.join(["whorl", *command_line]))


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


def build_app() -> typer.Typer:
    """Return the program with all its commands."""
    import typer

    from whorl.cli.commands.add import ADD_EPILOG, CHECK_EPILOG, add, check
    from whorl.cli.commands.alerts import ALERTS_EPILOG, alerts
    from whorl.cli.commands.attribution import TRACE_EPILOG, trace
    from whorl.cli.commands.cohort import COHORT_EPILOG, cohort
    from whorl.cli.commands.compare import COMPARE_EPILOG, compare
    from whorl.cli.commands.completion import COMPLETION_EPILOG, completion
    from whorl.cli.commands.decontaminate import DECONTAMINATE_EPILOG, decontaminate
    from whorl.cli.commands.dedup import DEDUP_EPILOG, dedup
    from whorl.cli.commands.explain import EXPLAIN_EPILOG, explain
    from whorl.cli.commands.fingerprint import FINGERPRINT_EPILOG, fingerprint
    from whorl.cli.commands.hot import HOT_EPILOG, hot
    from whorl.cli.commands.idf import IDF_EPILOG, idf
    from whorl.cli.commands.installation import DOCTOR_EPILOG, SELFTEST_EPILOG, doctor, selftest
    from whorl.cli.commands.methods import methods
    from whorl.cli.commands.recommend import RECOMMEND_EPILOG, recommend
    from whorl.cli.commands.reuse import REUSE_EPILOG, reuse
    from whorl.cli.commands.review import REVIEW_EPILOG, review
    from whorl.cli.commands.segment import SEGMENT_EPILOG, segment
    from whorl.cli.commands.serve import SERVE_EPILOG, serve
    from whorl.cli.commands.show import SHOW_EPILOG, show
    from whorl.cli.commands.strip import STRIP_EPILOG, strip
    from whorl.cli.commands.watch import WATCH_EPILOG, watch
    from whorl.cli.program import CORPORA, LAB, LIBRARY, PROGRAM, PROGRAM_EPILOG, SERVICE, TEXTS, WATCH, program
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
    _add(app, dedup, "Deduplicate a corpus, with evidence for each removal.", DEDUP_EPILOG, panel=CORPORA)
    _add(app, strip, "Remove repeated text from within documents.", STRIP_EPILOG, panel=CORPORA)
    _add(app, decontaminate, "Find benchmark contamination in training data.", DECONTAMINATE_EPILOG, panel=CORPORA)
    _add(app, show, "Show an article and its duplicates.", SHOW_EPILOG, panel=CORPORA)
    _add(app, hot, "Show the most reprinted articles.", HOT_EPILOG, panel=CORPORA)
    _add(app, compare, "Check a text for plagiarism, against one or many.", COMPARE_EPILOG, panel=TEXTS)
    _add(app, cohort, "Compare all manuscripts of a class.", COHORT_EPILOG, panel=TEXTS)
    _add(app, reuse, "Find text reuse: all passages that texts share.", REUSE_EPILOG, panel=TEXTS)
    _add(app, explain, "Explain why two texts are, or are not, duplicates.", EXPLAIN_EPILOG, panel=TEXTS)
    _add(app, add, "Add articles to a library and report copies.", ADD_EPILOG, panel=LIBRARY)
    _add(app, check, "Check articles for copies of those in a library.", CHECK_EPILOG, panel=LIBRARY)
    app.add_typer(_library(), rich_help_panel=LIBRARY)
    _add(app, watch, "Watch sites for copies of protected articles.", WATCH_EPILOG, panel=WATCH)
    _add(app, trace, "Estimate the original of a cluster, with reasons.", TRACE_EPILOG, panel=WATCH)
    _add(app, review, "Review matches.", REVIEW_EPILOG, panel=WATCH)
    _add(app, alerts, "Send alerts about copies.", ALERTS_EPILOG, panel=WATCH)
    app.add_typer(_attribution(), rich_help_panel=WATCH)
    app.add_typer(_cases(), rich_help_panel=WATCH)
    app.add_typer(_evidence(), rich_help_panel=WATCH)
    _add(app, serve, "Serve libraries over HTTP, with a console.", SERVE_EPILOG, panel=SERVICE)
    app.add_typer(_keys(), rich_help_panel=SERVICE)
    app.add_typer(_users(), rich_help_panel=SERVICE)
    _add(app, methods, "List the methods, or explain one.", panel=LAB)
    _add(app, segment, "Segment texts into words.", SEGMENT_EPILOG, panel=LAB)
    _add(app, idf, "Count word frequencies in a corpus.", IDF_EPILOG, panel=LAB)
    _add(app, fingerprint, "Write fingerprints for other databases.", FINGERPRINT_EPILOG, panel=LAB)
    _add(app, recommend, "Recommend a recipe for a corpus.", RECOMMEND_EPILOG, panel=LAB)
    app.add_typer(_evaluation(), rich_help_panel=LAB)
    _add(app, doctor, "Describe this installation.", DOCTOR_EPILOG, panel=PROGRAM)
    _add(app, selftest, "Run the test vectors of the specification.", SELFTEST_EPILOG, panel=PROGRAM)
    _add(app, completion, "Print the script for tab completion.", COMPLETION_EPILOG, panel=PROGRAM)
    return app


def _evaluation() -> typer.Typer:
    """Return ``whorl eval`` with its commands and a default command."""
    import typer

    from whorl.cli.commands.evaluate import DEFAULT, EVAL_EPILOG, EvalGroup, evaluate
    from whorl.cli.commands.sample import SAMPLE_EPILOG, SCORE_EPILOG, sample, score

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

    from whorl.cli.commands import case
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

    from whorl.cli.commands import evidence

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

    from whorl.cli.commands import access
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

    from whorl.cli.commands import access
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

    from whorl.cli.commands import access_logs, library, sites
    from whorl.cli.commands.statistics import statistics
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
        library.export,
        sites.sites,
        sites.leaves,
        sites.accounts,
        sites.proofs,
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

    from whorl.cli.commands.attribution import FIT_EPILOG, fit
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


__all__ = ["build_app", "main"]
