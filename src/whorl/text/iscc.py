"""Text-Codes of the International Standard Content Code (ISCC), ISO 24138.

Is
    A code of 64 to 256 bits for each text. Similar texts have codes that differ in few bits, and anyone computes the
    same code without whorl.

Cost
    About 35 nanoseconds a character, on all cores.

Source
    ISO 24138:2024. Its reference implementation, iscc-core, has the vectors that whorl is tested with.
"""

from __future__ import annotations

from base64 import b32decode, b32encode
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl.errors import UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = range(64, 257, 32)
"""Supported sizes of a code."""

PREFIX = "ISCC:"
_LONGEST_BYTES = 32
_HEADER_BYTES = 2
_CONTENT_TEXT = 0x20
"""The type of the code in its first four bits, content, and the subtype in the next four, text."""


def text_code(text: str, bits: int = 64) -> str:
    """Return the Text-Code of a text.

    >>> import whorl
    >>> whorl.iscc.text_code("Hello World")
    'ISCC:EAASKDNZNYGUUF5A'

    Args:
        text: plain text without markup.
        bits: size of the code: 64, 96, and so on, up to 256. A shorter code is the beginning of a longer one.

    Raises:
        UsageError: the size is not supported.
    """
    return text_codes([text], bits)[0]


def text_codes(texts: Any, bits: int = 64) -> list[str]:
    """Return the Text-Code of each text; see ``text_code``.

    >>> whorl.iscc.text_codes(["Hello World", "hello, world!"])
    ['ISCC:EAASKDNZNYGUUF5A', 'ISCC:EAASKDNZNYGUUF5A']

    Args:
        texts: an iterable of str, or an Arrow string array.
        bits: size of the codes.

    Raises:
        UsageError: the size is not supported.
    """
    demand_bits(bits)
    header = bytes([_CONTENT_TEXT, bits // 32 - 1])
    bodies = np.frombuffer(memoryview(_core.text_codes(texts)), np.uint8).reshape(-1, _LONGEST_BYTES)
    return [PREFIX + b32encode(header + body[: bits // 8].tobytes()).decode().rstrip("=") for body in bodies]


def code_bytes(codes: Iterable[str]) -> NDArray[np.uint8]:
    """Return the bits of Text-Codes, a row of bytes each, for a ``HammingIndex``.

    >>> codes = whorl.iscc.text_codes(["Hello World", "Hello Word"], bits=256)
    >>> index = whorl.indexes.HammingIndex(bits=256, k=63)
    >>> index.add(whorl.iscc.code_bytes(codes))
    >>> index.query_many(whorl.iscc.code_bytes(codes[:1])).id.tolist()
    [0]

    Args:
        codes: Text-Codes of the same size, with or without the prefix "ISCC:".

    Raises:
        UsageError: a string is no Text-Code, or the sizes differ.
    """
    bodies = [_body(code) for code in codes]
    if len({len(body) for body in bodies}) > 1:
        raise UsageError(say("the codes have different sizes"), hint=say("compute all of them with the same bits"))
    return np.frombuffer(b"".join(bodies), np.uint8).reshape(len(bodies), -1 if bodies else 0)


def distance(a: str, b: str) -> int:
    """Return in how many bits two Text-Codes differ; of codes of different sizes, the common beginning is compared.

    >>> whorl.iscc.distance("ISCC:EAASKDNZNYGUUF5A", "ISCC:EAASL4F2WZY7KBXB")
    35

    Raises:
        UsageError: a string is no Text-Code.
    """
    return sum((x ^ y).bit_count() for x, y in zip(_body(a), _body(b), strict=False))


def demand_bits(bits: int) -> None:
    """Refuse an unsupported size of a code.

    Raises:
        UsageError: it is not in ``BITS``.
    """
    if type(bits) is not int or bits not in BITS:
        raise UsageError(
            say("an ISCC has 64 to 256 bits, a multiple of 32, not {bits!r}", bits=bits),
            hint=say("use 64, or 256 to search by distance"),
        )


def _body(code: str) -> bytes:
    """Return the bits of a code without its header."""
    letters = code.removeprefix(PREFIX)
    try:
        decoded = b32decode(letters + "=" * (-len(letters) % 8))
    except ValueError as error:
        raise _no_text_code(code) from error
    header, body = decoded[:_HEADER_BYTES], decoded[_HEADER_BYTES:]
    if len(body) * 8 not in BITS or header != bytes([_CONTENT_TEXT, len(body) // 4 - 1]):
        raise _no_text_code(code)
    return body


def _no_text_code(code: str) -> UsageError:
    return UsageError(
        say("{code!r:.90} is not a Text-Code of ISO 24138", code=code), hint=say("a Text-Code begins with ISCC:EA")
    )


__all__ = ["BITS", "code_bytes", "demand_bits", "distance", "text_code", "text_codes"]
