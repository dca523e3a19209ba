"""A class: everybody compared with everybody, forms, parts that do not count, late submissions."""

import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from openpyxl import load_workbook
from tests.rewritten import REWRITES

import whorl
from whorl.engines.progress import Silent
from whorl.matching.compare import compare_many
from whorl.results import Cohort
from whorl.types.cohort import CohortPair

SENTENCE = "码头上的木桩每隔七年要换一次，换桩的那个月全镇的人绕路走。"
NOTICE = "本文格式依照滨海学院课程论文的统一要求编排，由任课教师审核存档，保存三年。"


def prose(seed: int, length: int = 400) -> str:
    """Return invented text that shares no run of characters with that of another seed."""
    source = random.Random(seed)
    signs = "".join(chr(source.randrange(0x4E00, 0x9000)) for _ in range(length))
    return "。\n".join(signs[start : start + 25] for start in range(0, length, 25)) + "。"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes texts as numbered files into a folder."""

    def write(texts: Sequence[str], name: str = "class") -> Path:
        place = tmp_path / name
        place.mkdir(exist_ok=True)
        for number, text in enumerate(texts):
            (place / f"{number:02}.txt").write_text(text, encoding="utf-8")
        return place

    return write


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return the path of an output folder."""
    return tmp_path / "out"


def pair_of(cohort: Cohort, text: str, source: str) -> CohortPair:
    """Return the pair of two texts, in either direction."""
    [pair] = [pair for pair in cohort.pairs if {pair.text, pair.source} == {text, source}]
    return pair


