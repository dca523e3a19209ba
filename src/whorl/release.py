"""What this release is called where packages are installed, and the version of its recipes."""

from __future__ import annotations

import re
import sys
from itertools import chain

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
        extra: the extra of this distribution whose packages are named.
    """
    packages = " ".join(f"'{package}'" for package in packages_of(extra)) or f"'{DISTRIBUTION}[{extra}]'"
    return UsageError(problem, cure=say("pip install {package}", package=packages))


def packages_of(extra: str) -> list[str]:
    """Return the requirements of an extra, as the metadata of what is installed has them; none where there is none.

    They can be installed however this distribution came here, while the extra itself can only where an index has it.

    >>> packages_of("xlsx")
    ['openpyxl>=3.1']
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        requirements = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    found: dict[str, None] = {}
    for requirement in requirements:
        package, _, marker = (part.strip() for part in requirement.partition(";"))
        if not re.search(f"extra == ['\"]{re.escape(extra)}['\"]", marker) or _is_elsewhere(marker):
            continue
        within = re.fullmatch(rf"{DISTRIBUTION}\[([\w,-]+)\]", package)
        found.update(dict.fromkeys([package] if within is None else chain(*map(packages_of, within[1].split(",")))))
    return list(found)


def _is_elsewhere(marker: str) -> bool:
    """Whether a requirement is not for this system."""
    return sys.platform == "win32" and re.search(r"sys_platform != ['\"]win32['\"]", marker) is not None


def missing_program(module: str, package: str) -> UsageError:
    """Return the error of a module of this package that serves another one, which is not installed."""
    return UsageError(
        say("{what} needs {package}", what=module, package=package), cure=say("pip install {package}", package=package)
    )


__all__ = ["DISTRIBUTION", "RECIPE_VERSION", "missing_package", "missing_program", "packages_of"]
