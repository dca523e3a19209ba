"""``whorl doctor`` and ``whorl selftest``: the state and the correctness of this installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.options import Json
from whorl.i18n import Message, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from whorl.tasks.installation import Diagnosis, Extra
    from whorl.tasks.selftest import SelfTest

DOCTOR_EPILOG = Epilog(
    examples(
        ("whorl doctor", say("what works here, and what to install")),
        ("whorl doctor --json > doctor.json", say("to attach to a bug report")),
    )
)
SELFTEST_EPILOG = Epilog(
    examples(
        ("whorl selftest", say("run the test vectors")),
        ("whorl selftest --json", say("each method, as data")),
    )
)
_FAILED = 70
"""Exit code of a bug in whorl."""


def doctor(json: Json = False) -> None:
    """Describe this installation: versions, optional dependencies, sandbox, fonts, settings.

    Nothing is changed and nothing is sent.
    """
    from whorl.cli.settings import settings
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.installation import diagnose

    diagnosis = diagnose([file.path for file in settings()])
    if json:
        print_json(diagnosis.to_dict())
    else:
        print_view(_state(diagnosis), _extras(diagnosis))


def selftest(json: Json = False) -> None:
    """Run the test vectors of the specification on this installation.

    The exit code is 70 if a value differs: results of this installation are then not comparable with others.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.selftest import selftest as run

    result = run()
    if json:
        print_json(result.to_dict())
    else:
        print_view(_checks(result), _verdict(result))
    if not result.passed:
        raise typer.Exit(_FAILED)


def _state(diagnosis: Diagnosis) -> RenderableType:
    from rich.text import Text

    from whorl._internal.visible_text import visible
    from whorl.reports.tables import facts

    table, current = facts(), diagnosis.versions
    table.add_row("whorl", f"{current.whorl}, {current.fold}")
    table.add_row(say("native module"), Text(visible(diagnosis.core)))
    table.add_row("Python", diagnosis.python)
    table.add_row(say("system"), say("{system}, {cores} cores", system=diagnosis.system, cores=diagnosis.cores))
    table.add_row(say("sandbox of parsers"), ", ".join(diagnosis.sandbox) or say("none on this system"))
    table.add_row(say("PDF reports"), say("work, with Chinese characters") if diagnosis.pdf.works else _pdf(diagnosis))
    table.add_row(say("settings"), Text(visible("\n".join(diagnosis.settings))) if diagnosis.settings else say("none"))
    table.add_row(say("environment"), ", ".join(diagnosis.environment) or say("no WHORL_ variable is set"))
    return table


def _pdf(diagnosis: Diagnosis) -> Message:
    return say("{problem}; {hint}", problem=diagnosis.pdf.problem, hint=diagnosis.pdf.hint)


def _extras(diagnosis: Diagnosis) -> RenderableType:
    from rich.text import Text

    from whorl.reports.tables import new_table

    table = new_table(say("extra"), say("adds"), say("state"))
    for extra in diagnosis.extras:
        state = _state_of(extra)
        table.add_row(extra.name, extra.purpose, state if isinstance(state, Message) else Text(state))
    return table


def _state_of(extra: Extra) -> str:
    if extra.installed is None:
        return say("unknown: whorl is not installed as a package")
    if extra.installed:
        return say("installed")
    return f"pip install {' '.join(repr(package) for package in extra.missing)}"


def _checks(result: SelfTest) -> RenderableType:
    from whorl.reports.tables import new_table

    table = new_table(say("method"), say("parameters"), say("vectors"), say("result"))
    for check in result.checks:
        parameters = ", ".join(f"{name} {value}" for name, value in check.parameters.items())
        state = say("differs: {names}", names=", ".join(check.failures)) if check.failures else "✓"
        table.add_row(check.name, parameters or "–", f"{check.vectors}", state)
    return table


def _verdict(result: SelfTest) -> RenderableType:
    from whorl.reports.tables import message_text

    vectors = sum(check.vectors for check in result.checks)
    if result.passed:
        message = say("All {count:,} test vectors are equal: {fold}", count=vectors, fold=result.versions.fold)
        return message_text(message, "bold")
    failures = sum(len(check.failures) for check in result.checks)
    return message_text(
        say("{failures:,} of {count:,} test vectors differ", failures=failures, count=vectors), "bold red"
    )


__all__ = ["DOCTOR_EPILOG", "SELFTEST_EPILOG", "doctor", "selftest"]
