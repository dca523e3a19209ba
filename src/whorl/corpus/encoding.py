"""Find out how text files are encoded, and decode them strictly.

UTF-8 comes first and wins while at least half of the lines that could tell are valid UTF-8: a few broken lines do
not turn a file into GBK. Otherwise the core's detector decides, with a prior for Chinese.
"""

from __future__ import annotations

import codecs
import re

from whorl import _core
from whorl.errors import InputError, UsageError

SAMPLE_BYTES = 2**20

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_ENCODINGS = ("utf-16", "utf-32")
_PYTHON_NAMES = {
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8-i": "iso-8859-8",
}
_CLAIM = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.IGNORECASE)
_CLAIM_WITHIN = 4096
_CLAIMED_OF_ANY = {"ascii", "iso8859-1", "cp1252"}
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932", "euc_kr": "cp949"}
_FEW_BROKEN = 0.05
_CORE_NAMES = {python: whatwg for whatwg, python in _PYTHON_NAMES.items()}


class LineDecoder:
    """Decode the lines of one file. The first block that is not all ASCII decides the encoding, if none was named."""

    def __init__(self, encoding: str | None) -> None:
        self._encoding = None if encoding is None else named_encoding(encoding)
        if self._encoding is not None and self._encoding.startswith(_WIDE_ENCODINGS):
            raise UsageError(f"rows cannot be told apart in the encoding {encoding}", cure="save the file as UTF-8")

    @property
    def encoding(self) -> str:
        """The encoding in force; UTF-8 as long as nothing told otherwise."""
        return self._encoding or "utf-8"

    def look_at(self, block: bytes) -> None:
        """Learn from a block of whole lines; to be called before its lines are decoded."""
        if self._encoding is None and not block.isascii():
            self._encoding = detect_encoding(block)

    def decode(self, line: bytes) -> str:
        """Decode strictly; raises UnicodeDecodeError."""
        return line.decode(self.encoding)


def named_encoding(name: str) -> str:
    """The codec for an encoding that a user named; raises UsageError when there is none."""
    try:
        "a".encode(name)
        return _python_name(codecs.lookup(name).name.removesuffix("-sig"))
    except (LookupError, UnicodeError):
        raise UsageError(f"no encoding is called {name!r}", cure="use for example utf-8, gb18030 or big5") from None


def core_name(encoding: str) -> str:
    """What the core calls a Python codec.

    Raises:
        UsageError: the core cannot decode it.
    """
    name = _CORE_NAMES.get(encoding, encoding)
    if not _core.is_encoding(name):
        raise UsageError(f"JSON Lines cannot be read as {encoding!r}", cure="convert the file to UTF-8 first")
    return name


def detect_encoding(data: bytes) -> str:
    """Return the codec that fits ``data``, some whole lines of a file or all of it.

    At most ``SAMPLE_BYTES`` are looked at, from the line with the first byte outside ASCII on.
    """
    wide = wide_encoding(data)
    if wide is not None:
        return wide
    if data.isascii():
        return "utf-8"
    sample = _telling_part(data)
    if _is_mostly_utf8(sample):
        return "utf-8"
    from whorl import _core

    return _python_name(_core.detect_encoding(sample))


def wide_encoding(data: bytes) -> str | None:
    """The UTF-16 or UTF-32 codec that the byte order mark at the start of ``data`` announces."""
    return next((encoding for mark, encoding in _WIDE_MARKS if data.startswith(mark)), None)


def refuse_wide(data: bytes, label: str) -> None:
    """Raise InputError when ``data``, the start of a file of lines, is UTF-16 or UTF-32."""
    wide = wide_encoding(data)
    if wide is not None:
        name = wide.upper()
        raise InputError(f"{label} is {name}, in which rows cannot be told apart", cure="save it as UTF-8")


def decode(data: bytes, encoding: str) -> str:
    """Decode strictly, without the byte order mark; raises UnicodeDecodeError."""
    if encoding == "utf-8":
        data = data.removeprefix(codecs.BOM_UTF8)
    return data.decode(encoding)


def decode_page(data: bytes, named: str | None) -> str:
    """Decode an HTML page, by ``named`` if it is given.

    Else it is UTF-8 if that fits, then what the page claims, unless servers claim it of any page or it does not fit,
    then UTF-8 with a few broken bytes, then what the bytes look like. Broken bytes become U+FFFD, as in a browser.

    Raises:
        ValueError: the bytes are no text, or more than a few of them are broken; it says which.
    """
    wide = wide_encoding(data)
    known = wide or (None if named is None else named_encoding(named))
    guesses = [(known, _FEW_BROKEN)] if known else [("utf-8", 0.0), (_claimed(data), 0.0), ("utf-8", _FEW_BROKEN)]
    for encoding, most_broken in guesses:
        if encoding is not None and (text := _decode_most(data, encoding, most_broken)) is not None:
            return text
        if b"\0" in data and wide is None:
            raise ValueError("binary data, not text")
    likely = known or detect_encoding(data)
    text = None if known else _decode_most(data, likely, _FEW_BROKEN)
    if text is None:
        raise ValueError(f"not valid {likely.upper()} text")
    return text


def _decode_most(data: bytes, encoding: str, most_broken: float) -> str | None:
    """Decode all but ``most_broken`` of the characters outside ASCII; None if more are broken."""
    try:
        return decode(data, encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    outside = len(text) - len(text.encode("ascii", "ignore"))
    return text if text.count("\ufffd") <= most_broken * outside else None


def _claimed(data: bytes) -> str | None:
    """The codec that an HTML page names at its beginning, if that tells anything."""
    claim = _CLAIM.search(data, 0, _CLAIM_WITHIN)
    label = claim[1].decode("ascii").lower() if claim else ""
    try:
        name = codecs.lookup(label).name if _core.is_encoding(label) else "ascii"
    except LookupError:
        return None
    return None if name in _CLAIMED_OF_ANY or name.startswith(_WIDE_ENCODINGS) else _WIDER.get(name, name)


def _telling_part(data: bytes) -> bytes:
    """Whole lines from the first one outside ASCII on; a longer line is cut."""
    first = _first_outside_ascii(data)
    start = data.rfind(b"\n", 0, first) + 1
    end = start + SAMPLE_BYTES
    if end >= len(data):
        return data[start:]
    return data[start : data.rfind(b"\n", first, end) + 1 or end]


def _first_outside_ascii(data: bytes) -> int:
    """The place of the first byte above 127; there is one."""
    step = 4096
    for start in range(0, len(data), step):
        piece = data[start : start + step]
        if not piece.isascii():
            return start + next(place for place, byte in enumerate(piece) if byte > 127)
    raise ValueError("all bytes are ASCII")


def _is_mostly_utf8(sample: bytes) -> bool:
    lines = [line for line in sample.split(b"\n") if not line.isascii()]
    return 2 * sum(_is_utf8(line) for line in lines) >= len(lines)


def _is_utf8(line: bytes) -> bool:
    """Whether ``line`` is UTF-8; a character that the end of the sample cuts is forgiven."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(line, final=False)
    except UnicodeDecodeError:
        return False
    return True


def _python_name(name: str) -> str:
    """The widest Python codec for a WHATWG or Python encoding name."""
    name = name.lower()
    return _PYTHON_NAMES.get(name, name)


__all__ = [
    "SAMPLE_BYTES",
    "LineDecoder",
    "core_name",
    "decode",
    "decode_page",
    "detect_encoding",
    "named_encoding",
    "refuse_wide",
    "wide_encoding",
]
