r"""Rich Text Format (RTF): each file is one document.

A file consists of groups in braces, control words, and text in the code page of the document or of a font [RTF 1.9.1].
Word, WPS and LibreOffice write Chinese in two ways, as double bytes (``\'d6\'d0``, GBK) and in Unicode (``\u20013?``).
No code in a file is run, pictures and objects are not opened, and links are not followed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from whorl.corpus.contract import HIDDEN_TEXT, Batch, Columns, ReadOptions, Source
from whorl.corpus.encoding import named_encoding
from whorl.corpus.formats.office.hidden_text import (
    MAX_HIDDEN_POINTS,
    WHITE,
    count_characters,
    hidden_notice,
    is_invisible,
)
from whorl.corpus.formats.office.rtf_words import (
    BACKGROUNDS,
    CHANNELS,
    CHARACTERS,
    CHARSETS,
    CODE_PAGES,
    DOUBLE_BYTE,
    ENTERED,
    HIDING,
    LINES,
    PASSED_OVER,
    PROPERTIES,
    SYMBOL,
    codec_of,
)
from whorl.corpus.formats.office.word_fields import CHECKED, combined_base, is_contents
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.formats.web.visible_text import ShownPage
from whorl.corpus.rejects import Rejects
from whorl.corpus.shells import demand_text
from whorl.i18n import say

MOST_GROUPS = 10_000
"""Maximum nesting of groups."""

_START = re.compile(rb"\s*\{\\rtf")
_MARKS = (
    rb"\\(?P<word>[A-Za-z]+)(?P<number>-?\d{1,10})? ?|\\'(?P<byte>[0-9A-Fa-f]{2})|\\(?P<symbol>[^A-Za-z])"
    rb"|(?P<brace>[{}])|[\r\n\0]+|(?P<text>[^\\{}\r\n\0\x80-\xff]+"
)
_TOKEN = re.compile(_MARKS + rb"|[\x80-\xff]+)", re.DOTALL)
_TOKEN_OF_DOUBLE_BYTES = re.compile(_MARKS + rb"|[\x81-\xfe][\x40-\x7e\x80-\xfe]|[\x80-\xff])", re.DOTALL)
_CODE_PAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_TIME = ("yr", "mo", "dy", "hr", "min", "sec")
_TEXT, _NOTES, _FONTS, _COLORS, _NOWHERE = "text", "notes", "fonts", "colors", ""
_INSTRUCTION, _CHOICE, _CONTENTS = "instruction", "choice", "contents"
_FIELD_WORDS = frozenset(("field", "fldinst", "fldrslt", "ffl"))
_FORM = ("fftype", "ffres", "ffdefres")
_CHECK_BOX, _CHOICE_LIST, _UNSET = 1, 2, 25
_MOST_CHOICES = 1_000
_SIDES = ("picwgoal", "pichgoal")
_LARGE_PICTURE_TWIPS = 0.5 * 11_906 * 16_838
"""Half of a page of A4."""
_MOST_INSTRUCTION = 2_000


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the paragraphs and cells of the file in order, then its notes, as one document.

    Title, author and creation date come from its information group. Deleted and hidden text, comments, headers, footers
    and field instructions are left out, and so are characters of a symbol font that are not written in Unicode.

    Rejected: a file longer than ``max_row_bytes``, or that is truncated, not RTF, or without text.

    Cost: about 1 s a megabyte of Chinese text; memory: the file and its text.
    """

    def parse(data: bytes) -> WholeFileDocument:
        return _document(data, options.encoding)

    return batches_of(parsed(source, rejects, options, parse, options.max_row_bytes), columns)


def _document(data: bytes, named: str | None) -> WholeFileDocument:
    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    begin = _START.match(data)
    if begin is None:
        raise UnreadableError(say("the file is not an RTF document: save it again as .rtf or .docx"))
    page = _CODE_PAGE.search(data, 0, 4096)
    stated = None if page is None else codec_of(int(page[1]))
    reading = _RtfParser(stated or (None if named is None else named_encoding(named)) or "cp1252")
    reading.read(data)
    text = _lines(f"{reading.text_of_sink(_TEXT)}\n{reading.text_of_sink(_NOTES)}")
    demand_text(
        text,
        hidden=reading.hidden,
        contents=reading.contents,
        pictures=reading.pictures,
        large_pictures=reading.large_pictures,
        objects=reading.objects,
    )
    title, author = (" ".join(reading.text_of_sink(name).split()) or None for name in ("title", "author"))
    return WholeFileDocument(
        text=text, title=title, author=author, date=reading.date, notices=hidden_notice(reading.hidden)
    )


