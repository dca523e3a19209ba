"""Fingerprint methods: each reduces a text to keys, and two texts that share a key are compared.

A method is one module of this package with one frozen dataclass that implements ``Family``. The module's name is the
registered name of the method, and its docstring is the public page of the method, with the headings *Is · Survives ·
Blind to · Cost · Source*. Adding a method needs no other change.

A method may also be a module of another package, which declares it in its ``pyproject.toml``::

    [project.entry-points."whorl.fingerprints"]
    my_family = "my_package.my_family"

Once that package is installed, the method can be used like any other; built-in names cannot be redefined.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Sequence
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from numpy.typing import NDArray

ENTRY_POINTS = "whorl.fingerprints"
"""The entry point group for methods of other packages."""


A_SIXTH = 0.15
"""Default threshold of methods whose keys say little about the copied share; less is a phrase or a quotation."""

SHINGLES = "shingles"
CODE_POINTS = "code_points"
"""Unit of the shingles of an exact measure: folded code points instead of tokens."""


@frozen(eq=False)
class Fingerprints:
    """The fingerprints of n texts, in order.

    >>> import whorl
    >>> prints = whorl.Recipe().family().fingerprint(["今天天气很好，适合出门散步。", ""])
    >>> prints.lengths.tolist(), prints.counts.tolist()
    ([12, 0], [16, 0])

    Attributes:
        digests: uint64 (n, 2), 128-bit digest of each folded text, low half first.
        lengths: uint32 (n,), folded code points; 0 for a text without features.
        keys: uint64, concatenated keys of all texts.
        counts: uint32 (n,), number of keys of each text; 0 for a text without features.
        codes: uint8 (n, width), data of the method to estimate similarity; width 0 if it has none.
    """

    digests: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    codes: NDArray[np.uint8]

    @classmethod
    def from_buffers(cls, buffers: tuple[_core.Buffer, ...]) -> Fingerprints:
        """View the buffers of the core without copying."""
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
        """Return the fingerprints of a range of the texts, as views."""
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
        """Concatenate at least one list of fingerprints made by the same method."""
        width = max(part.codes.shape[1] for part in parts)
        return cls(
            np.concatenate([part.digests for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.codes.reshape(len(part.codes), width) for part in parts]),
        )


@frozen
class Verdict:
    """The acceptance rule of candidates; it always uses an exact measure, never an estimate.

    >>> import whorl
    >>> whorl.Recipe().family().verdict(0.8).measure
    'jaccard'

    Attributes:
        measure: the measure of the rule. "exact": equal folded texts. "jaccard" and "containment": common shingles, as
            a share of those in either text, or of those in the removable document. "keys": common keys, as a share of
            those of the removable document. "hamming": share of equal bits of the codes.
        threshold: minimum value, inclusive; not for "hamming".
        shingle: length of a shingle in tokens or code points.
        over: unit of shingles: "shingles" for tokens, or "code_points".
        copied: minimum share of the removable document that must lie in passages of the other one, because a rule on
            fingerprints alone is no evidence; None if the rule compares the texts themselves.
        content: True if passages with the same content count as well, although nothing is removed for them.
        local: True if a key represents a stretch of text, so that a key of many documents may be boilerplate.
        least_agreement: minimum number of equal four-bit fields of the codes; candidates below it are rejected without
            reading the text. A duplicate at the threshold is lost with probability below one in a million.
        limits: for "hamming", pairs of a length in folded code points and the maximum distance for texts up to that
            length; the last distance also applies to longer texts.
    """

    measure: str
    threshold: float
    shingle: int = 5
    least_agreement: int = 0
    limits: tuple[tuple[int, int], ...] = ()
    over: str = SHINGLES
    copied: float | None = None
    content: bool = False
    local: bool = False


@runtime_checkable
class Family(Protocol):
    """A fingerprint method. Implementations are frozen dataclasses whose fields are their parameters.

    >>> import whorl
    >>> family = whorl.Recipe().family()
    >>> family.name, family.min_shared
    ('minhash', 1)

    An implementation may have a class attribute ``usual_threshold``, its default threshold; otherwise that is 0.8.
    """

    name: ClassVar[str]

    @property
    def min_shared(self) -> int:
        """Minimum number of common keys for a comparison, at least 1."""
        ...

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts: an iterable of str, or an Arrow string array."""
        ...

    def similarity(self, a: str, b: str) -> float:
        """Estimate the similarity of two texts from their sketches, in [0, 1]."""
        ...

    def verdict(self, threshold: float) -> Verdict:
        """Return the acceptance rule at ``threshold``."""
        ...


