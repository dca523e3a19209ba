"""Optical character recognition of scanned pages and pictures. Needs the extra ``ocr``.

The models of PP-OCRv6 are in the wheel of `rapidocr`, so nothing is downloaded. They run on one core of the CPU, which
makes the result independent of the machine's number of cores; several files are read by several processes. A page in
A4 takes 4 to 9 s.

Lines are detected on a picture of 1,280 pixels and recognized on one of 2,000: detection on 2,000 pixels found no more
characters of rendered pages at 150 and 300 dpi, and took 2 s more. Lines are recognized one by one rather than in
batches: these are padded to their widest line, which took up to a tenth more time and would let the text of a line
depend on the others.

Texts are compared as they were recognized. On the pages of the benchmark, every planted passage is found as exactly as
in the printed text, so there is no fold for characters that look alike to a recognizer.
"""

from __future__ import annotations

from whorl.corpus.recognition.engine import MAX_SIDE, RecognizedPage, UndecodableError, demand_package, recognize
from whorl.corpus.recognition.text import RecognizedText, file_text, moved, placed, with_pictures

__all__ = [
    "MAX_SIDE",
    "RecognizedPage",
    "RecognizedText",
    "UndecodableError",
    "demand_package",
    "file_text",
    "moved",
    "placed",
    "recognize",
    "with_pictures",
]
