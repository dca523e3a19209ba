"""What came, changed or went in a library after a mark: for whoever follows it."""

from __future__ import annotations

from dataclasses import dataclass

from whorl.library.core import Core
from whorl.model import Plain


@dataclass(frozen=True, slots=True)
class ChangedDocument(Plain):
    """A document that came or became another one.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器。"})
    ...     library.changes().added
    (ChangedDocument(number=1, id='a'),)

    Attributes:
        number: by which it is named when it is gone; no other document ever has it.
        id: what it is called.
    """

    number: int
    id: str


@dataclass(frozen=True, slots=True)
class LibraryChanges(Plain):
    """What was changed after a mark, each kind in the order of the changes, and named once however often it was.

    What came and went in between is among the removed alone.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     before = library.changes()
    ...     removed = library.remove("a")
    ...     after = library.changes(before.mark)
    >>> [document.id for document in before.added], after.removed
    (['a', 'b'], (1,))

    Attributes:
        mark: to ask with next time; that asked with, where nothing changed.
        added: the new documents.
        revised: documents whose text is another one, or of which something else is told.
        removed: the numbers of documents that were forgotten, their reviews with them.
        matches: the ids of two documents whose texts match now, or matched until now: the oldest of each text. Those of
            a text that went with its last document are not named; neither are equal texts, which match without it.
        reviews: the ids of two documents of whose match a person decided.
    """

    mark: int
    added: tuple[ChangedDocument, ...]
    revised: tuple[ChangedDocument, ...]
    removed: tuple[int, ...]
    matches: tuple[tuple[str, str], ...]
    reviews: tuple[tuple[str, str], ...]


def changes(core: Core, since: int, most: int) -> LibraryChanges:
    """Return the next changes after a mark, at most so many.

    Cost: that of the changes told, in five exchanges with the store, however many there were before.
    """
    with core.store.reading() as reader:
        told = reader.changes(since, most)
        reviewed = {number for pair in told.verdicts for number in pair}
        entries = reader.numbered({*told.added, *told.revised, *reviewed})
        said = reader.members({number for pair in told.pairs for number in pair}, 1)
    named = {number: ChangedDocument(number, entry.id) for number, entry in entries.items()}
    oldest = {content: members[0].id for content, members in said.items() if members}

    def ids(pairs: list[tuple[int, int]], called: dict[int, str]) -> tuple[tuple[str, str], ...]:
        return tuple((called[low], called[high]) for low, high in pairs if low in called and high in called)

    return LibraryChanges(
        mark=told.last,
        added=tuple(named[number] for number in told.added if number in named),
        revised=tuple(named[number] for number in told.revised if number in named),
        removed=tuple(told.removed),
        matches=ids(told.pairs, oldest),
        reviews=ids(told.verdicts, {number: entry.id for number, entry in entries.items()}),
    )


__all__ = ["ChangedDocument", "LibraryChanges", "changes"]
