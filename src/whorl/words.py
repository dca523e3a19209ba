"""Words and sentences of a corpus: segmentation, word weights, and sentences that many texts share."""

from __future__ import annotations

from whorl.matching.boilerplate import learn_boilerplate
from whorl.tasks.words import segment_files, train_idf
from whorl.text.words import segment

__all__ = ["learn_boilerplate", "segment", "segment_files", "train_idf"]
