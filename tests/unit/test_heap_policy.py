"""The settings of the allocator for commands."""

import platform
import subprocess
import sys

import pytest

_FAULTS = """
import resource, sys
from whorl._internal.heap_policy import keep_freed_blocks
if sys.argv[1] == "keep":
    keep_freed_blocks()
blocks = [b"x" * (10 * 2**20 + step) for step in range(2)]
del blocks
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for step in range(20):
    block = b"x" * (12 * 2**20 + step * 2**16)
    del block
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def _faults(policy: str) -> int:
    done = subprocess.run([sys.executable, "-c", _FAULTS, policy], check=True, capture_output=True, text=True)
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the settings are those of glibc")
def test_pages_of_freed_blocks_are_used_again() -> None:
    assert _faults("keep") * 2 < _faults("leave")
