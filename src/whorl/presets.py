"""Presets: methods with parameters for a purpose, chosen by name like a method."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "baidu1": {"method": "longest_sentence", "parameters": {"sentences": 1}},
        "baidu3": {"method": "longest_sentence", "parameters": {"sentences": 3}},
        "nshash": {"method": "longest_sentence", "parameters": {"sentences": 5, "min_length": 31}},
        # Finds nearly all kinds of copies in both languages with one threshold: half of the 6-grams survive typing
        # errors, synonyms and homophones; an article that is half copied has half of them; agency boilerplate stays
        # below. The keys are dense enough for a run of forty characters with one error, and are based on pinyin: of 60
        # articles with a quarter of their characters replaced by homophones, all are found instead of 19.
        "news": {
            "method": "winnowing",
            "threshold": 0.45,
            "parameters": {"k": 16, "window": 6, "hits": 2, "fold": "pinyin"},
        },
        # A library keeps all keys permanently, so there are fewer than for `news` except in Chinese. One common key is
        # a run of 25 letters or 11 Han characters; for long texts a library requires three. Of 60 quotations of 20 Han
        # characters, 59 share a key, and so do short texts with every third phrase reworded. Longer k-grams of Han
        # characters cost less (15 in windows of 6: half the comparisons) but miss reworded texts.
        "library": {
            "method": "winnowing",
            "threshold": 0.45,
            "parameters": {"k": 16, "window": 10, "hits": 1, "fold": "pinyin", "dense_k": 7, "dense_window": 5},
        },
        # Pages with different frames around the same text; four keys ignore a notice that many pages share.
        "web": {"method": "winnowing", "threshold": 0.7, "parameters": {"hits": 4}},
        # Retyped chapters with homophone errors.
        "novel": {"method": "pinyin", "parameters": {"overlap": 0.9, "hits": 3}},
        # The usual choice for training corpora of language models: nearly identical whole texts.
        "corpus": {"method": "minhash", "threshold": 0.75, "parameters": {"target_recall": 0.995}},
        "short": {
            "method": "simhash",
            "parameters": {
                "features": "words",
                "tags": ("n", "v"),
                "weights": "tf",
                "title": 3,
                "opening": 2,
                "least_features": 4,
                # Of lightly edited pairs (2% of 140 characters) within the limit, 0.94 share a key, compared to 0.68
                # at distance 3; of unrelated pairs 0.005, compared to 0.03 at distance 7.
                "distance": 5,
                "limits": ((140, 10), (500, 7)),
            },
        },
        "yanyiwu": {
            "method": "simhash",
            "parameters": {
                "features": "words",
                "top": 5,
                "numbers": True,
                "hash": "jenkins",
                "least_features": 1,
                "limits": (),
            },
        },
    }
)
"""Presets by name, each with some fields of a recipe."""


__all__ = ["PRESETS"]
