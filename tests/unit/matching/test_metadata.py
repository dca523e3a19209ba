"""Time codes, names, headers, addresses and the slots of forms: no evidence of a copy, and no disguise of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import whorl

FILM = [
    "雾散之后，渡口又热闹起来",
    "船老大说今天要多跑两趟",
    "冰厂的机器修了三天还没修好",
    "The mail came over with the first boat",
    "谁家的孩子把缆绳解开了",
    "老周在码头上喊了半个时辰",
    "We shall not sail before the tide turns",
    "灯塔的油还够烧到月底",
]
OTHER_FILM = [
    "山上的雪化得比往年早",
    "羊圈的门昨夜没有关好",
    "She counted the sheep twice and came up short",
    "药材贩子过完清明才来",
    "水渠塌了一段要赶快砌上",
    "Nobody had seen the dog since supper",
    "祠堂门前的石阶换了新的",
    "二姐托人捎回来一包茶叶",
]
FORMATS: dict[str, Callable[[int, int, str], str]] = {
    "srt": lambda n, m, text: f"{n + 1}\n00:{m:02}:{n:02},000 --> 00:{m:02}:{n:02},900\n{text}\n\n",
    "ass": lambda n, m, text: f"Dialogue: 0,0:{m:02}:{n:02}.00,0:{m:02}:{n:02}.90,Default,,0,0,0,,{text}\n",
    "lrc": lambda n, m, text: f"[{m:02}:{n:02}.50]{text}\n",
    "chat": lambda n, m, text: f"2023-05-01 12:{m:02}:{n:02} 用户{n % 3}：{text}\n",
    "log": lambda n, m, text: f"2023-05-01T12:{m:02}:{n:02}.123Z INFO [main] app: {text}\n",
    "verses": lambda n, m, text: f"{m}:{n + 1} {text}\n",
}


def written(form: str, sentences: list[str], minute: int) -> str:
    return "".join(FORMATS[form](number, minute, sentence) for number, sentence in enumerate(sentences))


@pytest.mark.parametrize("form", FORMATS)
def test_films_with_equal_times_share_nothing(form: str) -> None:
    comparison = whorl.compare(written(form, FILM, 3), written(form, OTHER_FILM, 3))
    assert (comparison.relation, comparison.ratios.copied) == ("unrelated", 0.0)


@pytest.mark.parametrize("form", FORMATS)
def test_a_film_with_other_times_is_a_copy_at_its_place(form: str) -> None:
    source, copy = written(form, FILM, 3), "Foreword.\n\n" + written(form, FILM, 7)
    comparison = whorl.compare(source, copy)
    assert comparison.relation == "near_duplicate"
    first, last = comparison.passages[0], comparison.passages[-1]
    assert copy[first.b_start : first.b_end].startswith(FILM[0])
    assert copy[last.b_start : last.b_end].endswith(FILM[-1])


@pytest.mark.parametrize("method", ["news", "library", "minhash"])
@pytest.mark.parametrize("form", FORMATS)
def test_films_are_distinguished_by_dialogue(form: str, method: str, tmp_path: Path) -> None:
    texts = {"film": (FILM, 3), "other": (OTHER_FILM, 3), "later": (FILM, 7)}
    documents = [{"id": name, "text": written(form, *film)} for name, film in texts.items()]
    removed = whorl.dedup(documents, method=method).duplicates.to_pylist()
    assert [{row["id"], row["duplicate_of"]} for row in removed] == [{"film", "later"}]
    with whorl.open(tmp_path / "library") as library:
        library.add(documents[:2])
        assert [match.id for match in library.check(documents[2]["text"]).matches] == ["film"]


def test_addresses_and_buttons_are_no_evidence() -> None:
    frame = "{}\nhttps://www.harbour.example/2024/the-new-ferry-to-the-island.html\nShare this:\nTwitter Facebook Email"
    comparison = whorl.compare(frame.format(FILM[0]), frame.format(OTHER_FILM[0]))
    assert (comparison.relation, comparison.ratios.copied) == ("unrelated", 0.0)


CERTIFICATE = (
    "荣誉证书\n{}同学：\n在第十二届中学生科技创新大赛中，你的作品经评审委员会认真评定，荣获高中组二等奖。"
    "特发此证，以资鼓励。望再接再厉，在今后的学习中取得更好的成绩。\n青澜市教育局"
)


@pytest.mark.parametrize("name", ["李华", "王建国", "欧阳锋"])
def test_a_certificate_for_another_holder_stays(name: str) -> None:
    documents = [{"id": holder, "text": CERTIFICATE.format(holder)} for holder in ("李明", name)]
    assert whorl.compare(documents[0]["text"], documents[1]["text"]).relation == "template"
    assert len(whorl.dedup(documents, method="news").duplicates) == 0


def test_a_reprint_with_a_corrected_name_goes() -> None:
    article = "。".join(FILM + OTHER_FILM) * 2 + "。"
    documents = [{"id": "a", "text": article}, {"id": "b", "text": article.replace("老周", "老李", 1)}]
    assert len(whorl.dedup(documents, method="news").duplicates) == 1
