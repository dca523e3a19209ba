"""Remote inputs and outputs: object stores, HDFS and the web.

Inputs are downloaded first, file by file, into a local folder, and read like any file. Outputs are created locally, and
uploaded once complete. Every format and every guarantee of a run therefore also holds for remote files, at the price of
disk space for downloads. No message shows a password, a key or the query of an address.
"""

from __future__ import annotations

from whorl.corpus.remote.address import SCHEMES, RemotePlace, place_of, redacted
from whorl.corpus.remote.fetching import DownloadProgress, DownloadResult, fetch
from whorl.corpus.remote.sending import demand_free, is_run, run_files, send, work_folder

__all__ = [
    "SCHEMES",
    "DownloadProgress",
    "DownloadResult",
    "RemotePlace",
    "demand_free",
    "fetch",
    "is_run",
    "place_of",
    "redacted",
    "run_files",
    "send",
    "work_folder",
]
