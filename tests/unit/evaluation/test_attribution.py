"""Simulated propagation, and the accuracy of attribution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from whorl.attribution.weights import FIXED, ORIGIN, Weights
from whorl.evaluation.attribution.habits import HABITS
from whorl.evaluation.attribution.propagation import Simulated, simulate
from whorl.evaluation.attribution.scores import bins, choices, fit, score, signs

UNSEEN = 90_001
"""A seed that no weight was fitted to."""


@pytest.fixture(scope="module")
def clusters() -> list[Simulated]:
    return simulate(1500, UNSEEN)


def test_the_same_seed_makes_the_same_clusters(clusters: list[Simulated]) -> None:
    assert simulate(40, UNSEEN) == clusters[:40]
    assert simulate(40, UNSEEN + 1) != clusters[:40]


def test_simulated_clusters_have_the_requested_properties(clusters: list[Simulated]) -> None:
    assert all(len(cluster.members) > 1 for cluster in clusters)
    kinds = {
        "self-syndication": any(cluster.syndicated for cluster in clusters),
        "mixed articles": any(cluster.mixed for cluster in clusters),
        "originals that were never found": any(not cluster.originals for cluster in clusters),
        "missing times": any(member.published_at is None for cluster in clusters for member in cluster.members),
        "statements": any(member.statements for cluster in clusters for member in cluster.members),
    }
    assert all(kinds.values()), kinds
    for cluster in clusters:
        ids = {member.id for member in cluster.members}
        assert cluster.originals | cluster.syndicated | cluster.mixed <= ids
        assert not cluster.originals & (cluster.syndicated | cluster.mixed)


def test_attribution_is_accurate_and_calibrated(clusters: list[Simulated]) -> None:
    scores = score(clusters)
    assert scores.top1_with_evidence >= 0.95, "measured on 4,000 clusters: .963"
    assert scores.top1 >= 0.92
    assert scores.top1_determined >= 0.96
    assert scores.calibration_error <= 0.04
    assert scores.top1_present > max(scores.baselines.values()) + 0.1
    assert scores.syndication >= 0.96


def test_sites_that_date_falsely_cost_little() -> None:
    usual, scores = (score(simulate(600, UNSEEN, replace(HABITS, false_dates=often))) for often in (1.0, 5.0))
    assert scores.baselines["earliest claimed date"] < usual.baselines["earliest claimed date"] - 0.03
    assert scores.top1_with_evidence >= 0.94
    assert scores.calibration_error <= 0.05


def test_worse_habits_cost_less_than_certainty() -> None:
    worse = replace(HABITS, lies=0.2, found_late=0.15, loses_field=0.3, cycle_is_known=0.2, name_is_known=0.5)
    usual, scores = score(simulate(600, UNSEEN)), score(simulate(600, UNSEEN, worse))
    assert scores.determined < usual.determined, "it says less"
    assert scores.top1_determined >= 0.9, "and what it says is still right"
    assert scores.top1_present > max(scores.baselines.values())


def test_a_fit_finds_what_counts() -> None:
    clusters = simulate(400, 7)
    nothing = Weights(
        {name: Weights().origin[name] if name in FIXED else 0.0 for name in ORIGIN},
        dict.fromkeys(Weights().syndication, 0.0),
    )
    fitted = fit(choices(clusters), signs(clusters), start=nothing)
    assert all(fitted.origin[name] == nothing.origin[name] for name in FIXED)
    assert fitted.origin["named"] > 1
    assert fitted.syndication["author"] > 1
    assert all(value >= 0 for name, value in fitted.origin.items() if name != "elsewhere")
    assert score(clusters, fitted).top1 > score(clusters, nothing).top1 + 0.2


def test_few_clusters_change_little() -> None:
    usual = Weights()
    fitted = fit(choices(simulate(3, 7)), start=usual)
    assert max(abs(fitted.origin[name] - usual.origin[name]) for name in ORIGIN) < 1
    assert fitted.syndication == usual.syndication
    assert fit([]) == usual


def test_bins_hold_every_answer_once() -> None:
    chances, right = np.array([0.0, 0.05, 0.5, 1.0]), np.array([False, False, True, True])
    result = bins(chances, right)
    assert sum(chance.count for chance in result) == len(chances)
    assert result[-1].said == result[-1].right == 1.0