@runtime_checkable
class Resembling(Protocol):
    """A method whose codes are sufficient to estimate similarity."""

    def resemblance(self, a: bytes, b: bytes) -> float:
        """Estimate the Jaccard similarity of two texts from their codes, in [0, 1]."""
        ...


@runtime_checkable
class Signing(Protocol):
    """A method with a signature: a fixed number of values, of which two similar texts have many in common."""

    def signatures(self, texts: Any, prints: Fingerprints) -> NDArray[np.uint8]:
        """Return the signature of each text as bytes (n, width).

        Args:
            texts: the texts.
            prints: their fingerprints.
        """
        ...


@runtime_checkable
class Indexed(Protocol):
    """A method with different keys for a persistent index, which have shorter posting lists than those of a run."""

    def indexed(self, prints: Fingerprints) -> Fingerprints:
        """Return fingerprints with the keys for a persistent index."""
        ...


class SoughtKeys(NamedTuple):
    """The lookup keys of texts.

    Attributes:
        keys: uint64, concatenated keys of all texts.
        counts: uint32 (n,), number of keys of each text.
    """

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]


@runtime_checkable
class Seeking(Family, Protocol):
    """A method that looks texts up by more keys than it stores for them."""

    def sought(self, texts: Any) -> SoughtKeys:
        """Return the lookup keys for copies and containing texts: the keys of the texts, and more."""
        ...


@runtime_checkable
class Local(Family, Protocol):
    """A method whose keys each depend on one stretch of text only, not on its context."""

    def keys_within(self, stretches: Sequence[str]) -> Fingerprints:
        """Return, for each stretch, all keys that a text containing it can have from within it."""
        ...


def keys(family: Family, text: str) -> frozenset[int]:
    """Return the keys of a text; empty for a text without features, which equals no text."""
    return frozenset(family.fingerprint([text]).keys.tolist())


def shared_keys(family: Family, a: str, b: str) -> float:
    """Return the Jaccard similarity of the keys of two texts; 0.0 if neither has keys."""
    keys_a, keys_b = keys(family, a), keys(family, b)
    return len(keys_a & keys_b) / max(1, len(keys_a | keys_b))


@cache
def families() -> dict[str, type[Family]]:
    """Return every method by its registered name: the built-in ones, and those of other packages.

    Raises:
        UsageError: a method of another package cannot be loaded.
    """
    from importlib.metadata import entry_points

    brought = {entry.name: _brought(entry) for entry in entry_points(group=ENTRY_POINTS) if entry.name not in _names()}
    return {**brought, **{name: _builtin(name) for name in _names()}}


@cache
def _names() -> tuple[str, ...]:
    """Return the names of the built-in methods without importing them."""
    return tuple(module.name for module in pkgutil.iter_modules(__path__))


def _builtin(name: str) -> type[Family]:
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
            hint=say("update or remove {package}", package=package),
        ) from error


def _member(module: Any, name: str) -> type[Family]:
    """Return the implementation of the method ``name`` in ``module``."""
    for value in vars(module).values():
        if isinstance(value, type) and getattr(value, "name", None) == name:
            return value
    raise LookupError(f"{module} has no class with the name '{name}'")


def find_family(name: str, others: Iterable[str] = ()) -> type[Family]:
    """Return the implementation of the method ``name``.

    Args:
        name: registered name.
        others: further names that a user may have meant.

    Raises:
        NotFoundError: the method does not exist; the hint lists the nearest name, and all names.
    """
    member = _builtin(name) if name in _names() else families().get(name)
    if member is None:
        available = sorted({*families(), *others})
        nearest = get_close_matches(name, available, 1)
        hint = say("choose one of: {known}", known=", ".join(available))
        if nearest:
            hint = say("did you mean '{name}'? {hint}", name=nearest[0], hint=hint)
        raise NotFoundError(say("there is no method '{name}'", name=name), hint=hint)
    return member


def family(name: str, **parameters: Any) -> Family:
    """Return the method ``name`` with ``parameters``.

    Raises:
        NotFoundError: the method or a parameter does not exist, or a value is out of range.
    """
    member = find_family(name)
    unknown = parameters.keys() - {field.name for field in fields(member)}  # type: ignore[arg-type]
    if unknown:
        raise UsageError(
            say("method '{name}' has no parameter '{parameter}'", name=name, parameter=min(unknown)),
            hint=say("see `whorl methods {name}`", name=name),
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
    "Signing",
    "SoughtKeys",
    "Verdict",
    "families",
    "family",
    "find_family",
    "keys",
    "shared_keys",
]
