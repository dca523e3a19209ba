"""Detection of which of two texts has a misprint where they differ."""

from __future__ import annotations

import pytest

import whorl
from whorl.attribution.misprints import misprints

TEXT = (
    "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。码头上的工人说，这是十年来最热闹的季节。"
)


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [("机器", "机气", (0, 1)), ("码头", "玛头", (0, 1)), ("夏天", "冬天", (0, 0)), ("机器", "机器", (0, 0))],
)
def test_split_word_is_a_misprint(right: str, wrong: str, expected: tuple[int, int]) -> None:
    other = TEXT.replace(right, wrong)
    assert misprints(TEXT, other, whorl.compare(TEXT, other).passages) == expected
    assert misprints(other, TEXT, whorl.compare(other, TEXT).passages) == expected[::-1]


def test_other_scripts_have_no_misprints() -> None:
    first = "The harbour got two new ice machines this summer, and boats leave before dawn again."
    other = first.replace("machines", "machinse")
    assert misprints(first, other, whorl.compare(first, other).passages) == (0, 0)
