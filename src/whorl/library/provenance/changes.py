"""Changes to a library after a mark, for consumers that follow it."""

from __future__ import annotations

from whorl._internal.frozen import frozen
from whorl.library.core import Core
from whorl.types.comparison import Plain


@frozen
class ChangedDocument(Plain):
    """A document that was added or revised.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器。"})
    ...     library.changes().added
    (ChangedDocument(number=1, id='a'),)

    Attributes:
        number: its number, which identifies it when it is removed; never reused.
        id: its id.
    """

    number: int
    id: str


@frozen
class LibraryChanges(Plain):
    """Changes after a mark, each kind in chronological order and each item once.

    Documents that were both added and removed in between appear only in ``removed``.

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
        mark: pass it to the next call; unchanged if nothing changed.
        added: new documents.
        revised: documents whose text or other fields changed.
        removed: numbers of removed documents; their reviews are removed with them.
        matches: pairs of document ids whose texts began or ceased to match, given by the oldest document of each text.
            Matches of a text that was removed with its last document are not listed, nor are documents with the same
            text.
        reviews: pairs of document ids whose match a person reviewed.
    """

    mark: int
    added: tuple[ChangedDocument, ...]
    revised: tuple[ChangedDocument, ...]
    removed: tuple[int, ...]
    matches: tuple[tuple[str, str], ...]
    reviews: tuple[tuple[str, str], ...]


def changes(core: Core, since: int, limit: int) -> LibraryChanges:
    """Return the next changes after a mark, up to a limit.

    Cost: proportional to the changes returned, in five round trips to the store, whatever the length of the log.
    """
    with core.store.reading() as reader:
        changed = reader.changes(since, limit)
        reviewed = {number for pair in changed.verdicts for number in pair}
        entries = reader.numbered({*changed.added, *changed.revised, *reviewed})
        members_of = reader.members({number for pair in changed.pairs for number in pair}, 1)
    named = {number: ChangedDocument(number, entry.id) for number, entry in entries.items()}
    oldest = {content: members[0].id for content, members in members_of.items() if members}

    def ids(pairs: list[tuple[int, int]], called: dict[int, str]) -> tuple[tuple[str, str], ...]:
        return tuple((called[low], called[high]) for low, high in pairs if low in called and high in called)

    return LibraryChanges(
        mark=changed.last,
        added=tuple(named[number] for number in changed.added if number in named),
        revised=tuple(named[number] for number in changed.revised if number in named),
        removed=tuple(changed.removed),
        matches=ids(changed.pairs, oldest),
        reviews=ids(changed.verdicts, {number: entry.id for number, entry in entries.items()}),
    )


__all__ = ["ChangedDocument", "LibraryChanges", "changes"]
