"""The original is found: in simulated clusters, among real reprints without their source lines, and along chains."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from benchmarks.reprints import judge_reprints
from tests.quality.corpora import data_folder, lines

import whorl
from whorl.evaluation.attribution.propagation import simulate
from whorl.evaluation.attribution.scores import score

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["attribution"]
FOLDER = data_folder()
needs_data = pytest.mark.skipif(FOLDER is None, reason="WHORL_DATA names no real corpora")


@pytest.mark.parametrize("seed", [1001, 5])
def test_the_original_of_simulated_clusters_is_found_and_probabilities_are_right(seed: int) -> None:
    scores = score(simulate(800, seed))
    assert scores.top1_with_evidence >= FLOORS["with_evidence"]
    assert scores.calibration_error <= FLOORS["calibration_error"]
    assert scores.syndication_precision >= FLOORS["syndication_precision"]


@needs_data
def test_real_reprints_without_their_source_lines_agree_with_them() -> None:
    judged = judge_reprints()
    assert judged is not None
    assert judged["named"] >= 100, "enough pairs to tell"
    for way, floors in (("read", FLOORS["reprints"]["read"]), ("blind", FLOORS["reprints"]["blind"])):
        assert judged[way]["right"] / judged["named"] >= floors["right"], judged[way]
        assert judged[way]["wrong"] / judged["named"] <= floors["wrong"], judged[way]
    assert judged["blind"]["wrong"] < judged["earliest"]["wrong"]


@needs_data
def test_the_source_of_a_chain_is_found_whatever_the_form_of_its_source_lines(tmp_path: Path) -> None:
    assert FOLDER is not None
    outcomes = {
        f"{row['n']} {row['form']}": _outcome(row, tmp_path / str(row["n"]))
        for row in lines(FOLDER / "foreign" / "chains.jsonl.gz")
    }
    assert len(outcomes) >= 15, "enough chains to tell"
    assert {form: outcome for form, outcome in outcomes.items() if outcome != "right"} == {}


def _outcome(row: dict[str, Any], folder: Path) -> str:
    with whorl.open(folder) as library:
        library.sites.put([{"domain": domain, "name": names} for domain, names in row["sites"].items()])
        library.add(
            {key: article[key] for key in ("id", "text", "published_at", "author") if key in article}
            | {"url": f"https://www.{article['site']}/n/{article['id']}.html"}
            for article in row["arts"]
        )
        attribution = whorl.library.trace(library, library.report("r1").cluster_id).attribution
    if row["truth"] is None:
        return "right" if attribution.elsewhere >= attribution.confidence else "missed"
    return "right" if attribution.originals == (row["truth"],) else "wrong" if attribution.originals else "missed"
