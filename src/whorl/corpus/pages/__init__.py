"""Web pages: extract the article of each, with its publisher and date.

``extract`` makes an `ExtractedPage` of bytes from a file, an archive or a server; ``joined`` makes one text of all
pages of an article.
"""

from __future__ import annotations

from whorl.corpus.formats.text.whole_files import UnreadableError
from whorl.corpus.pages.addresses import canonical_url
from whorl.corpus.pages.dates import read_date
from whorl.corpus.pages.extraction import extract
from whorl.corpus.pages.further import joined
from whorl.corpus.pages.page import ExtractedPage

__all__ = ["ExtractedPage", "UnreadableError", "canonical_url", "extract", "joined", "read_date"]
