"""Monitoring of web sites for copies of protected articles, and alerts.

`settings` is what is watched; `fetcher` controls the process that crawls (`crawl`); `frontier` stores the crawl state;
`pages` extracts documents, and `run` executes one run, which `watching` starts. `findings` classifies and summarizes
matches. All outgoing connections are checked by `addresses`. `alerts` notifies people.

**Crawl state.** Scrapy can store its queue, but only when a crawl ends normally, and a process may be killed. So
Scrapy runs in a separate process that only fetches, and `frontier` stores the state of every page in SQLite. A page
stays queued until the library has stored its document, snapshot and matches. Unfinished pages are requested again, and
adding a document twice has no effect.

**Redirects** are returned as answers and queued like links, so the scope of the site, robots.txt and the check of
addresses apply to their targets too.

**Articles on several pages** are built from snapshots once no known page is missing. Adding the first page
immediately would report half an article and later a revision; appending pages would depend on the order in which they
arrive.
"""
