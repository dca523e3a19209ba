from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.evaluation.intervals import Share
from whorl.evaluation.scoring import Copy, Truth, band_of, bands, of_one_original, pair, score

MIXED = Copy("mix", "mix2", ("a", "b"))
TRUTH = Truth((Copy("a1", "typo", ("a",)), Copy("a2", "typo", ("a",)), MIXED), aside=frozenset({("b", "c")}))


def test_a_pair_is_found_if_it_is_in_one_cluster_and_proved_if_one_was_removed_for_the_other() -> None:
    recall = score(TRUTH, {"a": "a1", "a2": "a1", "mix": "a1"}).recall
    assert (recall.pairs_found, recall.proved, recall.at_most_one_kept) == (Share(3, 4), Share(1, 4), Share(4, 4))
    assert (recall.any_found, recall.any_proved) == (Share(3, 3), Share(1, 3))


def test_a_removal_for_a_stranger_finds_nothing() -> None:
    """A method that removes documents for unrelated ones finds no copy, though at most one of each is kept."""
    recall = score(TRUTH, {"a": "z", "a1": "y", "a2": "x", "mix": "w"}).recall
    assert (recall.pairs_found, recall.any_found) == (Share(0, 4), Share(0, 3))
    assert recall.at_most_one_kept == Share(4, 4)
    assert recall.as_dict()["at_most_one_kept"]["value"] == 1.0


def test_kinds_are_counted_by_pairs_and_by_copies() -> None:
    kinds = score(TRUTH, {"a": "mix"}).by_kind
    assert kinds.keys() == {"typo", "mix2"}
    assert (kinds["mix2"].pairs_found, kinds["mix2"].any_found) == (Share(1, 2), Share(1, 1))
    assert kinds["typo"].pairs_found == Share(0, 2)
    assert kinds["typo"].at_most_one_kept == Share(2, 2)


def test_removals_are_right_wrong_or_aside() -> None:
    scored = score(TRUTH, {"a1": "a", "b": "mix", "c": "b", "d": "e"})
    assert (scored.removed, scored.right, scored.wrong, scored.aside, scored.unknown) == (4, 2, 1, 1, 0)
    assert scored.precision == Share(2, 3)
    assert scored.mistaken == (("d", "e"),)
    assert scored.missed == (("a", "a2"), ("a", "mix"))
    assert score(TRUTH, {"a1": "z", "a2": "a"}).missed == (("a", "a1"), ("a", "mix"), ("b", "mix"))


def test_copies_of_one_original_are_related() -> None:
    related = of_one_original(TRUTH.copies)
    assert related == {("a1", "a2"), ("a1", "mix"), ("a2", "mix")}
    assert score(Truth(TRUTH.copies, related), {"a1": "a2"}).right == 1
    assert score(TRUTH, {"a1": "a2"}).wrong == 1


def test_an_incomplete_truth_claims_no_precision() -> None:
    truth = Truth(TRUTH.copies, others=frozenset({("x", "y")}), complete=False)
    scored = score(truth, {"a1": "a", "d": "e", "y": "x"})
    assert (scored.right, scored.wrong, scored.unknown) == (1, 1, 1)
    assert (scored.precision, scored.f1) == (None, None)
    described = scored.as_dict()
    assert (described["precision"], described["f1"]) == (None, None)


def test_bands_go_by_the_shorter_text() -> None:
    lengths = {"a": 900, "a1": 140, "a2": 501, "b": 4000, "mix": 5000}
    recalls = score(TRUTH, {"a1": "a"}, lengths).by_band
    assert {band: recall.pairs_found for band, recall in recalls.items()} == {
        "1-140": Share(1, 1),
        "501-1000": Share(0, 2),
        "3001-": Share(0, 1),
    }


def test_the_bands_meet() -> None:
    assert bands() == ("1-140", "141-500", "501-1000", "1001-3000", "3001-")
    assert [band_of(length) for length in (140, 141, 3000, 3001)] == ["1-140", "141-500", "1001-3000", "3001-"]


@given(st.lists(st.integers(0, 6), min_size=7, max_size=7), st.data())
def test_figures_agree_with_a_comparison_of_all_pairs(labels: list[int], data: st.DataObject) -> None:
    """The slow twin uses clusters: two documents are copies if they have one label."""
    documents = range(len(labels))
    copies = {
        combination for combination in combinations(documents, 2) if labels[combination[0]] == labels[combination[1]]
    }
    kept = data.draw(st.sets(st.sampled_from(documents), min_size=1))
    removals = {
        combination: data.draw(st.sampled_from(sorted(kept))) for combination in documents if combination not in kept
    }
    scored = score(Truth(tuple(Copy(a, "", (b,)) for a, b in copies)), removals)
    clusters = [
        {combination, *(removed for removed, value in removals.items() if value == combination)} for combination in kept
    ]
    together = sum(any({a, b} <= cluster for cluster in clusters) for a, b in copies)
    assert scored.recall.pairs_found == Share(together, len(copies))
    assert scored.recall.at_most_one_kept == Share(sum(not {a, b} <= kept for a, b in copies), len(copies))
    right = sum(pair(*removal) in copies for removal in removals.items())
    assert scored.precision == Share(right, len(removals))
    if scored.f1 and removals:
        hits = scored.recall.pairs_found.hits
        assert scored.f1 == pytest.approx(2 / (len(removals) / right + len(copies) / hits))
