"""Libraries with SimHash codes: near codes are found among many that share a block."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article, edited

import whorl
from whorl.fingerprints import Fingerprints
from whorl.fingerprints.simhash import SimHash
from whorl.recipe import Recipe


def prints_of(codes: list[int], family: SimHash) -> Fingerprints:
    """Return fingerprints of texts with these codes; their keys do not matter."""
    count, blocks = len(codes), family.distance + 1
    width = family.bits // 8
    raw = b"".join(code.to_bytes(width, "little") for code in codes)
    return Fingerprints(
        np.zeros((count, 2), np.uint64),
        np.ones(count, np.uint32),
        np.arange(count * blocks, dtype=np.uint64),
        np.full(count, blocks, np.uint32),
        np.frombuffer(raw, np.uint8).reshape(count, width),
    )


@given(st.sampled_from([32, 64, 128]), st.integers(0, 11), st.data())
def test_codes_within_the_distance_share_a_longer_key(bits: int, distance: int, data: st.DataObject) -> None:
    family = SimHash(bits=bits, distance=distance)
    code = data.draw(st.integers(0, 2**bits - 1))
    flipped = data.draw(st.sets(st.integers(0, bits - 1), max_size=distance))
    near = code ^ sum(1 << bit for bit in flipped)
    indexed = family.indexed(prints_of([code, near], family))
    rows = indexed.keys.reshape(2, -1)[:, distance + 1 :]
    assert indexed.counts.tolist() == [rows.shape[1] + distance + 1] * 2
    assert set(rows[0].tolist()) & set(rows[1].tolist())


def test_strangers_that_share_a_block_share_no_longer_key() -> None:
    family = SimHash(bits=64, distance=3)
    rng = np.random.default_rng(1)
    codes = [int(high) << 16 | 7 for high in rng.integers(0, 2**48, 300)]
    rows = family.indexed(prints_of(codes, family)).keys.reshape(300, -1)[:, 4:].tolist()
    sharing = sum(bool(set(a) & set(b)) for a, b in combinations(rows, 2))
    assert sharing < 0.01 * 300 * 299 / 2


def test_a_text_without_a_code_has_no_key(tmp_path: Path) -> None:
    recipe = Recipe(method="simhash", parameters={"bits": 32})
    with whorl.open(tmp_path / "library", recipe) as library:
        reports = library.add([{"id": "a", "text": "……"}, {"id": "b", "text": article(1)}, {"id": "c", "text": ""}])
        assert [report.keys > 0 for report in reports] == [False, True, False]


def test_copies_are_found_among_many_articles(tmp_path: Path) -> None:
    """Codes of 32 bits have blocks of 8: of 3,000 articles 47 share a block with any other, and 32 are compared."""
    recipe = Recipe(method="simhash", parameters={"bits": 32})
    with whorl.open(tmp_path / "library", recipe) as library:
        library.add([{"id": f"{number}", "text": article(number, 400)} for number in range(3000)])
        family = SimHash(bits=32)
        hits = near = 0
        for number in range(0, 3000, 100):
            copy = edited(article(number, 400), 4, number)
            a, b = family.code(article(number, 400)), family.code(copy)
            if a is not None and b is not None and (a ^ b).bit_count() <= family.distance:
                near += 1
                hits += f"{number}" in {match.id for match in library.check(copy).matches}
        assert (near > 15, hits) == (True, near)
