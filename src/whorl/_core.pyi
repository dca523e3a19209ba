from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, TypeAlias

from numpy.typing import NDArray

ReadableBuffer: TypeAlias = NDArray[Any] | bytes | Buffer

VERSION: str
FOLD_VERSION: str
PINYIN_VERSION: str
LINKS: int
LISTED: int
RELATIONS: tuple[str, ...]
WHOLE: float
MOST_CODE_POINTS: int
WORDS_VERSION: str
IDF_STEPS: int
STEM_VERSION: str

class Buffer:
    """Read-only bytes owned by Rust.

    `numpy.frombuffer` and `pyarrow.py_buffer` read them in place.
    """

    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

class RowColumns:
    """The columns to read from each row."""

    def __new__(
        cls, texts: list[str], id: str | None = None, order: str | None = None, dates: list[str] = ...
    ) -> Self: ...

class FileTexts:
    """Locations of the texts of documents: rows of JSON Lines files, or UTF-8 in a side file."""

    def __new__(
        cls,
        files: Sequence[tuple[str, str | None]],
        columns: RowColumns,
        file_of: ReadableBuffer,
        offsets: ReadableBuffer,
        lengths: ReadableBuffer,
    ) -> Self:
        """`files` are paths with the encoding of their rows, or None for plain UTF-8 text."""
    def text(self, document: int) -> str:
        """Read the text of one document."""

class Groups:
    """Keys shared by two or more documents.

    Keys with the same small set of documents are stored as one group.
    """

    def __new__(cls) -> Self: ...
    def add_partition(
        self, pieces: Iterable[tuple[bytes, int]], count: int, common_bits: int, rank_of: ReadableBuffer
    ) -> None:
        """Add a whole partition of about ``count`` postings, whose keys agree in their leading ``common_bits``.

        Each piece is postings and the number of their document 0. Pieces are read one at a time.
        """
    def __len__(self) -> int: ...
    def columns(self) -> tuple[Buffer, Buffer, Buffer, Buffer]:
        """Return a key per group, its multiplicity, the start of its members (plus the final end), and the members."""
    def add_columns(
        self,
        columns: tuple[ReadableBuffer, ReadableBuffer, ReadableBuffer, ReadableBuffer],
        rank_of: ReadableBuffer,
    ) -> None:
        """Add groups in column form; members are documents, which are mapped to ranks."""

class Granules:
    """The prepared rule of the family `pinyin`."""

    def __new__(
        cls,
        granule: int,
        step: int,
        bins: int,
        hits: int,
        normalisation: str,
        keep_others: bool,
        reference: Sequence[float],
    ) -> Self: ...
    def fingerprint(self, texts: Any) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
        """Fingerprints of the family `pinyin`."""
    def digits(self, text: str) -> Buffer:
        """Return the digits of every granule of a text, one byte each."""
    def sought(self, texts: Any) -> tuple[Buffer, Buffer]:
        """Return `u64` keys for finding each text as an excerpt, and their number per text as `u32`."""
    def query(self, text: str, step: int, pieces: int, probes: int) -> Buffer:
        """Return the `u64` keys to look a text up by."""

class ContaminationIndex:
    """Items of benchmarks, indexed for finding them in documents."""

    def __new__(cls, texts: Any, items: Sequence[int], fields: Sequence[str]) -> Self:
        """`items` has the item of each text, ascending from 0.

        `fields` has what the text is to it: "question", "choice", "answer" or "passage".
        """
    def __len__(self) -> int: ...
    @property
    def too_short(self) -> int:
        """Number of questions that are too short to be found without their choices."""
    def scan(self, texts: Any) -> list[ContaminationHit]:
        """Return the hits in a block of documents, by document and position."""

class ContaminationHit:
    """An item, or a part of it, in a document."""

    @property
    def document(self) -> int:
        """Number of the document in its block."""
    @property
    def item(self) -> int:
        """Number of the item."""
    @property
    def part(self) -> int:
        """Number of the text that was found."""
    @property
    def reason(self) -> str:
        """What was found of the item."""
    @property
    def span(self) -> tuple[int, int]:
        """Where it is in the document, in code points."""
    @property
    def extent(self) -> tuple[int, int]:
        """Where it is in the document together with the choices and the answer near it."""
    @property
    def part_span(self) -> tuple[int, int]:
        """Where it is in the text of the item."""
    @property
    def question(self) -> float:
        """Share of the question that is there."""
    @property
    def choices(self) -> float | None:
        """Share of the choices near it; None if the item has none."""
    @property
    def answer(self) -> float | None:
        """Share of the answer near it; None if the item has none."""
    @property
    def passage(self) -> float | None:
        """Share of the passage; None if the item has none."""
    @property
    def asks(self) -> bool:
        """Whether the text asks or instructs."""
    @property
    def units(self) -> int:
        """Length of the text: five for a word, two for a Han character."""
    @property
    def gaps(self) -> int:
        """Identifies the missing words; 0 if none is."""
    @property
    def fillers(self) -> int:
        """Identifies what the document has in their place."""

