"""Texts of recognized pages, with the place of each line in the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from whorl._internal.page_tracking import page_recognized
from whorl.corpus.recognition.engine import (
    RecognizedPage,
    UndecodableError,
    decoded_pictures,
    demand_package,
    recognize,
)
from whorl.types.scans import PageLine


@dataclass(frozen=True, slots=True)
class RecognizedText:
    """A text and the places of its recognized lines."""

    text: str
    lines: tuple[PageLine, ...] = ()


def file_text(label: str, data: bytes) -> RecognizedText:
    """Recognize a picture file, each frame of which counts as a page.

    Args:
        label: the name of the file, for progress.
        data: its bytes.

    Raises:
        UsageError: the extra ``ocr`` is not installed.
        UndecodableError: it is damaged or too large.
    """
    demand_package(label)
    pages = []
    for picture, count in decoded_pictures(data):
        pages.append(recognize(picture))
        page_recognized(label, len(pages), count)
    return _joined(pages)


def embedded_text(label: str, pictures: Sequence[bytes]) -> RecognizedText:
    """Recognize the pictures of a document, each of which counts as a page; those that cannot be decoded have no text.

    Args:
        label: the name of the document, for progress.
        pictures: the bytes of its pictures, in order.

    Raises:
        UsageError: the extra ``ocr`` is not installed.
    """
    demand_package(label)
    pages = []
    for number, data in enumerate(pictures, start=1):
        page = RecognizedPage()
        with suppress(UndecodableError), closing(decoded_pictures(data)) as decoded:
            page = recognize(next(decoded)[0])
        pages.append(page)
        page_recognized(label, number, len(pictures))
    return _joined(pages)


def _joined(pages: Sequence[RecognizedPage]) -> RecognizedText:
    texts = [page.text for page in pages]
    return RecognizedText("\n".join(filter(None, texts)), placed(texts, dict(enumerate(pages))))


def placed(texts: Sequence[str], pages: Mapping[int, RecognizedPage]) -> tuple[PageLine, ...]:
    """Return the places of recognized lines in the texts of pages, which are joined by line feeds; empty ones are not.

    Args:
        texts: the text of each page, from which whole lines may have been removed.
        pages: the recognized pages by their index in ``texts``.
    """
    lines: list[PageLine] = []
    offset = 0
    for number, text in enumerate(texts):
        if number in pages:
            lines += _placed(text, offset, number + 1, pages[number])
        offset += len(text) + 1 if text else 0
    return tuple(lines)


def _placed(text: str, offset: int, page: int, recognized: RecognizedPage) -> Iterable[PageLine]:
    place = 0
    remaining = text.split("\n") if text else []
    for line, box in zip(recognized.lines, recognized.boxes, strict=True):
        if remaining and remaining[0] == line:
            yield PageLine(offset + place, offset + place + len(line), page, box)
            place += len(remaining.pop(0)) + 1


def moved(lines: Sequence[PageLine], before: str, after: str) -> tuple[PageLine, ...]:
    """Return the places of lines in a text from which characters were removed.

    Args:
        lines: the places in ``before``.
        before: the text.
        after: the same text without some characters; others may have been replaced one by one.
    """
    if before == after or not lines:
        return tuple(lines)
    places = [0]
    place = 0
    for sign in before:
        place += place < len(after) and after[place] == sign
        places.append(place)
    return tuple(PageLine(places[line.start], places[line.end], line.page, line.box) for line in lines)


__all__ = ["RecognizedText", "embedded_text", "file_text", "moved", "placed"]