def text_of(data: bytes) -> ShownPage:
    """Return the visible text of a document, for formats that embed RTF. Raises UnreadableError if it is not RTF."""
    document = _document(data, None)
    return ShownPage(document.text, int(document.notices.get(HIDDEN_TEXT, 0)))


def _lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


class _RtfField:
    """A field: its instruction, whether its visible text is already decided, and the value of a form field."""

    __slots__ = ("choices", "form", "instruction", "is_done")

    def __init__(self) -> None:
        self.instruction = ""
        self.is_done = False
        self.choices: list[str] = []
        self.form: dict[str, int] = {}

    def visible_text(self) -> str:
        """Text of the field beyond its result: its form value, or characters printed over each other."""
        chosen = self.form.get("ffres", _UNSET)
        chosen = self.form.get("ffdefres", 0) if chosen == _UNSET else chosen
        kind = self.form.get("fftype")
        if kind == _CHOICE_LIST:
            return self.choices[chosen] if 0 <= chosen < len(self.choices) else ""
        return CHECKED if kind == _CHECK_BOX and chosen == 1 else combined_base(self.instruction)


class _RtfGroup:
    """State of a group, restored at its end."""

    __slots__ = (
        "backgrounds", "codec", "color", "far", "field", "hidden", "is_far", "is_repeated", "is_shape", "is_tiny",
        "outer", "sink", "skipped",
    )  # fmt: skip

    def __init__(self) -> None:
        self.color = 0
        self.backgrounds: dict[str, int] = {}
        self.is_tiny = self.is_shape = False
        self.field: _RtfField | None = None
        self.sink = self.outer = _TEXT
        self.codec: str | None = None
        self.far: str | None = None
        self.is_far = self.is_repeated = False
        self.skipped = 1
        self.hidden: frozenset[str] = frozenset()

    def inner(self) -> _RtfGroup:
        group = object.__new__(_RtfGroup)
        group.sink, group.outer, group.codec, group.far = self.sink, self.sink, self.codec, self.far
        group.is_far, group.is_repeated, group.skipped = self.is_far, self.is_repeated, self.skipped
        group.hidden, group.color, group.backgrounds = self.hidden, self.color, self.backgrounds
        group.is_tiny, group.is_shape, group.field = self.is_tiny, self.is_shape, self.field
        return group


