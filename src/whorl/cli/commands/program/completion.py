"""``whorl completion``: tab completion of commands and options."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.localization import COMPLETION
from whorl.i18n import say

COMPLETION_EPILOG = Epilog(
    examples(
        ("whorl completion bash", say("bash: add it to ~/.bashrc")),
        ("whorl completion zsh", say("zsh: add it to ~/.zshrc")),
        ("whorl completion fish", say("fish: write it to ~/.config/fish/completions/whorl.fish")),
    )
)

Shell = Annotated[
    Literal["bash", "zsh", "fish", "powershell"],
    typer.Argument(metavar="SHELL", show_default=False, help="bash, zsh, fish or powershell."),
]


def completion(shell: Shell) -> None:
    """Print the shell script for tab completion of commands and options."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    typer.echo(get_completion_script(prog_name="whorl", complete_var=COMPLETION, shell=shell))


__all__ = ["COMPLETION_EPILOG", "completion"]
