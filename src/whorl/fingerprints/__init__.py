"""Fingerprint families: every one reduces a text to keys, and two texts that share a key are compared.

A family is one module of this package with one frozen dataclass that fulfils ``Family``; the module's name is the
family's registered name, and its docstring is the family's public page under the headings *Is · Survives · Blind to ·
Cost · Source*. Nothing else has to be edited to add one.

A family may also be a module of another package, which names it in its ``pyproject.toml``::

    [project.entry-points."whorl.fingerprints"]
    my_family = "my_package.my_family"

Once that package is installed, the family is a method like any other; the names of this package's own are taken.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from whorl import _core
from whorl.errors import NotFoundError, UsageError
from whorl.language import say

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from numpy.typing import NDArray

ENTRY_POINTS = "whorl.fingerprints"
"""The group of entry points by which other packages bring families."""


A_SIXTH = 0.15
"""The usual threshold of families whose keys say little of how much is copied: less is a phrase or a quotation."""

SHINGLES = "shingles"
CODE_POINTS = "code_points"
"""What an exact figure compares runs of: tokens, or folded code points."""


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """The fingerprints of n texts, in order.

    >>> import whorl
    >>> prints = whorl.Recipe().family().fingerprint(["今天天气很好，适合出门散步。", ""])
    >>> prints.lengths.tolist(), prints.counts.tolist()
    ([12, 0], [16, 0])

    Attributes:
        digests: uint64 (n, 2), the 128-bit digest of each folded text, low half first.
        lengths: uint32 (n,), folded code points; 0 for a text without features.
        keys: uint64, the keys of all texts one after the other.
        counts: uint32 (n,), how many keys each text has; 0 for a text without features.
        codes: uint8 (n, width), what the family keeps to estimate similarity; width 0 when it keeps nothing.
    """

    digests: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    codes: NDArray[np.uint8]

    @classmethod
    def from_buffers(cls, buffers: tuple[_core.Buffer, ...]) -> Fingerprints:
        """View the buffers of the core in place."""
        digests, lengths, keys, counts, codes = buffers
        count = len(lengths) // 4
        return cls(
            np.frombuffer(memoryview(digests), np.uint64).reshape(count, 2),
            np.frombuffer(memoryview(lengths), np.uint32),
            np.frombuffer(memoryview(keys), np.uint64),
            np.frombuffer(memoryview(counts), np.uint32),
            np.frombuffer(memoryview(codes), np.uint8).reshape(count, -1 if count else 0),
        )

    def part(self, start: int, stop: int) -> Fingerprints:
        """Those of a range of the texts, as views of these."""
        first, last = (int(self.counts[:row].sum(dtype=np.int64)) for row in (start, stop))
        return Fingerprints(
            self.digests[start:stop],
            self.lengths[start:stop],
            self.keys[first:last],
            self.counts[start:stop],
            self.codes[start:stop],
        )

    @classmethod
    def joined(cls, parts: Sequence[Fingerprints]) -> Fingerprints:
        """Those of several lists of texts, one after the other, that one family made; at least one list."""
        width = max(part.codes.shape[1] for part in parts)
        return cls(
            np.concatenate([part.digests for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.codes.reshape(len(part.codes), width) for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What makes a candidate a copy; acceptance is always an exact figure, never an estimate.

    >>> import whorl
    >>> whorl.Recipe().family().verdict(0.8).measure
    'jaccard'

    Attributes:
        measure: what the figure of the rule is. "exact": equal folded texts. "jaccard" and "containment": shingles that
            both have, of those in either, or of those in the document that may be dropped. "keys": keys that both have,
            of those of the document that may be dropped. "hamming": bits in which the codes agree, of all.
        threshold: from which figure a candidate is a copy, inclusive; not for "hamming".
        shingle: tokens a shingle, or code points.
        over: what a shingle is a run of: "shingles" of tokens, or "code_points".
        copied: a rule on fingerprints alone proves nothing, so besides, this share of the document that may be dropped
            must lie in passages that the other has; None where the rule compares the texts themselves.
        local: whether a key stands for a stretch of text, so that one which many documents have may be boilerplate.
        least_agreement: a candidate is ruled out unread when the codes agree in fewer of their four-bit fields than
            this; chosen so that a copy at the threshold is lost with probability below one in a million.
        limits: for "hamming", pairs of a length in folded code points and the largest distance for texts up to that
            length; the last distance also holds for longer texts.
    """

    measure: str
    threshold: float
    shingle: int = 5
    least_agreement: int = 0
    limits: tuple[tuple[int, int], ...] = ()
    over: str = SHINGLES
    copied: float | None = None
    local: bool = False


