"""Attribution of first publication: each kind of evidence alone, and their combination."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whorl.attribution.member_facts import Relation, Witness
from whorl.attribution.statements import statements
from whorl.attribution.verdict import ROLES, attribute
from whorl.attribution.weights import ORIGIN, Weights
from whorl.errors import UsageError
from whorl.i18n import LANGUAGES, translated
from whorl.library.provenance.times import publication_of
from whorl.types.attribution import Attribution
from whorl.types.times import PublicationTime

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def member(id: str, **fields: Any) -> Witness:
    return Witness(id, **{"url": f"https://{id}.example/1.html", "publisher": f"{id}报"} | fields)


def explanation(actual: Attribution, id: str) -> str:
    return "; ".join(str(reason.message) for reason in actual[id].reasons)


def reasons(actual: Attribution, id: str) -> dict[str, float]:
    return {reason.evidence: reason.weight for reason in actual[id].reasons}


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
        ("attestation", {"attestations": (("server-log", NOON),)}, {"first_seen_at": NOON + HOUR}),
    ],
)
def test_evidence_speaks_for_the_first(evidence: str, first: dict[str, Any], second: dict[str, Any]) -> None:
    attribution = attribute([member("b", **second), member("a", **first)])
    assert attribution.members[0].id == "a"
    weights = [reasons(attribution, id).get(evidence, 0.0) for id in "ab"]
    assert weights[0] > 0 or weights[1] < 0, attribution


@pytest.mark.parametrize(
    ("evidence", "relation"),
    [
        ("whole", {"a_in_b": 0.5, "b_in_a": 0.98}),
        ("added", {"b_added": 120}),
        ("tricks", {"b_tricks": 9}),
        ("repairs", {"b_repairs": 4}),
    ],
)
def test_evidence_only_in_the_copy(evidence: str, relation: dict[str, Any]) -> None:
    value = Relation(**{"a": "a", "b": "b", "a_in_b": 0.97, "b_in_a": 0.97} | relation)
    attribution = attribute([member("b"), member("a")], [value])
    assert attribution.members[0].id == "a"
    assert reasons(attribution, "a")[evidence] > 0 > reasons(attribution, "b")[evidence]


@pytest.mark.parametrize(
    ("claim", "fields"),
    [
        (NOON + 2 * DAY, {"first_seen_at": NOON}),
        (NOON - 400 * DAY, {"since": NOON - 30 * DAY}),
        (NOON - 30 * DAY, {"first_seen_at": NOON, "update_cycle": HOUR}),
    ],
    ids=["after it was seen", "before its site was there", "the site was visited since"],
)
def test_a_claim_that_cannot_be_does_not_count(claim: datetime, fields: dict[str, Any]) -> None:
    other = member("b", published_at=NOON - HOUR)
    without = attribute([member("a", **fields), other])
    lied = attribute([member("a", published_at=claim, **fields), other])
    assert lied["a"].probability == pytest.approx(without["a"].probability)
    assert {reason.evidence for reason in lied["a"].reasons} & {"impossible", "published"}


def test_a_day_without_a_time_is_the_whole_day() -> None:
    day = PublicationTime.instant(NOON, "day")
    for hours in (1, 12, 23):
        other = NOON.replace(hour=hours)
        attribution = attribute([member("a", published_at=day), member("b", published_at=other)])
        assert reasons(attribution, "a")["published"] == reasons(attribution, "b")["published"] == 0
        assert attribution.originals == ()
    assert "the same day as b; which was first is undetermined" in explanation(attribution, "a")
    clear = attribute([member("a", published_at=day), member("b", published_at=NOON + DAY)])
    assert reasons(clear, "a")["published"] > 1


def test_precision_is_what_was_written_and_not_whether_it_is_midnight() -> None:
    """08:00 in Beijing is midnight in UTC, and a time like any other."""
    eight, nine = (publication_of(f"2026-11-24 0{hour}:00", "", zone="Asia/Shanghai") for hour in (8, 9))
    attribution = attribute([member("thief", published_at=nine), member("a", published_at=eight)])
    assert attribution.originals == ("a",)
    assert "claims 2026-11-24 08:00 +08:00, before thief" in explanation(attribution, "a")
    midnight = attribute([member("a", published_at=NOON.replace(hour=0)), member("b", published_at=NOON)])
    assert reasons(midnight, "a")["published"] > 1


@pytest.mark.parametrize(
    ("first", "second", "is_earlier"),
    [
        ("2026-11-24 08:00 +08:00", "2026-11-24 01:00 +00:00", True),
        ("2026-11-24 09:00 +08:00", "2026-11-24 01:00 +00:00", False),
        ("2026-11-24 08:00", "2026-11-24 09:00", True),
        ("2026-11-24 08:00", "2026-11-24 09:00 +08:00", False),
        ("2026-11-24 08:00", "2026-11-25 09:00 +08:00", True),
        ("2026-11-24", "2026-11-25", True),
        ("2026-11-24", "2026-11-25 09:00 +08:00", False),
        ("2026-11-24 +08:00", "2026-11-24 16:00Z", True),
        ("2026-11-24 +08:00", "2026-11-24 15:59Z", False),
        ("2026", "2026-11-24", False),
        ("2026-10", "2026-11-01", True),
    ],
)
def test_earlier_means_that_the_intervals_do_not_overlap(first: str, second: str, is_earlier: bool) -> None:
    times = [publication_of(text, "") for text in (first, second)]
    attribution = attribute([member("b", published_at=times[1]), member("a", published_at=times[0])])
    assert (reasons(attribution, "a")["published"] > 0) is is_earlier
    assert (reasons(attribution, "b")["published"] < 0) is is_earlier
    assert times[0] is not None
    assert times[1] is not None
    assert times[0].is_before(times[1]) is is_earlier


def test_a_day_proves_that_it_was_there_at_its_end() -> None:
    day = publication_of("2026-03-05", "", zone="+00:00")
    proven = member("a", attestations=(("server-log", day),), first_seen_at=NOON + 9 * DAY)
    assert attribute([proven, member("b", first_seen_at=NOON + DAY)]).originals == ("a",)
    seen_that_day = attribute([proven, member("b", first_seen_at=NOON, update_cycle=HOUR)])
    assert seen_that_day.members[0].id == "b"
    both = attribute([proven, member("b", attestations=(("deposit", NOON),))])
    assert reasons(both, "a").get("attestation", 0.0) == reasons(both, "b").get("attestation", 0.0) == 0.0


def test_a_site_whose_dates_were_false_is_believed_less() -> None:
    honest = member("b", published_at=NOON, dates_checked=40)
    attributions = [
        attribute([member("a", published_at=NOON - 3 * HOUR, dates_checked=40, dates_false=false), honest])
        for false in (0, 10, 35)
    ]
    chances = [item["a"].probability for item in attributions]
    assert chances[0] > chances[1] > chances[2]
    assert chances[0] > 0.9
    assert attributions[2].originals == ()
    assert "of 40 other dates of its site 35 were false" in next(
        str(reason.message) for reason in attributions[2]["a"].reasons if reason.evidence == "published"
    )


def test_one_who_lies_hides_no_order_of_the_others() -> None:
    liar = member("c", published_at=NOON - 2 * DAY, dates_checked=50, dates_false=45)
    first, second = member("a", published_at=NOON), member("b", published_at=NOON + 5 * HOUR)
    attribution = attribute([liar, second, first])
    assert attribution["a"].probability > 3 * attribution["b"].probability


def test_a_sighting_before_another_claims_to_be_counts() -> None:
    attribution = attribute([member("b", published_at=NOON + DAY), member("a", first_seen_at=NOON, update_cycle=HOUR)])
    assert attribution.members[0].id == "a"
    assert reasons(attribution, "a")["published"] > 0 > reasons(attribution, "b")["published"]


def test_articles_seen_at_the_first_visit_are_not_backdated() -> None:
    old = member("a", published_at=NOON - 400 * DAY, first_seen_at=NOON, update_cycle=HOUR)
    other = member("b", published_at=NOON - 300 * DAY, first_seen_at=NOON, visited_since=NOON)
    assert attribute([replace(old, visited_since=NOON), other]).originals == ("a",)
    assert attribute([replace(old, visited_since=NOON - 500 * DAY), other]).originals == ("b",)


def test_named_source_may_be_a_nameless_member() -> None:
    parsed = statements("来源：青澜日报")
    nameless = member("a", publisher="", statements=parsed, published_at=NOON)
    copies = [member(id, statements=parsed, published_at=NOON + DAY) for id in "bc"]
    attribution = attribute([*copies, nameless])
    assert attribution.members[0].id == "a"
    assert attribution.elsewhere < 0.5 < attribute([*copies, replace(nameless, publisher="a报")]).elsewhere


def test_visits_of_one_update_cycle_tell_little() -> None:
    times = {"a": NOON, "b": NOON + 2 * HOUR}
    for cycle, minimum, limit in ((7 * DAY, 0.0, 0.1), (HOUR, 0.8, 1.0)):
        attribution = attribute([member(id, first_seen_at=at, update_cycle=cycle) for id, at in times.items()])
        assert minimum * ORIGIN["seen"] <= reasons(attribution, "a").get("seen", 0.0) / 2 <= limit * ORIGIN["seen"]


def test_snapshot_of_a_later_cycle_is_weak_evidence() -> None:
    later = attribute([member("a", snapshots=(NOON + 90 * DAY,)), member("b", first_seen_at=NOON)])
    assert reasons(later, "a")["snapshot"] < 0
    fresh = attribute([member("a", snapshots=(NOON,)), member("b", first_seen_at=NOON + DAY)])
    assert reasons(fresh, "a")["snapshot"] > 0


def test_links_both_ways_leave_it_to_who_was_seen_first() -> None:
    item = member("a", links=("https://b.example/1.html",), first_seen_at=NOON)
    other = member("b", links=("https://a.example/1.html",), first_seen_at=NOON + 9 * DAY)
    attribution = attribute([other, item])
    assert "links" not in reasons(attribution, "a").keys() | reasons(attribution, "b").keys()
    assert attribution.members[0].id == "a"


def test_an_attestation_outweighs_everything() -> None:
    named = statements("本文转载自b报")
    honest = member("b", author="王小渡", is_original=True, trust=0.9, published_at=NOON - DAY, first_seen_at=NOON)
    proven = member("a", statements=named, attestations=(("server-log", NOON - 2 * DAY),), first_seen_at=NOON + 9 * DAY)
    assert attribute([honest, replace(proven, attestations=())]).originals == ("b",)
    assert attribute([honest, proven]).members[0].id == "a"
    late = replace(proven, attestations=(("server-log", NOON + DAY),))
    assert attribute([honest, late]).originals == ("b",), "an attestation of a later time proves nothing"


def test_a_chain_of_sources_is_followed_to_its_end() -> None:
    names_b, names_a = statements("来源：b报"), statements("来源：a报")
    attribution = attribute([member("a"), member("b", statements=names_a), member("c", statements=names_b)])
    assert attribution.originals == ("a",)
    assert "named" not in reasons(attribution, "b")
    round_trip = attribute([member("a", statements=names_b), member("b", statements=names_a)])
    assert round_trip.originals == ()


def test_unknown_source_is_elsewhere() -> None:
    outside = statements("来源：青澜日报")
    attribution = attribute([member(id, statements=outside) for id in "abc"])
    assert attribution.originals == ()
    assert attribution.elsewhere > 0.8
    assert str(attribution.conclusion) == "the original is probably not a member"
    assert "青澜日报" in attribution.reasons[0].message


def test_name_may_belong_to_a_nameless_site() -> None:
    stated = statements("来源：青澜日报")
    attribution = attribute([member("a", publisher="", author="王小渡"), member("b", statements=stated)])
    assert attribution.members[0].id == "a"
    assert attribution.elsewhere < 0.3


def test_the_author_on_another_platform_is_no_copier() -> None:
    posts = [
        member(
            id,
            author="渡口夜话",
            accounts=frozenset({"渡口夜话"}),
            is_original=True,
            published_at=NOON + number * HOUR,
            first_seen_at=NOON + DAY,
        )
        for number, id in enumerate("ab")
    ]
    copier = member("c", first_seen_at=NOON + 9 * DAY, published_at=NOON + 8 * DAY)
    attribution = attribute([*posts, copier])
    roles = {item.id: item.role for item in attribution.members}
    assert "syndication" in (roles["a"], roles["b"])
    assert roles["c"] == "copy"
    assert attribution["c"].syndication == 0.0


def test_a_byline_makes_no_copy_a_post_of_the_author() -> None:
    original = member("a", author="渡口夜话", published_at=NOON, first_seen_at=NOON + HOUR)
    thief = member("b", author="渡口夜话", is_original=True, published_at=NOON + HOUR, first_seen_at=NOON + 2 * DAY)
    link = replace(original, is_original=True, attestations=(("server-log", NOON),))
    attribution = attribute([link, thief])
    assert (attribution["a"].role, attribution["b"].role) == ("original", "copy")
    assert attribution["b"].syndication is not None, "a hint for the reviewer"


def test_a_reprint_that_keeps_the_byline_is_a_reprint() -> None:
    original = member("a", author="王小渡", first_seen_at=NOON)
    reprint = member("b", author="王小渡", statements=statements("本文经授权转载自a报"), first_seen_at=NOON + 3 * DAY)
    attribution = attribute([original, reprint])
    assert attribution["b"].role == "copy", "the text says that it has permission, and nobody knows of it"
    assert attribute([original, replace(reprint, authorised=True)])["b"].role == "reprint"


def test_a_mixed_article_has_several_sources() -> None:
    members = [
        member("a", author="王小渡", first_seen_at=NOON, published_at=NOON - HOUR),
        member("b", author="李四", first_seen_at=NOON, published_at=NOON - HOUR),
        member("m", first_seen_at=NOON + 5 * DAY, published_at=NOON + 4 * DAY),
    ]
    relations = [Relation("m", "a", 0.6, 0.9), Relation("b", "m", 0.8, 0.35)]
    attribution = attribute(members, relations)
    assert set(attribution.originals) == {"a", "b"}
    assert attribution["m"].role == "copy"
    assert [(finding.id, finding.share) for finding in attribution["m"].origins] == [("a", 0.6), ("b", 0.35)]


def test_mixed_articles_that_are_tied_to_mixed_ones_alone_are_judged_too() -> None:
    """Each has parts of two other unrelated articles, so that d is the only one that is not mixed."""
    ring = [Relation(value, other, 0.5, 0.5) for value, other in ("ab", "bc", "ce", "ea", "ax", "xd")]
    attribution = attribute([member(id) for id in "abcexd"], [*ring, Relation("d", "x", 0.5, 0.5)])
    assert {value.id for value in attribution.members} == set("abcexd")


def test_mixed_articles_need_complete_relations() -> None:
    chain = [Relation("b", "a", 0.6, 0.6), Relation("c", "b", 0.6, 0.6), Relation("d", "c", 0.6, 0.6)]
    members = [member(id, first_seen_at=NOON + 3 * days * DAY) for days, id in enumerate("abcd")]
    assert len(attribute(members, chain, is_complete=False).originals) <= 1
    assert sum(item.probability for item in attribute(members, chain, is_complete=False).members) <= 1


def test_a_text_of_which_others_took_parts_is_the_original_of_both() -> None:
    members = [
        member("whole", author="王小渡", first_seen_at=NOON, published_at=NOON - HOUR),
        member("a", first_seen_at=NOON + 3 * DAY, statements=statements("来源：whole报")),
        member("b", first_seen_at=NOON + 3 * DAY, statements=statements("来源：whole报")),
    ]
    attribution = attribute(members, [Relation("whole", "a", 0.4, 1.0), Relation("whole", "b", 0.4, 1.0)])
    assert attribution.originals == ("whole",)


def test_without_evidence_it_is_undetermined() -> None:
    attribution = attribute([Witness("a"), Witness("b")])
    assert attribution.originals == ()
    assert {member.role for member in attribution.members} == {"undetermined"}
    assert attribution.members[0].probability == pytest.approx(attribution.members[1].probability)
    assert "undetermined" in str(attribution.conclusion)


def test_the_confidence_decides_what_is_undetermined() -> None:
    inputs = [member("a", first_seen_at=NOON), member("b", first_seen_at=NOON + 3 * DAY)]
    chance = attribute(inputs)["a"].probability
    assert 0.5 < chance < 0.95
    assert attribute(inputs, weights=Weights(confidence=chance - 0.01)).originals == ("a",)
    assert attribute(inputs, weights=Weights(confidence=chance + 0.01)).originals == ()


def test_reasons_are_translated_and_in_json() -> None:
    copied = statements("转载自：a报\n原标题：渡口复航")
    inputs = [
        member("a", first_seen_at=NOON, author="王小渡"),
        member("b", statements=copied, first_seen_at=NOON + 3 * DAY),
    ]
    attribution = attribute(inputs)
    for item in attribution.members:
        for reason in item.reasons:
            message = {translated(reason.message, language) for language in LANGUAGES}
            assert len(message) == len(LANGUAGES), message
    written = json.loads(json.dumps(attribution.to_dict(), ensure_ascii=False))
    assert written["members"][0]["id"] == "a"
    assert written["members"][0]["reasons"][0]["message"].isascii() or written["originals"] == ["a"]


TIMES = st.none() | st.datetimes(datetime(2020, 1, 1), datetime(2027, 1, 1))
TEXTS = st.sampled_from(["", "来源：a报", "转载自b报", "来源：青澜日报", "原标题：渡口", "新华社青澜3月5日电 雾"])
WITNESSES = st.lists(
    st.builds(
        lambda **fields: fields,
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
    fields: list[dict[str, Any]], pairs: list[tuple[int, int, float, float]]
) -> None:
    members = [Witness(f"d{place}", f"https://x.example/{place}", **value) for place, value in enumerate(fields)]
    relations = [Relation(f"d{a}", f"d{b}", pair, other) for a, b, pair, other in pairs if a != b]
    attribution = attribute(members, relations)
    assert sorted(pair.id for pair in attribution.members) == sorted(pair.id for pair in members)
    assert all(0 <= pair.probability <= 1 and pair.role in ROLES for pair in attribution.members)
    assert all(pair.role == "original" for pair in attribution.members if pair.id in attribution.originals)
    if not relations:
        assert sum(pair.probability for pair in attribution.members) + attribution.elsewhere == pytest.approx(1)


@pytest.mark.parametrize(
    "value",
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
def test_invalid_weights_are_refused_with_a_hint(value: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        Weights.of(value)
    assert refused.value.hint


def test_a_recipe_that_was_fitted_with_former_names_is_read() -> None:
    weights = Weights.of({"origin": {"proof": 7}, "syndication": {"leave": -2}})
    assert (weights.origin["attestation"], weights.syndication["permission"]) == (7, -2)
    assert weights.origin.keys() == ORIGIN.keys()


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
    facts = {"title": "渡口复航", "author": "王小渡", "published_at": NOON, "first_seen_at": NOON}
    observed = {id: {"first_seen_at": NOON + (days + place) * DAY} for place, id in enumerate("bc")}
    registered = member("a", collection="protected", **facts)
    silent = attribute([registered, *(member(id, **observed[id]) for id in "bc")])
    claiming = attribute([registered, *(member(id, **observed[id] | claims[id]) for id in "bc")])
    before, after = (
        np.array([attribution["b"].probability, attribution["c"].probability, attribution.elsewhere])
        / attribution["a"].probability
        for attribution in (silent, claiming)
    )
    assert claiming["a"].probability >= silent["a"].probability - 1e-9
    assert all(after <= before + 1e-9)


def test_an_earlier_date_that_only_a_page_claims_does_not_count_against_a_registered_article() -> None:
    ours = member("a", collection="protected", published_at=NOON, first_seen_at=NOON)
    liar = member("b", published_at=NOON - 30 * DAY, first_seen_at=NOON + 5 * DAY)
    attribution = attribute([liar, ours])
    assert attribution.originals == ("a",)
    assert any("does not count against a registered article" in reason.message for reason in attribution["b"].reasons)
    observed = attribute([replace(liar, attestations=(("server-log", NOON - 30 * DAY),)), ours])
    assert observed.originals == ("b",), "what was observed counts"
