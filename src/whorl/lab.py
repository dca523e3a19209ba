"""Methods: what each does, how well it does on labeled documents, and which one suits a corpus."""

from __future__ import annotations

from whorl.tasks.evaluation.run import evaluate, recommend
from whorl.tasks.evaluation.sample import sample, score
from whorl.tasks.methods import describe_method, methods

__all__ = ["describe_method", "evaluate", "methods", "recommend", "sample", "score"]
