"""Structural types of documents in memory: for type checkers, a result has the type of its source.

The libraries of frames are optional, and a type checker replaces a type that it cannot import by ``Any``, which would
match every source. So sources are described by the methods that only they have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from typing_extensions import TypeVar as DefaultedTypeVar

    KeptT = DefaultedTypeVar("KeptT", default=Any)
    """The type of the kept documents of a result."""
else:
    KeptT = TypeVar("KeptT")


class Frame(Protocol):
    """A frame or series of polars or pandas."""

    @property
    def shape(self) -> tuple[Any, ...]:
        """The number of rows, and of columns."""
        ...

    def head(self, *args: Any, **kwargs: Any) -> Any:
        """Return the first rows."""
        ...

    def to_numpy(self, *args: Any, **kwargs: Any) -> Any:
        """Convert to NumPy."""
        ...


class ArrowColumn(Protocol):
    """An Arrow array, in one or several chunks."""

    def to_numpy(self, *args: Any, **kwargs: Any) -> Any:
        """Convert to NumPy."""
        ...

    def to_pylist(self, *args: Any, **kwargs: Any) -> Any:
        """Convert to a list."""
        ...


class ArrowTable(Protocol):
    """An Arrow table; a record batch, whose result is a table, has no chunks."""

    def combine_chunks(self, *args: Any, **kwargs: Any) -> Any:
        """Copy each column into one chunk."""
        ...

    def to_pylist(self, *args: Any, **kwargs: Any) -> Any:
        """Convert to a list."""
        ...


class IndexedDataset(Protocol):
    """A Hugging Face dataset; a streaming one, whose result is a list, has no length."""

    def __len__(self) -> int: ...

    def select_columns(self, *args: Any, **kwargs: Any) -> Any:
        """Return some columns."""
        ...

    def with_format(self, *args: Any, **kwargs: Any) -> Any:
        """Return the dataset with rows of another type."""
        ...


FrameT_co = TypeVar("FrameT_co", covariant=True)


class LazyQuery(Protocol[FrameT_co]):
    """A lazy frame of polars, whose result is a frame."""

    def collect(self) -> FrameT_co:
        """Run the query."""
        ...

    def collect_schema(self) -> Any:
        """Return the types of the columns."""
        ...


class SparkFrame(Protocol):
    """A DataFrame of Spark."""

    @property
    def sparkSession(self) -> Any:  # noqa: N802
        """The session."""
        ...

    def toPandas(self) -> Any:  # noqa: N802
        """Convert to pandas."""
        ...


SourceT = TypeVar("SourceT", bound=Frame | ArrowColumn | ArrowTable | IndexedDataset)
"""A source whose result has the same type."""

ItemT = TypeVar("ItemT", bound=str | Mapping[str, Any] | None)
"""A document of a source whose result is a list."""

__all__ = [
    "ArrowColumn",
    "ArrowTable",
    "Frame",
    "FrameT_co",
    "IndexedDataset",
    "ItemT",
    "KeptT",
    "LazyQuery",
    "SourceT",
    "SparkFrame",
]
