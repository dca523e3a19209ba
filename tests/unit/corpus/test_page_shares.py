"""Generated pages × properties: nearly all of the true text is read from each, and hardly any other text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape

import pytest
from tests.unit.corpus.shares import ARTICLES, CHINESE, ENGLISH, sentences, shares

from whorl.corpus.contract import HIDDEN_TEXT
from whorl.corpus.pages.extraction import extract

LEAST_READ = 0.99
MOST_FOREIGN = 0.01
MENU = "<div class=nav>" + "".join(f"<a href='/{n}'>栏目 {n}</a> " for n in range(9)) + "</div>"
FOOTER = "<div class=footer>© 2024 The Example. All rights reserved.</div>"


def other(text: str) -> str:
    """Return another article in the same language."""
    same = ENGLISH if text in ENGLISH else CHINESE
    return same[1 - same.index(text)]


def page(body: str, head: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>The Example</title>{head}</head>"
        f"<body>{MENU}{body}{FOOTER}</body></html>"
    )


def paragraphs(text: str, change: Callable[[str], str] = escape) -> str:
    return "".join(f"<p>{change(sentence)}</p>" for sentence in sentences(text))


def marked(open_tag: str, close_tag: str | None = None) -> Callable[[str], str]:
    """Return an article with an element in the middle of each sentence."""
    close = close_tag or f"</{re.sub(r'[ >].*', '', open_tag[1:])}>"

    def change(sentence: str) -> str:
        words = re.findall(r"[\u3400-\u9fff]+?|\S+\s*|.", sentence)
        middle = len(words) // 2
        before, word, after = "".join(words[:middle]), words[middle], "".join(words[middle + 1 :])
        kept = word.rstrip()
        return f"{escape(before)}{open_tag}{escape(kept)}{close}{word[len(kept) :]}{escape(after)}"

    return lambda text: page(f"<article>{paragraphs(text, change)}</article>")


def with_decoys(decoy: str, head: str = "") -> Callable[[str], str]:
    """Return an article with invisible words in the middle of each sentence."""

    def change(sentence: str) -> str:
        middle = len(sentence) // 2
        return f"{escape(sentence[:middle])}{decoy}{escape(sentence[middle:])}"

    return lambda text: page(f"<article>{paragraphs(text, change)}</article>", head)


def comments(text: str) -> str:
    message = 3 * sentences(other(text))
    return "".join(f"<li><b>Reader {n}</b><p>{escape(sentence)}</p></li>" for n, sentence in enumerate(message))


def in_data(value: object) -> str:
    return page(
        "<div id=app>Loading…</div>",
        f"<script id=__NEXT_DATA__ type=application/json>{json.dumps({'props': {'pageProps': value}})}</script>",
    )


def in_script(value: object, name: str = "window.__INITIAL_STATE__") -> str:
    return page(f"<div id=app>Loading…</div><script>{name} = {json.dumps(value)};start(function () {{}});</script>")


def teasers(text: str) -> list[dict[str, str]]:
    return [
        {"title": f"No. {n}", "url": f"/{n}", "excerpt": sentence} for n, sentence in enumerate(sentences(other(text)))
    ]


INLINE = (
    "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "button", "cite", "code", "data value=3", "del", "dfn", "em",
    "font color=blue", "i", "ins", "kbd", "label", "mark", "meter", "nobr", "output", "progress", "q", "s", "samp",
    "slot", "small", "span", "strike", "strong", "sub", "sup", "time datetime=2024", "tt", "u", "var", "x-name", "foo",
    "o:p", "st1:place",
)  # fmt: skip
PROPERTIES: dict[str, Callable[[str], str]] = {
    "plain": lambda text: page(f"<article>{paragraphs(text)}</article>"),
    **{f"<{tag}>": marked(f"<{tag}>") for tag in INLINE},
    "<math>": marked("<math><mi>", "</mi></math>"),
    "<ruby>": marked("<ruby>", "<rp>(</rp><rt>dú</rt><rp>)</rp></ruby>"),
    "hidden": with_decoys("<span hidden>decoy 假的</span>"),
    "display": with_decoys("<span style='display: none'>decoy 假的</span>"),
    "visibility": with_decoys("<span style='visibility:hidden'>decoy 假的</span>"),
    "class": with_decoys("<span class=x>decoy 假的</span>", "<style>p{margin:0} .x{display:none!important}</style>"),
    "white": with_decoys("<span style='color:#FFF'>decoy 假的</span>"),
    "white font": with_decoys("<font color=white>decoy 假的</font>"),
    "white on its ground": with_decoys("<span style='color:#123456;background:#123456'>decoy 假的</span>"),
    "transparent": with_decoys("<span style='color:rgba(0,0,0,0)'>decoy 假的</span>"),
    "one pixel": with_decoys("<span style='font-size:1px'>decoy 假的</span>"),
    "no size": with_decoys("<span style='font: 0/0 a'>decoy 假的</span>"),
    "off the screen": with_decoys("<span style='position:absolute;left:-9999px'>decoy 假的</span>"),
    "clipped": with_decoys("<span style='position:absolute;clip:rect(0 0 0 0)'>decoy 假的</span>"),
    "faint": with_decoys("<span style='opacity:0'>decoy 假的</span>"),
    "comments by class": lambda text: page(
        f"<div>{paragraphs(text)}</div><ul class=comment-list>{comments(text)}</ul>"
    ),
    "comments by heading": lambda text: page(
        f"<div>{paragraphs(text)}</div><div><h3>24 Comments</h3><ul>{comments(text)}</ul></div>"
    ),
    "comments by Chinese heading": lambda text: page(
        f"<div>{paragraphs(text)}</div><div><h3>网友评论（24）</h3><ul>{comments(text)}</ul></div>"
    ),
    "comments as articles": lambda text: page(
        f"<article>{paragraphs(text)}<article class=comment>{comments(text)}</article></article>"
    ),
    "the next article": lambda text: page(
        f"<div><h1>The Example</h1>{paragraphs(text)}</div><article><h1>Another</h1>{paragraphs(other(text))}</article>"
    ),
    "a shadow root": lambda text: page(
        f"<x-article><template shadowrootmode=open>{paragraphs(text)}</template></x-article>"
    ),
    "custom elements": lambda text: page(f"<x-root><x-body>{paragraphs(text)}</x-body></x-root>"),
    "noscript": lambda text: page(f"<div id=app></div><noscript>{paragraphs(text)}</noscript>"),
    "Next": lambda text: in_data({"article": {"title": "A", "content": text}, "more": teasers(text)}),
    "Next with markup": lambda text: in_data({"post": {"title": "A", "html": paragraphs(text)}}),
    "Next with paragraphs": lambda text: in_data({"post": {"title": "A", "body": sentences(text)}}),
    "Next with blocks": lambda text: in_data(
        {"blocks": [{"type": "p", "text": sentence} for sentence in sentences(text)]}
    ),
    "Next with an editor's tree": lambda text: in_data(
        {
            "doc": {
                "content": [
                    {
                        "type": "p",
                        "content": [{"type": "text", "text": sentence[:9]}, {"type": "text", "text": sentence[9:]}],
                    }
                    for sentence in sentences(text)
                ]
            }
        }
    ),
    "Nuxt": lambda text: in_script({"data": [{"news": {"headline": "A", "body": text}}]}, "window.__NUXT__"),
    "Nuxt, flat": lambda text: page(
        "<div>Loading…</div>",
        "<script id=__NUXT_DATA__ type=application/json>"
        + json.dumps([["Reactive", 1], {"data": 2}, {"article": 3}, {"title": 4, "content": 5}, "A", text])
        + "</script>",
    ),
    "state": lambda text: in_script({"detail": {"title": "A", "text": text}, "list": teasers(text)}),
    "state in a string": lambda text: page(
        f"<div>正在加载……</div><script>var initialState = JSON.parse({json.dumps(json.dumps({'text': text}))})</script>"
    ),
    "an attribute": lambda text: page(
        f"<div id=app data-page='{escape(json.dumps({'props': {'body': text}}))}'></div>"
    ),
    "JSON-LD": lambda text: page(
        "<div>Please enable JavaScript.</div>",
        "<script type=application/ld+json>"
        + json.dumps({"@graph": [{"@type": "WebSite"}, {"@type": "NewsArticle", "articleBody": text}]})
        + "</script>",
    ),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_text_of_a_generated_page_is_read_and_no_other(name: str) -> None:
    measured = [shares(text, extract(PROPERTIES[name](text).encode(), dated=False).text) for text in ARTICLES]
    assert min(read for read, _ in measured) >= LEAST_READ, measured
    assert max(foreign for _, foreign in measured) <= MOST_FOREIGN, measured


@pytest.mark.parametrize("name", ["hidden", "white", "one pixel", "off the screen", "class"])
def test_hidden_words_in_sentences_are_counted(name: str) -> None:
    text = ENGLISH[0]
    extracted = extract(PROPERTIES[name](text).encode(), dated=False)
    assert extracted.notices == {HIDDEN_TEXT: str(7 * len(sentences(text)))}


def test_what_pages_hide_for_good_reasons_is_no_disguise() -> None:
    menu = "<div style='display:none'><a href=/>首页</a></div><a href=/ style='position:absolute;left:-999px'>Skip</a>"
    label = "<a href=/x>more<span class=sr-only style='position:absolute;left:-999px'> about mills</span></a>"
    extracted = extract(page(f"{menu}<article>{paragraphs(ENGLISH[0])}{label}</article>").encode(), dated=False)
    assert HIDDEN_TEXT not in extracted.notices


@pytest.mark.parametrize(
    "holder",
    ["<div id=js_content style='visibility:hidden'>", "<section hidden>", "<div style='color:#fff' class=dark>"],
)
def test_an_article_that_a_script_shows_is_read(holder: str) -> None:
    extracted = extract(page(f"{holder}{paragraphs(ENGLISH[0])}</div>").encode(), dated=False)
    assert shares(ENGLISH[0], extracted.text)[0] >= LEAST_READ


@pytest.mark.parametrize("kept", ["color:#fff;background:#000", "color:#333", "font-size:12px", "opacity:.5"])
def test_styles_that_hide_nothing_hide_nothing(kept: str) -> None:
    extracted = extract(marked(f"<b style='{kept}'>")(ENGLISH[0]).encode(), dated=False)
    assert (extracted.text, dict(extracted.notices)) == ("\n".join(sentences(ENGLISH[0])), {})
