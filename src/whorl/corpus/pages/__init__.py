"""Web pages: extract the article of each, with its publisher and date.

``extraction.extract`` makes an ``ExtractedPage`` of bytes from a file, an archive or a server; ``further.joined`` makes
one text of all pages of an article. Nothing is imported here, because the crawler needs few of these modules.
"""
