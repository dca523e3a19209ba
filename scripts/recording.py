"""Record real commands in a terminal as animated pictures, in both languages: recording.py FOLDER."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from whorl.i18n import LANGUAGES, Language

ROOT = Path(__file__).parents[1]
COMMANDS = (
    "whorl dedup examples/newsroom/articles.jsonl -o clean --method news",
    "whorl show clean nr-024",
    "whorl compare examples/newsroom/articles.jsonl:42 --against examples/newsroom/originals.jsonl",
)
COLUMNS, ROWS = 104, 27
WIDTH, HEIGHT, MARGIN = 8.4, 18, 14
SECONDS, TYPING = 7, 1.4
SKIPPED = TYPING + 0.1
"""Seconds of the first scene before the picture begins, so that its first frame shows an answer and is not empty."""
FOREGROUND, BACKGROUND = "#d8dee9", "#1e222a"
COLOURS = {
    "cyan": "#7fc8d8",
    "green": "#a3be8c",
    "yellow": "#ebcb8b",
    "red": "#e0808a",
    "magenta": "#c9a0dc",
    "blue": "#8fb3e0",
}
WIDE = re.compile(r"[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]+")


def main(folder: Path) -> None:
    """Write ``terminal.LANGUAGE.svg`` for each language."""
    for language in LANGUAGES:
        with TemporaryDirectory() as place:
            Path(place, "examples").symlink_to(ROOT / "examples")
            scenes = [run(command, Path(place), language) for command in COMMANDS]
        (folder / f"terminal.{language}.svg").write_text(picture(scenes), encoding="utf-8")


def run(command: str, folder: Path, language: Language) -> list[Text]:
    """Run a command with a terminal for its output, and return the printed lines."""
    ours, theirs = pty.openpty()
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    settings = {"PATH": programs, "COLUMNS": str(COLUMNS), "TERM": "xterm", "WHORL_LANG": language, "WHORL_CONFIG": ""}
    with subprocess.Popen(
        command.split(), cwd=folder, env=os.environ | settings, stdout=theirs, stderr=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        printed = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    if process.returncode:
        sys.exit(f"{command} ended with {process.returncode}")
    lines = [Text.from_ansi(line) for line in printed.decode("utf-8").replace("\r", "").rstrip().split("\n")]
    return [Text.assemble(("$ ", "green"), (command, "bold")), *lines][:ROWS]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def picture(scenes: list[list[Text]]) -> str:
    """Return an SVG that shows one scene after the other without a script; only the first with reduced motion."""
    width, height = COLUMNS * WIDTH + 2 * MARGIN, ROWS * HEIGHT + 2 * MARGIN
    share, typed = 100 / len(scenes), 100 * TYPING / (SECONDS * len(scenes))
    frames = "\n".join(
        f'<g class="scene" style="animation-delay:{number * SECONDS - SKIPPED:g}s">\n{_scene(lines)}\n</g>'
        for number, lines in enumerate(scenes)
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}">
<style>
text {{ font: {HEIGHT - 4}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; }}
.scene {{ visibility: hidden; animation: scene {SECONDS * len(scenes)}s linear infinite; }}
.answer {{ animation: answer {SECONDS * len(scenes)}s linear infinite; animation-delay: inherit; }}
@keyframes scene {{ 0%, {share:.3f}% {{ visibility: visible; }} {share + 0.001:.3f}%, 100% {{ visibility: hidden; }} }}
@keyframes answer {{ 0%, {typed:.3f}% {{ opacity: 0; }} {typed + 0.001:.3f}%, 100% {{ opacity: 1; }} }}
@media (prefers-reduced-motion: reduce) {{
  .scene, .answer {{ animation: none; }}
  .scene:first-of-type {{ visibility: visible; }}
}}
</style>
<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>
{frames}
</svg>
"""


def _scene(lines: list[Text]) -> str:
    prompt, *answer = ("\n".join(_line(line, row)) for row, line in enumerate(lines))
    return "\n".join([prompt, '<g class="answer">', *filter(None, answer), "</g>"])


def _line(line: Text, row: int) -> Iterator[str]:
    """Return the runs of a line, each with the position and width of its columns, independent of the reader's font."""
    column, top = 0, MARGIN + (row + 0.8) * HEIGHT
    for text, style in _runs(line):
        width = cell_len(text)
        if text.strip():
            place = f'x="{MARGIN + column * WIDTH:.1f}" y="{top:.1f}" textLength="{width * WIDTH:.1f}"'
            yield f'<text {place} lengthAdjust="spacingAndGlyphs" {_look(style)}>{escape(text)}</text>'
        column += width


def _runs(line: Text) -> Iterator[tuple[str, Style]]:
    """Yield pieces of a line with one style and one character width (one or two columns)."""
    for start, end in _pieces(line):
        piece = line[start:end]
        style = Style.combine([Style.parse(str(line.style) or "none"), *(_parsed(span.style) for span in piece.spans)])
        text, done = piece.plain, 0
        for match in WIDE.finditer(text):
            yield from ((part, style) for part in (text[done : match.start()], match.group()) if part)
            done = match.end()
        if text[done:]:
            yield text[done:], style


def _pieces(line: Text) -> Iterable[tuple[int, int]]:
    edges = sorted({0, len(line), *(edge for span in line.spans for edge in (span.start, span.end))})
    return pairwise(edges)


def _parsed(style: str | Style) -> Style:
    return Style.parse(style) if isinstance(style, str) else style


def _look(style: Style) -> str:
    colour = style.color.name.removeprefix("bright_") if style.color else ""
    look = [f'fill="{COLOURS.get(colour, FOREGROUND)}"']
    look += ['font-weight="bold"'] if style.bold else []
    look += ['opacity="0.6"'] if style.dim else []
    return " ".join(look)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
