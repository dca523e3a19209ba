"""HTML pages with the expected text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from lxml import html
from tests.articles import NEWSROOM
from tests.quality.corpora import data_folder, lines

# The id or class of the article element on sites without other gold data.
_ARTICLE_AT = {
    "163": ("endText", "content"),
    "baijiahao": ("article-content",),
    "cjn": ("TRS_Editor",),
    "csdn": ("con news_content",),
    "gsc": ("detailCon",),
    "guancha": ("content all-txt",),
    "ifeng": ("text-3zQ3cZD4",),
    "people": ("rwb_zw",),
    "sina": ("artibody",),
    "stcn": ("txt_con",),
    "thepaper": ("news_txt",),
    "toutiao": ("article-content",),
    "wechat": ("js_content",),
    "xinhuanet": ("p-detail",),
}


@dataclass(frozen=True)
class Page:
    """A page, and its main text as people see it."""

    html: str
    gold: str


def sets() -> tuple[str, ...]:
    """Return the names of the available sets of pages."""
    return ("newsroom",) if data_folder() is None else ("newsroom", "english", "chinese")


def pages(name: str) -> list[Page]:
    """Read or generate the pages of a set."""
    folder = data_folder()
    if name == "newsroom" or folder is None:
        return list(_newsroom())
    if name == "english":
        rows = lines(folder / "html-extract" / "scrapinghub.jsonl.gz")
        return [Page(row["html"], row["gold"]) for row in rows]
    return [page for row in lines(folder / "html-extract" / "gne-zh-pages.jsonl.gz") if (page := _chinese(row))]


def _newsroom() -> Iterator[Page]:
    """Return the articles of the example, each in a page with columns, other reports and a footer."""
    articles = list(lines(NEWSROOM / "originals.jsonl"))
    titles = [escape(article["title"]) for article in articles]
    for place, article in enumerate(articles):
        others = titles[place + 1 : place + 9] + titles[: max(0, place + 9 - len(titles))]
        links = "".join(f'<li><a href="/{number}">{title}</a></li>' for number, title in enumerate(others))
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in article["text"].splitlines() if line)
        head = f"<title>{titles[place]}</title><style>p{{margin:0}}</style><script>var a=1</script>"
        before = "<div class=nav><a href=/>首页</a><a href=/a>国内</a><a href=/b>World</a></div>"
        after = f"<div class=side><h3>热门推荐</h3><ul>{links}</ul></div><div class=footer>版权所有 © Whorl</div>"
        body = f"{before}<div class=main>{paragraphs}</div>{after}"
        yield Page(f"<html><head>{head}</head><body>{body}</body></html>", article["text"])


def _chinese(row: dict[str, str]) -> Page | None:
    """Return a page of a known site with the paragraphs of its article element."""
    names = _ARTICLE_AT.get(row["id"].split(":")[1].split("/")[0], ())
    elements = html.document_fromstring(row["html"]).iter("div", "section")
    holders = [element for element in elements if element.get("id") in names or element.get("class") in names]
    if not holders:
        return None
    holder = max(holders, key=lambda element: len(element.text_content()))
    for element in list(holder.iter("script", "style")):
        element.text = ""
    whole = holder.text_content()
    paragraphs = "\n".join(element.text_content() for element in holder.iter("p"))
    return Page(row["html"], paragraphs if 2 * len(paragraphs) > len(whole.strip()) else whole)
