"""Attribution in a cluster of a library, and weights fitted to decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.articles import article

import whorl
from whorl.errors import NotFoundError, UsageError
from whorl.results import Weights

TEXT = article(1, 600)
LINE = "本文转载自《青澜日报》。"
PAGES = (
    {
        "id": "copy",
        "text": f"{TEXT}\n{LINE}",
        "url": "https://copy.example/9",
        "published_at": "2026-03-04T08:00:00Z",
        "first_seen_at": "2026-03-08",
        "metadata": {"canonical": "https://news.qinglan.example/1"},
    },
    {
        "id": "first",
        "text": TEXT,
        "title": "渡口复航",
        "author": "王小渡",
        "url": "https://news.qinglan.example/1",
        "published_at": "2026-03-05T08:00:00Z",
        "first_seen_at": "2026-03-05T10:00:00Z",
    },
    {
        "id": "partner",
        "text": f"{TEXT}\n来源：青澜日报",
        "url": "https://partner.example/news/3",
        "published_at": "2026-03-06T08:00:00Z",
        "first_seen_at": "2026-03-06T10:00:00Z",
    },
)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[whorl.Library]:
    with whorl.open(tmp_path / "library") as opened:
        opened.add(PAGES)
        opened.sites.put([{"domain": "qinglan.example", "name": "青澜日报", "trust": 0.9, "update_cycle": "6h"}])
        opened.permissions.put([{"domain": "partner.example", "path": "/news"}])
        yield opened


def cluster_of(library: whorl.Library, id: str = "first") -> int:
    result = library.report(id).cluster_id
    assert result is not None
    return result


def test_stored_evidence_determines_the_original(library: whorl.Library) -> None:
    result = whorl.library.trace(library, cluster_of(library))
    assert result.attribution.originals == ("first",)
    roles = {member.id: member.role for member in result.attribution.members}
    assert roles == {"first": "original", "copy": "copy", "partner": "reprint"}
    report = {reason.evidence for reason in result.attribution["first"].reasons}
    assert {"seen", "named", "canonical", "byline"} <= report
    assert [member.document.id for member in result.documents] == ["copy", "first", "partner"], "by time, as they claim"
    assert json.loads(json.dumps(result.to_dict()))["attribution"]["originals"] == ["first"]


def test_attestations_and_snapshots_count(library: whorl.Library) -> None:
    cluster = cluster_of(library)
    library.pages.keep("https://copy.example/9", b"<p>", at="2026-03-01T08:00:00Z", document="copy")
    assert "snapshot" in {step.evidence for step in whorl.library.trace(library, cluster).attribution["copy"].reasons}
    library.attestations.put([{"document": "partner", "kind": "server-log", "at": "2026-02-01"}])
    result = whorl.library.trace(library, cluster).attribution
    assert result["partner"].reasons[0].evidence == "attestation"
    assert result["partner"].probability > 0.5


def test_repaired_and_disguised_copies_are_reported(tmp_path: Path) -> None:
    text = "渔港的冰厂今年夏天添了两台新机气，一天能出冰四十吨，天不亮便可以再出海。" + TEXT
    repaired = text.replace("机气", "机器")
    disguised = "\u200b".join(text[:60]) + text[60:]
    with whorl.open(tmp_path / "errors") as opened:
        added = opened.add(
            {"id": id, "text": value, "url": f"https://{id}.example/1"}
            for id, value in (("repaired", repaired), ("first", text), ("disguised", disguised))
        )
        attribution = whorl.library.trace(opened, added[1].cluster_id or 0).attribution
    reasons = {
        member.id: {reason.evidence: str(reason.message) for reason in member.reasons} for member in attribution.members
    }
    assert reasons["repaired"]["repairs"] == "corrects errors of others"
    assert reasons["first"]["repairs"] == "others correct its errors"
    assert reasons["disguised"]["tricks"] == "disguises the text by tricks that others lack"
    assert reasons["first"]["tricks"] == "others disguise its text by tricks"
    assert attribution.members[0].id == "first"


def test_many_misprints_are_a_disguise(tmp_path: Path) -> None:
    words = {
        "机器": "机气",
        "码头": "玛头",
        "工人": "工仁",
        "热闹": "热脑",
        "夏天": "下天",
        "季节": "季结",
        "渔港": "鱼港",
    }
    text = "渔港的冰厂今年夏天添了两台新机器。码头上的工人说，这是十年来最热闹的季节。" + TEXT
    typed = text
    for right, wrong in words.items():
        typed = typed.replace(right, wrong)
    with whorl.open(tmp_path / "errors") as opened:
        added = opened.add([{"id": "typed", "text": typed}, {"id": "first", "text": text}])
        result = whorl.library.trace(opened, added[1].cluster_id or 0).attribution
    evidence = {reason.evidence for reason in result["typed"].reasons}
    assert "tricks" in evidence
    assert "repairs" not in evidence
    assert result.members[0].id == "first"


def test_how_a_site_dated_other_articles_counts(tmp_path: Path) -> None:
    pages = [
        {"id": "first", "text": TEXT, "url": "https://paper.example/9", "published_at": "2026-03-05T08:30:00Z"},
        {"id": "liar", "text": TEXT, "url": "https://liar.example/9", "published_at": "2026-03-04T08:30:00Z"},
    ]
    others = [
        {
            "id": f"{site}{number}",
            "text": article(number + 100),
            "url": f"https://{site}.example/{number}",
            "first_seen_at": f"2026-01-{2 * number + 1:02}T12:00:00Z",
            "published_at": f"2026-01-{2 * number + 1:02}T{hour}Z",
        }
        for site, hour in (("paper", "11:20:00"), ("liar", "20:20:00"))
        for number in range(15)
    ]
    chances = {}
    for name, value in (("alone", pages), ("with others", [*others, *pages])):
        with whorl.open(tmp_path / name) as opened:
            opened.add(value)
            chances[name] = whorl.library.trace(opened, cluster_of(opened)).attribution["liar"].probability
    assert chances["with others"] < 0.6
    assert chances["with others"] < chances["alone"] - 0.15


def test_confidence_can_be_set(library: whorl.Library) -> None:
    cluster = cluster_of(library)
    chance = whorl.library.trace(library, cluster).attribution["first"].probability
    request = whorl.library.trace(library, cluster, confidence=min(0.999999, chance + 1e-6)).attribution
    assert request.originals == ()
    assert request["first"].role == "undetermined"
    with pytest.raises(UsageError, match="confidence"):
        whorl.library.trace(library, cluster, confidence=0.2)


def test_there_must_be_such_a_cluster(library: whorl.Library) -> None:
    with pytest.raises(NotFoundError):
        whorl.library.trace(library, 77)


def test_weights_are_learned_from_decisions(library: whorl.Library, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no reviewed cluster") as refused:
        whorl.library.fit_attribution(library)
    assert "whorl library attestations" in str(refused.value)
    library.collect(["copy"], "own")
    library.review("copy", "first", "confirmed", by="ana")
    fitted = whorl.library.fit_attribution(library, strength=0.01)
    assert (fitted.clusters, fitted.right_before, fitted.right_after) == (1, 0.0, 1.0)
    recipe = tmp_path / "ours.toml"
    recipe.write_text(fitted.toml(), encoding="utf-8")
    result = whorl.library.trace(library, cluster_of(library), recipe=recipe).attribution
    assert result.members[0].id == "copy", "whoever reviewed it insists"
    library.reviews.undo("copy", "first", by="ana")
    with pytest.raises(UsageError, match="no reviewed cluster"):
        whorl.library.fit_attribution(library)


def test_self_syndication_is_learned_from_decisions(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as opened:
        for number in range(6):
            text = article(number + 50, 400)
            named = {"text": text, "author": "渡口夜话", "published_at": "2026-03-05T08:30:00Z"}
            opened.add(
                [
                    named | {"id": f"own{number}", "url": f"https://a.example/{number}", "collection": "own"},
                    named | {"id": f"post{number}", "url": f"https://b.example/{number}"},
                    named
                    | {"id": f"taken{number}", "url": f"https://c.example/{number}", "links": ["https://a.example"]},
                    named | {"id": f"permission{number}", "url": f"https://partner.example/{number}"},
                ]
            )
            opened.permissions.put([{"domain": "partner.example"}])
            opened.review(f"own{number}", f"post{number}", "authorised", by="ana")
            opened.review(f"own{number}", f"taken{number}", "confirmed", by="ana")
            opened.review(f"own{number}", f"permission{number}", "authorised", by="ana")
        fitted = whorl.library.fit_attribution(opened, strength=0.1)
    assert (fitted.clusters, fitted.copies) == (6, 12), "who has permission teaches nothing"
    usual = Weights()
    assert fitted.weights.syndication["author"] != usual.syndication["author"]
    assert fitted.weights.syndication["prior"] != usual.syndication["prior"]


def test_a_recipe_may_change_the_weights(library: whorl.Library, tmp_path: Path) -> None:
    recipe = tmp_path / "ours.toml"
    recipe.write_text("[attribution.origin]\nnamed = 0.0\ncanonical = 0.0\n", encoding="utf-8")
    cluster = cluster_of(library)
    ours, usual = (whorl.library.trace(library, cluster, recipe=item).attribution["first"] for item in (recipe, None))
    assert ours.probability < usual.probability
    recipe.write_text("[attribution.origin]\nluck = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="luck"):
        whorl.library.trace(library, cluster, recipe=recipe)


def test_a_permission_that_ended_covers_no_article_that_claims_an_old_date(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as opened:
        opened.permissions.put([{"domain": "partner.example", "until": "2020-01-01"}])
        opened.permissions.put([{"domain": "platform.example", "author": "王合作"}])
        opened.add([{"id": "ours", "text": TEXT, "collection": "protected", "first_seen_at": "2018-01-01T00:00:00Z"}])
        late = {"text": TEXT, "published_at": "2019-06-01T00:00:00Z", "first_seen_at": "2026-03-05T00:00:00Z"}
        opened.add(
            [
                late | {"id": "late", "url": "https://partner.example/1"},
                late | {"id": "then", "url": "https://partner.example/2", "first_seen_at": "2019-06-02T00:00:00Z"},
                late | {"id": "author", "url": "https://platform.example/3", "author": "王合作"},
            ]
        )
        attribution = whorl.library.trace(opened, cluster_of(opened, "ours")).attribution
        assert attribution.originals == ("ours",)
        assert {member.id: member.role for member in attribution.members} == {
            "ours": "original", "late": "copy", "then": "reprint", "author": "copy",
        }  # fmt: skip
        assert {match.id: match.has_permission for match in whorl.library.review_queue(opened).matches} == {
            "late": False, "then": True, "author": False,
        }  # fmt: skip
