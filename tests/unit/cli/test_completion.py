"""Shell completion."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.articles import Invoke

WHORL = Path(sys.executable).parent / "whorl"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_each_shell_gets_its_script(invoke: Invoke, shell: str) -> None:
    done = invoke("completion", shell)
    assert (done.exit_code, "_WHORL_COMPLETE" in done.stdout) == (0, True)


def test_another_shell_is_a_mistake(invoke: Invoke) -> None:
    done = invoke("completion", "cmd")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "bash" in done.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [("whorl ded", ["dedup"]), ("whorl library re", ["remove", "reindex"]), ("whorl dedup --verify-", 2)],
)
def test_bash_completes_commands_and_options(line: str, expected: list[str] | int) -> None:
    request = """
        eval "$(whorl completion bash)"
        COMP_WORDS=($0); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _whorl_completion whorl; printf "%s\\n" "${COMPREPLY[@]}"
    """
    path = os.pathsep.join([str(WHORL.parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", request, line], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=True
    )
    result = done.stdout.split()
    assert (len(result) if isinstance(expected, int) else result) == expected
