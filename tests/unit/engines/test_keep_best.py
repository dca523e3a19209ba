"""The kept document of ``keep="best"``: the complete, the clean, the longest."""

from pathlib import Path

import pytest
from tests.articles import write_jsonl
from tests.runs import dedup, kept_documents
from tests.runs import whorl as command

import whorl
from whorl.errors import UsageError
from whorl.fingerprints import families
from whorl.recipe import PRESETS

CHINESE = (
    "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。老船长说，从前等冰要等到半夜，鱼都困了。"
    "如今船一靠岸就能装冰，赶早市的货车不用再空等。镇上的孩子们放学后爱到冰厂门口，捡几块碎冰含在嘴里。"
)
ENGLISH = (
    "The harbour's ice plant has two new machines this summer, which make forty tonnes of ice a day. The old captain "
    "remembers waiting for ice until midnight, when even the fish were tired. Boats are loaded as soon as they land."
)
CASES = {
    "an ellipsis": (CHINESE, CHINESE[:-1] + "，一位老师路过时停下来看了一会……"),
    "a link to the rest": (CHINESE, CHINESE + "市场里的鱼贩也跟着早起。阅读全文"),
    "a sentence that breaks off": (CHINESE, CHINESE + "市场里的鱼贩也跟着早起，天不亮就"),
    "dots": (ENGLISH, ENGLISH + " Traders at the market now get up earlier..."),
    "an invitation": (ENGLISH, ENGLISH + " Traders get up earlier. Read more"),
    "characters left out": (ENGLISH, ENGLISH + " Traders get up earlier [+1234 chars]"),
    "invisible characters": (CHINESE, CHINESE.replace("，", "，\u200b") + "真好。"),
    "look-alikes": (ENGLISH, ENGLISH.replace("machines", "mасhines").replace("captain", "сарtain") + " They do."),
    "spaces between characters": (CHINESE, CHINESE.replace("冰", "冰 ") + "真好。"),
    "stray signs": (CHINESE, CHINESE.replace("的", "★的") + "真好。"),
    "characters that were lost": (CHINESE, CHINESE.replace("鱼", "\ufffd\ufffd") + "真好。"),
    "a few invisible characters in a long text": (
        CHINESE * 6,
        CHINESE.replace("四十吨", "四\u200b十吨") + CHINESE * 5 + "编辑小王。",
    ),
    "a wrong encoding": (ENGLISH, ENGLISH.replace("'", "â€™").replace(", ", ",Â\u00a0") + " They do."),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("method", ["minhash", "news"])
def test_the_better_form_stays_though_the_other_is_longer(case: str, method: str) -> None:
    good, bad = CASES[case]
    assert len(bad) > len(good)
    for texts in ([good, bad], [bad, good]):
        result = whorl.dedup(texts, keep="best", method=method, threshold=0.45)
        assert result.kept == [good]


def test_the_complete_comes_before_the_clean_and_the_clean_before_the_long() -> None:
    longest = CHINESE + "市场里的鱼贩也跟着早起，天不亮就把摊子支好了。"
    tricked, cut = CHINESE.replace("的", "★的"), CHINESE + "市场里的鱼贩"
    copies = [cut, tricked, CHINESE, longest]
    for remaining in range(len(copies), 0, -1):
        kept = whorl.dedup(copies[:remaining], keep="best", method="news").kept
        assert kept == [copies[remaining - 1]]


def test_keep_best_ties_by_disguises_then_id() -> None:
    long = CHINESE * 5
    slip = long.replace("老船长", "老\u200b船长", 1)
    assert whorl.dedup([slip, long], keep="best").kept == [long]
    same = [{"id": name, "text": CHINESE} for name in "cab"]
    assert [document["id"] for document in whorl.dedup(same, keep="best").kept] == ["a"]


def test_an_excerpt_does_not_stay_beside_a_long_source_that_is_cut() -> None:
    source = CHINESE + ENGLISH + CHINESE.replace("冰", "盐").replace("船", "车") + "最后一句没有写"
    result = whorl.dedup([CHINESE, source], keep="best", method="news")
    assert result.kept == [source]


@pytest.mark.parametrize("method", sorted(families() | PRESETS))
def test_every_method_keeps_the_best(method: str) -> None:
    tricked = CHINESE.replace("，", "★，★").replace("老船长", "老\u200b船\u200b长")
    result = whorl.dedup([tricked, CHINESE], keep="best", method=method)
    assert result.kept == [CHINESE]


def test_files_and_memory_keep_the_same(tmp_path: Path) -> None:
    pairs = [{"id": f"{case} {number}", "text": text} for case in CASES for number, text in enumerate(CASES[case])]
    write_jsonl(tmp_path / "a.jsonl", pairs[::2])
    write_jsonl(tmp_path / "b.jsonl", pairs[1::2])
    for method in ("minhash", "winnowing"):
        dedup((tmp_path / "a.jsonl", tmp_path / "b.jsonl"), tmp_path / method, keep="best", method=method)
        in_memory = whorl.dedup(pairs, keep="best", method=method).kept
        by_id = sorted(kept_documents(tmp_path / method), key=lambda document: document["id"])
        assert by_id == sorted(in_memory, key=lambda document: document["id"])


def test_the_command_line_keeps_the_best(tmp_path: Path) -> None:
    rows = [{"id": "cut", "text": CASES["a link to the rest"][1]}, {"id": "whole", "text": CHINESE}]
    source = write_jsonl(tmp_path / "a.jsonl", rows)
    for rule, kept in (("longest", "cut"), ("best", "whole")):
        ended = command("dedup", source, "-o", tmp_path / rule, "--keep", rule)
        assert ended.code == 0, ended.error
        assert [document["id"] for document in kept_documents(tmp_path / rule)] == [kept]


def test_keep_best_never_drops_protected_documents() -> None:
    result = whorl.dedup([CHINESE], against=[CHINESE + "阅读全文"], keep="best")
    assert result.kept == []


def test_a_reference_without_dates_ranks_first_by_any_rule() -> None:
    documents = [{"text": CHINESE, "date": "2024-01-01"}, {"text": ENGLISH, "date": "2024-01-02"}]
    result = whorl.dedup(documents, against=[CHINESE], keep="earliest", date="date")
    assert [document["text"] for document in result.kept] == [ENGLISH]


def test_best_needs_no_dates_and_is_no_column() -> None:
    assert whorl.dedup([{"text": CHINESE, "best": 1}], keep="best").run["recipe"]["keep"] == "best"
    with pytest.raises(UsageError):
        whorl.dedup([CHINESE], keep="earliest")
