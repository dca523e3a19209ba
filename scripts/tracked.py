"""Refuse tracked files that are generated, ignored, large or long, and crowded folders.

A file that ``.gitignore`` names is made by a program, so a tracked copy of it goes stale; so is a report of whorl, such
as an example leaves in the folder that it runs in. Large files slow down every clone: those that the project needs are
listed here. Modules of more than 500 lines, and folders of more than 20 modules, usually have more than one subject.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIMIT_BYTES = 1_000_000
REPORT, HEAD_BYTES = b'<meta name="generator" content="whorl', 4096
"""What a report of whorl has in its first bytes."""
LARGE = ("crates/whorl-core/src/words/idf_table.bin",)
LIMIT_LINES = 500
CODE = ("*.py", "*.pyi", "*.rs")
CODE_FOLDERS = ("benchmarks", "crates", "scripts", "src")
LONG = ("src/whorl/_core.pyi",)
"""Longer files: the type stub of the Rust module, because a module has one stub."""
LIMIT_MODULES = 20
PACKAGE_FILES = ("__init__.py", "lib.rs", "mod.rs")


def listed(*options: str) -> list[str]:
    """Return the tracked files that ``git ls-files`` selects."""
    command = ["git", "ls-files", "-z", *options]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return output.split("\0")[:-1]


def faults() -> Iterator[str]:
    """Yield what is wrong with each file that should not be tracked."""
    for name in listed("--cached", "--ignored", "--exclude-standard"):
        yield f"{name}: tracked although .gitignore names it"
    for name in listed():
        path = ROOT / name
        size = path.lstat().st_size if path.is_symlink() or path.exists() else 0
        if path.suffix == ".html" and path.is_file() and REPORT in path.read_bytes()[:HEAD_BYTES]:
            yield f"{name}: a report of whorl"
        if size > LIMIT_BYTES and name not in LARGE:
            yield f"{name}: {size:,} bytes, limit {LIMIT_BYTES:,}; scripts/tracked.py lists the exceptions"


def crowded() -> Iterator[str]:
    """Yield what is wrong with each module that is too long, and each folder with too many modules."""
    folders = Counter[str]()
    for name in listed("--", *(f":(glob){folder}/**/{pattern}" for folder in CODE_FOLDERS for pattern in CODE)):
        path = ROOT / name
        if not path.exists():
            continue
        lines = path.read_bytes().count(b"\n")
        if lines > LIMIT_LINES and name not in LONG:
            yield f"{name}: {lines:,} lines, limit {LIMIT_LINES:,}; split it by subject"
        if name.startswith(("crates/", "src/")):
            folders[name.rpartition("/")[0]] += path.name not in PACKAGE_FILES
    for folder, modules in folders.items():
        if modules > LIMIT_MODULES:
            yield f"{folder}: {modules} modules, limit {LIMIT_MODULES}; group them by subject"


def main() -> int:
    """Run the program."""
    if not (ROOT / ".git").exists():
        print("not a git checkout: tracked files are not checked")
        return 0
    messages = [*faults(), *crowded()]
    print(*messages, sep="\n", end="\n" if messages else "", file=sys.stderr)
    return int(bool(messages))


if __name__ == "__main__":
    sys.exit(main())