class Boilerplate:
    """Hashes of the token runs that are boilerplate."""

    MANY: int
    SAMPLE: int
    def __new__(cls, runs: Sequence[int]) -> Self: ...
    @staticmethod
    def of_sample(texts: Any) -> tuple[Boilerplate, str]:
        """Learn the boilerplate shared by most of a sample of texts that are not copies of each other.

        Also return how it begins in the first text that contains it.
        """
    @staticmethod
    def of_samples(
        texts: Any, samples: Sequence[tuple[Sequence[int], bool]], existing: Boilerplate
    ) -> list[Boilerplate]:
        """Learn from many samples of texts, one after the other.

        A sample has the numbers of its texts, that of the examined document first, and whether only text that frames
        the documents is boilerplate. Return for each what it teaches besides `existing` and the samples before it.
        """
    def framing(self, texts: Any) -> Boilerplate:
        """Return the runs that frame most of the texts that contain them."""
    def __bool__(self) -> bool: ...
    def __or__(self, other: Boilerplate) -> Boilerplate: ...
    def __sub__(self, other: Boilerplate) -> Boilerplate: ...
    def intersection(self, runs: Sequence[int]) -> list[int]:
        """Filter hashes to those that are boilerplate, in order."""
    def runs(self) -> list[int]:
        """The hashes in ascending order."""
    def ranges(self, texts: Any) -> list[list[tuple[int, int]]]:
        """Return the boilerplate stretches of each text as code-point ranges."""

class Comparer:
    """A block of texts to compare, with the ranges to ignore."""

    def __new__(
        cls,
        texts: Any,
        boilerplate: Sequence[Sequence[tuple[int, int]]],
        learned: Boilerplate | None,
        quotations: bool,
        references: bool,
        min_equal: int,
        terms: Sequence[tuple[str, str]] = (),
    ) -> Self:
        """`boilerplate` has the boilerplate ranges of each text, or no entries at all.

        Runs in `learned` are detected as well. `terms` are pairs of terms in two languages.
        """
    def pairs(self, pairs: Sequence[tuple[int, int]], content: bool = False, translation: bool = False) -> list[Judged]:
        """Compare pairs of texts, identified by index, in parallel.

        With `content`, sentences are aligned by their content where texts have hardly a passage in common; with
        `translation`, also where one is in another language.
        """
    def sources(self, sources: Sequence[int], text: int) -> list[Judged | None]:
        """Compare a text with each of its sources, so that no stretch of it is attributed to two of them.

        Sources without an attributed stretch yield None.
        """
    def examine(
        self, texts: Sequence[tuple[int, Sequence[int]]], content: bool = False
    ) -> list[list[tuple[int, Judged, bool, Judged | None]]]:
        """Compare many texts, each with sources of its own, in parallel.

        Returns for each text its sources with passages: the source, the comparison with it alone, whether a stretch of
        the text is attributed to it, and the comparison on that stretch unless it is the same. The minimum length of a
        passage applies to texts in dense scripts; other texts need three times as much.
        """

class Judged:
    """Result of comparing two texts."""

    def figures(self) -> tuple[float, float, float, str, str | None, tuple[float, float], int]:
        """Return the figures that decide whether two texts match.

        Similarity, share of the first text in the second and the reverse, relation, direction, copied shares of both,
        and equal folded code points of all passages.
        """
    @property
    def shingles(self) -> tuple[int, int, int]:
        """Distinct shingles shared by both texts, of the first, of the second."""
    @property
    def relation(self) -> str:
        """Name of the relation between the texts."""
    @property
    def direction(self) -> str | None:
        """Which text derives from the other, if that is clear."""
    @property
    def confidence(self) -> float:
        """Confidence of the relation."""
    @property
    def facts(self) -> tuple[int, int, int]:
        """Matching numbers, differing numbers, and slots with different words."""
    @property
    def passages(self) -> list[tuple[Any, ...]]:
        """Passages as tuples, in the order of the second text."""
    @property
    def translated(self) -> tuple[int, int]:
        """Code points of the bodies of the first and the second text that are translated from the other."""
    @property
    def dropped(self) -> list[tuple[str, int]]:
        """Reasons why passages were dropped, each with its number of equal code points."""
    @property
    def changes(self) -> tuple[Any, ...]:
        """Change counts as a tuple."""
    @property
    def a(self) -> JudgedText:
        """Counts for the first text."""
    @property
    def b(self) -> JudgedText:
        """Counts for the second text."""
    @property
    def quoted_uncited(self) -> int:
        """Folded code points of the second text that lie in passages and in quotations without a cited source."""
    @property
    def is_dense(self) -> bool:
        """True if the second text is in a dense script, such as Han, where a code point carries more than a letter."""
    @property
    def of_roles(self) -> tuple[int, int, int]:
        """Amount of the second text in quotations, references and boilerplate."""
    @property
    def deliberate_homophones(self) -> int:
        """Homophones that deliberately replace other characters."""

