"""The main command: version and help."""

from __future__ import annotations

from typing import Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples, paragraph
from whorl.cli.ui.localization import COMMAND_LINE
from whorl.i18n import say

PROGRAM_EPILOG = Epilog(
    examples(
        ("whorl dedup articles.jsonl -o clean", say("remove duplicates")),
        ("whorl dedup corpus/ -o clean --text title,body", say("a folder of files")),
        ("whorl dedup new/ -o clean --against old.jsonl", say("new documents")),
        ("whorl strip pages/ -o stripped --inside lines", say("repeated text inside")),
        ("whorl decontaminate news/ --against mmlu.jsonl", say("items of benchmarks")),
        ("whorl show clean ID", say("why it was removed")),
        ("whorl compare a.txt b.txt", say("text of a in b")),
        ("whorl cohort class/ -o checked", say("all manuscripts of a class")),
        ("whorl explain a.txt b.txt", say("are these duplicates?")),
        ("whorl hot articles.jsonl", say("most reprinted")),
        ("whorl eval articles.jsonl truth.csv", say("compare methods")),
        ("whorl recommend articles.jsonl", say("recommend a recipe")),
        ("whorl add newsroom today.jsonl", say("add to a library")),
        ("whorl check newsroom draft.txt", say("check for copies")),
        ("whorl library clusters newsroom", say("inspect a library")),
        ("whorl trace newsroom 1", say("find the original")),
        ("whorl attribute fit newsroom", say("learn from reviews")),
        ("whorl watch newsroom sites.toml", say("copies on other sites")),
        ("whorl review newsroom", say("review matches")),
        ("whorl alerts newsroom alerts.toml", say("send alerts")),
        ("whorl evidence newsroom b7 a1 -o pack.zip", say("export evidence")),
        ("whorl serve newsroom", say("a service and its console")),
        ("whorl key add newsroom desk", say("a key for a program")),
        ("whorl user add newsroom mei", say("a user who signs in")),
        ("whorl copy-state newsroom mysql://host/db", say("move keys and users")),
        ("whorl mcp --library newsroom", say("tools for assistants")),
        ("whorl methods minhash", say("methods")),
        ("whorl segment articles.jsonl", say("segment into words")),
        ("whorl idf corpus/ -o idf.parquet", say("word frequencies")),
        ("whorl fingerprint news/ -o keys.parquet", say("keys for databases")),
        ("whorl doctor", say("what works here")),
        ("whorl selftest", say("test the installation")),
        ("whorl completion bash", say("tab completion")),
    ),
    Section(
        say("Exit codes"),
        [
            ("  0", say("done")),
            ("  1", say("only if requested: matches found (--fail-on), or a figure not reached (--require)")),
            ("  2", say("usage")),
            ("  3", say("input")),
            ("  4", say("resource: disk, memory, permission")),
            ("  5", say("isolation: a process that parses files cannot start, or lacks memory")),
            (" 70", say("a bug in whorl: please report it")),
            ("130", say("stopped: run the same command again")),
        ],
    ),
    paragraph(
        say("Every command has a help page, such as `whorl dedup --help`. Data goes to stdout, progress to stderr.")
    ),
)


def _print_version(context: typer.Context, requested: bool) -> None:
    """Print the version and exit; as JSON all versions that affect results."""
    if not requested:
        return
    from whorl.release import __version__

    if "--json" not in context.meta[COMMAND_LINE]:
        typer.echo(f"whorl {__version__}")
        raise typer.Exit
    from whorl.cli.ui.output import print_json
    from whorl.tasks.library.versions import versions

    print_json(versions().to_dict())
    raise typer.Exit


def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version; with --json also those of the core, the folding table and the recipe.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", is_eager=True, hidden=True)] = False,
) -> None:
    """Find duplicate, near-duplicate and copied text.

    Deduplication, plagiarism detection, text reuse, reprints and benchmark contamination, with evidence for each
    result.
    """


__all__ = ["PROGRAM_EPILOG", "program"]
