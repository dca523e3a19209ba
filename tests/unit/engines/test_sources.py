"""Sources selected for the comparison of one text with many."""

from pathlib import Path

import pytest
from tests.articles import newsroom_articles, write_jsonl

from whorl.corpus import Columns, ReadOptions
from whorl.engines.sources import Search, find_candidates, read_texts
from whorl.errors import InputError, UsageError
from whorl.fingerprints import keys
from whorl.fingerprints.winnowing import Winnowing


def search(file: Path, limit: int, *authorised: Path, itself: tuple[Path, int] | None = None) -> Search:
    return Search([str(file)], [str(other) for other in authorised], Columns(), ReadOptions(), limit, itself)


@pytest.fixture
def newsroom(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "newsroom.jsonl", newsroom_articles())


@pytest.mark.parametrize("limit", [1, 7, 40])
def test_the_candidates_are_those_that_share_most_keys(newsroom: Path, limit: int) -> None:
    texts = [row["text"] for row in newsroom_articles()]
    family = Winnowing(k=8, window=5)
    for text in texts[::9]:
        hits = [len(keys(family, text) & keys(family, other)) for other in texts]
        candidates = find_candidates(text, search(newsroom, limit))
        chosen = [int(candidate.name.rpartition(":")[2]) - 1 for candidate in candidates.chosen]
        assert chosen == sorted(chosen)
        assert sorted(hits[number] for number in chosen) == sorted(hits)[-limit:]
        assert candidates.left_out == len(texts) - limit


def test_all_are_candidates_where_they_are_few(newsroom: Path) -> None:
    candidates = find_candidates("与哪一篇都没有关系。", search(newsroom, 1_000))
    assert [candidate.text for candidate in candidates.chosen] == [row["text"] for row in newsroom_articles()]
    assert (candidates.left_out, candidates.rejected, candidates.itself) == (0, 0, False)


def test_the_text_itself_is_passed_over(newsroom: Path) -> None:
    candidates = find_candidates("文", search(newsroom, 1_000, itself=(newsroom.resolve(), 3)))
    assert candidates.itself
    assert len(candidates.chosen) == len(newsroom_articles()) - 1
    assert not any(candidate.name.endswith(":3") for candidate in candidates.chosen)


def test_authorised_sources_are_marked(newsroom: Path, tmp_path: Path) -> None:
    value = tmp_path / "own.txt"
    value.write_text("自己从前写的一篇。", encoding="utf-8")
    candidates = find_candidates("文", search(newsroom, 1_000, value))
    assert [Path(candidate.name).name for candidate in candidates.chosen if candidate.authorised] == ["own.txt"]


def test_mistakes_are_refused(newsroom: Path) -> None:
    with pytest.raises(UsageError, match="most is 0"):
        search(newsroom, 0)
    bad = newsroom.with_name("bad.jsonl")
    bad.write_text("{broken\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot read .*bad\.jsonl: not a JSON object"):
        find_candidates("文", search(bad, 1))
    with pytest.raises(InputError, match="line 1"):
        read_texts([str(bad)], Columns(), ReadOptions())
