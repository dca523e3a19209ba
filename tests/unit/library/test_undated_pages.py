"""Pages of archives: the time of a download is a sighting, and no date of publication."""

from __future__ import annotations

from pathlib import Path

import whorl

SENTENCE = "新图书馆今天开馆，藏书十万册。"
PAGE = f"<html><head><title>开馆</title></head><body><p>{SENTENCE * 20}</p></body></html>"


def test_a_page_without_a_date_in_a_warc_file_is_undated(tmp_path: Path) -> None:
    body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{PAGE}".encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-24T00:00:00Z\r\n"
        "WARC-Target-URI: https://paper.example/1\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    (tmp_path / "crawl.warc").write_bytes(head.encode() + body + b"\r\n\r\n")
    with whorl.open(tmp_path / "library") as library:
        whorl.library.add_files(library, tmp_path / "crawl.warc")
        (entry,) = library.documents().items
        assert entry.published_at is None
        assert entry.first_seen_at.isoformat() == "2026-11-24T00:00:00+00:00"
