"""Watch an invented site for copies: the newsroom's articles, served on loopback, against its thirty originals.

    python examples/newsroom/watch.py demo/watch

writes a library, its record of fetched pages, and the report of the run into a new folder. It connects to this machine
only, and ends by itself.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import whorl
from whorl.i18n import translated
from whorl.monitor.findings.reasons import VERDICTS
from whorl.results import Finding
from whorl.types.comparison import percent

HERE = Path(__file__).parent
DECIDED = 8


class Quiet(SimpleHTTPRequestHandler):
    """File server without a log."""

    def log_message(self, format: str, *args: object) -> None:
        """Discard the message."""


def write_site(folder: Path) -> None:
    """Write a page for each article, a list of them, and robots.txt, which forbids one page."""
    folder.mkdir(parents=True)
    links = []
    for line in (HERE / "articles.jsonl").read_text(encoding="utf-8").splitlines():
        article = json.loads(line)
        title = escape(article["title"])
        paragraphs = "".join(f"<p>{escape(part)}</p>" for part in article["text"].splitlines())
        page = (
            f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title>'
            f'<meta property="article:published_time" content="{article["date"]}"></head>'
            '<body><nav><a href="index.html">首页</a></nav>'
            f"<article><h1>{title}</h1>{paragraphs}</article></body></html>"
        )
        (folder / f"{article['id']}.html").write_text(page, encoding="utf-8")
        links.append(f'<li><a href="{article["id"]}.html">{title}</a></li>')
    (folder / "index.html").write_text(f"<html><body><ul>{''.join(links)}</ul></body></html>", encoding="utf-8")
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /nr-001.html\n", encoding="utf-8")


def alert(finding: Finding) -> None:
    """Print an alert."""
    verdict = translated(VERDICTS[finding.verdict])
    print(f"{verdict}  {finding.url}  {finding.article}  {percent(finding.share)}")


def main(folder: Path) -> None:
    """Serve the site, watch it once, confirm the worst finding, and write the report."""
    write_site(folder / "site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder / "site"))
    Thread(target=server.serve_forever, daemon=True).start()
    host, port = server.server_address[:2]
    with whorl.open(folder / "library") as library:
        whorl.library.add_files(library, HERE / "originals.jsonl", collection="protected")
        site = {"name": "newsroom", "start": f"http://{host}:{port}/", "rate": 100, "allow_private": True}
        run = whorl.watch.watch(library, {"site": [site]}, on_finding=alert)
        for match in whorl.library.review_queue(library, top=DECIDED).matches:
            library.review(match.id, match.other, "confirmed", by="desk")
    server.shutdown()
    (folder / "report.html").write_text(run.report(), encoding="utf-8")
    tally = run.sites[0].found
    print(f"{run.pages} pages: {tally.copies} copies, {tally.undetermined} undetermined")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
