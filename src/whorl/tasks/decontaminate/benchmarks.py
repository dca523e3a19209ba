"""The benchmarks of a decontamination, and what counts as contamination."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from whorl.corpus import ReadOptions
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.inside.contamination.benchmarks import BenchmarkPath, items_of_rows, read_benchmark
from whorl.inside.contamination.fields import FieldColumns
from whorl.inside.contamination.hits import COUNTED, REASONS
from whorl.inside.contamination.index import ItemIndex, is_saved, load_items
from whorl.inside.contamination.rewriting import ACTIONS
from whorl.tasks.library.arguments import Place, Texts, places, strings

Against = Place | ItemIndex | Mapping[str, Any] | Iterable[Place]
"""Benchmarks: paths, ``NAME=PATH``, a mapping of names to paths or rows, or an index."""


def item_index(against: Against, against_text: Texts | None = None, against_id: str | None = None) -> ItemIndex:
    """Return the index of benchmarks.

    Raises:
        UsageError: there is no benchmark, or two have the same name.
        InputError: a benchmark cannot be read.
    """
    if isinstance(against, ItemIndex):
        return against
    names = [name for entry in strings(against_text) or () for name in entry.split(",") if name.strip()]
    fields = FieldColumns.named([name.strip() for name in names]) if names else None
    benchmarks: list[tuple[str, Any]] = (
        list(against.items()) if isinstance(against, Mapping) else [("", path) for path in places(against)]
    )
    if not benchmarks:
        raise UsageError(say("`against` names no benchmark"), hint=say("name one or more files or folders"))
    items, names_of_benchmarks = [], set[str]()
    for name, value in benchmarks:
        if isinstance(value, str | PathLike) and is_saved(Path(fspath(value).partition("=")[2] or fspath(value))):
            several = load_items(Path(fspath(value).partition("=")[2] or fspath(value)))
        elif isinstance(value, str | PathLike):
            benchmark = BenchmarkPath(name, fspath(value)) if name else BenchmarkPath.of(fspath(value))
            several = read_benchmark(benchmark, fields, against_id, ReadOptions())
        else:
            several = items_of_rows(name, value, fields, against_id)
        here = {item.benchmark for item in several}
        if here & names_of_benchmarks:
            raise UsageError(
                say("two benchmarks are called {name!r}", name=min(here & names_of_benchmarks)),
                hint=say("give each its own name: NAME=PATH"),
            )
        names_of_benchmarks |= here
        items += several
    return ItemIndex(items)


def counted_reasons(action: str, count: Sequence[str] | None) -> frozenset[str]:
    """Return the reasons that count.

    Raises:
        UsageError: the action or a reason is unknown.
    """
    if action not in ACTIONS:
        raise UsageError(say("unknown action {action!r}", action=action), hint=say("use report, tag, cut or drop"))
    count = COUNTED if count is None else count
    unknown = [reason for reason in count if reason not in REASONS]
    if isinstance(count, str) or unknown:
        raise UsageError(
            say("`count`: unknown reason {reason!r}", reason=count if isinstance(count, str) else unknown[0]),
            hint=say("use one or more of {names}", names=", ".join(REASONS)),
        )
    return frozenset(count)


__all__ = ["Against", "counted_reasons", "item_index"]
