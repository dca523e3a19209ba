"""Refuse import cycles.

Modules that import each other can only be read, tested and moved together. There are no cycles of imports that run; a
cycle that exists only for type checkers does no harm at run time, but shows the same tangle. Those that remain are
listed, so that their number can only fall.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

import grimp

PACKAGE = "whorl"
FACADES = ("whorl", "whorl.library")
"""Packages that resolve public names of higher layers on first use, and declare them for type checkers only."""
NATIVE = "_core"
TYPE_ONLY = """
    library.cases.rejudging library.library library.permission library.reviews.reviews
    library.ingest.batches library.ingest.speculation
    monitor.figures monitor.report
    service.http.access service.http.fair_queue service.http.idempotency service.http.limits service.http.problems \
        service.http.uploads service.jobs service.jobs.desk service.running
"""
"""The modules of each cycle that only type checkers see, one cycle a line."""


def imports(*, run_time_only: bool) -> dict[str, set[str]]:
    """Return the modules that each module of the package imports."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None, exclude_type_checking_imports=run_time_only)
    return {
        module: {
            imported
            for imported in graph.find_modules_directly_imported_by(module)
            if not is_declaration(module, imported, run_time_only=run_time_only)
            and not is_native(graph.get_import_details(importer=module, imported=imported))
        }
        for module in graph.modules
    }


def is_declaration(module: str, imported: str, *, run_time_only: bool) -> bool:
    """Return True if a facade declares names of a higher layer for type checkers."""
    return not run_time_only and (module == PACKAGE or (module in FACADES and not imported.startswith(f"{module}.")))


def is_native(details: list[grimp.DetailedImport]) -> bool:
    """Return True if only the Rust module is imported, which the graph takes for the package itself."""
    return all(detail["imported"] == PACKAGE and NATIVE in detail["line_contents"] for detail in details)


def cycles(graph: Mapping[str, Iterable[str]]) -> Iterator[list[str]]:
    """Yield the sets of modules that import each other, directly or not, each sorted."""
    remaining = {module: set(imported) for module, imported in graph.items()}
    while True:
        try:
            tuple(TopologicalSorter(remaining).static_order())
        except CycleError as error:
            start = error.args[1][0]
            members = reachable(remaining, start) & {
                module for module in remaining if start in reachable(remaining, module)
            }
            yield sorted(members)
            remaining = {
                module: imported - members if module in members else imported for module, imported in remaining.items()
            }
        else:
            return


def reachable(graph: Mapping[str, Iterable[str]], start: str) -> set[str]:
    """Return the modules that a module imports, directly or not."""
    reached, waiting = set[str](), [start]
    while waiting:
        for module in graph.get(waiting.pop(), ()):
            if module not in reached:
                reached.add(module)
                waiting.append(module)
    return reached


def main() -> int:
    """Run the program."""
    at_run_time = list(cycles(imports(run_time_only=True)))
    for members in at_run_time:
        print(f"import cycle at run time: {', '.join(members)}")
    pinned = {tuple(f"{PACKAGE}.{name}" for name in line.split()) for line in TYPE_ONLY.strip().splitlines()}
    for_checkers = {tuple(members) for members in cycles(imports(run_time_only=False))}
    changed = for_checkers ^ pinned
    for members in sorted(for_checkers - pinned):
        print(f"import cycle for type checkers: {', '.join(members)}")
    for members in sorted(pinned - for_checkers):
        print(f"this cycle is gone or has changed, update scripts/cycles.py: {', '.join(members)}")
    return 1 if at_run_time or changed else 0


if __name__ == "__main__":
    sys.exit(main())
