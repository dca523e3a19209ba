"""Run one stage of stripping files in shards.

====== ============================ ==================================================== ================
stage  input of a shard             output                                               needs
====== ============================ ==================================================== ================
sketch part of the files            segments, and passage records by part of the keys    the input
group  part of the keys             pairs of places with a key, by bucket of ranks       all sketches
decide some buckets of ranks        pieces that are equal to earlier text                all groups
write  the files that it sketched   their cuts and changed files; the last one, tables   all decisions
====== ============================ ==================================================== ================

The first shard that groups ranks all documents, and the first that writes traces all pieces to the documents that keep
their text, while the others wait for it.
"""

from __future__ import annotations

from functools import partial

from whorl.engines.job import DedupJob
from whorl.engines.progress import Progress
from whorl.engines.shards.run import Reached, Stages, run_shard
from whorl.engines.shards.work import Shard
from whorl.engines.shards.writing import write_shard
from whorl.inside.search import Strip
from whorl.inside.shards.deciding import decide, group
from whorl.inside.shards.sketching import sketch
from whorl.inside.shards.writing import ShardedStrip


def run_strip_shard(job: DedupJob, strip: Strip, shard: Shard, progress: Progress | None = None) -> Reached:
    """Run one shard of one stage of stripping files; see ``run_shard``.

    Raises:
        UsageError: the folder contains other work, or an earlier stage is not done.
        InputError: a file cannot be read as requested, or has changed since the work began.

    Cost: all shards together cost as much as ``strip_files``. Memory: 8 bytes for each document of the corpus, and one
    part of the keys or bucket of ranks; of the first that groups about 100 bytes per document, of the first that writes
    about 20 per piece, of the last that writes about 100 per document.
    """
    stages: Stages = {
        "sketch": partial(sketch, strip=strip),
        "group": partial(group, strip=strip),
        "decide": partial(decide, strip=strip),
        "write": partial(write_shard, result=ShardedStrip(strip)),
    }
    return run_shard(job, shard, progress, stages=stages, details={"strip": strip.as_dict()})


__all__ = ["run_strip_shard"]
