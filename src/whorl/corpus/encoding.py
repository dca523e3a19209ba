"""Find out how text files are encoded, and decode them strictly.

A byte order mark decides, then UTF-16 that can be told by its null bytes. UTF-8 comes next and wins while at least half
of the lines that could tell are valid UTF-8: a few broken lines do not turn a file into GBK. Otherwise the core weighs
what the bytes would say in each encoding, and the first likely one that decodes them is taken: a guess.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from whorl import _core
from whorl.corpus.contract import GUESSED_ENCODING, Span
from whorl.errors import InputError, UsageError
from whorl.language import say

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


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a file.

    Attributes:
        codec: as Python knows it.
        guessed: whether nothing but the likeness of the text speaks for it.
    """

    codec: str
    guessed: bool = False

    @property
    def notices(self) -> dict[str, str]:
        """What a run says of a file that was read in it."""
        return {GUESSED_ENCODING: self.codec} if self.guessed else {}

    @property
    def fault(self) -> str:
        """What is wrong with a file that was not read in it, and the cure where another encoding may be."""
        codec = self.codec.upper()
        if self.guessed:
            return say("not valid {codec} text, and that is a guess: name its encoding with --encoding", codec=codec)
        return say("not valid {codec} text", codec=codec)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, and its encoding."""

    text: str
    encoding: Encoding


UTF_8 = Encoding("utf-8")


class LineDecoder:
    """Decode the lines of one file. The first block that is not all ASCII decides the encoding, if none was named.

    Args:
        encoding: the one that was named.
        span: of a file that is read in stretches, this one, whose file has decided already.
    """

    def __init__(self, encoding: str | None, span: Span | None = None) -> None:
        self._encoding = None if encoding is None else Encoding(named_encoding(encoding))
        if self._encoding is not None and self._encoding.codec.startswith(_WIDE_ENCODINGS):
            raise UsageError(
                say("rows cannot be told apart in the encoding {encoding}", encoding=encoding),
                cure=say("save the file as UTF-8"),
            )
        if span is not None and span.encoding is not None:
            self._encoding = Encoding(span.encoding, span.guessed)

    @property
    def encoding(self) -> Encoding:
        """The encoding in force; UTF-8 as long as nothing told otherwise."""
        return self._encoding or UTF_8

    @property
    def settled(self) -> Encoding | None:
        """The encoding that was named or found; None as long as nothing told."""
        return self._encoding

    def look_at(self, block: bytes) -> None:
        """Learn from a block of whole lines; to be called before its lines are decoded."""
        if self._encoding is None and not block.isascii():
            found = _fitting(block)
            # Lines cannot be cut out of UTF-16, so it is no guess at one.
            self._encoding = UTF_8 if found.codec.startswith(_WIDE_ENCODINGS) else found

    def decode(self, line: bytes) -> str:
        """Decode strictly; raises UnicodeDecodeError."""
        return line.decode(self.encoding.codec)


def named_encoding(name: str) -> str:
    """The codec for an encoding that a user named; raises UsageError when there is none."""
    try:
        "a".encode(name)
        b"a".decode(name, "replace")
        return _python_name(codecs.lookup(name).name.removesuffix("-sig"))
    except (LookupError, UnicodeError):
        raise UsageError(
            say("no encoding is called {name!r}", name=name), cure=say("use for example utf-8, gb18030 or big5")
        ) from None


def core_name(encoding: str) -> str:
    """What the core calls a Python codec.

    Raises:
        UsageError: the core cannot decode it.
    """
    name = _CORE_NAMES.get(encoding, encoding)
    if not _core.is_encoding(name):
        raise UsageError(
            say("JSON Lines cannot be read as {encoding!r}", encoding=encoding),
            cure=say("convert the file to UTF-8 first"),
        )
    return name


def refuse_wide(data: bytes, label: str, named: str | None) -> None:
    """Raise InputError when ``data``, the start of a file of lines, is UTF-16 or UTF-32.

    Where an encoding was named, only a byte order mark gainsays it.
    """
    wide = _wide(data[: len(data) & ~1]) if named is None else _marked(data)
    if wide is not None and wide.codec.startswith(_WIDE_ENCODINGS):
        name = wide.codec.upper()
        raise InputError(
            say("{label} is {name}, in which rows cannot be told apart", label=label, name=name),
            cure=say("save it as UTF-8"),
        )


def wide_encoding(data: bytes, named: str | None) -> tuple[str, bytes, Encoding] | None:
    """Return whether the start of a file is UTF-16 or UTF-32: its codec with the byte order, its mark and its encoding.

    Where an encoding was named, only a byte order mark gainsays it.
    """
    for mark, codec in _WIDE_MARKS:
        if data.startswith(mark):
            return codec, mark, Encoding(codec)
    if named is not None:
        codec = named_encoding(named)
        if codec.startswith(_WIDE_ENCODINGS):
            return f"{codec}-le" if codec in _WIDE_ENCODINGS else codec, b"", Encoding(codec)
        return None
    found = _wide(data[: len(data) & ~1])
    return None if found is None else (found.codec, b"", found)


def settled_encoding(data: bytes, named: str | None) -> Encoding:
    """Return the encoding of a file of JSON by its start, whose last characters may be cut."""
    if named is not None:
        return Encoding(named_encoding(named))
    # A quotation mark is no part of a character in any encoding, so nothing is cut in two before one.
    return _fitting(data[: data.rfind(b'"') + 1] or data)


def decode_text(data: bytes, named: str | None) -> Decoded:
    """Decode a text file strictly, by ``named`` unless a byte order mark says otherwise.

    Null bytes are text in UTF-8 and where an encoding was named; else they tell binary data.

    Raises:
        ValueError: the bytes are no text; it says why, and the cure where the encoding was a guess.

    Cost: that of decoding; in other encodings than UTF-8 twice that, and 1 to 5 ms.
    """
    known = _marked(data) or (None if named is None else Encoding(named_encoding(named)))
    encoding = known or _wide(data) or _utf_8(data)
    is_binary = b"\0" in data and not (encoding or UTF_8).codec.startswith(_WIDE_ENCODINGS)
    if encoding is None and is_binary:
        raise ValueError(say("binary data, not text"))
    encoding = encoding or _fitting(data)
    text = _decode_most(data, encoding.codec, 0.0)
    if text is None:
        raise ValueError(say("binary data, not text") if is_binary else encoding.fault)
    return Decoded(text, encoding)


def decode_page(data: bytes, named: str | None, content_type: str = "") -> Decoded:
    """Decode an HTML page, by ``named`` if it is given, unless a byte order mark says otherwise.

    Else it is UTF-8 if that fits, then what the server claims (``content_type``), then what the page does, each if it
    is likely and fits, then UTF-8 with a few broken bytes, then what the bytes look like. Broken bytes become U+FFFD,
    as in a browser.

    Raises:
        ValueError: the bytes are no text, or more than a few of them are broken; it says which, and the cure where the
            encoding was a guess.
    """
    known = _marked(data) or (None if named is None else Encoding(named_encoding(named))) or _wide(data)
    claims = [claim for part in (content_type.encode("utf-8", "replace"), data) if (claim := _claimed(part))]
    guesses = _guesses_at_page(data, claims) if known is None else iter(((known, _FEW_BROKEN),))
    for encoding, most_broken in guesses:
        text = _decode_most(data, encoding.codec, most_broken)
        if text is not None:
            return Decoded(text, encoding)
        if b"\0" in data and not encoding.codec.startswith(_WIDE_ENCODINGS):
            raise ValueError(say("binary data, not text"))
    raise ValueError(encoding.fault)


def _guesses_at_page(data: bytes, claims: list[str]) -> Iterator[tuple[Encoding, float]]:
    """The encodings that a page may be in, and the share of broken characters that each allows."""
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
    """The encoding that the byte order mark at the start of ``data`` announces."""
    return next((Encoding(codec) for mark, codec in _MARKS if data.startswith(mark)), None)


def _wide(data: bytes) -> Encoding | None:
    """UTF-16 or UTF-32, by a byte order mark or, where there are null bytes, as the core sees it."""
    marked = _marked(data)
    if marked is not None:
        return marked if marked.codec.startswith(_WIDE_ENCODINGS) else None
    name = _core.wide_encoding(data) if b"\0" in data else None
    return None if name is None else Encoding(_python_name(name), guessed=True)


def _utf_8(data: bytes) -> Encoding | None:
    """UTF-8, unless most lines that tell are not."""
    return UTF_8 if data.isascii() or _is_mostly_utf8(_telling_part(data)) else None


def _fitting(data: bytes) -> Encoding:
    """The encoding of ``data``, some whole lines of a file or all of it: UTF-8, or the first likely one that fits.

    If none does, the likeliest: a few broken lines do not make GBK into Latin letters.
    """
    known = _utf_8(data)
    likely = [known] if known else _likely(data, None)
    decoding = (encoding for encoding in likely if _decode_most(data, encoding.codec, 0.0) is not None)
    return likely[0] if len(likely) == 1 else next(decoding, likely[0])


def _likely(data: bytes, claimed: str | None) -> list[Encoding]:
    """The likely encodings, best first; what is claimed and likely is no guess."""
    found = _core.likely_encodings(data, claimed)
    return [Encoding(_python_name(name), guessed=not is_claimed) for name, is_claimed in found]


def _decode_most(data: bytes, codec: str, most_broken: float) -> str | None:
    """Decode all but ``most_broken`` of the characters outside ASCII; None if more are broken."""
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
    """The label that an HTML page names at its beginning."""
    claim = _CLAIM.search(data, 0, _CLAIM_WITHIN)
    return None if claim is None else claim[1].decode("ascii")


def _telling_part(data: bytes) -> bytes:
    """Whole lines from the first one outside ASCII on; a longer line is cut."""
    first = _first_outside_ascii(data)
    start = data.rfind(b"\n", 0, first) + 1
    end = start + _SAMPLE_BYTES
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
    "Decoded",
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
