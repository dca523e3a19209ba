"""Read-only methods of a library about its documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from time import time_ns
from typing import TYPE_CHECKING, Any

from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.indexes.columns import demand_positive
from whorl.library.core import Core
from whorl.library.handle import LibraryHandle
from whorl.library.ingest.arguments import demand_collection, demand_entry, demand_text, is_number
from whorl.library.ingest.user_data import several
from whorl.library.maintenance.export import export
from whorl.library.provenance.changes import LibraryChanges, changes
from whorl.library.provenance.times import time_of
from whorl.library.search.browsing import document_page, kept_document, kept_documents
from whorl.library.search.candidates import LibraryCandidates
from whorl.library.search.queries import check, compare_documents, every_match, report_of
from whorl.library.search.same_content import content_candidates, demand_content, demand_texts, matches_by_content
from whorl.matching.compare import Comparing
from whorl.stores.records import DocumentFilter
from whorl.text.iscc import demand_bits, text_codes
from whorl.types.cards import CardList
from whorl.types.comparison import Comparison
from whorl.types.library import Document, DocumentPage, Match, Report, Sighting, microseconds, moment

if TYPE_CHECKING:
    from whorl.matching.meaning import Encoder, Model


class DocumentQueries(LibraryHandle):
    """Documents of a library, with their matches and their history."""

    def check(
        self,
        text: str,
        *,
        at: datetime | str | None = None,
        collection: str | None = None,
        meaning: Model = False,
    ) -> Report:
        """Return the report that ``add`` would give for a text, without storing it.

        >>> text = library.get("nr-042").text
        >>> [match.id for match in library.check(text).matches if match.joins]
        ['nr-042', 'nr-036']

        Args:
            text: an article.
            at: date of the text, if the library has a window; None is now.
            collection: only matches with documents of this collection; None for all.
            meaning: also compare the text with up to eight further documents that share many rare words with it, by the
                vectors of sentences, to find the same content in other words or in another language: True with the
                model of the extra ``meaning``, or the path of a folder with a model. Only in a library of the method
                "content". Such matches are the last ones and join no cluster.

        Raises:
            InputError: it is not text, the library is damaged, or ``meaning`` is a folder without a model.
            UsageError: an extra is not installed, or the library cannot be searched by meaning.

        Cost: about a millisecond for an article of a thousand characters among a million. With ``meaning``, also about
            30 ms of a core for each sentence of these texts.
        """
        when = _asked_at(text, at)
        demand_collection(collection)
        encoder = Comparing(meaning=meaning).encoder
        if encoder is None:
            return check(self._core, text, when, collection)
        return _check_by_meaning(self._core, text, when, collection, encoder)

    def every_match(self, text: str, *, collection: str, at: datetime | str | None = None) -> Iterator[Match]:
        """Yield all matches of a text with the documents of a collection, beyond the best 32 that ``check`` lists.

        >>> list(library.every_match(library.get("nr-042").text, collection="watched"))
        []

        Args:
            text: an article.
            collection: name of the collection.
            at: date of the text, if the library has a window; None is now.

        Raises:
            InputError: as for ``check``.

        Cost: a comparison for each text that shares enough with it, some tenths of a millisecond each. Memory for 32
            texts and their documents.
        """
        when = _asked_at(text, at)
        demand_collection(collection)
        return every_match(self._core, text, when, collection)

    def get(self, id: str, *, revision: int | None = None) -> Document | None:
        """Return a document; None if no document has this id.

        >>> library.get("nr-042").title
        '入秋打喷嚏，先分清感冒还是花粉'
        >>> library.get("none") is None
        True

        Args:
            id: id of the document.
            revision: number of the text, from 1; None is the latest.
        """
        with self._core.store.reading() as reader:
            return kept_document(reader, id, revision)

    def get_all(self, ids: Iterable[str], *, texts: bool = True) -> dict[str, Document]:
        """Return the documents that exist by id, with the round trips of a single ``get``.

        >>> list(library.get_all(["nr-042", "none"]))
        ['nr-042']

        Args:
            ids: ids of documents; all their texts are in memory.
            texts: False to leave texts and links empty.
        """
        with self._core.store.reading() as reader:
            return kept_documents(reader, several(ids), texts=texts)

    def iscc(self, ids: Iterable[str], *, bits: int = 64) -> dict[str, str]:
        """Return the Text-Codes of the documents that exist by id, as `whorl.iscc.text_code` computes them.

        >>> library.iscc(["nr-042", "none"])
        {'nr-042': 'ISCC:EAAVD746OJX3KO7U'}

        Args:
            ids: ids of documents; all their texts are in memory.
            bits: size of the codes: 64, 96, and so on, up to 256.

        Raises:
            UsageError: the size is not supported, or the library keeps no texts.
        """
        demand_bits(bits)
        demand_texts(self._core)
        documents = self.get_all(ids)
        codes = text_codes([document.text for document in documents.values()], bits)
        return dict(zip(documents, codes, strict=True))

    def __contains__(self, id: object) -> bool:
        with self._core.store.reading() as reader:
            return isinstance(id, str) and bool(reader.entries([id]))

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.count()

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of all documents, in the order of adding."""
        with self._core.store.reading() as reader:
            for entry in reader.all_entries():
                yield entry.id

    def ids(self, *, collection: str | None = None, since: datetime | str | None = None) -> Iterator[str]:
        """Yield the ids of documents, in the order of adding.

        >>> next(library.ids(since="2026-05-01"))
        'nr-001'

        Args:
            collection: only documents of this collection; None for all.
            since: only those first seen at or after this time; None for all.
        """
        demand_collection(collection)
        time = time_of(since, "since")
        with self._core.store.reading() as reader:
            for entry in reader.all_entries(collection, None if time is None else microseconds(time)):
                yield entry.id

    def documents(
        self,
        *,
        among: str | None = None,
        source: str | None = None,
        author: str | None = None,
        since: datetime | str | None = None,
        title: str | None = None,
        after: int | None = None,
        limit: int = 100,
        newest: bool = False,
    ) -> DocumentPage:
        """Return documents without their texts, page by page.

        >>> [entry.id for entry in library.documents(title="花粉", limit=2).items]
        ['nr-042', 'nr-050']

        Args:
            among: only documents of this collection.
            source: only those of this publisher.
            author: only those by this author.
            since: only those first seen at or after this time.
            title: only those whose titles contain this, ignoring the case of Latin letters.
            after: ``mark`` of the previous page; None for the first page.
            limit: maximum number.
            newest: list the latest additions first.

        Returns:
            The documents in the order of adding. If few of many match, a page may have fewer than ``limit`` documents,
            or none. The last page has no ``mark``.

        Raises:
            UsageError: an argument is invalid.

        Cost: at most a tenth of a second, whatever the size of the library.
        """
        demand_collection(among)
        for name, value in (("source", source), ("author", author), ("title", title)):
            if value is not None:
                demand_text(name, value)
        demand_positive("limit", limit)
        if after is not None and not (is_number(after) and after >= 0):
            raise UsageError(
                say("{after!r:.60} is not a valid position", after=after), hint=say("use `next` of a page, or None")
            )
        time = time_of(since, "since")
        chosen = DocumentFilter(among, source, author, None if time is None else microseconds(time), title)
        with self._core.store.reading() as reader:
            return document_page(reader, chosen, after, limit, newest=newest)

    def collections(self) -> dict[str, int]:
        """Return the number of documents in each collection.

        >>> library.collect(["nr-042"], "protected"), library.collections()
        (1, {'protected': 1})
        """
        with self._core.store.reading() as reader:
            return reader.collections()

    def matches(self, id: str, *, collection: str | None = None) -> tuple[Match, ...]:
        """Return the matches of a document from when it was added, the best first, with their passages.

        If many more documents have the same text, a ``check`` of it finds those of one collection beyond the limit.

        >>> [(match.id, match.relation) for match in library.matches("nr-042")][:2]
        [('nr-006', 'compilation'), ('nr-066', 'compilation')]

        Args:
            id: id of the document.
            collection: only matches with documents of this collection; None for all.

        Raises:
            NotFoundError: the document does not exist.
        """
        return self.report(id, collection=collection).matches

    def report(self, id: str, *, collection: str | None = None) -> Report:
        """Return the current report of a document, like ``add``.

        >>> library.report("nr-042").state
        'known'

        Args:
            id: id of the document.
            collection: only matches with documents of this collection; None for all.

        Raises:
            NotFoundError: the document does not exist.
        """
        demand_collection(collection)
        with self._core.store.reading() as reader:
            return report_of(self._core, reader, demand_entry(reader, id), collection)

    def compare(self, id: str, other: str) -> Comparison:
        """Compare a document with another one, its possible source, without learned boilerplate.

        The copied shares are those of their match, which reviews, alerts, statistics and evidence show as well.

        >>> round(library.compare("nr-042", "nr-006").ratios.copied, 2) == round(
        ...     library.matches("nr-042")[0].this_in_other, 2
        ... )
        True

        Args:
            id: id of the examined document.
            other: id of the source.

        Raises:
            NotFoundError: a document does not exist.
        """
        with self._core.store.reading() as reader:
            return compare_documents(self._core, reader, id, other)

    def sightings(self, id: str) -> list[Sighting]:
        """Return the places and times at which a document was seen, oldest first.

        >>> len(library.sightings("nr-042"))
        1

        Raises:
            NotFoundError: the document does not exist.
        """
        with self._core.store.reading() as reader:
            entry = demand_entry(reader, id)
            later = [(sighting.url, sighting.at) for sighting in reader.sightings([entry.number]).get(entry.number, ())]
        return CardList(Sighting(url, moment(at)) for url, at in [(entry.url, entry.first_seen_at), *later])

    def changes(self, since: int = 0, *, limit: int = 10_000) -> LibraryChanges:
        """Return what was added, changed or removed after a mark: documents, matches and reviews.

        >>> told = library.changes()
        >>> len(told.added), library.changes(told.mark).added
        (91, ())

        To read everything, loop until the mark stays: ``while (page := library.changes(mark)).mark != mark``.

        Args:
            since: the last ``mark`` that was returned; 0 for the whole history.
            limit: maximum number of changes; the next call continues after the returned mark.

        Raises:
            UsageError: an argument is not a valid number.

        Cost: proportional to the changes returned, whatever the length of the log.
        """
        demand_positive("limit", limit)
        if type(since) is not int or not 0 <= since < 2**63:
            raise UsageError(
                say("{since!r:.60} is not a valid position", since=since),
                hint=say("use the position that `changes` returned, or 0"),
            )
        return changes(self._core, since, limit)

    def export(self, order: str = "added") -> Iterator[dict[str, Any]]:
        """Yield every document as plain data for JSON, with its cluster and its history; ``add`` accepts it.

        >>> next(library.export())["id"]
        'nr-001'

        The history has former texts, sightings, decisions, attestations and cases with their events. Sites,
        permissions, accounts, stored pages, alerts and the ledger are not part of a document: ``backup`` and
        `whorl.tasks.library.maintenance.copy` have everything.

        Args:
            order: "added", "time" (published, or first seen) or "cluster", which puts copies next to each other for
                better compression.

        Raises:
            NotFoundError: the order is unknown.
        """
        with self._core.store.reading() as reader:
            yield from export(reader, order)

    def candidates(self) -> LibraryCandidates:
        """Return the articles as references for ``whorl.dedup(..., against=...)``.

        >>> whorl.dedup([library.get("nr-042").text, "明天有雨。"], against=library).kept
        ['明天有雨。']
        """
        return LibraryCandidates(self._core, self._address)

    def notices(self) -> list[str]:
        """Return the beginnings of the learned boilerplate, up to 200 code points each, oldest first.

        >>> library.notices()
        []
        """
        with self._core.store.reading() as reader:
            return self._core.notices.excerpts(reader)


def _check_by_meaning(core: Core, text: str, when: int, collection: str | None, encoder: Encoder) -> Report:
    demand_content(core)
    report = check(core, text, when, collection)
    matched = {match.id for match in report.matches}
    with core.store.reading() as reader:
        further = content_candidates(core, reader, text, when, collection, matched)
    return replace(report, matches=(*report.matches, *matches_by_content(core, further, text, encoder)))


def _asked_at(text: str, at: datetime | str | None) -> int:
    """Return the time of a text to be checked.

    Raises:
        InputError: the text is not text, or the time is invalid.
    """
    if not isinstance(text, str):
        raise InputError(say("expected text, got {kind}", kind=type(text).__name__), hint=say("use a string"))
    time = time_of(at, "at")
    return time_ns() // 1000 if time is None else microseconds(time)


__all__ = ["DocumentQueries"]
