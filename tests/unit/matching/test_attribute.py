"""Who was first: each kind of evidence alone, and what follows from all."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whorl.errors import UsageError
from whorl.language import LANGUAGES, translated
from whorl.matching.attribute import ROLES, Attribution, attribute
from whorl.matching.statements import statements
from whorl.matching.weights import ORIGIN, Weights
from whorl.matching.witness import Relation, Witness

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def member(id: str, **known: Any) -> Witness:
    return Witness(id, **{"url": f"https://{id}.example/1.html", "publisher": f"{id}报"} | known)


def reasons(found: Attribution, id: str) -> dict[str, float]:
    return {reason.evidence: reason.weight for reason in found[id].reasons}


@pytest.mark.parametrize(
    ("evidence", "first", "second"),
    [
        ("seen", {"first_seen_at": NOON}, {"first_seen_at": NOON + 3 * DAY}),
        ("published", {"published_at": NOON}, {"published_at": NOON + HOUR}),
        ("named", {}, {"statements": statements("来源：a报")}),
        ("named", {}, {"statements": statements("原文链接：https://www.a.example/1.html?from=b")}),
        ("named", {}, {"statements": statements("This article was originally published at a.example.")}),
        ("itself", {"statements": statements("来源：a报")}, {}),
        ("dateline", {"statements": statements("新华社青澜3月5日电 雾散了。"), "publisher": "新华网|新华社"}, {}),
        ("dateline", {}, {"statements": statements("新华社青澜3月5日电 雾散了。")}),
        ("canonical", {}, {"canonical": "http://www.a.example/1.html"}),
        ("links", {}, {"links": ("https://b.example/2", "https://a.example/1.html#top")}),
        ("title", {}, {"statements": statements("原标题：渡口复航")}),
        ("byline", {"author": "王小渡"}, {}),
        ("mark", {"is_original": True}, {}),
        ("trust", {"trust": 0.9}, {"trust": 0.1}),
        ("age", {"since": NOON - 4000 * DAY}, {"since": NOON - 40 * DAY}),
        ("registered", {"collection": "protected"}, {}),
        ("authorised", {}, {"authorised": True}),
        ("snapshot", {"snapshots": (NOON,)}, {"first_seen_at": NOON + 5 * DAY}),
        ("proof", {"proofs": (("server-log", NOON),)}, {"first_seen_at": NOON + HOUR}),
    ],
)
def test_evidence_speaks_for_the_first(evidence: str, first: dict[str, Any], second: dict[str, Any]) -> None:
    found = attribute([member("b", **second), member("a", **first)])
    assert found.members[0].id == "a"
    weights = [reasons(found, id).get(evidence, 0.0) for id in "ab"]
    assert weights[0] > 0 or weights[1] < 0, found


@pytest.mark.parametrize(
    ("evidence", "relation"),
    [
        ("whole", {"a_in_b": 0.5, "b_in_a": 0.98}),
        ("added", {"b_added": 120}),
        ("tricks", {"b_tricks": 9}),
        ("repairs", {"b_repairs": 4}),
    ],
)
def test_what_only_the_copy_has(evidence: str, relation: dict[str, Any]) -> None:
    given = Relation(**{"a": "a", "b": "b", "a_in_b": 0.97, "b_in_a": 0.97} | relation)
    found = attribute([member("b"), member("a")], [given])
    assert found.members[0].id == "a"
    assert reasons(found, "a")[evidence] > 0 > reasons(found, "b")[evidence]


@pytest.mark.parametrize(
    ("claim", "known"),
    [
        (NOON + 2 * DAY, {"first_seen_at": NOON}),
        (NOON - 400 * DAY, {"since": NOON - 30 * DAY}),
        (NOON - 30 * DAY, {"first_seen_at": NOON, "update_cycle": HOUR}),
    ],
    ids=["after it was seen", "before its site was there", "the site was visited since"],
)
def test_a_claim_that_cannot_be_does_not_count(claim: datetime, known: dict[str, Any]) -> None:
    other = member("b", published_at=NOON - HOUR)
    without = attribute([member("a", **known), other])
    lied = attribute([member("a", published_at=claim, **known), other])
    assert lied["a"].probability == pytest.approx(without["a"].probability)
    assert {reason.evidence for reason in lied["a"].reasons} & {"impossible", "published"}


def test_a_day_without_a_time_is_the_whole_day() -> None:
    midnight = NOON.replace(hour=0)
    found = attribute([member("a", published_at=midnight), member("b", published_at=NOON)])
    assert abs(reasons(found, "a")["published"]) < 0.1, "noon is in the middle of the day"
    clear = attribute([member("a", published_at=midnight), member("b", published_at=NOON + 2 * DAY)])
    assert reasons(clear, "a")["published"] > 1


def test_a_site_whose_dates_were_false_is_believed_less() -> None:
    honest = member("b", published_at=NOON, dates_checked=40)
    known = [
        attribute([member("a", published_at=NOON - 3 * HOUR, dates_checked=40, dates_false=false), honest])
        for false in (0, 10, 35)
    ]
    chances = [found["a"].probability for found in known]
    assert chances[0] > chances[1] > chances[2]
    assert chances[0] > 0.9
    assert known[2].originals == ()
    assert "of 40 other dates of its site 35 were false" in next(
        str(reason.message) for reason in known[2]["a"].reasons if reason.evidence == "published"
    )


def test_one_who_lies_hides_no_order_of_the_others() -> None:
    liar = member("c", published_at=NOON - 2 * DAY, dates_checked=50, dates_false=45)
    first, second = member("a", published_at=NOON), member("b", published_at=NOON + 5 * HOUR)
    found = attribute([liar, second, first])
    assert found["a"].probability > 3 * found["b"].probability


def test_a_sighting_before_another_claims_to_be_counts() -> None:
    found = attribute([member("b", published_at=NOON + DAY), member("a", first_seen_at=NOON, update_cycle=HOUR)])
    assert found.members[0].id == "a"
    assert reasons(found, "a")["published"] > 0 > reasons(found, "b")["published"]


def test_what_was_there_at_the_first_visit_is_not_backdated() -> None:
    old = member("a", published_at=NOON - 400 * DAY, first_seen_at=NOON, update_cycle=HOUR)
    other = member("b", published_at=NOON - 300 * DAY, first_seen_at=NOON, visited_since=NOON)
    assert attribute([replace(old, visited_since=NOON), other]).originals == ("a",)
    assert attribute([replace(old, visited_since=NOON - 500 * DAY), other]).originals == ("b",)


def test_who_is_named_may_be_a_member_whose_name_is_unknown() -> None:
    said = statements("来源：青澜日报")
    nameless = member("a", publisher="", statements=said, published_at=NOON)
    copies = [member(id, statements=said, published_at=NOON + DAY) for id in "bc"]
    found = attribute([*copies, nameless])
    assert found.members[0].id == "a"
    assert found.elsewhere < 0.5 < attribute([*copies, replace(nameless, publisher="a报")]).elsewhere


def test_visits_of_one_update_cycle_tell_little() -> None:
    times = {"a": NOON, "b": NOON + 2 * HOUR}
    for cycle, least, most in ((7 * DAY, 0.0, 0.1), (HOUR, 0.8, 1.0)):
        found = attribute([member(id, first_seen_at=at, update_cycle=cycle) for id, at in times.items()])
        assert least * ORIGIN["seen"] <= reasons(found, "a").get("seen", 0.0) / 2 <= most * ORIGIN["seen"]


def test_a_snapshot_of_a_later_cycle_tells_little() -> None:
    later = attribute([member("a", snapshots=(NOON + 90 * DAY,)), member("b", first_seen_at=NOON)])
    assert reasons(later, "a")["snapshot"] < 0
    fresh = attribute([member("a", snapshots=(NOON,)), member("b", first_seen_at=NOON + DAY)])
    assert reasons(fresh, "a")["snapshot"] > 0


def test_links_both_ways_leave_it_to_who_was_seen_first() -> None:
    one = member("a", links=("https://b.example/1.html",), first_seen_at=NOON)
    other = member("b", links=("https://a.example/1.html",), first_seen_at=NOON + 9 * DAY)
    found = attribute([other, one])
    assert "links" not in reasons(found, "a").keys() | reasons(found, "b").keys()
    assert found.members[0].id == "a"


def test_a_proof_outweighs_everything() -> None:
    named = statements("本文转载自b报")
    honest = member("b", author="王小渡", is_original=True, trust=0.9, published_at=NOON - DAY, first_seen_at=NOON)
    proven = member("a", statements=named, proofs=(("server-log", NOON - 2 * DAY),), first_seen_at=NOON + 9 * DAY)
    assert attribute([honest, replace(proven, proofs=())]).originals == ("b",)
    assert attribute([honest, proven]).members[0].id == "a"
    late = replace(proven, proofs=(("server-log", NOON + DAY),))
    assert attribute([honest, late]).originals == ("b",), "a proof of a later time proves nothing"


def test_a_chain_of_sources_is_followed_to_its_end() -> None:
    names_b, names_a = statements("来源：b报"), statements("来源：a报")
    found = attribute([member("a"), member("b", statements=names_a), member("c", statements=names_b)])
    assert found.originals == ("a",)
    assert "named" not in reasons(found, "b")
    round_trip = attribute([member("a", statements=names_b), member("b", statements=names_a)])
    assert round_trip.originals == ()


def test_a_source_that_is_none_of_these_is_elsewhere() -> None:
    outside = statements("来源：青澜日报")
    found = attribute([member(id, statements=outside) for id in "abc"])
    assert found.originals == ()
    assert found.elsewhere > 0.8
    assert str(found.conclusion) == "the original is probably none of these"
    assert "青澜日报" in found.reasons[0].message


def test_a_name_may_be_that_of_a_site_of_which_no_name_is_known() -> None:
    stated = statements("来源：青澜日报")
    found = attribute([member("a", publisher="", author="王小渡"), member("b", statements=stated)])
    assert found.members[0].id == "a"
    assert found.elsewhere < 0.3


def test_the_author_on_another_platform_is_no_copier() -> None:
    posts = [
        member(id, author="渡口夜话", is_original=True, published_at=NOON + number * HOUR, first_seen_at=NOON + DAY)
        for number, id in enumerate("ab")
    ]
    copier = member("c", first_seen_at=NOON + 9 * DAY, published_at=NOON + 8 * DAY)
    found = attribute([*posts, copier])
    roles = {one.id: one.role for one in found.members}
    assert "syndication" in (roles["a"], roles["b"])
    assert roles["c"] == "copy"
    assert found["c"].syndication == 0.0


def test_a_reprint_that_keeps_the_byline_is_a_reprint() -> None:
    original = member("a", author="王小渡", first_seen_at=NOON)
    reprint = member("b", author="王小渡", statements=statements("本文经授权转载自a报"), first_seen_at=NOON + 3 * DAY)
    found = attribute([original, reprint])
    assert found["b"].role == "copy", "the text says that it has leave, and nobody knows of it"
    assert attribute([original, replace(reprint, authorised=True)])["b"].role == "reprint"


def test_a_mixed_article_has_several_sources() -> None:
    members = [
        member("a", author="王小渡", first_seen_at=NOON, published_at=NOON - HOUR),
        member("b", author="李四", first_seen_at=NOON, published_at=NOON - HOUR),
        member("m", first_seen_at=NOON + 5 * DAY, published_at=NOON + 4 * DAY),
    ]
    relations = [Relation("m", "a", 0.6, 0.9), Relation("b", "m", 0.8, 0.35)]
    found = attribute(members, relations)
    assert set(found.originals) == {"a", "b"}
    assert found["m"].role == "copy"
    assert [(one.id, one.share) for one in found["m"].origins] == [("a", 0.6), ("b", 0.35)]


def test_mixed_articles_that_are_tied_to_mixed_ones_alone_are_judged_too() -> None:
    """Each has parts of two others that are strangers to each other, so that none is left that is not mixed but d."""
    ring = [Relation(one, other, 0.5, 0.5) for one, other in ("ab", "bc", "ce", "ea", "ax", "xd")]
    found = attribute([member(id) for id in "abcexd"], [*ring, Relation("d", "x", 0.5, 0.5)])
    assert {one.id for one in found.members} == set("abcexd")


def test_mixed_articles_are_told_only_where_all_relations_are_known() -> None:
    chain = [Relation("b", "a", 0.6, 0.6), Relation("c", "b", 0.6, 0.6), Relation("d", "c", 0.6, 0.6)]
    members = [member(id, first_seen_at=NOON + 3 * days * DAY) for days, id in enumerate("abcd")]
    assert len(attribute(members, chain, is_complete=False).originals) <= 1
    assert sum(one.probability for one in attribute(members, chain, is_complete=False).members) <= 1


def test_a_text_of_which_others_took_parts_is_the_original_of_both() -> None:
    members = [
        member("whole", author="王小渡", first_seen_at=NOON, published_at=NOON - HOUR),
        member("a", first_seen_at=NOON + 3 * DAY, statements=statements("来源：whole报")),
        member("b", first_seen_at=NOON + 3 * DAY, statements=statements("来源：whole报")),
    ]
    found = attribute(members, [Relation("whole", "a", 0.4, 1.0), Relation("whole", "b", 0.4, 1.0)])
    assert found.originals == ("whole",)


def test_without_evidence_it_is_undetermined() -> None:
    found = attribute([Witness("a"), Witness("b")])
    assert found.originals == ()
    assert {one.role for one in found.members} == {"undetermined"}
    assert found.members[0].probability == pytest.approx(found.members[1].probability)
    assert "undetermined" in str(found.conclusion)


def test_the_confidence_decides_what_is_undetermined() -> None:
    given = [member("a", first_seen_at=NOON), member("b", first_seen_at=NOON + 3 * DAY)]
    chance = attribute(given)["a"].probability
    assert 0.5 < chance < 0.95
    assert attribute(given, weights=Weights(confidence=chance - 0.01)).originals == ("a",)
    assert attribute(given, weights=Weights(confidence=chance + 0.01)).originals == ()


def test_reasons_are_said_in_both_languages_and_go_into_json() -> None:
    copied = statements("转载自：a报\n原标题：渡口复航")
    given = [
        member("a", first_seen_at=NOON, author="王小渡"),
        member("b", statements=copied, first_seen_at=NOON + 3 * DAY),
    ]
    found = attribute(given)
    for one in found.members:
        for reason in one.reasons:
            said = {translated(reason.message, language) for language in LANGUAGES}
            assert len(said) == len(LANGUAGES), said
    written = json.loads(json.dumps(found.to_dict(), ensure_ascii=False))
    assert written["members"][0]["id"] == "a"
    assert written["members"][0]["reasons"][0]["message"].isascii() or written["originals"] == ["a"]


TIMES = st.none() | st.datetimes(datetime(2020, 1, 1), datetime(2027, 1, 1))
TEXTS = st.sampled_from(["", "来源：a报", "转载自b报", "来源：青澜日报", "原标题：渡口", "新华社青澜3月5日电 雾"])
WITNESSES = st.lists(
    st.builds(
        lambda **known: known,
        publisher=st.sampled_from(["", "a报", "b报"]),
        author=st.sampled_from(["", "王小渡", "李四"]),
        published_at=TIMES,
        first_seen_at=TIMES,
        snapshots=st.lists(TIMES.filter(bool), max_size=2).map(tuple),
        canonical=st.sampled_from(["", "https://x.example/0", "https://[bad", "//"]),
        links=st.lists(st.sampled_from(["https://x.example/0", "http://[", "javascript:0"])).map(tuple),
        statements=TEXTS.map(statements),
        trust=st.none() | st.floats(0, 1),
        since=TIMES,
        update_cycle=st.none() | st.timedeltas(timedelta(0), timedelta(days=400)),
        authorised=st.booleans(),
    ),
    min_size=1,
    max_size=6,
)
RELATIONS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.floats(0, 1), st.floats(0, 1)), max_size=12)


@given(WITNESSES, RELATIONS)
@settings(max_examples=150, deadline=None)
def test_probabilities_hold_for_anything(
    known: list[dict[str, Any]], pairs: list[tuple[int, int, float, float]]
) -> None:
    members = [Witness(f"d{place}", f"https://x.example/{place}", **own) for place, own in enumerate(known)]
    relations = [Relation(f"d{a}", f"d{b}", one, other) for a, b, one, other in pairs if a != b]
    found = attribute(members, relations)
    assert sorted(one.id for one in found.members) == sorted(one.id for one in members)
    assert all(0 <= one.probability <= 1 and one.role in ROLES for one in found.members)
    assert all(one.role == "original" for one in found.members if one.id in found.originals)
    if not relations:
        assert sum(one.probability for one in found.members) + found.elsewhere == pytest.approx(1)


@pytest.mark.parametrize(
    "given",
    [
        {"confidence": 0.3},
        {"confidence": 1},
        {"origin": {"luck": 1}},
        {"origin": {"seen": "much"}},
        {"origin": {"seen": float("nan")}},
        {"syndication": []},
        {"weights": {}},
    ],
)
def test_weights_that_are_none_are_refused_with_a_cure(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        Weights.of(given)
    assert refused.value.cure


_CLAIMS = st.fixed_dictionaries(
    {
        "title": st.sampled_from(["", "渡口复航"]),
        "author": st.sampled_from(["", "王小渡"]),
        "published_at": st.sampled_from([None, NOON - 4000 * DAY, NOON - 2 * DAY, NOON - HOUR, NOON + 9 * DAY]),
        "canonical": st.sampled_from(
            ["", "https://b.example/1.html", "https://c.example/1.html", "https://x.example/9"]
        ),
        "links": st.lists(st.sampled_from([f"https://{host}.example/1.html" for host in "bcx"])).map(tuple),
        "statements": st.sampled_from(
            ["", "来源：b报", "来源：c报", "首发于b报", "新华社青澜3月5日电", "来源：外报", "原标题：渡口复航"]
        ).map(statements),
        "is_original": st.booleans(),
    }
)


@settings(deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys("bc", _CLAIMS)), st.sampled_from([-3, 0, 5]))
def test_no_claim_of_others_takes_an_article_from_who_registered_it(claims: dict[str, Any], days: int) -> None:
    known = {"title": "渡口复航", "author": "王小渡", "published_at": NOON, "first_seen_at": NOON}
    observed = {one: {"first_seen_at": NOON + (days + place) * DAY} for place, one in enumerate("bc")}
    registered = member("a", collection="protected", **known)
    silent = attribute([registered, *(member(one, **observed[one]) for one in "bc")])
    claiming = attribute([registered, *(member(one, **observed[one] | claims[one]) for one in "bc")])
    before, after = (
        np.array([found["b"].probability, found["c"].probability, found.elsewhere]) / found["a"].probability
        for found in (silent, claiming)
    )
    assert claiming["a"].probability >= silent["a"].probability - 1e-9
    assert all(after <= before + 1e-9)


def test_an_earlier_date_that_only_a_page_claims_does_not_count_against_a_registered_article() -> None:
    ours = member("a", collection="protected", published_at=NOON, first_seen_at=NOON)
    liar = member("b", published_at=NOON - 30 * DAY, first_seen_at=NOON + 5 * DAY)
    found = attribute([liar, ours])
    assert found.originals == ("a",)
    assert any("does not count against a registered article" in reason.message for reason in found["b"].reasons)
    seen = attribute([replace(liar, proofs=(("server-log", NOON - 30 * DAY),)), ours])
    assert seen.originals == ("b",), "what was observed counts"
