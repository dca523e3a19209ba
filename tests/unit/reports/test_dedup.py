import re
from typing import Any

import pytest
from tests.unit.reports.conftest import cluster_of
from tests.unit.reports.page import HOSTILE, Page

from whorl import compare
from whorl.i18n import Language, speaking
from whorl.reports.dedup import render_dedup_report
from whorl.reports.evidence import ClusterSample, Member, Pair, RejectedSample, RemovalEvidence, Side


def _hostile_pair(text: str = HOSTILE, other: str = HOSTILE, measure: str = HOSTILE) -> Pair:
    removed, kept = (Side(HOSTILE, HOSTILE, 1, HOSTILE, item) for item in (text, other))
    return Pair(removed, kept, 0.9, measure, compare(other, text))


def _hostile_cluster(pair: Pair) -> ClusterSample:
    members = tuple(Member(HOSTILE, HOSTILE, 1, 0.9) for _ in range(3))
    return ClusterSample(HOSTILE, 4, (pair,), members[0], members)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "zh",
            [
                "12,345 篇中删去 2,345 篇（19.0%）：完全重复 1,200 篇、近似重复 1,145 篇；读取失败 3。",
                "重复组",
                "配方",
                "读取失败",
                "热键",
                "复现",
            ],
        ),
        (
            "en",
            [
                "Of 12,345 articles, 2,345 (19.0%) were removed",
                "Clusters",
                "Recipe",
                "Rejected",
                "Hot keys",
                "Reproduce",
            ],
        ),
    ],
)
def test_report_describes_the_run_in_each_language(
    run: dict[str, Any],
    evidence: RemovalEvidence,
    rejected: list[RejectedSample],
    language: Language,
    expected: list[str],
) -> None:
    with speaking(language):
        page = render_dedup_report(run, evidence, rejected)
    output = Page(page.partition("<body>")[2].partition("</body>")[0]).texts
    message = {value: " ".join(words.split()) for value, words in output.items()}
    other = message["en" if language == "zh" else "zh"]
    for words in expected:
        assert words in message[language]
        assert words not in other
    assert f'<html lang="{language}">' in page


def test_report_shows_command_and_preset(run: dict[str, Any], evidence: RemovalEvidence) -> None:
    run["recipe"] |= {"preset": "corpus"}
    text = " ".join(Page(render_dedup_report(run, evidence, [])).text.split())
    assert "whorl dedup daily/ blogs/ novels/ -o clean --threshold 0.8 --keep longest" in text
    assert "corpus (minhash)" in text


def test_hot_keys_are_shown_as_text(run: dict[str, Any]) -> None:
    text = Page(render_dedup_report(run, RemovalEvidence(), [])).text
    assert "未经许可不得转载" in text
    assert "9f3b62c01d77aa05" not in text
    assert "no one stretch, key 04c1d2e8b7730f19" in text


def test_every_cluster_is_listed_or_counted_and_the_list_of_all_is_named(
    run: dict[str, Any], evidence: RemovalEvidence
) -> None:
    page = Page(render_dedup_report(run, evidence, []))
    for name in ("daily-0007", "novel-1", "ferry"):
        assert name in page.text
    assert "868 more clusters are not shown here" in page.text
    assert "clusters.csv" not in page.text
    run["outputs"]["clusters.csv"] = "clean/clusters.csv"
    assert ("href", "clusters.csv") in Page(render_dedup_report(run, evidence, [])).attributes


def test_a_cluster_is_drawn_with_the_kept_article_in_the_middle(run: dict[str, Any], library_pair: Pair) -> None:
    page = render_dedup_report(run, RemovalEvidence((cluster_of("daily-0007", 214, library_pair),)), [])
    drawing = page.split('<div class="graph">')[1].split("</svg>")[0]
    assert drawing.count('class="edge"') == 8
    assert drawing.count('class="removed"') == 8
    assert "205 more were removed" in Page(page).text


def test_removals_nearest_to_the_threshold_are_shown(run: dict[str, Any], evidence: RemovalEvidence) -> None:
    page = render_dedup_report(run, evidence, [])
    assert page.count('<article class="borderline">') == 2
    assert page.index("0.811") < page.index("0.874", page.index('<article class="borderline">'))


