"""Write an invented class into the working folder: 24 essays as DOCX, a web page, essays of last year, and a template.

Some students copied, some quoted; all used the form of the institution. The text is that of the invented newsroom.
"""

import json
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

NEWSROOM = Path(__file__).parents[1] / "newsroom"
DECLARATION = [
    "学位论文原创性声明",
    "本人郑重声明：所呈交的论文是本人在指导教师的指导下独立完成的成果，文中引用他人的内容均已注明出处。",
    "作者签名：",
    "日期：2026年5月20日",
]
FORM = "本文的格式依照滨海学院课程论文的统一要求编排，正文采用小四号宋体，行距为固定值二十磅，由任课教师审核存档。"
NAMES = [
    *("林一舟", "陈若水", "周知微", "吴霁", "郑晚", "孙清和", "马行简", "朱砚", "胡星野", "郭岑", "何以宁", "高渡"),
    *("罗青禾", "梁观", "宋时雨", "谢长风", "韩松", "唐棠", "冯溪", "董未", "程野", "曹远", "袁声", "许诺"),
]


def write_docx(path: Path, lines: list[str]) -> None:
    """Write paragraphs as a Word document."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    body = "".join(f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in lines)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{office}" '
        f'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)


def essay(number: int, title: str, paragraphs: list[str]) -> list[str]:
    """Return the lines of an essay: cover, declaration, form, text and references."""
    cover = [
        "滨海学院课程论文",
        f"题目：{title}",
        f"姓名：{NAMES[number]}",
        f"学号：2023{number + 1:04}",
        "学院：人文学院",
    ]
    references = [
        "参考文献",
        "[1] 褚砚耕. 青澜方言志[M]. 青澜: 青澜出版社, 1998.",
        "[2] 裘慢. 修表五十年[J]. 手艺, 2019(3): 12-18.",
    ]
    return [*cover, *DECLARATION, FORM, *paragraphs, *references]


def main() -> None:
    """Write all files."""
    with (NEWSROOM / "originals.jsonl").open(encoding="utf-8") as file:
        articles = [json.loads(line) for line in file]
    texts = {row["id"]: [line for line in row["text"].split("\n") if len(line) > 30] for row in articles}
    chosen = [row for row in articles if row["id"].startswith("zh-") or len(row["text"]) > 1800][: len(NAMES)]
    essays = [(f"读《{row['title'][:16]}》", list(texts[row["id"]])) for row in chosen]
    first, second = (essays[number][1] for number in (9, 14))
    essays[3][1].insert(1, first[0])  # word for word
    essays[3][1].insert(2, first[1])
    essays[5][1].append(second[1].replace("的", "之").replace("船", "舟"))  # edited
    essays[7][1].insert(1, f"正如林一舟所写：“{essays[0][1][0]}”[1]")  # quoted with its source
    essays[12][1].insert(0, texts["zh-harbour-ears"][0])
    page = ["渔港手记", "冰厂的老师傅说，一天出冰四十吨的机器，要三个人轮班看着，夜里最冷的时候也不能离开人。"]
    essays[16][1].insert(1, page[1])
    last_year = ["去年的论文", "码头上的木桩每隔七年要换一次，换桩的那个月，渡船停在对岸的老盐码头，全镇的人绕路走。"]
    essays[18][1].insert(1, last_year[1])
    folder = Path("class")
    folder.mkdir(exist_ok=True)
    for number, (title, paragraphs) in enumerate(essays):
        write_docx(folder / f"2023{number + 1:04}.docx", essay(number, title, paragraphs))
    (folder / "20230099.docx").write_bytes(b"PK\x03\x04 a broken upload")
    Path("web").mkdir(exist_ok=True)
    Path("web", "harbour.txt").write_text("\n".join(page), encoding="utf-8")
    write_docx(Path("template.docx"), [*DECLARATION, FORM])
    row = {"id": "2022-17", "title": "换桩记", "author": "丁宁", "text": "\n".join(last_year)}
    Path("earlier.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(essays)} essays and a broken file in {folder}")


if __name__ == "__main__":
    main()
