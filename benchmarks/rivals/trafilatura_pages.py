"""trafilatura on the pages of a folder: their text and metadata."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import trafilatura


def main() -> None:
    """Read all pages, in one process per core, and write their texts."""
    folder, out, cores = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    with ProcessPoolExecutor(cores) as pool, out.open("w", encoding="utf-8") as file:
        file.writelines(pool.map(_text, sorted(folder.iterdir()), chunksize=4))


def _text(path: Path) -> str:
    extracted = trafilatura.extract(path.read_bytes(), include_comments=False, with_metadata=True, output_format="json")
    return f"{extracted}\n"


if __name__ == "__main__":
    main()
