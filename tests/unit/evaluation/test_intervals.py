from math import sqrt
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.evaluation.intervals import Share, f1_interval, harmonic, wilson

Z = NormalDist().inv_cdf(0.975)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(7, 10, 0.3968, 0.8922), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 2, 0.0945, 0.9055), (0, 0, 0.0, 1.0)],
)
def test_the_interval_is_that_of_wilson(hits: int, of: int, low: float, high: float) -> None:
    assert wilson(hits, of) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 10_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_bounds_are_where_the_share_is_just_believable(counts: tuple[int, int]) -> None:
    """The definition: the share is z standard errors from either bound, with the error at the bound."""
    hits, of = counts
    low, high = wilson(hits, of)
    assert 0 <= low <= hits / of <= high <= 1
    for bound in (low, high):
        if 0 < bound < 1:
            assert abs(hits / of - bound) == pytest.approx(Z * sqrt(bound * (1 - bound) / of), rel=1e-6)


def test_share_of_nothing_has_no_interval() -> None:
    assert Share(0, 0).as_dict() == {"value": None, "low": 0.0, "high": 1.0, "hits": 0, "of": 0}


def test_f1_is_the_harmonic_mean() -> None:
    assert harmonic(0.5, 1.0) == pytest.approx(2 / 3)
    assert harmonic(0.0, 0.0) == 0.0


def test_the_interval_of_f1_holds_it_and_narrows_with_the_counts() -> None:
    few = f1_interval(Share(9, 10), Share(8, 10))
    many = f1_interval(Share(900, 1000), Share(800, 1000))
    assert few[0] < many[0] < harmonic(0.9, 0.8) < many[1] < few[1]
    assert few == f1_interval(Share(9, 10), Share(8, 10))


def test_f1_interval_is_that_of_precision_at_fixed_recall() -> None:
    low, high = f1_interval(Share(70, 100), Share(10**9, 10**9))
    expected = wilson(70, 100)
    for bound, share in zip((low, high), expected, strict=True):
        assert bound == pytest.approx(harmonic(share, 1.0), abs=0.01)
