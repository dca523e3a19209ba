"""The command line: one file a command, and what they share.

Starting is fast because a command imports what it works with only when it runs.
"""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``whorl`` and exit.

    Args:
        arguments: what follows the program's name; None takes those of this process.

    Raises:
        SystemExit: always, with the exit code that ``whorl --help`` lists.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    _occupy_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    build_app()(args=given, prog_name="whorl", obj=shlex.join(["whorl", *given]))


def _occupy_closed_streams() -> None:
    """Let no file that is opened become standard output: what is printed would be written into it.

    Raises:
        SystemExit: there is nowhere to print to.
    """
    from whorl.cli.failures import demand_standard_output

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

    from whorl.cli.add import ADD_EPILOG, CHECK_EPILOG, add, check
    from whorl.cli.compare import COMPARE_EPILOG, compare
    from whorl.cli.dedup import DEDUP_EPILOG, dedup
    from whorl.cli.explain import EXPLAIN_EPILOG, explain
    from whorl.cli.failures import guarded
    from whorl.cli.hot import HOT_EPILOG, hot
    from whorl.cli.idf import IDF_EPILOG, idf
    from whorl.cli.methods import methods
    from whorl.cli.program import PROGRAM_EPILOG, program
    from whorl.cli.recommend import RECOMMEND_EPILOG, recommend
    from whorl.cli.segment import SEGMENT_EPILOG, segment
    from whorl.cli.show import SHOW_EPILOG, show

    app = typer.Typer(
        name="whorl",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog=PROGRAM_EPILOG)(guarded(program))
    app.command(epilog=DEDUP_EPILOG, short_help="Remove the copies from a corpus, each with its proof. · 去重")(
        guarded(dedup)
    )
    app.command(epilog=SHOW_EPILOG, short_help="Show an article and its copies. · 看证据")(guarded(show))
    app.command(epilog=COMPARE_EPILOG, short_help="Show what one text has from others. · 比对，看抄了什么")(
        guarded(compare)
    )
    app.command(epilog=EXPLAIN_EPILOG, short_help="Say why two texts are or are not copies. · 问缘由")(guarded(explain))
    app.command(epilog=HOT_EPILOG, short_help="Show what is reprinted most. · 看热点")(guarded(hot))
    app.command(short_help="List the methods, or explain one. · 看方法")(guarded(methods))
    app.command(epilog=SEGMENT_EPILOG, short_help="Cut texts into words. · 分词")(guarded(segment))
    app.command(epilog=IDF_EPILOG, short_help="Count how rare words are in a corpus. · 词频表")(guarded(idf))
    app.add_typer(_evaluation())
    app.command(epilog=ADD_EPILOG, short_help="Add articles to a library, which tells of copies. · 入库")(guarded(add))
    app.command(epilog=CHECK_EPILOG, short_help="Say what a library has of some articles. · 查库")(guarded(check))
    app.add_typer(_library())
    app.command(epilog=RECOMMEND_EPILOG, short_help="Propose a recipe for a corpus. · 荐配方")(guarded(recommend))
    return app


def _evaluation() -> typer.Typer:
    """``whorl eval`` with its commands, one of which need not be named."""
    import typer

    from whorl.cli.evaluate import DEFAULT, EVAL_EPILOG, EvalGroup, evaluate
    from whorl.cli.failures import guarded
    from whorl.cli.sample import SAMPLE_EPILOG, SCORE_EPILOG, sample, score

    group = typer.Typer(
        name="eval",
        cls=EvalGroup,
        help="Hold methods against what is known, or against what people say. · 评测方法",
        short_help="Measure what methods find and what they take by mistake. · 评测",
        epilog=EVAL_EPILOG,
        no_args_is_help=True,
        subcommand_metavar="DOCS... TRUTH | COMMAND [ARGS]...",
        rich_markup_mode="rich",
    )
    group.command(DEFAULT, short_help="DOCS... TRUTH: hold methods against known copies. · 对照真值")(guarded(evaluate))
    group.command(epilog=SAMPLE_EPILOG, short_help="Write a workbook of pairs for people to label. · 抽样标注")(
        guarded(sample)
    )
    group.command(epilog=SCORE_EPILOG, short_help="Read a labelled workbook. · 读回标注")(guarded(score))
    return group


def _library() -> typer.Typer:
    """``whorl library`` with its commands."""
    import typer

    from whorl.cli import library
    from whorl.cli.failures import guarded

    group = typer.Typer(
        name="library",
        help="Look into a library, and look after it. · 管理文章库",
        short_help="Look into a library, and look after it. · 管库",
        epilog=library.LIBRARY_EPILOG,
        no_args_is_help=True,
        rich_markup_mode="rich",
    )
    group.command("list")(guarded(library.list_articles))
    for command in (
        library.clusters,
        library.trace,
        library.remove,
        library.stats,
        library.verify,
        library.reindex,
        library.backup,
        library.export,
    ):
        group.command()(guarded(command))
    return group


__all__ = ["build_app", "main"]
