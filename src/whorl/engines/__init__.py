"""Batch engines that remove the duplicates of a corpus.

The result is defined independently of the engine. Process the documents in rank order. A document is dropped if it
verifies against an already kept document that shares at least ``min_shared`` keys with it; its ``duplicate_of`` is the
most similar such document, then the best ranked. Otherwise it is kept, and its keys are listed. A key lists at most 64
kept documents; further ones are not listed, and the key is counted as hot. Every engine produces this result, row for
row.
"""
