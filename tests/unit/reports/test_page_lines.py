"""Passages of recognized texts are reported with their pages and frames."""

from whorl.results import Article, PageLine
from whorl.tasks.compare.run import compare_texts

FIRST = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
SECOND = "码头西边的旧仓库改成了鱼市，清晨四点就有人排队。"
OTHER = "山里的春茶比往年晚了十天，茶农说是因为倒春寒。"
TOP, MIDDLE = (0.1, 0.1, 0.9, 0.15), (0.1, 0.5, 0.9, 0.55)


def scan() -> Article:
    lines = [FIRST, OTHER, SECOND]
    starts = [0, len(FIRST) + 1, len(FIRST) + len(OTHER) + 2]
    boxes = [(1, TOP), (1, MIDDLE), (3, TOP)]
    places = zip(starts, lines, boxes, strict=True)
    placed = tuple(PageLine(start, start + len(line), page, box) for start, line, (page, box) in places)
    return Article("scan.pdf", "\n".join(lines), lines=placed)


def test_passages_have_the_frames_of_their_lines() -> None:
    compared = compare_texts(scan(), [Article("a", FIRST), Article("b", SECOND)])
    passages = compared.to_dict()["passages"]
    assert [passage["b_frames"] for passage in passages] == [
        [{"page": 1, "box": list(TOP)}],
        [{"page": 3, "box": list(TOP)}],
    ]
    assert all("a_frames" not in passage for passage in passages)


def test_a_scanned_source_has_frames_too() -> None:
    [passage] = compare_texts(Article("a", SECOND), [scan()]).to_dict()["passages"]
    assert passage["a_frames"] == [{"page": 3, "box": list(TOP)}]


def test_the_report_names_the_pages() -> None:
    page = compare_texts(scan(), [Article("a", FIRST), Article("b", SECOND)]).report(language="en")
    assert "page 1 of the text" in page
    assert "page 3 of the text" in page
    assert "page 1 of the source" not in page


def test_the_report_frames_passages_on_their_pages() -> None:
    page = compare_texts(scan(), [Article("a", FIRST), Article("b", SECOND)]).report(language="en")
    first, second = page.split('<div class="sheet">')[1:]
    assert "left:10.0%;top:10.0%;width:80.0%;height:5.0%" in first.split("<i ")[0]
    assert "left:10.0%;top:50.0%" in first.split("<i ")[1]
    assert 'href="#p1"' in first
    assert 'href="#p2"' in second


def test_a_text_without_pages_has_no_maps() -> None:
    assert '<div class="sheet">' not in compare_texts(Article("a", FIRST), [Article("b", FIRST)]).report()
