import re
from html.parser import HTMLParser
from typing import Any

import pytest

from whorl.reports.dedup import ClusterSample, Pair, RejectedSample, Side, render_dedup_report

_VOID = {"meta", "link", "line", "rect", "circle", "path", "polygon", "polyline", "br"}
_HOSTILE = "<script>alert(1)</script>\"'</style></svg>\x00\x1b[2J\u202eevil\u2066\ud800{{ 7*7 }}{% raw %}&amp;"


class _Page(HTMLParser):
    """The tags, attributes and text of a page whose elements are properly nested."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.text += data


def _hostile_side(text: str = _HOSTILE) -> Side:
    return Side(_HOSTILE, _HOSTILE, 1, _HOSTILE, text, ((0, 9), (5, 10**9)))


def test_says_the_run_in_both_languages(
    run: dict[str, Any], clusters: list[ClusterSample], rejected: list[RejectedSample]
) -> None:
    page = render_dedup_report(run, clusters, rejected)
    text = " ".join(_Page(page).text.split())
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
    marked = re.findall(r"<mark>(.*?)</mark>", page)
    assert len(marked) == 4
    assert marked[:2] == marked[2:]
    assert page.index("The Aller loses its ferry") < page.index("Last ferry")


def test_asks_for_nothing_and_runs_nothing(
    run: dict[str, Any], clusters: list[ClusterSample], rejected: list[RejectedSample]
) -> None:
    page = _Page(render_dedup_report(run, clusters, rejected))
    assert not {"script", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    links = [value for name, value in page.attributes if name in {"href", "src", "xlink:href", "action"}]
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not [name for name, _ in page.attributes if name.startswith("on")]


@pytest.mark.parametrize("missing", ["counts", "recipe", "inputs", "hot_keys", "s_curve", "similarity", "timings"])
def test_any_part_may_be_missing(run: dict[str, Any], missing: str) -> None:
    del run[missing]
    _Page(render_dedup_report(run, [], []))


def test_run_without_duplicates_or_anything() -> None:
    quiet = {"counts": {"rows": 312, "kept": 312}, "similarity": {"removed": [0] * 101, "near_misses": [0] * 101}}
    assert "No article was found to repeat another" in _Page(render_dedup_report(quiet, [], [])).text
    assert "No articles were read." in _Page(render_dedup_report({}, [], [])).text


def test_hostile_texts_are_only_text(run: dict[str, Any]) -> None:
    run |= {"command": _HOSTILE, "started": _HOSTILE, "whorl": _HOSTILE, "rejected_reasons": {_HOSTILE: 1}}
    run["recipe"][_HOSTILE] = _HOSTILE
    run["inputs"] = [{"file": _HOSTILE, "rows": 1}]
    run["outputs"] = {_HOSTILE: _HOSTILE}
    run["versions"] = {_HOSTILE: _HOSTILE}
    run["hot_keys"]["top"] = [{"key": _HOSTILE, "documents": 70, "example": _HOSTILE}]
    pair = Pair(_hostile_side(), _hostile_side(), 0.9, _HOSTILE)
    page = render_dedup_report(
        run, [ClusterSample(_HOSTILE, 2, (pair,))], [RejectedSample(_HOSTILE, 1, _HOSTILE, _HOSTILE)]
    )
    page.encode("utf-8")
    parsed = _Page(page)
    assert "script" not in parsed.tags
    assert page.count("</style>") == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", page)
    assert "<script>alert(1)</script>" in parsed.text
    assert "⟨NUL⟩" in parsed.text
    assert "<i>RLO</i>" in page
    assert "{{ 7*7 }}" in parsed.text


@pytest.mark.parametrize("text", ["长" * 300_000, "\x00\x01" * 150_000, "&\"'" * 100_000, "\n" * 300_000])
def test_enormous_texts_are_clipped(run: dict[str, Any], text: str) -> None:
    sides = _hostile_side(text), _hostile_side(text + "。")
    samples = [ClusterSample(str(number), 6, (Pair(*sides, 0.9, "jaccard"),) * 5) for number in range(60)]
    rejected = [RejectedSample("a.jsonl", 1, text, text)] * 300
    run["inputs"] = [{"file": text}] * 500
    page = render_dedup_report(run, samples, rejected)
    assert len(page.encode("utf-8")) < 2_000_000
    _Page(page)


def test_unshown_clusters_and_files_are_counted(run: dict[str, Any]) -> None:
    run["inputs"] = [{"file": f"{number}.jsonl", "rows": 1} for number in range(1_250)]
    text = _Page(render_dedup_report(run, [], [])).text
    assert "1,050 more files" in text
    assert "No samples were added to this page." in text
