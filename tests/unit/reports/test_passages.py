"""Two texts side by side."""

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.cli.articles import BRIDGE, HARBOUR

from whorl import compare, compare_sources
from whorl.reports.comparison.passages import TONES, Piece, clipped, view

BLOCKS = tuple(
    f"第{number}段讲的是{topic}，从前没有人写过，以后大概也不会有人再写，所以这里多写几句。"
    for number, topic in enumerate(("木匠", "灯塔", "梨园", "古桥", "渡船", "冰厂", "县志", "钟表"))
)
UNIQUE = ("这是自己写的话，别处没有。", "另起一行，也是自己的。", "")


def length(pieces: tuple[Piece, ...]) -> int:
    return sum(len(piece.text) + piece.skipped for piece in pieces)


def test_passages_are_side_by_side() -> None:
    source = BRIDGE + UNIQUE[0] + HARBOUR
    text = HARBOUR + UNIQUE[1] + BRIDGE
    passages = compare(source, text).passages
    rows = view([source], text, passages, 10_000).rows
    numbered = [row for row in rows if row.passage]
    assert [row.number for row in numbered] == [1, 2]
    assert numbered[0].tone != numbered[1].tone
    for row in numbered:
        assert "".join(piece.text for piece in row.source) == "".join(piece.text for piece in row.text)
    between = [row for row in rows if not row.passage]
    assert "".join(piece.text for row in between for piece in row.source) == UNIQUE[0]
    assert "".join(piece.text for row in between for piece in row.text) == UNIQUE[1]


@given(
    source=st.lists(st.sampled_from(BLOCKS + UNIQUE), max_size=6),
    text=st.lists(st.sampled_from(BLOCKS + UNIQUE), max_size=6),
    limit=st.integers(1, 900),
)
def test_every_character_is_shown_or_counted(source: list[str], text: list[str], limit: int) -> None:
    a, b = "".join(source), "".join(text)
    passages = compare(a, b).passages
    result = view([a], b, passages, limit)
    for row in result.rows:
        if row.passage:
            assert length(row.source) == row.passage.a_end - row.passage.a_start
            assert length(row.text) == row.passage.b_end - row.passage.b_start
    output = sum(row.passage is not None for row in result.rows)
    assert output + result.unshown == len(passages)
    if not result.unshown:
        assert sum(length(row.text) for row in result.rows) == len(b)  # no block begins or ends with white space


def test_sources_have_their_looks() -> None:
    composition = compare_sources([BLOCKS[1], UNIQUE[0], BLOCKS[0]], BLOCKS[0] + BLOCKS[1])
    sources = [BLOCKS[1], UNIQUE[0], BLOCKS[0]]
    rows = view(sources, BLOCKS[0] + BLOCKS[1], composition.passages, 1_000).rows
    assert [row.tone for row in rows if row.passage] == [3, 1]
    assert TONES >= 3


def test_text_beyond_the_limit_is_counted() -> None:
    text = "\n".join(f"{block}{value * 40}" for block, value in zip(BLOCKS, UNIQUE * 3, strict=False))
    passages = compare("".join(reversed(BLOCKS)), text).passages
    result = view(["".join(reversed(BLOCKS))], text, passages, 100)
    assert result.unshown
    assert not result.is_whole


@given(
    pieces=st.lists(
        st.builds(Piece, st.text(min_size=1, max_size=300), st.sampled_from(["", "same"]), st.just(0)),
        max_size=6,
    ),
    room=st.integers(1, 400),
)
def test_clipping_counts_what_it_leaves_out(pieces: list[Piece], room: int) -> None:
    remaining = tuple(clipped(pieces, room))
    assert length(remaining) == sum(len(piece.text) for piece in pieces)
    assert sum(len(piece.text) for piece in remaining) <= room
    assert all(piece.text or piece.skipped for piece in remaining)


def test_short_stretches_are_left_whole() -> None:
    pieces = [Piece("短"), Piece("的", "same")]
    assert list(clipped(pieces, 2)) == pieces
