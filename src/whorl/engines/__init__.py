"""Batch engines that remove the duplicates of a corpus.

The result is defined independently of the engine. Process the documents in rank order. A document is dropped if it
verifies against an already kept document that shares at least ``min_shared`` keys with it; its ``duplicate_of`` is the
most similar such document, then the best ranked. Otherwise it is kept, and its keys are listed. A key lists at most 64
kept documents; further ones are not listed, and the key is counted as hot. Every engine produces this result, row for
row.

The modules of this package are common to all engines: the job, the rank, the decisions, the tables and the summary. An
engine only finds which documents share keys, and reads texts. `memory` works on strings and frames, `local` on files,
`shards` and `spark` on several machines. `tests/contracts/test_engines.py` compares all of them with the definition.

**Passes.** `local` reads, ranks, groups, decides and writes. Each pass is a function of files on disk, and everything
is written below ``OUT/.whorl`` until it is complete. An interrupted run therefore resumes with the first incomplete
pass. A checkpoint of a process would depend on its memory; files with checksums can be verified. A different job (other
recipe, version, input size or time) starts again.

**Texts.** Decisions need the texts of candidates. A row of a plain JSON Lines file is read again by its offset. All
other texts are copied to disk as UTF-8 while they are read, because decompressing or parsing a file again for one text
would be too slow.

**Several machines.** Connected documents are decided together, in parts that do not affect each other (`stages`). Pairs
of documents, the usual alternative, must be joined in rounds and are too many for frequent keys. Parts need neither
rounds nor approximation, so the result is that of one machine.
"""
