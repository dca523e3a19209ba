"""Refuse documents with too little readable text: the frame of a scan, a form or an attachment.

The text of such documents is equal although they differ, so a deduplication would remove one as an exact copy of the
other. They are rejected; the reason names their content and how to make it readable.
"""

from __future__ import annotations

from whorl.corpus.formats.office.hidden_text import count_characters
from whorl.corpus.formats.text.whole_files import UnreadableError
from whorl.i18n import Message, say

STAMP_CHARACTERS = 40
"""Per large picture, text up to this length is a scanner stamp or a caption, and not the text of the page."""

RECOGNIZE = say("recognize it with `ocr`, which needs the extra 'ocr'")
"""Hint for formats whose pictures can be recognized."""

_RUN_OCR = say("run OCR first")
_CAPTION_CHARACTERS = 10
"""Text up to this length is the name of a picture or an attachment, whatever their number."""


def demand_text(
    text: str,
    *,
    hidden: int = 0,
    contents: int = 0,
    pictures: int = 0,
    large_pictures: int = 0,
    objects: int = 0,
    has_margins: bool = False,
    hint: Message = _RUN_OCR,
) -> None:
    """Refuse a document with too little text.

    Args:
        text: the extracted text.
        hidden: number of characters hidden by formatting.
        contents: number of characters in tables of contents.
        pictures: number of pictures.
        large_pictures: number of pictures that fill at least half a page.
        objects: number of objects of other programs.
        has_margins: whether it has headers, footers or comments.
        hint: how to read its pictures.

    Raises:
        UnreadableError: with the reason.
    """
    size = count_characters(text)
    if large_pictures and size <= STAMP_CHARACTERS * large_pictures:
        raise UnreadableError(
            say(
                "the document consists of page images ({count}) with hardly any text: {hint}",
                count=large_pictures,
                hint=hint,
            )
        )
    if not size and hidden:
        raise UnreadableError(
            say("all text of the document is hidden: remove the formatting that hides it, and save it again")
        )
    if objects and size <= _CAPTION_CHARACTERS:
        raise UnreadableError(
            say("the document contains only embedded objects: save them as files, or export the document as PDF")
        )
    if pictures and size <= _CAPTION_CHARACTERS:
        raise UnreadableError(say("the document contains only pictures: if they show text, {hint}", hint=hint))
    if size:
        return
    if contents:
        raise UnreadableError(say("the document contains only a table of contents: save it again with its chapters"))
    if has_margins:
        raise UnreadableError(say("the document has text only in headers, footers or comments: save that as text"))
    raise UnreadableError(say("the document is empty: check that it is the right file"))


__all__ = ["RECOGNIZE", "STAMP_CHARACTERS", "demand_text"]
