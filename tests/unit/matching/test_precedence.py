"""Which of two sites usually has a text first, and what claimed times that nobody observed are worth."""

from datetime import UTC, datetime, timedelta
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.attribution.case import AttributionCase
from whorl.attribution.member_facts import Relation, Witness
from whorl.attribution.origin import evidence
from whorl.attribution.precedence import Precedences, first_of, log_odds
from whorl.attribution.statements import statements
from whorl.attribution.verdict import attribute
from whorl.types.times import PublicationTime

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 3, 5, tzinfo=UTC)
THAT_DAY = PublicationTime.instant(MIDNIGHT, "day")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。老渔民说，这在从前想也不敢想。"


def member(id: str, **fields: Any) -> Witness:
    return Witness(id, **{"url": f"https://{id}.example/1.html"} | fields)


@given(st.integers(0, 500), st.integers(0, 500))
def test_a_record_is_symmetrical_and_bounded(first: int, later: int) -> None:
    assert isclose(log_odds(first, later), -log_odds(later, first), abs_tol=1e-9)
    assert abs(log_odds(first, later)) < 3.0
    assert log_odds(first + 1, later) >= log_odds(first, later) - 1e-9


@pytest.mark.parametrize(
    ("article", "other", "order"),
    [
        ({"published_at": NOON}, {"published_at": NOON + HOUR + HOUR}, 1),
        ({"published_at": THAT_DAY}, {"published_at": NOON}, 0),
        ({"published_at": THAT_DAY}, {"published_at": NOON + DAY}, 1),
        ({"published_at": NOON + DAY}, {"published_at": THAT_DAY}, -1),
        ({"published_at": NOON}, {}, 0),
        (
            {"published_at": NOON + DAY, "first_seen_at": NOON + DAY},
            {"published_at": NOON, "first_seen_at": NOON + 9 * DAY},
            1,
        ),
        (
            {"published_at": NOON + DAY, "first_seen_at": NOON + DAY, "visited_since": NOON + DAY},
            {"published_at": NOON, "first_seen_at": NOON + 9 * DAY},
            -1,
        ),
    ],
)
def test_what_was_observed_decides_before_what_is_claimed(article: Any, other: Any, order: int) -> None:
    assert first_of(member("a", **article), member("b", **other)) == order
    assert first_of(member("b", **other), member("a", **article)) == -order


def test_a_text_counts_once_and_not_against_itself() -> None:
    precedences = Precedences()
    early, late = ("paper", member("a", published_at=NOON)), ("portal", member("b", published_at=NOON + DAY))
    for text in range(3):
        precedences.add(text, [(early, late), (late, early), (("", early[1]), late)])
    precedences.add("both", [(early, late), (("portal", member("c", published_at=NOON - DAY)), early)])
    assert precedences.of("paper", "portal") == (3, 0)
    assert precedences.of("portal", "paper", without=[0, 1, "unknown"]) == (0, 1)


def test_a_habit_decides_where_dates_do_not_and_never_against_dates_that_do() -> None:
    paper = member("paper", published_at=THAT_DAY)
    portal = member("portal", published_at=MIDNIGHT + 7 * HOUR + HOUR / 2)
    same = Relation("paper", "portal", 1.0, 1.0)
    learned = Relation("paper", "portal", 1.0, 1.0, a_first=60, b_first=5)
    assert attribute([paper, portal], [same]).originals == ()
    assert attribute([paper, portal], [learned]).originals == ("paper",)
    earlier = member("portal", published_at=MIDNIGHT - 5 * HOUR)
    assert attribute([paper, earlier], [same]).originals == ("portal",)
    assert attribute([paper, earlier], [learned]).originals == ()


def test_a_habit_learned_from_claims_never_speaks_against_a_registered_article() -> None:
    ours = member("ours", published_at=NOON, collection="protected")
    learned = Relation("ours", "thief", 1.0, 1.0, a_first=0, b_first=200)
    attribution = attribute([ours, member("thief", published_at=NOON - 9 * DAY)], [learned])
    assert attribution.members[0].id == "ours"


