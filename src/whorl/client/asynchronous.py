"""The asynchronous client. ``make client`` generates ``synchronous.py`` from this file: edit only this one."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from whorl.client.answers import convert, demand_answer, read
from whorl.client.async_connection import PAGE_SIZE, AsyncConnection
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

_LOOK = 0.5


class AsyncClient(AsyncConnection):
    """Asynchronous client of a whorl service; safe to share between tasks.

    >>> import whorl
    >>> client = whorl.AsyncClient("http://127.0.0.1:8000")

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

    async def stats(self) -> dict[str, Any]:
        """Return the statistics of the library: its recipe, counts by kind, and size in bytes.

        >>> stats = await client.stats()
        >>> stats["documents"]
        0
        """
        return await self._ask(dict[str, Any], await self._of("GET"))

    async def compare(
        self, text: str, sources: Iterable[str | Mapping[str, Any]], **options: Unpack[CompareOptions]
    ) -> dict[str, Any]:
        """Compare a text with its possible sources: five ratios and the passages, as in ``whorl compare --json``.

        >>> comparison = await client.compare("据悉，渔港的冰厂添了机器。", ["渔港的冰厂添了机器。"])
        >>> comparison["sentence"]
        '82% of text B is in text A'

        Args:
            text: the examined text.
            sources: source texts, or mappings with "text" and optionally "name" and "authorised".
            **options: "exclude", "boilerplate", "least", "reprint", "terms", "language" and "meaning" (True), as for
                `whorl.compare`.
        """
        articles = [{"text": source} if isinstance(source, str) else dict(source) for source in sources]
        body = {"text": text, "sources": articles, **options}
        return await self._ask(dict[str, Any], Question("POST", "/v1/compare", body=body))

    async def fingerprint(
        self, texts: Iterable[str], method: str = "minhash", *, keys: str = "hex", signature: bool = False
    ) -> list[dict[str, Any]]:
        """Compute the fingerprint of each text: "digest", "length", "keys", "code", and "signature" if requested.

        >>> prints = await client.fingerprint(["渔港的冰厂添了机器。", "渔港的冰厂，添了机器"])
        >>> prints[0]["digest"] == prints[1]["digest"]
        True

        Args:
            texts: the texts.
            method: a fingerprint family or a preset.
            keys: type of the keys: "hex", "uint64" or "int64".
            signature: True to add signatures, in hexadecimal.
        """
        body = {"texts": list(texts), "method": method, "keys": keys, "signature": signature}
        answer = await self._ask(dict[str, Any], Question("POST", "/v1/fingerprint", body=body))
        prints: list[dict[str, Any]] = answer["texts"]
        return prints

    async def check(
        self, text: str, *, at: datetime | str | None = None, collection: str | None = None, meaning: bool = False
    ) -> Report:
        """Check a text against the library without adding it. See `whorl.Library.check`.

        With ``meaning``, also find the same content in other words, if the server allows it.

        >>> report = await client.check("渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。")
        >>> report.state
        'checked'
        """
        body = {"text": text, "at": timed(at), "among": collection, **({"meaning": True} if meaning else {})}
        return await self._ask(Report, await self._of("POST", "check", body=body))

    async def check_file(self, path: str | PathLike[str], *, collection: str | None = None) -> list[dict[str, Any]]:
        """Check each article of a file: TXT, HTML, DOCX, PDF, XLSX and others.

        >>> articles = await client.check_file("examples/newsroom/originals.jsonl")
        >>> len(articles)
        30

        Each item has "row", "id", and "report" or "problem".
        """
        file = Path(path)
        question = await self._of("POST", "check", "file", params={"among": collection})
        question = question.with_file(file.name, file.read_bytes())
        answer = await self._ask(dict[str, Any], question)
        articles: list[dict[str, Any]] = answer["articles"]
        return articles

    async def add(self, document: Document | Mapping[str, Any]) -> Report:
        """Add a document, or a new text of an existing one, and return its report. It is durable on return.

        >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
        >>> report = await client.add({"id": "ice", "text": text})
        >>> report.state
        'new'

        A request without a response is retried safely: the document is added once.
        """
        question = await self._of("POST", "documents", body=plain_document(document))
        return await self._ask(Report, question.once())

    async def add_each(self, documents: Iterable[Document | Mapping[str, Any]]) -> AsyncIterator[AddedLine]:
        """Add documents, and yield a report or a problem for each.

        >>> [line.state async for line in client.add_each([{"id": "copy", "text": text}])]
        ['new']

        All documents of a call are sent in one request: pass a few thousand at a time.
        """
        question = await self._of("POST", "documents", "bulk", content=lines_of(documents))
        async with self._http.stream(**question.plain()) as answer:
            if answer.is_error:
                await answer.aread()
                demand_answer(answer)
            async for line in answer.aiter_lines():
                if line:
                    yield read(AddedLine, line.encode())

    async def get(self, id: str, *, revision: int | None = None) -> Document:
        """Return a document.

        >>> document = await client.get("ice")
        >>> document.revision
        1

        Raises:
            NotFoundError: the document or the revision does not exist.
        """
        return await self._ask(Document, await self._of("GET", "documents", id, params={"revision": revision}))

    async def remove(self, id: str, *, force: bool = False) -> None:
        """Remove a document.

        >>> report = await client.add({"id": "draft", "text": "明天有雨，记得带伞。"})
        >>> await client.remove("draft")

        Args:
            id: its id.
            force: remove it even if it is the copy or the article of an open case, which records the removal.

        Raises:
            NotFoundError: the document does not exist.
            UsageError: it is the copy or the article of an open case.
        """
        await self._bytes(await self._of("DELETE", "documents", id, params={"force": True} if force else {}))

    async def documents(
        self,
        *,
        among: str | None = None,
        source: str | None = None,
        author: str | None = None,
        since: datetime | str | None = None,
        title: str | None = None,
        newest: bool = False,
    ) -> AsyncIterator[DocumentEntry]:
        """Yield documents without their texts, in the order of adding; filters are those of `whorl.Library.documents`.

        >>> [entry.id async for entry in client.documents()]
        ['ice', 'copy']
        """
        chosen = {"collection": among, "source": source, "author": author, "since": timed(since), "q": title}
        async for entry in self._paginate(DocumentEntry, "documents", params={**chosen, "newest": newest}):
            yield entry

    async def report(self, id: str, *, collection: str | None = None) -> Report:
        """Return the report on a document. See `whorl.Library.report`.

        >>> report = await client.report("copy")
        >>> report.cluster_id == (await client.report("ice")).cluster_id
        True
        """
        return await self._ask(Report, await self._of("GET", "matches", params={"of": id, "among": collection}))

    async def matches(self, id: str, *, collection: str | None = None) -> list[Match]:
        """Return the documents that share text with a document, the best match first.

        >>> [match.id for match in await client.matches("copy")]
        ['ice']
        """
        return list((await self.report(id, collection=collection)).matches)

    async def sightings(self, id: str) -> AsyncIterator[Sighting]:
        """Yield the sightings of a document, the earliest first.

        >>> len([sighting async for sighting in client.sightings("copy")])
        1
        """
        async for sighting in self._paginate(Sighting, "sightings", params={"of": id}):
            yield sighting

    async def look_up(self, pages: Iterable[str | Mapping[str, Any]]) -> list[SeenPage]:
        """Look up pages before they are fetched: known addresses and contents, in the order of the pages.

        >>> [page] = await client.look_up(["https://copies.example/7"])
        >>> page.is_known
        False

        Args:
            pages: up to 1,000 addresses, or mappings with "url", "page_digest" (SHA-256 of the body) and "text_digest".
        """
        questions = [{"url": page} if isinstance(page, str) else dict(page) for page in pages]
        answer = await self._ask(dict[str, list[SeenPage]], await self._of("POST", "seen", body={"pages": questions}))
        return answer["pages"]

    async def clusters(self, *, at_least: int = 2, since: datetime | str | None = None) -> AsyncIterator[ClusterSize]:
        """Yield the clusters, the largest first.

        >>> clusters = [cluster async for cluster in client.clusters()]
        >>> [cluster.size for cluster in clusters]
        [2]
        """
        params = {"at_least": at_least, "since": timed(since)}
        async for cluster in self._paginate(ClusterSize, "clusters", params=params):
            yield cluster

    async def cluster(self, id: int) -> Cluster:
        """Return a cluster with its members.

        >>> cluster = await client.cluster(clusters[0].id)
        >>> sorted(cluster.documents)
        ['copy', 'ice']
        """
        return await self._ask(Cluster, await self._of("GET", "clusters", str(id)))

    async def stories(self, articles: Iterable[str | Document | Mapping[str, Any]]) -> Stories:
        """Group articles into stories, each with its best article first. See `whorl.Library.stories`.

        >>> stories = await client.stories(["ice", "copy", {"id": "feed-7", "text": text}])
        >>> len(stories.stories)
        1

        Args:
            articles: up to 1,000 ids of stored articles, such as the hits of a search, or articles that need not be
                stored.
        """
        items = [article if isinstance(article, str) else plain_document(article) for article in articles]
        return await self._ask(Stories, await self._of("POST", "stories", body={"articles": items}))

    async def copy_statistics(
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
        >>> report = await client.add({"id": "ours", "text": engine, "collection": "protected"})
        >>> (await client.copy_statistics()).total.registered
        1
        >>> await client.remove("ours")

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
        question = await self._of("GET", "statistics", "copies", params=params)
        return await self._ask(CopyStatistics, question)

    async def trace(self, cluster: int) -> Trace:
        """Return the probable original of a cluster, with probabilities and reasons.

        >>> trace = await client.trace(clusters[0].id)
        >>> len(trace.attribution.members)
        2
        """
        return await self._ask(Trace, await self._of("GET", "clusters", str(cluster), "trace"))

    async def review_queue(self, *, top: int = PAGE_SIZE, collection: str | None = None) -> ReviewQueue:
        """Return the matches awaiting review, the most severe first.

        >>> queue = await client.review_queue()
        >>> [(match.id, match.other) for match in queue.matches]
        [('copy', 'ice')]

        Args:
            top: maximum number of matches, from 1 to 1,000.
            collection: collection of the documents; None is all.
        """
        question = await self._of("GET", "reviews", params={"limit": top, "among": collection})
        answer = await self._ask(dict[str, Any], question)
        return convert(ReviewQueue, {**answer, "matches": answer["items"]})

    async def review(self, id: str, other: str, state: str, *, note: str = "") -> Review:
        """Set the decision about a match: "confirmed", "rejected", "authorised" or "pending".

        >>> review = await client.review("copy", "ice", "confirmed", note="ours")
        >>> review.state
        'confirmed'
        """
        decided = {"id": id, "other": other, "state": state, "note": note}
        return await self._ask(Review, await self._of("POST", "reviews", body=decided))

    async def cases(
        self, *, states: Iterable[str] = (), article: str | None = None, site: str | None = None
    ) -> AsyncIterator[Case]:
        """Yield cases, the latest first, fetching further pages on demand.

        >>> [case.number async for case in client.cases(states=["removed"])]
        []

        Args:
            states: only cases in these states; empty for those that are not settled.
            article: only cases of this protected article.
            site: only cases on this site.
        """
        params = {"state": list(states), "article": article, "site": site}
        async for case in self._paginate(Case, "cases", params=params):
            yield case

    async def open_case(self, id: str, other: str, *, note: str = "") -> Case:
        """Open a case for a copy and a protected article.

        >>> case = await client.open_case("copy", "ice")
        >>> case.number, case.state
        (1, 'open')
        """
        question = await self._of("POST", "cases", body={"id": id, "other": other, "note": note})
        return await self._ask(Case, question.once())

    async def case_events(self, number: int) -> list[CaseEvent]:
        """Return the events of a case, the oldest first.

        >>> [event.kind for event in await client.case_events(1)]
        ['found']
        """
        answer = await self._ask(dict[str, Any], await self._of("GET", "cases", str(number)))
        return [convert(CaseEvent, event) for event in answer["events"]]

    async def record_event(
        self, number: int, kind: str, *, note: str = "", to: str = "", deadline: datetime | str | None = None
    ) -> Case:
        """Record what a person did in a case: "notice", "deadline", "closed", "reopened" or "note".

        >>> (await client.record_event(1, "closed", note="settled")).state
        'closed'

        Args:
            number: number of the case.
            kind: kind of event.
            note: reason or text.
            to: recipient of a notice.
            deadline: deadline of a notice, or a new deadline.
        """
        event = {"kind": kind, "note": note, "to": to, "deadline": timed(deadline)}
        question = await self._of("POST", "cases", str(number), "events", body=event)
        return await self._ask(Case, question.once())

    async def evidence(self, id: str, other: str, to: str | PathLike[str]) -> None:
        """Write the evidence pack of a match to a file.

        >>> await client.evidence("copy", "ice", "pack.zip")
        """
        question = await self._of("POST", "evidence", body={"id": id, "other": other})
        Path(to).write_bytes(await self._bytes(question))

    async def start(self, kind: str, **arguments: Any) -> Job:
        """Start a background job, such as "verify", "reindex" or "export".

        >>> job = await client.start("export")
        >>> job.kind
        'export'
        """
        return await self._ask(Job, (await self._of("POST", "jobs", body={"kind": kind, **arguments})).once())

    async def job(self, id: str) -> Job:
        """Return the current state of a job.

        >>> job = await client.job(job.id)
        >>> job.library
        'newsroom'
        """
        return await self._ask(Job, Question("GET", f"/v1/jobs/{id}"))

    async def wait(self, job: Job) -> Job:
        """Wait for a job to end, and return it.

        >>> job = await client.wait(job)
        >>> job.state
        'done'
        """
        while not job.has_ended:
            await sleep(_LOOK)
            job = await self.job(job.id)
        return job

    async def result(self, job: Job) -> bytes:
        """Return the output of a job as bytes.

        >>> packed = await client.result(job)
        >>> len(packed) > 0
        True
        """
        return await self._bytes(Question("GET", f"/v1/jobs/{job.id}/result"))

    async def cancel(self, job: Job) -> Job:
        """Cancel a job; it stops as soon as possible."""
        return await self._ask(Job, Question("DELETE", f"/v1/jobs/{job.id}"))


__all__ = ["AsyncClient"]
