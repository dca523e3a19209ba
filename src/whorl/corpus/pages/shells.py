"""Detect pages without an article: notices, walls and menus that a site serves in place of its articles.

They are equal for all articles of a site, so as texts they would be copies of each other. A page is such a shell if
hardly any sentence remains without the text of the notice. A page that only has few words is not a shell.

Articles also mention subscribers, cookies and ages, and many pages have the whole article in one line. So a long line
is a notice only if most of it consists of sentences of a notice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from whorl._internal.patterns import lazy_pattern
from whorl.corpus.pages.body import SENTENCE_END, is_prose, weight
from whorl.corpus.pages.parsing import PageLine
from whorl.i18n import Message, say

_MIN_PROSE = 140
_MIN_FLASH = 60
_LONG, _TOO_LONG = 400, 1500
"""Weight from which the sentences of a line are examined one by one, and from which no line is a notice as a whole."""
_NOTICE_SHARE = 0.5
"""Minimum share of notice sentences in a long line for the line to be a notice."""
_MAX_SENTENCE = 1000
_MOST_LINKED = 0.5
_MIN_LINKS = 5

_KINDS: dict[str, tuple[Message, re.Pattern[str]]] = {
    kind: (reason, lazy_pattern(pattern, re.IGNORECASE))
    for kind, reason, pattern in (
        (
            "challenge",
            say("the page is only a CAPTCHA: open it in a browser and save it from there"),
            (
                r"just a moment|checking (?:if the site|your browser)|verify(?:ing)? (?:that )?you(?: are"
                r"|'re) (?:a )?human"
                r"|are you a (?:human|robot)|not a robot|unusual (?:traffic|activity)|attention required"
                r"|cloudflare|captcha"
                r"|security (?:check|service)|you have been blocked|access (?:to this page has been )?denied"
                r"|ddos protection"
                r"|browser will redirect|this process is automatic|ray id|security of your connection"
                r"|performance (?:&|and) security"
                r"|人机验证|安全验证|滑动验证|请输入验证码|访问(?:过于)?频繁|异常(?:流量|访问)"
                r"|完成(?:下方)?验证|向右滑动|拖动滑块"
                r"|访问被拒绝|检查(?:您|你)的浏览器"
            ),
        ),
        (
            "script",
            say("the text of the page is rendered by a script: save it again from a browser that shows it"),
            (
                r"(?:enable|turn on|requires?|activate|without|needs?) (?:your )?javascript|javascript (?:is"
                r"|must be|has been|to be|seems)"
                r"|javascript[^.]{0,40}\b(?:enabled|disabled|aktivier|activ|required)"
                r"|aktivieren sie[^.]{0,20}javascript"
                r"|activer javascript|^\W*(?:loading|please wait|正在加载|加载中|页面加载|数据加载|载入中|请稍[候后等])"
                r"|(?:启用|开启|打开|支持|禁用)\s*javascript|javascript\s*(?:被禁用|未启用|已禁用)"
                r"|unsupported browser|浏览器(?:版本过低|不支持)"
                r"|(?:update|upgrade) your browser|browser (?:is (?:not supported|out ?of ?date|no longer)"
                r"|does(?: not|n't) support)"
            ),
        ),
        (
            "missing",
            say("the page only says that the article was not found: fetch it again, or remove it from the input"),
            (
                r"\b(?:404|410|403|502|503|500)\b[^.]{0,20}(?:error|not found|gone|forbidden|gateway"
                r"|unavailable)|error (?:404|403|500|502|503)"
                r"|page (?:you (?:are|were) looking for|you requested|cannot be found|could not be found"
                r"|(?:was |is )?not (?:be )?found)"
                r"|page (?:does not|doesn't|no longer) exist|can(?:'|no)t find (?:that|the|this) page"
                r"|not found on this server"
                r"|link you (?:followed|clicked)|may have been (?:moved|removed|deleted)|has been (?:moved"
                r"|removed|deleted)"
                r"|check the (?:url|address)|(?:go|return|back) to (?:the )?home ?page"
                r"|seite (?:wurde )?nicht gefunden|page (?:est )?introuvable"
                r"|(?:being|not|automatically) redirected|redirected? automatically|redirecting (?:you )?to"
                r"|service (?:is )?(?:temporarily )?unavailable|temporarily (?:down|unavailable)|(?:down"
                r"|under) (?:for )?maintenance"
                r"|页面(?:不存在|找不到|没有找到|已(?:经)?(?:被)?删除|无法访问|丢失)|(?:找不到|无法找到)(?:您"
                r"|你|该|此|相关|指定)?\S{0,8}(?:页面|网页|内容)"
                r"|(?:文章|内容|帖子|网页|信息)(?:不存在|已(?:经)?(?:被)?\S{0,6}(?:删除|下架|下线|屏蔽)"
                r"|因\S{0,8}无法查看)|返回(?:网站)?首页|秒后自动跳转"
                r"|(?:您|你)(?:所)?(?:访问|查看|请求)的(?:页面|网页|内容|文章)|输入的?(?:网址|地址)(?:有误"
                r"|是否正确)|系统维护|服务(?:器)?(?:暂时)?不可用"
            ),
        ),
        (
            "wall",
            say("the page only asks readers to sign in or to pay: save it again from where you are signed in"),
            (
                r"(?:sign|log) ?in to (?:continue|read|view|your|see|access)|(?:subscribe|register"
                r"|sign up) (?:to (?:continue|read|view|keep)|for|now)"
                r"|already (?:a |have an? )(?:subscriber|account|member)|(?:only|exclusive|available) (?:for"
                r"|to) (?:our )?(?:subscribers|members)"
                r"|subscribers? only|create (?:a free |an )?account|forgot(?:ten)? (?:your )?password"
                r"|remember me|reached your (?:\w+ )?limit"
                r"|free articles?|unlimited (?:digital )?access|cancel (?:at )?any ?time"
                r"|start your (?:free )?trial|e-?mail address|your password"
                r"|jetzt (?:anmelden|abonnieren|testen)|réservé aux abonnés"
                r"|(?:请|需要?)(?:先)?(?:登录|登陆|注册)|登录后(?:可|即可|才能)?(?:查看|阅读|继续)|(?:还没有"
                r"|没有|已有)(?:账号|帐号|账户)|忘记密码"
                r"|(?:开通|成为|购买)(?:会员|VIP)|(?:付费|订阅|会员)(?:后)?(?:阅读|查看|可读|解锁|专享)"
                r"|扫码登录|手机号登录|输入(?:您的|你的)?手机号|验证码登录|解锁全文"
            ),
        ),
        (
            "gate",
            say("the page only asks for the age or region of its reader: answer in a browser and save it from there"),
            (
                r"(?:over|under|at least) (?:18|21)\b|(?:18|21) years (?:or older|of age)|age verification"
                r"|verify your age"
                r"|(?:not |un)available in your (?:region|country|location)|(?:未|已|是否)满\s*18|(?:您|你)(?:所在"
                r"|当前)的?(?:国家|地区)"
            ),
        ),
        (
            "consent",
            say("the page only asks for consent to cookies: give it in a browser and save the page from there"),
            (
                r"\bcookies?\b|before you continue|your (?:privacy|consent|data)|privacy (?:policy|notice"
                r"|settings|preferences|choices)"
                r"|(?:our|and our|with our|\d+) partners|accept all|reject all|manage (?:settings|preferences"
                r"|options)|legitimate interest"
                r"|personali[sz]ed (?:ads|content|advertising)|datenschutz|einwilligung|alle akzeptieren"
                r"|\bgdpr\b|advertising and content"
                r"|隐私(?:政策|保护|设置|声明)|(?:您|你)的个人信息|同意并继续|全部接受|(?:接受|拒绝)全部"
            ),
        ),
        (
            "archive",
            say("the page is the frame of a web archive without the archived page: fetch that page again"),
            (
                r"wayback machine|internet archive|archive\.(?:org|today|ph|is)\b|webpage capture|saved from"
                r"|not (?:been )?archived"
                r"|(?:captures?|snapshots?)\b[^.]{0,30}\b(?:between|\d{4})|loading\.\.\. http"
                r"|http \d{3} response|at crawl time|memento"
                r"|^https?://\S+ \|"
            ),
        ),
    )
}
_NOTICE = lazy_pattern(
    r"版权所有|copyright|©|\ball rights reserved|ICP\s*备|备案|许可证|举报(?:电话|邮箱)|联系我们|关于我们"
    r"|powered by|terms of (?:use|service)"
    r"|^\W*(?:home|menu|search|share|contact|about(?: us)?|首页|导航|搜索|分享|返回|登录|注册)\W*$",
    re.IGNORECASE,
)
_NAVIGATION = say("the page is only navigation, it has links and no text: remove it from the input")


def shell_of(lines: Sequence[PageLine], title: str | None) -> Message | None:
    """Return the kind of shell with a hint; None if the page may be an article.

    Args:
        lines: all visible lines.
        title: its title, which often is the notice.
    """
    counts = Counter[str]()
    others: list[PageLine] = []
    prose = 0
    # Most pages have prose: its lines are among the longest, and little of it proves an article.
    for line in sorted(lines, key=lambda line: len(line.text), reverse=True):
        if not is_prose(line.text) or _is_of_links(line):
            others.append(line)
            continue
        notices, sentences = _divide(line.text, weight(line.text))
        counts.update(notices)
        prose += sentences
        if prose >= _MIN_PROSE:
            return None
    for line in others:
        counts.update(_divide(line.text, weight(line.text))[0])
    if title and (kind := _kind_of(title)) is not None:
        counts[kind] += weight(title)
    if counts:
        kind = max(_KINDS, key=lambda name: counts[name])
        limit = _MIN_FLASH if kind in ("consent", "wall") else _MIN_PROSE
        return _KINDS[kind][0] if prose < min(limit, max(1, counts[kind])) else None
    return _NAVIGATION if not prose and _is_navigation(lines) else None


def _is_of_links(line: PageLine) -> bool:
    """True if most of a line is links."""
    return bool(line.links) and _linked(line) > _MOST_LINKED * weight(line.text)


def _is_navigation(lines: Sequence[PageLine]) -> bool:
    """True if most of a page is links, and there are several."""
    whole = sum(weight(line.text) for line in lines)
    linked = sum(min(weight(line.text), _linked(line)) for line in lines)
    return sum(len(line.links) for line in lines) >= _MIN_LINKS and linked > _MOST_LINKED * whole


def _linked(line: PageLine) -> int:
    return sum(weight(text) for text, _ in line.links)


def _divide(line: str, size: int) -> tuple[Counter[str], int]:
    """Return the weights of the kinds of notices in a line, and of the rest without footers."""
    notices, rest = Counter[str](), 0
    for part in [line] if size <= _LONG else _sentences(line):
        if kind := _kind_of(part):
            notices[kind] += weight(part)
        elif not _NOTICE.search(part):
            rest += weight(part)
    if size < _TOO_LONG and notices.total() >= _NOTICE_SHARE * size:
        return Counter({notices.most_common(1)[0][0]: size}), 0
    return notices, rest


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for end in SENTENCE_END.finditer(line):
        yield line[start : end.end()]
        start = end.end()
    yield line[start:]


def _kind_of(text: str) -> str | None:
    """Return the kind of notice that a line or sentence is; None for footers and other text."""
    kind = next((kind for kind, (_, pattern) in _KINDS.items() if pattern.search(text[:_MAX_SENTENCE])), None)
    return None if kind == "consent" and _NOTICE.search(text) else kind


__all__ = ["shell_of"]
