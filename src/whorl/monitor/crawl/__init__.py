"""Crawler process based on Scrapy: it fetches requested addresses and returns the responses.

It makes only decisions required by politeness and safety: robots.txt (`robots`), rate (`pace`), permitted addresses
(`resolver`), and limits of size and time. All state is kept by the caller, so the process may be killed at any time. It
runs in `worker` and exchanges frames of `whorl.corpus.sandbox`.
"""
