"""RTF control words that affect the text, and RTF code pages [RTF 1.9.1]."""

from __future__ import annotations

LINES = frozenset((
    "par", "line", "lbr", "sect", "page", "pagebb", "column", "row", "cell", "nestrow", "nestcell", "softline",
))  # fmt: skip
"""Words that end a line."""

CHARACTERS = {
    "tab": "\t",
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
}
"""Words for single characters."""

PASSED_OVER = frozenset((
    "stylesheet", "info", "pict", "nonshppict", "objdata", "objclass", "objname", "header", "headerl",
    "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "annotation", "atnid", "atnauthor", "atntime",
    "atndate", "atnicn", "atnref", "atnparent", "atrfstart", "atrfend", "bkmkstart", "bkmkend", "listtext",
    "pntext", "pntxta", "pntxtb", "xe", "tc", "tcn", "rxe", "sp", "shprslt", "upr", "listtable", "listoverridetable",
    "rsidtbl", "generator", "datastore", "themedata", "colorschememapping", "latentstyles", "template", "filetbl",
    "revtbl", "comment", "doccomm", "operator", "company", "subject", "keywords", "category", "manager", "hlinkbase",
    "creatim", "revtim", "printim", "buptim", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn",
    "private", "nextfile",
))  # fmt: skip
"""Destinations without document text."""

ENTERED = frozenset(("shpinst", "shptxt", "shpgrp", "fldrslt", "result", "ud", "footnote"))
"""Optional destinations that are read."""

PROPERTIES = {"title": "title", "author": "author", "fonttbl": "fonts", "colortbl": "colors"}
"""Destinations with metadata or tables of the document."""

HIDING = frozenset(("v", "deleted", "mvf", "htmlrtf"))
"""Words that hide text: hidden, deleted or moved, and the RTF version of encapsulated HTML."""

CHANNELS = ("red", "green", "blue")
"""Color channels in the order of the digits."""

BACKGROUNDS = ("highlight", "chcbpat", "cbpat", "cb")
"""Words that set a background, the closest to the letters first."""

SYMBOL = "symbol"
"""Fonts with pictograms instead of letters."""

CODE_PAGES = {
    437: "cp437",
    708: "iso8859-6",
    850: "cp850",
    852: "cp852",
    866: "cp866",
    874: "cp874",
    932: "cp932",
    936: "gb18030",
    949: "cp949",
    950: "big5hkscs",
    1250: "cp1250",
    1251: "cp1251",
    1252: "cp1252",
    1253: "cp1253",
    1254: "cp1254",
    1255: "cp1255",
    1256: "cp1256",
    1257: "cp1257",
    1258: "cp1258",
    1361: "johab",
    10000: "mac-roman",
    20936: "gb2312",
    54936: "gb18030",
    65001: "utf-8",
}
DOUBLE_BYTE = frozenset(("cp932", "gb18030", "gb2312", "cp949", "big5hkscs", "johab"))

CHARSETS = {
    0: "cp1252",
    2: SYMBOL,
    77: "mac-roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "big5hkscs",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""Code pages by font charset."""


def codec_of(code_page: int) -> str | None:
    """Return the codec of a Windows code page, or None if it is unknown."""
    return CODE_PAGES.get(code_page)


__all__ = [
    "CHARACTERS",
    "CHARSETS",
    "CODE_PAGES",
    "DOUBLE_BYTE",
    "ENTERED",
    "LINES",
    "PASSED_OVER",
    "PROPERTIES",
    "SYMBOL",
    "codec_of",
]
