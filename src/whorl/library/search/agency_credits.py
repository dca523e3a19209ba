"""Find the news agency of each story: an article of its cluster names it, and the others are compared with that one."""

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
"""Articles of a cluster that are read besides those asked for: the first that were added."""


def agency_credits(core: Core, reader: Reader, stories: Mapping[int, Sequence[Entry]]) -> dict[int, AgencyCredit]:
    """Return the agency of each story that has one.

    Args:
        core: the library.
        reader: its store.
        stories: the articles asked for, by cluster.

    Returns:
        A credit for each cluster in which an article names an agency; none for a library without texts.

    Cost: reading the texts of the stories and of up to 32 further articles of each cluster, and a comparison for each
    article of a story with an agency.
    """
    if not core.making.rules.texts:
        return {}
    examined = _examined(reader, stories)
    texts = unpacked(reader.texts({entry.number for entries in examined.values() for entry in entries}))
    named = {cluster: report for cluster, entries in examined.items() if (report := _first_report(entries, texts))}
    places = [(cluster, entry) for cluster in named for entry in stories[cluster]]
    compared = compare_many(
        [(texts[named[cluster][0].number], texts.get(entry.number, "")) for cluster, entry in places],
        notices=core.notices.common(reader),
        content=False,
    )
    copied: dict[int, dict[str, float]] = {cluster: {} for cluster in named}
    for (cluster, entry), comparison in zip(places, compared, strict=True):
        copied[cluster][entry.id] = comparison.copied[1]
    return {cluster: AgencyCredit(name, entry.id, copied[cluster]) for cluster, (entry, name) in named.items()}


def _examined(reader: Reader, stories: Mapping[int, Sequence[Entry]]) -> dict[int, list[Entry]]:
    """Return the articles of each story and further ones of its cluster, those that were seen first ahead."""
    contents = {cluster: some[:_FURTHER] for cluster, some in reader.in_clusters(stories).items()}
    members = reader.members((content.number for some in contents.values() for content in some), _FURTHER)
    examined = {}
    for cluster, story in stories.items():
        further = [entry for content in contents.get(cluster, ()) for entry in members.get(content.number, ())]
        entries = {entry.number: entry for entry in (*story, *further[:_FURTHER])}
        examined[cluster] = sorted(entries.values(), key=lambda entry: (entry.first_seen_at, entry.number))
    return examined


def _first_report(entries: Sequence[Entry], texts: Mapping[int, str]) -> tuple[Entry, str] | None:
    """Return the first article that names an agency, with the agency."""
    names = ((entry, agency_of(texts.get(entry.number, ""))) for entry in entries)
    return next(((entry, name) for entry, name in names if name), None)


__all__ = ["agency_credits"]
