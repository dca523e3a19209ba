"""Write the letter that asks a site to take a copy down, and record that it is sent."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.errors import UsageError
from whorl.i18n import Language, say, spoken
from whorl.reports.cases import zone_of
from whorl.reports.letters import LETTER_MARK, Letter, letter_docx, letter_html
from whorl.tasks.dedup.outputs import Kind, demand_free, write_whole
from whorl.tasks.library.arguments import Place, lent
from whorl.tasks.library.cases import case_file, deadline_of
from whorl.types.cases import Case

if TYPE_CHECKING:
    from whorl.library import Library

_LETTER = Kind(say("letter"), LETTER_MARK)
_SUFFIXES = (".docx", ".html")


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
    if path is not None and path.suffix.lower() not in _SUFFIXES:
        raise UsageError(
            say("a letter cannot be written as {suffix!r}", suffix=path.suffix),
            hint=say("use one of: {known}", known=", ".join(_SUFFIXES)),
        )
    with lent(library) as opened:
        now = datetime.now(UTC)
        until = deadline_of(deadline, now)
        letter = _letter(opened, number, now, until, to=to, sender=sender, zone=zone)
        details: dict[str, Any] = {"to": letter.recipient, "from": sender}
        if path is not None:
            is_word = path.suffix.lower() == ".docx"
            chosen = language or spoken()
            content = letter_docx(letter, chosen) if is_word else letter_html(letter, chosen).encode()
            write_whole(path, content)
            details |= {"sha256": sha256(content).hexdigest(), "language": chosen}
        return opened.cases.record(number, "notice", by=by, note=note, at=now, deadline=until, **details)


def _letter(
    library: Library, number: int, at: datetime, deadline: datetime | None, *, to: str, sender: str, zone: str | None
) -> Letter:
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
        recipient=to or file.site_name,
        sender=sender,
        at=at,
        deadline=deadline,
        digest=snapshots.get(case.snapshot or 0, ""),
        zone=zone_of(zone),
    )


__all__ = ["send_notice"]
