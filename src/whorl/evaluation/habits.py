"""How invented sites behave, as data: assumptions of the simulation, written down so that they can be disputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

NAMES = (
    *("青澜", "云泽", "松江口", "北渚", "南麓", "白渡", "石桥", "临川", "望海", "双溪", "柳堤", "沙洲"),
    *("鹤鸣", "长汀", "丹霞岭", "古渡", "雁门", "枫林", "玉泉", "清源", "晓月", "西塘", "东岭", "杏园"),
    *("梧桐", "竹海", "星湖", "月港", "桃源", "平湖"),
)


@dataclass(frozen=True, slots=True)
class Dating:
    """How a site tells when an article was published: ways, by weight.

    A way is "exact", to the minute; "hour" or "day", which is cut; "missing"; "later", hours or days; and of copies
    "inherited" from what they copy, "backdated" before it, or "future".

    Attributes:
        own: of its own articles.
        copied: of its copies.
    """

    own: Mapping[str, float]
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
"""A publishing system stamps what it publishes, to the minute or, where a print edition or a broadcast counts, to the
day. Dates are set by hand on few sites: some forget, round, or keep what they paste; and those which want to be taken
for the source, or for news, set them as it suits them."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What sites of one kind do. Probabilities, but for ranges and the share.

    Attributes:
        share: of all sites.
        suffix: of their names.
        cycle_hours: the range of their update cycles.
        trust: the mean trust in them.
        age_years: the range of their ages.
        honesty: that a copy tells where it is from, where the habits ask so.
        shows_author: that an original shows its author.
        keeps_author: that a copy which names its source shows the author of what it copies; others rarely do.
        marks_own: that an original carries a mark.
        marks_copies: that a copy carries one, falsely.
        dateline: that an original begins with the name of its newsroom.
        names_itself: that an original names its own site as the source.
        changes_title: that a copy has a new title.
        adds_boilerplate: that a copy has a frame around it.
        tricks: that a copy disguises itself.
        dating: how it dates, by weight; names of `Habits.datings`.
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


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "paper": Kind(
            *(0.25, "日报", (4, 24), 0.8, (5, 20), 0.95, 0.75, 0.4, 0.05, 0.0, 0.3, 0.45, 0.2, 0.1, 0.0),
            _dating(0.65, 0.25, 0.1, 0.0),
        ),
        "agency": Kind(
            *(0.05, "通讯社", (1, 6), 0.9, (10, 25), 0.98, 0.8, 0.4, 0.05, 0.0, 0.9, 0.3, 0.1, 0.05, 0.0),
            _dating(0.8, 0.15, 0.05, 0.0),
        ),
        "portal": Kind(
            *(0.2, "网", (1, 8), 0.6, (3, 20), 0.9, 0.6, 0.3, 0.05, 0.01, 0.1, 0.3, 0.35, 0.3, 0.0),
            _dating(0.72, 0.12, 0.14, 0.02),
        ),
        "platform": Kind(
            *(0.2, "号", (6, 48), 0.5, (2, 10), 0.6, 0.9, 0.04, 0.45, 0.05, 0.0, 0.02, 0.4, 0.2, 0.06),
            _dating(0.8, 0.1, 0.08, 0.02),
        ),
        "scraper": Kind(
            *(0.3, "资讯", (12, 120), 0.25, (0.2, 6), 0.4, 0.3, 0.06, 0.02, 0.03, 0.0, 0.05, 0.4, 0.5, 0.15),
            _dating(0.4, 0.15, 0.3, 0.15),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Habits:
    """What happens between sites, and what a crawler misses. Probabilities unless said otherwise.

    Attributes:
        kinds: of sites.
        homes: where originals appear, by weight.
        copiers: where copies appear, by weight.
        mixed: that a second article and a mixture of both are in the cluster.
        archived: that the cluster is out of an archive: nobody saw its pages when they were new.
        unseen: that the crawler never finds the original.
        one_more: that there is another copy.
        from_original: that a copy is made from the original; else from any page before it.
        delay_log_hours: the mean of the logarithm of the hours until a copy is made.
        delay_spread: its standard deviation.
        names_source: that an honest copy names its source.
        names_root: that it then names the original; else the page that it was copied from.
        keeps_author_unnamed: how much rarer a copy that names no source keeps the author.
        keeps_line: that a copy which names none keeps the line of its source.
        lies: that a copy which names none names itself, or anybody.
        keeps_dateline: that a copy keeps the dateline.
        canonical: that the page of an honest copy points to its source.
        links: that an honest copy links to it.
        has_misprints: that an original has a few misprints.
        repairs: that a copy repairs those of what it copies.
        misprints: that a copy adds some.
        excerpt: that a copy leaves text out.
        embeds: that a copy is part of a longer article, such as a roundup of the day.
        author_posts_elsewhere: that the author of an original on a platform posts it on others.
        repost_hours: after how many hours, on average.
        author_is_same: that these pages show the same author.
        author_marks: that they carry a mark that they are original.
        author_names_first: that they say where it was first.
        datings: how sites tell their times.
        false_dates: how many times as many sites as usual are no honest ones in that, but "careless" or "false".
        record_is_known: that earlier articles of a site were seen, which tell how it dates.
        name_is_known: that it is known what a site is called.
        site_is_known: that trust and age of a site are known.
        cycle_is_known: that its update cycle is.
        visit_fails: that a visit to a site fails, and the next one counts.
        found_late: that a page is found days or months after its publication.
        has_snapshot: that there is a snapshot of a page.
        loses_field: that a time or the frame of a text is lost in extraction.
        loses_link: that a link is.
    """

    kinds: Mapping[str, Kind]
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
"""The usual habits."""

__all__ = ["DATINGS", "HABITS", "KINDS", "NAMES", "Dating", "Habits", "Kind"]
