"""A library as a source of candidates: queried by keys, never read in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.fingerprints import Family, Fingerprints, Indexed, Seeking
from whorl.library.addresses import Address
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.keys import TextKeys
from whorl.library.search.sources import has_all_passages, possible_sources
from whorl.matching.boilerplate import Notices
from whorl.matching.candidates import CandidateRecords, CandidateRows
from whorl.stores import Reader, name_of
from whorl.stores.records import Content

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGEST_WORDS = 2


class LibraryCandidates:
    """Contents of a library as a `whorl.matching.candidates.CandidateSource`, which documents the methods.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     library.candidates().method
    'winnowing'

    The first document of a content represents it. The window is ignored: a copy remains one however old it is.

    Args:
        core: the library.
        address: address under which it was opened.
    """

    def __init__(self, core: Core, address: str) -> None:
        self._core = core
        recipe = core.making.recipe
        self.address = address
        self.name = name_of(Address.of(address).store)
        self.method: str = recipe.method
        self.parameters: Mapping[str, Any] = recipe.parameters
        self.threshold: float = recipe.threshold
        self.family: Family = core.making.family
        self.keeps_texts: bool = core.making.rules.texts

    def state(self) -> str:
        """See the contract."""
        with self._core.store.reading() as reader:
            return f"{self._core.making.name}:{reader.mark().change}"

    def boilerplate(self) -> Sequence[int]:
        """See the contract."""
        with self._core.store.reading() as reader:
            return self._core.notices.common(reader).runs

    def find(self, texts: Any, prints: Fingerprints) -> CandidateRows:
        """See the contract."""
        with self._core.store.reading() as reader:
            self._core.index.catch_up(reader)
            keys = self._keys(texts, prints, self._core.notices.common(reader))
            answers = self._core.index.query(keys, None, reader, self._core.making.rules.compared + 1)
            same = self._same(prints, reader)
        equal = np.array(list(same), np.uint32)
        numbers = np.array(list(same.values()), np.uint64)
        return CandidateRows(
            np.concatenate([answers.query, equal]),
            np.concatenate([answers.id, numbers]),
            np.concatenate([answers.hits, np.maximum(prints.counts[equal], self.family.min_shared)]),
        )

    def _keys(self, texts: Any, prints: Fingerprints, notices: Notices) -> TextKeys:
        if isinstance(self.family, Seeking):
            return TextKeys(*self.family.sought(texts))
        indexed = self.family.indexed(prints) if isinstance(self.family, Indexed) else prints
        keys = TextKeys(indexed.keys, indexed.counts)
        if not notices:
            return keys
        strings = texts if isinstance(texts, list) else texts.to_pylist()
        return keys.without_boilerplate(self._core.making, notices, [text or "" for text in strings])

    def _same(self, prints: Fingerprints, reader: Reader) -> dict[int, int]:
        """Find contents with the same normalised text, which may have no key that is rare enough to be looked up."""
        if self._core.making.rules.span is not None:
            return {}
        digests = {row: prints.digests[row].tobytes() for row in np.flatnonzero(prints.lengths).tolist()}
        contents = self._core.index.same([(digest, range(1)) for digest in digests.values()], reader)
        return {row: contents[digest, 0].number for row, digest in digests.items() if (digest, 0) in contents}

    def sources(self, text: str, limit: int) -> tuple[list[tuple[str, str]], int] | None:
        """Return the documents that may share passages with a text; None if the index cannot tell.

        Args:
            text: the text.
            limit: number of documents that are wanted; a few times as many are returned.

        Returns:
            Id and text of each, in the order of adding; and the number of further contents, which share fewer keys.

        Cost: a lookup of each key of the text, and reading the nominated documents.
        """
        if not has_all_passages(self.family):
            return None
        with self._core.store.reading() as reader:
            return possible_sources(self._core, reader, text, limit)

    def records(self, numbers: Sequence[int]) -> CandidateRecords:
        """See the contract."""
        with self._core.store.reading() as reader:
            contents = reader.contents(numbers)
            members = reader.members(contents, 1)
            there = sorted(contents.keys() & members.keys())
            texts = unpacked(reader.texts_of_contents(there)) if self.keeps_texts else {}
            prints = (
                self.family.fingerprint([texts.get(number, "") for number in there])
                if self.keeps_texts
                else self._sketched(reader, [contents[number] for number in there])
            )
        entries = [members[number][0] for number in there]
        return CandidateRecords(
            np.array(there, np.uint64),
            [entry.id for entry in entries],
            np.array([entry.number for entry in entries], np.int64),
            [texts.get(number, "") for number in there],
            prints,
        )

    def _sketched(self, reader: Reader, contents: Sequence[Content]) -> Fingerprints:
        """Return the fingerprints of contents whose texts are not stored."""
        kept = reader.sketches(content.number for content in contents)
        sketches = [kept[content.number] for content in contents]
        members = reader.members((content.number for content in contents), 1)
        nothing = bytes(8 * _DIGEST_WORDS)
        width = self.family.fingerprint([""]).codes.shape[1]
        return Fingerprints(
            _column((content.digest or nothing for content in contents), np.uint64).reshape(-1, _DIGEST_WORDS),
            np.array([members[item.number][0].characters if item.digest else 0 for item in contents], np.uint32),
            _column((sketch.keys for sketch in sketches), np.uint64),
            np.array([len(sketch.keys) // 8 for sketch in sketches], np.uint32),
            _column((sketch.code for sketch in sketches), np.uint8).reshape(len(contents), width),
        )


def _column(rows: Iterable[bytes], kind: type[np.unsignedinteger[Any]]) -> NDArray[Any]:
    return np.frombuffer(b"".join(rows), kind)


__all__ = ["LibraryCandidates"]
