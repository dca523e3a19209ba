"""Copies planted among documents of a corpus: the truth about them is known, and the texts are the corpus's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from whorl.errors import NotFoundError
from whorl.evaluation.documents import Documents
from whorl.evaluation.edits import Language, language_of
from whorl.evaluation.mutations import KINDS, kinds_for, mutate, others_needed
from whorl.evaluation.scoring import Copy, Truth
from whorl.evaluation.trial import try_recipe
from whorl.language import say
from whorl.matching.relation import REMOVED
from whorl.recipe import Recipe

_LANGUAGES: tuple[Language, ...] = ("zh", "en")
_ALIKE = {"method": "news", "threshold": 0.3}


@dataclass(frozen=True, slots=True)
class Planted:
    """Documents with copies of some of them among them.

    Attributes:
        documents: originals and copies.
        truth: which are copies of what. It is complete: originals that look alike were left out.
        originals: how many of the documents are the corpus's own.
        left_out: documents of the sample that look like others of it.
        kinds: how many copies there are of each kind.
    """

    documents: Documents
    truth: Truth
    originals: int
    left_out: int
    kinds: dict[str, int]


def plant_copies(documents: Documents, *, size: int, per_kind: int, seed: int, kinds: Sequence[str] = ()) -> Planted:
    """Sample a corpus and add mutated copies of what was sampled, each original being copied once at most.

    Args:
        documents: the corpus.
        size: how many documents to sample.
        per_kind: how many copies of each kind, fewer where the sample is too small for so many.
        seed: chooses documents and edits.
        kinds: of copies, among ``whorl.evaluation.mutations.KINDS``; none for all that suit the language of a text.

    Raises:
        NotFoundError: there is no such kind.
    """
    unknown = next((kind for kind in kinds if kind not in KINDS), None)
    if unknown is not None:
        raise NotFoundError(
            say("there is no kind of copy {kind!r}", kind=unknown),
            cure=say("choose among: {known}", known=", ".join(KINDS)),
        )
    rng = Random(seed)
    readable = [place for place, text in enumerate(documents.texts) if text.strip()]
    sample = documents.chosen(sorted(rng.sample(readable, min(size, len(readable)))))
    alike = (
        try_recipe(sample, Recipe().changed(**_ALIKE, remove=(*REMOVED, "compilation"))).removals if len(sample) else {}
    )
    bases = sample.chosen([place for place, own in enumerate(sample.ids) if own not in alike])
    copies, texts = _copies(bases, per_kind, rng, kinds)
    names = tuple(copy.document for copy in copies)
    everything = Documents((*bases.ids, *names), (*bases.texts, *texts))
    counts = Counter(copy.kind for copy in copies)
    return Planted(everything, Truth(tuple(copies)), len(bases), len(alike), dict(counts))


def _copies(bases: Documents, per_kind: int, rng: Random, kinds: Sequence[str]) -> tuple[list[Copy], list[str]]:
    by_language: dict[Language, list[int]] = {language: [] for language in _LANGUAGES}
    for place, text in enumerate(bases.texts):
        by_language[language_of(text)].append(place)
    copies: list[Copy] = []
    texts: list[str] = []
    taken = frozenset(bases.ids)
    for language, places in by_language.items():
        rng.shuffle(places)
        wanted = [kind for kind in kinds_for(language) if not kinds or kind in kinds]
        for kind in _in_turns(wanted, per_kind):
            needed = 1 + others_needed(kind)
            if len(places) < needed:
                break
            used = [places.pop() for _ in range(needed)]
            own, *others = (bases.texts[place] for place in used)
            copy = mutate(own, kind, rng.randrange(2**32), others=others)
            sources = dict.fromkeys(bases.ids[used[passage.source]] for passage in copy.passages)
            if sources:
                copies.append(Copy(_name(bases.ids[used[0]], kind, taken), kind, tuple(sources)))
                texts.append(copy.text)
    return copies, texts


def _name(own: str, kind: str, taken: Collection[str]) -> str:
    """An id for a copy, which tells its original and its kind, and which no document has."""
    name = f"{own}+{kind}"
    while name in taken:
        name += "+"
    return name


def _in_turns(kinds: Sequence[str], per_kind: int) -> list[str]:
    """Every kind once, then every kind again: a sample that runs out leaves all kinds alike."""
    return [kind for _ in range(per_kind) for kind in kinds]


__all__ = ["Planted", "plant_copies"]
