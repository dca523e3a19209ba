"""Thresholds evaluated on decisions and on labeled copies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import whorl
from whorl.errors import InputError
from whorl.tasks.review.lab import decided_curve, trial

TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。"
OTHER = "山里的小学昨天来了一位新老师，孩子们带她去看了后山的那片竹林和一口老井。"


def test_decisions_tell_what_a_threshold_would_do(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "news") as library:
        library.add([{"id": "a", "text": TEXT}, {"id": "b", "text": TEXT}, {"id": "c", "text": TEXT + OTHER * 2}])
        assert decided_curve(library).right == 0
        library.review("a", "b", "confirmed")
        library.review("b", "c", "rejected")
        curve = decided_curve(library)
    assert (curve.right, curve.wrong) == (1, 1)
    assert [point.threshold for point in curve.points][:2] == [0.0, 0.01]
    assert curve.points[0].precision["value"] == 0.5
    assert all(point.recall["value"] == 1 for point in curve.points)


def test_no_decisions_are_no_failure(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "news") as library:
        curve = decided_curve(library)
    assert (curve.right, curve.wrong) == (0, 0)
    assert curve.points[50].recall["value"] is None


def test_a_trial_has_a_run_for_each_threshold(tmp_path: Path) -> None:
    articles, truth = tmp_path / "articles.jsonl", tmp_path / "truth.jsonl"
    rows = [{"id": "a", "text": TEXT}, {"id": "b", "text": f"{TEXT}完"}, {"id": "c", "text": OTHER}]
    articles.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    truth.write_text(json.dumps({"a": "a", "b": "b"}), encoding="utf-8")
    (method,) = trial(articles, truth, methods="minhash").methods
    assert [point["threshold"] for point in method["sweep"]] == [round(0.05 * n, 2) for n in range(1, 20)]
    assert (method["recall"]["value"], method["precision"]["value"]) == (1.0, 1.0)
    truth.write_text(json.dumps({"a": "a", "b": "nowhere"}), encoding="utf-8")
    with pytest.raises(InputError, match="nowhere"):
        trial(articles, truth, methods="minhash")