def test_marks_what_both_articles_share(run: dict[str, Any], ferry_pair: Pair) -> None:
    page = render_dedup_report(run, RemovalEvidence((cluster_of("ferry", 2, ferry_pair),)), [])
    marked = re.findall(r"<mark>(.*?)</mark>", page.split('<div class="aligned">')[1])
    assert marked.count(". For ninety-one years she carried schoolchildren, cattle and, twice, a piano. The ") == 2
    assert '<mark class="deleted">new </mark>' in page
    assert page.index("The Aller loses its ferry") < page.index("Last ferry")


def test_report_loads_no_resources_and_runs_no_script(
    run: dict[str, Any], evidence: RemovalEvidence, rejected: list[RejectedSample]
) -> None:
    page = Page(render_dedup_report(run, evidence, rejected))
    assert not {"script", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    links = [value for name, value in page.attributes if name in {"href", "src", "xlink:href", "action"}]
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not [name for name, _ in page.attributes if name.startswith("on")]


@pytest.mark.parametrize("missing", ["counts", "recipe", "inputs", "hot_keys", "s_curve", "similarity", "timings"])
def test_any_part_may_be_missing(run: dict[str, Any], missing: str) -> None:
    del run[missing]
    Page(render_dedup_report(run, RemovalEvidence(), []))


def test_run_without_duplicates_or_anything() -> None:
    quiet = {"counts": {"rows": 312, "kept": 312}, "similarity": {"removed": [0] * 101, "near_misses": [0] * 101}}
    assert "No article was found to repeat another" in Page(render_dedup_report(quiet, RemovalEvidence(), [])).text
    assert "No articles were read." in Page(render_dedup_report({}, RemovalEvidence(), [])).text


def test_hostile_texts_are_only_text(run: dict[str, Any]) -> None:
    run |= {"command": HOSTILE, "started": HOSTILE, "whorl": HOSTILE, "rejected_reasons": {HOSTILE: 1}}
    run["recipe"][HOSTILE] = HOSTILE
    run["inputs"] = [{"file": HOSTILE, "rows": 1}]
    run["outputs"] = {HOSTILE: HOSTILE}
    run["versions"] = {HOSTILE: HOSTILE}
    run["hot_keys"]["top"] = [{"key": HOSTILE, "text": HOSTILE, "documents": 70, "example": HOSTILE}]
    pair = _hostile_pair()
    page = render_dedup_report(
        run, RemovalEvidence((_hostile_cluster(pair),), (pair,)), [RejectedSample(HOSTILE, 1, HOSTILE, HOSTILE)]
    )
    page.encode("utf-8")
    parsed = Page(page)
    assert "script" not in parsed.tags
    assert page.count("</style>") == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", page)
    assert "<script>alert(1)</script>" in parsed.text
    assert "⟨NUL⟩" in parsed.text
    assert "<i>RLO</i>" in page
    assert "{{ 7*7 }}" in parsed.text


@pytest.mark.parametrize("text", ["长" * 300_000, "\x00\x01" * 150_000, "&\"'" * 100_000, "\n" * 300_000])
def test_enormous_texts_are_clipped(run: dict[str, Any], text: str) -> None:
    pair = _hostile_pair(text, text + "。", "jaccard")
    members = tuple(Member(text, text, 1, 0.9) for _ in range(24))
    samples = [ClusterSample(text, 26, (pair,) * 5, members[0], members) for _ in range(1000)]
    rejected = [RejectedSample("a.jsonl", 1, text, text)] * 300
    run["inputs"] = [{"file": text}] * 500
    page = render_dedup_report(run, RemovalEvidence(tuple(samples), (pair,) * 9), rejected)
    assert len(page.encode("utf-8")) < 2_000_000
    Page(page)


def test_unshown_clusters_and_files_are_counted(run: dict[str, Any]) -> None:
    run["inputs"] = [{"file": f"{number}.jsonl", "rows": 1} for number in range(1_250)]
    text = Page(render_dedup_report(run, RemovalEvidence(), [])).text
    assert "1,050 more files" in text
    assert "No samples were added to this page." in text
