"""Phrases that many articles share make none of them a candidate."""

from __future__ import annotations

import random

import whorl

PHRASE = "international telecommunications infrastructure reconstruction"


def strangers(count: int) -> list[dict[str, str]]:
    """Return English articles that share one phrase, and nothing else."""
    rng = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [["".join(rng.choices(letters, k=6)) for _ in range(200)] for _ in range(count)]
    return [
        {"id": str(number), "text": " ".join([*value[:100], PHRASE, *value[100:]])}
        for number, value in enumerate(words)
    ]


def test_a_phrase_of_many_articles_costs_no_comparison() -> None:
    few, many = (whorl.dedup(strangers(count), method="news") for count in (4, 20))
    assert few.run["comparisons"] == {"count": 6, "per_document": 1.5}
    assert many.run["comparisons"] == {"count": 0, "per_document": 0.0}
    assert (many.run["counts"]["kept"], many.run["boilerplate"]["count"]) == (20, 0)
    assert few.run["boilerplate"]["phrases"] == 0 < many.run["boilerplate"]["phrases"]


def test_copies_are_found_beside_it() -> None:
    articles = strangers(20)
    half = articles[3]["text"].split()[60:180]
    result = whorl.dedup([*articles, {"id": "part", "text": " ".join(half)}], method="news")
    assert [(row["id"], row["duplicate_of"]) for row in result.duplicates.to_pylist()] == [("part", "3")]
    assert result.run["comparisons"]["count"] == 1


def test_an_excerpt_of_some_long_articles_is_no_phrase() -> None:
    hosts = strangers(6)
    excerpt = " ".join(hosts[0]["text"].split()[20:40])
    rest = [{**host, "text": f"{host['text']} {excerpt}"} for host in hosts[1:]]
    result = whorl.dedup([hosts[0], *rest, {"id": "excerpt", "text": excerpt}], method="news")
    assert [row["id"] for row in result.duplicates.to_pylist()] == ["excerpt"]
    assert result.run["boilerplate"]["phrases"] == 0
