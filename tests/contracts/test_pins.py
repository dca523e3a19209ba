"""What builds and publishes a release is pinned: actions to one version each, build requirements by digest."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PINNED = re.compile(r"(?:v\d+\.\d+\.\d+|[0-9a-f]{40}(?: +# v\d+\.\d+\.\d+)?)")


def test_actions_are_pinned_to_one_version() -> None:
    uses: dict[str, set[str]] = {}
    for workflow in (ROOT / ".github/workflows").glob("*.yml"):
        for name, version in re.findall(r"uses: ([\w./-]+)@(.+)", workflow.read_text("utf-8")):
            uses.setdefault(name, set()).add(version)
    assert uses
    assert {name: versions for name, versions in uses.items() if len(versions) > 1} == {}
    loose = {name: version for name, (version,) in uses.items() if not _PINNED.fullmatch(version)}
    assert loose == {}


def test_build_requirements_are_those_of_the_lock() -> None:
    build, dev = ((ROOT / "requirements" / name).read_text("utf-8") for name in ("build.lock", "dev.lock"))
    pinned = build.partition("\n")[2]
    assert "--hash=sha256:" in pinned
    assert pinned in dev
    (version,) = re.findall(r"^maturin==(\S+)", pinned, re.MULTILINE)
    wheels = (ROOT / ".github/workflows/wheels.yml").read_text("utf-8")
    assert set(re.findall(r"maturin-version: v(\S+)", wheels)) == {version}
    assert wheels.count("PyO3/maturin-action@") == wheels.count("maturin-version:")
