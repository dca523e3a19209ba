"""Find the news agency of each story: one of its articles names it, and the others are compared with that one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whorl.attribution.agencies import agency_of
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.matching.compare import compare_many
from whorl.stores import Reader
from whorl.stores.records import Entry
from whorl.types.stories import AgencyCredit

_FURTHER = 32
"""Stored articles of a story that are read besides those of the request: the first that were added."""


def agency_credits(
    core: Core,
    reader: Reader,
    stories: Mapping[int, Sequence[Entry]],
    clusters: Mapping[int, Sequence[int]],
    texts: Mapping[int, str],
) -> dict[int, AgencyCredit]:
    """Return the agency of each story that has one.

    Args:
        core: the library.
        reader: its store.
        stories: the requested articles of each story.
        clusters: stored clusters of each story.
        texts: texts of the requested articles, by number.

    Returns:
        A credit for each story in which an article names an agency; none for a library without texts.

    Cost: reading up to 32 further articles of each story, and a comparison for each article of a story with an agency.
    """
    if not core.making.rules.texts:
        return {}
    examined = _examined(reader, stories, clusters)
    further = {entry.number for entries in examined.values() for entry in entries} - texts.keys()
    texts = {**texts, **unpacked(reader.texts(further))}
    named = {story: report for story, entries in examined.items() if (report := _first_report(entries, texts))}
    places = [(story, entry) for story in named for entry in stories[story]]
    compared = compare_many(
        [(texts[named[story][0].number], texts.get(entry.number, "")) for story, entry in places],
        notices=core.notices.common(reader),
        content=False,
    )
    copied: dict[int, dict[str, float]] = {story: {} for story in named}
    for (story, entry), comparison in zip(places, compared, strict=True):
        copied[story][entry.id] = comparison.copied[1]
    return {story: AgencyCredit(name, entry.id, copied[story]) for story, (entry, name) in named.items()}


def _examined(
    reader: Reader, stories: Mapping[int, Sequence[Entry]], clusters: Mapping[int, Sequence[int]]
) -> dict[int, list[Entry]]:
    """Return the articles of each story and further ones of its clusters, those that were seen first ahead.

    A stored article is not among the further ones if the request has another text under its id.
    """
    in_clusters = reader.in_clusters(cluster for story in stories for cluster in clusters.get(story, ()))
    contents = {cluster: some[:_FURTHER] for cluster, some in in_clusters.items()}
    members = reader.members((content.number for some in contents.values() for content in some), _FURTHER)
    examined = {}
    for name, story in stories.items():
        ids = {entry.id for entry in story}
        further = [
            entry
            for cluster in clusters.get(name, ())
            for content in contents.get(cluster, ())
            for entry in members.get(content.number, ())
            if entry.id not in ids
        ]
        examined[name] = sorted((*story, *further[:_FURTHER]), key=lambda entry: (entry.first_seen_at, entry.number))
    return examined


def _first_report(entries: Sequence[Entry], texts: Mapping[int, str]) -> tuple[Entry, str] | None:
    """Return the first article that names an agency, with the agency."""
    names = ((entry, agency_of(texts.get(entry.number, ""), entry.source)) for entry in entries)
    return next(((entry, name) for entry, name in names if name), None)


__all__ = ["agency_credits"]
