"""The durable library: the class that users work with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, overload

from whorl._internal.gc_policy import garbage_sought_seldom
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library.boilerplate import protection as claims
from whorl.library.cases.cases import Cases
from whorl.library.cases.rejudging import rejudge, rejudge_cases
from whorl.library.clusters import reconciliation as settling
from whorl.library.clusters.queries import ClusterQueries
from whorl.library.core import Core
from whorl.library.ingest.adding import add_batches
from whorl.library.ingest.arguments import demand_text
from whorl.library.ingest.batches import DocumentBatch, prepared
from whorl.library.ingest.documents import document_of
from whorl.library.ingest.group_commit import GroupCommit
from whorl.library.ingest.reporting import PendingReports
from whorl.library.ingest.user_data import several
from whorl.library.ledger import Ledger
from whorl.library.provenance.accounts import Accounts, owners_of
from whorl.library.provenance.attestations import Attestations
from whorl.library.provenance.pages import Pages
from whorl.library.provenance.reprints import ReprintStats, reprinting
from whorl.library.provenance.sites import Sites
from whorl.library.provenance.times import time_of
from whorl.library.provenance.visits import Visits
from whorl.library.provenance.zones import DefaultZones
from whorl.library.reviews.outbox import Outbox
from whorl.library.reviews.permissions import Permissions
from whorl.library.reviews.reviews import Reviews
from whorl.library.search.browsing import kept_document
from whorl.library.search.documents import DocumentQueries
from whorl.library.stored_settings import StoredSettings
from whorl.types.cards import CardList
from whorl.types.library import AddCounts, Document, Report, Review

DocumentInput = Document | Mapping[str, Any]


class Library(DocumentQueries, ClusterQueries):
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
        permissions: permissions to reprint.
        attestations: attestations of when articles were published.
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
        super().__init__(core, address)
        self._commits = GroupCommit(core)
        self.sites, self.permissions, self.attestations, self.pages = (
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

        Cost: the comparisons with what shares keys. In batches of unrelated Chinese news of a thousand characters, each
            with about four short passages that others have, about 2.5 ms on two slow cores; without texts 1 ms. A
            single one needs a commit of some milliseconds.
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

    def _rights_changed(self, domains: Iterable[str]) -> None:
        """Judge the cases on these domains again, whose sites or permissions have changed."""
        rejudge(self, domains)


__all__ = ["Library"]
