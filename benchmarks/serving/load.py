"""Load client over persistent connections, in a separate process; prints its figures as JSON.

It writes requests and reads responses as bytes, since a client that does more would take processor time from the
service.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.rivals.library_task import spread

_LENGTH = b"\r\ncontent-length:"
_LIMIT = 64 * 2**20
_FAILED = 400


@dataclass
class _Load:
    """Requests to send, and their results.

    With a ``rate`` requests are due at fixed moments. The latency is measured from that moment, so it includes the wait
    for a free connection.
    """

    host: str
    port: int
    requests: Iterator[tuple[bytes, bytes]]
    seconds: float
    rate: float
    began: float = 0.0
    sent: int = 0
    milliseconds: list[float] = field(default_factory=list)
    errors: int = 0

    async def run(self, connections: int) -> dict[str, Any]:
        self.began = time.perf_counter()
        await asyncio.gather(*(self._connection() for _ in range(connections)))
        seconds = time.perf_counter() - self.began
        return {
            "requests": len(self.milliseconds),
            "rate": len(self.milliseconds) / seconds,
            "milliseconds": spread(self.milliseconds),
            "errors": self.errors,
        }

    async def _connection(self) -> None:
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=_LIMIT)
        try:
            for request, expected in self.requests:
                due = await self._due()
                if due - self.began > self.seconds:
                    break
                writer.write(request)
                status, body = await _answer(reader)
                self.milliseconds.append((time.perf_counter() - due) * 1e3)
                self.errors += status >= _FAILED or expected not in body
        finally:
            writer.close()

    async def _due(self) -> float:
        """Wait until the next request is due, and return that moment."""
        number, self.sent = self.sent, self.sent + 1
        if not self.rate:
            return time.perf_counter()
        due = self.began + number / self.rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        return due


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return the status and the body of a response, sized or chunked."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status, place = int(head[9:12]), head.find(_LENGTH)
    if place >= 0:
        return status, await reader.readexactly(int(head[place + len(_LENGTH) :].partition(b"\r")[0]))
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)
    return status, body


def _requests(task: dict[str, Any]) -> Iterator[tuple[bytes, bytes]]:
    """Yield every request as bytes with the expected content, repeatedly or once."""
    head = f"{task['method']} {task['path']} HTTP/1.1\r\nHost: {task['host']}:{task['port']}\r\n"
    if not task["bodies"]:
        return cycle([(f"{head}\r\n".encode(), b"")])
    head += f"Content-Type: {task['type']}\r\nContent-Length: "
    requests = []
    for line in Path(task["bodies"]).read_text(encoding="ascii").splitlines():
        row = json.loads(line)
        body = row["body"].encode()
        requests.append((f"{head}{len(body)}\r\n\r\n".encode() + body, row["has"].encode()))
    return islice(requests, None) if task["once"] else cycle(requests)


def main() -> None:
    """Load the service with the task in the first argument."""
    task = json.loads(sys.argv[1])
    load = _Load(task["host"], task["port"], _requests(task), task["seconds"], task["rate"])
    print(json.dumps(asyncio.run(load.run(task["connections"]))))


if __name__ == "__main__":
    main()
