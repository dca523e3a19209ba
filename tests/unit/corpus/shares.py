"""Recall and precision of the text read from a document."""

from __future__ import annotations

import re
from collections import Counter

ENGLISH = (
    (
        "The mill stands where two brooks meet, and its wheel has not turned since the flood of the year before last. "
        "Hanna Brook, who keeps the key, says that twenty-four boards have to be replaced before anyone may "
        "walk inside. "
        "She has written to the county nineteen times. The answer was always that a survey would follow in the autumn. "
        "Last week three carpenters arrived without notice, measured the beams and left a sketch on the kitchen table. "
        "Their estimate is lower than she had feared, because the oak in the upper floor turned out to be sound. "
        "Neighbors have offered to carry stones, and the school will paint the shutters once the scaffolding is gone."
    ),
    (
        "Every morning at five the night baker hands over to the day baker, and for ten minutes both of them "
        "talk at once. "
        "The ovens were built by an uncle who had never seen another bakery, so the doors open to the wrong side. "
        "Visitors notice it at once. Regular customers have long stopped wondering and reach across with "
        "their left hand. "
        "A manufacturer from the city wanted to photograph the establishment for a catalogue, but the steam "
        "spoiled each picture. "
        "In the end he bought forty loaves, ate one of them on the stairs and promised to come back when the "
        "weather is dry. "
        "The two bakers have kept his card beside the flour scale, under the magnet that holds the list of holidays."
    ),
)
CHINESE = (
    (
        "山口的小站只剩下一位值班员，他每天记录四次风速，再用电话报给县里。去年冬天大雪封路，补给晚了九天才送到。"
        "他把剩下的面粉分成小袋，按日子写上号码，一袋也没有多用。站里的窗户朝北，夏天凉快，到了十月就要糊两层纸。"
        "有人劝他下山找别的工作，他说习惯了安静，听见火车反而睡不着。下个月新的仪器就要运来，以后风速会自己传到城里。"
        "他打算留到仪器装好，再把旧的记录本整理一遍，交给气象馆保存。"
    ),
    (
        "老街的修表铺开在楼梯底下，门面只有一米二宽。师傅姓温，戴一副缠着胶布的放大镜，说话很慢。"
        "最难修的不是旧表，而是别人修坏的表，螺丝滑了牙，要先做一把合适的起子。他收过一只停了三十年的怀表，"
        "里面夹着半张车票。"
        "表的主人后来找上门，站在柜台前看了很久，没有要票，只问还能不能走。温师傅换了一根发条，分文未收，"
        "条件是每年拿来给他听一次。"
        "今年春天，他的儿子在隔壁租下一间屋，准备教年轻人认识齿轮。"
    ),
)
ARTICLES = (*ENGLISH, *CHINESE)
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def sentences(text: str) -> list[str]:
    """Return the sentences of an article, each with its final mark."""
    return [part for part in re.split(r"(?<=[.。])\s*", text) if part]


def _runs(text: str) -> Counter[tuple[str, ...]]:
    tokens = _TOKEN.findall(text.casefold())
    return Counter(tuple(tokens[start : start + 3]) for start in range(max(1, len(tokens) - 2)))


def shares(true: str, actual: str) -> tuple[float, float]:
    """Return the share of the true text that was read, and the share of the read text that is foreign to it.

    Both are shares of 3-grams of tokens; a token is a Han character or a word.
    """
    expected, read = _runs(true), _runs(actual)
    shared = (expected & read).total()
    return shared / expected.total(), 1 - shared / max(1, read.total())