def test_what_many_quote_pairs_all_of_them(folder: Callable[..., Path], out: Path) -> None:
    texts = [f"{prose(number)}\n{SENTENCE}\n{prose(100 + number)}" for number in range(14)]
    cohort = whorl.cohort(folder(texts), out, reports=False)
    assert len(cohort.pairs) == 14 * 13 // 2
    assert all(pair.copied and pair.copied_back and pair.documents == 14 for pair in cohort.pairs)
    with (out / "passages.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len({(row["text"], row["source"]) for row in rows}) == 14 * 13
    places = {texts[int(row["text"][:2])][int(row["b_start"]) : int(row["b_end"])] for row in rows}
    assert places == {SENTENCE}


def test_pairs_are_those_of_all_comparisons(folder: Callable[..., Path], out: Path) -> None:
    texts = [prose(number) for number in range(8)]
    texts[3] += texts[1][30:130]
    texts[5] = texts[5][:200] + texts[2][:60].replace("。", "，") + texts[5][200:]
    texts[6] += "\n" + SENTENCE
    texts[7] = SENTENCE + "\n" + texts[7]
    cohort = whorl.cohort(folder(texts), out, reports=False)
    numbers = [(a, b) for a in range(8) for b in range(8) if a != b]
    compared = compare_many([(texts[a], texts[b]) for a, b in numbers], exclude=["references"], least=13)
    expected = {
        (f"{b:02}.txt", f"{a:02}.txt"): comparison.ratios.copied
        for (a, b), comparison in zip(numbers, compared, strict=True)
        if comparison.passages
    }
    shares = {(pair.text, pair.source): pair.copied for pair in cohort.pairs}
    shares |= {(pair.source, pair.text): pair.copied_back or 0.0 for pair in cohort.pairs}
    assert len(shares) == 6
    assert shares == pytest.approx(expected)


def test_text_of_several_sources_counts_once(folder: Callable[..., Path], out: Path) -> None:
    copied = prose(50, 100)
    cohort = whorl.cohort(folder([prose(1) + copied, copied + prose(2), copied]), out, reports=False)
    shares = {item.manuscript.name: item.ratios for item in cohort.examinations}
    assert shares["02.txt"].copied == 1.0
    assert shares["00.txt"].copied == shares["00.txt"].largest == pytest.approx(0.2, abs=0.01)


def test_what_most_have_is_the_form(folder: Callable[..., Path], out: Path, tmp_path: Path) -> None:
    texts = [f"{prose(number)}\n{NOTICE}\n{prose(100 + number)}" for number in range(24)]
    place = folder(texts)
    cohort = whorl.cohort(place, out, reports=False)
    assert not cohort.pairs
    [form] = cohort.forms
    assert form.manuscripts == 24
    assert form.share == 1.0
    assert form.text in NOTICE
    assert len(whorl.cohort(place, tmp_path / "all", form_share=1, reports=False).pairs) == 24 * 23 // 2


def test_a_template_is_left_out(folder: Callable[..., Path], out: Path, tmp_path: Path) -> None:
    texts = [f"{prose(number)}\n{NOTICE}" for number in range(3)]
    (tmp_path / "template.txt").write_text(NOTICE, encoding="utf-8")
    cohort = whorl.cohort(folder(texts), out, boilerplate=tmp_path / "template.txt", reports=False)
    assert not cohort.pairs
    assert dict(cohort.examinations[0].excluded)["boilerplate"] >= len(NOTICE) - 2


def test_covers_and_declarations_do_not_count(folder: Callable[..., Path], out: Path) -> None:
    front = (
        "滨海学院课程论文\n题目：{title}\n姓名：{name}\n学号：{number}\n学院：人文学院\n原创性声明\n"
        "本人郑重声明：所呈交的论文是本人在指导教师的指导下独立完成的成果，引用均已注明出处。\n作者签名：\n日期：2026年5月\n"
    )
    names = [("渔港冰厂", "林一"), ("换桩记", "陈二")]
    texts = [front.format(title=title, name=name, number=i) + prose(i) for i, (title, name) in enumerate(names)]
    cohort = whorl.cohort(folder(texts), out, reports=False)
    assert not cohort.pairs
    assert {(item.manuscript.title, item.manuscript.author) for item in cohort.examinations} == set(names)
    assert {reason for reason, _ in cohort.examinations[0].excluded} == {"cover", "declaration"}


def test_quotations_count_apart(folder: Callable[..., Path], out: Path) -> None:
    texts = [
        prose(1) + SENTENCE,
        prose(2) + f"\n正如林一所写：“{SENTENCE}”[1]",
        prose(3) + f"\n“{SENTENCE}”\n" + prose(4),
    ]
    cohort = whorl.cohort(folder(texts), out, reports=False)
    by_name = {item.manuscript.name: item for item in cohort.examinations}
    assert by_name["01.txt"].quoted > 0
    assert by_name["01.txt"].ratios.unquoted == 0
    assert by_name["02.txt"].quoted == 0
    assert by_name["02.txt"].ratios.quoted_uncited > 0


def test_earlier_years_sources_and_own_work(folder: Callable[..., Path], out: Path, tmp_path: Path) -> None:
    mine, other, page = prose(10, 100), prose(11, 100), prose(12, 100)
    cover = "滨海学院\n题目：渔港\n姓名：林一\n学号：1\n学院：人文\n"
    with whorl.open(tmp_path / "theses") as library:
        library.add([{"id": "a", "text": mine, "author": "林一"}, {"id": "b", "text": other, "author": "陈二"}])
    web = folder([page], "web")
    place = folder([cover + prose(1) + "\n" + mine + other + page])
    cohort = whorl.cohort(place, out, earlier=tmp_path / "theses", sources=web, reports=False)
    [examined] = cohort.examinations
    assert {(pair.source, pair.source_kind) for pair in cohort.pairs} == {
        ("a", "earlier"),
        ("b", "earlier"),
        ("00.txt", "source"),
    }
    assert examined.ratios.copied == pytest.approx(3 / 7, abs=0.02)
    assert examined.ratios.foreign == pytest.approx(2 / 7, abs=0.02)


def test_late_submissions_change_only_what_they_touch(folder: Callable[..., Path], out: Path, tmp_path: Path) -> None:
    texts = [prose(number) for number in range(6)]
    texts[1] += texts[0][:100]
    place = folder(texts)
    whorl.cohort(place, out)
    reports = {path.name: path.stat().st_mtime_ns for path in (out / "reports").iterdir()}
    (place / "06.txt").write_text(prose(6) + texts[3][:100], encoding="utf-8")
    (place / "02.txt").unlink()
    (place / "04.txt").write_text(prose(44), encoding="utf-8")
    cohort = whorl.cohort(place, out)
    assert cohort.examined == 3  # the new one, the one it copied, the changed one
    unchanged = {path.name: path.stat().st_mtime_ns for path in (out / "reports").iterdir()}
    assert {name for name, time in unchanged.items() if reports.get(name) == time} == {
        f"{number:02}.txt.html" for number in (0, 1, 5)
    }
    assert "02.txt.html" not in unchanged
    afresh = whorl.cohort(place, tmp_path / "afresh")
    assert cohort.pairs == afresh.pairs
    assert cohort.examinations == afresh.examinations
    for name in ("class.csv", "pairs.csv", "passages.csv"):
        assert (out / name).read_bytes() == (tmp_path / "afresh" / name).read_bytes()
    assert whorl.cohort(place, out).examined == 0


def test_the_workbook_has_the_strongest_pairs_and_the_number_of_the_others(
    folder: Callable[..., Path], out: Path
) -> None:
    texts = [f"{prose(number, 50)}\n{SENTENCE}" for number in range(48)]
    cohort = whorl.cohort(folder(texts), out, reports=False, form_share=1)
    book = load_workbook(out / "class.xlsx", read_only=True)
    _, *rows = book["Pairs"].iter_rows(values_only=True)
    others = len(cohort.pairs) - 1000
    assert others > 0
    assert len(rows) == 1001
    assert rows[-1][0] == f"{others} further pairs: see pairs.csv"
    with (out / "pairs.csv").open(encoding="utf-8-sig") as file:
        assert len(list(csv.DictReader(file))) == len(cohort.pairs)


def test_results_stay_if_the_pdf_cannot_be_written(folder: Callable[..., Path], out: Path) -> None:
    place = folder([prose(1), prose(2)])
    whorl.cohort(place, out)
    (out / "cohort.pdf").mkdir()
    folder([prose(1), prose(2), prose(3)])
    with pytest.raises(OSError, match=r"cohort\.pdf"):
        whorl.cohort(place, out, pdf=True)
    again = whorl.cohort(place, out)
    assert (len(again.examinations), again.examined) == (3, 0)


def test_unreadable_files_are_listed(folder: Callable[..., Path], out: Path) -> None:
    place = folder([prose(1)])
    (place / "broken.docx").write_bytes(b"PK\x03\x04 broken")
    cohort = whorl.cohort(place, out, reports=False)
    [unreadable] = cohort.unreadable
    assert unreadable.name == "broken.docx"
    assert unreadable.problem
    assert unreadable.problem in (out / "class.csv").read_text("utf-8-sig")


def test_a_manuscript_per_row(out: Path, tmp_path: Path) -> None:
    rows = [f'{{"id": "{name}", "title": "{name}卷", "text": "{SENTENCE}"}}' for name in "甲乙"]
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "papers.jsonl").write_text("\n".join(rows), encoding="utf-8")
    cohort = whorl.cohort(tmp_path / "rows", out)
    assert {item.manuscript.title for item in cohort.examinations} == {"甲卷", "乙卷"}
    assert cohort.pairs[0].copied == 1.0
    assert len(list((out / "reports").iterdir())) == 2


