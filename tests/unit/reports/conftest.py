"""One run of a newsroom, written by hand, with its evidence."""

from math import exp
from typing import Any

import pytest

from whorl import compare
from whorl.reports.evidence import ClusterSample, Member, Pair, RejectedSample, RemovalEvidence, Side

ORIGINAL = (
    "本报讯（记者 林晓）青石镇图书馆昨日重新开放。修缮历时十四个月，屋顶换了新瓦，阅览室的木窗按旧样重做，"
    "藏书由八万册增至十一万册。馆长周敏说，最难的不是修房子，而是把水浸过的县志一页一页揭开、晾干、再装订起来。"
    "“有三百多册，我们做了整整一个冬天。”\n"
    "开馆第一天，来了一千二百多位读者。七十三岁的退休教师何永年带着孙女，在二楼找到了他年轻时借过的《天工开物》。"
    "“借书卡还在，上面有我的名字。”他说。\n图书馆每周二至周日开放，周一闭馆，持身份证即可办理借阅证。"
)
REPRINT = (
    "【转载】青石镇图书馆昨天重新开放啦！修缮历时十四个月，屋顶换了新瓦，阅览室的木窗按旧样重做，"
    "藏书由八万册增至十一万册。馆长周敏说，最难的不是修房子，而是把水浸过的县志一页一页揭开、晾干、再装订起来。“有三百多册，我们做了整整一个冬天。”\n"
    "开馆首日，来了一千二百多位读者。七十三岁的退休教师何永年带着孙女，在二楼找到了他年轻时借过的《天工开物》。"
    "“借书卡还在，上面有我的名字。”他说。\n更多本地新闻，请关注“青石生活”。"
)
FERRY_KEPT = (
    "The last wooden ferry on the Aller made her final crossing on Sunday. For ninety-one years she carried "
    "schoolchildren, cattle and, twice, a piano. The new bridge, two kilometres upstream, opens to traffic on Tuesday."
)
FERRY_REMOVED = (
    "On Sunday the last wooden ferry on the Aller made her final crossing. For ninety-one years she carried "
    "schoolchildren, cattle and, twice, a piano. The bridge opens on Tuesday."
)


def pair_of(removed: Side, kept: Side, similarity: float) -> Pair:
    """Return two articles with the comparison between them."""
    return Pair(removed, kept, similarity, "jaccard", compare(kept.text, removed.text))


@pytest.fixture
def library_pair() -> Pair:
    return pair_of(
        removed=Side("blog-20931", "blogs/qingshi.jsonl", 417, None, REPRINT),
        kept=Side("daily-0007", "daily/2024-03.jsonl", 7, "青石镇图书馆重新开放", ORIGINAL),
        similarity=0.874,
    )


@pytest.fixture
def ferry_pair() -> Pair:
    return pair_of(
        removed=Side("wire-88", "daily/2024-03.jsonl", 12, "Last ferry", FERRY_REMOVED),
        kept=Side("ferry", "daily/2024-03.jsonl", 9, "The Aller loses its ferry", FERRY_KEPT),
        similarity=0.811,
    )


@pytest.fixture
def novel_pair() -> Pair:
    """Return a pair of long articles that diverge in two places."""
    text = "".join(f"第{number}回。{sentence}。" for number, sentence in enumerate(ORIGINAL.split("。") * 9))
    copy = "转自论坛。" + text[:1500] + "（此处略去若干字）" + text[1530:]
    return pair_of(
        removed=Side("novel-2", "novels/b.jsonl", 3, "第一章（全）", copy),
        kept=Side("novel-1", "novels/a.jsonl", 1, "长篇 · 第一章", text),
        similarity=0.962,
    )


def cluster_of(name: str, size: int, *pairs: Pair) -> ClusterSample:
    """Return a cluster with these pairs, and a few listed members."""
    kept = Member(name, "daily/2024-03.jsonl", 7, 1.0)
    removed = [Member(f"{name}-{number}", "b.jsonl", number, 0.8 + number / 100) for number in range(1, min(size, 9))]
    return ClusterSample(name, size, pairs, kept, tuple(removed))


