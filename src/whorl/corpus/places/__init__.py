"""Places beyond this machine: object stores, HDFS and the web.

What is read from there is fetched first, file by file, into a folder of this machine, and read like any file; what is
written there is made here, and sent when it is whole. So every format, and every promise of a run, holds there too, at
the price of disk for what is fetched. No message shows a password, a key or the query of an address.
"""

from __future__ import annotations

from whorl.corpus.places.address import SCHEMES, Place, place_of, shown
from whorl.corpus.places.fetching import Course, Fetched, fetch
from whorl.corpus.places.sending import demand_free, is_run, run_files, send, work_folder

__all__ = [
    "SCHEMES",
    "Course",
    "Fetched",
    "Place",
    "demand_free",
    "fetch",
    "is_run",
    "place_of",
    "run_files",
    "send",
    "shown",
    "work_folder",
]
