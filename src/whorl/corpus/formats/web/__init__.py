"""HTML pages, and formats that consist of pages: EPUB, MHTML and WARC."""
