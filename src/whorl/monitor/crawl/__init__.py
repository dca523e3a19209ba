"""The process that fetches pages, by Scrapy: asked for one address after the other, it answers with what came.

It decides nothing but what politeness and safety demand: robots.txt (`robots`), how fast (`pace`), to which addresses
of the network it connects (`resolver`), and how much and how long it reads. What it was asked and where that leads is
remembered by whoever asks, so it may be ended at any time. It runs in `worker`, and speaks the frames of
`whorl.corpus.isolated`.
"""
