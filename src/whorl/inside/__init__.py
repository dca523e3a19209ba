"""Text that is repeated within and across documents: find it, prove it, and remove it.

``search`` describes what to search for, ``index`` finds pairs of equal places out of core, ``cuts`` decides them, and
``files`` and ``memory`` apply the cuts to files and to documents in memory, ``shards`` and ``spark`` to files in many
processes. ``contamination`` finds the items of benchmarks in training data.
"""
