"""The articles of a newsroom, and harmful strings in them or in requests."""

from __future__ import annotations

import whorl

PAPER, COPY, PART, ALONE = "https://paper.example/ice?a=1&b=2", "https://copies.example/7", "part", "alone/甲"
TEXT = (
    "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。"
    "老渔民说，这在从前想也不敢想，那时候要等上大半天，鱼都不新鲜了。"
)
OTHER = "市图书馆把闭馆时间推迟到夜里十点，附近的中学生放学以后常来这里写作业，管理员为他们添了二十盏台灯。"
HOSTILE = (
    "<script>alert(1)</script>",
    "'; DROP TABLE document; --",
    '" onmouseover="alert(1)',
    "{{ 7 * 7 }} ${7*7} %s {0}",
    "a\u202eb\x1b[31m\u0000".replace("\0", "\u0001"),
    '=HYPERLINK("https://evil.example")',
)
"""Titles with injections for pages, forms and formulas."""
INJECTIONS = (
    "'",
    "' OR '1'='1",
    "' OR 1=1 --",
    "news'; DROP TABLE document; --",
    '" OR ""="',
    "1) OR (1=1",
    "x' UNION SELECT id FROM document --",
    "%",
    "_",
    "\\",
    "../../etc/passwd",
    "$(id)",
    "\x01",
    "𠮷" * 300,
)
"""Strings that change a statement, a path or a command if they are inserted without escaping."""


def fill(address: str) -> None:
    """Add the newsroom to a library."""
    with whorl.open(address) as library:
        library.add(
            [
                {"id": PAPER, "text": TEXT, "url": PAPER, "title": HOSTILE[0], "author": "王小渡"}
                | {"collection": "protected", "published_at": "2026-03-01", "first_seen_at": "2026-03-02"},
                {"id": COPY, "text": TEXT + "完。", "url": COPY, "title": HOSTILE[1], "links": (PAPER,)}
                | {"collection": "watched", "first_seen_at": "2026-03-03"},
                {"id": PART, "text": f"据悉，{TEXT[:40]}", "url": "https://copies.example/8", "title": HOSTILE[2]}
                | {"first_seen_at": "2026-03-04"},
                {"id": ALONE, "text": OTHER, "title": HOSTILE[3], "first_seen_at": "2026-03-04"},
            ]
        )
