"""Text reuse by layers: the text of annotated editions without its commentary, and the commentary alone."""

import random
from pathlib import Path

import pytest

import whorl
from whorl.errors import InputError, UsageError
from whorl.results import Reuse

PLAIN = (
    "子曰：「學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？人不知而不慍，不亦君子乎？」\n有子曰：「其為人也孝弟，而好犯上者，鮮矣；"
    "不好犯上，而好作亂者，未之有也。君子務本，本立而道生。孝弟也者，其為仁之本與！」"
)
COLLECTED = (
    "子曰：「學而時習之，不亦說乎？【說、悅同。學之為言效也。人性皆善，而覺有先後。】有朋自遠方來，不亦樂乎？【樂，音洛。朋，同類也。】"
    "人不知而不慍，不亦君子乎？」【慍，紆問反。慍，含怒意。】\n有子曰：「其為人也孝弟，而好犯上者，鮮矣；【弟、好，皆去聲。】"
    "不好犯上，而好作亂者，未之有也。君子務本，本立而道生。孝弟也者，其為仁之本與！」【與，平聲。務，專力也。】"
)
EXPLAINED = (
    "學而時習之，不亦說乎？（馬曰：子者，男子之通稱，謂孔子也。）有朋自遠方來，不亦樂乎？（包曰：同門曰朋。朋，同類也。）人不知而不慍，"
    "不亦君子乎？（慍，怒也。人性皆善，而覺有先後，學之為言效也。）"
)


def ranges(result: Reuse) -> list[tuple[object, ...]]:
    """Return the passages without their texts."""
    columns = [name for name in result.passages.column_names if not name.endswith("_text")]
    return [tuple(row.values()) for row in result.passages.select(columns).to_pylist()]


def test_notes_do_not_divide_a_passage() -> None:
    documents = [{"id": "plain", "text": PLAIN}, {"id": "collected", "text": COLLECTED}]
    [row] = whorl.reuse(documents, layer="text").passages.to_pylist()
    assert (row["a_text"], row["b_text"]) == (PLAIN, COLLECTED[: COLLECTED.rindex("【")])
    assert (row["kind"], row["similarity"]) == ("verbatim", 1.0)
    [row] = whorl.reuse(documents).passages.to_pylist()
    assert row["kind"] != "verbatim"


def test_two_annotated_editions_share_one_passage_of_the_text() -> None:
    result = whorl.reuse([COLLECTED, EXPLAINED, PLAIN], layer="text")
    assert result.pairs["passages"].to_pylist() == [1, 1, 1]
    assert [cluster["documents"] for cluster in result.clusters.to_pylist()] == [3, 2]
    assert result.documents["commentary"].to_pylist() == [75, 60, 0]
    assert (result.run["counts"]["annotated"], result.run["counts"]["commentary"]) == (2, 135)
    assert "135" in result.run["methods"]["zh"]


def test_commentary_alone_is_searched() -> None:
    result = whorl.reuse([COLLECTED, EXPLAINED, PLAIN], layer="commentary", least=8)
    [row] = result.passages.to_pylist()
    assert (row["a_text"], row["b_text"]) == ("也。人性皆善，而覺有先後", "也。人性皆善，而覺有先後")


def test_texts_without_commentary_are_compared_with_that_of_another_corpus() -> None:
    essay = "先儒有言：人性皆善，而覺有先後。說、悅同，學之為言效也。又云有朋自遠方來，不亦樂乎，人不知而不慍。"
    result = whorl.reuse([essay], against=[COLLECTED], layer="commentary", least=8)
    assert {row["a_text"] for row in result.passages.to_pylist()} == {"人性皆善，而覺有先後", "說、悅同，學之為言效也"}


def test_corpora_without_commentary() -> None:
    with pytest.raises(InputError, match="no document has commentary"):
        whorl.reuse([PLAIN, PLAIN], layer="commentary")
    result = whorl.reuse([PLAIN, PLAIN, ""], layer="text")
    assert ranges(result) == ranges(whorl.reuse([PLAIN, PLAIN, ""]))
    assert result.run["counts"]["annotated"] == 0


def test_named_brackets_replace_the_recognized_ones() -> None:
    edited = COLLECTED.replace("【", "{").replace("】", "}")
    assert whorl.reuse([PLAIN, edited], layer="text").run["counts"]["commentary"] == 0
    result = whorl.reuse([PLAIN, edited], layer="text", notes="{}")
    assert ranges(result) == ranges(whorl.reuse([PLAIN, COLLECTED], layer="text"))


@pytest.mark.parametrize("options", [{"layer": "notes"}, {"notes": "【】"}, {"layer": "text", "notes": "【"}])
def test_wrong_layers_are_usage_errors(options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        whorl.reuse([PLAIN], **options)  # type: ignore[arg-type]


def annotated(text: str, source: random.Random) -> tuple[str, list[int]]:
    """Return a text with notes between its characters, and the place of each character of the text."""
    edition, places = "", []
    for place, sign in enumerate(text):
        if place and source.random() < 0.04:
            note = "".join(chr(source.randrange(0x4E00, 0x9000)) for _ in range(source.randrange(1, 60)))
            edition += source.choice(["【{}】", "〔{}。〕", "【{}〔注〕\n】", "〔{}\n注〕【二注】"]).format(note)
        places.append(len(edition))
        edition += sign
    return edition, places


@pytest.mark.parametrize("seed", range(6))
def test_a_layer_gives_the_passages_of_editions_without_notes(seed: int) -> None:
    source = random.Random(seed)
    sentences = ["".join(chr(source.randrange(0x4E00, 0x9000)) for _ in range(20)) + "。" for _ in range(60)]
    texts = ["".join(source.choices(sentences, k=source.randrange(0, 30))) for _ in range(8)]
    editions, places = zip(*(annotated(text, source) for text in texts), strict=True)
    plain = whorl.reuse(texts).passages.to_pylist()
    layered = whorl.reuse(list(editions), layer="text", notes="【】〔〕").passages.to_pylist()
    assert len(plain) == len(layered) > 0
    for row, other in zip(plain, layered, strict=True):
        for side in "ab":
            number = int(row[f"{side}_id"]) - 1
            start, end = row.pop(f"{side}_start"), row.pop(f"{side}_end")
            span = other.pop(f"{side}_start"), other.pop(f"{side}_end")
            assert span == (places[number][start], places[number][end - 1] + 1)
            assert other.pop(f"{side}_text") == editions[number][slice(*span)]
            row.pop(f"{side}_text")
        assert other == row


def test_the_page_shows_passages_with_their_notes(tmp_path: Path) -> None:
    documents = [{"id": "plain", "text": PLAIN}, {"id": "collected", "text": COLLECTED}]
    whorl.reuse(documents, layer="text", out=tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "人性皆善" in page


def test_the_editions_of_the_examples_share_whole_passages() -> None:
    result = whorl.reuse_files(Path(__file__).parents[3] / "examples" / "classics", layer="text")
    longest = [row for row in result.passages.to_pylist() if row["matched"] == 80]
    assert {(row["a_id"], row["b_id"]) for row in longest} == {
        ("analects.txt", "he-yan.txt"),
        ("he-yan.txt", "zhu-xi.txt"),
    }
    assert all("注：孔曰" in row["a_text"] + row["b_text"] for row in longest)
    counts = dict(zip(*(result.documents[name].to_pylist() for name in ("id", "commentary")), strict=True))
    assert counts == {"analects.txt": 0, "he-yan.txt": 148, "zhu-xi.txt": 199}
