"""Detect the encoding of text files, and decode them strictly.

A byte order mark decides, then UTF-16 that is recognizable by its null bytes. UTF-8 wins while at least half of the
lines outside ASCII are valid UTF-8: a few broken lines do not turn a file into GBK. Otherwise the core scores the bytes
in each encoding, and the most likely encoding that decodes them is used: a guess.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from whorl import _core
from whorl.corpus.contract import GUESSED_ENCODING, Span
from whorl.errors import InputError, UsageError
from whorl.i18n import say

_SAMPLE_BYTES = 2**20

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8"),
)
_WIDE_ENCODINGS = ("utf-16", "utf-32")
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PYTHON_NAMES = {
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "windows-874": "cp874",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8-i": "iso-8859-8",
}
_CLAIM = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.IGNORECASE)
_CLAIM_WITHIN = 4096
_FEW_BROKEN = 0.05
_CORE_NAMES = {python: whatwg for whatwg, python in _PYTHON_NAMES.items()}


class Encoding(NamedTuple):
    """The encoding of a file.

    Attributes:
        codec: its Python name.
        guessed: whether only the statistics of the text support it.
    """

    codec: str
    guessed: bool = False

    @property
    def notices(self) -> dict[str, str]:
        """Notices for a file that was read in this encoding."""
        return {GUESSED_ENCODING: self.codec} if self.guessed else {}

    @property
    def fault(self) -> str:
        """The error for a file that is not valid in this encoding, with a hint if another encoding is possible."""
        codec = self.codec.upper()
        if self.guessed:
            return say("not valid {codec} text, and that encoding was detected: set it with --encoding", codec=codec)
        return say("not valid {codec} text", codec=codec)


class DecodedText(NamedTuple):
    """The text of a file and its encoding."""

    text: str
    encoding: Encoding


UTF_8 = Encoding("utf-8")


class LineDecoder:
    """Decoder of the lines of one file. The first block outside ASCII decides the encoding if none was named.

    Args:
        encoding: the named encoding.
        span: the range of a file that is read in ranges; it has the encoding already.
    """

    def __init__(self, encoding: str | None, span: Span | None = None) -> None:
        self._encoding = None if encoding is None else Encoding(named_encoding(encoding))
        if self._encoding is not None and self._encoding.codec.startswith(_WIDE_ENCODINGS):
            raise UsageError(
                say("cannot split rows in the encoding {encoding}", encoding=encoding),
                hint=say("save the file as UTF-8"),
            )
        if span is not None and span.encoding is not None:
            self._encoding = Encoding(span.encoding, span.guessed)

    @property
    def encoding(self) -> Encoding:
        """The encoding in force; UTF-8 until it is detected."""
        return self._encoding or UTF_8

    @property
    def settled(self) -> Encoding | None:
        """The named or detected encoding; None until it is detected."""
        return self._encoding

    def look_at(self, block: bytes) -> None:
        """Detect the encoding from a block of whole lines; call this before decoding its lines."""
        if self._encoding is None and not block.isascii():
            detected = _fitting(block)
            # Lines cannot be cut out of UTF-16, so it is never a guess here.
            self._encoding = UTF_8 if detected.codec.startswith(_WIDE_ENCODINGS) else detected

    def decode(self, line: bytes) -> str:
        """Decode strictly; raises UnicodeDecodeError."""
        return line.decode(self.encoding.codec)


def named_encoding(name: str) -> str:
    """Return the codec of a user-specified encoding; raises UsageError if it is unknown."""
    try:
        "a".encode(name)
        b"a".decode(name, "replace")
        return _python_name(codecs.lookup(name).name.removesuffix("-sig"))
    except (LookupError, UnicodeError):
        raise UsageError(
            say("unknown encoding {name!r}", name=name), hint=say("use for example utf-8, gb18030 or big5")
        ) from None


def core_name(encoding: str) -> str:
    """Return the core's name for a Python codec.

    Raises:
        UsageError: the core cannot decode it.
    """
    name = _CORE_NAMES.get(encoding, encoding)
    if not _core.is_encoding(name):
        raise UsageError(
            say("JSON Lines cannot be read as {encoding!r}", encoding=encoding),
            hint=say("convert the file to UTF-8 first"),
        )
    return name


def refuse_wide(data: bytes, label: str, named: str | None) -> None:
    """Raise InputError if ``data``, the start of a file of lines, is UTF-16 or UTF-32.

    If an encoding was named, only a byte order mark overrides it.
    """
    wide = _wide(data[: len(data) & ~1]) if named is None else _marked(data)
    if wide is not None and wide.codec.startswith(_WIDE_ENCODINGS):
        name = wide.codec.upper()
        raise InputError(
            say("cannot split {label} into rows: its encoding is {name}", label=label, name=name),
            hint=say("save it as UTF-8"),
        )


def wide_encoding(data: bytes, named: str | None) -> tuple[str, bytes, Encoding] | None:
    """Return the codec with byte order, the mark and the encoding if the start of a file is UTF-16 or UTF-32.

    If an encoding was named, only a byte order mark overrides it.
    """
    for mark, codec in _WIDE_MARKS:
        if data.startswith(mark):
            return codec, mark, Encoding(codec)
    if named is not None:
        codec = named_encoding(named)
        if codec.startswith(_WIDE_ENCODINGS):
            return f"{codec}-le" if codec in _WIDE_ENCODINGS else codec, b"", Encoding(codec)
        return None
    detected = _wide(data[: len(data) & ~1])
    return None if detected is None else (detected.codec, b"", detected)


def settled_encoding(data: bytes, named: str | None) -> Encoding:
    """Return the encoding of a JSON file from its start, which may end within a character."""
    if named is not None:
        return Encoding(named_encoding(named))
    # A quotation mark is never part of another character, so a cut before one splits no character.
    return _fitting(data[: data.rfind(b'"') + 1] or data)


def decode_text(data: bytes, named: str | None) -> DecodedText:
    """Decode a text file strictly, by ``named`` unless a byte order mark overrides it.

    Null bytes are text in UTF-8 and if an encoding was named; else they indicate binary data.

    Raises:
        ValueError: the bytes are not text; the message has the reason, and a hint if the encoding was a guess.

    Cost: that of decoding; in other encodings than UTF-8 twice that, and 1 to 5 ms.
    """
    certain = _marked(data) or (None if named is None else Encoding(named_encoding(named)))
    encoding = certain or _wide(data) or _utf_8(data)
    is_binary = b"\0" in data and not (encoding or UTF_8).codec.startswith(_WIDE_ENCODINGS)
    if encoding is None and is_binary:
        raise ValueError(say("binary data, not text"))
    encoding = encoding or _fitting(data)
    text = _decode_most(data, encoding.codec, 0.0)
    if text is None:
        raise ValueError(say("binary data, not text") if is_binary else encoding.fault)
    return DecodedText(text, encoding)


def decode_page(data: bytes, named: str | None, content_type: str = "") -> DecodedText:
    """Decode an HTML page by ``named``, if set, unless a byte order mark overrides it.

    Otherwise these are tried in order: UTF-8 if it is valid, the server's charset (``content_type``) and the page's
    charset if they are likely and valid, UTF-8 with a few broken bytes, and the statistical guess. Broken bytes
    become U+FFFD, as in a browser.

    Raises:
        ValueError: the bytes are not text, or too many of them are broken; the message has the reason, and a hint if
            the encoding was a guess.
    """
    certain = _marked(data) or (None if named is None else Encoding(named_encoding(named))) or _wide(data)
    claims = [claim for part in (content_type.encode("utf-8", "replace"), data) if (claim := _claimed(part))]
    guesses = _guesses_at_page(data, claims) if certain is None else iter(((certain, _FEW_BROKEN),))
    for encoding, most_broken in guesses:
        text = _decode_most(data, encoding.codec, most_broken)
        if text is not None:
            return DecodedText(text, encoding)
        if b"\0" in data and not encoding.codec.startswith(_WIDE_ENCODINGS):
            raise ValueError(say("binary data, not text"))
    raise ValueError(encoding.fault)


def _guesses_at_page(data: bytes, claims: list[str]) -> Iterator[tuple[Encoding, float]]:
    """Yield the candidate encodings of a page, and the share of broken characters that each tolerates."""
    yield UTF_8, 0.0
    likely = _likely(data, None)
    for claim in claims:
        likely = _likely(data, claim)
        if not likely[0].guessed:
            yield likely[0], 0.0
            break
    yield UTF_8, _FEW_BROKEN
    yield from ((encoding, 0.0) for encoding in likely)
    yield likely[0], _FEW_BROKEN


def _marked(data: bytes) -> Encoding | None:
    """Return the encoding of the byte order mark at the start of ``data``."""
    return next((Encoding(codec) for mark, codec in _MARKS if data.startswith(mark)), None)


def _wide(data: bytes) -> Encoding | None:
    """Return UTF-16 or UTF-32 by a byte order mark, or by the core's detection if there are null bytes."""
    marked = _marked(data)
    if marked is not None:
        return marked if marked.codec.startswith(_WIDE_ENCODINGS) else None
    name = _core.wide_encoding(data) if b"\0" in data else None
    return None if name is None else Encoding(_python_name(name), guessed=True)