class _RtfParser:
    """Token-based parser that collects text by destination."""

    def __init__(self, codec: str) -> None:
        self._codec = codec
        self._texts: dict[str, list[str]] = {}
        self._groups: list[_RtfGroup] = []
        self._now = _RtfGroup()
        self._bytes = bytearray()
        self._skip = 0
        self._is_optional = False
        self._default_font = 0
        self._font: int | None = None
        self._fonts: dict[int, str] = {}
        self._time: dict[str, int] = {}
        self._is_creation = False
        self._colors: list[str | None] = []
        self._channels: dict[str, int] = {}
        self._row_is_colored = False
        self.hidden = self.contents = self.pictures = self.large_pictures = self.objects = 0
        self._sides: dict[str, int] = {}

    def text_of_sink(self, sink: str) -> str:
        """Return the text of a destination; surrogate pairs are joined."""
        text = "".join(self._texts.get(sink, ()))
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    @property
    def _of_text(self) -> str:
        """The current code page."""
        now = self._now
        chosen = now.far if now.is_far and now.far else now.codec
        return chosen or self._fonts.get(self._default_font) or self._codec

    @property
    def _token(self) -> re.Pattern[bytes]:
        """The pattern of the next token; the second byte of a double-byte character may look like a mark."""
        return _TOKEN_OF_DOUBLE_BYTES if self._of_text in DOUBLE_BYTE else _TOKEN

    @property
    def date(self) -> str | None:
        """The creation date in ISO 8601, as precise as it is stated."""
        year, month, day, hour, minute, second = (self._time.get(part, 0) for part in _TIME)
        if not year or not month or not day:
            return None
        written = f"{year:04}-{month:02}-{day:02}"
        return written + (f"T{hour:02}:{minute:02}:{second:02}" if "hr" in self._time else "")

    def read(self, data: bytes) -> None:
        """Read a file up to the end of its outermost group."""
        place = 0
        while (token := self._token.match(data, place)) is not None:
            place = token.end()
            kind = token.lastgroup
            if kind == "brace":
                self._brace(token["brace"])
                if not self._groups:
                    return
            elif kind == "byte":
                self._spell(bytes((int(token["byte"], 16),)))
            elif kind == "text":
                self._spell(token["text"])
            elif kind == "symbol":
                self._symbol(token["symbol"])
            elif kind is not None:
                number = token["number"]
                place += self._word(token["word"].decode("ascii"), None if number is None else int(number))
        raise UnreadableError(say("the file is truncated, a group is not closed: fetch it again"))

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._skip = 0
        self._is_optional = False
        if brace == b"{":
            if len(self._groups) >= MOST_GROUPS:
                raise UnreadableError(say("the file is nested too deeply: save it again"))
            self._groups.append(self._now)
            self._now = self._now.inner()
        elif self._groups:
            ended, self._now = self._now, self._groups.pop()
            if ended.field is not None and ended.field is not self._now.field and not ended.field.is_done:
                self._say(ended.field.visible_text())

    def _spell(self, data: bytes) -> None:
        """Append bytes of text in the current code page."""
        if self._skip:
            cut = min(self._skip, len(data))
            self._skip -= cut
            data = data[cut:]
        self._bytes += data

    def _say(self, text: str) -> None:
        self._flush()
        if text:
            self._put(text)

    def _put(self, text: str) -> None:
        """Append text to the destination of the group, and count hidden characters."""
        now = self._now
        if now.sink in (_INSTRUCTION, _CHOICE):
            self._put_into_field(text)
        elif now.sink == _COLORS:
            self._put_colors(text)
        elif now.sink == _CONTENTS:
            self.contents += count_characters(text)
        elif now.sink in (_TEXT, _NOTES) and (now.hidden == {"v"} or (not now.hidden and self._is_invisible())):
            self.hidden += count_characters(text)
            if "\n" in text:
                self._texts.setdefault(now.sink, []).append("\n")
        elif now.sink and not now.hidden:
            self._texts.setdefault(now.sink, []).append(text)

    def _put_into_field(self, text: str) -> None:
        field = self._now.field
        if field is None:
            return
        if self._now.sink == _INSTRUCTION:
            field.instruction += text[: _MOST_INSTRUCTION - len(field.instruction)]
        elif field.choices:
            field.choices[-1] += text[: _MOST_INSTRUCTION - len(field.choices[-1])]

    def _put_colors(self, text: str) -> None:
        """Add the colors that end here; a color without channels is the default one."""
        for _ in range(text.count(";")):
            channels = (min(max(self._channels.get(name, 0), 0), 255) for name in CHANNELS)
            self._colors.append("".join(f"{channel:02x}" for channel in channels) if self._channels else None)
            self._channels = {}

    def _is_invisible(self) -> bool:
        """True if the letters are tiny, or in the color of their background."""
        now = self._now
        if now.is_tiny:
            return True
        color = self._color(now.color)
        if color is None or now.is_shape or self._row_is_colored:
            return False
        behind = next((number for name in BACKGROUNDS if (number := now.backgrounds.get(name))), 0)
        return is_invisible(color, self._color(behind) or WHITE)

    def _color(self, number: int) -> str | None:
        return self._colors[number] if 0 <= number < len(self._colors) else None

    def _flush(self) -> None:
        if not self._bytes:
            return
        now, data = self._now, bytes(self._bytes)
        self._bytes.clear()
        if now.sink in (_NOWHERE, _FONTS):
            return
        codec = self._of_text
        self._put(data.decode("ascii", "ignore") if codec == SYMBOL else data.decode(codec, "replace"))

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._is_optional = True
        elif self._skip:
            self._skip -= 1
        elif symbol in b"\\{}":
            self._bytes += symbol
        else:
            self._say({b"~": "\xa0", b"_": "-", b"\r": "\n", b"\n": "\n"}.get(symbol, ""))

    def _word(self, word: str, number: int | None) -> int:
        """Apply a control word; return how many bytes after it belong to it."""
        if word == "bin":
            self._skip = max(self._skip - 1, 0)
            return max(number or 0, 0)
        if self._skip and word in CHARACTERS:
            self._skip -= 1
            return 0
        is_optional, self._is_optional = self._is_optional, False
        if word == "u":
            self._unicode(number or 0)
        elif word in CHARACTERS:
            self._say(CHARACTERS[word])
        elif word in LINES:
            self._say("\n")
        elif not self._destination(word, is_optional=is_optional):
            self._flush()
            self._property(word, number)
        return 0

    def _unicode(self, number: int) -> None:
        code = number + 0x10000 if number < 0 else number
        self._say(chr(code) if 0 <= code < 0x110000 else "\ufffd")
        self._skip = self._now.skipped

    def _destination(self, word: str, *, is_optional: bool) -> bool:
        """True if a word begins a destination, which lasts until the end of its group."""
        now = self._now
        if word == "ud":  # Unicode version of the preceding text in a code page
            now.is_repeated, now.sink = False, self._groups[-1].outer
        elif word in _FIELD_WORDS:
            self._field(word)
        elif word in PASSED_OVER or (is_optional and word not in ENTERED):
            now.sink, now.is_repeated = _NOWHERE, now.is_repeated or word == "upr"
        elif word in ("footnote", "endnote"):
            now.sink = _NOTES if now.sink else _NOWHERE
            self._say("\n")
        elif word in PROPERTIES:
            now.sink = _NOWHERE if now.is_repeated else PROPERTIES[word]
        elif word not in ENTERED:
            return False
        self._is_creation = word == "creatim"
        if word == "pict":
            self.pictures += 1
            self._sides.clear()
        self.objects += word == "objdata"
        now.is_shape = now.is_shape or word == "shptxt"
        return True

    def _field(self, word: str) -> None:
        """Handle the start of a field, its instruction, its result, or one of its choices."""
        now = self._now
        if word == "field":
            now.field = _RtfField()
        elif word == "fldrslt":
            self._result()
        elif word == "fldinst":
            now.sink = _INSTRUCTION if now.sink in (_TEXT, _NOTES) else _NOWHERE
        else:
            now.sink = _NOWHERE
            if now.field is not None and len(now.field.choices) < _MOST_CHOICES:
                now.field.choices.append("")
                now.sink = _CHOICE

    def _result(self) -> None:
        """Handle the start of a field result, unless it is a table of contents or nested in an instruction."""
        now = self._now
        if now.field is None:
            return
        now.field.is_done = True
        if is_contents(now.field.instruction):
            now.sink = _CONTENTS
        elif value := now.field.visible_text():
            self._say(value)
            now.sink = _NOWHERE

    def _property(self, word: str, number: int | None) -> None:
        now = self._now
        if word == "uc":
            now.skipped = min(max(1 if number is None else number, 0), 64)
        elif word in HIDING:
            now.hidden = now.hidden - {word} if number == 0 else now.hidden | {word}
        elif word == "plain":
            now.hidden, now.codec, now.far, now.is_far = now.hidden - {"v"}, None, None, False
            self._format(word, number)
        elif word in ("loch", "hich", "dbch"):
            now.is_far = word == "dbch"
        elif word in _TIME and self._is_creation:
            self._time.setdefault(word, number or 0)
        elif word == "deff":
            self._default_font = number or 0
        elif word in ("f", "af"):
            self._choose_font(word, number or 0)
        elif now.sink == _FONTS and self._font is not None:
            self._describe_font(word, number or 0)
        else:
            self._format(word, number)

    def _format(self, word: str, number: int | None) -> None:
        """Apply a word that sets the color or size of letters, or their background."""
        now = self._now
        if word == "plain":
            now.color, now.is_tiny = 0, False
            now.backgrounds = {name: color for name, color in now.backgrounds.items() if name == "cbpat"}
        elif word == "cf":
            now.color = number or 0
        elif word == "fs":
            now.is_tiny = number is not None and number <= 2 * MAX_HIDDEN_POINTS
        elif word in BACKGROUNDS:
            now.backgrounds = now.backgrounds | {word: number or 0}
        elif word == "pard":
            now.backgrounds = now.backgrounds | {"cbpat": 0}
        elif word in ("trowd", "clcbpat", "clcbpatraw"):
            self._row_is_colored = word != "trowd" and (self._row_is_colored or bool(number))
        elif word in _FORM and now.field is not None:
            now.field.form[word] = number or 0
        elif word in _SIDES:
            self._side(word, abs(number or 0))
        elif word in CHANNELS and now.sink == _COLORS:
            self._channels[word] = number or 0

    def _side(self, word: str, length: int) -> None:
        """Set a side of a picture; once both are set, check whether it fills half a page."""
        self._sides[word] = length
        if len(self._sides) == len(_SIDES):
            self.large_pictures += math.prod(self._sides.values()) >= _LARGE_PICTURE_TWIPS
            self._sides.clear()

    def _choose_font(self, word: str, number: int) -> None:
        now = self._now
        if now.sink == _FONTS:
            self._font = number
        elif word == "f":
            now.codec = self._fonts.get(number)
        elif now.is_far:
            now.far = self._fonts.get(number)

    def _describe_font(self, word: str, number: int) -> None:
        """Set the code page of a font; Western fonts of a Chinese document use the document's code page for Chinese."""
        if self._font is None:
            return
        if word == "cpg" and (page := codec_of(number)):
            self._fonts[self._font] = page
        elif word == "fcharset" and number in CHARSETS:
            page = CHARSETS[number]
            is_western = page == CODE_PAGES[1252] and self._codec in DOUBLE_BYTE
            self._fonts[self._font] = self._codec if is_western else page


__all__ = ["MOST_GROUPS", "read", "text_of", "write"]
