"""The durable library: the class that users work with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from threading import Lock
from time import time_ns
from types import TracebackType
from typing import Any, Self, overload

from whorl._internal.gc_policy import garbage_sought_seldom
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.indexes.columns import demand_positive
from whorl.library.boilerplate import protection as claims
from whorl.library.cases.cases import Cases
from whorl.library.cases.rejudging import rejudge, rejudge_cases
from whorl.library.clusters import reconciliation as settling
from whorl.library.core import Core
from whorl.library.ingest.adding import add_batches
from whorl.library.ingest.arguments import (
    address_of,
    demand_cluster,
    demand_collection,
    demand_entry,
    demand_text,
    is_number,
)
from whorl.library.ingest.batches import DocumentBatch, prepared
from whorl.library.ingest.documents import document_of
from whorl.library.ingest.group_commit import GroupCommit
from whorl.library.ingest.reporting import PendingReports
from whorl.library.ingest.user_data import several
from whorl.library.ledger import Ledger
from whorl.library.maintenance.export import export
from whorl.library.maintenance.repair import repair as find_again
from whorl.library.maintenance.verification import verify
from whorl.library.provenance.accounts import Accounts, owners_of
from whorl.library.provenance.attestations import Attestations
from whorl.library.provenance.changes import LibraryChanges, changes
from whorl.library.provenance.pages import Pages
from whorl.library.provenance.reprints import ReprintStats, reprinting
from whorl.library.provenance.sites import Sites
from whorl.library.provenance.times import time_of
from whorl.library.provenance.visits import Visits
from whorl.library.provenance.zones import DefaultZones, library_zone, set_library_zone
from whorl.library.reviews.outbox import Outbox
from whorl.library.reviews.permissions import Permissions
from whorl.library.reviews.reviews import Reviews
from whorl.library.rules import Rules
from whorl.library.search.best import best_of, best_of_cluster
from whorl.library.search.browsing import document_page, kept_document, kept_documents
from whorl.library.search.candidates import LibraryCandidates
from whorl.library.search.queries import (
    check,
    cluster_of,
    compare_documents,
    documents_of,
    every_match,
    report_of,
    titles_of,
    trace,
)
from whorl.library.stored_settings import StoredSettings
from whorl.recipe import Recipe
from whorl.stores.records import DocumentFilter
from whorl.types.cards import CardList, card
from whorl.types.comparison import Comparison
from whorl.types.library import (
    AddCounts,
    Cluster,
    ClusterSize,
    Document,
    DocumentPage,
    IntegrityReport,
    Match,
    Report,
    Review,
    Sighting,
    TraceStep,
    microseconds,
    moment,
)
from whorl.types.stories import Stories

DocumentInput = Document | Mapping[str, Any]


class Library:
    """Stored articles, each with its matches and its cluster. Thread-safe; opened by ``whorl.open``.

    >>> import whorl
    >>> library = whorl.open("newsroom")
    >>> whorl.library.add_files(library, "examples/newsroom/articles.jsonl").new
    91
    >>> len(library)
    91

    When a method returns, its changes are durable and survive the end of the process or the machine. Other processes
    may read concurrently; writers take turns.

    Attributes:
        sites: known sites.
        leaves: permissions to reprint.
        proofs: attestations of when articles were published.
        accounts: sites and accounts known to belong to authors.
        visits: complete visits of the watch to sites.
        pages: pages as they were fetched.
        reviews: all decisions about matches.
        outbox: alerts to be sent.
        ledger: append-only log of what was stored and when.
        cases: copies of protected articles, from the first sighting to the settlement.
        watch_settings: sites to watch, which the console edits.
        watch_starts: when the latest run of each site with a schedule started.
        alert_settings: receivers and rules of alerts, which the console edits.
    """

    def __init__(self, core: Core, address: str) -> None:
        self._core = core
        self._address = address
        self._commits = GroupCommit(core)
        self.sites, self.leaves, self.proofs, self.pages = (
            Sites(core, self._rights_changed),
            Permissions(core, self._rights_changed),
            Attestations(core),
            Pages(core),
        )
        self.accounts, self.visits = Accounts(core), Visits(core)
        self.watch_settings = StoredSettings(core, "watch settings")
        self.watch_starts = StoredSettings(core, "watch starts")
        self.alert_settings = StoredSettings(core, "alert settings")
        self.cases = Cases(core, lambda case: rejudge_cases(self, [case]))
        self.reviews, self.outbox, self.ledger = Reviews(core), Outbox(core), Ledger(core)
        self._closing = Lock()
        self._is_open = True
        self._process = os.getpid()

    @overload
    def add(self, documents: DocumentInput) -> Report: ...
    @overload
    def add(self, documents: Iterable[DocumentInput]) -> list[Report]: ...
    def add(self, documents: DocumentInput | Iterable[DocumentInput]) -> Report | list[Report]:
        """Store documents and return a report of each: its matches and its cluster.

        >>> report = library.add({"id": "new", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"})
        >>> report.state, report.matches
        ('new', ())

        Re-adding an unchanged text under a known id records only new metadata and sightings. Another text under a known
        id is a revision: matches and cluster become those of the new text, and the old text is kept. Documents of one
        call, and of concurrent calls, are matched with each other.

        Args:
            documents: one document or many: ``whorl.Document``, or mappings of its fields.

        Raises:
            InputError: a document lacks an id or text, or a value has the wrong type. Documents more than four thousand
                before it are already stored.
            ResourceError: the disk is full or not writable, or another process writes for more than a minute.

        Cost: about 0.3 ms per article of a thousand characters in batches; a single one needs a commit of some
            milliseconds.
        """
        if isinstance(documents, Document | Mapping):
            return next(self.add_each([documents]))
        return CardList(self.add_each(documents))

    def add_each(self, documents: Iterable[DocumentInput]) -> Iterator[Report]:
        """Store documents batch by batch, and yield the report of each once it is durable.

        >>> again = {"id": "new", "text": "今天天气很好，适合出门散步。"}
        >>> [report.state for report in library.add_each([again])]  # another text under the same id
        ['revised']

        Use it if the reports of all documents may not fit into memory. The documents are read lazily: stopping after a
        report adds no documents beyond its batch.

        Args:
            documents: as for ``add``; read on demand, at most four thousand ahead.

        Raises:
            InputError: as for ``add``.
            ResourceError: as for ``add``.
        """
        for added in self._added(documents):
            yield from added.reports(self._core)

    def fill(self, documents: Iterable[DocumentInput]) -> Iterator[AddCounts]:
        """Store documents batch by batch, and yield the counts of each batch once it is durable.

        >>> [tally.known for tally in library.fill([again])]
        [1]

        It stores the same as ``add_each`` without making reports. Reports take a fifth of its time for news; for long
        manual pages a twentieth, or a quarter in a library that keeps no texts.

        Args:
            documents: as for ``add_each``.

        Raises:
            InputError: as for ``add``.
            ResourceError: as for ``add``.
        """
        for added in self._added(documents, are_counted=True):
            yield added.tally()

    def _added(self, documents: Any, *, are_counted: bool = False) -> Iterator[PendingReports]:
        """Store documents in batches."""
        if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
            raise InputError(
                say("expected a document, got {kind}", kind=type(documents).__name__),
                hint=say("use a whorl.Document or a dict"),
            )
        with garbage_sought_seldom():
            zoned = DefaultZones(self._core).zoned(map(document_of, documents))
            for batch in prepared(self._core.making, zoned):
                yield self._commits.add(replace(batch, is_counted=are_counted))

    def add_if(self, document: DocumentInput, demand: Callable[[Document | None], None]) -> Report:
        """Store a document if the stored one under its id meets a condition; check and write are atomic.

        >>> def unchanged(kept):
        ...     if kept is None or kept.revision != 2:
        ...         raise whorl.errors.UsageError("somebody has changed it")
        >>> library.add_if({"id": "new", "text": "今天天气很好，适合出门散步。"}, unchanged).state
        'known'

        Args:
            document: as for ``add``.
            demand: called with the stored document, or None; if it raises, nothing changes, and the error propagates.

        Raises:
            InputError: as for ``add``.
            ResourceError: as for ``add``.

        Cost: one commit, which is not shared with other threads.
        """
        candidate = DefaultZones(self._core).placed(document_of(document))
        batch = DocumentBatch.of(self._core.making, [candidate])
        (added,) = add_batches(self._core, [batch], lambda writer: demand(kept_document(writer, candidate.id)))
        return added.reports(self._core)[0]

    def check(self, text: str, *, at: datetime | str | None = None, collection: str | None = None) -> Report:
        """Return the report that ``add`` would give for a text, without storing it.

        >>> text = library.get("nr-042").text
        >>> [match.id for match in library.check(text).matches if match.joins]
        ['nr-042', 'nr-036']

        Args:
            text: an article.
            at: date of the text, if the library has a window; None is now.
            collection: only matches with documents of this collection; None for all.

        Raises:
            InputError: it is not text, or the library is damaged.

        Cost: about a millisecond for an article of a thousand characters among a million.
        """
        when = _asked_at(text, at)
        demand_collection(collection)
        return check(self._core, text, when, collection)

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

    def collect(self, ids: Iterable[str], collection: str) -> int:
        """Move documents into a collection; return how many exist.

        >>> library.collect(["nr-042", "none"], "")
        1

        Args:
            ids: ids of the documents.
            collection: its name; empty for none.
        """
        demand_text("collection", collection)
        return claims.collect(self._core, several(ids), collection)

    def remove(self, ids: str | Iterable[str], *, force: bool = False, by: str = "") -> int:
        """Remove documents; return how many existed.

        >>> library.remove(["new", "none"])
        1

        A cluster that only they connected is split; the part with its oldest member keeps the id.

        Args:
            ids: id of a document, or several ids.
            force: remove also the copies and articles of open cases. No evidence pack can be made of these cases any
                more; the removal and the SHA-256 of the text are recorded in them.
            by: person who removes them, for that record.

        Raises:
            UsageError: a document is the copy or the article of an open case; then all documents remain.
            ResourceError: as for ``add``; then all documents remain.

        Cost: linear in the size of their clusters.
        """
        if not isinstance(ids, Iterable):
            raise UsageError(say("{ids!r} is not a valid id", ids=ids), hint=say("use one string or several"))
        demand_text("by", by)
        return settling.remove(self._core, [ids] if isinstance(ids, str) else list(ids), force=force, by=by)

    def remove_if(
        self, id: str, demand: Callable[[Document | None], None], *, force: bool = False, by: str = ""
    ) -> int:
        """Remove a document if it meets a condition; return how many were removed.

        >>> library.remove_if("none", lambda kept: None)
        0

        Args:
            id: id of the document.
            demand: as for ``add_if``.
            force: as for ``remove``.
            by: as for ``remove``.

        Raises:
            UsageError: as for ``remove``.
            ResourceError: as for ``add``; then it was not removed.
        """
        demand_text("by", by)
        return settling.remove(self._core, [id], lambda writer: demand(kept_document(writer, id)), force=force, by=by)

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

    def best(self, articles: int | Iterable[str]) -> Stories:
        """Return the best article of each story: complete, clean and long, as ``--keep best`` chooses.

        >>> stories = library.best(["nr-042", "nr-036", "nr-001", "none"])
        >>> [(story.best, story.others) for story in stories.stories], stories.unknown
        ([('nr-036', ('nr-042',)), ('nr-001', ())], ('none',))

        Boilerplate of the library counts neither as length nor as the end of an article.

        Args:
            articles: number of a cluster, or ids of articles, which are grouped by their clusters.

        Raises:
            NotFoundError: the cluster does not exist.

        Cost: reading and fingerprinting the texts of clusters with several of the articles.
        """
        if isinstance(articles, int):
            return best_of_cluster(self._core, articles)
        return best_of(self._core, several(articles))

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

    def review(self, id: str, other: str, state: str, *, by: str = "", note: str = "", reviewers: int = 1) -> Review:
        """Record a decision about a match; return the decision in effect. `reviews` lists all decisions.

        >>> other = library.matches("nr-042")[0].id
        >>> library.review("nr-042", other, "confirmed", by="editor").state
        'confirmed'
        >>> library.review("nr-042", other, "rejected", by="chief", reviewers=2).state
        'pending'

        A decision persists when the documents are revised. Clusters respect it: "rejected" documents no longer join by
        themselves, "confirmed" ones join however little they share, and "authorised" changes nothing. For documents
        with the same text, the last decision applies to all.

        Args:
            id: id of one document.
            other: id of the other.
            state: "pending", "confirmed", "rejected" or "authorised".
            by: reviewer.
            note: reason.
            reviewers: how many people must agree for it to take effect, each with their latest decision. A changed
                number applies to this match; ``reviews.recount`` applies it to all.

        Raises:
            NotFoundError: the document does not exist.
            UsageError: the state is unknown, or several people must agree and ``by`` is empty.

        Cost: that of splitting the cluster of the two, linear in its size.
        """
        return self.reviews.decide(id, other, state, by=by, note=note, reviewers=reviewers)

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

    def clusters(
        self,
        *,
        at_least: int = 2,
        since: datetime | str | None = None,
        limit: int | None = None,
        after: ClusterSize | None = None,
    ) -> list[ClusterSize]:
        """Return the clusters, the largest first.

        >>> [cluster.size for cluster in library.clusters(limit=3)]
        [5, 4, 4]

        Args:
            at_least: minimum number of documents.
            since: count only documents that were first seen at or after this time.
            limit: maximum number of clusters; None for all.
            after: last cluster of the previous page.

        Cost: a pass over all documents; with ``since`` a longer one.
        """
        demand_positive("at_least", at_least)
        if limit is not None:
            demand_positive("limit", limit)
        time = time_of(since, "since")
        with self._core.store.reading() as reader:
            sizes = reader.cluster_sizes(
                at_least,
                None if time is None else microseconds(time),
                limit,
                None if after is None else (after.id, after.size),
            )
        return CardList(ClusterSize(*size) for size in sizes)

    def cluster(self, id: int) -> Cluster:
        """Return a cluster, or the cluster that it was merged into.

        >>> library.cluster(library.clusters()[0].id).size
        5

        Raises:
            UsageError: the cluster does not exist, or has no documents any more.
        """
        demand_cluster(id)
        with self._core.store.reading() as reader:
            return cluster_of(reader, id)

    def clusters_of(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the cluster of each document that exists.

        >>> library.clusters_of(["nr-042", "none"]) == {"nr-042": library.report("nr-042").cluster_id}
        True

        Args:
            ids: ids of the documents.
        """
        with self._core.store.reading() as reader:
            entries = reader.entries(dict.fromkeys(several(ids)))
            contents = reader.contents({entry.content for entry in entries.values()})
        return {id: contents[entry.content].cluster for id, entry in entries.items()}

    def titles(self, cluster: int, since: datetime | str | None = None) -> list[tuple[str, str]]:
        """Return id and title of the members of a cluster, in the order of adding; the text replaces a missing title.

        >>> len(library.titles(library.clusters()[0].id))
        5

        Args:
            cluster: its id.
            since: only documents that were first seen at or after this time.
        """
        demand_cluster(cluster)
        with self._core.store.reading() as reader:
            number = reader.cluster(cluster)
        return self.titles_of_all([number], since)[0]

    def titles_of_all(
        self, clusters: Iterable[int], since: datetime | str | None = None
    ) -> list[list[tuple[str, str]]]:
        """Return what ``titles`` returns for each of several clusters, with the round trips of a single call.

        >>> [len(titles) for titles in library.titles_of_all(one.id for one in library.clusters(limit=2))]
        [5, 4]

        Args:
            clusters: their ids, as ``clusters`` returns them.
            since: only documents that were first seen at or after this time.
        """
        numbers = list(clusters)
        for number in numbers:
            demand_cluster(number)
        time = time_of(since, "since")
        with self._core.store.reading() as reader:
            return titles_of(reader, numbers, None if time is None else microseconds(time))

    def reprinting(
        self, by: str = "site", *, since: datetime | str | None = None, until: datetime | str | None = None
    ) -> list[ReprintStats]:
        """Return the number of articles and copies of each site, author or day, the most articles first.

        >>> library.reprinting("day")[0].articles
        91

        Args:
            by: "site", "author" or "day".
            since: count only documents that were first seen at or after this time.
            until: count only documents that were first seen before this time.

        Raises:
            NotFoundError: ``by`` is unknown.

        Cost: a pass over all documents: some seconds for a million.
        """
        owners = owners_of(self.accounts)
        with self._core.store.reading() as reader:
            return CardList(reprinting(reader, by, time_of(since, "since"), time_of(until, "until"), owners))

    def members(self, clusters: Iterable[int], *, limit: int = 1000) -> list[list[Document]]:
        """Return the documents of each cluster without their texts and links, in the order of adding.

        >>> [[one.id for one in members] for members in library.members([library.clusters()[1].id], limit=2)]
        [['nr-016', 'nr-049']]

        Args:
            clusters: their ids, as ``clusters`` returns them.
            limit: maximum number for each cluster.
        """
        numbers = list(clusters)
        for number in numbers:
            demand_cluster(number)
        demand_positive("limit", limit)
        with self._core.store.reading() as reader:
            return documents_of(reader, numbers, limit)

    @property
    def folder(self) -> Path | None:
        """Folder of the library; None if its store has no folder.

        >>> library.folder.name
        'newsroom'
        """
        return self._core.store.folder

    @property
    def identity(self) -> str:
        """Unique name of the library, by which caches and the state of a watch are found; its backups share it.

        >>> len(library.identity)
        32
        """
        return self._core.store.settings()["identity"]

    @property
    def rules(self) -> Rules:
        """Rules of the library.

        >>> library.rules.similarity
        0.5
        """
        return self._core.making.rules

    @property
    def zone(self) -> str:
        """Default zone of publication times without one, for articles that are added later; empty without one.

        >>> library.zone = "Asia/Shanghai"
        >>> report = library.add({"id": "dated", "text": "渔港的冰厂", "published_at": "2026-11-24 08:00"})
        >>> str(library.get("dated").publication)
        '2026-11-24 08:00 +08:00'
        >>> removed, library.zone = library.remove("dated"), ""
        """
        return library_zone(self._core)

    @zone.setter
    def zone(self, zone: str | None) -> None:
        set_library_zone(self._core, zone)

    @property
    def recipe(self) -> Recipe:
        """Recipe of the keys.

        >>> library.recipe.method
        'winnowing'
        """
        return self._core.making.recipe

    def trace(self, cluster: int) -> list[TraceStep]:
        """Return the members of a cluster in chronological order, each with its strongest link to the earlier ones.

        >>> [one.document.id for one in library.trace(library.clusters()[0].id)][:2]
        ['nr-047', 'nr-082']

        Raises:
            NotFoundError: the cluster does not exist.

        Cost: linear in the pairs of the cluster; each match is compared again.
        """
        demand_cluster(cluster)
        with self._core.store.reading() as reader:
            return CardList(trace(self._core, reader, cluster))

    def verify(self, *, repair: bool = False) -> IntegrityReport:
        """Read everything back: rows, texts and checksums, and the consistency of index and store.

        >>> library.verify().faults
        ()

        An inconsistent index is rebuilt.

        Args:
            repair: look up every article again, store missing matches, and recompute the clusters; ``faults`` lists
                what was wrong before.

        Raises:
            ResourceError: the library cannot be reached.
            UsageError: ``repair`` is set for a library that keeps no texts.

        Cost: fingerprinting all texts and reading every byte; with ``repair``, adding all documents again.
        """
        checkup = verify(self._core)
        return replace(checkup, repaired=find_again(self._core)) if repair else checkup

    def reindex(self) -> None:
        """Rebuild the index from the texts.

        >>> library.reindex()

        Cost: fingerprinting all texts: less than a minute for a million articles of a thousand characters.
        """
        with self._core.turn, self._core.store.reading() as reader:
            self._core.index.rebuild(reader)
            self._core.index.save()

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

    def backup(self, path: str | PathLike[str]) -> None:
        """Write a consistent copy to another place of the same kind, usually a folder, while others read and write.

        The index of the copy is rebuilt when it is opened.

        >>> library.backup("copy-of-newsroom")

        Raises:
            UsageError: the folder holds other files.
            ResourceError: it cannot be written.
        """
        self._core.store.backup(address_of(path))

    def candidates(self) -> LibraryCandidates:
        """Return the articles as references for ``whorl.dedup(..., against=...)``.

        >>> whorl.dedup([library.get("nr-042").text, "明天有雨。"], against=library).kept
        ['明天有雨。']
        """
        return LibraryCandidates(self._core, self._address)

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

    def notices(self) -> list[str]:
        """Return the beginnings of the learned boilerplate, up to 200 code points each, oldest first.

        >>> library.notices()
        []
        """
        with self._core.store.reading() as reader:
            return self._core.notices.excerpts(reader)

    def stats(self) -> dict[str, Any]:
        """Return counts of each kind, sizes in bytes, and the state of the index.

        Clusters are those that `clusters` lists: of two articles or more.

        >>> library.stats()["documents"]
        91
        """
        with self._core.store.reading() as reader:
            self._core.index.catch_up(reader)
            counts = reader.counts() | {"notices": len(self._core.notices.excerpts(reader))}
            kept = {name: count for name, count in reader.kept().items() if count}
        return {"recipe": self._core.making.name, **counts, **kept, "index": self._core.index.stats()}

    def _repr_html_(self) -> str:
        if not self._is_open:
            return card(say("Library"), [(say("address"), self._address), (say("state"), say("closed"))])
        with self._core.store.reading() as reader:
            counts = reader.counts()
        return card(
            say("Library"),
            [(say("address"), self._address), *counts.items(), (say("recipe"), self._core.making.name)],
        )

    def close(self) -> None:
        """Save the index and release all resources; added documents are durable without it.

        >>> library.close()
        """
        if os.getpid() != self._process:
            self._core.store.close()
            return
        with self._closing:
            if self._is_open:
                with self._core.turn:
                    self._core.upkeep.close()
                    self._core.store.close()
                self._is_open = False

    def _rights_changed(self, domains: Iterable[str]) -> None:
        """Judge the cases on these domains again, whose sites or permissions have changed."""
        rejudge(self, domains)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def _asked_at(text: str, at: datetime | str | None) -> int:
    """Return the time of a text to be checked.

    Raises:
        InputError: the text is not text, or the time is invalid.
    """
    if not isinstance(text, str):
        raise InputError(say("expected text, got {kind}", kind=type(text).__name__), hint=say("use a string"))
    time = time_of(at, "at")
    return time_ns() // 1000 if time is None else microseconds(time)


__all__ = ["Library"]