def _utf_8(data: bytes) -> Encoding | None:
    """Return UTF-8, unless most lines outside ASCII are invalid."""
    return UTF_8 if data.isascii() or _is_mostly_utf8(_telling_part(data)) else None


def _fitting(data: bytes) -> Encoding:
    """Return the encoding of ``data``, whole lines of a file or all of it: UTF-8, or the most likely valid one.

    If none is valid, return the most likely: a few broken lines do not turn GBK into Latin letters.
    """
    utf_8 = _utf_8(data)
    likely = [utf_8] if utf_8 else _likely(data, None)
    decoding = (encoding for encoding in likely if _decode_most(data, encoding.codec, 0.0) is not None)
    return likely[0] if len(likely) == 1 else next(decoding, likely[0])


def _likely(data: bytes, claimed: str | None) -> list[Encoding]:
    """Return the likely encodings, best first; a claimed encoding that is likely is not a guess."""
    candidates = _core.likely_encodings(data, claimed)
    return [Encoding(_python_name(name), guessed=not is_claimed) for name, is_claimed in candidates]


def _decode_most(data: bytes, codec: str, most_broken: float) -> str | None:
    """Decode all but a share ``most_broken`` of the characters outside ASCII; None if more are broken."""
    if codec == UTF_8.codec:
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        if not most_broken:
            return None
        text = data.decode(codec, "replace")
    outside = len(text) - len(text.encode("ascii", "ignore"))
    return text if text.count("\ufffd") <= most_broken * outside else None


