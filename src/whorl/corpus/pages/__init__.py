"""Pages of the web: the article of each, and who published it when.

``extract`` makes a `Page` of bytes, whether they come from a file, an archive or a server; ``joined`` makes one text of
those of the pages of an article.
"""

from __future__ import annotations

from whorl.corpus.pages.addresses import canonical_url
from whorl.corpus.pages.dates import read_date
from whorl.corpus.pages.extraction import extract
from whorl.corpus.pages.further import joined
from whorl.corpus.pages.page import Page
from whorl.corpus.whole import UnreadableError

__all__ = ["Page", "UnreadableError", "canonical_url", "extract", "joined", "read_date"]
