"""Every text is restored from its bytes, or damage is reported."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whorl.errors import InputError
from whorl.fingerprints import families
from whorl.library.maintenance.packing import MOST_CHARACTERS, pack_many, readable, unpack_block, unpack_many


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=50), max_size=20))
def test_every_text_comes_out_of_its_bytes(texts: list[str]) -> None:
    assert unpack_many(pack_many(texts)) == texts
    assert [unpack_many(pack_many([text])) for text in texts] == [[text] for text in texts]
    assert list(unpack_block([None, *pack_many(texts)])) == ["", *texts]


def test_every_code_point_comes_out_of_its_bytes() -> None:
    every = [chr(code_point) for code_point in range(0x110000)]
    assert unpack_many(pack_many(every)) == every
    assert unpack_many(pack_many(["".join(every)] * 3)) == ["".join(every)] * 3
    halves = ["\ud83d\udcf0", "\ufeff\ufffe"]
    assert unpack_many(pack_many(halves)) == halves


def test_damaged_bytes_are_told() -> None:
    text = "渔港的冰厂今年添了新机器" * 20
    (packed,) = pack_many([text])
    damaged = [packed[:place] + bytes([packed[place] ^ 1]) + packed[place + 1 :] for place in range(len(packed))]
    for bytes_ in [*damaged, packed[:3], b""]:
        with pytest.raises(InputError, match=r"damaged[\s\S]*restore a backup"):
            unpack_many([packed, bytes_, packed])
        with pytest.raises(InputError, match=r"damaged[\s\S]*restore a backup"):
            unpack_block([packed, None, bytes_])
        assert readable([packed, bytes_, packed]) == [text, None, text]


@pytest.mark.parametrize("name", sorted(families()))
def test_a_family_makes_the_same_of_unpacked_texts_as_of_strings(name: str) -> None:
    texts = ["渔港的冰厂今年添了新机器，一天能出冰四十吨。" * 9, "", "half \ud83d of a pair", "冰厂，渔港；船。" * 30]
    strings, unpacked = (families()[name]().fingerprint(item) for item in (texts, unpack_block(pack_many(texts))))
    for column in ("digests", "lengths", "keys", "counts", "codes"):
        assert np.array_equal(getattr(unpacked, column), getattr(strings, column))


def test_a_text_that_is_too_long_is_told() -> None:
    with pytest.raises(InputError, match="split it"):
        pack_many(["", "a" * (MOST_CHARACTERS + 1)])
