"""Title and text judged separately, each with its own method and threshold, and combined by "and" or "or".

The first line of a document is its title, since columns are joined by a newline; the other lines are its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.frozen import frozen
from whorl.fingerprints import Family, Fingerprints, family
from whorl.matching.verify import Verification

if TYPE_CHECKING:
    from numpy.typing import NDArray

PARTS = ("title", "text")
"""The fields, indexed by the lowest bit of their keys."""
COMBINATIONS = ("and", "or")
_DIGEST, _LENGTH, _COUNT = 16, 4, 4


@frozen
class Judgement:
    """How a document or one of its fields is judged.

    >>> import whorl
    >>> [judgement] = whorl.Recipe().judgements()
    >>> judgement.part, judgement.threshold
    ('whole', 0.8)

    Attributes:
        part: "whole", "title" or "text".
        family: method that makes the keys.
        threshold: minimum similarity of a duplicate, inclusive.
        verification: additional verification with all defaults resolved, or None.
    """

    part: str
    family: Family
    threshold: float
    verification: Verification | None

    @property
    def goes_by_passages(self) -> bool:
        """True if the copied or aligned share of passages decides, which excludes boilerplate."""
        return self.verification is not None and self.verification.measure in ("copied", "content")


@frozen
class Fields:
    """Combined fingerprints of both fields: the keys of both, with the other fingerprint data encoded as the code.

    >>> import whorl
    >>> recipe = whorl.Recipe(fields={"title": {"method": "exact"}, "text": {"method": "minhash"}})
    >>> type(recipe.fingerprinter()).__name__
    'Fields'

    The lowest bit of a key is the number of its field, so that keys of different fields never match.
    """

    judgements: tuple[Judgement, ...]

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; digests and lengths are those of the whole texts. Cost: the sum of both methods."""
        whole = family("exact").fingerprint(texts)
        count = len(whole.lengths)
        parts = [
            judgement.family.fingerprint(part) for judgement, part in zip(self.judgements, split(texts), strict=True)
        ]
        keys = [part.keys & ~np.uint64(1) | np.uint64(number) for number, part in enumerate(parts)]
        documents = np.concatenate([np.repeat(np.arange(count), part.counts) for part in parts])
        columns = [_bytes(part, count) for part in parts]
        return Fingerprints(
            whole.digests,
            whole.lengths,
            np.concatenate(keys)[np.argsort(documents, kind="stable")],
            np.sum([part.counts for part in parts], axis=0, dtype=np.uint32),
            np.concatenate(columns, axis=1),
        )

    def unpacked(self, codes: NDArray[np.uint8]) -> Iterator[Fingerprints]:
        """Yield the fingerprints of each field without keys, decoded from the codes."""
        none = np.empty(0, np.uint64)
        start = 0
        for judgement in self.judgements:
            width = judgement.family.fingerprint([""]).codes.shape[1]
            bounds = start + np.cumsum([_DIGEST, _LENGTH, _COUNT, width])
            digest, length, key_count, code, _ = np.split(codes[:, start:], bounds - start, axis=1)
            yield Fingerprints(
                np.ascontiguousarray(digest).view("<u8"),
                np.ascontiguousarray(length).view("<u4").ravel(),
                none,
                np.ascontiguousarray(key_count).view("<u4").ravel(),
                np.ascontiguousarray(code),
            )
            start = int(bounds[-1])


def _bytes(part: Fingerprints, count: int) -> NDArray[np.uint8]:
    columns = (part.digests.astype("<u8"), part.lengths.astype("<u4"), part.counts.astype("<u4"))
    fixed = [np.ascontiguousarray(column).view(np.uint8).reshape(count, -1 if count else 0) for column in columns]
    return np.concatenate([*fixed, part.codes], axis=1)


def split(texts: Any) -> tuple[Any, Any]:
    """Split texts into titles and bodies: a list of str or None, or an Arrow string array."""
    if isinstance(texts, list):
        halves = [(text or "").partition("\n") for text in texts]
        return [title for title, _, _ in halves], [rest for _, _, rest in halves]
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pc.fill_null(pa.array(texts).cast(pa.large_string()), "")
    titles = pc.replace_substring_regex(whole, r"\n(?s:.*)\z", "", max_replacements=1)
    return titles, pc.replace_substring_regex(whole, r"\A[^\n]*\n?", "", max_replacements=1)


__all__ = ["COMBINATIONS", "PARTS", "Fields", "Judgement", "split"]
