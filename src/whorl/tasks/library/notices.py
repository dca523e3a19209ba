"""Write the letter that asks a site to take a copy down, and record that it is sent."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import Language, say, spoken
from whorl.reports.cases import zone_of
from whorl.reports.letters import LETTER_MARK, Letter, letter_docx, letter_html
from whorl.tasks.dedup.outputs import OutputKind, demand_free, write_whole
from whorl.tasks.library.arguments import Place, lent
from whorl.tasks.library.cases import case_file, deadline_of
from whorl.types.cases import Case

if TYPE_CHECKING:
    from whorl.library import Library

_LETTER = OutputKind(say("letter"), LETTER_MARK)
LetterFormat = Literal["docx", "html"]
MEDIA: dict[LetterFormat, str] = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html; charset=utf-8",
}
"""Media types of letters."""
FORMATS: tuple[LetterFormat, ...] = ("docx", "html")


@frozen
class Notice:
    """Content of a notice that does not follow from the case.

    Attributes:
        to: recipient; empty for the name of the site.
        sender: sender; empty leaves a line to fill in.
        deadline: a period from now on, such as "7d", or a time; None without one.
        by: person who sends it.
        note: remark, which is not part of the letter.
        zone: time zone of the letter; None is that of this machine.
        language: language of the letter; None is the current one.
    """

    to: str = ""
    sender: str = ""
    deadline: str | None = None
    by: str = ""
    note: str = ""
    zone: str | None = None
    language: Language | None = None


def send_notice(
    library: Library | Place,
    number: int,
    out: Place | None = None,
    *,
    to: str = "",
    sender: str = "",
    deadline: str | None = None,
    by: str = "",
    note: str = "",
    zone: str | None = None,
    language: Language | None = None,
) -> Case:
    """Record that a notice of a case is sent, and write its letter; return the case.

    >>> import whorl
    >>> from whorl.tasks.library.notices import send_notice
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text, "title": "冰厂"} for name in "ab")
    ...     case = library.cases.open("b", "a")
    ...     send_notice(library, case.number, "letter.docx", to="Copies", deadline="7d", language="zh").state
    'noticed'

    Args:
        library: its address, or an open library.
        number: number of the case.
        out: path of the letter, .docx or .html; None records a notice that was written elsewhere.
        to: recipient; empty for the name of the site.
        sender: sender; empty leaves a line to fill in.
        deadline: a period from now on, such as "7d", or a time.
        by: person who sends it.
        note: remark, which is not part of the letter.
        zone: time zone of the letter, such as "Asia/Shanghai"; None is that of this machine.
        language: language of the letter; None is the current one.

    Raises:
        NotFoundError: the case does not exist.
        UsageError: the copy is permitted, rejected, removed or closed; or the path is not suitable.
    """
    path = None if out is None else Path(out)
    demand_free(path, _LETTER, ())
    format = "" if path is None else path.suffix.lower().removeprefix(".")
    if path is not None and format not in FORMATS:
        raise UsageError(
            say("a letter cannot be written as {suffix!r}", suffix=path.suffix),
            hint=say("use one of: {known}", known=", ".join(f".{name}" for name in FORMATS)),
        )
    notice = Notice(to, sender, deadline, by, note, zone, language)
    with lent(library) as opened:
        letter = _letter(opened, number, notice)
        content = _content(letter, format, notice)
        if path is not None:
            write_whole(path, content)
        return _record(opened, letter, content, notice)


def notice_letter(library: Library, number: int, format: LetterFormat, notice: Notice) -> tuple[bytes, Case]:
    """Return the letter of a notice and the case, in which it is recorded.

    Raises:
        NotFoundError: the case does not exist.
        UsageError: the copy is permitted, rejected, removed or closed.
    """
    letter = _letter(library, number, notice)
    content = _content(letter, format, notice)
    return content, _record(library, letter, content, notice)


def _content(letter: Letter, format: str, notice: Notice) -> bytes:
    language = notice.language or spoken()
    match format:
        case "docx":
            return letter_docx(letter, language)
        case "html":
            return letter_html(letter, language).encode()
    return b""


def _record(library: Library, letter: Letter, content: bytes, notice: Notice) -> Case:
    details: dict[str, Any] = {"to": letter.recipient, "from": notice.sender}
    if content:
        details |= {"sha256": sha256(content).hexdigest(), "language": notice.language or spoken()}
    return library.cases.record(
        letter.case.number,
        "notice",
        by=notice.by,
        note=notice.note,
        at=letter.at,
        deadline=letter.deadline,
        **details,
    )


def _letter(library: Library, number: int, notice: Notice) -> Letter:
    now = datetime.now(UTC)
    file = case_file(library, number)
    case = file.case
    if case.state not in ("open", "undetermined", "noticed"):
        raise UsageError(
            say("case {number} is {state}: there is nothing to give notice of", number=number, state=case.state),
            hint=say("see its events: `whorl case show`"),
        )
    snapshots = {snapshot.number: snapshot.digest for snapshot in library.pages.at(case.url)}
    return Letter(
        case=case,
        article_title=file.article_title,
        article_url=file.article_url,
        copy_title=file.copy_title,
        site_name=file.site_name,
        recipient=notice.to or file.site_name,
        sender=notice.sender,
        at=now,
        deadline=deadline_of(notice.deadline, now),
        digest=snapshots.get(case.snapshot or 0, ""),
        zone=zone_of(notice.zone),
    )


__all__ = ["FORMATS", "MEDIA", "LetterFormat", "Notice", "notice_letter", "send_notice"]