def _claimed(data: bytes) -> str | None:
    """Return the encoding label at the beginning of an HTML page."""
    claim = _CLAIM.search(data, 0, _CLAIM_WITHIN)
    return None if claim is None else claim[1].decode("ascii")


def _telling_part(data: bytes) -> bytes:
    """Return whole lines from the first one outside ASCII; a longer line is cut."""
    first = _first_outside_ascii(data)
    start = data.rfind(b"\n", 0, first) + 1
    end = start + _SAMPLE_BYTES
    if end >= len(data):
        return data[start:]
    return data[start : data.rfind(b"\n", first, end) + 1 or end]


def _first_outside_ascii(data: bytes) -> int:
    """Return the index of the first byte above 127, which must exist."""
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
    """True if ``line`` is UTF-8; a character cut by the end of the sample is ignored."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(line, final=False)
    except UnicodeDecodeError:
        return False
    return True


def _python_name(name: str) -> str:
    """Return the widest Python codec for a WHATWG or Python encoding name."""
    name = name.lower()
    return _PYTHON_NAMES.get(name, name)


__all__ = [
    "DecodedText",
    "Encoding",
    "LineDecoder",
    "core_name",
    "decode_page",
    "decode_text",
    "named_encoding",
    "refuse_wide",
    "settled_encoding",
    "wide_encoding",
]
