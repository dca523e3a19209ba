"""Exact verification of every accepted pair: the measures, and which method requires which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.fingerprints import CODE_POINTS, SHINGLES, Family, Verdict, keys
from whorl.i18n import Message, say
from whorl.matching.relation import REMOVED, Ruling, ruling
from whorl.text.words import MODES, load_dictionary
from whorl.types.cards import NotebookCard

FOLDS = ("none", "pinyin", "look_alikes")
NONE = "none"
"""The measure of a verification without a requirement."""
_LARGEST_WIDTH = 1024
_SHINGLE = 5
LEAST_RUN = 12
"""Minimum code points of a run that is evidence of copying; long texts share shorter ones by chance."""


@frozen
class Figure:
    """The similarity of two texts.

    >>> import whorl
    >>> [part] = whorl.explain("今天天气很好，适合出门散步。", "今天天气很好，适合出门。", verify="containment").parts
    >>> part.explanation.verified
    Figure(shared=6, united=8, similarity=0.75)

    Attributes:
        shared: number of common features, keys or bits; for "edit", of features without an edit.
        united: number in either text; for containment, in the contained text; for "edit", in the longer text.
        similarity: in [0, 1]: ``shared / united``, except for "cosine" and "euclidean".
    """

    shared: int
    united: int
    similarity: float

    @classmethod
    def share(cls, shared: int, united: int) -> Figure:
        """Return a fraction; 0 for texts without features, which equal no text."""
        return cls(shared, united, shared / united if united else 0.0)


@frozen
class Verification:
    """An exact measure that a duplicate must reach in addition to the rule of its method.

    >>> import whorl
    >>> from whorl.results import Verification
    >>> recipe = whorl.Recipe(verify=Verification("containment", threshold=0.7))
    >>> recipe.measure
    'containment'

    Args:
        measure: "copied": share of the removable document that lies in passages of the other one, as
            ``whorl.compare`` finds them, without rewritten ones; features do not matter. "content": the same with
            rewritten ones, which link documents but remove none. "none": only the rule of the method. "jaccard":
            distinct common features among those of either text. "containment": among those of the removable document.
            "cosine" and "euclidean": angle, or distance, of the feature counts, scaled to length 1. "edit": share of
            the features of the longer text that no edit affects.
        threshold: minimum value, inclusive, in (0, 1]; None is that of the recipe.
        over: features: "shingles" (runs of tokens), "code_points" (runs of folded code points, across word
            boundaries), or runs of words in a mode of ``whorl segment``.
        width: tokens, code points or words of a feature, 1 to 1024; None is 5 by default, and 1 for words and "edit".
        fold: "none", or "pinyin" to compare Han characters by their pronunciation. "look_alikes" is the same as
            "none", because the fold already maps look-alikes.
        user_dictionary: file of words in addition to jieba's.
        hmm: let jieba's model guess words that the dictionary lacks.

    Raises:
        UsageError: a value is out of range.
        InputError: the dictionary cannot be read.
    """

    measure: str
    threshold: float | None = None
    over: str = SHINGLES
    width: int | None = None
    fold: str = "none"
    user_dictionary: str | None = None
    hmm: bool = True

    def __post_init__(self) -> None:
        _choose("measure", self.measure, (*TEXT_MEASURES, NONE))
        _choose("over", self.over, (SHINGLES, CODE_POINTS, *MODES))
        _choose("fold", self.fold, FOLDS)
        number = isinstance(self.threshold, int | float) and not isinstance(self.threshold, bool)
        if self.threshold is not None and not (number and 0 < self.threshold <= 1):
            raise UsageError(
                say(
                    "{label}: expected a number in (0, 1] for {name}, got {value!r}",
                    label="verify",
                    name="threshold",
                    value=self.threshold,
                ),
                hint=say("use a share such as 0.8"),
            )
        if self.width is not None and (type(self.width) is not int or not 1 <= self.width <= _LARGEST_WIDTH):
            raise UsageError(
                say(
                    "{label}: {name} is {value!r}, not 1 to {most}",
                    label="verify",
                    name="width",
                    value=self.width,
                    most=_LARGEST_WIDTH,
                ),
                hint=say("omit it"),
            )
        short = self.width is not None and self.width < LEAST_RUN
        if self.measure == "containment" and self.over == CODE_POINTS and short:
            raise UsageError(
                say(
                    "{label}: {name} is {value}: runs of so few code points occur in any long text",
                    label="verify",
                    name="width",
                    value=self.width,
                ),
                hint=say("use {least} or more, or the measure 'copied'", least=LEAST_RUN),
            )
        if type(self.hmm) is not bool:
            raise UsageError(
                say(
                    "{label}: expected true or false for {name}, got {value!r}",
                    label="verify",
                    name="hmm",
                    value=self.hmm,
                ),
                hint=say("omit it"),
            )
        if self.user_dictionary is not None:
            load_dictionary(self.user_dictionary)

    def spelled_out(self, threshold: float) -> Verification:
        """Resolve ``threshold`` and ``width`` where they are None."""
        usual = 1 if self.measure in ("edit", "copied", "content") or self.over in MODES else _SHINGLE
        if self.measure == "containment" and self.over == CODE_POINTS:
            usual = LEAST_RUN
        return replace(self, threshold=self.threshold or threshold, width=self.width or usual)

    @property
    def vocabulary(self) -> str | None:
        """The dependencies of the segmentation other than these fields: versions, and a digest of the user's words."""
        if self.over not in MODES:
            return None
        return f"{_core.WORDS_VERSION}/{load_dictionary(self.user_dictionary).digest():016x}"

    def demand(self, part: str = "whole") -> _core.Demand:
        """Return the resolved requirement for the core, on "whole", "title" or "text"."""
        return _core.Demand(
            self.measure,
            self.threshold or 0.0,
            part=part,
            over=self.over,
            width=self.width or 1,
            fold=self.fold,
            words=load_dictionary(self.user_dictionary) if self.over in MODES else None,
            hmm=self.hmm,
        )


