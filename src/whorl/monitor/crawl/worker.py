"""Main program of the crawler process: questions on standard input, answers on standard output."""

from __future__ import annotations

import gc
import logging
import os
import sys
from pathlib import Path
from typing import Any

from whorl._internal.gc_policy import SELDOM
from whorl._internal.lean_imports import hide_pandas

_GROWTH = 2 * 2**30
_SETTINGS: dict[str, Any] = {
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_MAX_DELAY": 60.0,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 4.0,
    "CONCURRENT_REQUESTS": 64,
    "DEFAULT_REQUEST_HEADERS": {
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.6",
    },
    "DOWNLOADER_MIDDLEWARES_BASE": {
        "whorl.monitor.crawl.robots.Robots": 100,
        "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": 350,
        "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": 400,
        "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": 500,
        "scrapy.downloadermiddlewares.retry.RetryMiddleware": 550,
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": 590,
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": 600,
    },
    "DOWNLOAD_HANDLERS": dict.fromkeys(("data", "file", "ftp", "s3")),
    "DOWNLOAD_MAXSIZE": 16 * 2**20,
    "DOWNLOAD_TIMEOUT": 30,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DOWNLOAD_WARNSIZE": 0,
    "EXTENSIONS_BASE": {"whorl.monitor.crawl.pace.Pace": 0},
    "LOG_ENABLED": False,
    "REDIRECT_MAX_TIMES": 5,
    "REFERER_ENABLED": False,
    "RETRY_EXCEPTIONS": [
        "scrapy.exceptions.DownloadConnectionRefusedError",
        "scrapy.exceptions.DownloadFailedError",
        "scrapy.exceptions.ResponseDataLossError",
    ],
    "TWISTED_DNS_RESOLVER": "whorl.monitor.crawl.resolver.Guard",
}
"""Settings of Scrapy.

Redirects are followed only for robots.txt; those of pages are returned to the caller. The two base settings name all
middlewares and extensions: Scrapy imports those of its defaults even if they are disabled, which took a third of the
start of this process.
"""


def main() -> None:
    """Fetch until the input ends. The arguments are the user agent and the spool folder."""
    hide_pandas()
    gc.set_threshold(*SELDOM)
    from scrapy.crawler import AsyncCrawlerProcess

    from whorl.monitor.crawl.spider import PageSpider

    agent, spool = sys.argv[1:]
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(silence, stream)
    logging.disable(logging.CRITICAL)
    _bound()
    process = AsyncCrawlerProcess({**_SETTINGS, "USER_AGENT": agent}, install_root_handler=False)
    process.crawl(PageSpider, questions=questions, answers=answers, spool=Path(spool))
    process.start()


def _bound() -> None:
    """Limit the memory growth of this process, where supported."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        import resource

        now = int(pages.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + _GROWTH, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
