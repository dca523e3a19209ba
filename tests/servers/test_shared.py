"""Tests may rely on the servers: locations are private, and acknowledged data survives a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.servers import answers, shared

_RUN = """
import time
from tests.servers import shared
shared.begin()
print(shared.shared("redis").port, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("kind", shared.KINDS)
def test_each_place_on_a_server_is_new(kind: str) -> None:
    assert shared.fresh(kind) != shared.fresh(kind)


def test_servers_end_with_a_run_that_is_killed() -> None:
    shared.fresh("redis")
    environment = {name: value for name, value in os.environ.items() if name != shared.RUN}
    command, root = [sys.executable, "-c", _RUN], Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", cwd=root, env=environment) as run:
        assert run.stdout is not None
        port = int(run.stdout.readline())
        assert answers(port)
        run.send_signal(signal.SIGKILL)
    while answers(port):
        time.sleep(0.05)
