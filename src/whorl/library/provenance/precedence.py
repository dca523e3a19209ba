"""Which of two sites usually has a text first, counted over the clusters of a library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import combinations, islice
from threading import Lock

from whorl._internal.frozen import frozen
from whorl.attribution.member_facts import Witness
from whorl.attribution.precedence import SAME_TEXT, Article, Precedences
from whorl.library.core import Core
from whorl.library.ingest.documents import publication_in
from whorl.library.provenance.hosts import site_of
from whorl.stores import Reader
from whorl.stores.records import Content, Entry, Mark
from whorl.types.library import moment

_MOST_PAIRS = 20_000
_MOST_EQUAL = 6
"""Documents per content that are read: further ones hardly add knowledge about two sites."""


@frozen
class _Counted:
    mark: Mark
    cycles: Mapping[str, timedelta | None]
    precedences: Precedences


class PrecedenceCache:
    """The counts of a library, which are renewed after changes.

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._counted: _Counted | None = None
        self._turn = Lock()

    def of(
        self,
        addresses: Iterable[tuple[str, str]],
        cycles: Mapping[str, timedelta | None],
        without: Iterable[str] = (),
    ) -> dict[tuple[str, str], tuple[int, int]]:
        """Return how many texts the site of the first address had first, and how many that of the second.

        Args:
            addresses: pairs of addresses.
            cycles: domains of registered sites with their update cycles; any other site is identified by its host.
            without: ids of documents whose clusters do not count, such as the one that is judged.
        """
        with self._core.store.reading() as reader:
            precedences = self._current(reader, cycles)
            contents = reader.contents(entry.content for entry in reader.entries(without).values())
            clusters = {content.cluster for content in contents.values()}
        return {
            (address, other): precedences.of(site_of(address, cycles), site_of(other, cycles), clusters)
            for address, other in addresses
        }

    def _current(self, reader: Reader, cycles: Mapping[str, timedelta | None]) -> Precedences:
        mark = reader.mark()
        with self._turn:
            if self._counted is None or (self._counted.mark, self._counted.cycles) != (mark, cycles):
                self._counted = _Counted(mark, cycles, _counted(reader, cycles))
            return self._counted.precedences


def _counted(reader: Reader, cycles: Mapping[str, timedelta | None]) -> Precedences:
    """Count the texts of a library.

    Cost: reads up to 20,000 pairs of articles with the same text, some tenths of a second.
    """
    pairs = list(islice(_pairs(reader), _MOST_PAIRS))
    numbers = {number for pair in pairs for number in pair}
    contents = reader.contents(numbers)
    entries = reader.members(numbers, _MOST_EQUAL)
    articles = _articles(entries, cycles)
    of_cluster: dict[int, list[tuple[Article, Article]]] = defaultdict(list)
    for low, high in pairs:
        for two in _between(low, high, entries):
            first, second = (articles[entry.number] for entry in two)
            if first[0] != second[0]:
                of_cluster[_cluster(contents, low)].append((first, second))
    precedences = Precedences()
    for cluster, found_pairs in of_cluster.items():
        precedences.add(cluster, found_pairs)
    return precedences


def _pairs(reader: Reader) -> Iterator[tuple[int, int]]:
    """Yield the contents that several documents have, and pairs of contents that are the same text."""
    yield from ((content, content) for content in reader.repeated())
    for pair in reader.all_pairs():
        if min(pair.low_in_high, pair.high_in_low) >= SAME_TEXT:
            yield pair.low, pair.high


def _between(low: int, high: int, entries: Mapping[int, list[Entry]]) -> Iterator[tuple[Entry, ...]]:
    if low == high:
        yield from combinations(entries.get(low, ()), 2)
    else:
        yield from ((entry, other) for entry in entries.get(low, ()) for other in entries.get(high, ()))


def _articles(entries: Mapping[int, list[Entry]], cycles: Mapping[str, timedelta | None]) -> dict[int, Article]:
    """Return the documents with their sites, by number."""
    sites = {entry.number: site_of(entry.url or "", cycles) for members in entries.values() for entry in members}
    since: dict[str, datetime] = {}
    for members in entries.values():
        for entry in members:
            at, site = moment(entry.first_seen_at), sites[entry.number]
            since[site] = min(at, since.get(site, at))
    return {
        entry.number: (sites[entry.number], _witness(entry, since, sites[entry.number], cycles))
        for members in entries.values()
        for entry in members
    }


def _witness(entry: Entry, since: Mapping[str, datetime], site: str, cycles: Mapping[str, timedelta | None]) -> Witness:
    return Witness(
        entry.id,
        published_at=publication_in(entry),
        first_seen_at=moment(entry.first_seen_at),
        update_cycle=cycles.get(site),
        visited_since=since[site],
    )


def _cluster(contents: Mapping[int, Content], number: int) -> int:
    content = contents.get(number)
    return -number if content is None else content.cluster


__all__ = ["PrecedenceCache"]
