"""A real local Spark cluster: a master, two workers, and executors with Python processes."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MASTER = "local-cluster[2,1,2048]"
ROOT = Path(__file__).parents[1]


def java() -> dict[str, str]:
    """Return an environment in which Spark finds the Java that the project's script installs."""
    process = subprocess.run(["sh", ROOT / "scripts" / "java.sh"], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return {"JAVA_HOME": process.stdout.strip(), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


@contextmanager
def session() -> Iterator[Any]:
    """Return a session on ``MASTER``."""
    from pyspark.sql import SparkSession

    os.environ.update(java())
    settings = {
        "spark.executorEnv.PYTHONPATH": str(ROOT),
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of pandas, imported by Spark
        begun = SparkSession.builder.appName("whorl tests").master(MASTER).config(map=settings).getOrCreate()
    try:
        yield begun
    finally:
        begun.stop()


def executors(begun: Any) -> list[int]:
    """Return the executor processes of a session."""
    driver = begun.sparkContext._gateway.proc.pid
    processes = (int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit())
    return [pid for pid in processes if _is_executor(pid, driver)]


def _is_executor(pid: int, driver: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"CoarseGrainedExecutorBackend" in command and driver in _ancestors(pid)
    except OSError:
        return False


def _ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        yield pid
