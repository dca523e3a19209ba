"""Documents of other formats that a Word document embeds as its text (``w:altChunk``) [ECMA-376-1, 17.17.2].

Content management systems and converters from HTML write documents whose body is a single such part. Its content
decides its format, not its name. If it cannot be read, the document is unreadable, since its text is missing.
"""

from __future__ import annotations

import re

from whorl.corpus.encoding import decode_text
from whorl.corpus.formats.office.rtf import text_of as text_of_rtf
from whorl.corpus.formats.text.whole_files import UnreadableError
from whorl.corpus.formats.web.mhtml import page_of
from whorl.corpus.formats.web.visible_text import ShownPage, shown_page
from whorl.i18n import say
from whorl.release import DISTRIBUTION

_RTF = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\\rtf")
_MESSAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:From:|MIME-Version:|Content-Type:|Subject:|Date:)", re.IGNORECASE)
_TAG = re.compile(
    rb"<(?:!doctype|html|head|body|div|p|table|h[1-6]|span|meta|br|ul|ol|section|article)\b", re.IGNORECASE
)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml", re.IGNORECASE)
_HEAD_BYTES = 4096


def text_of(data: bytes, content_type: str) -> ShownPage:
    """Return the visible text of an embedded page, web archive, RTF document or plain text; it may be empty.

    Args:
        data: the part. Word documents are not accepted here.
        content_type: its content type in the package.

    Raises:
        UnreadableError: it is none of these formats, or damaged.
    """
    head = data[:_HEAD_BYTES]
    if not data.strip():
        return ShownPage("")
    if _RTF.match(head):
        return text_of_rtf(data)
    if _MESSAGE.match(head):
        return _visible_page(page_of(data))
    if _TAG.search(head.replace(b"\0", b"")) or "html" in content_type:
        return _visible_page(data)
    if (
        head.startswith(b"PK")
        or _XML.match(head)
        or (b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")))
    ):
        raise UnreadableError(say("its format is unknown: save the document again as .docx"))
    try:
        return ShownPage(decode_text(data, None).text)
    except ValueError as error:
        raise UnreadableError(say("the file is {reason}", reason=error)) from None


def _visible_page(page: bytes) -> ShownPage:
    try:
        import lxml.html  # noqa: F401
    except ImportError:
        hint = f"pip install '{DISTRIBUTION}[html]'"
        raise UnreadableError(say("it is a web page, which needs a package: {hint}", hint=hint)) from None
    return shown_page(page)


__all__ = ["text_of"]
