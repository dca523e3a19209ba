"""The chapter on shards: its examples run and give the result of one machine; both languages have the same ones.

This test uses two shards where the chapter has four, since each is a process.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.test_readme import ROOT, blocks, run, workplace
from tests.runs import files

import whorl

CHAPTERS = ("docs/SHARDS.md", "docs/SHARDS.zh-CN.md")

__all__ = ["workplace"]


@pytest.fixture
def expected(workplace: Path) -> dict[str, bytes]:
    """Return the result of one machine, without times."""
    whorl.dedup_files(workplace / "examples" / "newsroom", workplace / "at-once")
    return result(workplace / "at-once")


def result(out: Path) -> dict[str, bytes]:
    excluded = ("run.json", "report.html", "sketches")
    return {name: data for name, data in files(out).items() if not name.startswith(excluded)}


def shell(script: str, workplace: Path) -> None:
    """Run a script with ``whorl`` on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), str(workplace / "bin"), os.environ["PATH"]])
    subprocess.run(["bash", "-euc", script], cwd=workplace, env={**os.environ, "PATH": path}, check=True)


def test_a_loop_of_the_shell_gives_the_same(workplace: Path, expected: dict[str, bytes]) -> None:
    loop, _ = blocks(CHAPTERS[0], "sh")
    shell(loop.replace("seq 4", "seq 2").replace("/4", "/2"), workplace)
    assert result(workplace / "clean") == expected


def test_a_decontamination_gives_the_same(workplace: Path) -> None:
    examples = workplace / "examples" / "decontamination"
    out = workplace / "quiz-at-once"
    whorl.decontaminate_files(examples / "corpus.jsonl", out, against=examples / "quiz.jsonl", action="cut")
    _, loop = blocks(CHAPTERS[0], "sh")
    shell(loop, workplace)
    assert result(workplace / "without-quiz")["kept/corpus.jsonl"] == result(out)["kept/corpus.jsonl"]
    assert result(workplace / "without-quiz")["hits.jsonl"] == result(out)["hits.jsonl"]


def test_make_gives_the_same(workplace: Path, expected: dict[str, bytes]) -> None:
    (rules,) = blocks(CHAPTERS[0], "make")
    (workplace / "Makefile").write_text(rules, encoding="utf-8")
    shell("make -j 2 SHARDS=2", workplace)
    assert result(workplace / "clean-make") == expected


SBATCH = """#!/bin/bash
# Does what it is told at once, as the array would: --parsable --array=FIRST-LAST [--dependency=...] SCRIPT STAGE
set -eu
[[ $1 == --parsable && $2 == --array=*-* ]]
numbers=${2#--array=}
shift 2
if [[ $1 == --dependency=afterok:7 ]]; then shift; fi
for SLURM_ARRAY_TASK_ID in $(seq "${numbers%-*}" "${numbers#*-}"); do
  SLURM_ARRAY_TASK_ID=$SLURM_ARRAY_TASK_ID SLURM_CPUS_PER_TASK=2 bash "$@"
done
echo 7
"""


def test_an_array_of_jobs_gives_the_same(workplace: Path, expected: dict[str, bytes]) -> None:
    """With a stand-in for the scheduler that submits the jobs, which are real."""
    job, submission = (block.replace("/4", "/2").replace("1-4", "1-2") for block in blocks(CHAPTERS[0], "bash"))
    (workplace / "dedup.sh").write_text(job, encoding="utf-8")
    (workplace / "bin").mkdir()
    (workplace / "bin" / "sbatch").write_text(SBATCH, encoding="utf-8")
    (workplace / "bin" / "sbatch").chmod(0o755)
    shell(submission, workplace)
    assert result(workplace / "clean-slurm") == expected


def test_python_gives_the_same(workplace: Path, expected: dict[str, bytes]) -> None:
    python, airflow = blocks(CHAPTERS[0], "python")
    run([sys.executable, "-c", python], workplace)
    assert result(workplace / "clean-py") == expected
    assert ast.parse(airflow)


def test_both_languages_show_the_same() -> None:
    english, chinese = (blocks(name, "python", "sh", "bash", "make") for name in CHAPTERS)
    assert english == chinese
    assert (ROOT / CHAPTERS[1]).exists()