def test_a_folder_of_something_else_is_not_overwritten(folder: Callable[..., Path], out: Path) -> None:
    out.mkdir()
    (out / "letter.txt").write_text("ours")
    with pytest.raises(whorl.errors.UsageError, match="not the result of a cohort"):
        whorl.cohort(folder([prose(1)]), out)


class _StoppedAtComparing(Silent):
    """Progress of a run that the user stops when its texts are read."""

    def stage(self, name: str, _total: int | None, _unit: str) -> None:
        if name == "compare":
            raise KeyboardInterrupt


def test_an_interrupted_run_is_repeated(folder: Callable[..., Path], out: Path) -> None:
    manuscripts = folder([prose(1), prose(1) + prose(2), prose(3)])
    with pytest.raises(KeyboardInterrupt):
        whorl.cohort(manuscripts, out, progress=_StoppedAtComparing())
    assert len(whorl.cohort(manuscripts, out).pairs) == 1


def test_an_interrupted_run_with_other_options_replaces_the_state(folder: Callable[..., Path], out: Path) -> None:
    first, second = folder([prose(1), prose(1) + prose(2)]), folder([prose(7), prose(8)], "second")
    before = whorl.cohort(first, out)
    with pytest.raises(KeyboardInterrupt):
        whorl.cohort(second, out, least=20, progress=_StoppedAtComparing())
    after = whorl.cohort(first, out)
    assert prose(1)[104:114] in (out / "index.html").read_text(encoding="utf-8")
    assert after.pairs == before.pairs
    assert [item.ratios for item in after.examinations] == [item.ratios for item in before.examinations]


