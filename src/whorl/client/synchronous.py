"""The asynchronous client. ``make client`` generates ``synchronous.py`` from this file: edit only this one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from time import sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

import httpx

from whorl.client.answers import convert, delay_before, demand_answer, only, read
from whorl.client.questions import Question, lines_of, plain_document, timed
from whorl.types.attribution import Trace
from whorl.types.cases import Case, CaseEvent
from whorl.types.copies import CopyGroup, CopyPeriod, CopyStatistics
from whorl.types.jobs import Job
from whorl.types.library import (
    AddedLine,
    Cluster,
    ClusterSize,
    Document,
    DocumentEntry,
    Match,
    Report,
    Review,
    Sighting,
)
from whorl.types.pages import SeenPage
from whorl.types.review import ReviewQueue
from whorl.types.stories import Stories

if TYPE_CHECKING:
    from whorl.types.options import CompareOptions

_Answer = TypeVar("_Answer")
_PAGE = 1000
_LOOK = 0.5


class Client:
    """Asynchronous client of a whorl service; safe to share between tasks.

    >>> import whorl
    >>> client = whorl.Client("http://127.0.0.1:8000")

    Args:
        address: address of the service, such as "http://127.0.0.1:8000".
        key: API key; None for a local service without authentication.
        library: name of the library; None if the service has only one.
        language: language of error messages, "en" or "zh"; None is that of the service.
        timeout: seconds to wait for a response.
        tries: maximum number of attempts for a request that fails in transit or is rate-limited.
        transport: a transport of httpx, for example with a proxy, client certificates or a service in memory; None
            connects to the address.

    Raises:
        InputError: the service cannot be reached, or a text or file cannot be read with these options.
        NotFoundError: the requested object does not exist.
        UsageError: the request is contradictory, or the key is invalid or lacks the permission.
        ResourceError: the service has exhausted a resource.
    """

    def __init__(
        self,
        address: str,
        key: str | None = None,
        *,
        library: str | None = None,
        language: str | None = None,
        timeout: float = 30.0,
        tries: int = 3,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        headers = {"Accept": "application/json"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        if language is not None:
            headers["Accept-Language"] = language
        self._http = httpx.Client(base_url=address, headers=headers, timeout=timeout, transport=transport)
        self._library = library
        self._tries = max(1, tries)

    def libraries(self) -> list[str]:
        """Return the names of the libraries that the key can access.

        >>> client.libraries()
        ['newsroom']
        """
        answer = self._ask(dict[str, list[str]], Question("GET", "/v1/libraries"))
        return answer["libraries"]

    def stats(self) -> dict[str, Any]:
        """Return the statistics of the library: its recipe, counts by kind, and size in bytes.

        >>> stats = client.stats()
        >>> stats["documents"]
        0
        """
        return self._ask(dict[str, Any], self._of("GET"))

    def compare(
        self, text: str, sources: Iterable[str | Mapping[str, Any]], **options: Unpack[CompareOptions]
    ) -> dict[str, Any]:
        """Compare a text with its possible sources: five ratios and the passages, as in ``whorl compare --json``.

        >>> comparison = client.compare("据悉，渔港的冰厂添了机器。", ["渔港的冰厂添了机器。"])
        >>> comparison["sentence"]
        '82% of text B stands in text A'

        Args:
            text: the examined text.
            sources: source texts, or mappings with "text" and optionally "name" and "authorised".
            **options: "exclude", "boilerplate", "least", "reprint" and "language", as for `whorl.compare`.
        """
        articles = [{"text": source} if isinstance(source, str) else dict(source) for source in sources]
        body = {"text": text, "sources": articles, **options}
        return self._ask(dict[str, Any], Question("POST", "/v1/compare", body=body))

    def fingerprint(
        self, texts: Iterable[str], method: str = "minhash", *, keys: str = "hex", signature: bool = False
    ) -> list[dict[str, Any]]:
        """Compute the fingerprint of each text: "digest", "length", "keys", "code", and "signature" if requested.

        >>> prints = client.fingerprint(["渔港的冰厂添了机器。", "渔港的冰厂，添了机器"])
        >>> prints[0]["digest"] == prints[1]["digest"]
        True

        Args:
            texts: the texts.
            method: a fingerprint family or a preset.
            keys: type of the keys: "hex", "uint64" or "int64".
            signature: True to add signatures, in hexadecimal.
        """
        body = {"texts": list(texts), "method": method, "keys": keys, "signature": signature}
        answer = self._ask(dict[str, Any], Question("POST", "/v1/fingerprint", body=body))
        prints: list[dict[str, Any]] = answer["texts"]
        return prints

    def check(self, text: str, *, at: datetime | str | None = None, collection: str | None = None) -> Report:
        """Check a text against the library without adding it. See `whorl.Library.check`.

        >>> report = client.check("渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。")
        >>> report.state
        'checked'
        """
        return self._ask(Report, self._of("POST", "check", body={"text": text, "at": timed(at), "among": collection}))

    def check_file(self, path: str | PathLike[str], *, collection: str | None = None) -> list[dict[str, Any]]:
        """Check each article of a file: TXT, HTML, DOCX, PDF, XLSX and others.

        >>> articles = client.check_file("examples/newsroom/originals.jsonl")
        >>> len(articles)
        30

        Each item has "row", "id", and "report" or "problem".
        """
        file = Path(path)
        question = self._of("POST", "check", "file", params={"among": collection})
        question = question.with_file(file.name, file.read_bytes())
        answer = self._ask(dict[str, Any], question)
        articles: list[dict[str, Any]] = answer["articles"]
        return articles

    def add(self, document: Document | Mapping[str, Any]) -> Report:
        """Add a document, or a new text of an existing one, and return its report. It is durable on return.

        >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
        >>> report = client.add({"id": "ice", "text": text})
        >>> report.state
        'new'

        A request without a response is retried safely: the document is added once.
        """
        question = self._of("POST", "documents", body=plain_document(document))
        return self._ask(Report, question.once())

    def add_each(self, documents: Iterable[Document | Mapping[str, Any]]) -> Iterator[AddedLine]:
        """Add documents, and yield a report or a problem for each.

        >>> [line.state for line in client.add_each([{"id": "copy", "text": text}])]
        ['new']

        All documents of a call are sent in one request: pass a few thousand at a time.
        """
        question = self._of("POST", "documents", "bulk", content=lines_of(documents))
        with self._http.stream(**question.plain()) as answer:
            if answer.is_error:
                answer.read()
                demand_answer(answer)
            for line in answer.iter_lines():
                if line:
                    yield read(AddedLine, line.encode())

    def get(self, id: str, *, revision: int | None = None) -> Document:
        """Return a document.

        >>> document = client.get("ice")
        >>> document.revision
        1

        Raises:
            NotFoundError: the document or the revision does not exist.
        """
        return self._ask(Document, self._of("GET", "documents", id, params={"revision": revision}))

    def remove(self, id: str, *, force: bool = False) -> None:
        """Remove a document.

        >>> report = client.add({"id": "draft", "text": "明天有雨，记得带伞。"})
        >>> client.remove("draft")

        Args:
            id: its id.
            force: remove it even if it is the copy or the article of an open case, which records the removal.

        Raises:
            NotFoundError: the document does not exist.
            UsageError: it is the copy or the article of an open case.
        """
        self._bytes(self._of("DELETE", "documents", id, params={"force": True} if force else {}))

    def documents(
        self,
        *,
        among: str | None = None,
        source: str | None = None,
        author: str | None = None,
        since: datetime | str | None = None,
        title: str | None = None,
        newest: bool = False,
    ) -> Iterator[DocumentEntry]:
        """Yield documents without their texts, in the order of adding; filters are those of `whorl.Library.documents`.

        >>> [entry.id for entry in client.documents()]
        ['ice', 'copy']
        """
        chosen = {"collection": among, "source": source, "author": author, "since": timed(since), "q": title}
        yield from self._paginate(DocumentEntry, "documents", params={**chosen, "newest": newest})

    def report(self, id: str, *, collection: str | None = None) -> Report:
        """Return the report on a document. See `whorl.Library.report`.

        >>> report = client.report("copy")
        >>> report.cluster_id == (client.report("ice")).cluster_id
        True
        """
        return self._ask(Report, self._of("GET", "matches", params={"of": id, "among": collection}))

    def matches(self, id: str, *, collection: str | None = None) -> list[Match]:
        """Return the documents that share text with a document, the best match first.

        >>> [match.id for match in client.matches("copy")]
        ['ice']
        """
        return list((self.report(id, collection=collection)).matches)

    def sightings(self, id: str) -> Iterator[Sighting]:
        """Yield the sightings of a document, the earliest first.

        >>> len([sighting for sighting in client.sightings("copy")])
        1
        """
        yield from self._paginate(Sighting, "sightings", params={"of": id})

    def look_up(self, pages: Iterable[str | Mapping[str, Any]]) -> list[SeenPage]:
        """Look up pages before they are fetched: known addresses and contents, in the order of the pages.

        >>> [page] = client.look_up(["https://copies.example/7"])
        >>> page.is_known
        False

        Args:
            pages: up to 1,000 addresses, or mappings with "url", "page_digest" (SHA-256 of the body) and "text_digest".
        """
        questions = [{"url": page} if isinstance(page, str) else dict(page) for page in pages]
        answer = self._ask(dict[str, list[SeenPage]], self._of("POST", "seen", body={"pages": questions}))
        return answer["pages"]

    def clusters(self, *, at_least: int = 2, since: datetime | str | None = None) -> Iterator[ClusterSize]:
        """Yield the clusters, the largest first.

        >>> clusters = [cluster for cluster in client.clusters()]
        >>> [cluster.size for cluster in clusters]
        [2]
        """
        params = {"at_least": at_least, "since": timed(since)}
        yield from self._paginate(ClusterSize, "clusters", params=params)

    def cluster(self, id: int) -> Cluster:
        """Return a cluster with its members.

        >>> cluster = client.cluster(clusters[0].id)
        >>> sorted(cluster.documents)
        ['copy', 'ice']
        """
        return self._ask(Cluster, self._of("GET", "clusters", str(id)))

    def best(self, ids: Iterable[str]) -> Stories:
        """Return one article per story among some articles. See `whorl.Library.best`.

        >>> stories = client.best(["ice", "copy"])
        >>> len(stories.stories)
        1

        Args:
            ids: up to 1,000 ids, such as the hits of a search.
        """
        return self._ask(Stories, self._of("POST", "best", body={"ids": list(ids)}))

    def copy_statistics(
        self,
        *,
        of: str = "protected",
        by: CopyGroup = "site",
        period: CopyPeriod | None = None,
        zone: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        top: int | None = None,
        listed: bool = False,
    ) -> CopyStatistics:
        """Return who copies the articles of a collection. See `whorl.watch.copy_statistics`.

        >>> engine = "渔港的船今年换了新的柴油机，比旧的省一半油。"
        >>> report = client.add({"id": "ours", "text": engine, "collection": "protected"})
        >>> (client.copy_statistics()).total.registered
        1
        >>> client.remove("ours")

        Args:
            of: the collection.
            by: "site", "author", "work", "day", "month" or "year".
            period: also divide the rows by the day, month or year of finding.
            zone: time zone of the dates, such as "Asia/Shanghai"; None is UTC.
            since: only copies found at or after this time.
            until: only copies found before this time.
            top: maximum number of rows; None uses the limit of the service.
            listed: also list all copies.
        """
        times = {"since": timed(since), "until": timed(until)}
        params = {"of": of, "by": by, "period": period, "zone": zone, **times, "top": top, "listed": listed}
        question = self._of("GET", "statistics", "copies", params=params)
        return self._ask(CopyStatistics, question)

    def trace(self, cluster: int) -> Trace:
        """Return the probable original of a cluster, with probabilities and reasons.

        >>> trace = client.trace(clusters[0].id)
        >>> len(trace.attribution.members)
        2
        """
        return self._ask(Trace, self._of("GET", "clusters", str(cluster), "trace"))

    def review_queue(self, *, top: int = _PAGE, collection: str | None = None) -> ReviewQueue:
        """Return the matches awaiting review, the most severe first.

        >>> queue = client.review_queue()
        >>> [(match.id, match.other) for match in queue.matches]
        [('copy', 'ice')]

        Args:
            top: maximum number of matches, from 1 to 1,000.
            collection: collection of the documents; None is all.
        """
        question = self._of("GET", "reviews", params={"limit": top, "among": collection})
        answer = self._ask(dict[str, Any], question)
        return convert(ReviewQueue, {**answer, "matches": answer["items"]})

    def review(self, id: str, other: str, state: str, *, note: str = "") -> Review:
        """Set the decision about a match: "confirmed", "rejected", "authorised" or "pending".

        >>> review = client.review("copy", "ice", "confirmed", note="ours")
        >>> review.state
        'confirmed'
        """
        decided = {"id": id, "other": other, "state": state, "note": note}
        return self._ask(Review, self._of("POST", "reviews", body=decided))

    def cases(
        self, *, states: Iterable[str] = (), article: str | None = None, site: str | None = None
    ) -> Iterator[Case]:
        """Yield cases, the latest first, fetching further pages on demand.

        >>> [case.number for case in client.cases(states=["removed"])]
        []

        Args:
            states: only cases in these states; empty for those that are not settled.
            article: only cases of this protected article.
            site: only cases on this site.
        """
        params = {"state": list(states), "article": article, "site": site}
        yield from self._paginate(Case, "cases", params=params)

    def open_case(self, id: str, other: str, *, note: str = "") -> Case:
        """Open a case for a copy and a protected article.

        >>> case = client.open_case("copy", "ice")
        >>> case.number, case.state
        (1, 'open')
        """
        question = self._of("POST", "cases", body={"id": id, "other": other, "note": note})
        return self._ask(Case, question.once())

    def case_events(self, number: int) -> list[CaseEvent]:
        """Return the events of a case, the oldest first.

        >>> [event.kind for event in client.case_events(1)]
        ['found']
        """
        answer = self._ask(dict[str, Any], self._of("GET", "cases", str(number)))
        return [convert(CaseEvent, event) for event in answer["events"]]

    def record_event(
        self, number: int, kind: str, *, note: str = "", to: str = "", deadline: datetime | str | None = None
    ) -> Case:
        """Record what a person did in a case: "notice", "deadline", "closed", "reopened" or "note".

        >>> (client.record_event(1, "closed", note="settled")).state
        'closed'

        Args:
            number: number of the case.
            kind: kind of event.
            note: reason or text.
            to: recipient of a notice.
            deadline: deadline of a notice, or a new deadline.
        """
        event = {"kind": kind, "note": note, "to": to, "deadline": timed(deadline)}
        question = self._of("POST", "cases", str(number), "events", body=event)
        return self._ask(Case, question.once())

    def evidence(self, id: str, other: str, to: str | PathLike[str]) -> None:
        """Write the evidence pack of a match to a file.

        >>> client.evidence("copy", "ice", "pack.zip")
        """
        question = self._of("POST", "evidence", body={"id": id, "other": other})
        Path(to).write_bytes(self._bytes(question))

    def start(self, kind: str, **arguments: Any) -> Job:
        """Start a background job, such as "verify", "reindex" or "export".

        >>> job = client.start("export")
        >>> job.kind
        'export'
        """
        return self._ask(Job, (self._of("POST", "jobs", body={"kind": kind, **arguments})).once())

    def job(self, id: str) -> Job:
        """Return the current state of a job.

        >>> job = client.job(job.id)
        >>> job.library
        'newsroom'
        """
        return self._ask(Job, Question("GET", f"/v1/jobs/{id}"))

    def wait(self, job: Job) -> Job:
        """Wait for a job to end, and return it.

        >>> job = client.wait(job)
        >>> job.state
        'done'
        """
        while not job.has_ended:
            sleep(_LOOK)
            job = self.job(job.id)
        return job

    def result(self, job: Job) -> bytes:
        """Return the output of a job as bytes.

        >>> packed = client.result(job)
        >>> len(packed) > 0
        True
        """
        return self._bytes(Question("GET", f"/v1/jobs/{job.id}/result"))

    def cancel(self, job: Job) -> Job:
        """Cancel a job; it stops as soon as possible."""
        return self._ask(Job, Question("DELETE", f"/v1/jobs/{job.id}"))

    def close(self) -> None:
        """Close the connections.

        >>> client.close()
        """
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _of(self, method: str, *parts: str, **more: Any) -> Question:
        """Build a request about the library."""
        if self._library is None:
            self._library = only(self.libraries())
        return Question.of_library(self._library, method, parts, **more)

    def _paginate(self, kind: type[_Answer], *parts: str, params: Mapping[str, Any]) -> Iterator[_Answer]:
        """Yield all items of a paginated list."""
        cursor = None
        while True:
            question = self._of("GET", *parts, params={**params, "limit": _PAGE, "cursor": cursor})
            answer = self._ask(dict[str, Any], question)
            for item in answer["items"]:
                yield convert(kind, item)
            cursor = answer["next"]
            if cursor is None:
                return

    def _ask(self, kind: type[_Answer], question: Question) -> _Answer:
        return read(kind, self._bytes(question))

    def _bytes(self, question: Question) -> bytes:
        """Send a request and return the response body, with retries for repeatable requests."""
        tried = 0
        while True:
            tried += 1
            came: httpx.Response | httpx.TransportError
            try:
                came = self._http.request(**question.plain())
            except httpx.TransportError as error:
                came = error
            delay = delay_before(came, question, tried, self._tries)
            if delay is None:
                return demand_answer(came).content
            sleep(delay)


__all__ = ["Client"]
