"""Version of the package and of the recipe format, and name of the distribution on package indexes."""

from __future__ import annotations

import re
import sys
from itertools import chain

from whorl.errors import UsageError
from whorl.i18n import Message, say

__version__ = "0.1.0"

DISTRIBUTION = "whorl-text"
"""The name of the distribution; the package to import, and the command, are ``whorl``."""

RECIPE_VERSION = 3
"""Version of all that a recipe determines."""


def missing_package(problem: Message, extra: str) -> UsageError:
    """Return the error for a missing optional dependency.

    Args:
        problem: the feature and the package it needs, such as "plots need matplotlib".
        extra: extra of this distribution with the package.
    """
    packages = " ".join(f"'{package}'" for package in packages_of(extra)) or f"'{DISTRIBUTION}[{extra}]'"
    return UsageError(problem, hint=say("pip install {package}", package=packages))


def packages_of(extra: str) -> list[str]:
    """Return the requirements of an extra from the installed metadata, or an empty list.

    They can be installed however this distribution was installed; the extra itself only from a package index.

    >>> packages_of("xlsx")
    ['openpyxl>=3.1']
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        requirements = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    packages: dict[str, None] = {}
    for requirement in requirements:
        package, _, marker = (part.strip() for part in requirement.partition(";"))
        if not re.search(f"extra == ['\"]{re.escape(extra)}['\"]", marker) or _is_elsewhere(marker):
            continue
        within = re.fullmatch(rf"{DISTRIBUTION}\[([\w,-]+)\]", package)
        packages.update(dict.fromkeys([package] if within is None else chain(*map(packages_of, within[1].split(",")))))
    return list(packages)


def _is_elsewhere(marker: str) -> bool:
    """Return True if a requirement is for another platform."""
    return sys.platform == "win32" and re.search(r"sys_platform != ['\"]win32['\"]", marker) is not None


def missing_program(module: str, package: str) -> UsageError:
    """Return the error for a module of this package whose third-party counterpart is not installed."""
    return UsageError(
        say("{what} needs {package}", what=module, package=package), hint=say("pip install {package}", package=package)
    )


__all__ = ["DISTRIBUTION", "RECIPE_VERSION", "__version__", "missing_package", "missing_program", "packages_of"]
