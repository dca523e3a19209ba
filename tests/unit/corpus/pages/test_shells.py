"""Pages served in place of articles are rejected, each with a hint; short articles are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.articles import article

import whorl
from whorl.corpus.formats.text.whole_files import UnreadableError
from whorl.corpus.pages.extraction import extract

MENU = "<div class=nav>" + "".join(f"<a href='/{n}'>Section {n}</a> " for n in range(9)) + "</div>"
SHELLS = {
    "challenge": (
        "<title>Just a moment...</title><h1>news.example</h1><p>Checking if the site connection is secure</p>",
        (
            "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1><p>Cloudflare "
            "Ray ID: 7ab</p>"
        ),
        "<p>Please verify you are a human.</p>",
        "<title>安全验证</title><p>为了您的账号安全，请完成安全验证后继续访问。</p><p>向右滑动完成拼图</p>",
    ),
    "script": (
        f"{MENU}<p>Please enable JavaScript to view this page.</p><footer>© 2024 The Example</footer>",
        f"{MENU}<div>正在加载，请稍候……</div><div>版权所有 望江网</div>",
        f"{MENU}<p>您的浏览器禁用了JavaScript，请启用JavaScript后刷新页面。</p>",
        (
            "<p>This application requires JavaScript to run. It looks like scripts are turned off in your browser, or "
            "that an extension is blocking them. Please enable JavaScript in the settings of your browser and reload "
            "the page. If you continue to see this message, try another browser, or contact the support desk with a "
            "screenshot of this page and the version of your browser.</p>"
        ),
        "<p>Your browser is out of date. Update your browser to view this website correctly.</p>",
    ),
    "missing": (
        f"<title>404 Not Found</title>{MENU}<h1>404</h1><p>Sorry, the page you are looking for has been moved.</p>",
        f"<title>404</title>{MENU}<p>很抱歉，您访问的页面不存在！</p><p>5秒后自动跳转到首页</p>",
        "<p>该内容已被发布者删除</p>",
        "<title>502 Bad Gateway</title><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>",
    ),
    "wall": (
        f"{MENU}<h1>Log in</h1><p>Please log in to continue reading this article.</p><p>Forgot your password?</p>",
        (
            f"{MENU}<p>This article is available to subscribers only. Cancel any time.</p><p>Already a "
            f"subscriber? Sign in.</p>"
        ),
        f"{MENU}<p>请先登录后再查看全文</p><p>没有账号？立即注册</p>",
        (
            "<p>您今天的免费阅读次数已经用完，开通会员后可继续阅读全文。会员每月二十元，随时可以取消。会员可以阅读全部专题和往期杂志，"
            "并可把文章赠送给十位好友。已有账号的读者请先登录，登录后即可查看剩余内容。新用户可以领取七天体验。"
            "机构读者请联系所在单位的图书馆，由图书馆统一开通。如有疑问，请在工作日拨打客服电话。</p>"
        ),
    ),
    "gate": (
        "<h1>Are you over 18?</h1><p>You must be 18 years or older to enter this site.</p><a href=/y>Yes</a>",
        "<p>This content is not available in your region.</p>",
    ),
    "consent": (
        (
            "<h1>Before you continue</h1><p>We use cookies and data to deliver our services and to measure "
            "the effect of ads.</p>"
            "<p>If you choose “Accept all”, we and our partners also use cookies to show personalized content.</p>"
        ),
        (
            "<p>We and our 412 partners store and access information on your device, such as cookies and unique "
            "identifiers. Your personal data may be used for personalised advertising and content, measurement and "
            "research. With your permission we may use precise geolocation data. You may accept all, or manage your "
            "preferences at any time by returning to this site. Some processing may not require your consent, but "
            "you have a right to object to it.</p>"
        ),
        "<p>Ihre Einwilligung in Cookies können Sie jederzeit widerrufen. Details stehen im Datenschutz.</p>",
    ),
    "archive": (
        "<title>Wayback Machine</title><p>The Wayback Machine has not archived that URL.</p>",
        (
            "<p>Loading...</p><p>http://news.example/1 | 10:02:03 May 02, 2020</p><p>Got an HTTP 302 response at "
            "crawl time</p>"
        ),
    ),
    "navigation": (MENU, MENU + "".join(f"<a href=/{n}>A headline about matter {n}</a>" for n in range(20))),
}
HINTS = {
    "challenge": "the page is only a CAPTCHA: open it in a browser and save it from there",
    "script": "the text of the page is rendered by a script: save it again from a browser that shows it",
    "missing": "the page only says that the article was not found: fetch it again, or remove it from the input",
    "wall": "the page only asks readers to sign in or to pay: save it again from where you are signed in",
    "gate": "the page only asks for the age or region of its reader: answer in a browser and save it from there",
    "consent": "the page only asks for consent to cookies: give it in a browser and save the page from there",
    "archive": "the page is the frame of a web archive without the archived page: fetch that page again",
    "navigation": "the page is only navigation, it has links and no text: remove it from the input",
}
FEW_WORDS = (
    "<b>停水</b>通知<br>明天<p>恢复</p>",
    "<h1>快讯</h1><p>昨天下午三点，长河大桥东侧两条车道封闭，车辆改走西侧。</p><div>我们使用Cookie改善体验</div>",
    "<h1>静夜思</h1><p>床前明月光，疑是地上霜。</p><p>举头望明月，低头思故乡。</p>",
    f"{MENU}<h1>Blue kettle</h1><p>Holds 1.5 litres.</p><p>Price: 20 EUR</p>",
    (
        "<h1>Rules on cookies</h1><p>The county ends cookie banners on its sites. Members will vote on the "
        "matter in June.</p>"
        "<p>Critics say that browsers should decide instead, and that the market is changing anyway.</p>"
    ),
    (
        "<h1>Scripts</h1><p>Open the settings of your browser and choose the section on content, to enable "
        "JavaScript there.</p>"
        "<p>A switch for scripts is at the end of the list, and it has to be on for most of the shops in town.</p>"
        "<p>Then restart the program and load the page again, which takes a few seconds.</p>"
    ),
    (
        "<h1>资费比较</h1><p>两家公司从下月起调整资费，市区通话每分钟降到两角。月租仍是五十元，来电显示另收六元。"
        "开通会员的用户，通话满两百分钟送三十分钟，换套餐时手机号不变。算下来，每月通话不到两百分钟的人用预付费卡更省，"
        "超过三百分钟的人用包月更省。长途电话多的人还要看时段，晚上九点以后的长途只收一半，周末全天按夜间计费。"
        "营业厅的人说，想换的用户带上证件去办，当天生效，旧卡里的余额可以转到新卡。"
        "住在北岸的老人多半只接不打，每月十元的套餐最合适，子女替他们在网上也能换。</p>"
    ),
    (
        "<h1>Passwords</h1><p>The council has lost a laptop with the names of four hundred pupils. It was taken from "
        "a car outside the offices on Friday night. Parents were asked on Monday to change the password of the school "
        "portal and to create an account with two factors. A spokeswoman said that the disk was encrypted and that "
        "nobody had tried to sign in to view marks or reports since then. The police are looking for two men who were "
        "seen in the car park shortly before midnight. The school will hold a meeting for parents next week.</p>"
    ),
)


@pytest.mark.parametrize(("kind", "body"), [(kind, body) for kind, bodies in SHELLS.items() for body in bodies])
def test_a_shell_is_set_aside_with_its_hint(kind: str, body: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        extract(f"<!DOCTYPE html><html><body>{body}</body></html>".encode(), dated=False)
    assert str(refused.value.reason) == HINTS[kind]


@pytest.mark.parametrize("body", FEW_WORDS)
def test_a_page_of_few_words_is_none(body: str) -> None:
    assert extract(f"<!DOCTYPE html><html><body>{body}</body></html>".encode(), dated=False).text


def test_a_banner_beside_an_article_makes_no_shell() -> None:
    banners = (
        "<div>We use cookies. Accept all</div><noscript>Enable JavaScript</noscript><div>Already a subscriber?</div>"
    )
    extracted = extract(
        f"<html><body>{banners}<article><p>{article(1)}</p></article></body></html>".encode(), dated=False
    )
    assert article(1) in extracted.text


def test_a_state_that_is_code_is_not_executed() -> None:
    code = f"<script>window.__NUXT__=(function(a){{return {{text:a}}}}({json.dumps(article(1))}))</script>"
    with pytest.raises(UnreadableError) as refused:
        extract(f"<html><body>{MENU}<div>Loading…</div>{code}</body></html>".encode(), dated=False)
    assert str(refused.value.reason) == HINTS["script"]


def test_shells_of_a_site_are_counted_and_no_copies(tmp_path: Path) -> None:
    bodies = [body for bodies in SHELLS.values() for body in bodies]
    for number, body in enumerate(bodies + bodies):
        (tmp_path / f"{number}.html").write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
    (tmp_path / "article.html").write_text(f"<html><body><p>{article(1)}</p></body></html>", encoding="utf-8")
    counts = whorl.dedup_files(tmp_path, tmp_path.parent / "out").run["counts"]
    assert (counts["kept"], counts["duplicates"], counts["rejected"]) == (1, 0, 2 * len(bodies))
