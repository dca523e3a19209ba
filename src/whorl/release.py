"""What this release is called where packages are installed, and the version of its recipes."""

from __future__ import annotations

from whorl.errors import UsageError
from whorl.language import Message, say

DISTRIBUTION = "whorl-text"
"""What is installed; the package that is imported, and the command, are called ``whorl``."""

RECIPE_VERSION = 3
"""Of all that a recipe decides."""


def missing_package(problem: Message, extra: str) -> UsageError:
    """Return the error of work for which a package is not installed.

    Args:
        problem: what needs which package, such as "plots need matplotlib".
        extra: the extra of this distribution that brings it.
    """
    return UsageError(
        problem, cure=say("pip install '{distribution}[{extra}]'", distribution=DISTRIBUTION, extra=extra)
    )


def missing_program(module: str, package: str) -> UsageError:
    """Return the error of a module of this package that serves another one, which is not installed."""
    return UsageError(
        say("{what} needs {package}", what=module, package=package), cure=say("pip install {package}", package=package)
    )


__all__ = ["DISTRIBUTION", "RECIPE_VERSION", "missing_package", "missing_program"]
