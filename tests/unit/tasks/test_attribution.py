"""Who was first in a cluster of a library, and weights that are learned from what people decided."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.articles import article

import whorl
from whorl.errors import NotFoundError, UsageError

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
        opened.leaves.put([{"domain": "partner.example", "path": "/news"}])
        yield opened


def cluster_of(library: whorl.Library, id: str = "first") -> int:
    found = library.report(id).cluster_id
    assert found is not None
    return found


def test_what_a_library_keeps_tells_who_was_first(library: whorl.Library) -> None:
    found = whorl.trace(library, cluster_of(library))
    assert found.attribution.originals == ("first",)
    roles = {one.id: one.role for one in found.attribution.members}
    assert roles == {"first": "original", "copy": "copy", "partner": "reprint"}
    told = {reason.evidence for reason in found.attribution["first"].reasons}
    assert {"seen", "named", "canonical", "byline"} <= told
    assert [one.document.id for one in found.documents] == ["copy", "first", "partner"], "by time, as they claim"
    assert json.loads(json.dumps(found.to_dict()))["attribution"]["originals"] == ["first"]


def test_proofs_and_snapshots_count(library: whorl.Library) -> None:
    cluster = cluster_of(library)
    library.pages.keep("https://copy.example/9", b"<p>", at="2026-03-01T08:00:00Z", document="copy")
    assert "snapshot" in {one.evidence for one in whorl.trace(library, cluster).attribution["copy"].reasons}
    library.proofs.put([{"document": "partner", "kind": "server-log", "at": "2026-02-01"}])
    found = whorl.trace(library, cluster).attribution
    assert found["partner"].reasons[0].evidence == "proof"
    assert found["partner"].probability > 0.5


def test_the_confidence_may_be_asked_for(library: whorl.Library) -> None:
    cluster = cluster_of(library)
    chance = whorl.trace(library, cluster).attribution["first"].probability
    asked = whorl.trace(library, cluster, confidence=min(0.999999, chance + 1e-6)).attribution
    assert asked.originals == ()
    assert asked["first"].role == "undetermined"
    with pytest.raises(UsageError, match="confidence"):
        whorl.trace(library, cluster, confidence=0.2)


def test_there_must_be_such_a_cluster(library: whorl.Library) -> None:
    with pytest.raises(NotFoundError):
        whorl.trace(library, 77)


def test_weights_are_learned_from_decisions(library: whorl.Library, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no reviewed cluster") as refused:
        whorl.fit_attribution(library)
    assert "whorl library proofs" in str(refused.value)
    library.collect(["copy"], "own")
    library.review("copy", "first", "confirmed", by="ana")
    fitted = whorl.fit_attribution(library, strength=0.01)
    assert (fitted.clusters, fitted.right_before, fitted.right_after) == (1, 0.0, 1.0)
    recipe = tmp_path / "ours.toml"
    recipe.write_text(fitted.toml(), encoding="utf-8")
    found = whorl.trace(library, cluster_of(library), recipe=recipe).attribution
    assert found.members[0].id == "copy", "whoever reviewed it insists"
    library.reviews.undo("copy", "first", by="ana")
    with pytest.raises(UsageError, match="no reviewed cluster"):
        whorl.fit_attribution(library)


def test_a_recipe_may_change_the_weights(library: whorl.Library, tmp_path: Path) -> None:
    recipe = tmp_path / "ours.toml"
    recipe.write_text("[attribution.origin]\nnamed = 0.0\ncanonical = 0.0\n", encoding="utf-8")
    cluster = cluster_of(library)
    ours, usual = (whorl.trace(library, cluster, recipe=given).attribution["first"] for given in (recipe, None))
    assert ours.probability < usual.probability
    recipe.write_text("[attribution.origin]\nluck = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="luck"):
        whorl.trace(library, cluster, recipe=recipe)
