"""Comparison of texts: passages, copied and reworded shares, changes, and the resulting relation.

The core judges relations, in one place for comparisons, batch runs and libraries. Shares are measured on the bodies,
without titles and lines that name authors, editors and sources. If at least ``WHOLE`` of both bodies is copied, they
are near-duplicates; if that holds for one, it is an excerpt, unless the facts or the names of the documents differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import Language, say
from whorl.matching.boilerplate import Notices
from whorl.text import shared_spans
from whorl.types.comparison import (
    Comparison,
    Composition,
    Exclusion,
    Flag,
    Passage,
    Ratios,
    new_changes,
    new_comparison,
    new_facts,
    new_passage,
    new_ratios,
)

if TYPE_CHECKING:
    from whorl.matching.meaning import Encoder, Model
    from whorl.types.options import CompareOptions

EXCLUDABLE = {"quotations": "quotation", "references": "reference"}
"""Text that can be excluded by its layout, with its role."""
_ROLES = ("quotation", "reference", "boilerplate")
WHOLE = _core.WHOLE
REPRINT = 0.7
COPIES = ("exact", "near_duplicate", "version", "excerpt", "partial")
"""The relations of copies; with other relations the texts share a form, an idea or a quotation."""
NOTABLE = 0.1
"""Minimum share of a source that is worth mentioning."""
_LARGEST_LEAST = 2**32 - 1


@frozen(slots=False)
class Comparing:
    """Options of a comparison.

    Args:
        exclude: text to exclude: "quotations" (text b between quotation marks, titles of works between 《》, block
            quotes), "references" (reference lists in text b). The rest of a passage is still reported, unless less
            than 12 characters (36 letters) and less than half of it remain.
        boilerplate: texts to exclude, such as notices and standing phrases: those whose shingles match, either your own
            or those of ``learn_boilerplate``.
        least: minimum length of a passage in equal normalized code points, at least 0.
        reprint: minimum copied share of a reprint, in (0, 1].
        language: language of the summary sentence: "zh" or "en"; None is the current language.
        terms: pairs of terms in two languages that mean the same, as further evidence of translations.
        meaning: also find the same content in other words or another language, by the vectors of sentences: True with
            the model of the extra ``meaning``, or the path of a folder with a model.

    Raises:
        UsageError: a value is out of range.
    """

    exclude: Sequence[str] = ()
    boilerplate: Sequence[str] = field(default=(), repr=False)
    least: int = 0
    reprint: float = REPRINT
    language: Language | None = None
    terms: Sequence[tuple[str, str]] = field(default=(), repr=False)
    meaning: Model = False

    def __post_init__(self) -> None:
        if isinstance(self.exclude, str) or any(name not in EXCLUDABLE for name in self.exclude):
            raise UsageError(
                say("{name} is {value!r}", name="exclude", value=self.exclude),
                hint=say("use a list of: {known}", known=", ".join(EXCLUDABLE)),
            )
        if isinstance(self.boilerplate, str):
            raise UsageError(
                say("boilerplate: expected a list of texts, got one text"), hint=say("use a list of texts")
            )
        if type(self.least) is not int or not 0 <= self.least <= _LARGEST_LEAST:
            raise UsageError(
                say("{name} is {value!r}, not a number of characters", name="least", value=self.least),
                hint=say("use 0 or more"),
            )
        if not 0 < self.reprint <= 1:
            raise UsageError(
                say("expected a number in (0, 1] for {name}, got {value!r}", name="reprint", value=self.reprint),
                hint=say("use a share such as 0.7"),
            )
        if self.language not in (None, "zh", "en"):
            raise UsageError(
                say("{name} is {value!r}", name="language", value=self.language), hint=say("choose zh or en")
            )
        if not all(map(_is_pair, self.terms)):
            raise UsageError(
                say("terms: expected pairs of terms, got {value!r:.60}", value=self.terms),
                hint=say("use a list such as [('冰厂', 'ice plant')]"),
            )
        if not _is_model(self.meaning):
            raise UsageError(
                say("{name} is {value!r}", name="meaning", value=self.meaning),
                hint=say("use True, or the path of a folder with a model"),
            )

    @property
    def leaves_out(self) -> bool:
        """True if any text is excluded."""
        return bool(self.exclude or self.boilerplate or self.least)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Comparing:
        """Build from keyword options.

        Raises:
            UsageError: an option is unknown or out of range.
        """
        if not options:
            return USUAL
        try:
            return cls(**options)
        except TypeError as error:
            names = ", ".join(cls.__dataclass_fields__)
            raise UsageError(
                say("unknown option among {options}", options=", ".join(options)),
                hint=say("choose from: {known}", known=names),
            ) from error

    @property
    def encoder(self) -> Encoder | None:
        """The model of the meaning channel; None if the channel is off. It is loaded once per process.

        Raises:
            UsageError: an extra is not installed.
            InputError: the folder has no model.
        """
        if not self.meaning:
            return None
        from whorl.matching.meaning import open_encoder

        return open_encoder(self.meaning)

    def by_meaning(self, comparison: Comparison, a: str, b: str) -> Comparison:
        """Return a comparison of two texts with what the meaning channel adds, if it was requested.

        Raises:
            UsageError: an extra is not installed.
            InputError: the folder has no model.
        """
        encoder = self.encoder
        if encoder is None:
            return comparison
        from whorl.matching.meaning import with_meaning

        return with_meaning(comparison, a, b, encoder, (self.notices_in(a), self.notices_in(b)))

    def notices_in(self, text: str) -> list[tuple[int, int]]:
        """Return the ranges of a text that are boilerplate."""
        notices = "\n".join(self.boilerplate)
        return shared_spans(text, notices) if notices else []

    def over(self, texts: Sequence[str], learned: Notices | None = None) -> _core.Comparer:
        """Return a comparer for pairs of these texts."""
        if any(kind is not str and not issubclass(kind, str) for kind in set(map(type, texts))):
            raise UsageError(say("expected texts of type str"), hint=say("decode bytes, and drop missing values"))
        spans = [self.notices_in(text) for text in texts] if self.boilerplate else []
        sought = learned.sought if learned else None
        quotations, references = ("quotations" in self.exclude, "references" in self.exclude)
        terms = [(first, second) for first, second in self.terms]
        return _core.Comparer(texts, spans, sought, quotations, references, self.least, terms)


def _is_pair(pair: object) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(term, str) for term in pair)


def _is_model(model: object) -> bool:
    return isinstance(model, bool | PathLike) or (isinstance(model, str) and bool(model))


USUAL = Comparing()


def compare(a: str, b: str, *, authorised: bool = False, **options: Unpack[CompareOptions]) -> Comparison:
    """Compare the examined text ``b`` with the source ``a``.

    >>> import whorl
    >>> found = whorl.compare("渔港的冰厂今年夏天添了两台新机器。", "据悉，渔港的冰厂今年夏天添了两台新机器。")
    >>> found.relation, round(found.ratios.copied, 2)
    ('near_duplicate', 0.89)

    Args:
        a: the source.
        b: the examined text. Any string is allowed, including lone surrogates; a text without letters, digits or
            characters is unrelated to any other.
        authorised: ``a`` is the author's own earlier work, or an agreed reprint.
        **options: those of `Comparing`: ``exclude``, ``boilerplate``, ``least``, ``reprint``, ``language``,
            ``terms``, ``meaning``.

    Raises:
        UsageError: an option is unknown or out of range, a text is not a string, or an extra is not installed.
        InputError: ``meaning`` is a folder without a model.

    Cost: linear in both texts; about 80 bytes of memory for each character. With ``meaning``, of texts without a
        passage, about 30 ms of a core for each sentence.
    """
    comparing = Comparing.of(options)
    (judged,) = comparing.over((a, b)).pairs([(0, 1)], content=True, translation=True)
    return comparing.by_meaning(comparison_of(judged, comparing, authorised=authorised), a, b)


def compare_many(
    pairs: Iterable[tuple[str, str]],
    *,
    authorised: bool = False,
    notices: Notices | None = None,
    content: bool = True,
    **options: Unpack[CompareOptions],
) -> list[Comparison]:
    """Compare many pairs in parallel, with the options of `compare`. Memory: the texts and the results.

    >>> import whorl
    >>> pairs = [("渔港的冰厂今年添了两台新机器。", "渔港的冰厂今年添了两台新机器。"), ("明天有雨。", "今天天气很好。")]
    >>> [found.relation for found in whorl.compare_many(pairs)]
    ['exact', 'unrelated']

    Args:
        pairs: pairs of source and examined text.
        authorised: see `compare`.
        notices: learned boilerplate to exclude.
        content: align the sentences of texts with the same content and hardly a passage in common, and of translations.
        **options: those of `compare`.

    Raises:
        UsageError: an option is unknown or out of range, a text is not a string, or an extra is not installed.
        InputError: ``meaning`` is a folder without a model.
    """
    comparing = Comparing.of(options)
    listed = list(pairs)
    all_judged = judge_many(listed, comparing, notices, content=content, translation=content)
    comparisons = [comparison_of(judged, comparing, authorised=authorised) for judged in all_judged]
    return [comparing.by_meaning(comparison, *pair) for comparison, pair in zip(comparisons, listed, strict=True)]


def judge_many(
    pairs: Iterable[tuple[str, str]],
    comparing: Comparing,
    notices: Notices | None = None,
    *,
    content: bool = True,
    translation: bool = False,
) -> list[_core.Judged]:
    """Compare like `compare_many`, but leave the results in the core, which makes Python objects of them on demand."""
    numbers: dict[str, int] = {}
    numbered = [(numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers))) for a, b in pairs]
    return comparing.over(list(numbers), notices).pairs(numbered, content, translation)


def passages_of(judged: _core.Judged, source: int = 0) -> tuple[Passage, ...]:
    """Return the passages of a comparison with a source."""
    return tuple([new_passage(*row, source) for row in judged.passages])


def compare_without(a: str, b: str, notices: Notices, *, content: bool = False) -> Comparison:
    """Compare the examined text ``b`` with the source ``a`` without learned boilerplate, and list what was excluded.

    The figures are those of ``compare_many`` with the same boilerplate and ``content``.
    """
    (judged,) = USUAL.over([a, b], notices).pairs([(0, 1)], content)
    comparison = comparison_of(judged, USUAL, authorised=False)
    characters = dict(zip(_ROLES, judged.of_roles, strict=True))["boilerplate"]
    passages = sum(why == "boilerplate" for why, _ in judged.dropped)
    if not characters and not passages:
        return comparison
    return replace(comparison, exclusions=(Exclusion("boilerplate", characters, passages),))


def with_copied(comparison: Comparison, copied: tuple[float, float]) -> Comparison:
    """Return a comparison with other copied shares of a and b, and ratios that agree with them."""
    share, ratios = copied[1], comparison.ratios
    if comparison.copied == copied:
        return comparison
    return replace(
        comparison,
        copied=copied,
        ratios=replace(
            ratios,
            copied=share,
            unquoted=min(ratios.unquoted, share),
            foreign=share,
            largest=share,
            quoted_uncited=min(ratios.quoted_uncited, share),
        ),
        reprint=share >= REPRINT and comparison.relation in COPIES,
    )


def compare_sources(
    sources: Sequence[str], text: str, *, authorised: Sequence[int] = (), **options: Unpack[CompareOptions]
) -> Composition:
    """Compare a text with many possible sources.

    >>> import whorl
    >>> harbour = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> rain = "明天有雨，出门请记得带伞，山区的道路可能会积水。"
    >>> whorl.compare_sources([harbour, rain], rain).shares
    (0.0, 1.0)

    Each part of the text is assigned to one source: to that of its most similar passage, or of its longest passage
    if similarities differ by less than 0.01. Passages with fewer than 32 equal characters yield to longer ones.

    Args:
        sources: possible sources.
        text: the examined text.
        authorised: numbers of sources that are the author's own earlier work or agreed reprints.
        **options: those of `Comparing`: ``exclude``, ``boilerplate``, ``least``, ``reprint``, ``language``,
            ``terms``, ``meaning``.

    Raises:
        UsageError: an option is unknown or out of range, a text is not a string, or an extra is not installed.
        InputError: ``meaning`` is a folder without a model.

    Cost: linear in the sources, and in the text for each of them; double for sources of the same passages. With
        ``meaning``, also about 30 ms of a core for each sentence of the text and of up to eight sources.
    """
    comparing = Comparing.of(options)
    if isinstance(sources, str):
        raise UsageError(say("sources is a text"), hint=say("pass a list of sources, then the examined text"))
    if any(not 0 <= number < len(sources) for number in authorised):
        raise UsageError(
            say("{name} is {value!r}", name="authorised", value=authorised),
            hint=say("use numbers from 0 to {number}", number=len(sources) - 1),
        )
    all_judged = comparing.over([text, *sources]).sources(range(1, len(sources) + 1), 0)
    parts = {
        number: comparison_of(judged, comparing, authorised=number in authorised, source=number)
        for number, judged in enumerate(all_judged)
        if judged is not None
    }
    encoder = comparing.encoder
    if encoder is not None:
        parts = _with_meanings(parts, sources, text, comparing, encoder, authorised)
    return composition_of(parts, comparing, len(sources))


def _with_meanings(
    parts: Mapping[int, Comparison],
    sources: Sequence[str],
    text: str,
    comparing: Comparing,
    encoder: Encoder,
    authorised: Sequence[int],
) -> dict[int, Comparison]:
    from whorl.matching.meaning.sources import with_meanings

    def compared(number: int) -> Comparison:
        (judged,) = comparing.over((sources[number], text)).pairs([(0, 1)])
        return comparison_of(judged, comparing, authorised=number in authorised, source=number)

    return with_meanings(parts, sources, text, encoder, compared, comparing.notices_in)


def composition_of(parts: Mapping[int, Comparison], comparing: Comparing, sources: int) -> Composition:
    shares = [parts[number].ratios.copied if number in parts else 0.0 for number in range(sources)]
    ratios = Ratios(
        copied=min(1.0, sum(shares)),
        reworded=min(1.0, sum(part.ratios.reworded for part in parts.values())),
        unquoted=min(1.0, sum(part.ratios.unquoted for part in parts.values())),
        foreign=min(1.0, sum(part.ratios.foreign for part in parts.values())),
        largest=max(shares, default=0.0),
        quoted_uncited=min(1.0, sum(part.ratios.quoted_uncited for part in parts.values())),
        translated=min(1.0, sum(part.ratios.translated for part in parts.values())),
        meaning=min(1.0, sum(part.ratios.meaning for part in parts.values())),
    )
    notable = [number for number, share in enumerate(shares) if share >= NOTABLE]
    largest = max(
        parts,
        key=lambda number: (shares[number], parts[number].ratios.translated, parts[number].ratios.meaning),
        default=None,
    )
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


def comparison_of(judged: _core.Judged, comparing: Comparing, *, authorised: bool, source: int = 0) -> Comparison:
    shared, of_a, of_b = judged.shingles
    a, b = judged.a, judged.b
    copied = _share(b.counted, b.copied)
    reworded = _share(b.counted, max(0, b.covered - b.copied))
    unquoted = _share(b.counted, b.copied - b.quoted)
    translated = _share(b.counted, judged.translated[1])
    uncited = min(copied, _share(b.counted, judged.quoted_uncited))
    changes = new_changes(*judged.changes)
    return new_comparison(
        _share(of_a + of_b - shared, shared),
        _share(of_a, shared),
        _share(of_b, shared),
        passages_of(judged, source),
        judged.relation,
        judged.direction,
        judged.confidence,
        (_share(a.counted, a.copied), copied),
        (_share(a.counted, max(0, a.covered - a.copied)), reworded),
        new_facts(*judged.facts),
        copied >= comparing.reprint and judged.relation in COPIES,
        new_ratios(copied, reworded, unquoted, 0.0 if authorised else copied, copied, uncited, translated, 0.0),
        changes,
        _flags(a, b, judged.deliberate_homophones),
        tuple(_exclusions(comparing, judged.dropped, judged.of_roles)) if comparing.leaves_out else (),
        comparing.language,
    )


def _share(whole: int, part: int) -> float:
    return part / whole if whole else 0.0


def _flags(a: _core.JudgedText, b: _core.JudgedText, homophones: int) -> tuple[Flag, ...]:
    if not (a.hidden or a.look_alikes or a.manifest or b.hidden or b.look_alikes or b.manifest or homophones):
        return ()
    flags = [
        Flag("hidden", "a", a.hidden),
        Flag("look_alikes", "a", a.look_alikes),
        Flag("hidden", "b", b.hidden),
        Flag("look_alikes", "b", b.look_alikes),
        Flag("homophones", "b", homophones),
        Flag("manifest", "a", a.manifest),
        Flag("manifest", "b", b.manifest),
    ]
    return tuple(flag for flag in flags if flag.count)


def _exclusions(
    comparing: Comparing, dropped: Sequence[tuple[str, int]], of_roles: tuple[int, int, int]
) -> Iterable[Exclusion]:
    """Yield the text of b that was excluded by role, and the passages that were too short."""
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
    "USUAL",
    "WHOLE",
    "Comparing",
    "compare",
    "compare_many",
    "compare_sources",
    "compare_without",
    "judge_many",
    "passages_of",
    "with_copied",
]
