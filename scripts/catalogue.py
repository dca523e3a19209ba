"""Update the translation catalogue from the messages in the source; new messages have no translation yet.

Messages are the arguments of `say`, texts of page templates, the help of commands, and the public pages of methods.

Usage: catalogue.py [--check]

With --check nothing is written. The program fails if a message has no translation, if a translation has no message, if
the placeholders of a template differ, or if the catalogue is not as this program writes it.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po
from typer.main import get_command

from whorl.cli import build_app
from whorl.cli.commands.lab.methods import paragraphs
from whorl.cli.ui.localization import texts

CORE = Path(__file__).parent.parent / "crates" / "messages.txt"
SOURCE = Path(__file__).parent.parent / "src" / "whorl"
CATALOGUE = SOURCE / "i18n" / "locale" / "zh.po"
METHODS = [("**.py", "python"), ("**.j2", "jinja2.ext.babel_extract")]
KEYWORDS = {"say": None, "say_many": (1, 2)}
HEADER = """\
# What whorl says, in Chinese. The English is the key; names in braces stay as they are.
# After a change in the source: make catalogue."""


def updated() -> Catalog:
    """Return the catalogue with all messages of the source, sorted, and no others."""
    catalogue = Catalog(locale="zh", header_comment=HEADER)
    for _, _, message, _, _ in extract_from_dir(
        SOURCE, METHODS, keywords=KEYWORDS, directory_filter=lambda folder: not folder.endswith("__pycache__")
    ):
        catalogue.add(message)
    for text in (*texts(get_command(build_app())), *page_texts()):
        catalogue.add(text)
    for line in CORE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            catalogue.add(line)
    with CATALOGUE.open("rb") as file:
        translations = read_po(file, locale="zh")
    for message in catalogue:
        entry = translations.get(message.id)
        if message.id and entry:
            message.string = entry.string
    return catalogue


def page_texts() -> Iterator[str]:
    """Yield the paragraphs of the public pages of methods, which are the docstrings of their modules."""
    for path in sorted((SOURCE / "fingerprints").glob("*.py")):
        page = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        if "\n\nIs\n" in page:
            yield from chain.from_iterable(paragraphs(page))


def readable(catalogue: Catalog) -> bytes:
    """Return a catalogue as text, without the dates of its header."""
    file = io.BytesIO()
    write_po(file, catalogue, width=0, no_location=True, omit_header=True, sort_output=True)
    header = f'{HEADER}\nmsgid ""\nmsgstr ""\n"Language: zh\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    plural = f'"Plural-Forms: {catalogue.plural_forms}\\n"\n\n'
    return (header + plural).encode() + file.getvalue()


def faults(catalogue: Catalog) -> list[str]:
    """Return the errors of the translations."""
    return [fault for message in catalogue if message.id for fault in _faults(message)]


def _faults(message: Message) -> list[str]:
    templates = [message.id] if isinstance(message.id, str) else list(message.id)
    strings = [message.string] if isinstance(message.string, str) else list(message.string or ("",))
    if not all(strings):
        return [f"no translation: {templates[0]!r}"]
    placeholders = _places(templates[-1])
    return [f"other places: {string!r}" for string in strings if _places(string) - placeholders]


def _places(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def main() -> int:
    """Run the program."""
    catalogue = updated()
    text = readable(catalogue)
    if "--check" not in sys.argv[1:]:
        CATALOGUE.write_bytes(text)
    errors = faults(catalogue)
    errors += ["zh.po is not up to date: make catalogue"] if CATALOGUE.read_bytes() != text else []
    for fault in errors:
        print(fault, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
