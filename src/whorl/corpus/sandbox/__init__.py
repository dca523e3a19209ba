"""Sandboxed worker processes for third-party parsers.

A page, a PDF file, a document or a workbook may be crafted to break its parser: some kilobytes that expand to
gigabytes, or an endless loop. These formats are therefore parsed by processes with limits of time and memory
(``BUDGETS``). A process that exceeds them is ended and the file rejected with the reason, as after a crash of the
parser; the run goes on. A backlog of files starts more processes, up to one per core or fewer on request. Files are
read ahead while others are fingerprinted.

Processes exchange frames of JSON and Arrow; pickle is not used. If no process can be started because Python is embedded
in another program, files are read in this process, without limits.
"""

from __future__ import annotations

from whorl.corpus.sandbox.budget import BUDGETS, Budget
from whorl.corpus.sandbox.isolation import is_isolated, is_possible, processes_bounded

__all__ = ["BUDGETS", "Budget", "is_isolated", "is_possible", "processes_bounded"]