@pytest.mark.parametrize("late", [3 * DAY, 30 * DAY])
def test_a_claim_that_nobody_observed_does_not_outweigh_a_sighting(late: timedelta) -> None:
    sighted = member("sighted", published_at=NOON, first_seen_at=NOON + HOUR)
    claims = {"published_at": NOON - 9 * DAY, "visited_since": NOON + late}
    attribution = attribute([sighted, member("thief", first_seen_at=NOON + late, **claims)])
    assert attribution.members[0].id == "sighted"
    assert attribution["thief"].role != "original"
    assert any("does not count" in str(reason.message) for reason in attribution["thief"].reasons)


@pytest.mark.parametrize("is_visited", [False, True])
def test_nothing_that_a_page_says_for_itself_outweighs_a_sighting(*, is_visited: bool) -> None:
    sighted = member("sighted", published_at=NOON, first_seen_at=NOON + HOUR)
    thief = member(
        "thief",
        publisher="贼报",
        author="贼",
        is_original=True,
        canonical="https://thief.example/1.html",
        statements=statements("贼报讯 3月1日电 渔港的冰厂今年夏天添了两台新机器。\n来源：贼报"),
        published_at=NOON - 4 * DAY,
        first_seen_at=NOON + 5 * DAY,
        visited_since=NOON - 30 * DAY if is_visited else NOON + 5 * DAY,
    )
    attribution = attribute([sighted, thief])
    assert attribution.members[0].id == "sighted"
    assert "thief" not in attribution.originals


def test_the_date_of_a_page_that_names_its_source_is_not_before_the_source() -> None:
    source = member("source", publisher="青澜日报", published_at=NOON)
    copy = member("copy", published_at=NOON - DAY, statements=statements("来源：青澜日报"))
    attribution = attribute([source, copy])
    assert attribution.originals == ("source",)
    assert not {reason.evidence: reason.weight for reason in attribution["source"].reasons}.get("published")


@pytest.mark.parametrize(("field", "kind"), [("canonical", "canonical"), ("links", "links"), ("statements", "named")])
@pytest.mark.parametrize("host", ["thief.example", "m.thief.example", "other.example"])
def test_a_site_does_not_speak_for_itself_by_another_of_its_pages(field: str, kind: str, host: str) -> None:
    target = "https://thief.example/2.html"
    claim = {"canonical": target, "links": (target,), "statements": statements(f"原文链接：{target}")}[field]
    pages = [member("a"), member("thief", url=target), member("second", url=f"https://{host}/3.html", **{field: claim})]
    values = {item.name: item.values for item in evidence(AttributionCase(pages, []))}[kind]
    assert (values[1] > 0) is (host == "other.example")


def test_a_library_learns_which_site_is_first(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        for number in range(8):
            text = "".join(chr(0x4E00 + (number * 997 + at * 7919) % 8000) for at in range(200))
            library.add(
                [
                    {"id": f"p{number}", "text": text, "url": f"https://paper.example/{number}"}
                    | {"published_at": "2026-01-01"},
                    {"id": f"c{number}", "text": text, "url": f"https://www.portal.example/{number}"}
                    | {"published_at": "2026-01-03T09:30"},
                ]
            )
        pair = ("https://paper.example/9", "https://www.portal.example/9")
        assert library.sites.precedences([pair])[pair] == (8, 0)
        assert library.sites.precedences([pair], without=["p0", "c1"])[pair] == (6, 0)
        library.add(
            [
                {"id": "p", "text": TEXT, "url": pair[0], "published_at": "2026-02-01"},
                {"id": "c", "text": TEXT, "url": pair[1], "published_at": "2026-02-01T07:30"},
            ]
        )
        assert whorl.library.trace(library, library.report("p").cluster_id).attribution.originals == ("p",)