class JudgedText:
    """Counts of one of two compared texts, in folded code points."""

    @property
    def counted(self) -> int:
        """Code points of the body."""
    @property
    def covered(self) -> int:
        """Code points of the body that lie in passages."""
    @property
    def copied(self) -> int:
        """Covered code points that are copied: equal, in closely matching sentences."""
    @property
    def quoted(self) -> int:
        """Covered code points that are marked as quotations."""
    @property
    def own_covered(self) -> int:
        """Covered code points outside quotations and references."""
    @property
    def hidden(self) -> int:
        """Invisible characters outside manifests."""
    @property
    def manifest(self) -> int:
        """Characters of manifests of origin."""
    @property
    def look_alikes(self) -> int:
        """Characters replaced by look-alikes."""

class RefusedFile(ValueError):
    """A file or folder is not a valid index."""

class HammingIndex:
    """An index of `whorl_core::index::hamming` and the folder it is saved in."""

    def __new__(cls, bits: int, design: str | None, most_candidates: int) -> Self:
        """`design` is a name or the text of a design; None selects the default."""
    @staticmethod
    def open(path: str, most_candidates: int, mapped: bool) -> HammingIndex:
        """Open a saved index."""
    def save(self, path: str) -> None:
        """Write the segments that the folder does not have yet."""
    def snapshot(self) -> Snapshot:
        """Take a snapshot of the current state."""
    def add(
        self,
        words: ReadableBuffer,
        ids: ReadableBuffer | None,
        times: ReadableBuffer | None,
        merge: bool,
        payloads: tuple[ReadableBuffer, ReadableBuffer] | None = None,
    ) -> None:
        """Add codes with optional ids, times and payloads, one of each per code.

        Payloads are given by their bytes and their ends. With `merge` false, large merges are deferred to `tidy`.
        """
    def payloads(self, ids: ReadableBuffer) -> list[bytes | None]:
        """Return the payload of each id; None without a code."""
    def tidy(self) -> bool:
        """Perform a pending merge.

        Return True if there was one.
        """
    def remove(self, ids: ReadableBuffer) -> int:
        """Remove all codes with these ids.

        Return how many were removed.
        """
    def expire(self, time: int) -> int:
        """Remove all codes older than a time.

        Return how many were removed.
        """
    def merge(self) -> None:
        """Merge into as few segments as possible."""
    def verify(self) -> None:
        """Verify the checksum of every byte."""
    def query(
        self, code: int, k: int, first: bool, limit: int, window: tuple[int, int] | None
    ) -> tuple[list[tuple[int, int]], int, int]:
        """Return id and distance of each code near a query, and the numbers of skipped and of unlisted codes."""
    def query_many(
        self, words: ReadableBuffer, k: int, first: bool, limit: int, window: tuple[int, int] | None
    ) -> tuple[Buffer, Buffer, Buffer, int, int]:
        """Return query number, id and distance of each result, and the numbers of skipped and of unlisted codes."""
    def self_join(self, k: int, limit: int) -> tuple[Buffer, Buffer, Buffer, int]:
        """Return all close pairs as later id, earlier id and distance, and the number of pairs beyond the limit."""
    def stats(self) -> dict[str, float]:
        """Return size and query statistics by name."""
    @property
    def bits(self) -> int:
        """Number of bits of a code."""
    @property
    def design(self) -> str:
        """The text of the table design."""
    @property
    def largest_distance(self) -> int:
        """Maximum distance of a query."""
    @property
    def timed(self) -> bool | None:
        """True if the codes have times; None while the index has never had a code."""

class Snapshot:
    """A snapshot of an index of either kind."""

    def save(self, path: str, replace: bool) -> None:
        """Write the segments that the folder does not have yet.

        With `replace`, any other index in the folder is replaced.
        """

class UnpackedTexts:
    """Unpacked texts, which Rust reads in place without the GIL.

    In Python they are a sequence of `str`.
    """

    def __new__(cls, packed: Sequence[bytes | None]) -> Self:
        """Unpack texts; a missing text becomes the empty text."""
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> str: ...

