"""HTML from untrusted texts: everything is escaped, hidden characters are named, lengths are bounded.

A page contains its messages in every language and shows one; the reader can switch without a script.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from whorl._internal.visible_text import has_hidden, runs, visible
from whorl.i18n import LANGUAGES, Language, Message, as_message, say, say_many, speaking, spoken, translated
from whorl.reports.comparison.passages import Piece, View
from whorl.reports.comparison.shares import share
from whorl.reports.comparison.wording import PASSAGES
from whorl.reports.figures import change, duration, percent, size, threshold
from whorl.reports.template_cache import TemplateCache

_LABEL_LENGTH = 200

_is_one_language: ContextVar[bool] = ContextVar("whorl_is_one_language", default=False)


@cache
def environment() -> Environment:
    """Return the template environment; all output is escaped and hidden characters are shown by name."""
    environment = Environment(
        loader=PackageLoader("whorl.reports"),
        bytecode_cache=TemplateCache(Path(__file__).parent / "templates"),
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "change": change,
        "clip": clip,
        "day": _day,
        "drawn": partial(in_each, element="tspan"),
        "duration": duration,
        "each": spans,
        "kind": kind,
        "moment": _moment,
        "number": "{:,}".format,
        "percent": percent,
        "pieces": pieces,
        "recalled": recalled,
        "share": share,
        "shown": visible_html,
        "size": size,
        "spoken": translated,
        "threshold": threshold,
    }
    environment.globals |= {"say": say, "say_many": say_many, "spoken": spoken}
    return environment


def _day(at: datetime) -> str:
    """Format the day of a time in the reader's zone."""
    from whorl.types.times import shown_day

    return shown_day(at)


def _moment(at: datetime, precision: str = "minute") -> str:
    """Format a time in the reader's zone, with its offset."""
    from whorl.types.times import shown_time

    return shown_time(at, precision=precision)


def render(template: str, language: Language | None = None, **values: Any) -> str:
    """Render a page.

    Args:
        template: name of a template that extends ``page.html.j2``.
        language: initial language of the page; None is the current language.
        values: template variables; messages are shown in the language that the reader chooses.
    """
    with speaking(language or spoken()):
        return environment().get_template(template).render(**values)


@contextmanager
def in_one_language() -> Iterator[None]:
    """Render pages within the block in the current language only, for pages that a server renders per request."""
    before = _is_one_language.set(True)
    try:
        yield
    finally:
        _is_one_language.reset(before)


def in_each(message: str, element: str = "span") -> Markup:
    """Return a message in every language; the style sheet of the page shows one.

    Args:
        message: the message; a plain string is the same in every language.
        element: enclosing element of each language; "tspan" within a drawing.
    """
    if isinstance(message, Message) and not (message.values or message.plural):
        return _fixed_in_each(message.singular, element, _only=spoken() if _is_one_language.get() else None)
    return spans({language: translated(message, language) for language in LANGUAGES}, element)


@cache
def _fixed_in_each(template: str, element: str, *, _only: Language | None) -> Markup:
    """Return a message without values; a page repeats a few of them in every pair that it shows.

    ``_only``, the language of a page in one language, distinguishes such pages in the cache; ``spans`` finds it itself.
    """
    return spans({language: translated(say(template), language) for language in LANGUAGES}, element)


def spans(translations: Mapping[Language, str], element: str = "span") -> Markup:
    """Return text in every language, or once if all are equal or the page has one language."""
    if _is_one_language.get():
        return escape(visible(translations[spoken()]))
    printed = {language: visible(words) for language, words in translations.items()}
    if len(set(printed.values())) == 1:
        return escape(next(iter(printed.values())))
    return Markup(
        "".join(f'<{element} lang="{language}">{escape(words)}</{element}>' for language, words in printed.items())
    )


def recalled(text: str) -> Markup:
    """Translate a recorded English message into every language, shortened; keep other text as it is."""
    return spans({language: clip(translated(as_message(text), language)) for language in LANGUAGES})


def clip(text: object, length: int = _LABEL_LENGTH) -> str:
    """Name the hidden characters of a label and shorten it to `length`, ending in `…`.

    A message is rendered in the current language.
    """
    label = visible(str(translated(text))[: length + 1])
    return label if len(label) <= length else label[: length - 1] + "…"


def visible_html(text: str) -> Markup:
    """Return a text as HTML with hidden characters highlighted by name."""
    if not has_hidden(text):
        return escape(text.replace("\r\n", "\n"))
    return Markup("".join(f"<i>{escape(run)}</i>" if hidden else escape(run) for run, hidden in runs(text)))


def kind(name: str) -> Message | str:
    """Return the label of a kind of passages."""
    return PASSAGES.get(name, name)


def side_by_side(view: View) -> Markup:
    """Return a text beside its sources as HTML without anchors."""
    rows: Markup = environment().get_template("passages.html.j2").module.rows(view)  # type: ignore[attr-defined]
    return rows


def pieces(parts: Sequence[Piece]) -> Markup:
    """Return part of an article as HTML: passages in `<mark>`, omissions as a counted gap."""
    whole = "".join(piece.text for piece in parts)
    is_plain = whole == str(escape(whole)) and not has_hidden(whole)  # true of most, and checked faster than each piece
    return Markup("".join(_piece(piece, str if is_plain else visible_html) for piece in parts))


def _piece(piece: Piece, html: Callable[[str], str]) -> str:
    if piece.skipped:
        return f'<span class="gap">… {piece.skipped:,} …</span>'
    if not piece.change:
        return html(piece.text)
    return f"{_mark(piece.change)}{html(piece.text)}</mark>"


@cache
def _mark(change: str) -> str:
    """Return the opening tag of a passage; there are few kinds of changes."""
    return "<mark>" if change == "same" else f'<mark class="{escape(change)}">'


def _printable(value: Any) -> Any:
    if isinstance(value, Message):
        return in_each(value)
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
