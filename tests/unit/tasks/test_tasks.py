"""Common behavior for every front end: libraries open or by address, a clock, a progress, and errors."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.articles import BRIDGE, HARBOUR, write_jsonl

import whorl
from whorl import Recipe
from whorl.errors import InputError, UsageError
from whorl.tasks.dedup.hot import HotClusters
from whorl.tasks.library import maintenance as views


class RecordedProgress:
    """A progress that records its messages."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.done = 0
        self.notes: list[str] = []

    def stage(self, name: str, total: int | None, unit: str) -> None:  # noqa: ARG002
        self.stages.append(name)

    def advance(self, amount: int) -> None:
        self.done += amount

    def note(self, message: str) -> None:
        self.notes.append(message)


def test_an_open_library_stays_open(corpus: Path) -> None:
    with whorl.open("newsroom") as library:
        added = whorl.library.add_files(library, corpus)
        assert (added.new, added.known) == (4, 0)
        assert whorl.library.check_files(library, corpus).copies == 4
        assert len(whorl.runs.show(library, "bridge").to_dict()["report"]["matches"]) == 2
        assert whorl.runs.hot(library).articles == len(library) == 4
        assert views.remove(library, ["bridge", "nobody"]).removed == 1
        assert list(views.articles(library)) == ["bridge-shouted", "harbour", "bridge-longer"]
        assert len(views.matches(library, "bridge-longer")) == 1
        assert views.notices(library) == ()
        assert len(library) == 3


def test_a_library_may_be_named_with_its_store(corpus: Path) -> None:
    whorl.library.add_files("sqlite:newsroom", corpus)
    assert isinstance(whorl.runs.hot("sqlite:newsroom"), HotClusters)
    assert whorl.runs.show("sqlite:newsroom", "harbour").to_dict()["document"]["text"] == HARBOUR
    new = write_jsonl(
        corpus.parent / "new.jsonl", {"id": "seen", "text": BRIDGE}, {"id": "fresh", "text": "无风。" * 9}
    )
    run = whorl.dedup_files(new, "clean", against="sqlite:newsroom").run
    assert (run["counts"]["kept"], run["counts"]["duplicates"]) == (1, 1)


def test_add_reports_articles_and_rejections(workplace: Path) -> None:
    path = write_jsonl(
        workplace / "a.jsonl", {"id": "one", "text": BRIDGE}, {"text": None}, {"id": "two", "text": BRIDGE}
    )
    recorder, output = RecordedProgress(), list[str | None]()
    added = whorl.library.add_files(
        "newsroom", path, on_report=lambda report: output.append(report.id), progress=recorder
    )
    assert output == ["one", "two"]
    assert (added.to_dict(), recorder.done) == ({"new": 2, "known": 0, "revised": 0, "matched": 2, "statements": 0}, 2)
    assert recorder.stages == ["add"]
    assert [note for note in recorder.notes if note.startswith("not read: a.jsonl, row 2")]


def test_a_span_counts_back_from_the_clock(workplace: Path) -> None:
    rows = ({"id": name, "text": BRIDGE, "first_seen_at": f"2021-03-0{day}"} for day, name in enumerate("abc", 1))
    with whorl.open("newsroom") as library:
        library.add(rows)
        noon = datetime(2021, 3, 3, 12, tzinfo=UTC)
        hot = whorl.runs.hot(library, since="2d", clock=lambda: noon)
        assert [[article.id for article in group.articles] for group in hot.largest] == [["b", "c"]]
        assert whorl.runs.hot(library, since=noon - timedelta(days=2)) == hot
        assert whorl.runs.hot(library, since="2d", clock=lambda: noon + timedelta(days=9)).groups == 0
        with pytest.raises(UsageError, match="before the earliest possible date"):
            whorl.runs.hot(library, since="999999999w")


@pytest.mark.parametrize(
    "recipe", [Recipe(method="exact"), "exact", "ours.toml", Path("ours.toml")], ids=["Recipe", "name", "file", "path"]
)
def test_a_recipe_is_a_recipe_a_file_or_a_name(recipe: Any, workplace: Path) -> None:
    (workplace / "ours.toml").write_text('method = "exact"\n', encoding="utf-8")
    assert whorl.explain(BRIDGE, BRIDGE.upper(), recipe=recipe).parts[0].method == "exact"
    assert not whorl.explain(BRIDGE, f"{BRIDGE} No.", recipe=recipe).copies
    assert whorl.explain(BRIDGE, f"{BRIDGE} No.", recipe=recipe, method="minhash", threshold=0.5).copies


