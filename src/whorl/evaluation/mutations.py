"""Copies of an article made by known edits, with their ground truth.

`mutate` returns a test case for a detector: a text, and its copied passages with their sources. Equal arguments give
equal copies on every machine. Synonyms and homophones are substituted mechanically: this imitates the edits of a
copier, not a human rewrite.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from random import Random
from types import MappingProxyType

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.evaluation.edits import (
    Language,
    homophones,
    language_of,
    noise,
    synonyms,
    tables,
    traditional,
    typos,
    widths,
)
from whorl.evaluation.fragments import CopiedPassage, Fragment, assemble, end_paragraph, paragraphs, split_sentences
from whorl.i18n import say

_BOILERPLATE_SHARE = 0.2
_SHORT = range(40, 140)
_LONGEST_BYLINE: Mapping[Language, int] = {"zh": 30, "en": 60}
_SENTENCE_ENDS = "。！？!?.…；;"


@frozen
class MutatedCopy:
    """A copy with its ground truth.

    Attributes:
        text: text of the copy.
        kind: kind of edit, one of `KINDS`.
        passages: copied passages, in the order of the copy; offsets are code points.
    """

    text: str
    kind: str
    passages: tuple[CopiedPassage, ...]


@frozen
class _Draft:
    article: list[Fragment]
    others: tuple[list[Fragment], ...]
    language: Language
    rng: Random


@frozen
class _Trick:
    apply: Callable[[_Draft], list[Fragment]]
    others: int = 0
    languages: tuple[Language, ...] = ("zh", "en")


def mutate(text: str, kind: str, seed: int, *, others: Sequence[str] = ()) -> MutatedCopy:
    """Make a copy of `text`.

    Args:
        text: the article. Surrounding white space is not copied. A single sentence cannot be shuffled or dropped, so
            its copy is nearly verbatim.
        kind: one of `KINDS`; `homophone3`, `homophone10` and `trad` need a Chinese text.
        seed: selects one of the possible copies.
        others: unrelated articles to mix in: one for `mix2`, two for `mix3`, the host for `embed20` and `embed50`.

    Returns:
        The copy. Time and memory are linear in the texts.

    Raises:
        UsageError: the kind is unknown, does not fit the language, or lacks an article; a text is blank.
    """
    language = language_of(text)
    trick = _trick(kind, language)
    if len(others) < trick.others:
        raise UsageError(
            say(
                "{kind} needs {needed} other articles, got {given}",
                kind=kind,
                needed=trick.others + 1,
                given=len(others) + 1,
            ),
            hint=say("pass the rest as `others`"),
        )
    articles = [split_sentences(article, source) for source, article in enumerate((text, *others[: trick.others]))]
    if not all(articles):
        raise UsageError(say("a blank text cannot be copied"), hint=say("skip blank texts"))
    draft = _Draft(articles[0], tuple(articles[1:]), language, Random(seed))
    copy, passages = assemble(trick.apply(draft))
    return MutatedCopy(copy, kind, passages)


def kinds_for(language: Language) -> tuple[str, ...]:
    """Return the kinds that are available for a language."""
    return tuple(kind for kind, trick in _TRICKS.items() if language in trick.languages)


def others_needed(kind: str) -> int:
    """Return the number of unrelated articles that a kind needs.

    Raises:
        UsageError: the kind is unknown.
    """
    return _known_trick(kind).others


def _trick(kind: str, language: Language) -> _Trick:
    trick = _known_trick(kind)
    if language not in trick.languages:
        raise UsageError(
            say("{kind} needs a Chinese text", kind=kind),
            hint=say("choose one of: {known}", known=", ".join(kinds_for(language))),
        )
    return trick


def _known_trick(kind: str) -> _Trick:
    if kind not in _TRICKS:
        raise NotFoundError(
            say("there is no mutation named {kind!r}", kind=kind),
            hint=say("choose one of: {known}", known=", ".join(KINDS)),
        )
    return _TRICKS[kind]


def _excerpt(article: Sequence[Fragment], share: float, rng: Random) -> list[Fragment]:
    """Return a run of sentences from a random position with about this share of the article."""
    end = article[-1].end
    target = share * (end - article[0].start)
    starts = [start for start, fragment in enumerate(article) if end - fragment.start >= target]
    return _run(article[rng.choice(starts) :], target)


def _run(fragments: Sequence[Fragment], target: float) -> list[Fragment]:
    """Return the first fragments with at least `target` characters."""
    length = 0
    for count, fragment in enumerate(fragments, start=1):
        length += len(fragment.text)
        if length >= target:
            return list(fragments[:count])
    return list(fragments)


def _drop(article: Sequence[Fragment], share: float, rng: Random) -> list[Fragment]:
    count = min(len(article) - 1, max(1, round(share * len(article))))
    dropped = set(rng.sample(range(len(article)), count))
    return [fragment for number, fragment in enumerate(article) if number not in dropped]


def _reorder(blocks: list[list[Fragment]], rng: Random) -> list[Fragment]:
    """Return the blocks in another order, if there is one."""
    order = rng.sample(blocks, len(blocks))
    if order == blocks:
        order = [*order[1:], *order[:1]]
    return list(chain.from_iterable(order))


def _shuffle_sentences(draft: _Draft) -> list[Fragment]:
    return _reorder([[fragment] for fragment in draft.article], draft.rng)


def _shuffle_paragraphs(article: list[Fragment], rng: Random) -> list[Fragment]:
    """Move whole paragraphs, or blocks of two or three sentences if there is only one paragraph."""
    groups = paragraphs(article)
    return _reorder(groups if len(groups) > 1 else _blocks(article, rng), rng)


def _blocks(article: Sequence[Fragment], rng: Random) -> list[list[Fragment]]:
    blocks, start = [], 0
    while start < len(article):
        size = rng.choice((2, 3))
        blocks.append(list(article[start : start + size]))
        start += size
    return blocks


def _mix(draft: _Draft) -> list[Fragment]:
    """Interleave blocks of excerpts of all articles; the result is about as long as one article."""
    articles = (draft.article, *draft.others)
    share = 1.2 / len(articles)
    dealt = [_blocks(_excerpt(article, share, draft.rng), draft.rng) for article in articles]
    return list(chain.from_iterable(chain.from_iterable(zip_longest(*dealt, fillvalue=[]))))


def _embed(draft: _Draft, share: float) -> list[Fragment]:
    """Insert an excerpt into the middle of another article."""
    host = draft.others[0]
    place = draft.rng.randrange(1, len(host)) if len(host) > 1 else 1
    return [*host[:place], *_excerpt(draft.article, share, draft.rng), *host[place:]]


def _truncate(draft: _Draft) -> list[Fragment]:
    length = sum(len(fragment.text) for fragment in draft.article)
    beginning = _run(draft.article, draft.rng.uniform(0.3, 0.7) * length)
    return beginning[: max(1, len(draft.article) - 1)]


def _short(draft: _Draft) -> list[Fragment]:
    """Return a run of sentences of 40 to 139 characters, or the beginning of a sentence if there is none."""
    runs = [
        draft.article[start:end]
        for start in range(len(draft.article))
        for end in range(start + 1, min(start + len(_SHORT), len(draft.article)) + 1)
        if draft.article[end - 1].end - draft.article[start].start in _SHORT
    ]
    if runs:
        return draft.rng.choice(runs)
    longest = max(draft.article, key=lambda fragment: len(fragment.text))
    length = min(len(longest.text), _SHORT[-1])
    return [replace(longest, text=longest.text[:length], end=longest.start + length)]


def _surround(article: Sequence[Fragment], language: Language, rng: Random) -> list[Fragment]:
    """Add a header line and footer lines around the article, about a fifth of the copy in total."""
    table = tables()["boilerplate"][language]
    length = sum(len(fragment.text) for fragment in article)
    target = length * _BOILERPLATE_SHARE / (1 - _BOILERPLATE_SHARE)
    header = Fragment(rng.choice(table["headers"]), "\n")
    footers = [Fragment(line, "\n") for line in rng.sample(table["footers"], len(table["footers"]))]
    return [header, *end_paragraph(article), *_run(footers, target - len(header.text))]


def _retitle(draft: _Draft) -> list[Fragment]:
    """Replace the byline of the article, or add one, and add an editor's line at the end."""
    table = tables()["signatures"][draft.language]
    byline = Fragment(draft.rng.choice(table["bylines"]), "\n")
    editor = Fragment(draft.rng.choice(table["editors"]), "\n")
    body = draft.article[1:] if _starts_with_byline(draft.article, draft.language) else draft.article
    return [byline, *end_paragraph(body), editor]


