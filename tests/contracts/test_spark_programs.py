"""Spark started from outside: by the command line and by spark-submit; killed, and on a full disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import tarfile
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.articles import small_corpus, write_jsonl
from tests.runs import files, rows
from tests.spark import MASTER, java

import whorl
from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and limits are matters of POSIX")

PROGRAM = """
from whorl.cli import main
from whorl.engines.spark import sizes

sizes._SEGMENT_BYTES = range(1, 2)
main()
"""
"""Make every file a segment."""
LIMIT = """
import resource

resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
"""


def begun(source: Path, out: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "dedup", source, "-o", out, "--engine", "spark", "--master", MASTER, "--quiet"],
        env={**os.environ, **java(), "COLUMNS": "300", **environment},
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    corpus = small_corpus(60)
    for number in range(24):
        write_jsonl(tmp_path / "in" / f"{number:02}.jsonl", corpus[number::24])
    dedup_files(DedupJob((str(tmp_path / "in"),), tmp_path / "local"))
    return tmp_path / "in"


def assert_finished(out: Path, local: Path) -> None:
    assert files(out / "kept") == files(local / "kept")
    assert rows(out / "duplicates.parquet") == rows(local / "duplicates.parquet")
    assert not (out / ".whorl").exists()


@pytest.mark.soak
def test_a_driver_that_is_killed_goes_on_where_it_was(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    segments = out / ".whorl" / "segments"
    with begun(source, out) as process:
        while process.poll() is None and not (segments.exists() and any(segments.iterdir())):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert [path.name for path in out.iterdir()] == [".whorl"]
    written = {path.name: (path / "segment.json").stat().st_mtime_ns for path in segments.iterdir()}
    assert written
    with begun(source, out) as process:
        assert process.wait() == 0, process.stderr and process.stderr.read()
    assert_finished(out, tmp_path / "local")
    sketches = out / "sketches"
    assert {name: (sketches / name / "segment.json").stat().st_mtime_ns for name in written} == written


@pytest.mark.soak
def test_a_full_disk_is_told_and_leaves_nothing_half_written(source: Path, tmp_path: Path) -> None:
    limited = tmp_path / "limited"
    limited.mkdir()
    (limited / "sitecustomize.py").write_text(LIMIT, encoding="utf-8")
    arguments = f"--conf spark.executorEnv.PYTHONPATH={limited} pyspark-shell"
    out = tmp_path / "out"
    with begun(source, out, PYSPARK_SUBMIT_ARGS=arguments) as process:
        _, stderr = process.communicate()
    assert (process.returncode, "File too large" in stderr, "Traceback" in stderr) == (4, True, False), stderr
    assert [path.name for path in out.iterdir()] == [".whorl"]
    with begun(source, out) as process:
        assert process.wait() == 0
    assert_finished(out, tmp_path / "local")


def test_it_comes_to_executors_in_an_archive(source: Path, tmp_path: Path) -> None:
    """Executors have a Python without whorl; its native module is in the archive."""
    package = Path(whorl.__file__).parent
    archive = tmp_path / "whorl.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
        packed.add(package, "whorl")
    job = tmp_path / "job.py"
    job.write_text("from whorl.cli import main\n\nmain()\n", encoding="utf-8")
    libraries = sysconfig.get_path("purelib")
    settings = {
        "spark.executorEnv.PYTHONPATH": f"archive:{libraries}",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
    }
    base = os.path.realpath(sys.executable)
    ended = submitted(archive, job, settings, {"PYSPARK_PYTHON": base, "PYSPARK_DRIVER_PYTHON": sys.executable}, source)
    assert ended.returncode == 0, ended.stderr
    assert_finished(tmp_path / "out", tmp_path / "local")


def submitted(
    archive: Path, job: Path, settings: Mapping[str, str], environment: Mapping[str, str], source: Path
) -> subprocess.CompletedProcess[str]:
    configured = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    return subprocess.run(
        [
            *(Path(sys.executable).with_name("spark-submit"), "--master", MASTER),
            *("--archives", f"{archive}#archive", *configured),
            *(job, "dedup", source, "-o", job.with_name("out"), "--engine", "spark", "--quiet"),
        ],
        env={**os.environ, **java(), **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
