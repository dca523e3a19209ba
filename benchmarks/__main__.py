"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import os
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.questions import QUESTIONS, question, say
from benchmarks.results import page, record

_HERE = Path(__file__).parent


def main() -> None:
    """Ask the questions, record the answers, print their page."""
    arguments = _arguments()
    plan = tomllib.loads((_HERE / "questions.toml").read_text(encoding="utf-8"))
    _limit_cores(plan["cores"])
    for name in arguments.questions:
        settings = _settings(plan, name, arguments.quick)
        say(f"== {name}: {settings['about']}")
        answer = question(name).ask(settings)
        record(name, settings.pop("about"), settings, answer, arguments.out)
    print(page(arguments.out))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure whorl and its rivals.")
    parser.add_argument(
        "questions", nargs="*", metavar="QUESTION", choices=QUESTIONS, default=QUESTIONS, help=", ".join(QUESTIONS)
    )
    parser.add_argument("--quick", action="store_true", help="small corpora, few runs: does it work?")
    parser.add_argument("--out", type=Path, default=_HERE / "results", metavar="DIR", help="where the answers go")
    return parser.parse_args()


def _settings(plan: dict[str, Any], name: str, quick: bool) -> dict[str, Any]:
    general = {key: value for key, value in plan.items() if not isinstance(value, dict)}
    own = dict(plan[name])
    smaller = own.pop("quick")
    return general | own | (smaller if quick else {})


def _limit_cores(cores: int) -> None:
    """Give this process and all that it starts no more than ``cores`` cores, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


if __name__ == "__main__":
    main()
