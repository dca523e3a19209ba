"""Small office documents and books, written by hand: every byte is fixed, whatever program is installed."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

_TRANSITIONAL = "http://schemas.openxmlformats.org/{}"
_STRICT = "http://purl.oclc.org/ooxml/{}"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_COMPATIBLE = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF_SPACES = {
    "office": "office:1.0",
    "text": "text:1.0",
    "table": "table:1.0",
    "draw": "drawing:1.0",
    "style": "style:1.0",
    "form": "form:1.0",
    "svg": "svg-compatible:1.0",
    "fo": "xsl-fo-compatible:1.0",
}
_FONTS = rb"{\fonttbl{\f0\fnil\fcharset0 Times;}}"
_COLORS = rb"{\colortbl;\red0\green0\blue0;\red255\green255\blue255;\red0\green0\blue96;}"


def write_docx(
    path: Path,
    body: str,
    *,
    parts: Mapping[str, str] | None = None,
    links: Mapping[str, str] | None = None,
    styles: str = "",
    main: str = "word/document.xml",
    spelled: str | None = None,
    content_type: str = _MAIN_TYPE,
    strict: bool = False,
) -> Path:
    """Write a Word document; ``<P>``, ``<R>`` and ``<T>`` in its parts are short for ``w:p``, ``w:r`` and ``w:t``.

    Args:
        path: output path.
        body: the content of ``w:body``.
        parts: further parts by name.
        links: relationships of the main part by id, each as "kind target".
        styles: the content of ``w:styles``; empty for no part.
        main: the name of the main part.
        spelled: its spelling in the relationship of the package.
        content_type: content type of the main part.
        strict: whether to use the namespaces of strict documents.
    """
    space = _STRICT if strict else _TRANSITIONAL
    related = space.format("officeDocument/" + ("" if strict else "2006/") + "relationships")
    word = space.format("wordprocessingml/main" if strict else "wordprocessingml/2006/main")
    spaces = f'xmlns:w="{word}" xmlns:r="{related}" xmlns:mc="{_COMPATIBLE}"'
    links = {**(links or {}), **({"styles": "styles styles.xml"} if styles else {})}
    folder, _, name = main.rpartition("/")
    written = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="htm" ContentType="text/html"/>'
        f'<Override PartName="/{main}" ContentType="{content_type}"/></Types>',
        "_rels/.rels": _relationships({"rId1": f"officeDocument {spelled or main}"}, related),
        f"{folder}/_rels/{name}.rels": _relationships(links, related),
        main: f"<w:document {spaces}><w:body>{_short(body)}</w:body></w:document>",
        **{name: _with_spaces(part, spaces) for name, part in (parts or {}).items()},
    }
    if styles:
        written[f"{folder}/styles.xml"] = f"<w:styles {spaces}>{styles}</w:styles>"
    return _write(path, written)


def _relationships(links: Mapping[str, str], base: str) -> str:
    pairs = {id: link.split(" ", 1) for id, link in links.items()}
    inside = "".join(
        f'<Relationship Id="{id}" Type="{base}/{kind}" Target={quoteattr(target)}/>'
        for id, (kind, target) in pairs.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'


def _short(xml: str) -> str:
    for short in "PRT":
        for start, end in (("<", ">"), ("</", ">"), ("<", "/>")):
            xml = xml.replace(f"{start}{short}{end}", f"{start}w:{short.lower()}{end}")
    return xml


def _with_spaces(part: str, spaces: str) -> str:
    return _short(part.replace(">", f" {spaces}>", 1)) if part.startswith("<w:") else part


def paragraphs(lines: Sequence[str], run: str = "<R><T>{}</T></R>") -> str:
    """Return lines as paragraphs of a Word document."""
    return "".join(f"<P>{run.format(escape(line))}</P>" for line in lines)


def write_odt(path: Path, body: str, *, automatic: str = "", common: str = "") -> Path:
    """Write an OpenDocument text; ``path`` ends with .odt, or with .fodt for one XML file.

    Args:
        path: output path.
        body: the content of ``office:text``.
        automatic: the content of ``office:automatic-styles``.
        common: the content of ``office:styles``.
    """
    spaces = " ".join(f'xmlns:{prefix}="{_ODF}{name}"' for prefix, name in _ODF_SPACES.items())
    styles = f"<office:styles>{common}</office:styles>"
    content = (
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body>"
    )
    if path.suffix == ".fodt":
        path.write_text(f"<office:document {spaces}>{styles}{content}</office:document>", encoding="utf-8")
        return path
    return _write(
        path,
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {spaces}>{content}</office:document-content>",
            "styles.xml": f"<office:document-styles {spaces}>{styles}</office:document-styles>",
        },
    )


def write_rtf(path: Path, body: str) -> Path:
    """Write an RTF document with colors 1 black, 2 white and 3 dark blue; non-ASCII text is escaped."""
    path.write_bytes(rb"{\rtf1\ansi\deff0\uc0" + _FONTS + _COLORS + rb"\pard\plain " + rtf_text(body) + b"}")
    return path


def rtf_text(text: str) -> bytes:
    """Return text for RTF, with non-ASCII characters escaped."""
    units = (
        character.encode("ascii")
        if character.isascii()
        else b"".join(b"\\u%d " % (int.from_bytes(pair, "little")) for pair in _pairs(character.encode("utf-16-le")))
        for character in text
    )
    return b"".join(units)


def _pairs(data: bytes) -> list[bytes]:
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def write_epub(
    path: Path,
    items: Sequence[str],
    order: Sequence[str],
    pages: Mapping[str, str],
    *,
    guide: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
) -> Path:
    """Write a book.

    Args:
        path: output path.
        items: items of its package, each as "id type address [properties]".
        order: the ids of its spine.
        pages: the bodies of pages by name below OEBPS/.
        guide: references, each as "type address".
        files: other parts below OEBPS/.
    """
    parsed = (item.split(" ") for item in items)
    listed = "".join(
        f'<item id="{id}" media-type="{kind}" href={quoteattr(href)} properties="{" ".join(properties)}"/>'
        for id, kind, href, *properties in parsed
    )
    spine = "".join(f'<itemref idref="{id}"/>' for id in order)
    references = "".join(
        f'<reference type="{kind}" href="{href}"/>' for kind, href in (reference.split(" ") for reference in guide)
    )
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{listed}</manifest>'
        f"<spine>{spine}</spine><guide>{references}</guide></package>"
    )
    head = '<head><title>t</title><link rel="stylesheet" href="style.css"/></head>'
    space = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
    return _write(
        path,
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfile full-path="OEBPS/b.opf"/></container>',
            "OEBPS/b.opf": package,
            **{f"OEBPS/{name}": f"<html {space}>{head}<body>{body}</body></html>" for name, body in pages.items()},
            **{f"OEBPS/{name}": data for name, data in (files or {}).items()},
        },
    )


def _write(path: Path, parts: Mapping[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


__all__ = ["paragraphs", "rtf_text", "write_docx", "write_epub", "write_odt", "write_rtf"]
