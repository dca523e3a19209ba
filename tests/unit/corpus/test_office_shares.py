"""A corpus of documents × properties for each format: nearly all of the true text is read, and little else."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import partial
from html import escape
from pathlib import Path

import pytest
from tests.articles import article
from tests.office import paragraphs, rtf_text, write_docx, write_epub, write_odt, write_rtf

import whorl
from whorl.corpus import Columns, ReadOptions, Rejects, discover, format_of

LEAST_READ = 0.99
MOST_FOREIGN = 0.01
DOCUMENTS = 4
NOISE = "甲乙丙丁"

Lines = Sequence[str]
Writer = Callable[[Path, Lines, random.Random], object]


def mixed(line: str, rng: random.Random, visible: str, hidden: str) -> str:
    """Return a line of runs of some characters each, with an invisible run between them."""
    pieces, at = [], 0
    while at < len(line):
        size = rng.randint(1, 6)
        pieces.append(visible.format(escape(line[at : at + size])) + hidden.format(rng.choice(NOISE)))
        at += size
    return "".join(pieces)


RUN = "<R><T>{}</T></R>"
RUBY = "<R><w:ruby><w:rt><R><T>dú</T></R></w:rt><w:rubyBase><R><T>{}</T></R></w:rubyBase></w:ruby></R>"
CONTENTS = (
    '<P><R><w:fldChar w:fldCharType="begin"/></R><R><w:instrText>TOC \\h</w:instrText></R>'
    '<R><w:fldChar w:fldCharType="separate"/></R><R><T>第一章 1</T></R></P>'
    '<P><R><T>第二章 9</T></R></P><P><R><w:fldChar w:fldCharType="end"/></R></P>'
)
WORD_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx_of_runs(path: Path, lines: Lines, rng: random.Random, *, visible: str = RUN, hidden: str = "") -> None:
    write_docx(path, "".join(f"<P>{mixed(line, rng, visible, hidden)}</P>" for line in lines))


def docx_of_body(path: Path, lines: Lines, rng: random.Random, *, body: str) -> None:
    write_docx(path, body.replace("{}", paragraphs(lines)))


def docx_of_chunk(path: Path, lines: Lines, rng: random.Random, *, name: str) -> None:
    if name.endswith("docx"):
        write_docx(path.with_name("inner"), paragraphs(lines))
        data = path.with_name("inner").read_bytes()
    elif name.endswith("rtf"):
        data = write_rtf(path.with_name("inner"), "\\par ".join(lines)).read_bytes()
    else:
        page = "".join(f"<p>{escape(line)}</p>" for line in lines)
        data = f"<html><head><meta charset='utf-8'><title>t</title></head><body>{page}</body></html>".encode()
    write_docx(path, '<w:altChunk r:id="a"/>', links={"a": f"aFChunk {name}"})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"word/{name}", data)


def docx_with_notes(path: Path, lines: Lines, rng: random.Random) -> None:
    half = len(lines) // 2
    notes = f"<w:footnotes><w:footnote>{paragraphs(lines[half:])}</w:footnote></w:footnotes>"
    write_docx(path, paragraphs(lines[:half]), links={"f": "footnotes n.xml"}, parts={"word/n.xml": notes})


BOX = (
    "<P><R><mc:AlternateContent><mc:Choice><w:txbxContent>{}</w:txbxContent></mc:Choice>"
    "<mc:Fallback><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></R></P>"
)
TABLE = "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc><P/></w:tc></w:tr></w:tbl>"
CONTROL = "<w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>"
UNSEEN = "<R><w:rPr>{}</w:rPr><T>{{}}</T></R>"

STYLE = '<style:style style:name="N" style:family="text"><style:text-properties {}/></style:style>'
SPAN = '<text:span text:style-name="N">{}</text:span>'


def odt_of_spans(
    path: Path, lines: Lines, rng: random.Random, *, visible: str = "{}", hidden: str = "", style: str = ""
) -> None:
    body = "".join(f"<text:p>{mixed(line, rng, visible, hidden)}</text:p>" for line in lines)
    write_odt(path, body, automatic=STYLE.format(style) if style else "")


def odt_of_body(path: Path, lines: Lines, rng: random.Random, *, body: str) -> None:
    write_odt(path, body.replace("{}", "".join(f"<text:p>{escape(line)}</text:p>" for line in lines)))


def rtf_of_runs(path: Path, lines: Lines, rng: random.Random, *, hidden: str = "{}", before: str = "") -> None:
    body = before + "\\par ".join(
        "".join(f"{character}{{{hidden.replace('{}', rng.choice(NOISE))}}}" for character in line) for line in lines
    )
    write_rtf(path, body if hidden != "{}" else before + "\\par ".join(lines))


def epub_of(
    path: Path, lines: Lines, rng: random.Random, *, visible: str = "{}", hidden: str = "", css: str = ""
) -> None:
    chapters = {f"{at}.xhtml": f"<p>{mixed(line, rng, visible, hidden)}</p>" for at, line in enumerate(lines)}
    write_epub(
        path,
        [f"c{at} application/xhtml+xml {name}" for at, name in enumerate(chapters)],
        [f"c{at}" for at in range(len(chapters))],
        chapters,
        files={"style.css": css},
    )


PROPERTIES: dict[str, dict[str, Writer]] = {
    "docx": {
        "plain": docx_of_runs,
        "ruby": partial(docx_of_runs, visible=RUBY),
        "vanish": partial(docx_of_runs, hidden=UNSEEN.format("<w:vanish/>")),
        "white": partial(docx_of_runs, hidden=UNSEEN.format('<w:color w:val="FFFFFF"/>')),
        "tiny": partial(docx_of_runs, hidden=UNSEEN.format('<w:sz w:val="2"/>')),
        "narrow": partial(docx_of_runs, hidden=UNSEEN.format('<w:w w:val="1"/>')),
        "deleted": partial(docx_of_runs, hidden="<w:del><R><w:delText>{}</w:delText></R></w:del>"),
        "moved": partial(docx_of_runs, hidden="<w:moveFrom><R><T>{}</T></R></w:moveFrom>"),
        "inserted": partial(docx_of_runs, visible=f"<w:ins>{RUN}</w:ins>"),
        "soft hyphens": partial(docx_of_runs, hidden="<R><w:softHyphen/></R>"),
        "symbols": partial(docx_of_runs, hidden='<R><w:sym w:font="Wingdings" w:char="F04A"/></R>'),
        "instructions": partial(docx_of_runs, hidden="<R><w:instrText>{}</w:instrText></R>"),
        "text box": partial(docx_of_body, body=BOX),
        "table": partial(docx_of_body, body=TABLE),
        "control": partial(docx_of_body, body=CONTROL),
        "contents": partial(docx_of_body, body=CONTENTS + "{}"),
        "notes": docx_with_notes,
        "embedded page": partial(docx_of_chunk, name="c.htm"),
        "embedded rtf": partial(docx_of_chunk, name="c.rtf"),
        "embedded docx": partial(docx_of_chunk, name="c.docx"),
    },
    "odt": {
        "plain": odt_of_spans,
        "ruby": partial(
            odt_of_spans,
            visible="<text:ruby><text:ruby-base>{}</text:ruby-base><text:ruby-text>dú</text:ruby-text></text:ruby>",
        ),
        "hidden": partial(odt_of_spans, hidden=SPAN, style='text:display="none"'),
        "white": partial(odt_of_spans, hidden=SPAN, style='fo:color="#ffffff"'),
        "tiny": partial(odt_of_spans, hidden=SPAN, style='fo:font-size="1pt"'),
        "comments": partial(odt_of_spans, hidden="<office:annotation><text:p>{}</text:p></office:annotation>"),
        "text box": partial(odt_of_body, body="<draw:frame><draw:text-box>{}</draw:text-box></draw:frame>"),
        "contents": partial(
            odt_of_body, body="<text:table-of-content><text:p>第一章 1</text:p></text:table-of-content>{}"
        ),
        "hidden section": partial(
            odt_of_body, body='<text:section text:display="none"><text:p>甲乙丙丁</text:p></text:section>{}'
        ),
        "notes": partial(
            odt_of_body, body="<text:p><text:note><text:note-body>{}</text:note-body></text:note></text:p>"
        ),
    },
    "rtf": {
        "plain": rtf_of_runs,
        "hidden": partial(rtf_of_runs, hidden="\\v {}"),
        "white": partial(rtf_of_runs, hidden="\\cf2 {}"),
        "tiny": partial(rtf_of_runs, hidden="\\fs2 {}"),
        "deleted": partial(rtf_of_runs, hidden="\\deleted {}"),
        "contents": partial(rtf_of_runs, before="{\\field{\\*\\fldinst TOC}{\\fldrslt 第一章 1\\par 第二章 9}}\\par "),
        "pictures": partial(rtf_of_runs, hidden="\\pict\\bin2 }{"),
    },
    "epub": {
        "plain": epub_of,
        "ruby": partial(epub_of, visible="<ruby>{}<rp>(</rp><rt>dú</rt><rp>)</rp></ruby>"),
        "attribute": partial(epub_of, hidden="<span hidden='hidden'>{}</span>"),
        "style": partial(epub_of, hidden="<span style='display: none'>{}</span>"),
        "class": partial(epub_of, hidden="<b class='x'>{}</b>", css="p{color:black} b.x{visibility:hidden}"),
        "white": partial(epub_of, hidden="<font color='white'>{}</font>"),
        "tiny": partial(epub_of, hidden="<i style='font-size:1px'>{}</i>"),
    },
}


def read(path: Path) -> str:
    [source] = discover([path])
    [batch] = format_of(source).read(source, Columns(), Rejects(on_error="stop"), ReadOptions())
    [text] = batch.texts.to_pylist()
    return str(text)


def common(a: str, b: str) -> int:
    """Return the length of the longest common subsequence of two texts, without white space."""
    matcher = SequenceMatcher(None, "".join(a.split()), "".join(b.split()), autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


@pytest.mark.parametrize("suffix", PROPERTIES)
def test_true_text_is_read_and_no_other(tmp_path: Path, suffix: str) -> None:
    true = result = shared = 0
    for number, (name, write) in enumerate(PROPERTIES[suffix].items()):
        for document in range(DOCUMENTS):
            lines = [f"{line}。" for line in article(10 * number + document, 200).split("。") if line]
            path = tmp_path / f"{number}-{document}.{suffix}"
            write(path, lines, random.Random(document))
            text, expected = read(path), "\n".join(lines)
            both = common(text, expected)
            true, result, shared = (
                true + len("".join(expected.split())),
                result + len("".join(text.split())),
                shared + both,
            )
            assert both > LEAST_READ * len("".join(expected.split())), name
    assert shared >= LEAST_READ * true
    assert result - shared <= MOST_FOREIGN * result


def test_one_article_is_exact_in_all_formats(tmp_path: Path) -> None:
    lines = [f"{line}。" for line in article(7, 300).split("。") if line]
    (tmp_path / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    for suffix, writers in PROPERTIES.items():
        for number, write in enumerate(writers.values()):
            path = tmp_path / f"{number}.{suffix}"
            write(path, lines, random.Random(number))
            comparison = whorl.compare_files(str(tmp_path / "a.txt"), str(path)).result
            assert (comparison.relation, comparison.similarity) == ("exact", 1.0), path.name


def test_texts_that_hide_characters_are_flagged(tmp_path: Path) -> None:
    lines = [f"{line}。" for line in article(8, 100).split("。") if line]
    source = tmp_path / "a.txt"
    source.write_text("\n".join(lines), encoding="utf-8")
    for suffix, name in (("docx", "vanish"), ("odt", "white"), ("rtf", "tiny"), ("epub", "style")):
        path = tmp_path / f"a.{suffix}"
        PROPERTIES[suffix][name](path, lines, random.Random(1))
        [flag] = whorl.compare_files(str(source), str(path)).result.flags
        assert (flag.kind, flag.text) == ("hidden", "b")
        against = whorl.compare_against([str(source)], str(path)).result
        assert against.comparisons[0].flags == (flag,)
        [flag] = whorl.compare_files(str(path), str(source)).result.flags
        assert (flag.kind, flag.text) == ("hidden", "a")
    assert rtf_text("早") == b"\\u26089 "


def test_no_shell_is_removed_for_another(tmp_path: Path) -> None:
    """Documents whose only difference cannot be read are rejected, each with a reason, and none is a copy."""
    folder = tmp_path / "in"
    folder.mkdir()
    picture = '<a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:embed="i"/>'
    ole = '<w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" r:id="o"/></w:object>'
    bodies = {
        "attached": f"<P><R><T>附件</T></R><R>{ole}</R></P>",
        "picture": f"<P><R><T>见下图</T></R><R>{picture}</R></P>",
        "chunk": '<P><R><T>附件</T></R></P><w:altChunk r:id="a"/>',
        "master": '<P><R><T>文集</T></R></P><w:subDoc r:id="a"/>',
        "contents": CONTENTS,
        "empty": "<P/>",
    }
    for name, body in bodies.items():
        for number in range(4):
            hidden = f"\0\1{article(number)}"
            path = folder / f"{name}{number}.docx"
            write_docx(path, body, links={"a": "aFChunk c.bin"}, parts={"word/c.bin": hidden, "word/o": hidden})
    for number in range(4):
        items = [f"{at} application/xhtml+xml {at}.xhtml" for at in "abcd"]
        pages = {"a.xhtml": f"<p>{article(99, 100)}</p>", "x.xhtml": f"<p>{article(number)}</p>"}
        write_epub(folder / f"{number}.epub", items, list("abcd"), pages)
        frame = f"<text:p>附件<draw:frame><draw:image/></draw:frame></text:p><!--{number}-->"
        write_odt(folder / f"{number}.odt", frame)
        write_rtf(folder / f"{number}.rtf", f"附件{{\\object{{\\*\\objdata {number}}}}}")
    run = whorl.dedup_files(folder, tmp_path / "out").run
    counts = run["counts"]
    assert (counts["duplicates"], counts["rejected"], counts["rows"]) == (0, 36, 36)