def _choose(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(
            say("{label}: {name} is {value!r}", label="verify", name=name, value=value),
            hint=say("choose one of: {known}", known=", ".join(choices)),
        )


@frozen
class Explanation(NotebookCard):
    """Explanation why two texts are copies or not.

    >>> import whorl
    >>> [part] = whorl.explain("今天天气很好，适合出门散步。", "明天有雨，记得带伞。").parts
    >>> part.explanation.copies, part.explanation.reason
    (False, 'they share too few keys to be compared; the Jaccard similarity 0.0000 is below the threshold 0.8')

    Attributes:
        keys_shared: number of common keys.
        keys_needed: minimum number of common keys for a comparison.
        keys_a: number of keys of the first text.
        keys_b: number of keys of the second text.
        estimate: similarity estimated from the sketches, in [0, 1].
        figure: exact similarity by the measure of the method.
        verdict: acceptance rule of the method.
        verified: score of the additional verification, or None.
        verification: additional verification with all defaults resolved, or None.
        ruling: relation of the whole texts, and whether the first may be removed for it.
        copies: True if the first text would be removed.
        reason: explanation in one sentence.
    """

    keys_shared: int
    keys_needed: int
    keys_a: int
    keys_b: int
    estimate: float
    figure: Figure
    verdict: Verdict
    verified: Figure | None
    verification: Verification | None
    ruling: Ruling
    copies: bool
    reason: str


_IDENTICAL = Figure(1, 1, 1.0)
EXACT = Ruling("exact", None, 1.0, (1.0, 1.0), (0.0, 0.0), is_removable=True)
"""The ruling on texts with equal normalized form."""


def overlap(a: str, b: str, shingle: int = 5) -> Figure:
    """Return the Jaccard similarity of the shingles of two texts. Linear in both."""
    return _of_texts(a, b, Verification("jaccard", 1.0, width=shingle))


def _of_texts(a: str, b: str, demanded: Verification) -> Figure:
    return Figure(*demanded.demand().figure(a, b))


def _requirement(verdict: Verdict) -> Verification:
    """Return the requirement of a method itself."""
    return Verification(verdict.measure, verdict.threshold, over=verdict.over, width=verdict.shingle)


def _of_shingles(a: str, b: str, family: Family, verdict: Verdict) -> Figure:  # noqa: ARG001
    return _of_texts(a, b, _requirement(verdict))


def _exact(a: str, b: str, family: Family, verdict: Verdict) -> Figure:  # noqa: ARG001
    return Figure.share(int(_same_folded(a, b, family)), 1)


def _keys(a: str, b: str, family: Family, verdict: Verdict) -> Figure:  # noqa: ARG001
    first_keys = keys(family, a)
    return Figure.share(len(first_keys & keys(family, b)), len(first_keys))


def _hamming(a: str, b: str, family: Family, verdict: Verdict) -> Figure:  # noqa: ARG001
    codes = family.fingerprint([a, b]).codes
    bits = 8 * codes.shape[1]
    return Figure.share(bits - int(np.unpackbits(codes[0] ^ codes[1]).sum()), bits)


def _same_folded(a: str, b: str, family: Family) -> bool:
    prints = family.fingerprint([a, b])
    return bool((prints.digests[0] == prints.digests[1]).all() and prints.lengths.all())


TEXT_MEASURES = ("jaccard", "containment", "cosine", "euclidean", "edit", "copied", "content")
"""Measures of the texts themselves: all but the last two compare features."""

MEASURES: dict[str, Callable[[str, str, Family, Verdict], Figure]] = {
    "exact": _exact,
    "keys": _keys,
    "hamming": _hamming,
    **dict.fromkeys(TEXT_MEASURES, _of_shingles),
}
"""Formulas of the measures; the first text is the removable one."""


def verified_by(verdict: Verdict, chosen: Verification | None, threshold: float) -> Verification | None:
    """Return the resolved additional verification of a method, or None.

    Args:
        verdict: acceptance rule of the method. A rule on fingerprints alone is verified by the copied share.
        chosen: verification chosen by the user, or None.
        threshold: threshold for a verification without one.
    """
    if chosen is None:
        measure = "content" if verdict.content else "copied"
        return None if verdict.copied is None else Verification(measure, verdict.copied).spelled_out(threshold)
    return None if chosen.measure == NONE else chosen.spelled_out(threshold)


def demands(verdict: Verdict, verification: Verification | None, part: str = "whole") -> list[_core.Demand]:
    """Return the exact requirements on the texts of a duplicate; the last one decides.

    Args:
        verdict: acceptance rule of the method.
        verification: resolved additional verification.
        part: part of the texts: "whole", "title" or "text".
    """
    compares_texts = verdict.measure in TEXT_MEASURES
    by_family = [_requirement(verdict)] if compares_texts else []
    besides = [] if verification is None else [verification]
    return [demanded.demand(part) for demanded in by_family + besides]


def judge(
    a: str, b: str, family: Family, verdict: Verdict, verification: Verification | None = None
) -> tuple[Figure, bool]:
    """Return the deciding exact similarity of two texts, and True if ``a`` is a copy of ``b``.

    Cost: linear in both texts; n² / 64 steps for "edit".
    """
    figure, alike = _by_family(a, b, family, verdict)
    verified = _verified(a, b, family, verification)
    if verification is None or verified is None:
        return figure, alike
    return verified, alike and verified.similarity >= (verification.threshold or 0.0)


def _by_family(a: str, b: str, family: Family, verdict: Verdict) -> tuple[Figure, bool]:
    if _same_folded(a, b, family):
        return _IDENTICAL, True
    figure = MEASURES[verdict.measure](a, b, family, verdict)
    if verdict.measure != "hamming":
        return figure, figure.similarity >= verdict.threshold
    length = int(family.fingerprint([a, b]).lengths.min())
    longest = verdict.limits[-1][1]
    limit = next((distance for reach, distance in verdict.limits if length <= reach), longest)
    return figure, figure.united - figure.shared <= limit


def _verified(a: str, b: str, family: Family, verification: Verification | None) -> Figure | None:
    """Return the score of the verification. Texts with equal normalized form always pass, however words are cut."""
    if verification is None:
        return None
    return _IDENTICAL if _same_folded(a, b, family) else _of_texts(a, b, verification)


def explain(
    a: str,
    b: str,
    family: Family,
    threshold: float,
    verification: Verification | None = None,
    whole: tuple[str, str] | None = None,
    remove: tuple[str, ...] = REMOVED,
) -> Explanation:
    """Judge two texts as a batch run does, and explain the result.

    Args:
        a: the removable text.
        b: the other text.
        family: method that makes the keys.
        threshold: minimum similarity of copies, inclusive.
        verification: additional verification.
        whole: documents whose fields the texts are; None if the texts are whole documents.
        remove: relations for which documents are removed.

    Cost: linear in both texts; n² / 64 steps for "edit".
    """
    verdict = family.verdict(threshold)
    demanded = verified_by(verdict, verification, threshold)
    keys_a, keys_b = keys(family, a), keys(family, b)
    shared = len(keys_a & keys_b)
    figure, alike = _by_family(a, b, family, verdict)
    compared = shared >= family.min_shared or _same_folded(a, b, family)
    verified = _verified(a, b, family, demanded)
    passes = demanded is None or verified is None or verified.similarity >= (demanded.threshold or 0.0)
    sentences = [_of_family(figure, alike, verdict)]
    if demanded is not None and verified is not None:
        sentences.append(_of_threshold(demanded.measure, verified, passes, demanded.threshold or 0.0))
    same = whole in (None, (a, b)) and _same_folded(a, b, family)
    document, kept = whole or (a, b)
    ruled = EXACT if same else ruling(kept, document, remove)
    reaches = compared and alike and passes
    if reaches and not same:
        sentences.append(_of_ruling(ruled, remove))
    return Explanation(
        keys_shared=shared,
        keys_needed=family.min_shared,
        keys_a=len(keys_a),
        keys_b=len(keys_b),
        estimate=family.similarity(a, b),
        figure=figure,
        verdict=verdict,
        verified=verified,
        verification=demanded,
        ruling=ruled,
        copies=reaches and ruled.is_removable,
        reason=_reason(a, b, family, compared, sentences),
    )


def _reason(a: str, b: str, family: Family, compared: bool, sentences: list[Message]) -> Message:
    if not family.fingerprint([a, b]).lengths.all():
        return say("a text without letters, digits or characters has nothing to compare")
    if not compared and not (keys(family, a) and keys(family, b)):
        keyless = say("the method has no keys for one of them, so only an equal text can be a copy")
        sentences = [keyless, *sentences]
    elif not compared:
        sentences = [say("they share too few keys to be compared"), *sentences]
    return reduce(lambda some, more: say("{some}; {more}", some=some, more=more), sentences)


_RULED = {
    "exact": say("the texts are exact duplicates"),
    "near_duplicate": say("the texts are near-duplicates"),
    "version": say("the texts are versions of one document"),
    "excerpt": say("one text is an excerpt of the other"),
    "partial": say("the texts have copied passages in common"),
    "template": say("the texts are the same form with different facts"),
    "quotation": say("what the texts have in common is marked as a quotation"),
    "reworded": say("one text is reworded from the other"),
    "unrelated": say("the texts are unrelated"),
}


def _of_ruling(ruling: Ruling, remove: tuple[str, ...]) -> Message:
    finding = {"finding": _RULED[ruling.relation]}
    if ruling.is_removable:
        return say("{finding}: the first may be removed", **finding)
    if ruling.relation in remove:
        return say("{finding}, but the first has content of its own: both are kept, and linked", **finding)
    if ruling.relation == "unrelated":
        return say("{finding}: both are kept", **finding)
    return say("{finding}: both are kept, and linked", **finding)


def _of_family(figure: Figure, alike: bool, verdict: Verdict) -> Message:
    if verdict.measure == "exact":
        return say("the folded texts are equal") if alike else say("the folded texts differ")
    if verdict.measure != "hamming":
        return _of_threshold(verdict.measure, figure, alike, verdict.threshold)
    distance = figure.united - figure.shared
    if alike:
        return say("their distance {distance} is within the limit for their length", distance=distance)
    return say("their distance {distance} is beyond the limit for their length", distance=distance)


def _of_threshold(measure: str, figure: Figure, passes: bool, threshold: float) -> Message:
    values = {"measure": _FIGURES[measure], "figure": figure.similarity, "threshold": threshold}
    if passes:
        return say("the {measure} {figure:.4f} reaches the threshold {threshold:g}", **values)
    return say("the {measure} {figure:.4f} is below the threshold {threshold:g}", **values)


_FIGURES = {
    "keys": say("share of common keys"),
    "jaccard": say("Jaccard similarity"),
    "containment": say("containment"),
    "cosine": say("cosine similarity"),
    "euclidean": say("Euclidean similarity"),
    "edit": say("edit similarity"),
    "copied": say("copied share"),
    "content": say("share of common content"),
}


__all__ = [
    "FOLDS",
    "MEASURES",
    "NONE",
    "TEXT_MEASURES",
    "Explanation",
    "Figure",
    "Verification",
    "demands",
    "explain",
    "judge",
    "overlap",
    "verified_by",
]
