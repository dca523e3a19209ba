"""What one text has from another: passages, shares, changes, and one word for it all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from whorl import _core
from whorl.errors import UsageError
from whorl.model import Changes, Comparison, Exclusion, Flag, Language, Passage, Ratios

EXCLUDABLE = ("quotations", "references")
_WHOLE = 0.8
_REPRINT = 0.7


def compare(
    a: str,
    b: str,
    *,
    exclude: Sequence[str] = (),
    authorised: bool = False,
    reprint: float = _REPRINT,
    language: Language | None = None,
) -> Comparison:
    """Say what text ``b`` has from text ``a``.

    Args:
        a: the source.
        b: the text that is examined. Any string may be given, lone surrogates included; a text without letters, digits
            or characters is related to nothing.
        exclude: what is not counted and not reported: "quotations", "references".
        authorised: whether ``a`` is the author's own work, or its reprint is agreed.
        reprint: from which copied share on ``b`` counts as a reprint, in (0, 1].
        language: of ``str()``: "zh" or "en"; None is that of ``b``, Chinese where a quarter of it is
            characters as Chinese, Japanese and Korean have.

    Raises:
        UsageError: an option is out of range.

    Cost: linear in both texts; about 60 bytes of memory a character.
    """
    return compare_many([(a, b)], exclude=exclude, authorised=authorised, reprint=reprint, language=language)[0]


def compare_many(
    pairs: Iterable[tuple[str, str]],
    *,
    exclude: Sequence[str] = (),
    authorised: bool = False,
    reprint: float = _REPRINT,
    language: Language | None = None,
) -> list[Comparison]:
    """Compare many pairs, in parallel, with the options of `compare`. Memory is that of the texts and the results.

    Raises:
        UsageError: an option is out of range.
    """
    _check(exclude, reprint, language)
    numbers: dict[str, int] = {}
    numbered = [(numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers))) for a, b in pairs]
    texts = list(numbers)
    rows = _core.compare(texts, numbered, "quotations" in exclude, "references" in exclude)
    return [_comparison(row, exclude, authorised, reprint, language) for row in rows]


def _check(exclude: Sequence[str], reprint: float, language: str | None) -> None:
    unknown = [name for name in exclude if name not in EXCLUDABLE]
    if isinstance(exclude, str) or unknown:
        raise UsageError(f"exclude is {exclude!r}", cure=f"give a list of: {', '.join(EXCLUDABLE)}")
    if not 0 < reprint <= 1:
        raise UsageError(f"reprint is {reprint!r}, not in (0, 1]", cure="give a share such as 0.7")
    if language not in (None, "zh", "en"):
        raise UsageError(f"language is {language!r}", cure="choose zh or en")


def _comparison(
    row: Any, exclude: Sequence[str], authorised: bool, reprint: float, language: Language | None
) -> Comparison:
    (shared, of_a, of_b), identical, rows, title, byline, side_a, side_b = row
    passages = tuple(Passage(*places, *counts) for *places, counts in rows)
    copied_a, copied = _share(side_a[0], side_a[1]), _share(side_b[0], side_b[1])
    united = of_a + of_b - shared
    return Comparison(
        similarity=_share(united, shared),
        a_in_b=_share(of_a, shared),
        b_in_a=_share(of_b, shared),
        passages=passages,
        kind=_kind(identical, passages, copied_a, copied),
        reprint=copied >= reprint,
        ratios=Ratios(copied, _share(side_b[2], side_b[3]), 0.0 if authorised else copied, copied),
        changes=_changes(passages, title, byline, side_a, side_b),
        flags=_flags(passages, side_a, side_b),
        exclusions=tuple(_exclusions(exclude, side_b[7])),
        language=language or ("zh" if side_b[6] else "en"),
    )


def _share(whole: int, part: int) -> float:
    return part / whole if whole else 0.0


def _kind(identical: bool, passages: Sequence[Passage], share_of_a: float, share_of_b: float) -> str:
    if identical:
        return "identical"
    if not passages:
        return "unrelated"
    rewritten = sum(passage.b_end - passage.b_start for passage in passages if passage.kind == "rewritten")
    if 2 * rewritten > sum(passage.b_end - passage.b_start for passage in passages):
        return "rewritten"
    if share_of_a >= _WHOLE and share_of_b >= _WHOLE:
        return "near-duplicate"
    if share_of_b >= _WHOLE:
        return "contains"
    return "contained" if share_of_a >= _WHOLE else "partial"


def _changes(passages: Sequence[Passage], title: bool | None, byline: bool, side_a: Any, side_b: Any) -> Changes:
    return Changes(
        title=title,
        byline=byline,
        characters=sum(passage.replaced for passage in passages),
        homophones=sum(passage.homophones for passage in passages),
        script=sum(passage.script for passage in passages),
        noise=sum(passage.noise for passage in passages),
        order=sum(passage.moved for passage in passages),
        inserted=side_b[0] - side_b[1] + sum(passage.inserted for passage in passages),
        deleted=side_a[0] - side_a[1] + sum(passage.deleted for passage in passages),
    )


def _flags(passages: Sequence[Passage], side_a: Any, side_b: Any) -> tuple[Flag, ...]:
    homophones = sum(passage.homophones for passage in passages)
    found = [
        Flag("hidden", "a", side_a[4]),
        Flag("look_alikes", "a", side_a[5]),
        Flag("hidden", "b", side_b[4]),
        Flag("look_alikes", "b", side_b[5]),
        Flag("homophones", "b", homophones),
    ]
    return tuple(flag for flag in found if flag.count)


def _exclusions(exclude: Sequence[str], roles: Sequence[tuple[str, int, int]]) -> Iterable[Exclusion]:
    for name in exclude:
        yield Exclusion(name, sum(end - start for role, start, end in roles if f"{role}s" == name), 0)


__all__ = ["EXCLUDABLE", "compare", "compare_many"]
