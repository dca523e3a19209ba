"""Behavior of simulated sites, as data: assumptions of the simulation, explicit so that they can be disputed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from whorl._internal.frozen import frozen

NAMES = (
    *("青澜", "云泽", "松江口", "北渚", "南麓", "白渡", "石桥", "临川", "望海", "双溪", "柳堤", "沙洲"),
    *("鹤鸣", "长汀", "丹霞岭", "古渡", "雁门", "枫林", "玉泉", "清源", "晓月", "西塘", "东岭", "杏园"),
    *("梧桐", "竹海", "星湖", "月港", "桃源", "平湖"),
)


@frozen
class Dating:
    """Ways in which a site states publication times, with weights.

    A way is "exact" (to the minute), "hour" or "day" (truncated), "missing", or "later" (by hours or days). For copies
    there are also "inherited" (the time of the source), "backdated" (before the source) and "future".

    Attributes:
        originals: ways for original articles.
        copied: ways for copies.
    """

    originals: Mapping[str, float]
    copied: Mapping[str, float]


DATINGS: Mapping[str, Dating] = MappingProxyType(
    {
        "minute": Dating({"exact": 0.95, "missing": 0.05}, {"exact": 0.95, "missing": 0.05}),
        "day": Dating({"day": 0.95, "missing": 0.05}, {"day": 0.95, "missing": 0.05}),
        "careless": Dating(
            {"exact": 0.5, "hour": 0.1, "day": 0.15, "missing": 0.1, "later": 0.15},
            {"exact": 0.4, "hour": 0.1, "day": 0.15, "missing": 0.1, "later": 0.1, "inherited": 0.15},
        ),
        "false": Dating(
            {"exact": 0.7, "missing": 0.1, "later": 0.2},
            {"exact": 0.2, "missing": 0.1, "inherited": 0.25, "backdated": 0.3, "future": 0.15},
        ),
    }
)
"""A publishing system records the time to the minute, or to the day for print editions and broadcasts. Few sites set
dates by hand. Some of these forget, round, or keep pasted dates; sites that want to appear as the source, or as recent
news, falsify them."""


@frozen
class SiteHabits:
    """Behavior of one kind of site. Values are probabilities, except for ranges and the share.

    Attributes:
        share: share of all sites.
        suffix: suffix of site names.
        cycle_hours: range of update cycles.
        trust: mean trust.
        age_years: range of ages.
        honesty: a copy states its source, in the cases defined by `Habits`.
        shows_author: an original shows its author.
        keeps_author: a copy that names its source shows the author of the source; other copies rarely do.
        marks_own: an original is marked as original.
        marks_copies: a copy is falsely marked as original.
        dateline: an original begins with the name of its newsroom.
        names_itself: an original names its site as the source.
        changes_title: a copy has a new title.
        adds_boilerplate: a copy is surrounded by boilerplate.
        tricks: a copy is disguised.
        dating: ways of dating, with weights; names of `Habits.datings`.
    """

    share: float
    suffix: str
    cycle_hours: tuple[float, float]
    trust: float
    age_years: tuple[float, float]
    honesty: float
    shows_author: float
    keeps_author: float
    marks_own: float
    marks_copies: float
    dateline: float
    names_itself: float
    changes_title: float
    adds_boilerplate: float
    tricks: float
    dating: Mapping[str, float]


def _dating(minute: float, day: float, careless: float, false: float) -> Mapping[str, float]:
    return MappingProxyType({"minute": minute, "day": day, "careless": careless, "false": false})


KINDS: Mapping[str, SiteHabits] = MappingProxyType(
    {
        "paper": SiteHabits(
            *(0.25, "日报", (4, 24), 0.8, (5, 20), 0.95, 0.75, 0.4, 0.05, 0.0, 0.3, 0.45, 0.2, 0.1, 0.0),
            _dating(0.65, 0.25, 0.1, 0.0),
        ),
        "agency": SiteHabits(
            *(0.05, "通讯社", (1, 6), 0.9, (10, 25), 0.98, 0.8, 0.4, 0.05, 0.0, 0.9, 0.3, 0.1, 0.05, 0.0),
            _dating(0.8, 0.15, 0.05, 0.0),
        ),
        "portal": SiteHabits(
            *(0.2, "网", (1, 8), 0.6, (3, 20), 0.9, 0.6, 0.3, 0.05, 0.01, 0.1, 0.3, 0.35, 0.3, 0.0),
            _dating(0.72, 0.12, 0.14, 0.02),
        ),
        "platform": SiteHabits(
            *(0.2, "号", (6, 48), 0.5, (2, 10), 0.6, 0.9, 0.04, 0.45, 0.05, 0.0, 0.02, 0.4, 0.2, 0.06),
            _dating(0.8, 0.1, 0.08, 0.02),
        ),
        "scraper": SiteHabits(
            *(0.3, "资讯", (12, 120), 0.25, (0.2, 6), 0.4, 0.3, 0.06, 0.02, 0.03, 0.0, 0.05, 0.4, 0.5, 0.15),
            _dating(0.4, 0.15, 0.3, 0.15),
        ),
    }
)


@frozen
class Habits:
    """Behavior of sites towards each other, and omissions of the crawler. Values are probabilities by default.

    Attributes:
        kinds: kinds of sites.
        homes: kinds of sites that publish originals, with weights.
        copiers: kinds of sites that publish copies, with weights.
        mixed: the cluster contains a second article and a mixture of both.
        archived: the cluster comes from an archive, without sightings from the time of publication.
        unseen: the crawler never finds the original.
        one_more: there is another copy.
        from_original: a copy is made from the original; otherwise from any earlier page.
        delay_log_hours: mean logarithm of the hours until a copy is made.
        delay_spread: standard deviation of this logarithm.
        names_source: an honest copy names its source.
        names_root: it then names the original; otherwise the page that it was copied from.
        keeps_author_unnamed: factor for keeping the author in a copy that names no source.
        keeps_line: a copy that names no source keeps the source line of its source.
        lies: a copy that names no source names itself or a random site.
        keeps_dateline: a copy keeps the dateline.
        canonical: the canonical link of an honest copy points to its source.
        links: an honest copy links to its source.
        has_misprints: an original has a few misprints.
        repairs: a copy corrects the misprints of its source.
        misprints: a copy adds misprints.
        excerpt: a copy omits text.
        embeds: a copy is part of a longer article, such as a news roundup.
        author_posts_elsewhere: the author of an original on a platform also posts it on others.
        repost_hours: mean delay of these posts, in hours.
        author_is_same: these posts show the same author.
        account_is_known: the site or account of such a post is known to belong to the author.
        author_marks: these posts are marked as original.
        author_names_first: these posts name the first publication.
        datings: ways of stating times.
        false_dates: factor for the share of sites that date carelessly or falsely.
        record_is_known: earlier articles of a site were crawled, so its dating record is known.
        name_is_known: the name of a site is known.
        site_is_known: trust and age of a site are known.
        cycle_is_known: the update cycle of a site is known.
        visit_fails: a visit to a site fails, and the page is first seen at the next one.
        found_late: a page is found days or months after publication.
        has_snapshot: a snapshot of a page exists.
        loses_field: extraction loses a time or the frame of a text.
        loses_link: extraction loses a link.
    """

    kinds: Mapping[str, SiteHabits]
    homes: Mapping[str, float]
    copiers: Mapping[str, float]
    datings: Mapping[str, Dating]
    false_dates: float = 1.0
    record_is_known: float = 0.6
    mixed: float = 0.08
    archived: float = 0.15
    unseen: float = 0.08
    one_more: float = 0.65
    from_original: float = 0.6
    delay_log_hours: float = 2.5
    delay_spread: float = 1.4
    names_source: float = 0.75
    names_root: float = 0.6
    keeps_author_unnamed: float = 0.15
    keeps_line: float = 0.5
    lies: float = 0.03
    keeps_dateline: float = 0.8
    canonical: float = 0.08
    links: float = 0.2
    has_misprints: float = 0.4
    repairs: float = 0.08
    misprints: float = 0.03
    excerpt: float = 0.15
    embeds: float = 0.04
    author_posts_elsewhere: float = 0.6
    repost_hours: float = 6.0
    author_is_same: float = 0.97
    account_is_known: float = 0.7
    author_marks: float = 0.5
    author_names_first: float = 0.05
    name_is_known: float = 0.85
    site_is_known: float = 0.6
    cycle_is_known: float = 0.6
    visit_fails: float = 0.06
    found_late: float = 0.04
    has_snapshot: float = 0.3
    loses_field: float = 0.08
    loses_link: float = 0.2


HABITS = Habits(
    kinds=KINDS,
    homes=MappingProxyType({"paper": 0.45, "agency": 0.15, "portal": 0.12, "platform": 0.28}),
    copiers=MappingProxyType({"paper": 0.12, "portal": 0.38, "platform": 0.12, "scraper": 0.38}),
    datings=DATINGS,
)
"""The default behavior."""

__all__ = ["DATINGS", "HABITS", "KINDS", "NAMES", "Dating", "Habits", "SiteHabits"]
