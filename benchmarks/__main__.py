"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import os
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.cache import cache
from benchmarks.guard import read_record, slowdowns, yardstick
from benchmarks.questions import QUESTIONS, question, say
from benchmarks.results import excerpt, page, record

_HERE = Path(__file__).parent


def main() -> None:
    """Run the questions, record the answers and write their page."""
    arguments = _arguments()
    plan = tomllib.loads((_HERE / "questions.toml").read_text(encoding="utf-8"))
    results = _HERE / "results"
    out = arguments.out or (cache("quick") if arguments.quick else results)
    _limit_cores(plan["cores"])
    for name in arguments.questions or QUESTIONS:
        settings = _settings(plan, name, arguments)
        say(f"== {name}: {settings['about']}")
        before, begun = read_record(name, out), yardstick()
        answer = question(name).ask(settings)
        answer["yardstick"] = (begun + yardstick()) / 2
        answer["slower"] = slowdowns(name, before, answer, plan["noise"])
        record(name, settings.pop("about"), settings, answer, out)
        for what in answer["slower"]:
            say(f"slower, {what}")
        if out == results:
            excerpt(name, answer, _HERE.parent)
    print(page(out))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure whorl and its rivals.")
    parser.add_argument("questions", nargs="*", metavar="QUESTION", type=_question_name, help=", ".join(QUESTIONS))
    parser.add_argument("--quick", action="store_true", help="small corpora and few runs; leaves results/ unchanged")
    parser.add_argument("--long", action="store_true", help="add long measurements: `serve` soaks, `stores` kills")
    parser.add_argument("--out", type=Path, metavar="DIR", help="output folder of the answers (default: results/)")
    return parser.parse_args()


def _question_name(name: str) -> str:
    if name not in QUESTIONS:
        raise argparse.ArgumentTypeError(f"unknown question '{name}'; expected one of {', '.join(QUESTIONS)}")
    return name


def _settings(plan: dict[str, Any], name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    general = {key: value for key, value in plan.items() if not isinstance(value, dict)}
    options = dict(plan[name])
    quick, long = options.pop("quick"), options.pop("long", {})
    return general | options | (long if arguments.long else {}) | (quick if arguments.quick else {})


def _limit_cores(cores: int) -> None:
    """Limit this process and its children to ``cores`` cores, where the system supports it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


if __name__ == "__main__":
    main()
