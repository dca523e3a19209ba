"""Texts of recognized pages, with the place of each line in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace

from whorl._internal.frozen import frozen
from whorl._internal.page_tracking import page_recognized
from whorl.corpus.recognition.engine import (
    MAX_PICTURES,
    RecognizedPage,
    UndecodableError,
    decoded_pictures,
    demand_package,
    recognize,
)
from whorl.types.scans import PageLine

_MIN_PICTURE = 64


@frozen
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


def with_pictures(text: str, label: str, pictures: Sequence[Callable[[], bytes]]) -> RecognizedText:
    """Append the recognized text of its pictures to the text of a document; each picture counts as a page.

    Args:
        text: the text of the document.
        label: the name of the document, for progress.
        pictures: functions that return the bytes of its pictures, in order; at most ``MAX_PICTURES`` are read.

    Raises:
        UsageError: the extra ``ocr`` is not installed.

    Pictures that cannot be decoded have no text, nor do small ones, such as icons.
    """
    if not pictures:
        return RecognizedText(text)
    demand_package(label)
    pages = []
    for number, read in enumerate(pictures[:MAX_PICTURES], start=1):
        page = RecognizedPage()
        with suppress(UndecodableError), closing(decoded_pictures(read())) as decoded:
            picture, _ = next(decoded)
            page = recognize(picture) if min(picture.size) >= _MIN_PICTURE else page
        pages.append(page)
        page_recognized(label, number, min(len(pictures), MAX_PICTURES))
    recognized = _joined(pages)
    before = len(text) + 1 if text and recognized.text else 0
    lines = (replace(line, start=line.start + before, end=line.end + before) for line in recognized.lines)
    return RecognizedText("\n".join(filter(None, (text, recognized.text))), tuple(lines))


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


__all__ = ["RecognizedText", "file_text", "moved", "placed", "with_pictures"]
