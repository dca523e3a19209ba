"""Batch engines: which documents of a corpus are copies of a better one.

The result is defined without any engine: take the documents in rank order; a document is dropped if a document already
kept, sharing at least ``min_shared`` keys with it, verifies (its ``duplicate_of`` is the most similar such document,
then the best ranked); otherwise it is kept, and its keys are listed. A key lists at most 64 kept documents; further
ones are not listed under it, and the key is counted as hot. Every engine reaches this result, row for row.
"""
