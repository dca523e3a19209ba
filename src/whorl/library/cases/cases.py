"""The cases of a library: copies of protected articles, each with a state that follows from its events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.indexes.columns import demand_positive
from whorl.library.cases import checking
from whorl.library.cases.recording import NewEvent, append, case_from, event_from, rebuild
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_entry, demand_text, is_number
from whorl.library.provenance.hosts import domain_of, domains_above
from whorl.library.provenance.times import time_of
from whorl.stores.monitoring_records import CaseFilter
from whorl.types.cards import CardList
from whorl.types.cases import BY_HAND, OPEN_STATES, STATES, Case, CaseEvent, CopyDetails, PageCheck
from whorl.types.comparison import Plain
from whorl.types.library import microseconds

if TYPE_CHECKING:
    from whorl.stores import Reader

_BLOCK = 1000
_LONGEST_NOTE = 10_000


@frozen
class CasePage(Plain):
    """Some of the cases of a library.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     page = library.cases.page(states=["open"])
    >>> page.items, page.mark
    ((), None)

    Attributes:
        items: cases of this page.
        mark: argument ``after`` for the next page; None on the last page.
    """

    items: tuple[Case, ...]
    mark: int | None


class Cases:
    """The cases of a library.

    A case is a copy of a protected article at an address. The watch opens cases; ``open`` does so by hand.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text, "url": f"https://{name}.example/"} for name in "ab")
    ...     case = library.cases.open("b", "a", by="mei")
    ...     closed = library.cases.record(case.number, "closed", by="mei", note="paid")
    ...     kinds = [event.kind for event in library.cases.events(case.number)]
    >>> case.state, closed.state, kinds
    ('open', 'closed', ['found', 'closed'])

    Args:
        core: the library.
        on_open: called with a case that was opened by hand, to judge its permission.
    """

    def __init__(self, core: Core, on_open: Callable[[Case], object] = lambda _: None) -> None:
        self._core = core
        self._on_open = on_open

    def __iter__(self) -> Iterator[Case]:
        last = 0
        with self._core.store.reading() as reader:
            while block := reader.cases_after(CaseFilter(), last, _BLOCK):
                yield from map(case_from, block)
                last = block[-1].number

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.kept()["cases"]

    def counts(self) -> dict[str, int]:
        """Return the number of cases in each state, in the order of ``STATES``."""
        with self._core.store.reading() as reader:
            states = reader.case_states()
        return {state: states.get(state, 0) for state in STATES}

    def page(
        self,
        *,
        states: Collection[str] | None = OPEN_STATES,
        article: str | None = None,
        site: str | None = None,
        after: int | None = None,
        limit: int = 100,
        newest: bool = True,
    ) -> CasePage:
        """Return cases page by page.

        Args:
            states: only cases in these states; None for all. By default those that are not settled.
            article: only cases of this protected article.
            site: only cases on this site.
            after: ``mark`` of the previous page; None for the first page.
            limit: maximum number of cases.
            newest: the latest cases first.

        Raises:
            NotFoundError: a state is unknown.

        Cost: milliseconds, whatever the number of cases.
        """
        demand_positive("limit", limit)
        chosen = CaseFilter(None if states is None else _known_states(states), article, site)
        if after is not None and not is_number(after):
            raise UsageError(
                say("{after!r:.60} is not a valid position", after=after), hint=say("use `next` of a page, or None")
            )
        with self._core.store.reading() as reader:
            rows = reader.cases_after(chosen, after, limit + 1, newest=newest)
        mark = rows[limit - 1].number if len(rows) > limit else None
        return CasePage(tuple(map(case_from, rows[:limit])), mark)

    def get(self, number: int) -> Case:
        """Return a case.

        Raises:
            NotFoundError: it does not exist.
        """
        with self._core.store.reading() as reader:
            return _demand_case(reader, number)

    def at(self, url: str) -> list[Case]:
        """Return the cases at an address, the oldest first."""
        with self._core.store.reading() as reader:
            return CardList(map(case_from, reader.cases_at([url]).get(url, ())))

    def of(self, document: str, article: str) -> Case | None:
        """Return the latest case of a copy and a protected article, or None."""
        with self._core.store.reading() as reader:
            cases = [case_from(row) for row in reader.cases_about([document]).get(document, ())]
        return next((case for case in reversed(cases) if case.article == article), None)

    def events(self, number: int) -> list[CaseEvent]:
        """Return the events of a case, the oldest first.

        Raises:
            NotFoundError: the case does not exist.
        """
        with self._core.store.reading() as reader:
            _demand_case(reader, number)
            return CardList(map(event_from, reader.case_events([number]).get(number, ())))

    def open(self, document: str, article: str, *, by: str = "", note: str = "") -> Case:
        """Open a case by hand; an existing case of this address and article is returned as it is.

        Args:
            document: id of the copy.
            article: id of the protected article.
            by: person who opens it.
            note: reason.

        Raises:
            NotFoundError: a document does not exist, or the two have no match.
        """
        demand_text("by", by)
        demand_text("note", note)
        copy, url = checking.copy_of_match(self._core, document, article)
        now = datetime.now(UTC)
        with self._core.turn, self._core.store.writing() as writer:
            demand_entry(writer, document)
            existing = checking.case_at(writer, url, article)
            if existing is not None:
                return existing
            number = writer.last_case() + 1
            data = checking.details(copy, url) | {"by": by, "note": note}
            case = append(writer, [NewEvent(number, "found", microseconds(now), data)])[number]
        self._on_open(case)
        return self.get(number)

    def observe(self, check: PageCheck) -> list[Case]:
        """Record a request for a page in its cases: the fetch, and new, changed, removed and returned copies.

        A check that was recorded before, because a killed run is repeated, changes nothing.

        Args:
            check: the request and its result.

        Returns:
            The cases of the page after the check.

        Cost: a lookup by address; for a page with cases also a transaction.
        """
        with self._core.store.reading() as reader:
            has_cases = bool(reader.cases_at([check.url]))
        if not has_cases and not check.copies:
            return []
        with self._core.turn, self._core.store.writing() as writer:
            cases = [case_from(row) for row in writer.cases_at([check.url]).get(check.url, ())]
            events = list(checking.events_of(check, cases, writer.last_case() + 1))
            changed = append(writer, events, {case.number: case for case in cases})
        return [case for _, case in sorted(({case.number: case for case in cases} | changed).items())]

    def record(
        self,
        number: int,
        kind: str,
        *,
        by: str = "",
        note: str = "",
        at: datetime | str | None = None,
        deadline: datetime | str | None = None,
        **details: Any,
    ) -> Case:
        """Record what a person did; return the case.

        Args:
            number: number of the case.
            kind: "notice" (a notice was sent), "deadline", "closed", "reopened" or "note".
            by: person.
            note: reason or text.
            at: when it happened; None is now.
            deadline: end of the period set by a notice or a "deadline"; None for a deadline that was lifted.
            **details: further details, as JSON values.

        Raises:
            NotFoundError: the case does not exist.
            UsageError: the kind is unknown, or the case is already closed or not closed.
        """
        _demand_kind(kind)
        demand_text("by", by)
        demand_text("note", note)
        if len(note) > _LONGEST_NOTE:
            raise UsageError(
                say(
                    "the note has {count:,} characters, expected at most {limit:,}",
                    count=len(note),
                    limit=_LONGEST_NOTE,
                ),
                hint=say("shorten it"),
            )
        now, until = time_of(at, "at") or datetime.now(UTC), time_of(deadline, "deadline")
        data = {**details, "by": by, "note": note}
        if kind in ("notice", "deadline"):
            data["deadline"] = None if until is None else until.isoformat()
        with self._core.turn, self._core.store.writing() as writer:
            case = _demand_case(writer, number)
            if (kind == "closed") == (case.closed_at is not None) and kind in ("closed", "reopened"):
                raise UsageError(
                    say("case {number} is {state}", number=number, state=case.state),
                    hint=say("reopen it first") if kind == "closed" else say("only a closed case can be reopened"),
                )
            return append(writer, [NewEvent(number, kind, microseconds(now), data)], {number: case})[number]

    def alerted(self, number: int, event: int, alerts: Iterable[int]) -> Case:
        """Record that alerts about an event of a case were queued.

        Args:
            number: number of the case.
            event: number of the event.
            alerts: numbers of the alerts in the outbox.
        """
        now = microseconds(datetime.now(UTC))
        with self._core.turn, self._core.store.writing() as writer:
            data = {"of": event, "alerts": list(alerts)}
            return append(writer, [NewEvent(number, "alert", now, data)])[number]

    def under(self, domains: Iterable[str]) -> list[Case]:
        """Return all cases at addresses of domains and of their subdomains, the oldest first.

        Cost: a pass over all cases, about a second for 30,000.
        """
        requested = set(domains)
        return [case for case in self if requested.intersection(domains_above(domain_of(case.url)))]

    def rule(self, permissions: Iterable[tuple[Case, str, dict[str, Any]]]) -> list[Case]:
        """Record changed permissions of cases, each with its value and its basis; return the changed cases."""
        now = microseconds(datetime.now(UTC))
        rulings = list(permissions)
        if not rulings:
            return []
        with self._core.turn, self._core.store.writing() as writer:
            current = {
                number: case_from(row) for number, row in writer.cases(case.number for case, *_ in rulings).items()
            }
            events = [
                NewEvent(case.number, "permission", now, {**basis, "permission": permission})
                for case, permission, basis in rulings
                if case.number in current and current[case.number].permission != permission
            ]
            return list(append(writer, events, current).values())

    def rebuild(self) -> int:
        """Compute the states of all cases again from their events; return the number of cases."""
        with self._core.turn, self._core.store.writing() as writer:
            return rebuild(writer)


def _known_states(states: Collection[str]) -> tuple[str, ...]:
    for state in states:
        if state not in STATES:
            raise NotFoundError(
                say("unknown state {state!r}", state=state),
                hint=say("choose one of: {known}", known=", ".join(STATES)),
            )
    return tuple(dict.fromkeys(states))


def _demand_kind(kind: object) -> None:
    if kind not in BY_HAND:
        raise UsageError(
            say("{kind!r:.60} is not recorded by hand", kind=kind),
            hint=say("choose one of: {known}", known=", ".join(BY_HAND)),
        )


def _demand_case(reader: Reader, number: object) -> Case:
    row = reader.cases([number]).get(number) if isinstance(number, int) and is_number(number) else None
    if row is None:
        raise NotFoundError(say("there is no case {number!r:.60}", number=number), hint=say("see `whorl case list`"))
    return case_from(row)


__all__ = ["CasePage", "Cases", "CopyDetails", "PageCheck"]
