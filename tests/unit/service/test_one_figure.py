"""One figure: a pair of articles has the same copied shares wherever they are shown, whatever the tricks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from tests.articles import article
from tests.homophones import with_homophones
from tests.serving import served, settings_of

import whorl
from whorl.monitor.alerts.copies import CopyFound
from whorl.types.comparison import Comparison, percent

ARTICLE = (
    "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。"
    "老渔民说，这在从前想也不敢想，那时候要等上大半天，鱼都不新鲜了。"
    "市图书馆把闭馆时间推迟到夜里十点，附近的中学生放学以后常来这里写作业。"
    "东门菜市场的改造上周完工，摊位从一百二十个增加到一百八十个，地面换成了石板。"
    "山下的小学开了一门种树的课，孩子们每人认领一棵树，写下它一年里的变化。"
    "铁路局说新的时刻表从下个月开始使用，早上的第一班车比现在提前二十分钟。"
)
REST = "以上内容由编辑整理。明天多云转晴，偏南风二到三级，适合出门散步和晾晒衣物，山区请注意防火。"
TRADITIONAL = str.maketrans(
    "渔冰厂今两机台新个图书馆闭馆时间迟里学东门场造从种树课们写变化铁说开现钟",
    "漁冰廠今兩機臺新個圖書館閉館時間遲裡學東門場造從種樹課們寫變化鐵說開現鐘",
)
TRICKS: dict[str, Callable[[str], str]] = {
    "nothing": str,
    "homophones": lambda text: with_homophones(text, 0.1),
    "width": lambda text: "\u200b".join(text.replace("，", ",").replace("。", "．")),
    "traditional": lambda text: text.translate(TRADITIONAL),
    "look-alikes": lambda text: text.replace("日", "曰").replace("大", "⼤").replace("一", "⼀").replace("人", "⼈"),
}


@pytest.fixture(params=TRICKS)
def copy(request: pytest.FixtureRequest) -> str:
    """Return an article with two thirds of the original, disguised."""
    sentences = re.findall("[^。]*。", ARTICLE)
    return TRICKS[request.param]("".join(sentences[:4])) + REST


@pytest.fixture(params=[False, True], ids=["article first", "copy first"])
def place(request: pytest.FixtureRequest, tmp_path: Path, copy: str) -> Path:
    """Return a library of the article and its copy, in either order of adding."""
    documents = [
        {"id": "ours", "text": ARTICLE, "collection": "protected", "published_at": "2026-03-01"},
        {"id": "theirs", "text": copy, "url": "https://copies.example/1", "published_at": "2026-03-02"},
    ]
    with whorl.open(tmp_path / "news") as library:
        for document in reversed(documents) if request.param else documents:
            library.add(document)
    return tmp_path / "news"


def shares(place: Path) -> tuple[float, float]:
    """Return the copied shares of the original and the copy, as the comparison has them."""
    with whorl.open(place) as library:
        return library.compare("theirs", "ours").copied


def test_tricks_hide_nothing(copy: str) -> None:
    of_original, of_copy = whorl.compare(ARTICLE, copy).copied
    assert 0.6 < of_original < 0.75
    assert 0.6 < of_copy < 0.8


def test_files_and_library_agree(tmp_path: Path, copy: str) -> None:
    with whorl.open(tmp_path / "news") as library:
        library.add({"id": "ours", "text": ARTICLE})
        library.add({"id": "theirs", "text": copy})
    for name, text in (("a.txt", ARTICLE), ("b.txt", copy)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = tmp_path / "a.txt", tmp_path / "b.txt"
    result = json.loads(whorl_says("compare", *files, "--json"))
    assert tuple(result["copied"]) == shares(tmp_path / "news")
    assert percent(result["ratios"]["copied"]) in whorl_says("compare", *files, "--html", tmp_path / "r.html")
    assert on_page(result["ratios"]["copied"]) in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_matches_reviews_alerts_statistics_and_evidence_agree(place: Path, tmp_path: Path) -> None:
    of_original, of_copy = shares(place)
    (tmp_path / "alerts.toml").write_text(
        '[channels.desk]\nkind = "webhook"\nurl = "http://127.0.0.1:1/x"\nsecret = { value = "s" }\n'
        f'[[rules]]\nname = "all"\nto = ["desk"]\nshare = {of_original - 1e-9}\n',
        encoding="utf-8",
    )
    with whorl.open(place) as library:
        (match,) = library.matches("theirs")
        (checked,) = library.check(library.get("theirs").text, collection="protected").matches  # type: ignore[union-attr]
        (waiting,) = whorl.library.review_queue(library).matches
        (record,) = whorl.watch.copy_statistics(library).copies
        whorl.evidence.pack_evidence(library, "theirs", "ours", tmp_path / "pack.zip", pdf=False)
        pair = library.compare("theirs", "ours")
    assert isinstance(pair, Comparison)
    assert pair.ratios.copied == of_copy
    assert (match.other_in_this, match.this_in_other) == (of_original, of_copy)
    assert (checked.other_in_this, checked.this_in_other) == (of_original, of_copy)
    assert (waiting.share, waiting.share_of_copy) == (of_original, of_copy)
    assert record.share == of_original
    assert record.characters == round(of_original * len(ARTICLE))
    with zipfile.ZipFile(tmp_path / "pack.zip") as pack:
        assert tuple(json.loads(pack.read("comparison.json"))["copied"]) == (of_original, of_copy)
        assert on_page(of_copy) in pack.read("report.html").decode()


def test_alert_has_the_share_that_the_rule_compares(place: Path) -> None:
    from whorl.monitor.alerts.rules import AlertRule
    from whorl.monitor.alerts.telling import found_copy

    of_original, _ = shares(place)
    with whorl.open(place) as library:
        (alert,) = map(found_copy, whorl.library.review_queue(library).matches)
    assert isinstance(alert, CopyFound)
    assert alert.share == of_original
    assert AlertRule(name="all", to=("desk",), share=of_original).takes(alert)
    assert not AlertRule(name="more", to=("desk",), share=of_original + 0.001).takes(alert)


def test_console_and_terminal_show_it(place: Path) -> None:
    of_original, of_copy = shares(place)
    settings = settings_of(place.parent, "news")
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        client.headers["Accept"] = "text/html"
        pair = client.get("/libraries/news/pair", params={"id": "theirs", "other": "ours"})
        document = client.get("/libraries/news/documents/theirs")
        review = client.get("/libraries/news/review")
        answer = client.get("/v1/libraries/news/pair", params={"id": "theirs", "other": "ours"})
    assert on_page(of_copy) in pair.text
    assert on_page(of_copy) in document.text
    assert on_page(of_original) in review.text
    assert tuple(answer.json()["found"]["copied"]) == (of_original, of_copy)
    terminal = whorl_says("show", place, "theirs")
    assert percent(of_copy) in terminal
    assert percent(of_original) in terminal


def test_boilerplate_is_taken_off_everywhere(tmp_path: Path) -> None:
    notice = f"\n{article(7100, 90)}"
    with whorl.open(tmp_path / "news") as library:
        for row in range(60):
            collection = "protected" if row < 4 else "watched"
            text = f"{article(500 + row, 400)}{notice}"
            library.add({"id": f"holder {row}", "text": text, "collection": collection})
        library.add({"id": "ours", "text": ARTICLE + notice, "collection": "protected"})
        library.add({"id": "theirs", "text": ARTICLE[:72] + REST * 2 + notice, "collection": "watched"})
        assert library.notices()
        match = next(match for match in library.matches("theirs") if match.id == "ours")
        waiting = next(entry for entry in whorl.library.review_queue(library).matches if entry.id == "theirs")
        pair = library.compare("theirs", "ours")
    assert pair.copied == (match.other_in_this, match.this_in_other) == (waiting.share, waiting.share_of_copy)
    assert [exclusion.reason for exclusion in pair.exclusions] == ["boilerplate"]
    assert all(passage.a_end <= len(ARTICLE) for passage in pair.passages)


def whorl_says(*arguments: str | Path) -> str:
    """Return what the command line prints."""
    command = [sys.executable, "-m", "whorl", *map(str, arguments), "--lang", "en"]
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout


def on_page(share: float) -> str:
    """Return a share as pages show it, without the unit."""
    return f"{100 * share:.1f}"
