"""Subtitles and lyrics: SRT, WebVTT, ASS and LRC files, each one document of its spoken text.

Numbers, times, styles and speaker names are the same in any two films, so they are left out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.encoding import decode_text
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.rejects import Rejects
from whorl.i18n import say

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,:]\d{1,3})?"
_TIMES = re.compile(rf"\s*{_TIME}\s*(?:-->|,)\s*{_TIME}.*")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<[\d:.]+>|\{\\[^{}]*\}")
_SPEAKER = re.compile(r"^(?:(?:>>\s*|[-–—]\s*)?(?:[A-Z][A-Z0-9 .'’-]{1,30}|\[[^\[\]]{1,30}\])[:：]\s*|(?:>>|[-–—])\s+)")
_STAMPS = re.compile(r"(?:\[\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?\]\s*)+")
_LYRICS_TAG = re.compile(r"\[([a-zA-Z#]+):(.*)\]\s*")
_VTT_BLOCK = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_ASS_COLUMNS = ("layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text")


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the file as one document, a line per spoken line. A file without times is read as plain text.

    Title and author of lyrics come from their tags.

    Rejected: as for plain text files.
    """

    def parse(data: bytes) -> WholeFileDocument:
        try:
            decoded = decode_text(data, options.encoding)
        except ValueError as error:
            raise UnreadableError(say("the file is {reason}", reason=error)) from None
        return replace(spoken(decoded.text), notices=decoded.encoding.notices)

    documents = parsed(source, rejects, options, parse, options.max_row_bytes)
    return batches_of(documents, columns)


def spoken(text: str) -> WholeFileDocument:
    r"""Return the spoken text of subtitles or lyrics.

    >>> spoken("1\n00:00:01,000 --> 00:00:02,500\n<i>ANNA: Come in.</i>\n").text
    'Come in.'
    """
    lines = text.lstrip("\ufeff").splitlines()
    if any(line.lstrip().lower().startswith("dialogue:") for line in lines):
        return WholeFileDocument(_of_ass(lines))
    if any(_TIMES.fullmatch(line) for line in lines):
        return WholeFileDocument(_of_cues(lines))
    if any(_STAMPS.match(line) for line in lines):
        return _of_lyrics(lines)
    return WholeFileDocument(text)


def _of_cues(lines: list[str]) -> str:
    """Return the text of SRT, WebVTT and SBV: the lines below a line of times, up to a blank line."""
    spoken_lines: list[str] = []
    in_block = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if not line.strip():
            in_block = False
        elif _VTT_BLOCK.match(line) and (number == 0 or not lines[number - 1].strip()):
            in_block = True
        elif _TIMES.fullmatch(line):
            in_block = False
        elif not in_block and not _is_name(line, lines[number - 1] if number else "", following):
            spoken_lines.append(_plain(html.unescape(line)))
    return _joined(spoken_lines)


def _is_name(line: str, before: str, following: str) -> bool:
    """True if a line is the number or the name of the cue below it."""
    is_number = line.strip().isdigit()
    return _TIMES.fullmatch(following) is not None and (is_number or not before.strip())


def _of_ass(lines: list[str]) -> str:
    columns: tuple[str, ...] = _ASS_COLUMNS
    in_events = False
    spoken_lines: list[str] = []
    for line in lines:
        kind, _, rest = line.partition(":")
        kind = kind.strip().lower()
        if kind.startswith("["):
            in_events = kind.startswith("[events]")
        elif kind == "format" and in_events:
            columns = tuple(name.strip().lower() for name in rest.split(","))
        elif kind == "dialogue":
            values = rest.split(",", len(columns) - 1)
            if len(values) == len(columns) and not re.search(r"\{[^{}]*\\p[1-9]", values[-1]):
                parts = re.split(r"\\[Nn]", re.sub(r"\{[^{}]*\}", "", values[-1]).replace("\\h", " "))
                spoken_lines += [_plain(part) for part in parts]
    return _joined(spoken_lines)


def _of_lyrics(lines: list[str]) -> WholeFileDocument:
    tags: dict[str, str] = {}
    spoken_lines: list[str] = []
    for line in lines:
        tag = _LYRICS_TAG.fullmatch(line.strip())
        if tag is not None and not _STAMPS.match(line):
            tags.setdefault(tag[1].lower(), tag[2].strip())
        else:
            spoken_lines.append(_plain(_STAMPS.sub("", line)))
    return WholeFileDocument(_joined(spoken_lines), title=tags.get("ti") or None, author=tags.get("ar") or None)


def _plain(line: str) -> str:
    """Return a line without styles and speakers."""
    return _SPEAKER.sub("", _TAG.sub("", line).strip(), count=1).strip()


def _joined(lines: list[str]) -> str:
    return "\n".join(line for line in lines if line)


__all__ = ["read", "spoken", "write"]
