r"""Text of a WordprocessingML part, as a reader of the document sees it [ECMA-376-1, 17].

The XML contains more than Word displays. Left out are deleted and moved text of tracked changes, ruby readings, field
instructions, tables of contents, placeholders of empty forms, and text hidden by formatting. Hidden text is counted,
since its purpose is to disguise a copy. Only one of several alternative contents is read.

A field that never ends must not swallow the document: the text it would leave out is kept until the field ends, and
restored at the end of the part. This also protects files that were truncated or edited by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from whorl.corpus.formats.office.docx_bindings import Bindings
from whorl.corpus.formats.office.docx_styles import AUTOMATIC, UNKNOWN_FILL, WORD_NAMESPACES, DocxStyles, RunFormat
from whorl.corpus.formats.office.hidden_text import WHITE, count_characters, is_invisible
from whorl.corpus.formats.office.word_fields import CHECKED, combined_base, is_contents

_PREFIXES = {
    **dict.fromkeys(WORD_NAMESPACES, ""),
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}": "m:",
    "{http://purl.oclc.org/ooxml/officeDocument/math}": "m:",
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}": "mc:",
    "{http://schemas.openxmlformats.org/drawingml/2006/main}": "a:",
    "{http://purl.oclc.org/ooxml/drawingml/main}": "a:",
    "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}": "wp:",
    "{http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing}": "wp:",
    "{http://schemas.microsoft.com/office/word/2010/wordml}": "w14:",
    "{http://schemas.microsoft.com/office/2006/xmlPackage}": "pkg:",
    "{urn:schemas-microsoft-com:vml}": "v:",
    "{urn:schemas-microsoft-com:office:office}": "o:",
}
_LEFT_OUT = frozenset(("moveFrom", "del", "rt", "rubyPr", "delText", "delInstrText", "numPr", "binData", "hdr", "ftr"))
_TEXT_PARTS = (".main+xml", ".footnotes+xml", ".endnotes+xml")
_RUNS = frozenset(("r", "m:r"))
_CHARACTERS = {"tab": "\t", "ptab": "\t", "noBreakHyphen": "-"}
_MOST_INSTRUCTION = 2_000
_MOST_CHOICES = 1_000
_MOST_AROUND = 16
"""Maximum number of enclosing tables that are searched for the background of a cell."""
_SYMBOL_FONTS = re.compile(r"symbol|wingdings|webdings|dingbats", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"(?:click|tap|click or tap|choose|enter|select) (?:here|an|any|a|text|or)\b.{0,80}"
    r"|(?:单击|點選|点击|按一下|單擊|点按)(?:或|此处|這裡|此處|这里|以).{0,30}|选择一项。?|選擇一個項目。?",
    re.IGNORECASE,
)
_TRANSPARENT = 90_000
"""In thousandths of a percent: above this, letters are invisible."""
_LARGE_PICTURE_EMU = 0.5 * 7_560_000 * 10_692_000
"""Half of a page of A4, in square English metric units."""


@dataclass(slots=True)
class _WordParagraph:
    style: str = ""
    fill: str | None = None
    is_contents: bool = False
    joins_next: bool = False


@dataclass(slots=True)
class _WordRun:
    style: str = ""
    direct: RunFormat = field(default_factory=RunFormat)


@dataclass(slots=True)
class _ContentControl:
    """A content control: whether it is a table of contents or shows its placeholder, and its data binding."""

    is_contents: bool = False
    is_placeholder: bool = False
    binding: str = ""


@dataclass(slots=True)
class _WordField:
    """An open field: its instruction up to here, whether its result has begun, and the value of a form field."""

    instruction: str = ""
    in_result: bool = False
    choices: list[str] = field(default_factory=list)
    chosen: int = 0
    is_checked: bool = False
    is_contents: bool = False
    line: int = 0
    left_out: list[str] = field(default_factory=list)


@dataclass(slots=True)
class EmbeddedChunk:
    """Position in the text of an embedded part (``w:altChunk``) or another file (``w:subDoc``).

    Attributes:
        relationship: the id of its relationship.
        is_file: whether it is another file.
    """

    relationship: str
    is_file: bool = False


class DocxTextTarget:
    """Parser target that collects the lines of a part.

    Attributes:
        lines: the text of paragraphs and cells in order, and the chunks between them.
        hidden: number of characters hidden by formatting.
        contents: number of characters in tables of contents.
        pictures: number of pictures in the text.
        large_pictures: number of pictures that fill at least half a page.
        objects: number of objects of other programs, such as workbooks.
    """

    def __init__(self, styles: DocxStyles, bindings: Bindings | None = None) -> None:
        self._bindings = bindings or Bindings()
        self.lines: list[str | EmbeddedChunk] = []
        self.hidden = self.contents = 0
        self.pictures = self.large_pictures = self.objects = 0
        self._styles = styles
        self._names: dict[str, str] = {}
        self._path: list[str] = []
        self._left_out = 0  # depth below the omitted element
        self._pieces: list[str] = []
        self._text: list[str] = []
        self._written = 0
        self._paragraphs: list[_WordParagraph] = []
        self._runs: list[_WordRun] = []
        self._fields: list[_WordField] = []
        self._suppressing: _WordField | None = None  # the outermost field that suppresses its text
        self._tables: list[bool] = []
        self._rows: list[bool] = []
        self._cells: list[str | None] = []
        self._controls: list[_ContentControl] = []
        self._alternatives: list[int] = []
        self._boxes = 0
        self._area = 0  # of the current drawing
        self._has_background = False
        self._joins = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        if self._left_out:
            self._left_out += 1
            return
        name = self._names.get(tag) or self._name(tag)
        self._path.append(name)
        handler = self._STARTS.get(name)
        if handler is not None:
            handler(self, attributes)
        elif name in _LEFT_OUT or (name == "sdtContent" and self._is_replaced()):
            self._leave_out(name)
        elif len(self._path) > 1:
            parent = self._path[-2]
            if parent in ("rPr", "pPr", "tcPr"):
                self._property(parent, name, attributes)
            elif parent in _RUNS and name in _CHARACTERS:
                self._say(_CHARACTERS[name])
            elif parent in _RUNS and name in ("br", "cr"):
                self._break()

    def data(self, text: str) -> None:
        """Handle character data."""
        if not self._left_out and self._path and self._path[-1] in ("t", "m:t", "instrText"):
            self._text.append(text)

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        del tag
        if self._left_out > 1:
            self._left_out -= 1
            return
        self._left_out = 0
        name = self._path.pop()
        handler = self._ENDS.get(name)
        if handler is not None:
            handler(self)

    def finish(self) -> None:
        """Finish the part: restore text that fields without an end would have left out."""
        self._break()
        for open_field in self._fields:
            text = "".join(open_field.left_out)
            self.lines[open_field.line : open_field.line] = [
                line for part in text.split("\n") if (line := " ".join(part.split()))
            ]
        self._fields.clear()
        self._suppressing = None

    def _name(self, tag: str) -> str:
        space, _, local = tag.rpartition("}")
        prefix = _PREFIXES.get(f"{space}}}")
        name = "?" if prefix is None else prefix + local
        if len(self._names) < 10_000:
            self._names[tag] = name
        return name

    def _leave_out(self, name: str) -> None:
        """Omit the element that begins, except a mark of deletion, which has no content."""
        if name == "del" and self._path[-2:-1] in (["rPr"], ["trPr"]):
            self._deletion_mark()
            return
        self._left_out = 1

    def _deletion_mark(self) -> None:
        if self._path[-2] == "trPr" and self._rows:
            self._rows[-1] = True
        elif self._path[-3:-2] == ["pPr"] and self._paragraphs:
            self._paragraphs[-1].joins_next = True

    # Structure

    def _start_paragraph(self, attributes: dict[str, str]) -> None:
        del attributes
        if not self._joins:
            self._break()
        self._joins = False
        self._paragraphs.append(_WordParagraph())

    def _end_paragraph(self) -> None:
        paragraph = self._paragraphs.pop()
        if paragraph.is_contents:
            self.contents += count_characters("".join(self._pieces))
            self._pieces.clear()
        self._joins = paragraph.joins_next
        if not self._joins:
            self._break()

    def _break(self) -> None:
        if self._suppressing is not None:
            self._suppressing.left_out.append("\n")
        if line := " ".join("".join(self._pieces).split()):
            self.lines.append(line)
        self._pieces.clear()

    def _start_run(self, attributes: dict[str, str]) -> None:
        del attributes
        self._runs.append(_WordRun())

    def _end_run(self) -> None:
        self._runs.pop()

    def _start_table(self, attributes: dict[str, str]) -> None:
        del attributes
        self._tables.append(False)

    def _end_table(self) -> None:
        self._tables.pop()

    def _table_style(self, attributes: dict[str, str]) -> None:
        if self._tables:
            self._tables[-1] = _value(attributes) in self._styles.colored_tables

    def _start_row(self, attributes: dict[str, str]) -> None:
        del attributes
        self._rows.append(False)

    def _end_row(self) -> None:
        self._rows.pop()

    def _start_cell(self, attributes: dict[str, str]) -> None:
        del attributes
        if self._rows and self._rows[-1]:
            self._left_out = 1
        self._cells.append(None)

    def _end_cell(self) -> None:
        self._cells.pop()

    def _start_box(self, attributes: dict[str, str]) -> None:
        del attributes
        self._boxes += 1

    def _end_box(self) -> None:
        self._boxes -= 1

    def _start_control(self, attributes: dict[str, str]) -> None:
        del attributes
        self._controls.append(_ContentControl())

    def _end_control(self) -> None:
        self._controls.pop()

    def _placeholder(self, attributes: dict[str, str]) -> None:
        if self._controls:
            self._controls[-1].is_placeholder = _is_on(attributes)

    def _gallery(self, attributes: dict[str, str]) -> None:
        if self._controls and _value(attributes).lower() == "table of contents":
            self._controls[-1].is_contents = True

    def _binding(self, attributes: dict[str, str]) -> None:
        if self._controls:
            path = next((value for key, value in attributes.items() if key.endswith("}xpath")), "")
            self._controls[-1].binding = path

    def _is_replaced(self) -> bool:
        """True if the content of the new control is not text: a table of contents, or an outdated placeholder."""
        control = self._controls[-1] if self._controls else _ContentControl()
        if control.is_contents:
            return True
        if control.is_placeholder and control.binding and (value := self._bindings.value(control.binding)):
            self._say(value)
            return True
        return False

    def _background(self, attributes: dict[str, str]) -> None:
        del attributes
        self._has_background = True

    def _start_alternatives(self, attributes: dict[str, str]) -> None:
        del attributes
        self._alternatives.append(self._written)

    def _end_alternatives(self) -> None:
        self._alternatives.pop()

    def _alternative(self, attributes: dict[str, str]) -> None:
        """Read the first alternative that has text: later ones repeat it for older programs."""
        del attributes
        if self._alternatives and self._written > self._alternatives[-1]:
            self._left_out = 1

    def _chunk(self, attributes: dict[str, str]) -> None:
        self._break()
        self.lines.append(EmbeddedChunk(_relationship(attributes)))

    def _file(self, attributes: dict[str, str]) -> None:
        self._break()
        self.lines.append(EmbeddedChunk(_relationship(attributes), is_file=True))

    def _picture(self, attributes: dict[str, str]) -> None:
        del attributes
        self.pictures += 1
        self.large_pictures += self._area >= _LARGE_PICTURE_EMU
        self._area = 0

    def _extent(self, attributes: dict[str, str]) -> None:
        sides = [attributes.get(name, "") for name in ("cx", "cy")]
        if all(side.isdecimal() and len(side) < 12 for side in sides):
            self._area = int(sides[0]) * int(sides[1])

    def _object(self, attributes: dict[str, str]) -> None:
        del attributes
        self.objects += 1

    def _no_fill(self, attributes: dict[str, str]) -> None:
        del attributes
        if self._runs and self._path[-2:-1] == ["w14:textFill"]:
            self._runs[-1].direct.is_tiny = True

    def _transparency(self, attributes: dict[str, str]) -> None:
        value = _value(attributes)
        if self._runs and "w14:textFill" in self._path[-5:-1] and value.isdecimal() and len(value) < 9:
            self._runs[-1].direct.is_tiny = int(value) >= _TRANSPARENT or self._runs[-1].direct.is_tiny

    def _text_fill(self, attributes: dict[str, str]) -> None:
        if self._runs and self._path[-3:-1] == ["w14:textFill", "w14:solidFill"]:
            self._runs[-1].direct.take("color", attributes)

    def _part(self, attributes: dict[str, str]) -> None:
        """Handle the start of a part in a single-file document; parts without document text are omitted."""
        kind = next((value for key, value in attributes.items() if key.endswith("}contentType")), "")
        if not kind.endswith(_TEXT_PARTS):
            self._left_out = 1

    # Fields

    def _field_character(self, attributes: dict[str, str]) -> None:
        kind = next((value for key, value in attributes.items() if key.endswith("fldCharType")), "")
        if kind == "begin":
            self._fields.append(_WordField(line=len(self.lines)))
            self._suppressing = self._suppressing or self._fields[-1]
        elif not self._fields:
            return
        elif kind == "separate":
            top = self._fields[-1]
            top.in_result, top.is_contents = True, is_contents(top.instruction)
            if top is self._suppressing and not top.is_contents:
                self._suppressing = None
        elif kind == "end":
            ended = self._fields.pop()
            if ended is self._suppressing:
                self._suppressing = None
            if ended.is_contents:
                self.contents += count_characters("".join(ended.left_out))
            elif not ended.in_result or ended.choices or ended.is_checked:
                self._say(_shown_by(ended))

    def _choice(self, attributes: dict[str, str]) -> None:
        if self._fields and len(self._fields[-1].choices) < _MOST_CHOICES:
            self._fields[-1].choices.append(_value(attributes))

    def _chosen(self, attributes: dict[str, str]) -> None:
        value = _value(attributes)
        if self._fields and value.isdecimal() and len(value) < 6:
            self._fields[-1].chosen = int(value)

    def _check(self, attributes: dict[str, str]) -> None:
        """Set whether a box is checked; the last statement wins, and the default comes first."""
        if self._fields and self._path[-2:-1] == ["checkBox"]:
            self._fields[-1].is_checked = _is_on(attributes)

    def _check_control(self, attributes: dict[str, str]) -> None:
        if self._controls and _is_on(attributes):
            self._say(CHECKED)

    def _simple_field(self, attributes: dict[str, str]) -> None:
        instruction = next((value for key, value in attributes.items() if key.endswith("instr")), "")
        if is_contents(instruction):
            self._left_out = 1

    def _end_instruction(self) -> None:
        text = self._instruction_text()
        if self._fields and len(self._fields[-1].instruction) < _MOST_INSTRUCTION:
            self._fields[-1].instruction += text[:_MOST_INSTRUCTION]

    # Text

    def _start_text(self, attributes: dict[str, str]) -> None:
        del attributes
        self._text.clear()

    def _end_text(self) -> None:
        text = self._instruction_text()
        if self._controls and self._controls[-1].is_placeholder and _PLACEHOLDER.fullmatch(text.strip()):
            return
        self._say(text)

    def _instruction_text(self) -> str:
        text = "".join(self._text)
        self._text.clear()
        return text

    def _symbol(self, attributes: dict[str, str]) -> None:
        values = {key.rpartition("}")[2]: value for key, value in attributes.items()}
        try:
            code = int(values.get("char", ""), 16)
        except ValueError:
            return
        if _SYMBOL_FONTS.search(values.get("font", "")) or not 0x20 <= code < 0xD800:
            return  # a picture in place of a letter
        self._say(chr(code))

    def _say(self, text: str) -> None:
        if not text:
            return
        self._written += len(text)
        if self._suppressing is not None:
            self._suppressing.left_out.append(text)
        elif self._is_hidden():
            self.hidden += count_characters(text)
        else:
            self._pieces.append(text)

    def _is_hidden(self) -> bool:
        if not self._runs:
            return False
        run, paragraph = self._runs[-1], self._paragraphs[-1] if self._paragraphs else _WordParagraph()
        formatting = run.direct.over(self._styles.format(paragraph.style, run.style))
        if formatting.vanishes or formatting.is_tiny:
            return True
        if formatting.color in (None, AUTOMATIC):
            return False
        fill = (
            formatting.fill
            or paragraph.fill
            or next((fill for fill in reversed(self._cells[-_MOST_AROUND:]) if fill), None)
        )
        if fill is None:
            fill = UNKNOWN_FILL if self._boxes or self._has_background or any(self._tables[-_MOST_AROUND:]) else WHITE
        return fill != UNKNOWN_FILL and is_invisible(formatting.color, fill)

    def _property(self, parent: str, name: str, attributes: dict[str, str]) -> None:
        """Set a property of a run, a paragraph or a cell; properties of a former version have another parent."""
        around = self._path[-3:-2]
        if parent == "rPr" and around and around[0] in _RUNS and self._runs:
            if name == "rStyle":
                self._runs[-1].style = _value(attributes)
            else:
                self._runs[-1].direct.take(name, attributes)
        elif parent == "pPr" and around == ["p"] and self._paragraphs:
            paragraph = self._paragraphs[-1]
            if name == "pStyle":
                paragraph.style = _value(attributes)
                paragraph.is_contents = self._styles.is_contents(paragraph.style)
            elif name == "shd":
                paragraph.fill = _fill_of(attributes)
        elif parent == "tcPr" and name == "shd" and self._cells:
            self._cells[-1] = _fill_of(attributes)

    _STARTS: ClassVar[dict[str, Callable[[DocxTextTarget, dict[str, str]], None]]] = {
        "p": _start_paragraph,
        "r": _start_run,
        "m:r": _start_run,
        "t": _start_text,
        "m:t": _start_text,
        "instrText": _start_text,
        "tbl": _start_table,
        "tblStyle": _table_style,
        "tr": _start_row,
        "tc": _start_cell,
        "txbxContent": _start_box,
        "sdt": _start_control,
        "showingPlcHdr": _placeholder,
        "docPartGallery": _gallery,
        "dataBinding": _binding,
        "background": _background,
        "pkg:part": _part,
        "mc:AlternateContent": _start_alternatives,
        "mc:Choice": _alternative,
        "mc:Fallback": _alternative,
        "altChunk": _chunk,
        "subDoc": _file,
        "fldChar": _field_character,
        "fldSimple": _simple_field,
        "sym": _symbol,
        "listEntry": _choice,
        "result": _chosen,
        "default": _check,
        "checked": _check,
        "w14:checked": _check_control,
        "a:blip": _picture,
        "v:imagedata": _picture,
        "wp:extent": _extent,
        "o:OLEObject": _object,
        "w14:noFill": _no_fill,
        "w14:alpha": _transparency,
        "w14:srgbClr": _text_fill,
    }
    _ENDS: ClassVar[dict[str, Callable[[DocxTextTarget], None]]] = {
        "p": _end_paragraph,
        "r": _end_run,
        "m:r": _end_run,
        "t": _end_text,
        "m:t": _end_text,
        "instrText": _end_instruction,
        "tbl": _end_table,
        "tr": _end_row,
        "tc": _end_cell,
        "txbxContent": _end_box,
        "sdt": _end_control,
        "mc:AlternateContent": _end_alternatives,
    }


def _shown_by(ended: _WordField) -> str:
    """Return the text of a field beyond its result: its form value, or characters printed over each other."""
    if ended.choices:
        return ended.choices[ended.chosen] if ended.chosen < len(ended.choices) else ""
    return CHECKED if ended.is_checked else combined_base(ended.instruction)


def _value(attributes: dict[str, str]) -> str:
    return next((value for key, value in attributes.items() if key.endswith("}val")), "")


def _is_on(attributes: dict[str, str]) -> bool:
    return _value(attributes).lower() not in ("0", "false", "off")


def _relationship(attributes: dict[str, str]) -> str:
    return next((value for key, value in attributes.items() if key.endswith("}id")), "")


def _fill_of(attributes: dict[str, str]) -> str | None:
    shading = RunFormat()
    shading.take("shd", attributes)
    return shading.fill


__all__ = ["DocxTextTarget", "EmbeddedChunk"]