class KeyIndex:
    """An index of `whorl_core::index::inverted` and the folder it is saved in."""

    def __new__(cls, most_documents: int) -> Self: ...
    @staticmethod
    def open(path: str, most_documents: int, mapped: bool) -> KeyIndex:
        """Open a saved index."""
    def save(self, path: str) -> None:
        """Write the segments that the folder does not have yet."""
    def snapshot(self) -> Snapshot:
        """Take a snapshot of the current state."""
    def add(
        self,
        keys: ReadableBuffer,
        counts: ReadableBuffer,
        ids: ReadableBuffer | None,
        times: ReadableBuffer | None,
        merge: bool,
        payloads: tuple[ReadableBuffer, ReadableBuffer] | None = None,
    ) -> None:
        """Add documents.

        Each has a number of consecutive keys, an id, and optionally a time and a payload, which are given by their
        bytes and their ends. With `merge` false, large merges are deferred to `tidy`.
        """
    def payloads(self, ids: ReadableBuffer) -> list[bytes | None]:
        """Return the payload of each id; None without a document."""
    def tidy(self) -> bool:
        """Perform a pending merge.

        Return True if there was one.
        """
    def remove(self, ids: ReadableBuffer) -> int:
        """Remove all documents with these ids.

        Return how many were removed.
        """
    def expire(self, time: int) -> int:
        """Remove all documents older than a time.

        Return how many were removed.
        """
    def merge(self) -> None:
        """Merge into as few segments as possible."""
    def verify(self) -> None:
        """Verify the checksum of every byte."""
    def query(
        self,
        keys: ReadableBuffer,
        limit: int,
        min_shared: int,
        min_share: float,
        earliest: int,
        window: tuple[int, int] | None,
    ) -> tuple[list[tuple[int, int]], int, int, int]:
        """Return id and shared keys of each match; the numbers of query keys, skipped keys and unlisted documents."""
    def query_many(
        self,
        keys: ReadableBuffer,
        counts: ReadableBuffer,
        limit: int,
        min_shared: int,
        min_share: float,
        earliest: int,
        window: tuple[int, int] | None,
    ) -> list[Buffer]:
        """Return the matches of many queries as columns, with the counters of each query."""
    def frequent(self, more_than: int) -> tuple[Buffer, Buffer]:
        """Return the keys of more than `more_than` documents, with the number of documents of each."""
    def stats(self) -> dict[str, float]:
        """Return size and query statistics by name."""
    @property
    def timed(self) -> bool | None:
        """True if the documents have times; None while the index has never had a document."""

class Demand:
    """A minimum similarity that two texts must reach."""

    def __new__(
        cls,
        measure: str,
        threshold: float,
        *,
        part: str,
        over: str,
        width: int,
        fold: str,
        words: Words | None = None,
        hmm: bool = True,
    ) -> Self:
        """`part` is "whole", "title" or "text".

        `over` is "shingles" (of tokens), "code_points", or a word mode of `words`; a feature is `width` consecutive
        units.
        """
    def figure(self, removable: str, other: str) -> tuple[int, int, float]:
        """Return the shared count, the total count and the similarity of two texts, also below the threshold.

        `removable` is the text that may be removed.
        """

class Field:
    """Fingerprint columns and rule of one field, consumed by a probe."""

    def __new__(
        cls,
        rule: tuple[str, float, int, list[tuple[int, int]]],
        demands: list[Demand],
        min_shared: int,
        documents: int,
    ) -> Self:
        """Create an empty field for this many documents.

        `rule` is (measure, threshold, minimum code agreement, distance limits by length).
        """
    def add(
        self, digests: ReadableBuffer, lengths: ReadableBuffer, codes: ReadableBuffer, key_counts: ReadableBuffer
    ) -> None:
        """Append documents.

        All must have codes of the same width.
        """

