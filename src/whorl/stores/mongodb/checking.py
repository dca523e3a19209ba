"""Consistency checks between the rows of a library."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from whorl.i18n import say
from whorl.stores.mongodb.layout import (
    ALERTS,
    ALIASES,
    ATTESTATIONS,
    CONTENTS,
    DECISIONS,
    DOCUMENTS,
    SNAPSHOTS,
    restored,
)
from whorl.stores.mongodb.reading import MongoReader
from whorl.stores.records import Content


def faults_of(reading: MongoReader) -> list[str]:
    """Return a sentence for each kind of fault, with its frequency."""
    documents: dict[int, int] = {}
    no_json = 0
    for row in reading.scan(DOCUMENTS, ["content", "metadata"]):
        documents[row["number"]] = row["content"]
        no_json += row["metadata"] != "" and not _is_json(restored(row["metadata"]))
    contents = {content.number: content for content in map(CONTENTS.record_of, reading.scan(CONTENTS))}
    counted = {
        say("a document refers to a missing content"): sum(
            content_number not in contents for content_number in documents.values()
        ),
        say("the document count of a content is wrong"): _miscounted(documents, contents),
        say("a match refers to a missing content"): _lost(reading, contents),
        say("a merged cluster still has documents"): _in_merged_clusters(reading, contents),
        say("data refers to a missing document"): sum(number not in documents for number in _told_of(reading)),
        say("the headers of a snapshot or the payload of an alert are not valid JSON"): _no_json(reading),
        say("the metadata of a document is not valid JSON"): no_json,
    }
    return [say("{reason}: {count:,}", reason=what, count=count) for what, count in counted.items() if count]


def _miscounted(documents: dict[int, int], contents: dict[int, Content]) -> int:
    rows = Counter(documents.values())
    return sum(content.members != rows[number] for number, content in contents.items())


def _lost(reading: MongoReader, contents: dict[int, Content]) -> int:
    return sum(pair.low not in contents or pair.high not in contents for pair in reading.all_pairs())


def _in_merged_clusters(reading: MongoReader, contents: dict[int, Content]) -> int:
    removed = {alias.cluster for alias in reading.whole(ALIASES)}
    return sum(content.cluster in removed for content in contents.values())


def _told_of(reading: MongoReader) -> Iterator[int]:
    """Yield the documents that attestations, snapshots and decisions refer to."""
    yield from (row["document"] for row in reading.scan(ATTESTATIONS, ()))
    yield from (row["document"] for row in reading.scan(SNAPSHOTS, ["document"]) if row["document"] is not None)
    for row in reading.scan(DECISIONS, ["low", "high"]):
        yield from (row["low"], row["high"])


def _no_json(reading: MongoReader) -> int:
    texts = [(SNAPSHOTS, "headers"), (ALERTS, "payload")]
    return sum(not _is_json(restored(row[name])) for kind, name in texts for row in reading.scan(kind, [name]))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


__all__ = ["faults_of"]
