"""Sources of a text in a library: the index finds the passages that reading all articles finds."""

import json
import random
from pathlib import Path

import pytest

import whorl
from whorl.library.search.sources import has_all_passages
from whorl.recipe import recipe_of
from whorl.results import Compared, Composition

NEWSROOM = Path(__file__).parents[3] / "examples" / "newsroom" / "articles.jsonl"
SENTENCE = "码头上的木桩每隔七年要换一次，换桩的那个月全镇的人绕路走。"
ARTICLES = 300
FEW = 20
"""Number of articles with a key above which it is cut."""


def prose(seed: int, length: int = 500) -> str:
    """Return invented text of frequent characters, so that texts share words."""
    source = random.Random(seed)
    words = ["".join(chr(random.Random(n).randrange(0x4E00, 0x5200)) for _ in range(1 + n % 4)) for n in range(400)]
    return "。".join("".join(source.choices(words, k=9)) for _ in range(length // 20)) + "。"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library of a few hundred articles; many of them quote one sentence."""
    path = tmp_path_factory.mktemp("sources") / "library"
    with NEWSROOM.open(encoding="utf-8") as file:
        rows = list(map(json.loads, file))
    with whorl.open(path, most_documents=FEW) as opened:
        opened.add({"id": row["id"], "text": row["text"]} for row in rows)
        quoting = (
            f"{prose(number)}{SENTENCE if number % 3 else ''}{prose(-number, 100)}" for number in range(ARTICLES)
        )
        opened.add({"id": f"prose-{number}", "text": text} for number, text in enumerate(quoting))
    return path


def examined() -> list[str]:
    """Return texts that copy from articles of the library: whole, in part, short, edited, in other letters."""
    with NEWSROOM.open(encoding="utf-8") as file:
        articles = [json.loads(line)["text"] for line in file]
    source = random.Random(7)
    texts = [*articles[::6]]
    for number in range(0, ARTICLES, 25):
        copied = prose(number)
        start = source.randrange(len(copied) - 200)
        edited = "".join(chr(source.randrange(0x4E00, 0x5200)) if source.random() < 0.06 else c for c in copied)
        texts += [
            prose(9000 + number) + copied[start : start + 14] + prose(9500 + number),
            prose(9000 + number) + copied[start : start + 60] + prose(number + 1)[:80],
            edited,
            "\n".join(source.sample(copied.split("。"), 20)),
        ]
    return [*texts, prose(8000), "短文。"]


def answer(compared: Compared) -> tuple[object, ...]:
    """Return the passages with their sources, the share of each source, and the ratios."""
    result, ids = compared.result, [source.id for source in compared.sources]
    assert isinstance(result, Composition)
    passages = [(ids[p.source], p.a_start, p.a_end, p.b_start, p.b_end, p.kind, p.similarity) for p in result.passages]
    shares = {id_: share for id_, share in zip(ids, result.shares, strict=True) if share}
    return passages, shares, result.ratios


def test_the_index_gives_the_answer_of_reading_everything(library: Path, tmp_path: Path) -> None:
    counts = []
    for number, text in enumerate(examined()):
        draft = tmp_path / f"{number}.txt"
        draft.write_text(text, encoding="utf-8")
        looked_up, read = (whorl.compare_against(library, str(draft), scan=scan) for scan in (False, True))
        assert answer(looked_up) == answer(read)
        counts.append(len(read.result.passages))
    assert sum(count > 0 for count in counts) > 40


def test_what_many_articles_quote_has_its_first_sources(library: Path, tmp_path: Path) -> None:
    (tmp_path / "draft.txt").write_text(prose(8001) + SENTENCE + prose(8002), encoding="utf-8")
    compared = whorl.compare_against(library, str(tmp_path / "draft.txt"))
    [passage] = compared.result.passages
    assert passage.matched == len(SENTENCE) - 2
    read = whorl.compare_against(library, str(tmp_path / "draft.txt"), scan=True)
    assert compared.result.ratios == read.result.ratios
    assert FEW < len(compared.sources) <= len(read.sources)


@pytest.mark.parametrize(
    ("method", "expected"), [("library", True), ("news", False), ("minhash", False), ("winnowing", False)]
)
def test_sparse_keys_do_not_have_all_passages(method: str, expected: bool) -> None:
    assert has_all_passages(recipe_of(None, method=method).family()) is expected


def test_a_library_with_sparse_keys_is_read(tmp_path: Path) -> None:
    text = prose(1)
    with whorl.open(tmp_path / "library", recipe="minhash") as opened:
        opened.add([{"id": "source", "text": text}, {"id": "other", "text": prose(2)}])
        assert opened.candidates().sources(text, 10) is None
    (tmp_path / "draft.txt").write_text(prose(3) + text[100:150], encoding="utf-8")
    compared = whorl.compare_against(tmp_path / "library", str(tmp_path / "draft.txt"))
    assert [source.id for source in compared.sources if source.id == "source"] == ["source"]
    assert compared.result.ratios.copied > 0.05
