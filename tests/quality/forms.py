"""Generated texts that resemble each other without being copies: forms, alias pages, laws, licences; and their copies.

They are derived from the names of families and fixed seeds. The rows have the fields of the sets in ``WHORL_DATA``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from tests.articles import NEWSROOM
from tests.quality.corpora import lines

from whorl.evaluation.mutations import mutate

Row = dict[str, Any]

_HAN = re.compile("[一-鿿]")
_EVENTS = 24
_COPIES = 3
_SURNAMES = ["沈", "钟", "卢", "童", "柏", "邬", "褚", "尹", "屠", "麦", "匡", "谷"]
_NAMES = ["启明", "素芬", "怀远", "玉兰", "长庚", "若水", "廷芳", "树德", "秋月", "维桢", "国梁", "淑仪"]
_PLACES = ["青澜", "霜川", "北渡", "鹤汀", "盐仓", "云岫", "桐墟", "澄江", "柳浦", "石堰", "南屏", "望津"]
_PEOPLE = [
    "Amos Birk",
    "Lena Forss",
    "Piet Halder",
    "Ruth Okell",
    "Silas Venn",
    "Dora Quist",
    "Hugo Marsh",
    "Ines Calder",
]
_TOWNS = ["Vesterholm", "Ulm Halt", "Kestrel Bay", "Dunmarrow", "Ashfell", "Port Ilder", "Greywick", "Saltney"]


def forms() -> list[Row]:
    """Return forms for different events, and a few true copies: ``id``, ``family``, ``copy_of`` and ``text``."""
    rows: list[Row] = []
    for family, fill in _FORMS.items():
        random = Random(family)
        events = [
            {"id": f"{family}-{number}", "family": family, "copy_of": None, "text": fill(random)}
            for number in range(_EVENTS)
        ]
        rows += events
        rows += [
            event | {"id": f"{event['id']}-copy", "copy_of": event["id"], "text": _reposted(event["text"])}
            for event in events[:_COPIES]
        ]
    return rows


def _reposted(text: str) -> str:
    """Return the same form behind a few words of the person who reposts it."""
    return f"转发：{text}" if _HAN.search(text) else f"Shared from our page. {text}"


def _weather(random: Random) -> str:
    low = random.randint(-12, 24)
    return (
        f"{random.choice(_PLACES)}市气象台{random.randint(1, 12)}月{random.randint(1, 28)}日"
        f"{random.randint(4, 20)}时发布："
        f"今天白天到夜间，全市{random.choice(['晴', '多云转阴', '小雨', '中雨转多云', '雾', '阵雪'])}，"
        f"{random.choice(['东', '西', '南', '北', '东北', '西南'])}风{random.randint(1, 3)}到{random.randint(4, 7)}级，"
        f"最低气温{low}℃，最高气温{low + random.randint(4, 11)}℃，相对湿度{random.randint(20, 60)}%到"
        f"{random.randint(61, 99)}%。气象台提醒市民，早晚温差较大，外出请及时增减衣物；雨雾天气路面湿滑，"
        "驾车请减速慢行，保持车距，注意交通安全。"
    )


def _earthquake(random: Random) -> str:
    place, county = random.sample(_PLACES, 2)
    return (
        f"据地震台网测定，{random.randint(1, 12)}月{random.randint(1, 28)}日{random.randint(0, 23)}时"
        f"{random.randint(0, 59)}分在{place}市{county}县（北纬{random.uniform(22, 42):.2f}度，东经"
        f"{random.uniform(85, 125):.2f}度）发生{random.uniform(3, 5.9):.1f}级地震，"
        f"震源深度{random.randint(5, 80)}公里。"
        f"震中附近的居民有明显震感，截至发稿时未接到人员伤亡和房屋倒塌的报告，当地已派出{random.randint(3, 30)}支队伍"
        "前往震中核实灾情，供水、供电、通信和道路一切正常。"
    )


def _obituary(random: Random) -> str:
    name, born = f"{random.choice(_SURNAMES)}{random.choice(_NAMES)}", random.randint(1925, 1950)
    return (
        f"{random.choice(_PLACES)}大学退休教授{name}同志，因病医治无效，于{random.randint(2019, 2026)}年"
        f"{random.randint(1, 12)}月{random.randint(1, 28)}日{random.randint(0, 23)}时在{random.choice(_PLACES)}逝世，"
        f"享年{random.randint(72, 98)}岁。{name}同志{born}年{random.randint(1, 12)}月出生于{random.choice(_PLACES)}，"
        f"{born + random.randint(20, 28)}年参加工作。遵照逝者生前遗愿，丧事从简，不举行告别仪式，不收花圈和挽金。"
        "谨此讣告，并向多年来关心他的同事、学生和亲友表示衷心的感谢。"
    )


def _job(random: Random) -> str:
    post = random.choice(["clerk", "gardener", "driver", "librarian"])
    month = random.choice(["March", "May", "July", "October"])
    return (
        f"{random.choice(_TOWNS)} Council is looking for a {post} to start on {random.randint(1, 28)} {month}. The "
        f"post is for {random.randint(12, 40)} hours a week at {random.randint(11, 29)}.{random.randint(10, 99)} an "
        f"hour, with {random.randint(20, 33)} days of leave. Please send your application to {random.choice(_PEOPLE)}, "
        f"room {random.randint(1, 400)}, by noon on the last day of the month. We welcome applications from everybody, "
        "whatever their age or background, and will let you know in writing whether you are invited to an interview."
    )


def _earnings(random: Random) -> str:
    company = f"{random.choice(_TOWNS)} {random.choice(['Foods', 'Mills', 'Freight', 'Glass'])}"
    income, before = (f"{random.randint(2, 99)}.{random.randint(0, 9)}" for _ in range(2))
    sales = random.randint(20, 900)
    return (
        f"{company} Inc said net income for the quarter was {income} million dlrs, or {random.randint(10, 400)} cts a "
        f"share, against {before} million, or {random.randint(10, 400)} cts, a year before. Sales were "
        f"{sales}.{random.randint(0, 9)} million against {sales + random.randint(1, 60)} million. The company said "
        "that results include a gain from the sale of property, and that all figures of the year before were restated "
        "to reflect a change in the method of accounting for inventories."
    )


_FORMS: dict[str, Callable[[Random], str]] = {
    "weather": _weather,
    "earthquake": _earthquake,
    "obituary": _obituary,
    "job": _job,
    "earnings": _earnings,
}


def alias_pages() -> list[Row]:
    """Return pages about a command that is an alias of another: ``id``, ``lang``, ``group`` and ``text``."""
    return [
        {"id": f"{language}-{number}", "lang": language, "group": str(number), "text": page.format(a=alias, b=command)}
        for language, page in _ALIAS_PAGES.items()
        for number, (alias, command) in enumerate(_commands())
    ]


_ALIAS_PAGES = {
    "en": "# {a}\n\n> Another name of `{b}`.\n\n- Show the page of the command that it stands for:\n\n`manual {b}`\n",
    "pl": "# {a}\n\n> Inna nazwa polecenia `{b}`.\n\n- Pokaż stronę polecenia źródłowego:\n\n`manual {b}`\n",
    "zh": "# {a}\n\n> 这是 `{b}` 命令的另一个名称。\n\n- 显示原命令的手册页：\n\n`manual {b}`\n",
}


def _commands() -> Iterator[tuple[str, str]]:
    random = Random("commands")
    syllables = [
        "ba",
        "cor",
        "dex",
        "fin",
        "gol",
        "hup",
        "jat",
        "lim",
        "nok",
        "pre",
        "qua",
        "rin",
        "sto",
        "tug",
        "vel",
        "wix",
        "yar",
        "zon",
    ]
    for _ in range(60):
        yield "".join(random.sample(syllables, 2)), " ".join("".join(random.sample(syllables, 2)) for _ in range(2))


def laws() -> tuple[list[Row], list[Row]]:
    """Return local regulations (``id``, ``title``, ``text``), and pairs (``a``, ``b``, ``relation``, ``earlier``).

    Regulations on one subject share two thirds of their articles, with the name of the other place. Every third
    one has an amended version.
    """
    rows: list[Row] = []
    pairs: list[Row] = []
    for subject in _SUBJECTS:
        common = [_article(Random(f"{subject}/{number}")) for number in range(12)]
        for place in _PLACES:
            random = Random(f"{place}/{subject}")
            articles = common + [_article(random) for _ in range(6)]
            random.shuffle(articles)
            name = f"{place}市{subject}条例"
            rows.append(
                {"id": name, "title": name, "text": _law(place, subject, articles, 2012 + random.randint(0, 5))}
            )
            if len(rows) % 3 == 0:
                later = f"{name}-later"
                amended = _amended(articles, random)
                text = _law(place, subject, amended, 2020 + random.randint(0, 5))
                rows.append({"id": later, "title": name, "text": text})
                ends = (name, later) if random.random() < 0.5 else (later, name)
                pairs.append({"a": ends[0], "b": ends[1], "relation": "version", "earlier": name})
    return rows, pairs


_SUBJECTS = ("渡口安全管理", "海盐资源保护", "老城墙保护", "夜间摊位管理", "灌溉用水管理")
_ACTORS = ["经营者", "所有权人", "使用单位", "施工单位", "运输企业", "管理机构", "镇人民政府", "行业协会", "承包人"]
_OBJECTS = [
    "渡船",
    "盐田",
    "城墙砖石",
    "摊位",
    "水渠",
    "闸门",
    "仓库",
    "码头",
    "标志牌",
    "监测设备",
    "防护林",
    "作业场所",
]
_ACTIONS = ["登记", "报送", "检修", "公示", "备案", "移交", "封存", "清点", "年检", "补种"]
_CONDITIONS = [
    "汛期到来之前",
    "停止使用以后",
    "发现损坏的",
    "变更用途的",
    "遇有大风大雾的",
    "连续两年未使用的",
    "列入保护名录的",
]


def _article(random: Random) -> str:
    actor, other = random.sample(_ACTORS, 2)
    things = random.sample(_OBJECTS, 2)
    actions = random.sample(_ACTIONS, 2)
    days, nearest, tenths = random.randint(3, 60), random.randint(5, 200), random.randint(2, 8)
    low, high = random.randint(2, 50), random.randint(51, 300)
    duty = (
        f"{random.choice(_CONDITIONS)}，{actor}应当在{days}日内将{things[0]}的有关情况向{{place}}市主管部门{actions[0]}，"
        f"并会同{other}对{things[1]}进行{actions[1]}。"
    )
    ban = (
        f"{actor}不得擅自占用、拆除或者出租{things[0]}。违反规定的，由{{place}}市主管部门责令限期改正，"
        f"处{low}百元以上{high}百元以下罚款；拒不{actions[0]}的，暂扣{things[1]}。"
    )
    right = (
        f"{things[0]}距离{things[1]}不足{nearest}米的，{actor}可以委托{other}代为{actions[0]}，"
        f"所需费用由{{place}}市财政承担{tenths}成，其余由双方协商；协商不成的，依法{actions[1]}。"
    )
    return random.choice((duty, ban, right))


def _law(place: str, subject: str, articles: Sequence[str], year: int) -> str:
    numbered = [f"第{number}条 {article.format(place=place)}" for number, article in enumerate(articles, 2)]
    purpose = f"第1条 为了加强{subject}，维护公共利益，根据有关法律、法规，结合{place}市实际，制定本条例。"
    passed = f"（{year}年{year % 12 + 1}月{year % 27 + 1}日{place}市人民代表大会常务委员会会议通过）"
    last = f"第{len(articles) + 2}条 本条例自{year + 1}年1月1日起施行。"
    return "\n".join([passed, purpose, *numbered, last])


def _amended(articles: Sequence[str], random: Random) -> list[str]:
    """Return the same articles except for one repealed, one new, and two rewritten."""
    amended = list(articles)
    amended[random.randrange(3, 8)] = _article(random)
    amended[random.randrange(9, 14)] = _article(random)
    del amended[-3]
    amended.insert(2, _article(random))
    return amended


def revisions() -> list[tuple[str, str]]:
    """Return articles of the example, and each without a fifth of its sentences and with some words changed."""
    return [(text, mutate(mutate(text, "drop20", 0).text, "typo1", 0).text) for text in _originals()]


def retellings() -> list[tuple[str, str]]:
    """Return articles of the example, and two independent accounts of the same events."""
    texts = {row["id"]: row["text"] for row in lines(NEWSROOM / "originals.jsonl")}
    retold = lines(NEWSROOM / "rewrites.jsonl")
    return [
        (
            texts[row["of"]],
            ("" if row["of"].startswith("zh") else " ").join(sentence["copy"] for sentence in row["sentences"]),
        )
        for row in retold
    ]


def degrees() -> list[Row]:
    """Return articles with more and more of their words replaced, throughout or in the second part only."""
    rows = []
    for base, text in enumerate(_originals()):
        language = "zh" if _HAN.search(text) else "en"
        for share in (0.1, 0.2, 0.3, 0.4):
            edited = _replaced(text, 0.0, share)
            rows.append({"lang": language, "base": base, "kind": f"{share} edited", "a": text, "b": edited})
        for share in (0.3, 0.4, 0.5, 0.6):
            kind = f"verbatim 0.5 then {share} edited"
            rows.append({"lang": language, "base": base, "kind": kind, "a": text, "b": _replaced(text, 0.5, share)})
    return rows


_UNIT = re.compile("[一-鿿]{2}|[A-Za-z]+")


def _replaced(text: str, start: float, share: float) -> str:
    """Replace a share of the words behind ``start`` evenly; a larger share includes the words of a smaller one."""
    is_english = _HAN.search(text) is None
    pool = [unit for other in _originals() for unit in _UNIT.findall(other) if unit.isascii() == is_english]
    begin = int(start * len(text))
    random = Random(text)

    def exchanged(match: re.Match[str]) -> str:
        chance, word = random.random(), random.choice(pool)
        return word if match.start() >= begin and chance < share else match[0]

    return _UNIT.sub(exchanged, text)


def _originals() -> list[str]:
    return [row["text"] for row in lines(NEWSROOM / "originals.jsonl")]


def licences(count: int) -> list[Row]:
    """Return licence texts, each of a dozen clauses out of eighty: any two have some in common."""
    random = Random("licences")
    words = sorted({word.lower() for text in _originals() for word in re.findall("[A-Za-z]{3,}", text)})
    clauses = [" ".join(random.choices(words, k=30)).capitalize() + "." for _ in range(80)]
    return [{"id": f"{number:05}", "text": "\n".join(random.sample(clauses, 13))} for number in range(count)]