class Probe:
    """The deduplication decisions of a batch run."""

    def __new__(
        cls, fields: list[Field], all_fields: bool, references: int, order: ReadableBuffer, groups: Groups
    ) -> Self:
        """With `all_fields`, every field must match for a document to be a copy; otherwise one field suffices."""
    @staticmethod
    def of_part(
        fields: list[Field],
        all_fields: bool,
        references: int,
        groups: tuple[ReadableBuffer, ReadableBuffer, ReadableBuffer, ReadableBuffer],
        sizes: ReadableBuffer,
        sought: ReadableBuffer,
        boilerplate: ReadableBuffer,
    ) -> Probe:
        """Prepare the decisions on a part produced by `parts`."""
    def parts(
        self, limit: int
    ) -> list[tuple[Buffer, int, list[Buffer], tuple[Buffer, Buffer, Buffer, Buffer], Buffer, Buffer]]:
        """Divide the undecided documents into at most `limit` parts.

        Each has ranks, references, key counts by field, group columns, total documents per key, and sought pairs.
        """
    def boilerplate(self) -> Buffer:
        """Return the hashes of the token runs that are boilerplate."""
    def step(self, texts: FileTexts | Callable[[list[int]], Any]) -> int:
        """Decide the next batch.

        Return the number of decided documents.
        """
    def add_sought(self, ranks: ReadableBuffer, references: ReadableBuffer, keys: ReadableBuffer) -> None:
        """Add candidate pairs from another index: documents and references by rank, with the keys they share."""
    def learn(
        self, texts: FileTexts | Callable[[list[int]], Any], local: list[bool], boilerplate: Sequence[int]
    ) -> None:
        """Learn boilerplate before the first decision.

        `local` flags the fields whose keys come from local stretches. Runs with the hashes in `boilerplate` are already
        boilerplate.
        """
    def decisions(self) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
        """Return the decisions by rank: kept rank or 2³²−1, shared and total counts, relation, similarity."""
    def direct(self, removable: Sequence[str], links: int, with_changes: bool) -> None:
        """Set the relations for which documents are removed, and the maximum number of links of a kept document.

        With ``with_changes``, the changes of removed documents are determined where this is cheap.
        """
    def changes(self) -> tuple[Buffer, Buffer, Buffer, Buffer]:
        """Return the changes determined with the decisions: ranks, and the columns of ``removals``."""
    def links(self) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]:
        """Return the links of kept documents as columns."""
    def linked_passages(self, texts: FileTexts | Callable[[list[int]], Any]) -> tuple[Buffer, Buffer]:
        """Return the passages of each link: their bounds, and four offsets per passage."""
    def cut_links(self) -> int:
        """Return how many links were dropped because a document exceeded its limit."""
    def by_field(self) -> Buffer:
        """Returns, by rank, the similarity of each field that matched, NaN for the others.

        Empty if there is only one field.
        """
    def comparisons(self) -> int:
        """Return the number of compared pairs."""
    def phrases(self) -> int:
        """Return the number of keys that belong to phrases."""
    def histograms(self) -> tuple[list[int], list[int]]:
        """Return histograms of the similarities of removed documents and of near misses, in hundredths."""
    def hot_keys(self) -> list[tuple[int, int, int, int]]:
        """Return keys with too many documents: key, documents, kept documents not listed under it, example."""
    def notices(self) -> list[tuple[str, int, int, int]]:
        """Return the learned boilerplate: text, example document, documents that contain it, number of keys."""

def copy_ranges(source: str, target: str, starts: ReadableBuffer, ends: ReadableBuffer) -> int:
    """Copy rows of one file, given as byte ranges including newlines, to a new file.

    Return the number of rows.  The last range may end one byte past the file because its newline may be missing. Raises
    `InputError` if a row no longer exists.
    """

def sync_files(paths: Sequence[str]) -> None:
    """Flush files to disk, several at the same time. Raise `OSError` if one cannot be flushed; others may have been."""

class Words:
    """A dictionary for segmenting texts."""

    def __new__(cls, user_words: str | None = None) -> Self:
        """Load jieba's dictionary and adds user-defined lines.

        Raises ValueError with the line number for an invalid line.
        """
    def tags(self) -> list[str]:
        """Return the part-of-speech tags by code."""
    def digest(self) -> int:
        """The XXH3-64 of the user-defined words; 0 if there are none."""
    def segment(self, texts: Any, cutting: Any) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]:
        """Segment texts.

        Return starts, ends and tags of all words, the number of words per text, the concatenated words, and their ends.
        """
    def lines(self, texts: Any, cutting: Any) -> Buffer:
        """Return one line of segmented words per text, in UTF-8."""

class IdfTable:
    """Inverse document frequencies of words."""

    def __new__(cls, documents: int, words: Any, counts: ReadableBuffer, common_share: float) -> Self: ...
    @staticmethod
    def embedded() -> IdfTable:
        """The embedded table."""
    def digest(self) -> int:
        """The XXH3-64 of the counts; 0 for the embedded table."""

class Terms:
    """Extracts terms and computes fingerprints from them."""

    def __new__(cls, words: Words, idf: IdfTable | None, rules: Any) -> Self: ...
    def terms(self, texts: Any, limit: int) -> tuple[Buffer, Buffer, Buffer]:
        """Return hashes and weights of the heaviest terms, and the number of terms per text."""
    def simhash(
        self, texts: Any, terms: int, min_terms: int, bits: int, blocks: int, hash: str | None
    ) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
        """Fingerprints of the family `simhash` over terms; `hash` names a hash function of another program."""
    def info(self, texts: Any, terms: int, min_terms: int) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
        """Fingerprints of the family `info`."""
    def keywords(self, texts: Any, terms: int, min_terms: int) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
        """Fingerprints of the family `keywords`."""
    def imatch(
        self, texts: Any, band: tuple[int, int], lexicons: int, min_terms: int
    ) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
        """Fingerprints of the family `imatch`."""

