"""Deduplication on one machine, out of core: read → rank → group → probe → write.

Every pass is a function of what lies on disk before it, and leaves what it made under the working folder with a
manifest: a run that was killed continues with the first pass that is not complete.
"""
