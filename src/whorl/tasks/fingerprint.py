"""Fingerprints for the pipelines of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl._internal.frozen import frozen
from whorl.engines.memory.rows import fingerprint_rows
from whorl.engines.memory.sources import hold
from whorl.engines.prints.columns import (
    DIGEST_BYTES,
    byte_rows,
    demand_key_type,
    demand_signature,
    key_lists,
    signatures,
)
from whorl.engines.prints.files import FingerprintJob, described_method, write_fingerprints
from whorl.engines.progress import Silent
from whorl.recipe import Recipe, recipe_of
from whorl.tasks.library.arguments import Place, Places, Texts, places, selected, strings
from whorl.text.iscc import demand_bits, text_codes
from whorl.types.cards import NotebookCard

if TYPE_CHECKING:
    import pyarrow as pa

    from whorl.fingerprints import Fingerprints
    from whorl.tasks import Progress

KeyType = Literal["uint64", "int64", "hex"]


def fingerprint(
    texts: Any,
    method: str = "minhash",
    *,
    text: Texts | None = None,
    id: str | None = None,
    keys: KeyType = "uint64",
    signature: bool = False,
    iscc: int | None = None,
    **parameters: Any,
) -> pa.Table:
    """Return the fingerprints of texts as an Arrow table; texts that share a key are candidates for comparison.

    >>> import whorl
    >>> table = whorl.fingerprint(["今天天气很好，适合出门。", "今天天气很好,适合出门!"])
    >>> table["digest"][0] == table["digest"][1]
    True

    Keys only nominate candidates; ``whorl.compare`` decides. The keys of a method and its parameters never change.

    Args:
        texts: any source of ``whorl.dedup``; of a frame or of dicts the column "text".
        method: a fingerprint family or a preset.
        text: the columns that make up the text.
        id: the column of ids, which becomes the first column of the result.
        keys: type of the keys: "uint64"; "int64", the signed integer with the same bits, for databases without unsigned
            integers; or "hex", 16 digits.
        signature: True to add the signature of each text: of ``minhash`` its values, little-endian uint32, of
            ``simhash`` the code.
        iscc: size in bits of the ISCC of each text (ISO 24138), 64 to 256, to add; see ``whorl.iscc.text_code``.
        **parameters: parameters of the family, as listed by ``whorl.lab.describe_method``.

    Returns:
        A row for each text: ``digest``, 128 bits of the folded text, little-endian, the same for equal
        texts; ``length`` in folded code points, 0 for a text without features; ``keys``, a list; ``code``, the bytes
        that estimate similarity, null if the family has none; and if requested, ``signature``, null for a text without
        features, and ``iscc``.

    Raises:
        UsageError: the method or parameter is unknown, the method has no signature, the size of the ISCC is not
            supported, or the texts are file names.
        InputError: an item is not a string, or a column is missing.

    Cost: that of reading in a run: microseconds per text, on all cores; memory for the table.
    """
    import pyarrow as pa

    demand_key_type(keys)
    recipe = Recipe().changed(method=method, parameters=parameters, text=strings(text), id=id)
    family = recipe.family()
    if signature:
        demand_signature(family)
    if iscc is not None:
        demand_bits(iscc)
    rows = hold(texts, recipe).rows
    batches, first = [], 0
    for prints in fingerprint_rows(rows, family):
        count = len(prints.lengths)
        columns = _columns(prints, keys)
        if signature:
            columns["signature"] = signatures(family, rows.texts[first : first + count], prints)
        if iscc is not None:
            columns["iscc"] = pa.array(text_codes(rows.texts[first : first + count], iscc), pa.string())
        if id is not None:
            columns = {"id": pa.array(rows.ids[first : first + count], pa.string()), **columns}
        batches.append(pa.RecordBatch.from_pydict(columns))
        first += count
    return pa.Table.from_batches(batches)


def _columns(prints: Fingerprints, key_type: str) -> dict[str, Any]:
    import pyarrow as pa

    count, width = prints.codes.shape
    return {
        "digest": byte_rows(prints.digests, DIGEST_BYTES),
        "length": pa.array(prints.lengths, pa.uint32()),
        "keys": key_lists(prints, key_type),
        "code": byte_rows(prints.codes, width).cast(pa.binary()) if width else pa.nulls(count, pa.binary()),
    }


@frozen
class FingerprintFile(NotebookCard):
    """A file of fingerprints.

    >>> import whorl
    >>> whorl.fingerprint_files("examples/newsroom/articles.jsonl", "prints.parquet").documents
    91

    Attributes:
        out: the file.
        method: the method, its parameters, and ``min_shared``, the number of shared keys from which two documents are
            candidates.
        documents: number of documents, each a row.
        keys: number of keys of all documents.
        without_keys: number of documents without features, which match nothing.
        signature_bytes: size of a signature; 0 without signatures.
        size: size of the file in bytes.
        rejected: number of unreadable rows by reason.
    """

    out: Path
    method: Mapping[str, Any]
    documents: int
    keys: int
    without_keys: int
    signature_bytes: int
    size: int
    rejected: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        counts = {name: getattr(self, name) for name in ("documents", "keys", "without_keys", "signature_bytes")}
        return {"out": str(self.out), **self.method, **counts, "bytes": self.size, "rejected": dict(self.rejected)}


def fingerprint_files(
    inputs: Places,
    out: Place,
    *,
    method: str | None = None,
    threshold: float | None = None,
    recipe: Recipe | Place | None = None,
    keys: KeyType = "uint64",
    signature: bool = False,
    iscc: int | None = None,
    text: Texts | None = None,
    id: str | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    on_error: Literal["auto", "skip", "stop"] = "auto",
    workers: int | None = None,
    progress: Progress | None = None,
) -> FingerprintFile:
    """Write the fingerprints of files for other databases and search engines.

    >>> import whorl
    >>> written = whorl.fingerprint_files("examples/newsroom/articles.jsonl", "prints.parquet", keys="int64")
    >>> written.method["min_shared"]
    1

    The columns are ``id``, null without one; ``file`` and ``row``; ``digest``, ``length`` and ``keys`` as
    ``whorl.fingerprint`` has them; and ``signature`` and ``iscc``, if requested. In JSON Lines, digests and signatures
    are hexadecimal. The Parquet metadata "whorl" holds the method with its parameters.

    Args:
        inputs: files, folders and globs; ``-`` is JSON Lines on standard input.
        out: a new file: .parquet, .jsonl, .jsonl.gz or .jsonl.zst.
        method: a fingerprint family or a preset.
        threshold: the similarity for which ``minhash`` chooses its keys.
        recipe: a recipe or recipe file.
        keys: "uint64", "int64" or "hex", as for ``whorl.fingerprint``.
        signature: True to add the signature of each document.
        iscc: size in bits of the ISCC of each document to add, as for ``whorl.fingerprint``.
        text: the columns that make up the text.
        id: the column of document ids.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        on_error: "skip" counts bad rows and continues, "stop" raises at the first; "auto" skips unless no file can be
            read.
        workers: threads of this call, and processes that parse files; None uses all cores.
        progress: receives the progress.

    Raises:
        UsageError: ``out`` exists or has an unknown suffix, the method is unknown or has no signature, or the size of
            the ISCC is not supported.
        InputError: a file cannot be read as requested.
        ResourceError: the disk is full or not writable.

    Cost: that of reading in a run; memory for a few batches, whatever the size of the corpus.
    """
    chosen = recipe_of(recipe, text=strings(text), id=id, encoding=encoding, method=method, threshold=threshold)
    path, files = Path(out), selected(include, exclude)
    job = FingerprintJob(places(inputs), path, chosen, keys, signature, iscc, on_error, files, workers)
    counts, rejected = write_fingerprints(job, progress or Silent())
    return FingerprintFile(
        path,
        described_method(chosen),
        counts.documents,
        counts.keys,
        counts.without_keys,
        counts.signature_bytes,
        path.stat().st_size,
        rejected,
    )


__all__ = ["FingerprintFile", "KeyType", "fingerprint", "fingerprint_files"]
