"""Deduplication on one machine, out of core: read → rank → group → probe → write.

Every pass is a function of files on disk and writes its results with a manifest to the working folder. An interrupted
run continues with the first incomplete pass.
"""
