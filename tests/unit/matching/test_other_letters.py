"""One text in other letters, marks or spaces is one text: every method proposes it, and a comparison reports it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import whorl

ARABIC = (
    "أعلن المجلس البلدي يوم الأحد أن السوق القديمة ستغلق أبوابها حتى نهاية الصيف لإصلاح السقف الخشبي. "
    "وقال رئيس اللجنة إن التجار سينتقلون إلى ساحة المدرسة الابتدائية، وإن الإيجار لن يتغير قبل السنة القادمة. "
    "وأضاف مهندس المشروع أن ٤٢ عاملا يعملون في الموقع منذ الأسبوع الماضي."
)
HEBREW = (
    "הספרייה העירונית תיפתח מחדש בשבוע הבא אחרי שיפוץ ארוך. המנהלת סיפרה שהמדפים הישנים נמסרו לבתי הספר בשכונה "
    "ושהאולם המרכזי יוכל לארח מאה ועשרים קוראים. בחודש הראשון הכניסה חופשית גם בשעות הערב."
)
PERSIAN = (
    "کتابخانه مرکزی شهر پس از سه سال بازسازی دوباره باز می‌شود. مدیر کتابخانه گفت که تالار بزرگ برای یکصد و بیست نفر جا "
    "دارد و کتاب‌های قدیمی به مدرسه‌های نزدیک رسیده است. ورود در ماه اول برای همه رایگان است."
)
VIETNAMESE = (
    "Ủy ban nhân dân xã cho biết trạm thủy lợi mới sẽ hòa vào mạng lưới tưới tiêu từ tháng sau. Các hộ dân đã góp công "
    "đào kênh, tỏa đi khắp cánh đồng phía nam. Trưởng thôn nói mọi người đều khỏe và mong một vụ mùa hòa thuận."
)
KOREAN = (
    "군청은 다음 달부터 오래된 시장의 지붕을 새로 고칠 계획이라고 밝혔다. 상인들은 공사가 끝날 때까지 학교 운동장에서 "
    "장사를 이어 가며 임대료는 내년까지 오르지 않는다. 현장에는 마흔두 명의 일꾼이 지난주부터 일하고 있다."
)
ENGLISH = (
    "The old market will close its gates until the end of the summer so that carpenters can repair the wooden roof. "
    "Traders move to the yard of the primary school, and the rent stays as it is for a year. A score of workers have "
    "been on the site since last week, and a second crew is expected to join once the scaffolding is complete."
)
CYRILLIC = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")
"""Latin letters, and the Cyrillic letters that look the same."""


def with_signs(text: str, letters: str, signs: str) -> str:
    chance = random.Random(1)
    return "".join(c + (chance.choice(signs) if letters[0] <= c <= letters[1] else "") for c in text)


def without_some_spaces(text: str) -> str:
    chance = random.Random(1)
    return re.sub(" ", lambda _: "" if chance.random() < 0.3 else " ", text)


OTHER_LETTERS = {
    "vowel signs": (ARABIC, with_signs(ARABIC, "ءي", "\u064b\u064e\u0650\u0651\u0652\u0670\u06d6")),
    "tatweel": (ARABIC, re.sub("([بتسفقلمن])(?=[ا-ي])", "\\1\u0640\u0640", ARABIC)),
    "alef, yeh and heh": (ARABIC, ARABIC.translate(str.maketrans("أإآىة٤٢", "اااي" + "ه42"))),
    "points": (HEBREW, with_signs(HEBREW, "את", "\u05b0\u05b4\u05b7\u05b8\u05bc\u0591")),
    "Arabic keyboard": (PERSIAN, PERSIAN.translate(str.maketrans("یک", "يك"))),
    "tone placement": (
        VIETNAMESE,
        VIETNAMESE.replace("Ủy", "Uỷ")
        .replace("thủy", "thuỷ")
        .replace("hòa", "hoà")
        .replace("tỏa", "toả")
        .replace("khỏe", "khoẻ"),
    ),
    "no spaces": (KOREAN, KOREAN.replace(" ", "")),
    "some spaces": (KOREAN, without_some_spaces(KOREAN)),
    "Cyrillic letters": (ENGLISH, ENGLISH.translate(CYRILLIC)),
}

each_pair = pytest.mark.parametrize("pair", OTHER_LETTERS.values(), ids=OTHER_LETTERS.keys())


@each_pair
def test_a_comparison_calls_the_two_identical(pair: tuple[str, str]) -> None:
    assert pair[0] != pair[1]
    comparison = whorl.compare(*pair)
    assert (comparison.relation, comparison.similarity, comparison.ratios.copied) == ("exact", 1.0, 1.0)


@each_pair
@pytest.mark.parametrize("method", ["minhash", "exact", "news", "simhash", "winnowing", "library"])
def test_every_method_finds_the_two(pair: tuple[str, str], method: str) -> None:
    assert whorl.dedup([*pair, "Nothing in common"], method=method).duplicates.num_rows == 1


@each_pair
def test_a_library_finds_the_two(pair: tuple[str, str], tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "first", "text": pair[0]})
        assert [match.id for match in library.check(pair[1]).matches] == ["first"]


@pytest.mark.parametrize(
    "change", [" ".join, lambda text: text.replace(" ", ""), without_some_spaces], ids=["spaced", "joined", "some"]
)
def test_words_without_spaces_are_identical(change: Callable[[str], str]) -> None:
    comparison = whorl.compare(ENGLISH, change(ENGLISH))
    assert (comparison.relation, comparison.similarity, comparison.a_in_b, comparison.b_in_a) == (
        "exact",
        1.0,
        1.0,
        1.0,
    )


def test_the_similarity_of_a_copy_with_edits_does_not_depend_on_its_spaces() -> None:
    edited = ENGLISH.replace("carpenters", "builders").replace("last week", "Monday")
    for copy in (" ".join(edited), edited.replace(" ", "")):
        comparison = whorl.compare(ENGLISH, copy)
        assert comparison.relation == "near_duplicate"
        assert comparison.similarity == pytest.approx(whorl.compare(ENGLISH, edited).similarity, abs=0.15)


def test_russian_is_not_english() -> None:
    russian = "Рост цен на хлеб, а не на масло, стал темой вечера. Сосед Oracle, а не Java, вырос."
    assert whorl.compare(russian, russian).flags == ()
    assert whorl.compare(russian, russian).relation == "exact"
