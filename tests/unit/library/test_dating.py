"""Evidence in a library about the accuracy of sites' dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.articles import article

import whorl

BEGIN = datetime(2026, 1, 1, 8, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def test_dates_are_held_against_first_sightings(tmp_path: Path) -> None:
    claims = {
        "honest": [HOUR] * 12,
        "future": [HOUR] * 8 + [-3 * DAY] * 4,
        "backdated": [HOUR] * 6 + [20 * DAY] * 6,
    }
    with whorl.open(tmp_path / "library") as library:
        library.sites.put([{"domain": f"{name}.example", "update_cycle": "6h"} for name in claims])
        for name, ages in claims.items():
            library.add(
                {
                    "id": f"{name}{number}",
                    "text": article(number),
                    "url": f"https://www.{name}.example/{number}",
                    "first_seen_at": BEGIN + number * 3 * DAY,
                    "published_at": BEGIN + number * 3 * DAY - age,
                }
                for number, age in enumerate(ages)
            )
        addresses = {name: f"https://{name}.example/new" for name in claims}
        result = library.sites.datings([*addresses.values(), "https://other.example/1", ""])
        report = {name: (result[address].checked, result[address].false) for name, address in addresses.items()}
        assert report == {"honest": (11, 0), "future": (11, 4), "backdated": (11, 6)}, "the first visit tells nothing"
        assert result[addresses["honest"]].visited_since == BEGIN
        assert len(result) == len(claims)
        without = library.sites.datings([addresses["future"]], without=[f"future{number}" for number in range(8, 12)])
        assert without[addresses["future"]].false == 0


def test_an_archive_that_was_taken_in_at_once_shows_nothing(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add(
            {
                "id": f"{number}",
                "text": article(number),
                "url": f"https://paper.example/{number}",
                "first_seen_at": BEGIN,
                "published_at": BEGIN - number * 40 * DAY,
            }
            for number in range(6)
        )
        [result] = library.sites.datings(["https://paper.example/9"]).values()
        assert (result.checked, result.false) == (0, 0)
