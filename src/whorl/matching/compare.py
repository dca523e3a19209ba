"""Compare texts: passages, copied and reworded shares, changes, and the relation that follows from all of them.

The relation is judged by the core, in one place for comparisons, batch runs and libraries. Titles, and lines that name
authors, editors and sources, are no part of the bodies whose shares are counted. At least ``WHOLE`` of both copied is a
near-duplicate, of one of them an excerpt, unless the facts or the names of the documents differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whorl import _core
from whorl.errors import UsageError
from whorl.language import Language, say
from whorl.matching.boilerplate import Notices
from whorl.model import (
    Comparison,
    Composition,
    Exclusion,
    Flag,
    Ratios,
    new_changes,
    new_comparison,
    new_facts,
    new_passage,
    new_ratios,
)
from whorl.text import shared_spans

EXCLUDABLE = {"quotations": "quotation", "references": "reference"}
"""What may be left out by its layout, and the role it has."""
_ROLES = ("quotation", "reference", "boilerplate")
WHOLE = _core.WHOLE
REPRINT = 0.7
COPIES = ("exact", "near_duplicate", "version", "excerpt", "partial")
"""The relations of a copy; the others share a form, an idea or a quotation."""
NOTABLE = 0.1
"""From which share on a source gave something worth a word."""
_LARGEST_LEAST = 2**32 - 1


@dataclass(frozen=True)
class Comparing:
    """How texts are compared.

    Args:
        exclude: what is neither counted nor reported: "quotations" (text b between quotation marks, names of works
            between 《》, quoting blocks), "references" (lists of references in text b). The rest of a passage is still
            reported; the passage is dropped if less than 12 characters (36 letters) and less than half of it are left.
        boilerplate: texts, such as notices and standing phrases, whose shingles are neither counted nor reported; as
            given, or as ``learn_boilerplate`` finds them.
        least: passages with fewer equal folded code points are not reported; 0 or more.
        reprint: from which copied share on a text counts as a reprint, in (0, 1].
        language: of the sentence: "zh" or "en"; None is the one that is spoken.

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
            raise UsageError(
                say("{name} is {value!r}", name="exclude", value=self.exclude),
                cure=say("give a list of: {known}", known=", ".join(EXCLUDABLE)),
            )
        if isinstance(self.boilerplate, str):
            raise UsageError(say("boilerplate is one text, not several"), cure=say("give a list of texts"))
        if type(self.least) is not int or not 0 <= self.least <= _LARGEST_LEAST:
            raise UsageError(
                say("{name} is {value!r}, not a number of characters", name="least", value=self.least),
                cure=say("give 0 or more"),
            )
        if not 0 < self.reprint <= 1:
            raise UsageError(
                say("{name} is {value!r}, not in (0, 1]", name="reprint", value=self.reprint),
                cure=say("give a share such as 0.7"),
            )
        if self.language not in (None, "zh", "en"):
            raise UsageError(
                say("{name} is {value!r}", name="language", value=self.language), cure=say("choose zh or en")
            )

    @property
    def leaves_out(self) -> bool:
        """Whether anything is left out."""
        return bool(self.exclude or self.boilerplate or self.least)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Comparing:
        """Return what some options choose.

        Raises:
            UsageError: an option is unknown or out of range.
        """
        if not options:
            return _USUAL
        try:
            return cls(**options)
        except TypeError as error:
            known = ", ".join(cls.__dataclass_fields__)
            raise UsageError(
                say("unknown option among {options}", options=", ".join(options)),
                cure=say("choose of: {known}", known=known),
            ) from error

    def over(self, texts: Sequence[str], learned: Notices | None = None) -> _core.Comparer:
        """Return what compares some of these texts with each other."""
        if any(kind is not str and not issubclass(kind, str) for kind in set(map(type, texts))):
            raise UsageError(say("a text is not a str"), cure=say("decode bytes, and leave out what is missing"))
        notices = "\n".join(self.boilerplate)
        spans = [shared_spans(text, notices) for text in texts] if notices else []
        sought = learned.sought if learned else None
        quotations, references = ("quotations" in self.exclude, "references" in self.exclude)
        return _core.Comparer(texts, spans, sought, quotations, references, self.least)


