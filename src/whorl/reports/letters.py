"""The letter that asks a site to take a copy down, as HTML and as a Word document, in Chinese or English.

The texts of both languages are written here as a whole, since a letter is not a list of messages: its order and its
forms of address differ. All values come from the case, and are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from markupsafe import Markup

from whorl._internal.frozen import frozen
from whorl._internal.visible_text import visible
from whorl.i18n import Language
from whorl.reports.cases import shown_time
from whorl.reports.word import paragraph, word_document
from whorl.types.comparison import percent

if TYPE_CHECKING:
    from whorl.types.cases import Case

LETTER_MARK = b"whorl case notice"
"""Mark by which an older letter is recognized."""


@frozen
class Letter:
    """The content of a letter.

    Attributes:
        case: the case.
        article_title: title of the protected article.
        article_url: address of the protected article; empty without one.
        copy_title: title of the copy; empty without one.
        site_name: name of the site.
        recipient: recipient; empty for the name of the site.
        sender: sender; empty leaves a line to fill in.
        at: date of the letter.
        deadline: end of the period; None without one.
        digest: SHA-256 of the page as it was fetched; empty without a stored page.
        zone: time zone; None is that of this machine.
    """

    case: Case
    article_title: str
    article_url: str
    copy_title: str
    site_name: str
    recipient: str
    sender: str
    at: datetime
    deadline: datetime | None
    digest: str
    zone: tzinfo | None


def letter_html(letter: Letter, language: Language) -> str:
    """Return a letter as a self-contained HTML page for printing."""
    title, paragraphs, closing = _text(letter, language)
    body = Markup("").join(Markup("<p>{}</p>\n").format(visible(words)) for words in paragraphs)
    end = Markup("").join(Markup("<p>{}</p>\n").format(visible(words)) for words in closing)
    return _PAGE.format(language=language, mark=LETTER_MARK.decode(), title=title, body=body, end=end)


def letter_docx(letter: Letter, language: Language) -> bytes:
    """Return a letter as a Word document."""
    title, paragraphs, closing = _text(letter, language)
    body = [paragraph(title, bold=True, align="center"), *map(paragraph, paragraphs)]
    return word_document("".join([*body, *(paragraph(words, align="right") for words in closing)]), LETTER_MARK)


_PAGE = Markup("""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="generator" content="{mark}">
<title>{title}</title>
<style>
body {{ max-width: 42rem; margin: 3rem auto; padding: 0 1.5rem; overflow-wrap: anywhere; }}
body {{ font: 1rem/1.8 "Source Han Serif SC", "SimSun", Georgia, serif; }}
h1 {{ text-align: center; font-size: 1.4rem; }}
footer {{ text-align: right; margin-top: 3rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}<footer>
{end}</footer>
</body>
</html>
""")


def _text(letter: Letter, language: Language) -> tuple[str, Sequence[str], Sequence[str]]:
    """Return the title of a letter, its paragraphs, and the lines at its end."""
    return _chinese(letter) if language == "zh" else _english(letter)


def _chinese(letter: Letter) -> tuple[str, list[str], list[str]]:
    case, recipient = letter.case, letter.recipient or letter.site_name
    work = f"《{letter.article_title}》" + (f"（{letter.article_url}）" if letter.article_url else "")
    copy = f"《{letter.copy_title}》" if letter.copy_title else "一篇文章"
    demand = "立即删除上述页面" if letter.deadline is None else f"于 {_time(letter, letter.deadline)} 前删除上述页面"
    since, confirmed = _time(letter, case.since), _time(letter, case.confirmed_at or case.since)
    extent = f"该页面与我方作品有 {case.length:,} 字相同，占我方作品的 {percent(case.share)}。"
    paragraphs = [
        f"{recipient}：",
        f"我方是{work}的权利人。经查，贵方网站在下列地址刊载了{copy}：",
        case.url,
        f"{extent}我方于 {since} 发现该页面，并于 {confirmed} 最近一次确认其仍可访问。",
        "贵方未获得我方的转载授权。",
        f"请贵方{demand}，停止传播，并将处理结果书面答复我方。我方保留依法追究责任的权利。",
        _reference_chinese(letter),
    ]
    return "关于停止侵权、删除侵权内容的通知", paragraphs, [letter.sender or "（发函人签章）", _day(letter)]


def _english(letter: Letter) -> tuple[str, list[str], list[str]]:
    case, recipient = letter.case, letter.recipient or letter.site_name
    work = f"“{letter.article_title}”" + (f" ({letter.article_url})" if letter.article_url else "")
    copy = f"“{letter.copy_title}”" if letter.copy_title else "an article"
    demand = "without delay" if letter.deadline is None else f"by {_time(letter, letter.deadline)}"
    since, confirmed = _time(letter, case.since), _time(letter, case.confirmed_at or case.since)
    extent = f"{case.length:,} characters in common with our work, which is {percent(case.share)} of it"
    request = f"Please remove the page {demand}, do not publish the text elsewhere, and confirm this in writing."
    paragraphs = [
        f"To {recipient}:",
        f"We hold the rights in {work}. Your site publishes {copy} at this address:",
        case.url,
        f"This page has {extent}. We found it on {since}, and last confirmed on {confirmed} that it was online.",
        "We have not permitted this reprint.",
        f"{request} We reserve all rights.",
        _reference_english(letter),
    ]
    return "Notice of infringement", paragraphs, [letter.sender or "(name and signature)", _day(letter)]


def _reference_chinese(letter: Letter) -> str:
    stored = f"，网页原始数据的 SHA-256 为 {letter.digest}" if letter.digest else ""
    return f"证据：我方案件编号 {letter.case.number}{stored}。"


def _reference_english(letter: Letter) -> str:
    stored = f"; the SHA-256 of the page as we received it is {letter.digest}" if letter.digest else ""
    return f"Our reference: case {letter.case.number}{stored}."


def _time(letter: Letter, at: datetime) -> str:
    return shown_time(at, letter.zone)


def _day(letter: Letter) -> str:
    return f"{letter.at.astimezone(letter.zone):%Y-%m-%d}"


__all__ = ["LETTER_MARK", "Letter", "letter_docx", "letter_html"]