@runtime_checkable
class Family(Protocol):
    """One way to fingerprint a text. Members are frozen dataclasses whose fields are their parameters.

    >>> import whorl
    >>> family = whorl.Recipe().family()
    >>> family.name, family.min_shared
    ('minhash', 1)

    A member may have a class attribute ``usual_threshold``, the threshold of a recipe that names none; else it is 0.8.
    """

    name: ClassVar[str]

    @property
    def min_shared(self) -> int:
        """How many keys two texts must share to be compared; 1 or more."""
        ...

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint many texts: an iterable of str, or an Arrow string array."""
        ...

    def similarity(self, a: str, b: str) -> float:
        """Estimate the similarity of two texts from their sketches alone, in [0, 1]."""
        ...

    def verdict(self, threshold: float) -> Verdict:
        """The judgement on candidates at ``threshold``."""
        ...


@runtime_checkable
class Resembling(Protocol):
    """A family whose codes alone tell how similar two texts are."""

    def resemblance(self, a: bytes, b: bytes) -> float:
        """Estimate the Jaccard similarity of two texts by their codes, in [0, 1]."""
        ...


@runtime_checkable
class Indexed(Protocol):
    """A family that a lasting index finds by other keys than a run does, which lists few documents a key."""

    def indexed(self, prints: Fingerprints) -> Fingerprints:
        """Return fingerprints with the keys of a lasting index."""
        ...


class SoughtKeys(NamedTuple):
    """The keys by which texts are looked up.

    Attributes:
        keys: uint64, the keys of all texts one after the other.
        counts: uint32 (n,), how many each text has.
    """

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]


@runtime_checkable
class Seeking(Family, Protocol):
    """A family whose texts are looked up by more keys than they are found by."""

    def sought(self, texts: Any) -> SoughtKeys:
        """Return the keys by which copies of texts are looked up, and what they are excerpts of: theirs, and more."""
        ...


@runtime_checkable
class Local(Family, Protocol):
    """A family each of whose keys is made of one stretch of a text, whatever stands around it."""

    def keys_within(self, stretches: Sequence[str]) -> Fingerprints:
        """Return for each of some stretches all keys that a text in which it stands can have from within it."""
        ...


def keys(family: Family, text: str) -> frozenset[int]:
    """Return the keys of one text; empty for a text without features, which equals nothing."""
    return frozenset(family.fingerprint([text]).keys.tolist())


def shared_keys(family: Family, a: str, b: str) -> float:
    """Return the share of the keys of two texts that both have; 0.0 where there are none."""
    keys_a, keys_b = keys(family, a), keys(family, b)
    return len(keys_a & keys_b) / max(1, len(keys_a | keys_b))


@cache
def families() -> dict[str, type[Family]]:
    """Return every family by its registered name: those of this package, and those that other packages bring.

    Raises:
        UsageError: a family of another package cannot be loaded.
    """
    from importlib.metadata import entry_points

    brought = {entry.name: _brought(entry) for entry in entry_points(group=ENTRY_POINTS) if entry.name not in _names()}
    return {**brought, **{name: _own(name) for name in _names()}}


@cache
def _names() -> tuple[str, ...]:
    """Those of the families of this package, none of which is imported."""
    return tuple(found.name for found in pkgutil.iter_modules(__path__))


def _own(name: str) -> type[Family]:
    return _member(import_module(f"{__name__}.{name}"), name)


def _brought(entry: EntryPoint) -> type[Family]:
    try:
        return _member(entry.load(), entry.name)
    except Exception as error:
        package = entry.dist.name if entry.dist else entry.value
        raise UsageError(
            say(
                "the method '{name}' of the package {package} cannot be loaded: {error}",
                name=entry.name,
                package=package,
                error=error,
            ),
            cure=say("update or remove {package}", package=package),
        ) from error


def _member(module: Any, name: str) -> type[Family]:
    """The class of ``module`` that is called ``name``."""
    for value in vars(module).values():
        if isinstance(value, type) and getattr(value, "name", None) == name:
            return value
    raise LookupError(f"{module} has no class with the name '{name}'")


def find_family(name: str, others: Iterable[str] = ()) -> type[Family]:
    """Return the class of the family ``name``.

    Args:
        name: its registered name.
        others: further names that a user may have meant.

    Raises:
        NotFoundError: there is no such family; the cure names the nearest, and all there are.
    """
    found = _own(name) if name in _names() else families().get(name)
    if found is None:
        known = sorted({*families(), *others})
        nearest = get_close_matches(name, known, 1)
        cure = say("choose one of: {known}", known=", ".join(known))
        if nearest:
            cure = say("did you mean '{name}'? {cure}", name=nearest[0], cure=cure)
        raise NotFoundError(say("there is no method '{name}'", name=name), cure=cure)
    return found


def family(name: str, **parameters: Any) -> Family:
    """Return the family ``name`` with ``parameters``; those it does not have are a mistake.

    Raises:
        NotFoundError: there is no such family or parameter, or a value is out of range.
    """
    member = find_family(name)
    unknown = parameters.keys() - {field.name for field in fields(member)}  # type: ignore[arg-type]
    if unknown:
        raise UsageError(
            say("method '{name}' has no parameter '{parameter}'", name=name, parameter=min(unknown)),
            cure=say("see `whorl methods {name}`", name=name),
        )
    return member(**parameters)


__all__ = [
    "A_SIXTH",
    "CODE_POINTS",
    "ENTRY_POINTS",
    "SHINGLES",
    "Family",
    "Fingerprints",
    "Indexed",
    "Seeking",
    "SoughtKeys",
    "Verdict",
    "families",
    "family",
    "find_family",
    "keys",
    "shared_keys",
]