@pytest.fixture
def evidence(library_pair: Pair, novel_pair: Pair, ferry_pair: Pair) -> RemovalEvidence:
    clusters = [("daily-0007", 214, library_pair), ("novel-1", 2, novel_pair), ("ferry", 2, ferry_pair)]
    return RemovalEvidence(tuple(cluster_of(*cluster) for cluster in clusters), (ferry_pair, library_pair))


@pytest.fixture
def rejected() -> list[RejectedSample]:
    return [
        RejectedSample(
            "blogs/qingshi.jsonl", 88, "not valid JSON: unclosed string", '{"id": "blog-88", "text": "春天\x00来'
        ),
        RejectedSample(
            "daily/2024-03.jsonl", 1204, "column 'text' is a number, not text", '{"id": 9, "text": 20240314}'
        ),
    ]


def _bins(entries: dict[int, int]) -> list[int]:
    return [entries.get(index, 0) for index in range(101)]


@pytest.fixture
def run() -> dict[str, Any]:
    near = {index: round(15 + 80 * exp(-(((index - 93) / 5) ** 2))) for index in range(80, 100)}
    removed = _bins(near | {100: 2_345 - sum(near.values())})
    near_misses = _bins({index: round(5 + 70 * exp(-((80 - index) / 9))) for index in range(50, 80)})
    return {
        "whorl": "0.1.0",
        "command": "whorl dedup daily/ blogs/ novels/ -o clean --threshold 0.8 --keep longest",
        "started": "2024-05-02T09:30:11+00:00",
        "versions": {"core": "0.1.0", "fold": "1", "hash": "1", "recipe": "1"},
        "recipe": {
            "method": "minhash",
            "threshold": 0.8,
            "measure": "jaccard",
            "keep": "longest",
            "text": ["title", "text"],
            "shingle": 5,
            "values": 128,
            "bands": 16,
            "rows_per_band": 6,
            "target_recall": 0.99,
            "containment": False,
        },
        "inputs": [
            {
                "file": "blogs/qingshi.jsonl",
                "bytes": 18_230_411,
                "rows": 6_245,
                "kept": 4_302,
                "duplicates": 1_941,
                "rejected": 2,
            },
            {
                "file": "daily/2024-03.jsonl",
                "bytes": 9_120_007,
                "rows": 5_800,
                "kept": 5_399,
                "duplicates": 400,
                "rejected": 1,
            },
            {"file": "novels/b.jsonl", "bytes": 912, "rows": 300, "kept": 296, "duplicates": 4, "rejected": 0},
        ],
        "counts": {
            "rows": 12_345,
            "kept": 9_997,
            "duplicates": 2_345,
            "exact": 1_200,
            "near": 1_145,
            "rejected": 3,
            "featureless": 4,
            "repeated_ids": 12,
            "missing_order": 0,
            "reference": 0,
            "clusters": 871,
        },
        "hot_keys": {
            "limit": 64,
            "count": 2,
            "unlisted": 1_530,
            "top": [
                {"key": "9f3b62c01d77aa05", "text": "未经许可不得转载", "documents": 1_101, "example": "blog-20931"},
                {"key": "04c1d2e8b7730f19", "documents": 493, "example": "daily-0044"},
            ],
        },
        "rejected_reasons": {"not valid JSON: unclosed string": 2, "column 'text' is a number, not text": 1},
        "s_curve": [[step / 50, 1 - (1 - (step / 50) ** 6) ** 16] for step in range(51)],
        "recall_at_threshold": 0.9922,
        "similarity": {"removed": removed, "near_misses": near_misses},
        "timings": {"read": 1.84, "rank": 0.02, "group": 0.31, "probe": 0.47, "write": 0.66},
        "outputs": {"kept": "clean/kept", "duplicates": "clean/duplicates.jsonl", "report": "clean/report.html"},
    }
