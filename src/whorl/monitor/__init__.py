"""Watching: what appears elsewhere, and who is told of it.

`sites` says what is watched; `crawl` fetches in a process of its own, which `fetcher` asks; `frontier` remembers what
was fetched; `pages` makes documents, `judging` reads off what their matches mean, and `run` is one run of it all, which
`watching` begins and `figures` counts. Of `addresses` all ask who connect. `alerts` are what others are told.
"""
