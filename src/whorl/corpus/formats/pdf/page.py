"""A page of a PDF file: its text, its form values, and its hidden text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import POINTER, byref, c_float, c_uint, cast, create_string_buffer
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus.formats.pdf.layout import page_lines

_MAX_DEPTH = 4
_MAX_OBJECTS = 50_000
_MAX_COVERED = 2**20
_TINY_PT = 2.0
_WHITE = 250
_COVERING = 0.5
_MIN_DRAWINGS = 10

_Bounds = tuple[float, float, float, float]


@frozen
class PdfPage:
    """Content of a page.

    Attributes:
        text: its lines, without blanks at their ends.
        values: the values of form fields and typed annotations.
        hidden: number of invisible characters that were left out.
        pictures: the share of the page on which pictures may show text that was not read.
    """

    text: str
    values: tuple[str, ...] = ()
    hidden: int = 0
    pictures: float = 0.0


def read_page(document: Any, number: int) -> PdfPage:
    """Read one page of a pypdfium2 document whose forms are initialized.

    Text that is white on an empty background, smaller than 2 pt, invisible or outside the page is left out, unless it
    is most of the page's text. Invisible text over a picture is the text layer of a scan, and is read.

    Cost: linear in the objects of the page; only the first ``_MAX_OBJECTS`` are examined.
    """
    page = document[number]
    try:
        survey = _PageScan(page)
        hidden = survey.hide()
        text_page = page.get_textpage()
        try:
            lines = map(str.strip, page_lines(text_page))
            text = "\n".join(line for line in lines if line)
        finally:
            text_page.close()
        return PdfPage(text, tuple(_values(document, page)), hidden, survey.pictures)
    finally:
        page.close()


@frozen
class _PageObject:
    """A page object: its handle, the form that contains it (None for the page), its type, and the form's scale."""

    handle: Any
    form: Any
    kind: int
    scale: float


def _objects(page: Any) -> Iterator[_PageObject]:
    """Yield the objects of a page and of its forms, in drawing order."""
    from pypdfium2 import raw

    stack: list[tuple[Any, Any, int, int, float]] = [(page, None, 0, raw.FPDFPage_CountObjects(page), 1.0)]
    examined = 0
    while stack and examined < _MAX_OBJECTS:
        holder, form, place, count, scale = stack.pop()
        if place >= count:
            continue
        stack.append((holder, form, place + 1, count, scale))
        get = raw.FPDFPage_GetObject if form is None else raw.FPDFFormObj_GetObject
        handle = get(holder, place)
        if not handle:
            continue
        examined += 1
        kind = raw.FPDFPageObj_GetType(handle)
        if kind == raw.FPDF_PAGEOBJ_FORM and len(stack) <= _MAX_DEPTH:
            inner = scale * _scale(handle)
            stack.append((handle, handle, 0, raw.FPDFFormObj_CountObjects(handle), inner))
        yield _PageObject(handle, form, kind, scale)


def _scale(handle: Any) -> float:
    """Return the vertical scale of an object's matrix."""
    from pypdfium2 import raw

    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(handle, byref(matrix)):
        return 1.0
    return float((matrix.c**2 + matrix.d**2) ** 0.5)


