"""Markdown without its markup, and the fields of its front matter."""

from pathlib import Path

import pytest

from whorl.corpus import Columns

DATA = Path(__file__).parent / "data"


def save(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_a_document_is_read_without_its_marks(read) -> None:
    reading = read(DATA / "pandoc/article.md", Columns(others=True))
    assert reading.texts[0].split("\n") == [
        "新图书馆开馆",
        "昨天下午，市里举行了新图书馆的开馆仪式。馆长介绍说，藏书共三十万册，“欢迎大家”来读书。",
        "楼层",
        "内容",
        "一楼",
        "儿童阅览室",
        "周一闭馆",
        "周末延长至晚上九点",
        "生僻字：镕、喆、𠮷、㐂。English words & “quotes” — café.",
        "孩子们放学以后也有了可以去的地方。",
        "据本报记者了解。",
    ]
    assert reading.others == [{"title": "新图书馆开馆", "author": "王小明", "date": "2024-05-02", "url": None}]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("**粗***斜*~~删~~`码`", "粗斜删码"),
        ("[链接](http://a.b 'title') ![图](a.png) <http://c.d>", "链接 图 http://c.d"),
        ("[链接][1]\n\n[1]: http://a.b", "链接"),
        ("甲\n乙  \n丙", "甲 乙\n丙"),
        ("> 引\n> 文", "引 文"),
        ("```python\nif a:\n    b  # c\n```", "if a:\n    b  # c"),
        ("    code\n", "code"),
        ("<div class='a'>文<br>字</div>\n\n<!-- gone -->\n\n<script>gone</script>", "文 字"),
        ("前<b>中</b>后<br>尾", "前中后\n尾"),
        ("&amp; &#20013; \\*", "& 中 *"),
        ("标题\n====\n\n- [ ] 事\n1. 一", "标题\n[ ] 事\n一"),
        ("---\n\n文\n\n---", "文"),
        ("甲\r\n\r\n乙\r丙", "甲\n乙 丙"),
        ("", ""),
    ],
)
def test_marks_are_no_text(read, tmp_path: Path, written: str, text: str) -> None:
    assert read(save(tmp_path / "a.md", written)).texts == [text]


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: '题: 目'\nauthors: [甲, \"乙\"]\ndate: 2024-05-02 # noted\ntags:\n  deep: 1\n---\n",
        '---\nTitle: "题: 目"\nauthors:\n  - 甲\n  - 乙\n# note\ndate: 2024-05-02\n...\n',
        '+++\ntitle = "题: 目"\nauthors = ["甲", "乙"]\ndate = 2024-05-02\n[extra]\na = 1\n+++\n',
    ],
)
def test_front_matter_is_no_text(read, tmp_path: Path, front: str) -> None:
    reading = read(save(tmp_path / "a.markdown", f"{front}# 别的\n\n文"), Columns(others=True))
    assert reading.texts == ["别的\n文"]
    assert reading.others == [{"title": "题: 目", "author": "甲, 乙", "date": "2024-05-02", "url": None}]


def test_what_only_looks_like_front_matter_is_text(read, tmp_path: Path) -> None:
    assert read(save(tmp_path / "a.md", "---\n一句话，不是键值。\n---\n\n文")).texts == ["一句话，不是键值。\n文"]
    assert read(save(tmp_path / "b.md", "+++\nnot = = toml\n+++\n文")).texts == ["+++ not = = toml +++ 文"]


def test_the_first_heading_is_the_title_and_the_front_matter_may_name_the_document(read, tmp_path: Path) -> None:
    reading = read(
        save(tmp_path / "a.md", "---\nid: n-1\nurl: http://a.b/1\n---\n## 小\n\n# 大*题*\n"), Columns(others=True)
    )
    assert (reading.ids, reading.others[0]["title"], reading.others[0]["url"]) == (["n-1"], "大题", "http://a.b/1")


def test_another_encoding_is_found_out(read, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(f"# 开馆\n\n{'昨天下午，市里举行了新图书馆的开馆仪式。' * 5}".encode("gb18030"))
    assert read(tmp_path / "a.md").texts[0].startswith("开馆\n昨天下午")


def test_binary_data_is_rejected(read, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\0\1\2\xff\xfe\0")
    assert read(tmp_path / "a.md").reasons == ["the file is binary data, not text"]


@pytest.mark.parametrize("mark", ["> ", "- ", "*", "[", "<", "`", "![", "<!--", "| "])
def test_marks_beyond_reason_end(read, tmp_path: Path, mark: str) -> None:
    reading = read(save(tmp_path / "a.md", mark * 20_000 + "文"))
    assert len(reading.texts) + len(reading.rejected) == 1
