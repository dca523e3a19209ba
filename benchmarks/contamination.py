"""Benchmark items planted into real articles, and families of texts that only look like contamination.

Items are stretches of 5 to 60 words (10 to 100 Han characters) of articles that are not in the corpus, half of them
with the wording of a question around them. A family is an item and documents that share a quotation, a form or a
formula with it, but not the item.
"""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_WORD = re.compile(r"\S+")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
_HAN = re.compile("[\u4e00-\u9fff]")
_SHORTEST_ARTICLE = 400
_EDITS = 0.1

_QUESTIONS = {
    "en": ("According to the report, {0}?", "What followed after {0}?", "Is it true that {0}?", "Why was it that {0}?"),
    "zh": ("根据报道，{0}？", "请问{0}的原因是什么？", "{0}，这一说法出自哪里？", "为什么{0}？"),
}


@dataclass(frozen=True, slots=True)
class PlantedSet:
    """A corpus with planted items.

    Attributes:
        name: the name of the corpus.
        texts: the documents.
        items: the items.
        planted: for each document with an item, the item and whether it was edited.
    """

    name: str
    texts: list[str]
    items: list[str]
    planted: dict[int, tuple[int, bool]] = field(default_factory=dict)


def planted_set(
    name: str, texts: Sequence[str], sources: Sequence[str], language: str, items: int, seed: int
) -> PlantedSet:
    """Plant items of ``sources`` into ``texts``, half of them edited, each into another document."""
    draw = random.Random(seed)
    everything = "\n".join(map(_plain, texts))
    chosen: list[str] = []
    while len(chosen) < items:
        item = _item(draw.choice(sources), language, draw)
        if item is not None and _is_new(item, everything):
            everything += "\n" + _plain(item)
            chosen.append(_QUESTIONS[language][len(chosen) % 8].format(item) if len(chosen) % 8 < 4 else item)
    result = PlantedSet(name, list(texts), chosen)
    for number, document in enumerate(draw.sample(range(len(texts)), items)):
        is_edited = number % 2 == 1
        text = edited(chosen[number], language, draw) if is_edited else chosen[number]
        result.texts[document] = _inserted(texts[document], text, draw)
        result.planted[document] = number, is_edited
    return result


def edited(item: str, language: str, draw: random.Random) -> str:
    """Change every tenth word or character: replace, delete, double or misspell it."""
    units = list(item) if language == "zh" else item.split(" ")
    for place in sorted(draw.sample(range(len(units)), max(1, round(_EDITS * len(units)))), reverse=True):
        kind = draw.randrange(4)
        unit = units[place]
        if kind == 0:
            units[place] = draw.choice(units)
        elif kind == 1:
            del units[place]
        elif kind == 2:
            units.insert(place, draw.choice(units))
        elif language == "en" and len(unit) > 3:
            cut = draw.randrange(1, len(unit) - 1)
            units[place] = unit[:cut] + unit[cut + 1] + unit[cut] + unit[cut + 2 :]
        else:
            units[place] = draw.choice(units)
    return ("" if language == "zh" else " ").join(units)


def _item(text: str, language: str, draw: random.Random) -> str | None:
    """Return a stretch that begins at a sentence."""
    sentences = [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]
    start = draw.randrange(len(sentences)) if sentences else 0
    if language == "zh":
        rest = "".join(sentences[start:])
        item = rest[: draw.randint(10, 100)].strip("，。！？、；： \n\u3000")
        return item if len(_HAN.findall(item)) >= 10 and "\n" not in item else None
    words = _WORD.findall(" ".join(sentences[start:]))[: draw.randint(5, 60)]
    return " ".join(words).strip(" .,;:") if len(words) >= 5 else None


def _is_new(item: str, everything: str) -> bool:
    """True if no stretch of the item is in the corpus anyway."""
    plain = _plain(item)
    middle = len(plain) // 2
    return all(part not in everything for part in (plain[: middle + 1], plain[middle:]))


def _plain(text: str) -> str:
    return re.sub(r"\W+", "", text.casefold())


def _inserted(text: str, item: str, draw: random.Random) -> str:
    ends = [match.end() for match in re.finditer(r"[.。!?！？]\s*|\n", text)] or [len(text)]
    at = draw.choice(ends)
    return f"{text[:at]} {item} {text[at:]}"


