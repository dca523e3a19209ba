"""Not a rival but a floor: the corpus is read and parsed, and nothing more."""

from __future__ import annotations

from contract import read, task


def main() -> None:
    """Parse a corpus."""
    read(task().corpus)


if __name__ == "__main__":
    main()
