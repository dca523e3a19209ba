"""Titles of texts without one, and command lines without the folders of a machine."""

import pytest

from whorl.reports.naming import title_of, without_folders

BODY = (
    "封了九年的老盐码头要打开了。青澜市滨江办昨天公布方案，从盐仓旧址到北渡桥头的两公里岸线，将"
    "改造成一条步行道，四月起分段开放，市民可以步行到桥头。"
)


@pytest.mark.parametrize(
    "above",
    [
        "",
        "Draft",
        "FINAL DRAFT 2",
        "（送审稿）",
        "本文经青澜日报授权转载",
        "经青澜日报同意后刊发",
        "未经许可，不得转载。",
        "版权所有 © 2026 青澜日报",
        "Reprinted by permission of the Harbour Digest.",
        "Draft\n\nCopyright 2026 The Harbour Digest",
        "聚看特约撰稿人 白露",
        "本报记者 闻笛 通讯员 许岸",
        "作者：白露",
        "By Jane Doe and Liam O'Hara",
    ],
)
def test_marks_of_drafts_and_notices_are_no_title(above: str) -> None:
    assert title_of(f"{above}\n\n老盐码头改成滨江步道\n\n{BODY}", "b.txt") == "老盐码头改成滨江步道"


@pytest.mark.parametrize(
    "title",
    [
        "版权局发布新规",
        "未经彩排的演出",
        "Drafted at dawn",
        "Manuscripts found in a salt mine",
        "经济学人谈授权",
        "记者节",
        "By invitation only",
    ],
)
def test_titles_about_rights_and_drafts_are_titles(title: str) -> None:
    assert title_of(f"{title}\n{BODY}", "b.txt") == title


@pytest.mark.parametrize(
    "text",
    [BODY, f"{BODY}\n{BODY}", f"市民可以步行到桥头。\n{BODY}", "Draft", f"Draft\n{BODY}", "Draft\n" * 9 + BODY, ""],
)
def test_a_text_without_a_title_has_its_name(text: str) -> None:
    assert title_of(text, "b.txt") == "b.txt"


def test_commands_have_no_folders() -> None:
    assert without_folders("whorl dedup /home/mei/a.jsonl -o /tmp/out --recipe=/etc/r.toml") == (
        "whorl dedup a.jsonl -o out --recipe=r.toml"
    )
