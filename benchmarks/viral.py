"""Generated posts that quote one viral post, each with a different comment."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.articles import Language

_POSTS: Mapping[Language, str] = {
    "zh": (
        "今早七点，江北菜市场二楼的配电箱冒烟起火，卖豆腐的刘师傅用湿棉被压住火头，又挨个摊位喊人下楼，"
        "等消防车赶到时火已经灭了，没有一个人受伤，他却悄悄回去接着磨豆子，连名字都不肯留下。"
    ),
    "en": (
        "At seven this morning a fuse box on the upper floor of the river market caught fire. Mr Hale, who sells bean "
        "curd there, smothered the flames with a wet quilt and went from stall to stall to send everybody downstairs. "
        "When the engine came, the fire was out, nobody was hurt, and he was back at his millstone."
    ),
}

_COMMENTS: Mapping[Language, tuple[str, ...]] = {
    "zh": (
        "我家就住市场后面那栋楼，当时听见有人一边跑一边喊，还以为是谁家吵架，下去才看见满楼道都是烟，想想真后怕。",
        "那个配电箱去年就跳过好几次闸，摊主们凑钱找人修过，物业说归供电所管，供电所说归物业管，到今天也没个说法。",
        "刘师傅的豆腐我吃了快二十年，一块钱两大块，秤总是翘得高高的，这样的人做出这样的事，我一点都不觉得奇怪。",
        "提醒各位，电气着火千万别先泼水，要先拉闸，没有灭火器就用厚的湿布盖住，我在工厂当安全员，每个月都讲一遍。",
        "刚去买菜，二楼还拉着警戒线，卖鱼的大姐说损失最大的是干货那一排，香菇木耳全熏黑了，保险公司的人正在拍照。",
        "建议街道给他发一面锦旗，再给市场换一套新线路，光表扬不整改，下一回可不一定还有这样的好运气。",
        "我爸以前也在那儿摆摊，说楼上那几家晚上都不断电，冰柜一开就是一整夜，线皮早就烤脆了，谁劝也不听。",
        "看完只想说一句，平时见了面点个头的邻居，真到出事的时候能这样站出来，我们这座小城还是有人情味的。",
        "有没有人拍到视频？我是本地电视台的编导，想请刘师傅聊一聊当时的经过，方便的朋友请私信留个电话。",
        "别急着叫好，先问问为什么市场里连一个能用的灭火器都没有，年初检查的时候明明每层楼都登记了四个。",
        "好人。",
        "转给住在附近的朋友们看看。",
    ),
    "en": (
        (
            "I live behind the market and thought somebody was having a row, until I opened the door and saw the "
            "smoke in the stairwell; my knees are still shaking as I write this."
        ),
        (
            "That box tripped four times last year. The stallholders paid for a repair themselves, because the "
            "landlord and the power company each said that it was the other one's business."
        ),
        (
            "I have bought his curd for twenty years, two large pieces for a coin, and the scale always tips your"
            " way, so none of this surprises me in the least."
        ),
        (
            "A reminder from a safety officer: never throw water on an electrical fire, pull the main switch "
            "first, and if there is no extinguisher use a thick damp cloth."
        ),
        (
            "Just came back with my vegetables. The dried goods got the worst of it, every mushroom is black, and"
            " a man from the insurance company was taking pictures of the shelves."
        ),
        (
            "Give the man a medal by all means, but give the building new wiring as well, since nobody should "
            "count on being that lucky a second time."
        ),
        (
            "My father had a stall up there once. The freezers ran all night on one thin cable, whose cover had "
            "gone as brittle as a biscuit, and no one would listen to him."
        ),
        (
            "All I want to say is that a neighbor to whom you only ever nod turns out to be the one who stands up"
            " when it matters; this small town still has a heart."
        ),
        (
            "Does anybody have a video? I work for the local station and would like to talk to him about what "
            "happened, so please send me a number where I can reach him."
        ),
        (
            "Before we all applaud, ask why there was not a single working extinguisher in the hall, when the "
            "inspection in January listed four of them on each floor."
        ),
        "Well done.",
        "Sharing this with everyone who lives nearby.",
    ),
}


def viral_posts(language: Language) -> list[str]:
    """Return twelve posts: the same post, followed by a different comment each time."""
    joiner = " " if language == "en" else ""
    return [f"{_POSTS[language]}{joiner}{comment}" for comment in _COMMENTS[language]]