_USUAL = Comparing()


def compare(a: str, b: str, *, authorised: bool = False, **options: Any) -> Comparison:
    """Say what text ``b`` has from text ``a``.

    >>> import whorl
    >>> found = whorl.compare("渔港的冰厂今年夏天添了两台新机器。", "据悉，渔港的冰厂今年夏天添了两台新机器。")
    >>> found.relation, round(found.ratios.copied, 2)
    ('near_duplicate', 0.89)

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
    comparing = Comparing.of(options)
    (judged,) = comparing.over((a, b)).pairs([(0, 1)])
    return _comparison(judged, comparing, authorised=authorised)


def compare_many(
    pairs: Iterable[tuple[str, str]], *, authorised: bool = False, notices: Notices | None = None, **options: Any
) -> list[Comparison]:
    """Compare many pairs, in parallel, with the options of `compare`. Memory is that of the texts and the results.

    >>> import whorl
    >>> pairs = [("渔港的冰厂今年添了两台新机器。", "渔港的冰厂今年添了两台新机器。"), ("明天有雨。", "今天天气很好。")]
    >>> [found.relation for found in whorl.compare_many(pairs)]
    ['exact', 'unrelated']

    Args:
        pairs: source and examined text.
        authorised: as of `compare`.
        notices: boilerplate that was learned, neither counted nor reported.
        **options: those of `Comparing`.

    Raises:
        UsageError: an option is unknown or out of range, or a text is no string.
    """
    comparing = Comparing.of(options)
    numbers: dict[str, int] = {}
    numbered = [(numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers))) for a, b in pairs]
    all_judged = comparing.over(list(numbers), notices).pairs(numbered)
    return [_comparison(judged, comparing, authorised=authorised) for judged in all_judged]


def compare_sources(
    sources: Sequence[str], text: str, *, authorised: Sequence[int] = (), **options: Any
) -> Composition:
    """Say what a text has from each of many others.

    >>> import whorl
    >>> harbour = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> rain = "明天有雨，出门请记得带伞，山区的道路可能会积水。"
    >>> whorl.compare_sources([harbour, rain], rain).shares
    (0.0, 1.0)

    Each stretch of the text belongs to one source: to that of the most similar passage which has it; where passages are
    equally similar, within a hundredth, to that of the longest. Passages with fewer than 32 equal characters yield to
    longer ones.

    Args:
        sources: the texts it may be made of.
        text: the text that is examined.
        authorised: the numbers of sources that are the author's own work, or whose reprint is agreed.
        options: those of `Comparing`.

    Raises:
        UsageError: an option is unknown or out of range, or a text is no string.

    Cost: linear in the sources, and in the text for each of them; twice for sources of the same stretches.
    """
    comparing = Comparing.of(options)
    if isinstance(sources, str):
        raise UsageError(say("sources is a text"), cure=say("give a list of sources, then the text that is examined"))
    if any(not 0 <= number < len(sources) for number in authorised):
        raise UsageError(
            say("{name} is {value!r}", name="authorised", value=authorised),
            cure=say("give numbers from 0 to {number}", number=len(sources) - 1),
        )
    all_judged = comparing.over([text, *sources]).sources(range(1, len(sources) + 1), 0)
    parts = {
        number: _comparison(judged, comparing, authorised=number in authorised, source=number)
        for number, judged in enumerate(all_judged)
        if judged is not None
    }
    return _composition(parts, comparing, len(sources))


def _composition(parts: Mapping[int, Comparison], comparing: Comparing, sources: int) -> Composition:
    shares = [parts[number].ratios.copied if number in parts else 0.0 for number in range(sources)]
    ratios = Ratios(
        copied=min(1.0, sum(shares)),
        reworded=min(1.0, sum(part.ratios.reworded for part in parts.values())),
        unquoted=min(1.0, sum(part.ratios.unquoted for part in parts.values())),
        foreign=min(1.0, sum(part.ratios.foreign for part in parts.values())),
        largest=max(shares, default=0.0),
        quoted_uncited=min(1.0, sum(part.ratios.quoted_uncited for part in parts.values())),
    )
    notable = [number for number, share in enumerate(shares) if share >= NOTABLE]
    largest = max(parts, key=lambda number: shares[number], default=None)
    relation = "unrelated" if largest is None else parts[largest].relation
    passages = [passage for part in parts.values() for passage in part.passages]
    return Composition(
        passages=tuple(sorted(passages, key=lambda passage: passage.b_start)),
        shares=tuple(shares),
        relation="compilation" if len(notable) > 1 else relation,
        reprint=ratios.copied >= comparing.reprint and any(part.relation in COPIES for part in parts.values()),
        ratios=ratios,
        comparisons=tuple(parts[number] for number in sorted(parts)),
        language=comparing.language,
    )


def _comparison(judged: _core.Judged, comparing: Comparing, *, authorised: bool, source: int = 0) -> Comparison:
    shared, of_a, of_b = judged.shingles
    a, b = judged.a, judged.b
    copied = _share(b.counted, b.copied)
    reworded = _share(b.counted, max(0, b.covered - b.copied))
    unquoted = _share(b.counted, b.copied - b.quoted)
    uncited = min(copied, _share(b.counted, judged.quoted_uncited))
    told = new_changes(*judged.changes)
    return new_comparison(
        _share(of_a + of_b - shared, shared),
        _share(of_a, shared),
        _share(of_b, shared),
        tuple([new_passage(*row, source) for row in judged.passages]),
        judged.relation,
        judged.direction,
        judged.confidence,
        (_share(a.counted, a.copied), copied),
        (_share(a.counted, max(0, a.covered - a.copied)), reworded),
        new_facts(*judged.facts),
        copied >= comparing.reprint and judged.relation in COPIES,
        new_ratios(copied, reworded, unquoted, 0.0 if authorised else copied, copied, uncited),
        told,
        _flags(a, b, judged.deliberate_homophones),
        tuple(_exclusions(comparing, judged.dropped, judged.of_roles)) if comparing.leaves_out else (),
        comparing.language,
    )


def _share(whole: int, part: int) -> float:
    return part / whole if whole else 0.0


def _flags(a: _core.JudgedText, b: _core.JudgedText, homophones: int) -> tuple[Flag, ...]:
    if not (a.hidden or a.look_alikes or b.hidden or b.look_alikes or homophones):
        return ()
    found = [
        Flag("hidden", "a", a.hidden),
        Flag("look_alikes", "a", a.look_alikes),
        Flag("hidden", "b", b.hidden),
        Flag("look_alikes", "b", b.look_alikes),
        Flag("homophones", "b", homophones),
    ]
    return tuple(flag for flag in found if flag.count)


def _exclusions(
    comparing: Comparing, dropped: Sequence[tuple[str, int]], of_roles: tuple[int, int, int]
) -> Iterable[Exclusion]:
    """What was left out of text b by its role, and passages that were too short."""
    characters = dict(zip(_ROLES, of_roles, strict=True))
    chosen = {name: EXCLUDABLE[name] for name in comparing.exclude}
    for name, role in (chosen | ({"boilerplate": "boilerplate"} if comparing.boilerplate else {})).items():
        yield Exclusion(name, characters[role], sum(why == role for why, _ in dropped))
    if comparing.least:
        short = [matched for why, matched in dropped if why == "least"]
        yield Exclusion("least", sum(short), len(short))


__all__ = [
    "COPIES",
    "EXCLUDABLE",
    "NOTABLE",
    "REPRINT",
    "WHOLE",
    "Comparing",
    "compare",
    "compare_many",
    "compare_sources",
]
