"""Contamination of a corpus by benchmarks.

Items are read (``benchmarks``) and indexed (``index``), documents are scanned (``scanning``), hits are judged once more
with the whole corpus in view (``judgment``), and documents are tagged, cut or dropped (``rewriting``).
"""
