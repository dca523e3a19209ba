"""Complete visits to a site show how late an article may have been found, and which claimed dates are false."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.monitor.test_lies import HOST, crawled, ours, verdicts
from tests.unit.monitor.test_parts import OURS
from tests.unit.monitor.test_saved import page

import whorl
from whorl.library.provenance.visits import SiteVisits
from whorl.monitor.watching import watch

DAY = timedelta(days=1)
BEGIN = datetime(2026, 2, 20, 6, tzinfo=UTC)
DAILY = [BEGIN + number * DAY for number in range(13)]


@pytest.mark.parametrize(
    ("times", "first_seen_at", "cycle"),
    [
        ([], None, None),
        (DAILY[:2], None, None),
        (DAILY, None, DAY),
        (DAILY, DAILY[5] + DAY / 2, DAY),
        ([*DAILY[:4], DAILY[12]], DAILY[12] - DAY / 4, 8.75 * DAY),
        (DAILY, BEGIN - DAY, DAY),
    ],
)
def test_the_cycle_is_the_time_between_visits(
    times: list[datetime], first_seen_at: datetime | None, cycle: timedelta | None
) -> None:
    assert SiteVisits(times).cycle(first_seen_at) == cycle


@pytest.mark.parametrize(
    ("claimed", "seen_at", "is_false"),
    [
        (DAILY[3], DAILY[9] + DAY / 2, True),
        (DAILY[3], DAILY[5] + DAY / 2, True),
        (DAILY[3], DAILY[4] + DAY / 2, False),
        (BEGIN - 300 * DAY, DAILY[9], False),
        (DAILY[9], DAILY[9], False),
    ],
)
def test_only_visits_after_the_claimed_time_contradict_it(claimed: datetime, seen_at: datetime, is_false: bool) -> None:
    assert SiteVisits(DAILY).contradict(claimed, seen_at) is is_false


@pytest.mark.parametrize(
    ("date", "verdict"), [("2026-02-22", "copy"), ("2001-01-01", "undetermined"), ("2026-03-04", "undetermined")]
)
def test_a_false_early_date_does_not_make_a_copy_undetermined(date: str, verdict: str, tmp_path: Path) -> None:
    library = ours(tmp_path, published_at="2026-03-07T08:00:00+08:00")
    with whorl.open(library) as opened:
        for at in DAILY:
            opened.visits.record(["shared.example"], at)
    head = f'<meta property="article:published_time" content="{date}T08:00:00+08:00">'
    run = watch(library, saved=crawled(tmp_path, a=page(OURS, head=head)))
    assert verdicts(run) == {f"{HOST}/a.html": verdict}


def test_many_visits_are_thinned_and_belong_to_the_longest_domain(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "visits") as library:
        for number in range(500):
            library.visits.record(["copies.example"], BEGIN + number * timedelta(hours=6))
        library.visits.record(["blog.copies.example"], BEGIN)
        visits = library.visits.of("https://www.copies.example/1")
        assert len(visits.times) <= 200
        assert visits.since == BEGIN
        assert visits.cycle(None) in (timedelta(hours=6), timedelta(hours=12))
        assert len(library.visits.of("https://blog.copies.example/1").times) == 1
        assert library.visits.of("https://other.example/1").since is None
