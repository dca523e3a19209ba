r"""LaTeX: each file is one document, without commands, comments and mathematics.

Commands are not expanded: macros defined in a file count as unknown, and the brace arguments of an unknown command are
read as text. ``\input`` and ``\include`` are not followed: included files are read only if they are inputs themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from unicodedata import normalize

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.encoding import decode_text
from whorl.corpus.formats.text.latex_words import (
    ACCENTS,
    ARGUMENTS,
    AS_IT_IS,
    BREAKS,
    CHARACTERS,
    DEFINITIONS,
    LAST_ONLY,
    LIGATURES,
    LINES_OF_THEIR_OWN,
    MATHEMATICS,
    NO_TEXT,
    NOT_SHOWN,
    NOTES,
    STATED,
    SYMBOLS,
)
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.rejects import Rejects
from whorl.i18n import say

MOST_DEEP = 32
"""Maximum nesting of arguments."""

_TOKEN = re.compile(
    r"%[^\n]*(?:\n[ \t]*)?"
    r"|\\(?P<word>[A-Za-z@]+)\*?[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?|\\(?P<symbol>.)"
    r"|(?P<math>\$\$?)|(?P<blank>[ \t]*\n[ \t]*\n\s*)|(?P<mark>[{}~&])|(?P<text>[^%\\${}~&\n]+|\n)",
    re.DOTALL,
)
_MATH = re.compile(r"(?:[^$\\\n]|\\.|\n(?![ \t]*\n))*", re.DOTALL)
_DISPLAY = re.compile(r"(?:[^$\\]|\\.|\$(?!\$))*", re.DOTALL)
_CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)\b", re.MULTILINE)
_STATED = re.compile(rf"\\({'|'.join(STATED)})\*?\s*(?=[\[{{])")
_BEGIN, _END = "\\begin{document}", "\\end{document}"
_NAME = re.compile(r"\s*\{([^{}\n]{1,100})\}")
_ESCAPE = re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_OPTION = re.compile(r"\[(?:[^\[\]{}\\\n]|\\.|\{[^{}]*\}|\[[^\[\]]*\]|\n(?![ \t]*\n))*\]", re.DOTALL)
_COMMAND_NAME = re.compile(r"\s*(?:(?:=?\s*\\(?:[A-Za-z@]+|.))+|\{[^{}]*\})(?:[ \t]*#\d[,.;]?)*[ \t]*", re.DOTALL)
_LETTER = re.compile(r"\s*(?:\{\s*\\?([^\W\d_])\s*\}|\\([ij])(?![A-Za-z])[ \t]*|([^\W\d_]))")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_AS_IT_IS = "\0"
"""Prefix of code lines. It occurs in text files only in wide encodings, where it is dropped."""
_VERB = re.compile(r"([^A-Za-z\s])(.*?)\1")


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    r"""Yield the file as one document: paragraphs, headings, items, cells and captions, then its footnotes.

    If the file has a preamble, only the text between ``\begin{document}`` and ``\end{document}`` is read. Title, author
    and date come from their commands. Code in verbatim environments is kept unchanged. Mathematics and drawings are
    left out.

    Rejected: a file longer than ``max_row_bytes``, or that is truncated or not text in its encoding.

    Cost: about 0.5 s a megabyte; memory: several times the file.
    """

    def parse(data: bytes) -> WholeFileDocument:
        try:
            decoded = decode_text(data, options.encoding)
        except ValueError as error:
            raise UnreadableError(say("the file is {reason}", reason=error)) from None
        return _document(
            decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace(_AS_IT_IS, ""), decoded.encoding.notices
        )

    return batches_of(parsed(source, rejects, options, parse, options.max_row_bytes), columns)


def _document(source: str, notices: Mapping[str, str]) -> WholeFileDocument:
    body = _body(source)
    stated: dict[str, str] = {}
    plain = _COMMENT.sub("", source)
    for match in _STATED.finditer(plain):
        start = _after_options(plain, match.end())
        if plain.startswith("{", start):
            value = _LatexParser(plain[start + 1 : _closing(plain, start)], 1).text()
            stated.setdefault(match[1], " ".join(value.split()))
    fields: dict[str, Any] = {name: value or None for name, value in stated.items()}
    return WholeFileDocument(text=_LatexParser(body, 0).text(), **fields, notices=notices)


def _body(source: str) -> str:
    """Return the document without its preamble, if any."""
    if _CLASS.search(source) is None and _BEGIN not in source:
        return source
    begin = source.find(_BEGIN)
    end = source.find(_END, begin)
    if begin < 0 or end < 0:
        raise UnreadableError(say("the file is truncated, the document does not end: fetch it again"))
    return source[begin + len(_BEGIN) : end]


def _closing(source: str, start: int) -> int:
    """Return the index of the brace that closes the one at ``start``."""
    depth = 0
    for match in _ESCAPE.finditer(source, start):
        depth += (match[0] == "{") - (match[0] == "}")
        if not depth and match[0] == "}":
            return match.start()
    raise UnreadableError(say("the file is truncated, a brace is not closed: fetch it again"))


def _after_options(source: str, place: int) -> int:
    """Return the index after optional arguments; a bracket that is not closed within its paragraph is text."""
    while (option := _OPTION.match(source, place)) is not None:
        place = option.end()
    return place


class _LatexParser:
    """Converter from LaTeX to plain text."""

    def __init__(self, source: str, depth: int) -> None:
        if depth > MOST_DEEP:
            raise UnreadableError(say("the file is nested too deeply: save it again"))
        self._source = source
        self._depth = depth
        self._place = 0
        self._pieces: list[str] = []
        self._notes: list[str] = []

    def text(self) -> str:
        """Convert everything; return the lines without empty ones."""
        while (token := _TOKEN.match(self._source, self._place)) is not None:
            self._place = token.end()
            kind = token.lastgroup
            if kind == "word":
                self._command(token["word"])
            elif kind == "symbol":
                self._symbol(token["symbol"])
            elif kind == "math":
                self._mathematics(token["math"])
            elif kind == "blank":
                self._pieces.append("\n")
            elif kind == "mark":
                self._pieces.append({"~": " ", "&": "\n"}.get(token["mark"], ""))
            elif kind == "text":
                self._pieces.append(_typeset(token["text"]))
        lines = "".join((*self._pieces, "\n", *self._notes)).split("\n")
        cleaned = (line if line.startswith(_AS_IT_IS) else " ".join(line.split()) for line in lines)
        kept = "\n".join(line for line in cleaned if line)
        return kept if self._depth else kept.replace(_AS_IT_IS, "")

    def _symbol(self, symbol: str) -> None:
        if symbol in "([":
            self._skip_to({"(": "\\)", "[": "\\]"}[symbol])
        elif symbol in ACCENTS:
            self._accent(ACCENTS[symbol])
        else:
            self._pieces.append(SYMBOLS.get(symbol, ""))
            if symbol == "\\":
                self._place = _after_options(self._source, self._place)

    def _command(self, word: str) -> None:
        if word in ("begin", "end"):
            self._environment(word)
        elif word in CHARACTERS:
            self._pieces.append(CHARACTERS[word])
        elif word in ACCENTS:
            self._accent(ACCENTS[word])
        elif word in ("verb", "lstinline"):
            self._verb()
        elif word in DEFINITIONS:
            self._definition()
        elif word in NO_TEXT or word in STATED:
            self._arguments(64)
        elif word in LAST_ONLY:
            self._options()
            self._arguments(LAST_ONLY[word])
        elif word in NOTES or word in LINES_OF_THEIR_OWN:
            where = self._notes if word in NOTES else self._pieces
            where.append(f"\n{self._argument()}\n")
        else:
            self._pieces.append("\n" if word in BREAKS else "")
            if word != "item" and not self._source[self._place - 1].isspace():
                self._options()

    def _options(self) -> None:
        self._place = _after_options(self._source, self._place)

    def _argument(self) -> str:
        """Return the text of the next argument."""
        self._options()
        if not self._source.startswith("{", self._place):
            return ""
        end = _closing(self._source, self._place)
        inside = self._source[self._place + 1 : end]
        self._place = end + 1
        return _LatexParser(inside, self._depth + 1).text()

    def _arguments(self, count: int) -> None:
        """Skip up to ``count`` arguments, with the optional ones before and between them."""
        self._options()
        while count and self._source.startswith("{", self._place):
            self._place = _closing(self._source, self._place) + 1
            self._options()
            count -= 1

    def _definition(self) -> None:
        name = _COMMAND_NAME.match(self._source, self._place)
        if name is not None:
            self._place = name.end()
        self._arguments(64)

    def _environment(self, word: str) -> None:
        name = _NAME.match(self._source, self._place)
        if name is None:
            return
        self._place = name.end()
        self._pieces.append("\n")
        kind = name[1].strip()
        if word == "end":
            return
        if kind.rstrip("*") in MATHEMATICS | NOT_SHOWN:
            self._skip_to(f"\\end{{{name[1]}}}")
        elif kind.rstrip("*") in AS_IT_IS:
            self._options()
            self._arguments(kind == "minted")
            code = self._skip_to(f"\\end{{{name[1]}}}")
            self._pieces += (f"{_AS_IT_IS}{line.rstrip()}\n" for line in code.split("\n") if line.strip())
        else:
            self._options()
            self._arguments(ARGUMENTS.get(kind, 0))

    def _skip_to(self, end: str) -> str:
        """Skip to the end of ``end``; return the skipped text before it."""
        place = self._source.find(end, self._place)
        if place < 0:
            raise UnreadableError(say("the file is truncated, {end} is missing: fetch it again", end=end))
        passed = self._source[self._place : place]
        self._place = place + len(end)
        return passed

    def _mathematics(self, mark: str) -> None:
        """Skip a formula; a dollar sign that is not closed within its paragraph is literal."""
        inside = (_MATH if mark == "$" else _DISPLAY).match(self._source, self._place)
        if inside is not None and self._source.startswith(mark, inside.end()):
            self._place = inside.end() + len(mark)
        else:
            self._pieces.append(mark)

    def _verb(self) -> None:
        self._options()
        code = _VERB.match(self._source, self._place)
        if code is not None:
            self._pieces.append(code[2])
            self._place = code.end()

    def _accent(self, mark: str) -> None:
        """Put an accent on the next letter, in braces or not."""
        letter = _LETTER.match(self._source, self._place)
        if letter is not None:
            self._place = letter.end()
            self._pieces.append(normalize("NFC", letter[letter.lastindex or 0] + mark))


def _typeset(text: str) -> str:
    """Replace quote and dash marks by their characters."""
    for written, character in LIGATURES:
        text = text.replace(written, character)
    return text.replace("\n", " ")


__all__ = ["MOST_DEEP", "read", "write"]
