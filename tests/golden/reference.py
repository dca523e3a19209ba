"""Values of `docs/SPECIFICATION.md`, implemented a second time: plain and slow, with the fold of the core.

Run as a program it prints `vectors.json`; digests need the package `xxhash`.
"""

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from whorl.text import FOLD_VERSION, tokens

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
ABSORB = 0xF1357AEA2E62A9C5
TOKEN_SEED = 0x77686F726C2D3031
BASE = 0xD6E8FEB86659FD93
VALUE_MULTIPLIER = 0xA0761D6478BD642F

FAMILIES = {
    "small": {"shingle": 3, "values": 16, "bands": 4, "rows": 4},
    "default": {"shingle": 5, "values": 128, "bands": 16, "rows": 6},
}
TEXTS = {
    "chinese": "今年春天，江南的茶农比往年早十天开园。",
    "chinese, traditional": "今年春天,江南的茶農比往年早十天開園.",
    "chinese, one character changed": "今年春天，江南的茶农比往年晚十天开园。",
    "english": "The survey found that 42 of the town's 60 bridges need repair.",
    "mixed": "ＧＰＴ-5 模型在 2026年3月 发布，Straße 与 cafe\u0301 都能识别；㎏ 也行。",
    "japanese and thai": "カタカナ ｶﾞｷﾞ、สวัสดี",
    "arabic": "أَعْلَنَتْ وِزارةُ الثقــافة في ٢٠٢٦ أن المكتبة",
    "arabic, plain": "اعلنت وزاره الثقافه في 2026 ان المكتبه",
    "persian": "کتابخانۀ مرکزی شهر در سال ۱۴۰۵",
    "hebrew": "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים",
    "vietnamese": "Ủy ban hòa giải làng Thủy Nguyên",
    "vietnamese, new spelling": "Uỷ ban hoà giải làng Thuỷ Nguyên",
    "korean": "도서관을 건립할 계획이라고 밝혔다",
    "korean, other spaces": "도서관을건립할 계획이라고밝혔다",
    "english in Cyrillic letters": "Тhе оld рареr оf а сосоа рlаnt",
    "beyond the basic plane": "𠮷野家的𠀋字 𝐁𝐨𝐥𝐝 😀 𝟙𝟚",
    "invisible characters": "零\u200b宽\u00ad字\ufe0f符 co\u00adop",
    "lone surrogate": "甲\ud800乙",
    "repeated": "哈哈哈哈哈哈哈哈哈哈",
    "repeated sentence": "山上有座庙，庙里有个和尚讲故事：" * 3,
    "five tokens": "一二三四五",
    "four tokens": "一二三四",
    "one token": "word",
    "empty": "",
    "no features": "。！？ \u200b😀",
    "long": " ".join(f"第{number}条" for number in range(500)),
}
PAIRS = [
    ("chinese", "chinese, traditional"),
    ("chinese", "chinese, one character changed"),
    ("repeated", "repeated sentence"),
    ("five tokens", "four tokens"),
    ("empty", "no features"),
    ("arabic", "arabic, plain"),
    ("vietnamese", "vietnamese, new spelling"),
    ("korean", "korean, other spaces"),
]


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def absorb(state: int, value: int) -> int:
    product = (state ^ value) * ABSORB & MASK
    return product ^ product >> 32


def token_hash(token: str) -> int:
    state = TOKEN_SEED
    for character in token:
        state = absorb(state, ord(character))
    return state


def shingle_hashes(token_hashes: Sequence[int], shingle: int) -> list[int]:
    width = min(shingle, len(token_hashes))
    if width == 0:
        return []
    windows = [token_hashes[first : first + width] for first in range(len(token_hashes) - width + 1)]
    return [mix(polynomial(window) ^ width * GOLDEN & MASK) for window in windows]


def polynomial(window: Sequence[int]) -> int:
    return sum(token * BASE ** (len(window) - 1 - place) for place, token in enumerate(window)) & MASK


def sketch(hashes: Sequence[int], size: int) -> list[int] | None:
    if not hashes:
        return None
    lowest: list[int | None] = [None] * size
    for number in range(2 * size):
        for element in hashes:
            stream = mix(element + number * GOLDEN & MASK) if number else element
            if number < size:
                bin_, value = divmod(stream * size, 2**64)
            else:
                bin_, value = number - size, stream
            candidate = number << 48 | value >> 16
            current = lowest[bin_]
            lowest[bin_] = candidate if current is None else min(current, candidate)
        if None not in lowest:
            break
    return [(value * VALUE_MULTIPLIER & MASK) >> 32 for value in lowest if value is not None]


def band_keys(values: Sequence[int], bands: int, rows: int) -> list[int]:
    keys = []
    for band in range(bands):
        state = mix((band + 1) * GOLDEN & MASK)
        for value in values[band * rows : (band + 1) * rows]:
            state = absorb(state, value)
        keys.append(mix(state))
    return keys


def code(values: Sequence[int]) -> bytes:
    return bytes(low & 15 | (high & 15) << 4 for low, high in zip(values[::2], values[1::2], strict=True))


def overlap(a: str, b: str, shingle: int) -> tuple[int, int]:
    first, second = (set(shingle_hashes([token_hash(token) for token in tokens(text)], shingle)) for text in (a, b))
    return len(first & second), len(first | second)


def digest(token_hashes: Sequence[int]) -> str:
    import xxhash

    return str(xxhash.xxh3_128_hexdigest(b"".join(value.to_bytes(8, "little") for value in token_hashes)))


def fingerprint(text: str, shingle: int, values: int, bands: int, rows: int) -> dict[str, Any]:
    hashes = [token_hash(token) for token in tokens(text)]
    sketched = sketch(shingle_hashes(hashes, shingle), values)
    return {
        "values": sketched,
        "keys": [] if sketched is None else [hexadecimal(key) for key in band_keys(sketched, bands, rows)],
        "code": (bytes(values // 2) if sketched is None else code(sketched)).hex(),
    }


def steps(text: str, shingle: int) -> dict[str, Any]:
    hashes = [token_hash(token) for token in tokens(text)]
    return {
        "tokens": tokens(text),
        "token_hashes": [hexadecimal(value) for value in hashes],
        "shingle_hashes": [hexadecimal(value) for value in shingle_hashes(hashes, shingle)],
    }


def hexadecimal(value: int) -> str:
    return f"{value:016x}"


def vectors() -> dict[str, Any]:
    default = FAMILIES["default"]["shingle"]
    return {
        "fold": FOLD_VERSION,
        "families": FAMILIES,
        "texts": [
            {
                "name": name,
                "text": text,
                "length": sum(map(len, tokens(text))),
                "digest": digest([token_hash(token) for token in tokens(text)]),
                "steps": None if name == "long" else steps(text, default),
                "fingerprints": {family: fingerprint(text, **chosen) for family, chosen in FAMILIES.items()},
            }
            for name, text in TEXTS.items()
        ],
        "overlaps": [
            {"a": a, "b": b, "shingle": shingle, "shared_and_united": overlap(TEXTS[a], TEXTS[b], shingle)}
            for a, b in PAIRS
            for shingle in (1, default)
        ],
    }


def as_json(data: Any) -> str:
    """Readable JSON: one line for each list of numbers, lone surrogates escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda match: "[" + re.sub(r"\n\s+", " ", match[1]) + "]", text)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


if __name__ == "__main__":
    sys.stdout.write(as_json(vectors()))
