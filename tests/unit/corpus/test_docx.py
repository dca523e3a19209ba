import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import docx
import pytest
from tests.office import write_docx

from whorl.corpus import Columns

FIRST = "昨天下午，市里举行了新图书馆的开馆仪式。"
LAST = "孩子们放学以后也有了可以去的地方。"
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STRICT = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"'


def save(path: Path) -> Path:
    """Save a document as Word does: heading, paragraphs, a table between them, properties."""
    document = docx.Document()
    document.core_properties.title = "新图书馆 开馆"
    document.core_properties.author = "王小明"
    document.core_properties.created = datetime(2024, 5, 2, 8, 30, tzinfo=UTC)
    document.add_heading("开馆", 1)
    document.add_paragraph(FIRST)
    table = document.add_table(rows=2, cols=2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"第{number}格"
    paragraph = document.add_paragraph("前\t后")
    paragraph.add_run().add_break()
    paragraph.add_run("换行").bold = True
    document.add_paragraph(LAST)
    document.save(path)
    return path


def parts(path: Path, **contents: str | bytes) -> Path:
    """Return an archive with the named parts, with a dot for an underscore and ``word/`` as a prefix."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(f"word/{name.replace('_', '.')}", content)
    return path


def body(inside: str, namespace: str = WORD) -> str:
    return f"<w:document {namespace}><w:body>{inside}</w:body></w:document>"


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def test_paragraphs_and_tables_are_the_document_in_their_order(tmp_path: Path, read) -> None:
    reading = read(save(tmp_path / "a.docx"))
    assert reading.texts == [f"开馆\n{FIRST}\n第0格\n第1格\n第2格\n第3格\n前 后\n换行\n{LAST}"]
    assert (reading.ids, reading.rows, reading.rejected) == ([None], [1], [])


def test_properties_can_be_asked_for(tmp_path: Path, read) -> None:
    reading = read(save(tmp_path / "a.docx"), Columns(("title", "author", "text"), "title", "date"))
    assert reading.texts[0].startswith("新图书馆 开馆\n王小明\n开馆\n")
    assert (reading.ids, reading.order) == (["新图书馆 开馆"], ["2024-05-02T08:30:00Z"])


@pytest.mark.parametrize("namespace", [WORD, STRICT])
def test_inserted_and_controlled_text_is_read_and_deleted_text_is_not(tmp_path: Path, read, namespace: str) -> None:
    inside = (
        f"<w:p>{run('一')}<w:ins>{run('二')}</w:ins><w:del><w:r><w:delText>旧</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('旧')}</w:moveFrom><w:hyperlink>{run('三')}</w:hyperlink></w:p>"
        f"<w:sdt><w:sdtContent><w:p>{run('四')}</w:p></w:sdtContent></w:sdt>"
        "<w:p><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
    )
    assert read(parts(tmp_path / "a.docx", document_xml=body(inside, namespace))).texts == ["一二三\n四"]


def test_a_text_box_is_read_once(tmp_path: Path, read) -> None:
    box = f"<w:txbxContent><w:p>{run('框')}</w:p></w:txbxContent>"
    compatible = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    both = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    alternatives = f"<mc:AlternateContent {compatible}>{both}</mc:AlternateContent>"
    inside = f"<w:p>{run('前')}<w:r>{alternatives}</w:r>{run('后')}</w:p>"
    assert read(parts(tmp_path / "a.docx", document_xml=body(inside))).texts == ["前\n框\n后"]


def test_notes_are_read_after_the_text(tmp_path: Path, read) -> None:
    notes = f"<w:footnotes {WORD}><w:footnote><w:p>{run('注')}</w:p></w:footnote></w:footnotes>"
    path = parts(tmp_path / "a.docx", document_xml=body(f"<w:p>{run('文')}</w:p>"), footnotes_xml=notes)
    assert read(path).texts == ["文\n注"]


def test_the_main_part_may_have_another_name(tmp_path: Path, read) -> None:
    path = parts(tmp_path / "a.docx", document2_xml=body(f"<w:p>{run('文')}</w:p>"))
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("_rels/.rels", f'<R><Relationship Type="{kind}" Target="/word/document2.xml"/></R>')
    assert read(path).texts == ["文"]


def test_nothing_is_expanded_or_opened(tmp_path: Path, read) -> None:
    (tmp_path / "secret").write_text("the secret", encoding="utf-8")
    declared = f'<!DOCTYPE a [<!ENTITY s SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
    reading = read(parts(tmp_path / "a.docx", document_xml=declared + body(f"<w:p>{run('&s;')}</w:p>")))
    assert (reading.texts, reading.reasons) == (
        [],
        ["the document declares XML entities, which Word never writes: save it again as .docx"],
    )


def test_a_document_that_unpacks_beyond_the_limit_is_rejected(
    tmp_path: Path, read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whorl.corpus.formats.office.docx.MOST_XML_BYTES", 10**6)
    path = parts(tmp_path / "a.docx", document_xml=body(" " * 10**6))
    assert path.stat().st_size < 10**4
    assert read(path, isolated=False).reasons == ["the document unpacks to more than 1000000 bytes: divide it"]


def test_parts_nested_beyond_reason_are_read(tmp_path: Path, read) -> None:
    inside = f"{'<w:sdt>' * 100_000}<w:p>{run('文')}</w:p>{'</w:sdt>' * 100_000}"
    assert read(parts(tmp_path / "a.docx", document_xml=body(inside))).texts == ["文"]


def archive_without(part: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(part, "x")
    return buffer.getvalue()


def encrypted(data: bytes) -> bytes:
    """Return the archive with the flags of encryption set."""
    return data.replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01").replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"plain text", "the file is not a DOCX document, or is damaged"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 512, "the document has a password, or was saved by Word 2003"),
        (archive_without("other"), "the file is not a DOCX document, it has no part word/document.xml"),
        (archive_without("word/document.xml"), "the file is not a DOCX document, or is damaged"),
        (encrypted(archive_without("word/document.xml")), "the file is not a DOCX document, or is damaged"),
    ],
)
def test_what_is_no_document_is_rejected_byte_for_byte(tmp_path: Path, read, data: bytes, reason: str) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(data)
    reading = read(path)
    assert (reading.texts, len(reading.rejected)) == ([], 1)
    assert reading.reasons[0].startswith(reason)
    assert reading.rejected_bytes == data


def test_a_document_without_text_is_rejected(tmp_path: Path, read) -> None:
    docx.Document().save(tmp_path / "a.docx")
    assert read(tmp_path / "a.docx").reasons == ["the document is empty: check that it is the right file"]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_part_of_a_document_is_rejected(tmp_path: Path, read, share: float) -> None:
    whole = save(tmp_path / "whole.docx").read_bytes()
    (tmp_path / "a.docx").write_bytes(whole[: int(share * len(whole))])
    assert read(tmp_path / "a.docx").reasons == [
        "the file is not a DOCX document, or is damaged: save it again as .docx"
    ]


def test_a_changed_byte_anywhere_is_a_document_or_a_rejection(tmp_path: Path, read) -> None:
    whole = save(tmp_path / "whole.docx").read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 200)):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        (tmp_path / "a.docx").write_bytes(changed)
        reading = read(tmp_path / "a.docx")
        assert len(reading.texts) + len(reading.rejected) == 1


@pytest.mark.parametrize("encoding", ["nowhere", "utf-99", "cp037", "punycode"])
def test_a_part_in_an_unknown_encoding_is_rejected(tmp_path: Path, read, encoding: str) -> None:
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>'.encode()
    whole = save(tmp_path / "whole.docx")
    with zipfile.ZipFile(whole) as parts, zipfile.ZipFile(tmp_path / "a.docx", "w") as changed:
        for name in parts.namelist():
            data = parts.read(name)
            changed.writestr(name, declaration + data.split(b"?>", 1)[-1] if name == "word/document.xml" else data)
    assert read(tmp_path / "a.docx").reasons == [
        "the file is not a DOCX document, or is damaged: save it again as .docx"
    ]


def test_a_document_is_copied_byte_for_byte_and_no_other_is_made(tmp_path: Path, keep_rows) -> None:
    path = save(tmp_path / "a.docx")
    assert keep_rows(path, [1], 1).read_bytes() == path.read_bytes()
    (tmp_path / "kept/a.docx").unlink()
    assert not keep_rows(path, [], 1).exists()


def test_documents_are_embedded_to_a_depth_and_together_within_the_limit(
    tmp_path: Path, read, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = '<w:altChunk r:id="a"/>'
    path = write_docx(tmp_path / "0.docx", f"<w:p>{run('文')}</w:p>")
    for depth in range(1, 6):
        inner, path = path.read_bytes(), tmp_path / f"{depth}.docx"
        write_docx(path, chunk, links={"a": "aFChunk c.docx"})
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("word/c.docx", inner)
        if depth < 5:
            assert read(path).texts == ["文"]
    reason = "documents are nested deeper than 4 levels: save the innermost as a file"
    assert read(path).reasons == [f"the embedded part word/c.docx cannot be read: {reason}"]
    monkeypatch.setattr("whorl.corpus.formats.office.docx.MOST_XML_BYTES", 10**5)
    write_docx(path, 20 * chunk, links={"a": "aFChunk c.txt"}, parts={"word/c.txt": "a" * 10**4})
    assert read(path, isolated=False).reasons == ["the document unpacks to more than 100000 bytes: divide it"]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("spreadsheetml.sheet", "the file is a workbook, not a Word document: rename it to .xlsx"),
        ("presentationml.presentation", "the file is a presentation, not a Word document: export it as PDF"),
    ],
)
def test_documents_of_other_programs_are_named(tmp_path: Path, read, kind: str, reason: str) -> None:
    kind = f"application/vnd.openxmlformats-officedocument.{kind}.main+xml"
    path = write_docx(tmp_path / "a.docx", "", main="x/main.xml", content_type=kind)
    assert read(path).reasons == [reason]


OLD_WORD = 'xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"'
FLAT = 'xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"'


@pytest.mark.parametrize("suffix", ["xml", "doc", "docx"])
def test_documents_of_one_xml_file_are_read(tmp_path: Path, read, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>甲</w:t></w:r>"
    header = f"<w:sectPr><w:hdr><w:p>{run('眉')}</w:p></w:hdr></w:sectPr>"
    inside = f"<w:body><w:p>{run('文')}{hidden}{run('章')}</w:p>{header}</w:body>"
    declaration = '<?xml version="1.0"?><?mso-application progid="Word.Document"?>'
    path.write_text(f"{declaration}<w:wordDocument {OLD_WORD}>{inside}</w:wordDocument>", encoding="utf-8")
    assert read(path).texts == ["文章"]
    parts = "".join(
        f'<pkg:part pkg:name="/word/{kind}.xml" pkg:contentType="application/x.{kind}+xml"><pkg:xmlData>'
        f"<w:{kind} {WORD}><w:p>{run(kind)}</w:p></w:{kind}></pkg:xmlData></pkg:part>"
        for kind in ("header", "document.main", "footnotes", "glossary")
    )
    path.write_text(f"{declaration}<pkg:package {FLAT}>{parts}</pkg:package>", encoding="utf-8")
    assert read(path).texts == ["document.main\nfootnotes"]


def test_plain_xml_is_text(tmp_path: Path, read) -> None:
    (tmp_path / "a.xml").write_text("<?xml version='1.0'?><a>文</a>", encoding="utf-8")
    assert read(tmp_path / "a.xml").source.format == "text"
