"""HTML of texts that nobody has checked: everything is escaped, hidden characters are named, lengths are bounded."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from whorl.reports.evidence import Piece
from whorl.reports.figures import change, duration, percent, size, threshold
from whorl.reports.visible import segments, visible

_LABEL_LENGTH = 200


@cache
def environment() -> Environment:
    """Return the templates of this package; whatever they print is escaped and free of hidden characters."""
    environment = Environment(
        loader=PackageLoader("whorl.reports"),
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "change": change,
        "clip": clip,
        "duration": duration,
        "number": "{:,}".format,
        "percent": percent,
        "shown": shown,
        "size": size,
        "threshold": threshold,
    }
    return environment


def clip(text: object, length: int = _LABEL_LENGTH) -> str:
    """Name the hidden characters of a label and shorten it to `length`, the last character being `…`."""
    label = visible(str(text)[: length + 1])
    return label if len(label) <= length else label[: length - 1] + "…"


def shown(text: str) -> Markup:
    """Return a text as HTML in which every hidden character stands out by name."""
    parts = (Markup("<i>{}</i>").format(run) if hidden else escape(run) for run, hidden in segments(text))
    return Markup("").join(parts)


def passage(pieces: Iterable[Piece]) -> Markup:
    """Return an article as HTML: shared runs in `<mark>`, what is left out as a counted gap."""
    return Markup("").join(_piece(piece) for piece in pieces)


def _piece(piece: Piece) -> Markup:
    if piece.skipped:
        return Markup('<span class="gap">… {} …</span>').format(f"{piece.skipped:,}")
    return Markup("<mark>{}</mark>").format(shown(piece.text)) if piece.shared else shown(piece.text)


def _printable(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
