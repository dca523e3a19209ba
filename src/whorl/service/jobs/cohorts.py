"""Continue a cohort: a job that adds manuscripts begins with the files and the results of a finished one."""

from __future__ import annotations

import filecmp
import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

from whorl._internal.disk import saving_uploads
from whorl.errors import NotFoundError
from whorl.i18n import say

MANUSCRIPTS, COHORT_FOLDER, DECISIONS = "manuscripts", "cohort", "decisions"
"""Folders in the folder of a job: the uploaded files, the results, and what examiners decided."""
CLASS_TABLE, OPTIONS = "class.json", "options.json"
"""The results without pairs, of which a class may have millions; and the options of the job."""


def continue_cohort(earlier: Path, folder: Path) -> dict[str, Any]:
    """Copy manuscripts, results and decisions of a finished cohort into the folder of a new job.

    An uploaded manuscript replaces an earlier one with the same name, whose decision is not copied.

    Args:
        earlier: the folder of the finished job.
        folder: the folder of the new job, which has its uploaded manuscripts.

    Returns:
        The options of the earlier job.

    Raises:
        NotFoundError: the files of the earlier job were deleted.
        ResourceError: the disk is full.
    """
    try:
        options: dict[str, Any] = json.loads((earlier / OPTIONS).read_text(encoding="utf-8"))
        with saving_uploads():
            replaced = _copy_manuscripts(earlier / MANUSCRIPTS, folder / MANUSCRIPTS)
            shutil.copytree(earlier / COHORT_FOLDER, folder / COHORT_FOLDER)
            _copy_decisions(earlier / DECISIONS, folder / DECISIONS, replaced)
    except FileNotFoundError as error:
        raise NotFoundError(
            say("the files of the cohort were deleted"), hint=say("upload the manuscripts again")
        ) from error
    return options


def _copy_manuscripts(earlier: Path, folder: Path) -> set[str]:
    """Copy the manuscripts that were not uploaded again; return the names of the others."""
    replaced = set()
    for path in sorted(path for path in earlier.rglob("*") if path.is_file()):
        name = path.relative_to(earlier)
        if not (folder / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, folder / name)
        elif not filecmp.cmp(path, folder / name):
            replaced.add(name.as_posix())
    return replaced


def _copy_decisions(earlier: Path, folder: Path, replaced: set[str]) -> None:
    folder.mkdir(exist_ok=True)
    for path in earlier.glob("*.json"):
        manuscript: str = json.loads(path.read_text(encoding="utf-8"))["manuscript"]
        # A row of a table has the name of its file and its number.
        if not {manuscript, manuscript.rpartition(":")[0]} & replaced:
            shutil.copy2(path, folder / path.name)


def decision_file(folder: Path, manuscript: str) -> Path:
    """Return the file for the decision about a manuscript."""
    return folder / DECISIONS / f"{sha256(manuscript.encode()).hexdigest()}.json"


__all__ = [
    "CLASS_TABLE",
    "COHORT_FOLDER",
    "DECISIONS",
    "MANUSCRIPTS",
    "OPTIONS",
    "continue_cohort",
    "decision_file",
]
