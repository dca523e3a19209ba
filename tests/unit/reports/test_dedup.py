import re
from typing import Any

import pytest
from tests.unit.reports.page import HOSTILE, Page

from whorl import compare
from whorl.reports.dedup import ClusterSample, Pair, RejectedSample, Side, render_dedup_report


def _hostile_pair(text: str = HOSTILE, other: str = HOSTILE, measure: str = HOSTILE) -> Pair:
    removed, kept = (Side(HOSTILE, HOSTILE, 1, HOSTILE, own) for own in (text, other))
    return Pair(removed, kept, 0.9, measure, compare(other, text))


def test_says_the_run_in_both_languages(
    run: dict[str, Any], clusters: list[ClusterSample], rejected: list[RejectedSample]
) -> None:
    page = render_dedup_report(run, clusters, rejected)
    text = " ".join(Page(page).text.split())
    assert '<html lang="zh">' in page
    assert "12,345 篇中删去 2,345 篇（19.0 %）：完全相同 1,200，近似 1,145；拒读 3。" in text
    assert "Of 12,345 articles, 2,345 (19.0 %) were removed" in text
    for heading in ("重复 · Duplicates", "配方 · Recipe", "拒读 · Rejected", "热键 · Hot keys", "复现 · Reproduce"):
        assert heading in text
    assert "every removed article was compared with the kept article named beside it" in text
    assert "whorl dedup daily/ blogs/ novels/ -o clean --threshold 0.8 --keep longest" in text
    assert "868 more clusters" in text


def test_marks_what_both_articles_share(run: dict[str, Any], ferry_pair: Pair) -> None:
    page = render_dedup_report(run, [ClusterSample("ferry", 2, (ferry_pair,))], [])
    marked = re.findall(r"<mark>(.*?)</mark>", page.split('<div class="aligned">')[1])
    assert marked.count(". For ninety-one years she carried schoolchildren, cattle and, twice, a piano. The ") == 2
    assert '<mark class="deleted">new </mark>' in page
    assert page.index("The Aller loses its ferry") < page.index("Last ferry")


def test_asks_for_nothing_and_runs_nothing(
    run: dict[str, Any], clusters: list[ClusterSample], rejected: list[RejectedSample]
) -> None:
    page = Page(render_dedup_report(run, clusters, rejected))
    assert not {"script", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    links = [value for name, value in page.attributes if name in {"href", "src", "xlink:href", "action"}]
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not [name for name, _ in page.attributes if name.startswith("on")]


@pytest.mark.parametrize("missing", ["counts", "recipe", "inputs", "hot_keys", "s_curve", "similarity", "timings"])
def test_any_part_may_be_missing(run: dict[str, Any], missing: str) -> None:
    del run[missing]
    Page(render_dedup_report(run, [], []))


def test_run_without_duplicates_or_anything() -> None:
    quiet = {"counts": {"rows": 312, "kept": 312}, "similarity": {"removed": [0] * 101, "near_misses": [0] * 101}}
    assert "No article was found to repeat another" in Page(render_dedup_report(quiet, [], [])).text
    assert "No articles were read." in Page(render_dedup_report({}, [], [])).text


def test_hostile_texts_are_only_text(run: dict[str, Any]) -> None:
    run |= {"command": HOSTILE, "started": HOSTILE, "whorl": HOSTILE, "rejected_reasons": {HOSTILE: 1}}
    run["recipe"][HOSTILE] = HOSTILE
    run["inputs"] = [{"file": HOSTILE, "rows": 1}]
    run["outputs"] = {HOSTILE: HOSTILE}
    run["versions"] = {HOSTILE: HOSTILE}
    run["hot_keys"]["top"] = [{"key": HOSTILE, "documents": 70, "example": HOSTILE}]
    pair = _hostile_pair()
    page = render_dedup_report(
        run, [ClusterSample(HOSTILE, 2, (pair,))], [RejectedSample(HOSTILE, 1, HOSTILE, HOSTILE)]
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
    samples = [ClusterSample(str(number), 6, (pair,) * 5) for number in range(60)]
    rejected = [RejectedSample("a.jsonl", 1, text, text)] * 300
    run["inputs"] = [{"file": text}] * 500
    page = render_dedup_report(run, samples, rejected)
    assert len(page.encode("utf-8")) < 2_000_000
    Page(page)


def test_unshown_clusters_and_files_are_counted(run: dict[str, Any]) -> None:
    run["inputs"] = [{"file": f"{number}.jsonl", "rows": 1} for number in range(1_250)]
    text = Page(render_dedup_report(run, [], [])).text
    assert "1,050 more files" in text
    assert "No samples were added to this page." in text
