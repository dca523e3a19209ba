"""What one text has from another, or from many: passages, shares, changes, and one word for it all.

Which word it is depends on how much of the bodies lies in passages; titles, and lines that name authors, editors and
sources, are no part of the body. At least ``WHOLE`` of both is a near-duplicate; of one of them, that one is contained
in the other. ``REPRINT`` is where reprints and their likes part: of real pairs of news, all 700 of one article reach
it, and 18 % of 700 reports of different events in the formulas of one agency.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whorl import _core
from whorl.errors import UsageError
from whorl.model import Changes, Comparison, Composition, Exclusion, Flag, Language, Passage, Ratios
from whorl.text import shared_spans

EXCLUDABLE = {"quotations": "quotation", "references": "reference"}
"""What may be left out by its layout, and the role it has."""
WHOLE = 0.8
REPRINT = 0.7
_NOTABLE = 0.1
_LARGEST_LEAST = 2**32 - 1


@dataclass(frozen=True)
class Comparing:
    """How texts are compared.

    Args:
        exclude: what is neither counted nor reported: "quotations" (what stands between quotation marks, and titles of
            works between 《》), "references" (the list of sources at the end).
        boilerplate: texts, such as notices and standing phrases, whose shingles are neither counted nor reported; as
            given, or as ``learn_boilerplate`` finds them.
        least: passages with fewer equal folded code points are not reported; 0 or more.
        reprint: from which copied share on a text counts as a reprint, in (0, 1].
        language: of the sentence: "zh" or "en"; None is that of the text that is examined, Chinese where a quarter of
            it is characters such as Chinese, Japanese and Korean have.

    Raises:
        UsageError: a value is out of range.
    """

    exclude: Sequence[str] = ()
    boilerplate: Sequence[str] = field(default=(), repr=False)
    least: int = 0
    reprint: float = REPRINT
    language: Language | None = None

    def __post_init__(self) -> None:
        if isinstance(self.exclude, str) or any(name not in EXCLUDABLE for name in self.exclude):
            raise UsageError(f"exclude is {self.exclude!r}", cure=f"give a list of: {', '.join(EXCLUDABLE)}")
        if isinstance(self.boilerplate, str):
            raise UsageError("boilerplate is one text, not several", cure="give a list of texts")
        if type(self.least) is not int or not 0 <= self.least <= _LARGEST_LEAST:
            raise UsageError(f"least is {self.least!r}, not a number of characters", cure="give 0 or more")
        if not 0 < self.reprint <= 1:
            raise UsageError(f"reprint is {self.reprint!r}, not in (0, 1]", cure="give a share such as 0.7")
        if self.language not in (None, "zh", "en"):
            raise UsageError(f"language is {self.language!r}", cure="choose zh or en")

    def over(self, texts: Sequence[str]) -> _core.Comparer:
        """Return what compares some of these texts with each other."""
        if any(not isinstance(text, str) for text in texts):
            raise UsageError("a text is not a str", cure="decode bytes, and leave out what is missing")
        notices = "\n".join(self.boilerplate)
        spans = [shared_spans(text, notices) for text in texts] if notices else []
        quotations, references = ("quotations" in self.exclude, "references" in self.exclude)
        return _core.Comparer(list(texts), spans, quotations, references, self.least)


def compare(a: str, b: str, *, authorised: bool = False, **options: Any) -> Comparison:
    """Say what text ``b`` has from text ``a``.

    Args:
        a: the source.
        b: the text that is examined. Any string may be given, lone surrogates included; a text without letters, digits
            or characters is related to nothing.
        authorised: whether ``a`` is the author's own work, or its reprint is agreed.
        options: those of `Comparing`.

    Raises:
        UsageError: an option is unknown or out of range, or a text is no string.

    Cost: linear in both texts, whatever they hold; about 80 bytes of memory a character.
    """
    return compare_many([(a, b)], authorised=authorised, **options)[0]


def compare_many(pairs: Iterable[tuple[str, str]], *, authorised: bool = False, **options: Any) -> list[Comparison]:
    """Compare many pairs, in parallel, with the options of `compare`. Memory is that of the texts and the results.

    Raises:
        UsageError: an option is unknown or out of range, or a text is no string.
    """
    comparing = _comparing(options)
    numbers: dict[str, int] = {}
    numbered = [(numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers))) for a, b in pairs]
    rows = comparing.over(list(numbers)).pairs(numbered)
    return [_comparison(row, comparing, authorised=authorised) for row in rows]


def compare_sources(
    text: str, sources: Sequence[str], *, authorised: Sequence[int] = (), **options: Any
) -> Composition:
    """Say what a text has from each of many others.

    Sources are asked in turn, the one that alone gives most first; what one gives is not looked for in the next, so
    each stretch of the text belongs to one source.

    Args:
        text: the text that is examined.
        sources: the texts it may be made of.
        authorised: the numbers of sources that are the author's own work, or whose reprint is agreed.
        options: those of `Comparing`.

    Raises:
        UsageError: an option is unknown or out of range, or a text is no string.

    Cost: linear in the sources, and in the text for each of them.
    """
    comparing = _comparing(options)
    if any(not 0 <= number < len(sources) for number in authorised):
        raise UsageError(f"authorised is {authorised!r}", cure=f"give numbers from 0 to {len(sources) - 1}")
    comparer = comparing.over([text, *sources])
    pairs = comparer.pairs([(number + 1, 0) for number in range(len(sources))])
    alone = [_copied(row) for row in pairs]
    order = sorted((number for number, copied in enumerate(alone) if copied), key=lambda number: -alone[number])
    rows = comparer.in_turn([number + 1 for number in order], 0)
    parts = {
        number: _comparison(row, comparing, authorised=number in authorised, source=number)
        for number, row in zip(order, rows, strict=True)
    }
    language: Language = "zh" if any(_is_dense(row) for row in pairs) else "en"
    return _composition(parts, comparing, len(sources), comparing.language or language)


_USUAL = Comparing()


def _comparing(options: Mapping[str, Any]) -> Comparing:
    if not options:
        return _USUAL
    try:
        return Comparing(**options)
    except TypeError as error:
        known = ", ".join(Comparing.__dataclass_fields__)
        raise UsageError(f"unknown option among {', '.join(options)}", cure=f"choose of: {known}") from error


def _copied(row: Any) -> int:
    copied: int = row[-1][1]
    return copied


def _is_dense(row: Any) -> bool:
    dense: bool = row[-1][6]
    return dense


def _composition(
    parts: Mapping[int, Comparison], comparing: Comparing, sources: int, language: Language
) -> Composition:
    shares = [parts[number].ratios.copied if number in parts else 0.0 for number in range(sources)]
    ratios = Ratios(
        copied=min(1.0, sum(shares)),
        unquoted=min(1.0, sum(part.ratios.unquoted for part in parts.values())),
        foreign=min(1.0, sum(part.ratios.foreign for part in parts.values())),
        largest=max(shares, default=0.0),
    )
    notable = [number for number, share in enumerate(shares) if share >= _NOTABLE]
    largest = max(parts, key=lambda number: shares[number], default=None)
    kind = "unrelated" if largest is None else parts[largest].kind
    passages = [passage for part in parts.values() for passage in part.passages]
    return Composition(
        passages=tuple(sorted(passages, key=lambda passage: passage.b_start)),
        shares=tuple(shares),
        kind="mixed" if len(notable) > 1 else kind,
        reprint=ratios.copied >= comparing.reprint,
        ratios=ratios,
        comparisons=tuple(parts[number] for number in sorted(parts)),
        language=language,
    )


def _comparison(row: Any, comparing: Comparing, *, authorised: bool, source: int = 0) -> Comparison:
    (shared, of_a, of_b), identical, rows, dropped, title, byline, side_a, side_b = row
    passages = tuple(Passage(*[*places, *counts, source]) for *places, counts in rows)
    copied_a, copied = _share(side_a[0], side_a[1]), _share(side_b[0], side_b[1])
    return Comparison(
        similarity=_share(of_a + of_b - shared, shared),
        a_in_b=_share(of_a, shared),
        b_in_a=_share(of_b, shared),
        passages=passages,
        kind=_kind(identical, passages, copied_a, copied),
        reprint=copied >= comparing.reprint,
        ratios=Ratios(copied, _share(side_b[2], side_b[3]), 0.0 if authorised else copied, copied),
        changes=_changes(passages, title, byline, side_a, side_b),
        flags=_flags(passages, side_a, side_b),
        exclusions=tuple(_exclusions(comparing, dropped, side_b[7])),
        language=comparing.language or ("zh" if side_b[6] else "en"),
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
    if share_of_a >= WHOLE and share_of_b >= WHOLE:
        return "near-duplicate"
    if share_of_b >= WHOLE:
        return "contains"
    return "contained" if share_of_a >= WHOLE else "partial"


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


def _exclusions(
    comparing: Comparing, dropped: Sequence[tuple[str, int]], roles: Sequence[tuple[str, int, int]]
) -> Iterable[Exclusion]:
    """What was left out of text b by its role, and passages that were too short."""
    chosen = {name: EXCLUDABLE[name] for name in comparing.exclude}
    for name, role in (chosen | ({"boilerplate": "boilerplate"} if comparing.boilerplate else {})).items():
        characters = sum(end - start for other, start, end in roles if other == role)
        yield Exclusion(name, characters, sum(why == role for why, _ in dropped))
    if comparing.least:
        short = [matched for why, matched in dropped if why == "least"]
        yield Exclusion("least", sum(short), len(short))


__all__ = ["EXCLUDABLE", "REPRINT", "WHOLE", "Comparing", "compare", "compare_many", "compare_sources"]
