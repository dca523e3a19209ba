"""Texts as bytes, small and with a checksum; `crates/whorl-core/src/rows/packing` tells what the bytes are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whorl import _core
from whorl.errors import InputError
from whorl.language import say

MOST_CHARACTERS = _core.MOST_CODE_POINTS
"""Of a text that can be packed."""


def pack_many(texts: Sequence[str]) -> list[bytes]:
    """Return texts as bytes, in their order; about 17 µs for a thousand Chinese characters, divided by the cores.

    Raises:
        InputError: a text has more than ``MOST_CHARACTERS``.
    """
    longest = max(map(len, texts), default=0)
    if longest > MOST_CHARACTERS:
        problem = say(
            "a text has {longest:,} characters, and a library takes {most:,}",
            longest=longest,
            most=MOST_CHARACTERS,
        )
        raise InputError(problem, cure=say("divide it into several documents"))
    return _core.pack_texts(texts)


def unpack_many(packed: Sequence[bytes]) -> list[str]:
    """Return the texts that ``pack_many`` was given, in their order; about half of its cost.

    Raises:
        InputError: the bytes of one are damaged.
    """
    texts = [text for text in readable(packed) if text is not None]
    if len(texts) < len(packed):
        raise _damaged()
    return texts


def unpack_block(packed: Sequence[bytes | None]) -> _core.UnpackedTexts:
    """Return the texts that ``pack_many`` was given, for a family to fingerprint; half of the cost of ``unpack_many``.

    Args:
        packed: the texts as they are kept; None is an empty one.

    Raises:
        InputError: the bytes of one are damaged.
    """
    try:
        return _core.UnpackedTexts(packed)
    except ValueError as error:
        raise _damaged() from error


def unpacked(packed: Mapping[int, bytes]) -> dict[int, str]:
    """Return texts as a store gives them, by a number, as strings.

    Raises:
        InputError: the bytes of one are damaged.
    """
    return dict(zip(packed, unpack_many(list(packed.values())), strict=True))


def readable(packed: Sequence[bytes]) -> list[str | None]:
    """Return the texts that ``pack_many`` was given, in their order; None for one whose bytes are damaged."""
    return _core.unpack_texts(packed)


def _damaged() -> InputError:
    cure = say("see what else is damaged: `whorl library verify`; then restore a backup")
    return InputError(say("a text of the library is damaged"), cure=cure)


__all__ = ["MOST_CHARACTERS", "pack_many", "readable", "unpack_block", "unpack_many", "unpacked"]