def read_texts(path: Path, limit: int) -> list[str]:
    """Return the texts of a compressed JSON Lines file that are long enough."""
    texts: list[str] = []
    for row in _rows(path):
        text = row.get("text") or ""
        if len(text) >= _SHORTEST_ARTICLE:
            texts.append(text)
        if len(texts) == limit:
            break
    return texts


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    import pyarrow as pa

    with pa.input_stream(str(path), compression="detect") as stream:
        yield from map(json.loads, io.TextIOWrapper(io.BufferedReader(stream), encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class LookAlike:
    """An item, and documents that share something with it but do not contain it.

    Attributes:
        kind: "quotation", "template" or "formula".
        item: the fields of the item.
        documents: the texts.
    """

    kind: str
    item: dict[str, Any]
    documents: tuple[str, ...]


_QUOTES_EN = (
    ("A journey of a thousand miles begins with a single step", "Laozi"),
    ("All that glitters is not gold", "Shakespeare"),
    ("The unexamined life is not worth living", "Socrates"),
    ("I think, therefore I am", "Descartes"),
    ("It was the best of times, it was the worst of times", "Dickens"),
    ("Call me Ishmael. Some years ago, never mind how long precisely", "Melville"),
    ("A rolling stone gathers no moss", "a proverb"),
    ("Give me liberty, or give me death", "Patrick Henry"),
    ("The only thing we have to fear is fear itself", "Roosevelt"),
    ("Government of the people, by the people, for the people", "Lincoln"),
    ("If I have seen further, it is by standing on the shoulders of giants", "Newton"),
    ("To be, or not to be, that is the question", "Shakespeare"),
    ("Early to bed and early to rise makes a man healthy, wealthy and wise", "Franklin"),
    ("No man is an island, entire of itself", "Donne"),
    ("The course of true love never did run smooth", "Shakespeare"),
    ("Ask not what your country can do for you", "Kennedy"),
    ("In the beginning God created the heaven and the earth", "Genesis"),
    ("We hold these truths to be self-evident, that all men are created equal", "the Declaration"),
    ("Two roads diverged in a yellow wood, and sorry I could not travel both", "Frost"),
    ("Happy families are all alike; every unhappy family is unhappy in its own way", "Tolstoy"),
)
_QUOTES_ZH = (
    ("学而时习之，不亦说乎？有朋自远方来，不亦乐乎？", "论语"),
    ("千里之行，始于足下", "老子"),
    ("床前明月光，疑是地上霜。举头望明月，低头思故乡。", "李白"),
    ("先天下之忧而忧，后天下之乐而乐", "范仲淹"),
    ("己所不欲，勿施于人", "论语"),
    ("知之为知之，不知为不知，是知也", "论语"),
    ("路漫漫其修远兮，吾将上下而求索", "屈原"),
    ("春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。", "孟浩然"),
    ("海内存知己，天涯若比邻", "王勃"),
    ("但愿人长久，千里共婵娟", "苏轼"),
    ("人生自古谁无死，留取丹心照汗青", "文天祥"),
    ("不以物喜，不以己悲，居庙堂之高则忧其民", "范仲淹"),
    ("三人行，必有我师焉。择其善者而从之，其不善者而改之。", "论语"),
    ("落霞与孤鹜齐飞，秋水共长天一色", "王勃"),
    ("野火烧不尽，春风吹又生", "白居易"),
    ("欲穷千里目，更上一层楼", "王之涣"),
    ("天行健，君子以自强不息；地势坤，君子以厚德载物", "周易"),
    ("穷则独善其身，达则兼济天下", "孟子"),
    ("玉不琢，不成器；人不学，不知道", "礼记"),
    ("长风破浪会有时，直挂云帆济沧海", "李白"),
)
_ASKS_EN = (
    "Who wrote the following line? {quote}",
    "Which author is known for the words “{quote}”?",
    "Complete the quotation: {quote}",
    'In which work does the sentence "{quote}" appear?',
)
_ASKS_ZH = (
    "“{quote}”这句话出自哪部作品？",
    "下列名句的作者是谁？{quote}",
    "补全名句：{quote}",
    "“{quote}”的作者是哪一位？",
)
_TELLS_EN = ("As {who} put it, “{quote}.” The mayor smiled.", 'He ended with the words "{quote}" and left.', "{quote}.")
_TELLS_ZH = ("正如{who}所说：“{quote}”。他笑了笑。", "他最后引用了“{quote}”，随后离开。", "{quote}")

_FORMS_EN = (
    (
        "Which of the following statements about {} is correct?",
        ("photosynthesis", "mitosis", "osmosis", "fermentation"),
    ),
    (
        "Which of the following best describes the function of the {}?",
        ("mitochondria", "ribosome", "pancreas", "retina"),
    ),
    ("What is the capital of {}?", ("Slovenia", "Bhutan", "Paraguay", "Senegal")),
    ("In which year did the {} begin?", ("Thirty Years War", "Crimean War", "Boer War", "Opium War")),
    ("A train travels at {} km/h for {} hours. How many kilometres does it travel?", ("60 3", "75 4", "82 5", "91 2")),
    (
        "Read the passage and answer the question below: what does the word {} mean?",
        ("arid", "lucid", "stoic", "opaque"),
    ),
    ("Choose the option that best completes the sentence about {}.", ("harbours", "orchards", "glaciers", "looms")),
    ("Write a letter of complaint to the manager of {}.", ("Hotel Astoria", "Cafe Luna", "Nordbank", "Rail West")),
    (
        "Maria bought {} apples and {} pears. How many pieces of fruit did she buy in all?",
        ("3 4", "12 9", "7 15", "21 6"),
    ),
    ("Who was the first president of {}?", ("Kenya", "Finland", "Indonesia", "Mexico")),
)
_FORMS_ZH = (
    ("下列关于{}的说法，正确的是哪一项？", ("光合作用", "细胞分裂", "渗透作用", "呼吸作用")),
    ("以下哪一项最能说明{}的功能？", ("线粒体", "核糖体", "胰腺", "视网膜")),
    ("中国古代文学史上，{}的代表作品是什么？", ("陶渊明", "关汉卿", "汤显祖", "曹雪芹")),
    ("小明买了{}个苹果和{}个梨，一共买了多少个水果？", ("3 4", "12 9", "7 15", "21 6")),
    ("根据《{}》的规定，下列表述错误的是", ("公司法", "合同法", "专利法", "海商法")),
    ("阅读下面的短文，回答问题：{}一词在文中是什么意思？", ("斟酌", "蹉跎", "徘徊", "踌躇")),
    ("{}的首都是哪座城市？请写出它的名称。", ("斯洛文尼亚", "不丹王国", "巴拉圭", "塞内加尔")),
    ("一辆汽车以每小时{}千米的速度行驶{}小时，共行驶多少千米？", ("60 3", "75 4", "82 5", "91 2")),
    ("请选出与“{}”意思最接近的词语。", ("安静祥和", "兴高采烈", "忧心忡忡", "大惊失色")),
    ("{}战争爆发于哪一年？请说明其历史意义。", ("甲午", "中法", "鸦片", "普法")),
)
_FORMULAS = (
    "x = (-b ± sqrt(b^2 - 4ac)) / (2a)",
    "E = mc^2",
    "a^2 + b^2 = c^2",
    "F = G m1 m2 / r^2",
    "PV = nRT",
    "A = P(1 + r/n)^(nt)",
    "sin^2 x + cos^2 x = 1",
    "V = 4/3 π r^3",
    "f'(x) = lim h→0 (f(x+h) - f(x)) / h",
    "P(A|B) = P(B|A) P(A) / P(B)",
)
_FORMULA_ASKS = (
    "Using the formula {}, determine the missing quantity for the body described in the table.",
    "Which law is expressed by {}, and who discovered it?",
    "Explain the meaning of each symbol in {} to a student.",
    "公式 {} 表示哪条定律？请说明各符号的含义。",
)
_FORMULA_TELLS = ("The textbook gives {} without proof.", "由此可得 {} ，证明从略。", "We recall that {} holds here.")


def look_alikes(per_kind: int, seed: int, frames: Sequence[str]) -> list[LookAlike]:
    """Return families of all kinds, their documents set into articles."""
    draw = random.Random(seed)
    makers = {"quotation": _quotation, "template": _template, "formula": _formula}
    return [
        LookAlike(kind, item, tuple(_inserted(draw.choice(frames), text, draw) for text in texts))
        for kind, make in makers.items()
        for item, texts in (make(number, draw) for number in range(per_kind))
    ]


def _quotation(number: int, draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    quotes, asks, tells = (_QUOTES_EN, _ASKS_EN, _TELLS_EN) if number % 2 else (_QUOTES_ZH, _ASKS_ZH, _TELLS_ZH)
    quote, who = quotes[number // 2 % len(quotes)]
    item = {"question": draw.choice(asks).format(quote=quote), "answer": who}
    return item, [tell.format(quote=quote, who=who) for tell in tells]


def _template(number: int, _draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    forms = _FORMS_EN if number % 2 else _FORMS_ZH
    form, slots = forms[number // 2 % len(forms)]
    values = [slot.split(" ") if form.count("{}") > 1 else [slot] for slot in slots]
    first = number // 2 // len(forms) % 2
    return {"question": form.format(*values[first])}, [form.format(*value) for value in values[2:]]


def _formula(number: int, draw: random.Random) -> tuple[dict[str, Any], list[str]]:
    formula = _FORMULAS[number % len(_FORMULAS)]
    ask = _FORMULA_ASKS[number // len(_FORMULAS) % len(_FORMULA_ASKS)]
    return {"question": ask.format(formula)}, [draw.choice(_FORMULA_TELLS).format(formula)]


__all__ = ["LookAlike", "PlantedSet", "edited", "look_alikes", "planted_set", "read_texts"]
