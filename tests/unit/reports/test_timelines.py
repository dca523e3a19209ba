"""Drawings of a cluster: when its articles appeared, and which copied which."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.reports.drawing.timelines import Moment, Timeline
from whorl.reports.drawing.trees import Borrowing, Tree

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
DATES = st.datetimes(timezones=st.just(UTC))


def moment(number: int, published: datetime | None, observed: datetime) -> Moment:
    return Moment(number, f"article {number}", published, observed, is_original=False)


def test_times_lie_in_order_between_the_ends() -> None:
    days = [moment(number, NOON + timedelta(days=number), NOON + timedelta(days=9)) for number in range(4)]
    timeline = Timeline.of(days, limit=9)
    published = [row.published for row in timeline.rows]
    assert published == sorted(published, key=lambda x: x or 0)
    assert (published[0], timeline.rows[0].first_seen) == (timeline.axis_start, timeline.axis_end)
    assert [tick.label for tick in timeline.ticks] == ["2026-03-07", "2026-03-09", "2026-03-11", "2026-03-13"]


def test_what_does_not_say_when_it_was_published_has_one_mark() -> None:
    timeline = Timeline.of([moment(1, None, NOON), moment(2, NOON, NOON)], limit=9)
    assert [row.published is None for row in timeline.rows] == [True, False]


def test_zones_are_heeded_and_times_without_one_are_utc() -> None:
    east = NOON.astimezone(timezone(timedelta(hours=8)))
    timeline = Timeline.of([moment(1, east, NOON.replace(tzinfo=None)), moment(2, None, NOON + timedelta(1))], limit=9)
    assert timeline.rows[0].published == timeline.rows[0].first_seen


def test_what_is_too_much_is_counted() -> None:
    timeline = Timeline.of([moment(number, None, NOON) for number in range(50)], limit=40)
    assert (len(timeline.rows), timeline.unshown) == (40, 10)


@given(st.lists(st.tuples(st.none() | DATES, DATES), min_size=1, max_size=5))
def test_any_dates_can_be_drawn(dates: list[tuple[datetime | None, datetime]]) -> None:
    timeline = Timeline.of([moment(number, *both) for number, both in enumerate(dates)], limit=9)
    assert len(timeline.ticks) <= 10
    for x in [row.first_seen for row in timeline.rows] + [tick.x for tick in timeline.ticks]:
        assert timeline.axis_start <= x <= timeline.axis_end


def test_each_article_stands_below_the_one_it_has_its_text_from() -> None:
    tree = Tree.of("abcd", [Borrowing("b", "a", 1.0), Borrowing("d", "b", 0.5), Borrowing("c", "a", 0.9)], limit=9)
    assert [node.id for node in tree.nodes] == ["a", "b", "d", "c"]
    a, b, d, c = (node.x for node in tree.nodes)
    assert a < b == c < d
    assert all(upper.y < lower.y for upper, lower in pairwise(tree.nodes))
    assert [node.share for node in tree.nodes] == [None, 1.0, 0.5, 0.9]


def test_a_mixed_article_has_a_line_to_each_source() -> None:
    tree = Tree.of("abm", [Borrowing("m", "b", 0.6), Borrowing("m", "a", 0.4)], limit=9)
    (mixed,) = [node for node in tree.nodes if node.id == "m"]
    assert mixed.path
    assert len(mixed.further) == 1
    assert tree.nodes[-1] is mixed


@pytest.mark.parametrize("limit", [1, 2, 7, 60])
def test_omitted_children_are_counted(limit: int) -> None:
    chain = [Borrowing(str(number), str(number - 1), 1.0) for number in range(1, 30)]
    star = [Borrowing(str(number), "0", 1.0) for number in range(30, 60)]
    tree = Tree.of([str(number) for number in range(60)], chain + star, limit)
    assert len(tree.nodes) == limit
    assert sum(node.unshown for node in tree.nodes) == 60 - limit
