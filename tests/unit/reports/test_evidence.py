from hypothesis import given
from hypothesis import strategies as st

from whorl.reports.evidence import Piece, Side, Span, excerpt, opening


def _side(text: str, *spans: Span) -> Side:
    return Side("id", "file.jsonl", 1, None, text, spans)


def test_short_text_is_whole_and_split_at_its_spans() -> None:
    pieces = excerpt(_side("抄来的一句话。", (0, 2), (3, 5)), 100)
    assert pieces == (Piece("抄来", True), Piece("的"), Piece("一句", True), Piece("话。"))


def test_overlapping_and_outlying_spans_are_joined_and_clipped() -> None:
    assert excerpt(_side("abcdef", (4, 99), (-3, 2), (1, 3), (5, 5)), 100) == (
        Piece("abc", True),
        Piece("d"),
        Piece("ef", True),
    )


def test_long_text_shows_its_opening_and_the_edges_of_its_passages() -> None:
    text = "头" * 5_000 + "抄" * 3_000 + "尾" * 5_000
    pieces = excerpt(_side(text, (5_000, 8_000)), 600)
    assert pieces[0].text.startswith("头")
    assert [piece.shared for piece in pieces if piece.text] == [False, False, True, True, False]
    assert sum(piece.skipped for piece in pieces) == 13_000 - sum(len(piece.text) for piece in pieces)


def test_opening_says_how_much_is_left_out() -> None:
    assert opening(_side("abcdef", (1, 2)), 3) == (Piece("a"), Piece("b", True), Piece("c"), Piece("", skipped=3))


@given(
    text=st.text(max_size=400),
    spans=st.lists(st.tuples(st.integers(-10, 450), st.integers(-10, 450)), max_size=12),
    limit=st.integers(1, 200),
)
def test_every_character_is_shown_or_counted_and_the_limit_holds(text: str, spans: list[Span], limit: int) -> None:
    position = shown = 0
    inside = {index for start, end in spans for index in range(max(0, start), end)}
    for piece in excerpt(_side(text, *spans), limit):
        assert text.startswith(piece.text, position)
        assert all((index in inside) == piece.shared for index in range(position, position + len(piece.text)))
        position += len(piece.text) + piece.skipped
        shown += len(piece.text)
    assert position == len(text)
    assert shown <= limit