def _starts_with_byline(article: Sequence[Fragment], language: Language) -> bool:
    first = article[0]
    is_line = "\n" in first.gap and len(article) > 1
    return is_line and len(first.text) <= _LONGEST_BYLINE[language] and first.text[-1] not in _SENTENCE_ENDS


def _combine(draft: _Draft) -> list[Fragment]:
    """Combine the edits of a content farm: dropped sentences, synonyms, typos, moved blocks and boilerplate."""
    kept = _drop(draft.article, 0.15, draft.rng)
    edited = typos(synonyms(kept, draft.language, draft.rng), draft.language, 0.02, draft.rng)
    return _surround(_shuffle_paragraphs(edited, draft.rng), draft.language, draft.rng)


_TRICKS: Mapping[str, _Trick] = MappingProxyType(
    {
        "verbatim": _Trick(lambda draft: draft.article),
        "retitle": _Trick(_retitle),
        "boilerplate": _Trick(lambda draft: _surround(draft.article, draft.language, draft.rng)),
        "typo1": _Trick(lambda draft: typos(draft.article, draft.language, 0.01, draft.rng)),
        "typo5": _Trick(lambda draft: typos(draft.article, draft.language, 0.05, draft.rng)),
        "typo10": _Trick(lambda draft: typos(draft.article, draft.language, 0.10, draft.rng)),
        "homophone3": _Trick(lambda draft: homophones(draft.article, 0.03, draft.rng), languages=("zh",)),
        "homophone10": _Trick(lambda draft: homophones(draft.article, 0.10, draft.rng), languages=("zh",)),
        "synonym": _Trick(lambda draft: synonyms(draft.article, draft.language, draft.rng)),
        "sent_shuffle": _Trick(_shuffle_sentences),
        "para_shuffle": _Trick(lambda draft: _shuffle_paragraphs(draft.article, draft.rng)),
        "drop20": _Trick(lambda draft: _drop(draft.article, 0.2, draft.rng)),
        "drop50": _Trick(lambda draft: _drop(draft.article, 0.5, draft.rng)),
        "excerpt20": _Trick(lambda draft: _excerpt(draft.article, 0.2, draft.rng)),
        "excerpt40": _Trick(lambda draft: _excerpt(draft.article, 0.4, draft.rng)),
        "excerpt60": _Trick(lambda draft: _excerpt(draft.article, 0.6, draft.rng)),
        "embed20": _Trick(lambda draft: _embed(draft, 0.2), others=1),
        "embed50": _Trick(lambda draft: _embed(draft, 0.5), others=1),
        "mix2": _Trick(_mix, others=1),
        "mix3": _Trick(_mix, others=2),
        "trad": _Trick(lambda draft: traditional(draft.article), languages=("zh",)),
        "width_punct": _Trick(lambda draft: widths(draft.article, draft.language, draft.rng)),
        "noise": _Trick(lambda draft: noise(draft.article, draft.rng.choice((0.02, 0.05, 0.10)), draft.rng)),
        "truncated": _Trick(_truncate),
        "short": _Trick(_short),
        "short_typo": _Trick(lambda draft: typos(_short(draft), draft.language, 0.04, draft.rng)),
        "combo": _Trick(_combine),
    }
)

KINDS: tuple[str, ...] = tuple(_TRICKS)

__all__ = ["KINDS", "CopiedPassage", "MutatedCopy", "kinds_for", "mutate", "others_needed"]