class WordCounts:
    """Document frequencies of words."""

    def __new__(cls, words: Words, hmm: bool) -> Self: ...
    def add(self, texts: Any) -> int:
        """Count texts.

        Return how many contained words.
        """
    def __len__(self) -> int: ...
    def take(self) -> tuple[Buffer, Buffer, Buffer]:
        """Return the sorted words as UTF-8, their ends, and their counts; resets the counter."""

def set_workers(workers: int) -> int:
    """Limit the threads of later computations of the calling thread; return the previous limit (0: one per core)."""

def workers() -> int:
    """Return the number of threads that the calling thread computes on."""

def exact(texts: Any) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `exact`."""

def minhash(
    texts: Any, width: int, values: int, bands: int, rows: int
) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `minhash`."""

def simhash(
    texts: Any, width: int, bits: int, blocks: int, least_features: int, hash: str | None = None
) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `simhash` over shingles; `hash` names a hash function of another program."""

def simhash_code(features: Sequence[tuple[int, int]], bits: int) -> int | None:
    """Compute the SimHash code of (hash, weight) features; None if there are none."""

def stem_languages() -> list[str]:
    """The languages supported for stemming."""

def shingles(texts: Any, width: int, sample: int) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `shingles`."""

def winnowing(
    texts: Any, sparse: tuple[int, int], dense: tuple[int, int], by_sound: bool
) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `winnowing`; `sparse` and `dense` are (k, window) for such code points."""

def nominated_pairs(
    texts: Any,
    fresh: Sequence[bool],
    excluded: Sequence[Sequence[tuple[int, int]]],
    learned: Boilerplate | None,
    min_letters: int,
    limit: int | None,
) -> tuple[Buffer, list[tuple[int, int, int, int]], Boilerplate]:
    """Return the pairs of texts that may share a passage, as u32 numbers, and the learned forms.

    A form has its first text, its range there, and the number of texts that contain it.
    """

class ReusedPassages:
    """Columns of compared pairs and of their passages."""

    names: list[str]
    pairs: Buffer
    shares: Buffer
    passages: Buffer
    similarities: Buffer

def reuse_candidates(
    texts: Any, groups: Sequence[int], min_letters: int, hot: int, noisy: bool
) -> tuple[Buffer, Buffer, int]:
    """Return the pairs of texts that may share a passage, equal runs, and the number of hot k-grams."""

def reused_passages(comparer: Comparer, pairs: NDArray[Any], content: bool = False) -> ReusedPassages:
    """Compare pairs of texts, and return their passages as columns.

    With `content`, sentences are aligned by their content where texts have hardly a passage in common.
    """

def passage_clusters(sides: NDArray[Any]) -> tuple[Buffer, Buffer]:
    """Return the cluster of each passage; and text, range and cluster of each place."""

def text_slices(texts: Any, numbers: NDArray[Any], starts: NDArray[Any], ends: NDArray[Any]) -> tuple[Buffer, Buffer]:
    """Return ranges of texts as UTF-8, and int64 bounds."""

def paratexts(texts: Any) -> list[list[tuple[str, int, int]]]:
    """Return the cover, declarations, table of contents and references of each text, with their kind."""

def nshash(texts: Any, hash: str, count: int) -> list[list[tuple[str, int, int]]]:
    """Return the longest sentences of each text."""

def text_codes(texts: Any) -> Buffer:
    """Return the 256-bit Text-Code of ISO 24138 of each text, 32 bytes each."""

def sketch(texts: Any, width: int, values: int, classic: bool) -> list[Buffer | None]:
    """Compute the MinHash values of each text as little-endian `u32`; None for a text without features."""

def blemishes(texts: Any) -> Buffer:
    """Score the form of each text as `u32`; lower is better."""

def partition(keys: ReadableBuffer, counts: ReadableBuffer, first_document: int, bits: int) -> tuple[Buffer, Buffer]:
    """Scatter keys into 2^bits partitions.

    Return the postings and the partition bounds.
    """

class InsideSearch:
    """What to search for within documents."""

    def __new__(cls, kind: str, measure: str, min_length: int) -> Self:
        """`kind` is lines, sentences, paragraphs or passages; `measure` is letters or tokens."""
    def length(self, text: str) -> int:
        """Return the length of a text in the measure of the search."""

def inside_approved_records(
    texts: list[str], scopes: ReadableBuffer, search: InsideSearch, bits: int
) -> tuple[Buffer, Buffer]:
    """Compute the records of approved texts, whose ranks are their numbers, scattered into 2^bits partitions.

    Return the records and the bounds.
    """

def inside_records(
    texts: FileTexts | Callable[[list[int]], Any],
    documents: ReadableBuffer,
    ranks: ReadableBuffer,
    scopes: ReadableBuffer,
    search: InsideSearch,
    bits: int,
    keys: ReadableBuffer | None = None,
) -> tuple[Buffer, Buffer]:
    """Compute the records of some documents, scattered into 2^bits partitions.

    With `keys`, only records with one of them. Return the records and the bounds.
    """

def inside_pairs(
    records: ReadableBuffer,
    search: InsideSearch,
    repeats: int,
    both_ways: bool,
    bucket_ranks: int,
    buckets: int,
    approved: int = 0,
) -> tuple[Buffer, Buffer, int, int]:
    """Group the records of a partition.

    Return the pairs of places by bucket of ranks, the bounds of the buckets, and the number of keys with too many
    surroundings and of places that were not compared with all of them. The first `approved` ranks are approved texts;
    if there are any, places are only paired with them.
    """

class InsideDecider:
    """Decides which repeated text is cut, in the order of rank."""

    def __new__(
        cls,
        search: InsideSearch,
        keeps: bool,
        mends: bool,
        document_of: ReadableBuffer,
        lengths: ReadableBuffer,
        approved: list[str] = ...,
    ) -> Self:
        """`document_of` and `lengths` have the document and its folded length for every rank.

        If there are `approved` texts, which have the first ranks, only whole ones are cut.
        """
    def decide(self, texts: FileTexts | Callable[[list[int]], Any], pairs: ReadableBuffer) -> dict[str, Any]:
        """Decide all pairs of some documents: propose, trace and strip. Return columns by name."""
    def propose(self, texts: FileTexts | Callable[[list[int]], Any], pairs: ReadableBuffer) -> tuple[Buffer, int]:
        """Compare the texts of all pairs of some documents.

        Returns the pieces that are proposed for cutting, and the number of refuted pairs. A piece has nine `uint32`:
        rank, start and end in the text, start and end in folded units, the rank of the other document, the first unit
        there, form, count.
        """
    def trace(self, pieces: ReadableBuffer) -> Buffer:
        """Trace proposed pieces, by rank, to the documents that keep their text."""
    def strip(self, texts: FileTexts | Callable[[list[int]], Any], pieces: ReadableBuffer) -> dict[str, Any]:
        """Strip documents, all of whose traced pieces are among these; return columns by name."""
    def cuts(self) -> int:
        """Return the number of cuts so far."""
    def past(self, first: int) -> Buffer:
        """Return the cuts from a number on, for `resume`."""
    def resume(self, past: ReadableBuffer) -> None:
        """Add the cuts of an earlier call, to continue after it."""

def inside_repetition(texts: Any) -> Buffer:
    """Measure the repetition within each text: 14 `float32` a text."""

def inside_measures() -> list[tuple[str, float]]:
    """Return the names of the measures with their published limits."""

def rewrite_rows(
    block: bytes,
    columns: RowColumns,
    encoding: str,
    places: ReadableBuffer,
    bounds: ReadableBuffer,
    deletions: ReadableBuffer,
    mask: str,
) -> bytes:
    """Delete ranges of the text of rows, each replaced by `mask`.

    Row i is the bytes `places[2i]..places[2i + 1]` of the block, and its ranges are the pairs from `bounds[i]` to
    `bounds[i + 1]`.
    """

class Strings:
    """n concatenated strings: string i is `values`bounds[i`..bounds`i + 1`]`."""

    def __new__(cls, values: ReadableBuffer, bounds: ReadableBuffer) -> Self: ...
    def __getitem__(self, row: int) -> str:
        """Return the string of a row."""

    def take(self, rows: ReadableBuffer) -> tuple[Buffer, Buffer]:
        """Return the bytes and the bounds (int64) of the strings in some rows (uint32)."""

    def labels(self, placed: ReadableBuffer, files: Strings, file: ReadableBuffer, row: ReadableBuffer) -> Strings:
        """Return the labels of documents whose ids these are: the id, or `file:row` where `placed` is not 0."""

def rank(preference: ReadableBuffer, identifiers: ReadableBuffer, bounds: ReadableBuffer) -> Buffer:
    """Rank the documents by preference (lowest first), then by identifier, then by position.

    Identifier i is `identifiers`bounds[i`..bounds`i + 1`]`.
    """

def removals(
    texts: FileTexts | Callable[[list[int]], Any], kept: ReadableBuffer, removed: ReadableBuffer
) -> tuple[Buffer, Buffer, Buffer]:
    """Compare removed documents with the kept ones: titles, bylines and change counts."""

def compilations(
    texts: Any, candidates: Sequence[tuple[int, Sequence[int]]], learned: Boilerplate
) -> list[tuple[bool, list[bool]]]:
    """Detect compilations.

    For each text and its candidate stories, returns whether the text is a compilation and which candidates are stories
    in it.
    """

def ruling(
    kept: str, removed: str, removable: Sequence[str]
) -> tuple[str, str | None, float, tuple[float, float], tuple[float, float], bool]:
    """Rule on a text whose counterpart is kept.

    Return the relation; which text derives ("a" is the kept one); the confidence; the copied and reworded shares of
    both; and whether the relations allow its removal.
    """

def repeated(order: ReadableBuffer, identifiers: ReadableBuffer, bounds: ReadableBuffer) -> Buffer:
    """Return one byte per document: 1 if another document has the same identifier and the identifier is not empty.

    `order` lists the documents sorted by identifier.
    """

def scan_jsonl(block: ReadableBuffer, columns: RowColumns, encoding: str) -> dict[str, Any]:
    """Read the rows of a block of whole lines; see `whorl_core::rows::jsonl::scan`."""

class JsonSplitter:
    """Splits a stream into the values of a JSON array, or into consecutive JSON values."""

    def __new__(cls, in_array: bool, longest: int) -> Self: ...
    @property
    def is_over(self) -> bool:
        """True if the array has ended."""
    def rest(self) -> bytes:
        """Return the bytes of the unfinished value."""
    def feed(self, bytes: bytes) -> tuple[list[bytes], int]:
        """Feed the next bytes.

        Return the values that end within them, and how many of the bytes belong to the array.
        """

def count_lines(block: bytes) -> int:
    """Count the lines of a block."""

def select_lines(block: bytes, keep: bytes) -> tuple[Buffer, int]:
    """Select the lines of a block whose byte in `keep` is not 0.

    Return them and their number.
    """

def is_encoding(name: str) -> bool:
    """True if `name` is a supported encoding of rows."""

def likely_encodings(data: bytes, claimed: str | None = None) -> list[tuple[str, bool]]:
    """Guess the encodings of bytes that are not UTF-8, most likely first, each with a flag for the claimed one."""

def wide_encoding(data: bytes) -> str | None:
    """Return the UTF-16 encoding of bytes without a byte order mark, or None."""

def order_values(values: list[str | None]) -> Buffer:
    """Parse dates and numbers as sort values of documents; NaN if unparsable."""

def date_values(values: list[str | None]) -> Buffer:
    """Parse dates as seconds since 1970; NaN if unparsable.

    See `whorl_core::rows::time::seconds`.
    """

def pack_texts(texts: Any) -> list[bytes]:
    """Pack texts; see `whorl_core::rows::packing`."""

def unpack_texts(packed: Sequence[bytes]) -> list[str | None]:
    """Unpack texts; damaged ones become None."""

def array_fault(array: Any) -> tuple[int, str] | None:
    """Return the first unreadable row of an array of strings or views with the reason, or None."""

def fold(text: str) -> str:
    """Fold a text, without separators."""

def tokens(text: str) -> list[str]:
    """Return the tokens of a text."""

def body_ranges(text: str) -> list[tuple[int, int]]:
    """Return the stretches of a text that are its body."""

def edit_runs(a: str, b: str) -> list[tuple[str, int, int, int, int]]:
    """Compute the edit runs from one text to another."""

def shared_spans(text: str, other: str, width: int) -> list[tuple[int, int]]:
    """Return the stretches of `text`, as code-point ranges, covered by shingles that also occur in `other`."""

def pinyin_fold(text: str) -> str:
    """Fold a text and replaces every Han character with its toneless syllable; tokens are separated by a space."""

def pinyin_readings(text: str) -> list[tuple[str, int]]:
    """Return the syllable and the offset of every Han character of a text."""

def pinyin_initials(text: str, by_word: bool) -> str:
    """Return the initial letters of the syllables of a text's Han characters, by word or by character."""

def undo_look_alikes(text: str) -> tuple[Buffer, int]:
    """Restore the characters replaced by look-alikes.

    Return the code points and the number of replacements.
    """

def longest_sentence(
    texts: Any, count: int, run: int, min_length: int, per_sentence: bool, min_shared: int
) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `longest_sentence`."""

def segment(
    texts: Any, count: int, rule: str, min_length: int, min_shared: int
) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `segment`."""

def punctuation(texts: Any, width: int, sample: int, min_shared: int) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `punctuation`."""

def bag(texts: Any, min_length: int) -> tuple[Buffer, Buffer, Buffer, Buffer, Buffer]:
    """Fingerprints of the family `bag`."""

def sentences(text: str) -> list[tuple[int, int]]:
    """Return the sentences of a text as code-point ranges."""

def segments(text: str, count: int, rule: str) -> list[tuple[int, int] | None]:
    """Return the segments of a text as code-point ranges; None for empty segments."""

def punctuation_contexts(text: str, width: int) -> list[tuple[int, int]]:
    """Return the contexts of a text's punctuation marks as code-point ranges."""
