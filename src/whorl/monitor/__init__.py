"""Watching sites: pages are fetched politely, kept in a library, and held against the articles that are protected.

`sites` says what is watched; `crawl` fetches in a process of its own, which `fetcher` asks; `frontier` remembers what
was fetched; `pages` makes documents, `judging` reads off what their matches mean, and `run` is one run of it all.
"""
