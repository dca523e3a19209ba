"""Real reprints between sites, some with a source line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import whorl
from benchmarks.articles import data_folder, read_rows
from whorl.attribution.case import ORIGINS
from whorl.attribution.intervals import precise
from whorl.attribution.member_facts import Directory, Relation, Witness, host_of
from whorl.attribution.precedence import SAME_TEXT, Article, Precedences
from whorl.attribution.statements import statements
from whorl.attribution.verdict import attribute
from whorl.library.provenance.times import publication_of
from whorl.types.comparison import Comparison

Two = tuple[Mapping[str, Any], Mapping[str, Any]]

_LEAST_SHARE = 0.6
_MOST_OF_A_CLUSTER = 12
_SOURCES = (*ORIGINS, "dateline")
_CALLED = {
    "chinanews.com": "中国新闻网|中新网|中新社|中国新闻社",
    "tv.cctv.com": "央视网|央视新闻|新闻联播|央视",
    "sina.com.cn": "新浪网|新浪",
    "cankaoxiaoxi.com": "参考消息|参考消息网",
    "news.nankai.edu.cn": "南开新闻网",
    "china.com.cn": "中国网",
}
"""Names of these sites in source lines."""


def judge_reprints() -> dict[str, Any] | None:
    """Return how reprints with a source line are attributed, with these lines and without; None without data.

    A source line is no proof. It is the label here if both articles name the same site, or only one names a site. Which
    of two sites usually has a text first is learned from the dates of the other clusters, as in a library; their source
    lines are not used.
    """
    folder = data_folder()
    if folder is None:
        return None
    rows = list(_pairs(read_rows(folder / "zh-news" / "articles.jsonl.zst")))
    compared = list(whorl.compare_many([(a["text"], other["text"]) for a, other in rows]))
    alike = [
        (two, comparison)
        for two, comparison in zip(rows, compared, strict=True)
        if max(comparison.a_in_b, comparison.b_in_a) >= _LEAST_SHARE
    ]
    precedences = _precedences(alike)
    read, blind, alone, earliest = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for two, comparison in alike:
        members = [_witness(id, row) for id, row in zip("ab", two, strict=True)]
        truth = _stated(members)
        if truth is None:
            continue
        hidden = [replace(member, statements=()) for member in members]
        relation = Relation("a", "b", comparison.a_in_b, comparison.b_in_a)
        first, later = precedences.of(*(member.domain for member in members), without=[two[0]["cluster"]])
        learned = replace(relation, a_first=first, b_first=later)
        read[_judged(members, [learned], truth)] += 1
        blind[_judged(hidden, [learned], truth)] += 1
        alone[_judged(hidden, [relation], truth)] += 1
        earliest[_by_date(members, truth)] += 1
    ways = ("right", "wrong", "undetermined")
    return {
        "origin": "zh-news in WHORL_DATA: pairs on different sites that share text",
        "pairs": len(alike),
        "named": read.total(),
        "read": {way: read[way] for way in ways},
        "blind": {way: blind[way] for way in ways},
        "alone": {way: alone[way] for way in ways},
        "earliest": {way: earliest[way] for way in ways},
    }


def _pairs(rows: Iterator[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    clusters: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["cluster"] and row["url"]:
            clusters[row["cluster"]].append(row)
    for members in clusters.values():
        for first, other in combinations(members[:_MOST_OF_A_CLUSTER], 2):
            if host_of(first["url"]) != host_of(other["url"]):
                yield first, other


def _precedences(pairs: Iterable[tuple[Two, Comparison]]) -> Precedences:
    """Count which site had the whole texts first, by cluster and without source lines."""
    of_cluster: dict[str, list[tuple[Article, Article]]] = defaultdict(list)
    for two, comparison in pairs:
        if min(comparison.a_in_b, comparison.b_in_a) >= SAME_TEXT:
            first, second = (replace(_witness(row["id"], row), statements=()) for row in two)
            of_cluster[two[0]["cluster"]].append(((first.domain, first), (second.domain, second)))
    precedences = Precedences()
    for cluster, articles in of_cluster.items():
        precedences.add(cluster, articles)
    return precedences


def _by_date(members: Sequence[Witness], truth: str) -> str:
    """Return how the earliest claimed date agrees; a date without a time is its midnight."""
    times = sorted((precise(member.published_at).at, member.id) for member in members if member.published_at)
    if len(times) < len(members):
        return "undetermined"
    return "right" if times[0][1] == truth else "wrong"


def _witness(id: str, row: Mapping[str, Any]) -> Witness:
    host = host_of(row["url"])
    called = next((names for site, names in _CALLED.items() if host.endswith(site)), "")
    return Witness(
        id,
        row["url"],
        called,
        title=row["title"],
        length=len(row["text"]),
        published_at=publication_of(row["date"] or None, "date", zone="Asia/Shanghai"),
        statements=statements(row["text"]),
    )


def _stated(members: Sequence[Witness]) -> str | None:
    """Return the only member that all sources and datelines name; None if they name another, both or no member."""
    directory = Directory(members)
    named = [
        tuple(directory.meant(statement.url, statement.name))
        for member in members
        for statement in member.statements
        if statement.kind in _SOURCES
    ]
    if len(set(named)) != 1 or len(named[0]) != 1:
        return None
    return members[named[0][0]].id


def _judged(members: Sequence[Witness], relations: Sequence[Relation], truth: str) -> str:
    original_ids = attribute(members, relations).originals
    return "undetermined" if not original_ids else "right" if original_ids == (truth,) else "wrong"


__all__ = ["judge_reprints"]