def test_inputs_are_one_path_or_several(corpus: Path) -> None:
    other = write_jsonl(corpus.parent / "more.jsonl", {"text": BRIDGE})
    both = [whorl.runs.hot([str(corpus), other], method="exact"), whorl.runs.hot((corpus, str(other)), method="exact")]
    assert [item.articles for item in both] == [5, 5]
    assert whorl.runs.hot(corpus, method="exact").articles == 4


def test_workbook_options_are_checked_first(workplace: Path) -> None:
    with pytest.raises(UsageError, match="'f2'"):
        whorl.lab.score("missing.xlsx", require={"f2": 0.5})
    with pytest.raises(UsageError, match="recall"):
        whorl.lab.score(workplace / "missing.xlsx", require={"recall": 5})


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: whorl.runs.hot("news.jsonl", top=0), "top"),
        (lambda: whorl.runs.hot("news.jsonl", since="1d"), "since"),
        (lambda: whorl.runs.hot(7), "expected .*path"),
        (lambda: whorl.runs.hot([{"text": BRIDGE}]), "expected .*path"),
        (lambda: whorl.runs.hot("news.jsonl", text=[1]), "expected a name"),
        (lambda: whorl.runs.hot("news.jsonl", include="/all"), "not a relative path pattern"),
        (lambda: whorl.runs.hot("news.jsonl", recipe=3.5), "expected a recipe"),
        (lambda: whorl.lab.recommend("news.jsonl", precision=2), "precision"),
        (lambda: whorl.lab.recommend("news.jsonl", size=0), "size"),
        (lambda: whorl.lab.sample("news.jsonl", "book.xlsx", seed=-1), "seed"),
        (lambda: whorl.lab.evaluate("news.jsonl", "truth.csv", seed="x"), "seed"),
        (lambda: whorl.explain(BRIDGE, b"bytes"), "expected texts of type str"),
        (lambda: whorl.compare_against((), "news.jsonl:1"), "no sources to compare with"),
        (lambda: whorl.compare_files("-", "-"), "stdin"),
        (lambda: whorl.explain_files("-", "-"), "stdin"),
        (lambda: whorl.runs.show("newsroom", "nobody"), "nobody"),
        (lambda: whorl.lab.describe_method("hash"), "no method"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mistake_is_a_usage_error_with_its_hint(ask: Any, message: str, corpus: Path) -> None:
    whorl.library.add_files("newsroom", corpus)
    with pytest.raises(UsageError, match=message) as raised:
        ask()
    assert raised.value.hint
    assert "--" not in str(raised.value)


def test_reading_creates_no_library(workplace: Path) -> None:
    for ask in (views.stats, views.clusters, lambda place: whorl.library.check_files(place, "news.jsonl")):
        with pytest.raises(InputError, match="no library"):
            ask("nowhere")
    assert not (workplace / "nowhere").exists()


def test_words_are_yielded_in_batches(workplace: Path) -> None:
    path = write_jsonl(workplace / "a.jsonl", {"id": "one", "text": "研究生命的起源"}, {"text": 3}, {"text": "天气"})
    lines, reported = list[bytes](), list[Any]()
    result = whorl.words.segment_files(
        path, on_batch=lambda batch: (lines.append(batch.lines()), reported.extend(batch.to_dicts()))
    )
    assert b"".join(lines).decode() == "研究 生命 的 起源\n天气\n"
    assert [(item["row"], item.get("id")) for item in reported] == [(1, "one"), (3, None)]
    assert (result.texts, sum(result.rejected.values())) == (2, 1)


def test_method_page_has_parameters_and_curve() -> None:
    names = [method.name for method in whorl.lab.methods()]
    assert {"minhash", "news"} <= set(names)
    page = whorl.lab.describe_method("minhash", threshold=0.55)
    assert page.parameters["values"] > 0
    assert {"bands", "rows"} == page.derived.keys()
    chances = [chance for _, chance in page.curve]
    assert chances == sorted(chances)
    assert 0.55 in dict(page.curve)
    assert whorl.lab.describe_method("exact").curve == ()
