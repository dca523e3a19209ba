"""Synthetic copies planted in a sample of the user's corpus, as ground truth."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain
from random import Random

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError
from whorl.evaluation.documents import Documents
from whorl.evaluation.edits import Language, language_of
from whorl.evaluation.mutations import KINDS, kinds_for, mutate, others_needed
from whorl.evaluation.scoring import Copy, Truth
from whorl.evaluation.trial import try_recipe
from whorl.i18n import say
from whorl.matching.relation import REMOVABLE
from whorl.recipe import Recipe

LONGEST = 10_000
"""Maximum code points of a text; longer texts are truncated before any measurement."""
SAMPLED = 1_000_000
"""Maximum code points of a sample."""

_LANGUAGES: tuple[Language, ...] = ("zh", "en")
_ALIKE = {"method": "news", "threshold": 0.3, "remove": REMOVABLE}


@frozen
class PlantedSample:
    """Documents sampled from a corpus, bounded in number and in text.

    Attributes:
        documents: sampled documents, truncated to ``LONGEST`` code points.
        cut: number of truncated texts.
        code_points: total length of the texts.
    """

    documents: Documents
    cut: int
    code_points: int


@frozen
class Families:
    """Relations among the documents of a sample.

    Attributes:
        documents: number of documents.
        related: documents that are related to an earlier one in any way.
        templates: documents that share a form with another one but state different facts.
        largest: size of the largest cluster around one document, counting distinct texts, without forms.
    """

    documents: int
    related: frozenset[str]
    templates: int
    largest: int


@frozen
class Planted:
    """A sample with planted copies of some of its documents.

    Attributes:
        documents: originals and copies.
        truth: the copies with their originals. It is complete, since related originals were excluded.
        originals: number of documents that come from the corpus.
        left_out: number of sampled documents excluded because they are related to others.
        kinds: number of copies by kind.
        sample: the sample of the corpus.
        families: relations among the sampled documents.
    """

    documents: Documents
    truth: Truth
    originals: int
    left_out: int
    kinds: dict[str, int]
    sample: PlantedSample
    families: Families


def draw_sample(documents: Documents, size: int, rng: Random) -> PlantedSample:
    """Draw documents with text until there are ``size`` of them or ``SAMPLED`` code points.

    The order is random, and sampling stops at the first document that would exceed the limit, so that long and short
    texts are equally likely.
    """
    readable = [place for place, text in enumerate(documents.texts) if text.strip()]
    positions: list[int] = []
    code_points = 0
    for place in rng.sample(readable, min(size, len(readable))):
        code_points += min(len(documents.texts[place]), LONGEST)
        if code_points > SAMPLED:
            break
        positions.append(place)
    chosen = documents.chosen(sorted(positions))
    texts = tuple(text[:LONGEST] for text in chosen.texts)
    cut = sum(len(text) > LONGEST for text in chosen.texts)
    return PlantedSample(replace(chosen, texts=texts), cut, sum(map(len, texts)))


def find_families(documents: Documents) -> Families:
    """Find related documents with a run that reports every relation above 30% of common text."""
    if not len(documents):
        return Families(0, frozenset(), 0, 0)
    trial = try_recipe(documents, Recipe().changed(**_ALIKE))
    forms = {pair for pair in trial.removals.items() if trial.relations[pair[0]] == "template"}
    forms |= set(trial.linked(("template",)))
    texts = dict(zip(documents.ids, documents.texts, strict=True))
    clusters: dict[str, set[str]] = defaultdict(set)
    for document, kept in trial.removals.items():
        if trial.relations[document] != "template":
            clusters[kept].add(texts[document])
    largest = max((len(cluster) + 1 for cluster in clusters.values()), default=0)
    related = frozenset(trial.removals) | {document for document, _, _ in trial.links}
    return Families(len(documents), related, len(frozenset(chain.from_iterable(forms))), largest)


def plant_copies(documents: Documents, *, size: int, per_kind: int, seed: int, kinds: Sequence[str] = ()) -> Planted:
    """Sample a corpus and add mutated copies of sampled documents, at most one for each original.

    Args:
        documents: the corpus.
        size: maximum number of sampled documents.
        per_kind: number of copies of each kind; fewer if the sample is too small.
        seed: seed for documents and edits.
        kinds: kinds of copies from ``whorl.evaluation.mutations.KINDS``; empty for all that fit the language.

    Raises:
        NotFoundError: a kind does not exist.
    """
    unknown = next((kind for kind in kinds if kind not in KINDS), None)
    if unknown is not None:
        raise NotFoundError(
            say("there is no kind of copy {kind!r}", kind=unknown),
            hint=say("choose among: {known}", known=", ".join(KINDS)),
        )
    rng = Random(seed)
    sample = draw_sample(documents, size, rng)
    sampled = sample.documents
    families = find_families(sampled)
    bases = sampled.chosen([place for place, id in enumerate(sampled.ids) if id not in families.related])
    copies, texts = _copies(bases, per_kind, rng, kinds)
    names = tuple(copy.document for copy in copies)
    everything = Documents((*bases.ids, *names), (*bases.texts, *texts))
    counts = Counter(copy.kind for copy in copies)
    truth = Truth(tuple(copies))
    return Planted(everything, truth, len(bases), len(families.related), dict(counts), sample, families)


def _copies(bases: Documents, per_kind: int, rng: Random, kinds: Sequence[str]) -> tuple[list[Copy], list[str]]:
    by_language: dict[Language, list[int]] = {language: [] for language in _LANGUAGES}
    for place, text in enumerate(bases.texts):
        by_language[language_of(text)].append(place)
    copies: list[Copy] = []
    texts: list[str] = []
    used_ids = frozenset(bases.ids)
    for language, places in by_language.items():
        rng.shuffle(places)
        suitable = [kind for kind in kinds_for(language) if not kinds or kind in kinds]
        for kind in _in_turns(suitable, per_kind):
            needed = 1 + others_needed(kind)
            if len(places) < needed:
                break
            used = [places.pop() for _ in range(needed)]
            base_text, *others = (bases.texts[place] for place in used)
            copy = mutate(base_text, kind, rng.randrange(2**32), others=others)
            sources = dict.fromkeys(bases.ids[used[passage.source]] for passage in copy.passages)
            if sources:
                copies.append(Copy(_name(bases.ids[used[0]], kind, used_ids), kind, tuple(sources)))
                texts.append(copy.text)
    return copies, texts


def _name(original: str, kind: str, used_ids: Collection[str]) -> str:
    """Return an unused id for a copy that contains the id of its original and its kind."""
    name = f"{original}+{kind}"
    while name in used_ids:
        name += "+"
    return name


def _in_turns(kinds: Sequence[str], per_kind: int) -> list[str]:
    """Yield the kinds in rounds, so that a sample that runs out affects all kinds equally."""
    return [kind for _ in range(per_kind) for kind in kinds]


__all__ = ["LONGEST", "SAMPLED", "Families", "Planted", "PlantedSample", "draw_sample", "find_families", "plant_copies"]
