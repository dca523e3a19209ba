"""Statements of an article about its source: 来源, 转载自, 原标题, 记者, "originally published at" and similar.

A label with a colon or bar, such as 来源：, counts in the lines that frame an article, after the beginning of a line, a
sentence, a bracket or another statement; the same word within a sentence does not. A sentence of the article about
itself, such as 本文转载自…, counts anywhere. Statements are only parsed here; they may be false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

from whorl._internal.frozen import frozen
from whorl._internal.patterns import lazy_pattern
from whorl.types.comparison import Plain, Span

KINDS = ("source", "reprint", "first", "dateline", "title", "author", "reporter", "editor")
"""Kinds of statements; the first four name an earlier publication."""

_FRAME = 6
_LONGEST_NAME = 40
_LONGEST_TITLE = 120
_REACH = 240

_LABELS = {
    "source": r"(?:文章|本文|稿件|新[闻聞]|信息|[内內]容|消息|原文|[图圖]文|文字)?[来來]源(?:[于於])?|稿源|source",
    "reprint": r"(?:本文|文章|稿件|原文)?(?:[转轉][载載]?自|摘(?:[编編])?自|[选選]自|[编編][译譯]自)"
    r"|re(?:printed|published)\s+from",
    "first": r"(?:本文|文章|原文)?(?:首[发發]|原[载載]|原刊)[于於]?|原文(?:[链鏈]接|地址|出[处處])?"
    r"|originally\s+(?:published|posted|appeared)(?:\s+(?:at|on|in|by))?|first\s+(?:published|appeared)(?:\s+(?:at|on|in|by))?",
    "title": r"原(?:文)?[标標][题題]|原[题題]|original\s+title",
    "author": r"(?:本文|原文)?作者|撰文|撰稿(?:人)?|文|author|written\s+by",
    "reporter": r"(?:本[报報台刊网網]|[总總]台|央[视視]|新[华華]社|中新[社网網]|特[约約派]|[见見实實][习習]|首席)*"
    r"[记記]者|通[讯訊][员員]",
    "editor": r"(?:本文)?(?:[责責]任|[执執]行|[值]班|本[期版])?[编編][辑輯]|[责責][编編]|[编編][审審]|校[对對]"
    r"|[审審][核校]|editor|editing(?:\s+by)?",
}
_HAN = lazy_pattern("[\u3400-\u9fff]")
_HAS_SEPARATOR = re.compile("[:：|｜丨/／]")
_SEPARATOR = rf"[ \u3000\xa0]*{_HAS_SEPARATOR.pattern}[ \u3000\xa0]*"
_LABEL = lazy_pattern(
    "|".join(rf"(?P<{kind}>(?:{words}){_SEPARATOR})" for kind, words in _LABELS.items()), re.IGNORECASE
)
_BEFORE = ' \t\u3000\xa0。！？；…，,;.!?”"』」》】）)]〕（(【[〔|｜丨■□●▲◎·'
_ENDS = lazy_pattern(r"[。；;，,！？!?\n）)】\]〕(（\[【〔|｜丨■●▲]|[ \u3000\xa0\t]{2,}|\.(?=\s|$)")
_TITLE_ENDS = lazy_pattern(r"[\n）)】\]〕【]")

_ABOUT_ITSELF = lazy_pattern(
    r"""(?:本文|本稿|此文|原文|[该該本]文章|以[上下][内內]容)
        (?:[为為系已均原]|最初|首先|最早|[获獲]得?|[独獨]家){0,3}(?:[经經][^，。；\n]{0,12}?)?
        (?:
          (?P<reprint>(?:授[权權])?(?:[转轉][载載]自?|[转轉]自|摘(?:[编編])?自|[选選]自|[编編][译譯]自|整理自))
        | (?P<first>首[发發](?:在|[于於])|原?[载載刊][于於]|刊[载載登][于於]|[发發]表(?:在|[于於])|[来來]自)
        | (?P<source>[来來]源(?:[于於]|[为為是]))
        )[:：]?[ \u3000]*""",
    re.VERBOSE,
)
_IN_ENGLISH = lazy_pattern(
    r"""\b(?:
          (?P<first>(?:this|the)\s+(?:article|story|post|piece|essay|column|report|interview)\s+
              (?:was\s+|has\s+been\s+)?(?:originally|first)\s+(?:published|appeared|posted|ran|written)\s+(?:at|on|in|by|for)
            | (?<![^\n(\[*_—-]\s)(?<![^\s(\[*_—-])
              (?:originally|first)\s+(?:published|appeared|posted)\s+(?:at|on|in|by))
        | (?P<reprint>(?:this\s+\w+\s+(?:was|is|has\s+been)\s+)?(?:re(?:printed|published|posted)|syndicated)\s+
              (?:here\s+)?(?:with\s+(?:the\s+)?permission\s+)?(?:from|of|courtesy\s+of))
        )\s+(?:the\s+(?=[A-Z]))?""",
    re.VERBOSE | re.IGNORECASE,
)
_OF_ITSELF = (
    (_ABOUT_ITSELF, ("文", "稿", "容")),
    (_IN_ENGLISH, ("originally", "first", "reprinted", "republished", "reposted", "syndicated")),
)
"""Each pattern with required words: a line without any of them, as most lines, needs no search."""
_BARE = lazy_pattern(
    r"(?:^|(?<=[（(【\[]))[ \u3000]*(?:(?P<reprint>[转轉][载載]?自|摘自)|(?P<first>原[载載][于於]?|首[发發][于於])"
    r"|(?P<author>作者)[ \u3000]+|(?P<reporter>[记記]者)[ \u3000]+|(?P<editor>[责責]任[编編][辑輯]|[责責][编編])"
    r"[ \u3000]+)"
)
_BARE_ENDS = lazy_pattern(
    r"[ \u3000。]*(?:$|[）)】\]（(【\[]|[，,。；;]\s*(?:[如若]|版[权權]|著作[权權]|未[经經]|仅[代供]|[侵禁转轉]))"
)
_REPORTERS = lazy_pattern(r"[（(][^（）()\n]{0,20}?[记記]者[ \u3000：:]*(?P<name>[^（）()\n，。：:；]{2,40})[）)]")
_CREDIT = lazy_pattern(
    r"[（(【\[](?P<name>[《\w·]{1,14}?(?:[报報]|社|[网網]|[电電][视視]台|新[闻聞]|客[户戶]端|[周週]刊|[杂雜][志誌]|公[众眾][号號]|海外版|通[讯訊]社)》?)"
    r"(?:[ \u3000]*(?:[总總]台)?[记記]者[ \u3000]*(?P<reporter>[^（）()\n，。：:；]{2,20}))?[）)】\]]\s*"
    r"(?=\Z|[【\[(（]?(?:[责責]任)?[编編][辑輯])"
)
_DATELINE = lazy_pattern(
    r"(?:[据據])?(?P<name>新[华華]社|新[华華][网網]|中新社|中新[网網]|中[国國]新[闻聞][网網]|人民[网網]|央[视視][网網]|央[广廣][网網]|[财財][联聯]社|光明[网網]|[环環]球[网網]"
    r"|澎湃新[闻聞]|中央社|[\u4e00-\u9fff]{1,6}(?:日[报報]|[晚晨][报報]|通[讯訊]社|[电電][视視]台|[广廣]播[网網]|在[线線]))"
    r"[^。，！？；：:\n]{0,30}?(?:[电電讯訊]|消息)(?=[ \u3000：:（(【\[]|$|(?<=日[电電]))"
)
_AGENCY = lazy_pattern(r"[A-Z][A-Z .,'/-]{2,40}(?:[A-Z][a-z]+\.? \d{1,2})?,? ?\((?P<name>[A-Z][\w .]{1,30})\) [-–—] ")
_BYLINE = lazy_pattern(r"[Bb][Yy][ \xa0]+(?P<name>[A-Z][\w.'’-]*(?:[ \xa0](?:and|&|[A-Z][\w.'’-]*)){1,7}?)[ \xa0]*$")

_URL = lazy_pattern(r"(?:https?://|www\.)[^\s<>\"'“”，。；、（）()【】《》\u4e00-\u9fff]{3,2000}", re.IGNORECASE)
_ACCOUNT = lazy_pattern(
    r"^(?:(?:微信)?(?:公[众眾][号號]|[订訂][阅閱][号號])|微信|微博|知乎(?:[专專][栏欄])?|头条号|百家号)[ \u3000：:@]*"
    r"|(?<=.)(?:微信)?公[众眾][号號]$"
)
_WHITE = "".join(filter(str.isspace, map(chr, range(0x3001))))
_AROUND = f"{_WHITE}：:（(["
_QUOTES = f"{_WHITE}《》“”\"'‘’「」『』〈〉<>:：、，,.。-—*_@"
_QUOTED = lazy_pattern(r"(?:[\w：]{2,8})?《([^《》\n]+)》|[“「『\"]([^”」』\"\n]+)[”」』\"]$")
_PERSONS = lazy_pattern(r"[\w·.'’ \u3000\xa0、&/／-]{2,40}")
_NO_PERSON = lazy_pattern(r"[你您我他她它这這那请請谁誰为為是系在和与與就对對从從]|.*[的了吗嗎呢吧]$")
_NO_PLACE = lazy_pattern(
    r"[\d\s年月日./:-]*$|[称稱说說]|生活|未知|不明|[网網][络絡路]|互[联聯][网網]$|本[报報网網台刊社]|[发發][稿布]|.*[：:]"
)
_PERMISSION = lazy_pattern(r"授[权權]|[经經].{0,10}(?:同意|[许許]可)|permission|courtesy", re.IGNORECASE)


@frozen
class Statement(Plain):
    r"""A statement of an article about itself.

    >>> from whorl.attribution.statements import statements
    >>> [statement] = statements("来源：青澜日报\n雾散之后，渡口又热闹起来。")
    >>> statement.kind, statement.name
    ('source', '青澜日报')

    Attributes:
        kind: "source" (来源), "reprint" (转载自), "first" (首发于, "originally published at"), "dateline" (新华社…电),
            "title" (原标题), "author", "reporter" or "editor".
        name: the named person or site, without quotation marks; several persons are kept as written. Empty if there
            is only an address.
        url: the stated address, or empty.
        span: range of label, name and address in code points of the text, without enclosing brackets.
        permission: True if the statement mentions permission to reprint.
    """

    kind: str
    name: str
    url: str
    span: Span
    permission: bool = False


def statements(text: str) -> tuple[Statement, ...]:
    """Extract the statements of an article about its source and its authors, in the order of the text.

    Args:
        text: the article with its line breaks; the title may be the first line.

    Returns:
        Non-overlapping statements. White space, script (来源, 來源) and the width of colons make no difference. A
        generic name (来源：网络) is no statement.

    Cost: linear in the text.
    """
    results: list[Statement] = []
    for start, line, is_frame in _lines(text):
        for statement in (*_of_itself(line), *(_labelled(line) if is_frame else ())):
            placed = Statement(
                statement.kind,
                statement.name,
                statement.url,
                (start + statement.span[0], start + statement.span[1]),
                statement.permission,
            )
            if all(placed.span[1] <= other.span[0] or other.span[1] <= placed.span[0] for other in results[-8:]):
                results.append(placed)
    return tuple(sorted(results, key=lambda statement: statement.span))


def _lines(text: str) -> list[tuple[int, str, bool]]:
    """Yield the nonempty lines: start, content, and True if the line may frame the article."""
    lines = [(match.start(), match[0]) for match in re.finditer(r"[^\r\n\u2028\u2029]+", text) if match[0].strip()]
    return [
        (start, line, number < _FRAME or number >= len(lines) - _FRAME) for number, (start, line) in enumerate(lines)
    ]


def _of_itself(line: str) -> Iterator[Statement]:
    """Yield sentences of an article about itself."""
    folded = line.casefold()
    for pattern in (pattern for pattern, words in _OF_ITSELF if any(word in folded for word in words)):
        for match in pattern.finditer(line):
            if statement := _named(line, match.lastgroup or "", match.start(), match.end()):
                yield statement


def _labelled(line: str) -> Iterator[Statement]:
    """Yield labeled statements, in brackets and at both ends of a framing line."""
    lead = len(line) - len(line.lstrip())
    is_chinese = _HAN.search(line) is not None
    if is_chinese:
        yield from _bare(line)
    if _HAS_SEPARATOR.search(line):
        yield from _behind_labels(line)
    if is_chinese:
        yield from _credited(line)
        for named in _REPORTERS.finditer(line):
            yield from _persons(named, "name")
    for pattern in (_DATELINE, _AGENCY):
        if dateline := pattern.match(line, lead):
            yield Statement("dateline", dateline["name"], "", dateline.span())
    if byline := _BYLINE.match(line, lead):
        yield Statement("author", byline["name"], "", byline.span())


def _bare(line: str) -> Iterator[Statement]:
    """Yield labels without punctuation that are followed only by a name."""
    for match in _BARE.finditer(line):
        statement = _named(line, match.lastgroup or "", match.start(match.lastgroup or 0), match.end())
        if statement and _BARE_ENDS.match(line, statement.span[1]):
            yield statement


def _behind_labels(line: str) -> Iterator[Statement]:
    end = 0
    for match in _LABEL.finditer(line):
        kind = match.lastgroup or ""
        if match.start() not in (0, end) and not _may_precede(line[match.start() - 1]):
            continue
        if statement := _named(line, kind, match.start(), match.end()):
            yield statement
            end = statement.span[1]


def _may_precede(character: str) -> bool:
    """Return True for a character that may stand before a label: punctuation, or any symbol such as ▌ or ★."""
    return character in _BEFORE or category(character).startswith("S")


def _credited(line: str) -> Iterator[Statement]:
    """Yield unlabeled brackets at the end of a line that name a newspaper, possibly with its reporter."""
    if (match := _CREDIT.search(line, max(0, len(line) - _REACH))) and not _NO_PLACE.match(match["name"]):
        yield Statement("source", match["name"].strip(_QUOTES), "", (match.start() + 1, match.end("name")))
        yield from _persons(match, "reporter")


def _persons(match: re.Match[str], group: str) -> Iterator[Statement]:
    name = (match[group] or "").strip(_QUOTES)
    if _is_person(name):
        start = match.start(group) + match[group].index(name)
        yield Statement("reporter", name, "", (start, start + len(name)))


def _named(line: str, kind: str, start: int, behind: int) -> Statement | None:
    """Return the statement with a label from ``start`` to ``behind``; None if no name follows."""
    ends, longest = (_TITLE_ENDS, _LONGEST_TITLE) if kind == "title" else (_ENDS, _LONGEST_NAME)
    value = line[behind : behind + _REACH]
    address = _URL.search(value)
    if address and (address.start() <= 2 or not ends.search(value[: address.start()].rstrip(" \u3000（(["))):
        name, until = value[: address.start()], address.end()
    else:
        address = None
        until = ((match := ends.search(value)) and match.start()) or (0 if match else len(value))
        following = _LABEL.search(value[:until])
        if following and kind != "title" and (following.start() == 0 or len(following[0]) > 2):
            until = following.start()
        name = value[:until]
    until = len(value[:until].rstrip())
    name = _unquoted(name, kind)
    if len(name) > longest or not (name or address):
        return None
    if kind in ("author", "reporter", "editor"):
        if not _is_person(name):
            return None
    elif kind != "title" and not address and _NO_PLACE.match(name):
        return None
    url = address[0].rstrip(".,;!?") if address else ""
    context = line[max(0, start - 12) : behind]
    return Statement(kind, name, url, (start, behind + until), bool(_PERMISSION.search(context)))


def _unquoted(name: str, kind: str) -> str:
    """Return a name without quotation marks, title marks 《》 and words for the type of account."""
    name = name.strip(_AROUND)
    if quoted := _QUOTED.match(name):
        return (quoted[1] or quoted[2]).strip()
    return name if kind == "title" else _ACCOUNT.sub("", name.strip(_QUOTES)).strip(_QUOTES)


def _is_person(name: str) -> bool:
    return bool(_PERSONS.fullmatch(name)) and not _NO_PERSON.match(name)


__all__ = ["KINDS", "Statement", "statements"]
