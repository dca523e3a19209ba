"""Kinds of pages of a scenario: copies, permitted reprints, and pages that copy nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import timedelta

from tests.articles import edited
from tests.homophones import with_homophones
from tests.scenarios.clock import noon
from tests.scenarios.scenario import AUTHOR, CHINA, Claim, Grant, Handling, Place, Scenario, utc, written
from tests.scenarios.texts import Texts
from tests.scenarios.web import FORBIDDEN, Version

_A_SECOND = timedelta(seconds=1)
_HOSTS = 3
"""Number of hosts: sites share them, as on large platforms. The watch starts processes for each host."""


def scenario(sites: int, days: int, seed: int) -> Scenario:
    """Return a scenario with all kinds of pages, spread over sites."""
    rng = random.Random(seed)
    zones = ("Asia/Shanghai", "America/New_York", "Asia/Shanghai", "Asia/Shanghai")
    places = [
        Place(f"127.0.1.{number % _HOSTS + 1}", f"/site-{number}", zones[number // _HOSTS % len(zones)])
        for number in range(sites)
    ]
    planted = Scenario(days, places, rng, Texts(seed))
    _innocent_pages(planted)
    kinds = [*_KINDS] * max(1, round(3 * sites / len(_KINDS)))
    for place, kind in enumerate(kinds):
        kind(planted, places[place % sites])
    return planted


def _start(planted: Scenario) -> int:
    return planted.rng.randint(1, max(1, planted.days // 5))


def _steps(planted: Scenario) -> tuple[int, int, int]:
    """Return days on which a page appears, changes, and changes again."""
    gap = max(2, planted.days // 4)
    first = _start(planted)
    return first, first + planted.rng.randint(2, gap), first + gap + planted.rng.randint(2, gap)


def _whole(planted: Scenario, site: Place) -> None:
    planted.publish(site, "whole", {_start(planted): Version(planted.protect().text)})


def _byline(planted: Scenario, site: Place) -> None:
    day, text = _start(planted), f"作者：{AUTHOR}\n{planted.protect().text}"
    at = noon(day) - timedelta(hours=2)
    planted.publish(site, "byline", {day: Version(text)}, claim=Claim((at, at + _A_SECOND), AUTHOR))


def _edited(planted: Scenario, site: Place) -> None:
    text = planted.protect().text
    copy = edited(text.replace("\n", ""), len(text) // 25, seed=planted.rng.randrange(99))
    planted.publish(site, "edited", {_start(planted): Version(copy)})


def _disguised(planted: Scenario, site: Place) -> None:
    text = planted.protect().text
    disguises: tuple[Callable[[], str], ...] = (
        lambda: "\u200b".join(text),
        lambda: with_homophones(text, 0.08, planted.rng.randrange(99)),
    )
    planted.publish(site, "disguised", {_start(planted): Version(planted.rng.choice(disguises)())})


def _partner(planted: Scenario, site: Place) -> None:
    page = planted.publish(site, "partner", {_start(planted): Version(planted.protect().text)})
    planted.grants.append(Grant(site.host, page.path))


def _path_of_partner(planted: Scenario, site: Place) -> None:
    planted.grants.append(Grant(site.host, f"{site.path}/column"))
    text = planted.protect().text
    planted.publish(site, "column", {_start(planted): Version(text)})
    planted.publish(site, "columnist", {_start(planted): Version(text)})


def _ended_permission(planted: Scenario, site: Place) -> None:
    end = planted.days // 2
    early = planted.publish(site, "contract", {1: Version(planted.protect().text)})
    late = planted.publish(site, "contract", {end + 1: Version(planted.protect().text)})
    planted.grants += [Grant(site.host, page.path, until=end) for page in (early, late)]


def _late_permission(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    page = planted.publish(site, "late", {first: Version(planted.protect().text)})
    planted.grants.append(Grant(site.host, page.path, day=second))


def _claimed_permission(planted: Scenario, site: Place) -> None:
    day = _start(planted)
    at = noon(day) - timedelta(hours=2)
    claim = Claim((at, at + _A_SECOND), "李合作")
    article = planted.protect(planted.texts.article(is_signed=False))
    page = planted.publish(site, "claimed", {day: Version(article.text)}, claim=claim)
    planted.grants.append(Grant(site.host, page.path, "李合作"))


def _early_date(planted: Scenario, site: Place) -> None:
    article = planted.protect()
    at = article.bounds[0] - timedelta(days=2)
    claim = Claim((at, at + _A_SECOND))
    planted.publish(site, "early", {_start(planted): Version(article.text)}, claim=claim)


def _contradicted_date(planted: Scenario, site: Place) -> None:
    """A page claims a day on which the site was visited, and is found four days later."""
    article = planted.protect(at=noon(3), day=4)
    at = noon(1)
    planted.publish(site, "contradicted", {5: Version(article.text)}, claim=Claim((at, at + _A_SECOND)))


def _attested(planted: Scenario, site: Place) -> None:
    at = noon(-9)
    article = planted.protect(at=at, attested_at=at - timedelta(days=3))
    claimed = at - timedelta(days=1)
    claim = Claim((claimed, claimed + _A_SECOND))
    planted.publish(site, "attested", {_start(planted): Version(article.text)}, claim=claim)


def _zones(planted: Scenario, site: Place) -> None:
    """The article was published at midnight UTC, 08:00 in Beijing."""
    published = utc(2026, 2, 26)
    offset = _offset(site)
    for minutes in (-90, 90):
        article = planted.protect(at=published)
        at = published + timedelta(minutes=minutes)
        stated = (at + offset).replace(tzinfo=None).isoformat(" ", "seconds")
        claim = Claim((at, at + _A_SECOND))
        planted.publish(site, "zones", {_start(planted): Version(article.text)}, claim=claim, stated=stated)


def _offset(site: Place) -> timedelta:
    return timedelta(hours=-5) if site.zone == "America/New_York" else CHINA


def _day_without_time(planted: Scenario, site: Place) -> None:
    article = planted.protect(at=utc(2026, 2, 26, 0, 30))
    offset = _offset(site)
    begin = utc(2026, 2, 26) - offset
    claim = Claim((begin, begin + timedelta(days=1)))
    planted.publish(site, "day", {_start(planted): Version(article.text)}, claim=claim, stated="2026-02-26")


def _canonical_to_itself(planted: Scenario, site: Place) -> None:
    head = f'<link rel="canonical" href="/original/{planted.rng.randrange(10**6)}.html">'
    planted.publish(site, "itself", {_start(planted): Version(planted.protect().text, head)})


def _canonical_to_neighbour(planted: Scenario, site: Place) -> None:
    neighbour = planted.publish(site, "neighbour", {0: Version(planted.texts.article())})
    planted.innocent.add((site.host, neighbour.path))
    head = f'<link rel="canonical" href="{neighbour.path}">'
    planted.publish(site, "blaming", {_start(planted): Version(planted.protect().text, head)})


def _canonical_to_original(planted: Scenario, site: Place) -> None:
    head = '<link rel="canonical" href="https://ours.example/original.html">'
    planted.publish(site, "dutiful", {_start(planted): Version(planted.protect().text, head)})


def _removed(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    article = planted.protect()
    status = planted.rng.choice((404, 410, 451))
    page = planted.publish(site, "removed", {first: Version(article.text), second: Version(status=status)})
    planted.handle(page, article, Handling(second, "notice"))


def _returned(planted: Scenario, site: Place) -> None:
    first, second, third = _steps(planted)
    page = Version(planted.protect().text)
    planted.publish(site, "returned", {first: page, second: Version(status=404), third: page})


def _moved(planted: Scenario, site: Place) -> None:
    first, second, third = _steps(planted)
    page = Version(planted.protect().text)
    planted.publish(site, "moved", {first: page, second: Version(status=302, to=f"{site.path}/"), third: page})


def _replaced(planted: Scenario, site: Place) -> None:
    first, second, third = _steps(planted)
    text = planted.protect().text
    versions = {first: Version(text), second: Version(planted.texts.article()), third: Version(text)}
    planted.publish(site, "replaced", versions)


def _unreachable(planted: Scenario, site: Place) -> None:
    first, second, third = _steps(planted)
    page = Version(planted.protect().text)
    status = planted.rng.choice((503, FORBIDDEN))
    planted.publish(site, "unreachable", {first: page, second: Version(page.text, status=status), third: page})


def _shortened(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    text = planted.protect().text
    planted.publish(site, "shortened", {first: Version(text), second: Version(text[: len(text) * 3 // 4])})


def _decorated(planted: Scenario, site: Place) -> None:
    """Other text of the page changes: below the article, or a line of it."""
    first, second, third = _steps(planted)
    text = planted.protect().text
    foot = "<footer><p>相关阅读</p></footer>"
    versions = {first: Version(text), second: Version(text, foot=foot), third: Version(f"{text}\n编辑：赵二")}
    planted.publish(site, "decorated", versions)


def _round_up(planted: Scenario, site: Place) -> None:
    stories = [planted.protect().text for _ in range(3)]
    article = planted.texts.article()
    planted.publish(site, "round-up", {_start(planted): Version("\n".join([article[:150], *stories]))})


def _excerpts(planted: Scenario, site: Place) -> None:
    stories = [planted.protect().text[:100] for _ in range(3)]
    article = planted.texts.article()
    page = planted.publish(site, "excerpts", {_start(planted): Version("\n".join([article, *stories]))})
    planted.innocent.add((site.host, page.path))


def _account(planted: Scenario, site: Place) -> None:
    page = planted.publish(site, "account", {_start(planted): Version(planted.protect().text)})
    planted.accounts.append((site.host, page.path))


def _rejected(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    article = planted.protect()
    page = planted.publish(site, "rejected", {first: Version(article.text)})
    planted.handle(page, article, Handling(second, "decision", "rejected"))


def _confirmed(planted: Scenario, site: Place) -> None:
    """An early date makes the copy undetermined, until a person decides."""
    first, second, _ = _steps(planted)
    article = planted.protect()
    at = article.bounds[0] - timedelta(days=1)
    page = planted.publish(site, "confirmed", {first: Version(article.text)}, claim=Claim((at, at + _A_SECOND)))
    planted.handle(page, article, Handling(second, "decision", "confirmed"))


def _authorized(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    article = planted.protect()
    page = planted.publish(site, "authorized", {first: Version(article.text)})
    planted.handle(page, article, Handling(second, "decision", "authorised"))


def _closed(planted: Scenario, site: Place) -> None:
    first, second, third = _steps(planted)
    article = planted.protect()
    versions = {first: Version(article.text), second: Version(status=410), third: Version(article.text)}
    page = planted.publish(site, "closed", versions)
    planted.handle(page, article, Handling(first + 1, "notice"), Handling(third - 1, "closed"))


def _two_pages(planted: Scenario, site: Place) -> None:
    text, day = planted.protect().text, _start(planted)
    middle = len(text) // 2
    path = f"{site.path}/pages/{len(planted.web.pages)}"
    foot = f'<a href="{path}_2.html">下一页</a>'
    first = planted.publish(site, "pages", {day: Version(text[:middle], foot=foot)}, path=f"{path}.html")
    second = planted.publish(site, "pages", {day: Version(text[middle:])}, path=f"{path}_2.html", is_linked=False)
    planted.parts[site.host, first.path] = second.path


def _added_later(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    planted.publish(site, "before", {first: Version(planted.protect(day=second).text)})


def _turned_copy(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    versions = {first: Version(planted.texts.article()), second: Version(planted.protect().text)}
    planted.publish(site, "turned", versions)


def _withdrawn_permission(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    page = planted.publish(site, "withdrawn", {first: Version(planted.protect().text)})
    planted.grants.append(Grant(site.host, page.path, withdrawn=second))


def _successor(planted: Scenario, site: Place) -> None:
    """The address of a copy has a copy of another article later."""
    first, second, _ = _steps(planted)
    versions = {first: Version(planted.protect().text), second: Version(planted.protect().text)}
    planted.publish(site, "successor", versions)


def _smaller_round_up(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    stories = [planted.protect().text for _ in range(3)]
    versions = {first: Version("\n".join(stories)), second: Version("\n".join(stories[1:]))}
    planted.publish(site, "smaller", versions)


def _counter(planted: Scenario, site: Place) -> None:
    text = planted.protect().text
    feet = {day: f"<footer><p>阅读 {day * 37} 次</p></footer>" for day in range(_start(planted), planted.days)}
    planted.publish(site, "counter", {day: Version(text, foot=foot) for day, foot in feet.items()})


def _disguised_later(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    text = planted.protect().text
    planted.publish(site, "hiding", {first: Version(text), second: Version("\u200b".join(text))})


def _backdated(planted: Scenario, site: Place) -> None:
    """A copy that was found states an earlier date later."""
    first, second, _ = _steps(planted)
    article = planted.protect()
    early = written(article.bounds[0] - timedelta(days=3))
    versions = {first: Version(article.text), second: Version(article.text, stated=early)}
    planted.publish(site, "backdated", versions)


def _moved_on(planted: Scenario, site: Place) -> None:
    """A copy moves to another address, to which the old one redirects."""
    first, second, _ = _steps(planted)
    page = Version(planted.protect().text)
    to = planted.publish(site, "new", {second: page}, is_linked=False)
    planted.publish(site, "old", {first: page, second: Version(status=301, to=to.path)})


def _mirrors(planted: Scenario, site: Place) -> None:
    page = Version(planted.protect().text)
    for _ in range(2):
        planted.publish(site, "mirror", {_start(planted): page})


def _missing_with_status_200(planted: Scenario, site: Place) -> None:
    first, second, third = _steps(planted)
    page = Version(planted.protect().text)
    planted.publish(site, "soft", {first: page, second: Version("您访问的页面不存在。"), third: page})


def _interrupted(planted: Scenario, site: Place) -> None:
    first, second, third = _steps(planted)
    page = Version(planted.protect().text)
    versions = {first: page, second: Version(status=404), second + 1: Version(planted.texts.article()), third: page}
    planted.publish(site, "interrupted", versions)


def _editions(planted: Scenario, site: Place) -> None:
    """Two protected articles are editions of each other."""
    article = planted.protect()
    planted.protect(article.text + "\n" + planted.texts.article()[:90])
    planted.publish(site, "editions", {_start(planted): Version(article.text)})


def _settled(planted: Scenario, site: Place) -> None:
    first, second, _ = _steps(planted)
    article = planted.protect()
    page = planted.publish(site, "settled", {first: Version(article.text)})
    planted.handle(page, article, Handling(second, "closed"))


_KINDS: tuple[Callable[[Scenario, Place], None], ...] = (
    *(_whole, _byline, _edited, _disguised, _partner, _path_of_partner, _ended_permission, _late_permission),
    *(_claimed_permission, _early_date, _contradicted_date, _attested, _zones, _day_without_time),
    *(_canonical_to_itself, _canonical_to_neighbour, _canonical_to_original, _removed, _returned, _moved, _replaced),
    *(_unreachable, _shortened, _decorated, _round_up, _excerpts, _account, _rejected, _confirmed, _authorized),
    *(_closed, _two_pages, _added_later, _turned_copy, _withdrawn_permission, _successor, _smaller_round_up, _counter),
    *(_disguised_later, _backdated, _moved_on, _mirrors, _missing_with_status_200, _interrupted, _editions, _settled),
)


def _innocent_pages(planted: Scenario) -> None:
    """Add pages with text of their own to every site, also on topics of protected articles, with quotations of them,
    and with announcements and notices that are in protected articles as well."""
    notice, announcement = planted.texts.passage(130), planted.texts.passage(200)
    articles = [planted.protect() for _ in range(6)]
    for added in (notice, notice, notice, notice, announcement):
        planted.protect(f"{planted.texts.article()}\n{added}")
    for place, site in enumerate(planted.places):
        article = articles[place % len(articles)]
        texts = [
            planted.texts.article(),
            planted.texts.on_topic(article.text),
            f"{planted.texts.article()}\n{notice}",
            _quoting(planted.texts.article(), article.text.replace("\n", "")),
        ]
        if place % 2:
            texts.append(f"{announcement}\n{planted.texts.article()}")
        for text in texts:
            page = planted.publish(site, "innocent", {planted.rng.randrange(planted.days // 2): Version(text)})
            planted.innocent.add((site.host, page.path))


def _quoting(text: str, quoted: str) -> str:
    start = len(quoted) // 3
    return f"{text}\n《渡口日报》此前报道称：“{quoted[start : start + 90]}”"


def pages_of(planted: Scenario) -> Iterator[tuple[str, str]]:
    """Yield host and path of the pages that are judged: the first ones of their articles."""
    seconds = {(host, path) for (host, _), path in planted.parts.items()}
    yield from (key for key in planted.web.pages if key not in seconds)


__all__ = ["pages_of", "scenario"]
