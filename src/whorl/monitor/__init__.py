"""Monitoring of web sites for copies of protected articles, and alerts.

`sites` reads the settings; `fetcher` controls the process that crawls (`crawl`); `frontier` stores the crawl state;
`pages` extracts documents, `judging` classifies their matches, and `run` executes one run, which `watching` starts and
`figures` summarizes. All outgoing connections are checked by `addresses`. `alerts` notifies people.
"""
