"""Scanned pages with planted passages: laws and articles, printed, turned, with noise."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from random import Random
from typing import Any

import numpy as np

from benchmarks.articles import data_folder, load_articles

_STYLE = """@page {{ size: A4; margin: 2cm }} p {{ margin: 0; text-indent: 2em }}
body {{ font: {size}pt "{font}"; columns: {columns}; column-gap: 1cm; text-align: justify; line-height: 1.5 }}"""
_FONTS = {"zh": ("Noto Serif CJK SC", "Noto Sans CJK SC"), "en": ("DejaVu Serif", "DejaVu Sans")}
_SIZES = {1: 12, 2: 10}
_CHARACTERS = {("zh", 1): 800, ("zh", 2): 1200, ("en", 1): 2000, ("en", 2): 2400}
_PASSAGES = 3
_SHARE = 0.12


@dataclass(frozen=True)
class ScannedPage:
    """A page whose passages are matched.

    Attributes:
        kind: what is on it: "laws", "articles, zh" or "articles, en".
        text: what was printed.
        sources: the texts from which its passages were copied.
        passages: for each its source, and start and end in the source and in the text.
        pdf: the scan, a picture in a PDF file.
        look: columns, resolution, angle and noise.
    """

    kind: str
    text: str
    sources: tuple[str, ...]
    passages: tuple[tuple[int, int, int, int, int], ...]
    pdf: bytes
    look: Mapping[str, float]


def scanned_pages(settings: Mapping[str, Any]) -> tuple[list[ScannedPage], str]:
    """Return the pages, and the origin of their texts."""
    random = Random(settings["seed"])
    looks = list(product(settings["columns"], settings["dpi"], settings["angles"], settings["noise"]))
    random.shuffle(looks)
    texts = {"articles, zh": _articles("zh", settings), "articles, en": _articles("en", settings), "laws": _laws()}
    pages = []
    for number in range(settings["pages"]):
        kind = settings["kinds"][number % len(settings["kinds"])]
        columns, dpi, angle, noise = looks[number % len(looks)]
        language = "en" if kind.endswith("en") else "zh"
        room = _CHARACTERS[language, columns]
        filler, *sources = random.sample([text for text in texts[kind] if len(text) > room], 1 + _PASSAGES)
        text, passages = _planted(filler, sources, room, random)
        picture = _printed(text, language, columns, dpi, random)
        look = {"columns": columns, "dpi": dpi, "angle": angle, "noise": noise}
        pdf = _scanned(picture, dpi, angle, noise, number)
        pages.append(ScannedPage(kind, text, tuple(sources), tuple(passages), pdf, look))
    return pages, f"laws-zh, {load_articles('zh', settings['seed']).origin}"


def _laws() -> list[str]:
    """Return a law of each family, which has earlier versions of it."""
    folder = data_folder()
    if folder is None:
        return _articles("zh", {"seed": 1})
    with gzip.open(folder / "families" / "laws-zh.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return list({row["family"] or row["id"]: row["text"] for row in rows}.values())


def _articles(language: Any, settings: Mapping[str, Any]) -> list[str]:
    return list(load_articles(language, settings["seed"]).texts)


def _planted(
    filler: str, sources: Sequence[str], room: int, random: Random
) -> tuple[str, list[tuple[int, int, int, int, int]]]:
    """Plant a passage of each source between parts of another text."""
    length = int(_SHARE * room)
    step = (room - _PASSAGES * length) // (_PASSAGES + 1)
    text, passages = "", []
    for number, source in enumerate(sources):
        text += _lines(filler[number * step : (number + 1) * step])
        start = random.randrange(len(source) - length)
        copied = _lines(source[start : start + length])
        at = source.find(copied.strip("\n"))
        passages.append((number, at, at + len(copied.strip("\n")), len(text), len(text) + len(copied.strip("\n"))))
        text += f"{copied.strip()}\n"
    return text + _lines(filler[_PASSAGES * step : (_PASSAGES + 1) * step]), passages


def _lines(text: str) -> str:
    return f"{text.strip()}\n"


def _printed(text: str, language: str, columns: int, dpi: int, random: Random) -> Any:
    """Return the first page as a picture in gray; the text must fit on it."""
    from pypdfium2 import PdfDocument
    from weasyprint import HTML

    style = _STYLE.format(size=_SIZES[columns], font=random.choice(_FONTS[language]), columns=columns)
    body = "".join(f"<p>{escape(line)}</p>" for line in text.split("\n"))
    document = PdfDocument(HTML(string=f'<html lang="{language}"><style>{style}</style>{body}').write_pdf())
    if len(document) != 1:
        raise ValueError(f"{len(text)} characters take {len(document)} pages")
    return document[0].render(scale=dpi / 72).to_pil().convert("L")


def _scanned(picture: Any, dpi: int, angle: float, noise: float, seed: int) -> bytes:
    """Turn a page, add noise, and save it as a JPEG in a PDF file."""
    from PIL import Image

    turned = picture.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)
    grain = np.random.default_rng(seed).normal(0, noise, (turned.height, turned.width)) if noise else 0
    page = Image.fromarray((np.asarray(turned, np.float64) * 0.9 + grain).clip(0, 255).astype(np.uint8))
    written = io.BytesIO()
    page.save(written, "PDF", resolution=dpi, quality=75)
    return written.getvalue()


def places_in(text: str, recognized: str) -> list[int]:
    """Return for each code point of a recognized text its place in the printed one, and the end of that."""
    from difflib import SequenceMatcher

    printed = [place for place, sign in enumerate(text) if not sign.isspace()]
    read = [place for place, sign in enumerate(recognized) if not sign.isspace()]
    blocks = SequenceMatcher(
        None, "".join(text[place] for place in printed), "".join(recognized[place] for place in read), autojunk=False
    ).get_matching_blocks()
    matched = dict(_pairs(blocks, printed, read))
    places, last = [], 0
    for place in range(len(recognized)):
        last = matched.get(place, last)
        places.append(last)
    return [*places, len(text)]


def _pairs(blocks: Any, printed: Sequence[int], read: Sequence[int]) -> Iterator[tuple[int, int]]:
    for block in blocks:
        for step in range(block.size):
            yield read[block.b + step], printed[block.a + step]


__all__ = ["ScannedPage", "places_in", "scanned_pages"]
