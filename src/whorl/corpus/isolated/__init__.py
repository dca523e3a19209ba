"""Parsers that are not ours, in processes of their own.

A page, a PDF file, a document or a workbook may be made to break what reads it: some kilobytes that become gigabytes,
or never end. So these formats are read by processes with limits of time and memory (``BUDGETS``). One that goes beyond
is ended, and the file set aside with the reason, as one is whose parser crashes; the run goes on. There is a process
for each core, if not fewer are asked for, and files are read ahead while others are fingerprinted.

Processes talk in frames of JSON and Arrow: nothing is unpickled. Where no other process can be begun, since Python is
inside of another program, files are read in this one, without limits.
"""

from __future__ import annotations

from whorl.corpus.isolated.budget import BUDGETS, Budget
from whorl.corpus.isolated.parsers import Isolated, is_isolated, is_possible, processes_bounded, sources_ahead

__all__ = ["BUDGETS", "Budget", "Isolated", "is_isolated", "is_possible", "processes_bounded", "sources_ahead"]