def test_a_library_lends_what_many_of_its_articles_quote(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": str(number), "text": prose(number) + SENTENCE} for number in range(30))
    (tmp_path / "draft.txt").write_text(prose(99) + SENTENCE, encoding="utf-8")
    compared = whorl.compare_against(tmp_path / "library", str(tmp_path / "draft.txt"))
    assert compared.result.ratios.copied > 0
    assert len(compared.sources) == 30


def test_each_chapter_has_its_share(folder: Callable[..., Path], out: Path) -> None:
    copied, quoted = prose(1), prose(4)[:100]
    texts = [f"第一章 渔港\n{prose(2)}\n第二章 冰厂\n{copied}\n第三章 码头\n{quoted}{prose(3)}", copied + quoted]
    cohort = whorl.cohort(folder(texts), out, by="heading")
    thesis, source = (
        next(row for row in cohort.examinations if row.manuscript.name == name) for name in ("00.txt", "01.txt")
    )
    assert [section.title for section in thesis.sections] == ["第一章 渔港", "第二章 冰厂", "第三章 码头"]
    first, second, third = (section.copied for section in thesis.sections)
    assert first == 0
    assert second > 0.95
    assert 0.1 < third < 0.3
    total = sum(section.copied * section.characters for section in thesis.sections)
    assert total == pytest.approx(thesis.ratios.copied * sum(part.characters for part in thesis.sections), rel=1e-6)
    assert [section.title for section in source.sections] == [""]
    with (out / "sections.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["section"] for row in rows if row["file"] == "00.txt"] == ["第一章 渔港", "第二章 冰厂", "第三章 码头"]
    again = whorl.cohort(folder(texts), out)
    assert not again.examinations[0].sections
    assert not (out / "sections.csv").exists()


@pytest.mark.parametrize(("source", "rewrite"), REWRITES, ids=["zh", "en"])
def test_rewritten_manuscripts_are_pairs_on_request(
    source: str, rewrite: str, folder: Callable[..., Path], out: Path
) -> None:
    place = folder([source, *(prose(number) for number in range(4)), rewrite])
    assert whorl.cohort(place, out / "copied").pairs == ()
    cohort = whorl.cohort(place, out / "reworded", reworded=True)
    [pair] = cohort.pairs
    assert {pair.text, pair.source} == {"00.txt", "05.txt"}
    assert (pair.relation, pair.copied, pair.copied_back) == ("reworded", 0.0, 0.0)
    relations = {row.manuscript.name: (row.relation, row.ratios.copied) for row in cohort.examinations}
    assert relations["00.txt"] == relations["05.txt"] == ("reworded", 0.0)
    assert relations["01.txt"] == ("unrelated", 0.0)


def test_a_late_submission_that_retells_another(folder: Callable[..., Path], out: Path) -> None:
    source, rewrite = REWRITES[0]
    place = folder([source, prose(1)])
    assert whorl.cohort(place, out, reworded=True).pairs == ()
    (place / "02.txt").write_text(rewrite, encoding="utf-8")
    [pair] = whorl.cohort(place, out, reworded=True).pairs
    assert (pair.relation, pair.copied) == ("reworded", 0.0)


def test_a_folder_that_is_a_circular_link_is_an_error(out: Path, tmp_path: Path) -> None:
    (tmp_path / "class").symlink_to("class")
    with pytest.raises(whorl.errors.InputError, match="broken link"):
        whorl.cohort(tmp_path / "class", out)


def test_a_manuscript_without_words_is_listed_and_has_no_share(folder: Callable[..., Path], out: Path) -> None:
    cohort = whorl.cohort(folder([prose(1), prose(2), "", "。。——", "\u200b"]), out, reports=False)
    assert [item.manuscript.name for item in cohort.examinations] == ["00.txt", "01.txt"]
    assert {(item.name, item.problem) for item in cohort.unreadable} == {
        (f"{number:02}.txt", "it has no text to compare") for number in (2, 3, 4)
    }
