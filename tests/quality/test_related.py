"""The preset `news` on pages of one subject and one style: it finds editions and keeps the others."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from tests.quality.corpora import Related, of_related, related
from tests.quality.exact import shingles
from tests.quality.test_news import removals

import whorl
from whorl.evaluation.scoring import share_found

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["related"]
_LIGHTLY_EDITED, _TENTH = 0.5, 0.1


@cache
def cleaned(name: str) -> tuple[Related, dict[str, str]]:
    """Return the pages of a set, and each removed page with the kept one."""
    pages = related(name)
    return pages, removals(pages.texts)


def with_floor(floor: str) -> list[str]:
    return [name for name in of_related() if floor in FLOORS[name]]


@pytest.mark.parametrize("name", with_floor("lightly_edited"))
def test_lightly_edited_editions_are_found(name: str) -> None:
    pages, removed = cleaned(name)
    edited = share_found(lightly_edited(pages), removed)
    assert edited.of >= 30, "enough pairs to tell"
    assert edited.hits / edited.of >= FLOORS[name]["lightly_edited"], f"{edited.hits} of {edited.of}"


@pytest.mark.parametrize("name", with_floor("precision"))
def test_removals_are_editions_or_share_text(name: str) -> None:
    pages, removed = cleaned(name)
    assert removed
    assert 1 - len(wrong(pages, removed)) / len(removed) >= FLOORS[name]["precision"], wrong(pages, removed)


@pytest.mark.parametrize("name", with_floor("wrong"))
def test_pages_that_only_resemble_each_other_stay(name: str) -> None:
    pages, removed = cleaned(name)
    assert len(wrong(pages, removed)) <= FLOORS[name]["wrong"], wrong(pages, removed)


@pytest.mark.parametrize("name", with_floor("others"))
def test_few_pages_go_for_another_one(name: str) -> None:
    """Some pages of different names are near-duplicates."""
    pages, removed = cleaned(name)
    assert len(across(pages, removed)) <= FLOORS[name]["others"], across(pages, removed)


@pytest.mark.parametrize("at_once", [1, 1000])
@pytest.mark.parametrize("name", of_related())
def test_clusters_of_a_library_are_editions_however_many_are_added_at_once(
    name: str, at_once: int, tmp_path: Path
) -> None:
    pages, floors = related(name), FLOORS[name]["library"]
    documents = [{"id": id_, "text": text} for id_, text in pages.texts.items()]
    with whorl.open(tmp_path / "library") as library:
        for start in range(0, len(documents), at_once):
            library.add(documents[start : start + at_once])
        clusters = [library.cluster(row.id).documents for row in library.clusters()]
    together = {frozenset(pair) for cluster in clusters for pair in combinations(cluster, 2)}
    editions = {
        frozenset(pair) for pair in combinations(pages.groups, 2) if len({pages.groups[id_] for id_ in pair}) == 1
    }
    assert len(together & editions) >= floors["editions"] * len(editions)
    assert len(together - editions) <= floors["others"], together - editions


def lightly_edited(pages: Related) -> list[tuple[str, str]]:
    """Return the pairs within groups that share half of the distinct 8-grams of the smaller text."""
    members: dict[str, list[str]] = defaultdict(list)
    for page, group in pages.groups.items():
        members[group].append(page)
    return [
        (a, b) for group in members.values() for a, b in combinations(group, 2) if share(pages, a, b) >= _LIGHTLY_EDITED
    ]


def share(pages: Related, a: str, b: str) -> float:
    first, second = shingles(pages.texts[a], 8), shingles(pages.texts[b], 8)
    return len(first & second) / max(1, min(len(first), len(second)))


def wrong(pages: Related, removed: dict[str, str]) -> list[tuple[str, str]]:
    """Return the removals between groups where the kept page has less than a tenth of the removed one's 5-grams."""
    return [(removed_id, kept) for removed_id, kept in across(pages, removed) if had(pages, removed_id, kept) < _TENTH]


def across(pages: Related, removed: dict[str, str]) -> list[tuple[str, str]]:
    """Return the removals between groups."""
    return [
        (removed_id, kept) for removed_id, kept in removed.items() if pages.groups[removed_id] != pages.groups[kept]
    ]


def had(pages: Related, removed: str, kept: str) -> float:
    removed_shingles = shingles(pages.texts[removed])
    return len(removed_shingles & shingles(pages.texts[kept])) / max(1, len(removed_shingles))
