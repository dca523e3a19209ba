"""Compress texts with a checksum; `crates/whorl-core/src/rows/packing` documents the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whorl import _core
from whorl.errors import InputError
from whorl.i18n import say

MOST_CHARACTERS = _core.MOST_CODE_POINTS
"""Maximum length of a text that can be packed."""


def pack_many(texts: Sequence[str]) -> list[bytes]:
    """Compress texts, in their order; about 17 µs per thousand Chinese characters, divided by the number of cores.

    Raises:
        InputError: a text has more than ``MOST_CHARACTERS``.
    """
    longest = max(map(len, texts), default=0)
    if longest > MOST_CHARACTERS:
        problem = say(
            "a text has {longest:,} characters; the maximum is {most:,}",
            longest=longest,
            most=MOST_CHARACTERS,
        )
        raise InputError(problem, hint=say("split it into several documents"))
    return _core.pack_texts(texts)


def unpack_many(packed: Sequence[bytes]) -> list[str]:
    """Decompress texts of ``pack_many``, in their order; about half of its cost.

    Raises:
        InputError: packed bytes are damaged.
    """
    texts = [text for text in readable(packed) if text is not None]
    if len(texts) < len(packed):
        raise _damaged()
    return texts


def unpack_block(packed: Sequence[bytes | None]) -> _core.UnpackedTexts:
    """Decompress texts of ``pack_many`` for a family to fingerprint; half of the cost of ``unpack_many``.

    Args:
        packed: texts as stored; None stands for an empty text.

    Raises:
        InputError: packed bytes are damaged.
    """
    try:
        return _core.UnpackedTexts(packed)
    except ValueError as error:
        raise _damaged() from error


def unpacked(packed: Mapping[int, bytes]) -> dict[int, str]:
    """Decompress texts as a store returns them, by number.

    Raises:
        InputError: packed bytes are damaged.
    """
    return dict(zip(packed, unpack_many(list(packed.values())), strict=True))


def readable(packed: Sequence[bytes]) -> list[str | None]:
    """Decompress texts of ``pack_many``; None for texts whose bytes are damaged."""
    return _core.unpack_texts(packed)


def _damaged() -> InputError:
    hint = say("check for more damage with `whorl library verify`, then restore a backup")
    return InputError(say("a text of the library is damaged"), hint=hint)


__all__ = ["MOST_CHARACTERS", "pack_many", "readable", "unpack_block", "unpack_many", "unpacked"]
