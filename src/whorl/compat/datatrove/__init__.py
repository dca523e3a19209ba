"""Pipeline steps for datatrove that remove duplicates, repeated text and items of benchmarks, with evidence.

Each task of a pipeline sees only a part of the documents, but what is repeated depends on all of them. As with
datatrove's own deduplication, there are three pipelines, and the second has a single task:

    >>> from whorl.compat.datatrove import Decide, DropCopies, SaveTexts
    >>> save = [JsonlReader("in"), SaveTexts("work")]  # doctest: +SKIP
    >>> decide = [Decide("work", method="news")]  # doctest: +SKIP
    >>> drop = [JsonlReader("in"), DropCopies("work"), JsonlWriter("out")]  # doctest: +SKIP

======================= ================================= ==================================
removes                 the pipeline with a single task   the last pipeline
======================= ================================= ==================================
duplicates              ``Decide(work)``                  ``DropCopies(work)``
repeated text           ``Strip(work)``                   ``ApplyStrip(work)``
items of benchmarks     ``Decontaminate(work, against)``  ``ApplyDecontaminate(work)``
======================= ================================= ==================================

The first and the last pipeline must read the same documents in the same order and with the same number of tasks. Every
document is verified, so that a different order raises an error and never changes the wrong document. The result does
not depend on the number of tasks or workers, except with ``keep="first"``, which keeps the copy of the first task.
``work`` is a folder that all tasks can access.
"""

from __future__ import annotations

from whorl.release import missing_program

try:
    import datatrove  # noqa: F401 - it says early what is missing
except ModuleNotFoundError:
    raise missing_program(__name__, "datatrove") from None

from whorl.compat.datatrove.dedup import Decide, DropCopies
from whorl.compat.datatrove.inside import ApplyDecontaminate, ApplyStrip, Decontaminate, Strip
from whorl.compat.datatrove.texts import SaveTexts

__all__ = ["ApplyDecontaminate", "ApplyStrip", "Decide", "Decontaminate", "DropCopies", "SaveTexts", "Strip"]
