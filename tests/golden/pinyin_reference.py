"""Keys of the family `pinyin`, implemented a second time: plain and slow, with the fold and readings of the core.

Run as a program it prints `pinyin.json`.
"""

import runpy
import sys
from collections.abc import Sequence
from math import comb, floor, sqrt
from pathlib import Path
from typing import Any

from whorl.fingerprints.pinyin import ALPHABET, REFERENCE
from whorl.text import tokens
from whorl.text.pinyin import PINYIN_VERSION, pinyin_fold

SHARED = runpy.run_path(str(Path(__file__).parent / "reference.py"))
mix, absorb, as_json = SHARED["mix"], SHARED["absorb"], SHARED["as_json"]
MASK, GOLDEN = SHARED["MASK"], SHARED["GOLDEN"]
WHOLE_SEED = 0x77686F726C2D7079
SYLLABLE, RUN = 1 << 63, 1 << 62

RULES: dict[str, dict[str, Any]] = {
    "default": {},
    "large": {"granule": 100},
    "small": {"granule": 8, "hits": 1},
    "decimal": {"granule": 20, "overlap": 0.75, "bins": 10, "hits": 3},
    "minmax": {"granule": 16, "bins": 4, "normalisation": "minmax"},
    "quantile": {"granule": 16, "bins": 8, "overlap": 0.0, "normalisation": "quantile"},
    "all": {"granule": 8, "bins": 4, "others": "keep"},
}
DEFAULTS = {"granule": 50, "overlap": 0.5, "bins": 2, "hits": 2, "normalisation": "zscore", "others": "drop"}
TEXTS = {
    "empty": "",
    "no features": "。！？ \u200b😀",
    "one character": "天",
    "short": "今年春天，江南的茶农比往年早十天开园。",
    "short, homophones": "今年春天，江南的查农比往年早十天开园。",
    "english": "The survey found that 42 of the town's 60 bridges need repair.",
    "mixed": "ＧＰＴ-5 模型在 2026年3月 发布，カタカナ、สวัสดี，Straße 与 cafe\u0301 都能识别；𠮷野家。",
    "repeated": "山上有座庙，庙里有个和尚讲故事：" * 20,
    "lone surrogate": "甲\ud800乙",
    "long": "".join(chr(0x4E00 + number * number * 7 % 5000) for number in range(400)),
}


def parts(text: str) -> list[tuple[str, str]]:
    """Each token with its syllable, empty if it has none."""
    spoken = pinyin_fold(text).split(" ")
    return [(token, part if part != token else "") for token, part in zip(tokens(text), spoken, strict=False)]


def letters(text: str, others: str) -> str:
    result = ""
    for token, syllable in parts(text):
        if syllable:
            result += syllable[0]
        elif others == "keep":
            result += token
    return result


def granules(places: str, granule: int, step: int) -> list[str]:
    last = len(places) - granule
    return [] if last < 0 else [places[start : start + granule] for start in [*range(0, last, step), last]]


def positions(window: str, bins: int, normalisation: str) -> list[float]:
    size, counts = len(window), [window.count(letter) for letter in ALPHABET]
    if normalisation == "zscore":
        return [(z(count, size, share) + 2.5) / 5 * bins for count, share in zip(counts, REFERENCE, strict=True)]
    if normalisation == "quantile":
        return [bins * quantile(count, size, share) for count, share in zip(counts, REFERENCE, strict=True)]
    differences = [count / size - share for count, share in zip(counts, REFERENCE, strict=True)]
    low, high = min(differences), max(differences)
    return [(difference - low) / (high - low) * bins for difference in differences]


def z(count: int, size: int, share: float) -> float:
    return (count / size - share) / sqrt(share * (1 - share) / size)


def quantile(count: int, size: int, share: float) -> float:
    chance = [comb(size, k) * share**k * (1 - share) ** (size - k) for k in range(count + 1)]
    return sum(chance[:-1]) + chance[-1] / 2


def digits(window: str, bins: int, normalisation: str) -> list[int]:
    return [min(max(floor(position), 0), bins - 1) for position in positions(window, bins, normalisation)]


def granule_key(values: Sequence[int], granule: int, bins: int) -> int:
    number = 0
    for value in values:
        number = number * bins + value
    state = mix((bins | granule << 8) * GOLDEN & MASK)
    return int(mix(absorb(absorb(state, number & MASK), number >> 64)))


def whole_keys(text: str, hits: int) -> list[int]:
    state = WHOLE_SEED
    for token, syllable in parts(text):
        if syllable:
            state = absorb(state, SYLLABLE | int.from_bytes(syllable.encode(), "big"))
            continue
        single = len(token) == 1 and not token.isascii()
        for place, character in enumerate(token):
            state = absorb(state, ord(character) | (RUN if place == 0 and not single else 0))
    return sorted(int(mix(state ^ slot * GOLDEN & MASK)) for slot in range(1, hits + 1)) if tokens(text) else []


def keys(text: str, **parameters: Any) -> list[int]:
    rule = DEFAULTS | parameters
    step = max(1, round(rule["granule"] * (1 - rule["overlap"])))
    windows = granules(letters(text, rule["others"]), rule["granule"], step)
    values_of = (digits(window, rule["bins"], rule["normalisation"]) for window in windows)
    result = {granule_key(values, rule["granule"], rule["bins"]) for values in values_of}
    return sorted(result) if len(result) >= rule["hits"] else whole_keys(text, rule["hits"])


def vectors() -> dict[str, Any]:
    return {
        "pinyin": PINYIN_VERSION,
        "rules": RULES,
        "texts": [
            {
                "name": name,
                "text": text,
                "pinyin": pinyin_fold(text) if len(text) < 100 else None,
                "keys": {rule: [f"{key:016x}" for key in keys(text, **RULES[rule])] for rule in RULES},
            }
            for name, text in TEXTS.items()
        ],
    }


if __name__ == "__main__":
    sys.stdout.write(as_json(vectors()))