def _bounds(handle: Any) -> _Bounds:
    """Return left, bottom, right and top of an object."""
    from pypdfium2 import raw

    sides = [c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(handle, *map(byref, sides)):
        return (0.0, 0.0, 0.0, 0.0)
    x0, bottom, x1, top = (side.value for side in sides)
    return (x0, bottom, x1, top)


class _PageScan:
    """The pictures and the hidden text of a page."""

    def __init__(self, page: Any) -> None:
        from pypdfium2 import raw

        self._page = page
        self._sides: _Bounds = page.get_bbox()
        self._hidden: list[_PageObject] = []
        self._pictures = 0.0
        self._drawings = 0
        self._painted: list[_Bounds] = []
        self._white: list[tuple[_PageObject, int]] = []
        self._invisible: list[_PageObject] = []
        for item in _objects(page):
            if item.kind == raw.FPDF_PAGEOBJ_TEXT:
                self._add_text(item)
            elif item.kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING):
                self._add_drawing(item)
        if len(self._white) * len(self._painted) <= _MAX_COVERED:
            white = (item for item, behind in self._white if not _is_covered(item.handle, self._painted[:behind]))
            self._hidden += white
        if self._pictures < _COVERING * _area(self._sides):
            self._hidden += self._invisible

    def _add_text(self, item: _PageObject) -> None:
        from pypdfium2 import raw

        mode = raw.FPDFTextObj_GetTextRenderMode(item.handle)
        if mode == raw.FPDF_TEXTRENDERMODE_INVISIBLE:
            self._invisible.append(item)
        elif _size(item) < _TINY_PT or self._is_outside(item):
            self._hidden.append(item)
        elif mode == raw.FPDF_TEXTRENDERMODE_FILL and _is_white(item.handle):
            self._white.append((item, len(self._painted)))

    def _add_drawing(self, item: _PageObject) -> None:
        from pypdfium2 import raw

        bounds = _bounds(item.handle)
        self._drawings += 1
        if item.kind == raw.FPDF_PAGEOBJ_IMAGE:
            self._pictures += _area(bounds)
        if item.kind != raw.FPDF_PAGEOBJ_PATH or not _is_white(item.handle):
            self._painted.append(bounds)

    @property
    def pictures(self) -> float:
        """The share of the page that pictures cover; 1 if there are many drawings, since letters may be shapes."""
        return 1.0 if self._drawings >= _MIN_DRAWINGS else min(1.0, self._pictures / max(1.0, _area(self._sides)))

    def _is_outside(self, item: _PageObject) -> bool:
        """True if an object is outside the page; objects in forms have other coordinates and are never outside."""
        if item.form is not None:
            return False
        x0, bottom, x1, top = _bounds(item.handle)
        page_left, page_bottom, page_right, page_top = self._sides
        return x1 < page_left or x0 > page_right or top < page_bottom or bottom > page_top

    def hide(self) -> int:
        """Remove hidden text from the page in memory, and return its number of characters.

        No text is removed if that would be most of it: such a page has an unusual design, for example an undetected
        dark background.
        """
        from pypdfium2 import raw

        if not self._hidden:
            return 0
        text_page = self._page.get_textpage()
        try:
            whole = raw.FPDFText_CountChars(text_page)
            lengths = (raw.FPDFTextObj_GetText(item.handle, text_page, None, 0) for item in self._hidden)
            hidden = int(sum(max(0, length // 2 - 1) for length in lengths))
        finally:
            text_page.close()
        if 2 * hidden > whole:
            return 0
        for item in self._hidden:
            if item.form is None:
                raw.FPDFPage_RemoveObject(self._page, item.handle)
            else:
                raw.FPDFFormObj_RemoveObject(item.form, item.handle)
            raw.FPDFPageObj_Destroy(item.handle)
        return hidden


def _size(item: _PageObject) -> float:
    """Return the displayed size of a text object in points."""
    from pypdfium2 import raw

    size = c_float()
    if not raw.FPDFTextObj_GetFontSize(item.handle, byref(size)):
        return _TINY_PT
    return abs(size.value) * _scale(item.handle) * item.scale


def _is_white(handle: Any) -> bool:
    """True if an object is filled with white, or with an invisible color."""
    from pypdfium2 import raw

    red, green, blue, alpha = (c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(handle, byref(red), byref(green), byref(blue), byref(alpha)):
        return False
    return min(red.value, green.value, blue.value) >= _WHITE or alpha.value == 0


def _is_covered(handle: Any, painted: Sequence[_Bounds]) -> bool:
    """True if something is painted behind the center of an object."""
    x0, bottom, x1, top = _bounds(handle)
    x, y = (x0 + x1) / 2, (bottom + top) / 2
    return any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in painted)


def _area(bounds: _Bounds) -> float:
    return max(0.0, bounds[2] - bounds[0]) * max(0.0, bounds[3] - bounds[1])


def _values(document: Any, page: Any) -> Iterator[str]:
    """Yield the values of form fields, the ticked choices, and text typed onto the page."""
    from pypdfium2 import raw

    form = document.formenv
    for place in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, place)
        if not annotation:
            continue
        try:
            if value := " ".join(_value(form, annotation).split()):
                yield value
        finally:
            raw.FPDFPage_CloseAnnot(annotation)


def _value(form: Any, annotation: Any) -> str:
    from pypdfium2 import raw

    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind == raw.FPDF_ANNOT_FREETEXT:
        return _wide(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")
    if kind != raw.FPDF_ANNOT_WIDGET or form is None:
        return ""
    field = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if field in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return _wide(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    is_choice = field in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
    if is_choice and raw.FPDFAnnot_IsChecked(form, annotation):
        name = _wide(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation) or _wide(
            raw.FPDFAnnot_GetFormFieldName, form, annotation
        )
        return f"{name}: {_wide(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation)}"
    return ""


def _wide(get: Any, *arguments: Any) -> str:
    """Return a string that a pdfium function writes in UTF-16."""
    from pypdfium2 import raw

    size = get(*arguments, None, 0)
    if size <= 2:
        return ""
    buffer = create_string_buffer(size)
    get(*arguments, cast(buffer, POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")


__all__ = ["PdfPage", "read_page"]
