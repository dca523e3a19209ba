"""The service with its library and its state on a database server, as replicas have them, with more and more workers.

It is measured like `serve`, whose library and state are in folders. The server, the service and the clients share two
cores, so more workers cannot answer twice as much.
"""

from __future__ import annotations

from benchmarks.questions import Answer, Settings, serve


def ask(settings: Settings) -> Answer:
    """Measure the service with every number of worker processes, and the library alone."""
    return serve.ask(settings)


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return serve.guarded(answer)


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    first, *_, last = answer["rows"]
    times = last["figures"]["check"]["rate"] / first["figures"]["check"]["rate"]
    return (
        f"{serve.table(answer)} The database server shares the two cores as well. {last['workers']} workers answer "
        f"{times:.2f} times as many checks as {first['workers']} (asked for: {answer['bounds']['times_one']})."
    )
