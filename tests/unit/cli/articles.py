"""Articles written for these tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Invoke = Callable[..., Any]
"""Callable that runs `whorl` with some arguments and returns Typer's result."""

BRIDGE = (
    "The old stone bridge at Lower Marl will close to carts on Monday. Masons found that two of its five arches had "
    "settled by a hand's breadth since the spring floods, and the parish council voted to repair them before winter. "
    "Foot passengers may still cross; everybody else must take the ferry, which leaves every half hour until dusk."
)
HARBOUR = (
    "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。老船长说，从前等冰要等到半夜，鱼都困了；"
    "现在靠岸就能装，天不亮便可以再出海。镇上还打算把旧冰窖改成一间小小的博物馆，陈列木桨、渔灯和手写的潮汐表。"
)


def write_jsonl(path: Path, *rows: dict[str, object]) -> Path:
    """Write rows to a JSONL file."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
