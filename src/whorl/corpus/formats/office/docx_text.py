r"""Text of a WordprocessingML part, as a reader of the document sees it [ECMA-376-1, 17].

The XML contains more than Word displays. Left out are deleted and moved text of tracked changes, ruby readings, field
instructions, tables of contents, placeholders of empty forms, and text hidden by formatting. Hidden text is counted,
since its purpose is to disguise a copy. Only one of several alternative contents is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from whorl.corpus.formats.office.docx_bindings import Bindings
from whorl.corpus.formats.office.docx_fields import OpenFields
from whorl.corpus.formats.office.docx_names import PrefixedNames, value_of
from whorl.corpus.formats.office.docx_styles import AUTOMATIC, UNKNOWN_FILL, DocxStyles, RunFormat, shading_fill
from whorl.corpus.formats.office.hidden_text import WHITE, count_characters, is_invisible
from whorl.corpus.formats.office.word_fields import CHECKED, is_contents

_LEFT_OUT = frozenset(("moveFrom", "del", "rt", "rubyPr", "delText", "delInstrText", "numPr", "binData", "hdr", "ftr"))
_TEXT_PARTS = (".main+xml", ".footnotes+xml", ".endnotes+xml")
_RUNS = frozenset(("r", "m:r"))
_CHARACTERS = {"tab": "\t", "ptab": "\t", "noBreakHyphen": "-"}
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
        self._names = PrefixedNames()
        self._path: list[str] = []
        self._left_out = 0  # depth below the omitted element
        self._pieces: list[str] = []
        self._text: list[str] = []
        self._written = 0
        self._paragraphs: list[_WordParagraph] = []
        self._runs: list[_WordRun] = []
        self._fields = OpenFields()
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
        name = self._names[tag]
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
        for unfinished in self._fields.abandon():
            self.lines[unfinished.line : unfinished.line] = unfinished.lines()

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
        if self._fields.suppressing is not None:
            self._fields.suppressing.left_out.append("\n")
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
            self._tables[-1] = value_of(attributes) in self._styles.colored_tables

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
        if self._controls and value_of(attributes).lower() == "table of contents":
            self._controls[-1].is_contents = True

    def _binding(self, attributes: dict[str, str]) -> None:
        if self._controls:
            path = value_of(attributes, "}xpath")
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
        self.lines.append(EmbeddedChunk(value_of(attributes, "}id")))

    def _file(self, attributes: dict[str, str]) -> None:
        self._break()
        self.lines.append(EmbeddedChunk(value_of(attributes, "}id"), is_file=True))

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
        value = value_of(attributes)
        if self._runs and "w14:textFill" in self._path[-5:-1] and value.isdecimal() and len(value) < 9:
            self._runs[-1].direct.is_tiny = int(value) >= _TRANSPARENT or self._runs[-1].direct.is_tiny

    def _text_fill(self, attributes: dict[str, str]) -> None:
        if self._runs and self._path[-3:-1] == ["w14:textFill", "w14:solidFill"]:
            self._runs[-1].direct.take("color", attributes)

    def _part(self, attributes: dict[str, str]) -> None:
        """Handle the start of a part in a single-file document; parts without document text are omitted."""
        kind = value_of(attributes, "}contentType")
        if not kind.endswith(_TEXT_PARTS):
            self._left_out = 1

    # Fields

    def _field_character(self, attributes: dict[str, str]) -> None:
        kind = value_of(attributes, "fldCharType")
        if kind == "begin":
            self._fields.begin(len(self.lines))
        elif kind == "separate":
            self._fields.separate()
        elif kind == "end" and (ended := self._fields.end()) is not None:
            if ended.is_contents:
                self.contents += count_characters("".join(ended.left_out))
            else:
                self._say(ended.value())

    def _choice(self, attributes: dict[str, str]) -> None:
        self._fields.add_choice(value_of(attributes))

    def _chosen(self, attributes: dict[str, str]) -> None:
        self._fields.choose(value_of(attributes))

    def _check(self, attributes: dict[str, str]) -> None:
        """Set whether a box is checked; the last statement wins, and the default comes first."""
        if self._path[-2:-1] == ["checkBox"]:
            self._fields.check(_is_on(attributes))

    def _check_control(self, attributes: dict[str, str]) -> None:
        if self._controls and _is_on(attributes):
            self._say(CHECKED)

    def _simple_field(self, attributes: dict[str, str]) -> None:
        instruction = value_of(attributes, "instr")
        if is_contents(instruction):
            self._left_out = 1

    def _end_instruction(self) -> None:
        self._fields.add_instruction(self._instruction_text())

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
        if self._fields.suppressing is not None:
            self._fields.suppressing.left_out.append(text)
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
                self._runs[-1].style = value_of(attributes)
            else:
                self._runs[-1].direct.take(name, attributes)
        elif parent == "pPr" and around == ["p"] and self._paragraphs:
            paragraph = self._paragraphs[-1]
            if name == "pStyle":
                paragraph.style = value_of(attributes)
                paragraph.is_contents = self._styles.is_contents(paragraph.style)
            elif name == "shd":
                paragraph.fill = shading_fill(attributes)
        elif parent == "tcPr" and name == "shd" and self._cells:
            self._cells[-1] = shading_fill(attributes)

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


def _is_on(attributes: dict[str, str]) -> bool:
    return value_of(attributes).lower() not in ("0", "false", "off")


__all__ = ["DocxTextTarget", "EmbeddedChunk"]
