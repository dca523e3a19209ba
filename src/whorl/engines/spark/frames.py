"""``whorl.dedup`` for Spark DataFrames: tables, and any source that Spark can read."""

from __future__ import annotations

import atexit
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from whorl.corpus import Selection
from whorl.engines.job import DedupJob
from whorl.engines.local.finished import read_table
from whorl.engines.spark.cluster import LOCAL, SparkCluster
from whorl.engines.spark.run import dedup_on
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.recipe import Recipe

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = "spark.whorl.folder"
"""Session setting that names a folder shared by the driver and all executors."""

_FILES = Selection(("**/*.parquet", "*.parquet"))


class FrameResult:
    """Result of ``whorl.dedup`` for a Spark DataFrame.

    Its files are in a new subfolder of the folder in the setting ``spark.whorl.folder``; if all executors are on this
    machine, in a folder that is deleted when the process ends.

    Attributes:
        run: counts, recipe, versions and warnings, as ``run.json`` has them.
    """

    def __init__(self, frame: Any, out: Path, run: dict[str, Any]) -> None:
        self._frame = frame
        self._out = out
        self.run = run

    @cached_property
    def kept(self) -> Any:
        """The kept rows with all their columns, as a DataFrame of the same session."""
        return self._frame.sparkSession.read.schema(self._frame.schema).parquet(str(self._out / "kept"))

    @cached_property
    def duplicates(self) -> pa.Table:
        """A row for each removed document, with its evidence."""
        return read_table(self._out, "duplicates.parquet")

    @property
    def related(self) -> pa.Table:
        """A row for each link of a kept document, as in ``DedupResult``."""
        return read_table(self._out, "related.parquet")

    @cached_property
    def clusters(self) -> pa.Table:
        """A row for each document, with its cluster and its role."""
        return read_table(self._out, "clusters.parquet")

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return (self._out / "report.html").read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        from whorl.reports.notebook import run_card

        return run_card(self.run, self.duplicates)

    def __repr__(self) -> str:
        counts = self.run["counts"]
        documents = counts["kept"] + counts["duplicates"]
        return f"<FrameResult: {counts['kept']} of {documents} kept, {counts['duplicates']} duplicates>"


def dedup_frame(frame: Any, against: Any, recipe: Recipe, workers: int | None) -> FrameResult:
    """Remove the duplicates from a Spark DataFrame on its cluster.

    Args:
        frame: the DataFrame, which Spark reads once and writes as Parquet.
        against: None, another DataFrame of the same session, or files.
        recipe: determines the result.
        workers: threads of the driver.

    Raises:
        UsageError: no folder is shared by all executors.
        InputError: the frame cannot be read as the recipe requests.
        ResourceError: Spark failed.

    Cost: that of files, plus writing the frame once.
    """
    place = _folder(frame.sparkSession) / f"whorl-{uuid4().hex}"
    frame.write.parquet(str(place / "rows"))
    references = () if against is None else (_written(against, place / "against"),)
    job = DedupJob(
        inputs=(str(place / "rows"),),
        out=place / "out",
        recipe=recipe,
        against=references,
        workers=workers,
        command="whorl.dedup(...)",
        selection=_FILES,
    )
    return FrameResult(frame, place / "out", dedup_on(SparkCluster(frame.sparkSession), job))


def _written(against: Any, place: Path) -> str:
    if isinstance(against, str | Path):
        return str(against)
    if not hasattr(against, "sparkSession"):
        hint = say("use a DataFrame of the same session, or a path")
        raise UsageError(say("{given!r:.60} is no reference", given=against), hint=hint)
    against.write.parquet(str(place))
    return str(place)


def _folder(session: Any) -> Path:
    named = session.conf.get(FOLDER, None)
    if named is not None:
        return Path(named)
    if not str(session.conf.get("spark.master", "")).startswith(LOCAL):
        hint = say("set one: {setting}=/a/folder", setting=FOLDER)
        raise UsageError(say("no folder is configured that all executors can access"), hint=hint)
    folder = TemporaryDirectory(prefix="whorl-spark-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


__all__ = ["FOLDER", "FrameResult", "dedup_frame"]
