"""``whorl mcp``: tools for coding assistants."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.i18n import say

MCP_EPILOG = Epilog(
    examples(
        ("whorl mcp", say("texts and files of this folder")),
        ("whorl mcp --library newsroom", say("a library as well")),
        ("whorl mcp --folder pages --write", say("with new folders for results")),
    ),
    Section(
        say("Assistants"),
        [
            say("Enter this command in the assistant's settings for servers of the Model Context Protocol (stdio)."),
        ],
    ),
)


def mcp(
    library: Annotated[
        list[str] | None,
        typer.Option(metavar="LIB", help="Folder or address of a library to search, or NAME=FOLDER; repeatable."),
    ] = None,
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder below which files may be read.")] = Path(),
    write: Annotated[bool, typer.Option("--write", help="Allow results in new folders below the folder.")] = False,
    meaning: Annotated[
        bool,
        typer.Option("--meaning", help="Allow comparisons by meaning, which take seconds; needs the extra meaning."),
    ] = False,
    meaning_model: Annotated[
        Path | None, typer.Option("--meaning-model", metavar="FOLDER", help="The same, with the model in a folder.")
    ] = None,
) -> None:
    """Offer check, compare, explain and dedup to a coding assistant.

    The server speaks the Model Context Protocol on standard input and output, until its input ends. It only reads, and
    only files below the folder and the libraries that are named.
    """
    from whorl.errors import InputError
    from whorl.mcp import ToolSettings, build_server
    from whorl.service.settings import named

    if not folder.is_dir():
        raise InputError(say("no folder {path}", path=folder), hint=say("name an existing folder"))
    model = str(meaning_model.absolute()) if meaning_model else meaning
    build_server(ToolSettings(folder.absolute(), named(library or ()), may_write=write, meaning=model)).run()


__all__ = ["MCP_EPILOG", "mcp"]
