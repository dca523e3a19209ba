"""Possible sources of a text in a library, by its index.

A check asks which articles are copies, so it skips the keys of what many articles quote, and contents that share few
keys. A comparison with the whole library asks for every passage. Each key is therefore looked up by itself: all
contents of a key that few have, and the first ones of a key that many have, so that what is quoted most has a source.

That finds the passages if any stretch of the shortest length that a comparison proves has a key. Of 1,002 pairs of an
article and an edited copy with a common passage, it finds 1,001, the same as reading all texts, in a hundredth of the
time. Where the keys are sparser, all texts have to be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whorl.fingerprints.winnowing import Winnowing
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.keys import TextKeys

if TYPE_CHECKING:
    from whorl.fingerprints import Family
    from whorl.library.core import Core
    from whorl.stores import Reader

_PROVEN_DENSE, _PROVEN_SPARSE = 13, 39
"""Length of the shortest passage that a comparison proves: Han characters, and letters."""
_READ = 4
"""How many documents are read for each one that is wanted: their keys are not those by which the caller ranks them."""


def has_all_passages(family: Family) -> bool:
    """Return True if any passage that a comparison proves, as far as it is unchanged, shares a key."""
    if not isinstance(family, Winnowing) or family.min_shared > 1:
        return False
    dense = (family.dense_k or family.k) + (family.dense_window or family.window) - 1
    return dense <= _PROVEN_DENSE and family.k + family.window - 1 <= _PROVEN_SPARSE


def possible_sources(core: Core, reader: Reader, text: str, limit: int) -> tuple[list[tuple[str, str]], int]:
    """Return the documents that share most keys with a text, several times ``limit`` of them.

    Returns:
        Id and text of each, in the order of adding; and the number of further contents, which share fewer keys.

    Cost: a lookup of each key, and reading the documents.
    """
    prints = core.making.fingerprint([text])
    keys = np.unique(prints.keys)
    core.index.catch_up(reader)
    single = TextKeys(keys, np.ones(len(keys), np.uint32))
    answers = core.index.query(single, None, reader, core.making.rules.most_documents)
    contents, hits = np.unique(answers.id, return_counts=True)
    order = np.lexsort((contents, -hits))
    chosen = contents[order[: _READ * limit]].tolist()
    entries = [entry for members in reader.members(chosen).values() for entry in members]
    entries.sort(key=lambda entry: entry.number)
    texts = unpacked(reader.texts([entry.number for entry in entries]))
    documents = [(entry.id, texts.get(entry.number, "")) for entry in entries]
    return documents, len(contents) - len(chosen)


__all__ = ["has_all_passages", "possible_sources"]
