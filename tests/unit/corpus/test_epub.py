"""EPUB books of pandoc, and invalid imitations."""

import zipfile
from pathlib import Path

import pytest

from whorl.corpus import Columns

DATA = Path(__file__).parent / "data"
CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
PAGE = "<html><head><title>章</title></head><body><h1>{0}</h1><p>{0}的正文。</p></body></html>"
NO_PAGES = "the book has no text: get another edition"
DAMAGED = "the file is not an EPUB book, or is damaged: fetch it again"


def package(items: str, order: str, message: str = "") -> str:
    core = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return (
        f'<package xmlns="http://www.idpf.org/2007/opf" {core}><metadata>{message}</metadata>'
        f"<manifest>{items}</manifest><spine>{order}</spine></package>"
    )


def item(id_: str, path: str, properties: str = "", kind: str = "application/xhtml+xml") -> str:
    return f'<item id="{id_}" href="{path}" media-type="{kind}" properties="{properties}"/>'


def order(*ids: str) -> str:
    return "".join(f'<itemref idref="{id_}"/>' for id_ in ids)


ITEMS = item("b", "text/%E4%B8%8B.xhtml") + item("a", "text/1.xhtml") + item("n", "nav.xhtml", "nav")
BOOK = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": package(ITEMS, order("n", "a", "b")),
    "OEBPS/text/1.xhtml": PAGE.format("上"),
    "OEBPS/text/下.xhtml": PAGE.format("下"),
    "OEBPS/nav.xhtml": PAGE.format("目录"),
}


def save(path: Path, **changed: str | bytes) -> Path:
    parts: dict[str, str | bytes] = {
        **BOOK,
        **{name.replace("__", "/").replace("_", "."): part for name, part in changed.items()},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return path


def test_a_book_of_another_program_is_read(read) -> None:
    reading = read(DATA / "pandoc/article.epub", Columns(others=True))
    lines = reading.texts[0].split("\n")
    assert "昨天下午，市里举行了新图书馆的开馆仪式。馆长介绍说，藏书共三十万册，“欢迎大家”来读书1。" in lines
    assert "生僻字：镕、喆、𠮷、㐂。English words & “quotes” — café." in lines
    assert reading.others == [
        {"title": "新图书馆开馆", "author": "王小明", "date": "2024-05-02", "url": None, "id": reading.ids[0]}
    ]
    assert reading.ids[0].startswith("urn:uuid:")


def test_chapters_are_read_in_their_order_and_the_contents_are_not(read, tmp_path: Path) -> None:
    assert read(save(tmp_path / "a.epub")).texts == ["上\n上的正文。\n下\n下的正文。"]


def test_several_authors_are_named(read, tmp_path: Path) -> None:
    text = "<dc:title>书 名</dc:title><dc:creator>甲</dc:creator><dc:creator>乙</dc:creator>"
    path = save(tmp_path / "a.epub", OEBPS__book_opf=package(ITEMS, order("a"), text))
    assert read(path, Columns(("author", "title"))).texts == ["甲, 乙\n书 名"]


def test_a_protected_book_is_named(read, tmp_path: Path) -> None:
    space = 'xmlns:e="http://www.w3.org/2001/04/xmlenc#"'
    cipher = "<a {0}><e:EncryptedData><e:CipherData><e:CipherReference URI='{1}'/></e:CipherData></e:EncryptedData></a>"
    path = tmp_path / "a.epub"
    with zipfile.ZipFile(save(path), "a") as archive:
        archive.writestr("META-INF/encryption.xml", cipher.format(space, "OEBPS/text/1.xhtml"))
    assert read(path).reasons == ["the book is protected (DRM): get it without protection, or its text"]
    with zipfile.ZipFile(save(path), "a") as archive:
        archive.writestr("META-INF/encryption.xml", cipher.format(space, "OEBPS/font.otf"))
    assert len(read(path).texts) == 1


def test_a_book_that_unpacks_beyond_the_limit_is_rejected(read, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("whorl.corpus.formats.web.epub.MOST_XML_BYTES", 10**6)
    path = save(tmp_path / "a.epub", OEBPS__text__1_xhtml=" " * 10**6)
    assert path.stat().st_size < 10**4
    assert read(path, isolated=False).reasons == ["the book unpacks to more than 1000000 bytes: divide it"]


def test_nothing_is_expanded(read, tmp_path: Path) -> None:
    declared = "<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>"
    path = save(tmp_path / "a.epub", OEBPS__book_opf=declared + package(ITEMS, order("a"), "<dc:title>&b;</dc:title>"))
    assert read(path).reasons == ["the book declares XML entities, which publishers never write: convert it again"]


def test_an_older_package_with_a_document_type_is_read(read, tmp_path: Path) -> None:
    old = '<!DOCTYPE package PUBLIC "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN" "oebpkg12.dtd">'
    assert len(read(save(tmp_path / "a.epub", OEBPS__book_opf=old + package(ITEMS, order("a")))).texts) == 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"META-INF__container_xml": "<a/>"}, DAMAGED),
        ({"META-INF__container_xml": "broken"}, DAMAGED),
        ({"OEBPS__book_opf": "<a><b></a>"}, DAMAGED),
        ({"OEBPS__book_opf": package("", "")}, NO_PAGES),
        (
            {"OEBPS__book_opf": package("", order("a"))},
            "1 of 1 chapters are missing or unreadable, such as a: get the book again",
        ),
    ],
)
def test_what_is_no_book_is_rejected(read, tmp_path: Path, changed: dict[str, str], reason: str) -> None:
    assert read(save(tmp_path / "a.epub", **changed)).reasons == [reason]


def test_a_kindle_book_is_named(read, tmp_path: Path) -> None:
    (tmp_path / "a.epub").write_bytes(b"t".ljust(60, b"\0") + b"BOOKMOBI")
    assert read(tmp_path / "a.epub").reasons == ["the file is a Kindle book: convert it to EPUB"]


@pytest.mark.parametrize("data", [b"", b"plain", b"PK\3\4"])
def test_what_is_no_archive_is_rejected_byte_for_byte(read, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.epub"
    path.write_bytes(data)
    reading = read(path)
    assert (reading.texts, len(reading.reasons), reading.rejected_bytes) == ([], 1, data)


def test_a_changed_byte_anywhere_is_a_book_or_a_rejection(read, tmp_path: Path) -> None:
    whole = (DATA / "pandoc/article.epub").read_bytes()
    for place in range(0, len(whole), 61):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        (tmp_path / "a.epub").write_bytes(changed)
        reading = read(tmp_path / "a.epub")
        assert len(reading.texts) + len(reading.rejected) == 1
