"""Recall of a library for each kind of copy: at least that of the preset `news`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.quality.corpora import copies, of_copies
from tests.quality.test_news import FLOORS

import whorl


@pytest.mark.parametrize("name", of_copies())
def test_every_kind_of_copy_is_found(name: str, tmp_path: Path) -> None:
    """A copy is found if one of its source articles is among its matches."""
    hits: dict[str, list[bool]] = {}
    for number, corpus in enumerate(copies(name)):
        copy_ids = {copy.document for copy in corpus.truth.copies}
        with whorl.open(tmp_path / f"{number}") as library:
            library.add([{"id": id_, "text": text} for id_, text in corpus.texts.items() if id_ not in copy_ids])
            for copy in corpus.truth.copies:
                matches = library.check(corpus.texts[copy.document]).matches
                hits.setdefault(copy.kind, []).append(bool({match.id for match in matches} & set(copy.sources)))
    shares = {kind: sum(outcomes) / len(outcomes) for kind, outcomes in hits.items()}
    floors = FLOORS[name]["recall"]
    assert floors.keys() <= shares.keys()
    assert {kind: shares[kind] for kind, floor in floors.items() if shares[kind] < floor} == {}
