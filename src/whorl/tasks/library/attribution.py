"""Trace the original article of a cluster, and fit the weights of the evidence to reviewed clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.attribution.member_facts import PROTECTED, Witness, plain
from whorl.attribution.verdict import attribute
from whorl.attribution.weights import Weights
from whorl.errors import UsageError
from whorl.evaluation.attribution.scores import Sign, TrainingStrand, choices_of, fit, share_right, signs_of
from whorl.i18n import say
from whorl.recipe import Recipe, recipe_of
from whorl.tasks.evidence.members import COMPARED, witnesses
from whorl.tasks.library.arguments import Place, lent
from whorl.types.attribution import Attributed, Attribution, Origin, Reason, Trace
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library

_DECIDED = ("confirmed", "authorised")


@frozen
class Fitted(Plain):
    """Weights fitted to reviewed clusters.

    Attributes:
        clusters: number of clusters with a decision that identifies the original.
        copies: number of copies in them with a decision on whether the author posted them too.
        weights: the fitted weights.
        right_before: share of these clusters whose original the previous weights find.
        right_after: share that the fitted weights find among the same clusters, so it is not a test score.
    """

    clusters: int
    copies: int
    weights: Weights
    right_before: float
    right_after: float

    def toml(self) -> str:
        """Return a recipe with these weights, for ``whorl trace --recipe``."""
        lines = [f"# whorl attribute fit: {self.clusters} clusters", "", "[attribution]"]
        lines.append(f"confidence = {self.weights.confidence}")
        for name, table in (("origin", self.weights.origin), ("syndication", self.weights.syndication)):
            lines += ["", f"[attribution.{name}]", *(f"{key} = {value}" for key, value in table.items())]
        return "\n".join(lines) + "\n"


def trace(
    library: Library | Place,
    cluster: int,
    *,
    recipe: Recipe | str | PathLike[str] | None = None,
    confidence: float | None = None,
) -> Trace:
    """Estimate which article of a cluster is the original.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。" * 3
    >>> paper = {"id": "ice", "text": text, "url": "https://paper.example/1", "published_at": "2026-03-05"}
    >>> copy = {"id": "copy", "text": text, "url": "https://copies.example/7"}
    >>> with whorl.open("attributed") as library:
    ...     cluster = library.add([paper, copy | {"links": ["https://paper.example/1"]}])[1].cluster_id
    >>> found = whorl.library.trace("attributed", cluster)
    >>> found.attribution.originals
    ('ice',)

    Args:
        library: its address, or an open library.
        cluster: cluster number.
        recipe: provides the weights in ``attribution``: a recipe or a TOML file; None uses the default weights.
        confidence: minimum probability to call an article the original, overriding the recipe.

    Returns:
        Probabilities with reasons; the result may be undetermined.

    Raises:
        NotFoundError: the cluster does not exist.
        UsageError: the recipe has no usable weights.

    Cost: one lookup per article, sighting, snapshot and attestation, about 4 ms; in a cluster of up to forty articles
    each is compared with all its matches, in a larger one with the strongest earlier match, so that composite articles
    are not detected.
    """
    weights = _weights(recipe, confidence)
    with lent(library) as opened:
        documents = tuple(opened.trace(cluster))
        number = opened.cluster(cluster).id
        members, relations = witnesses(opened, documents)
    attribution = attribute(members, relations, weights, is_complete=len(documents) <= COMPARED)
    return Trace(number, attribution, documents)


def fit_attribution(
    library: Library | Place, *, recipe: Recipe | str | PathLike[str] | None = None, strength: float = 1.0
) -> Fitted:
    """Fit the weights of the evidence to the clusters that were reviewed.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。" * 3
    >>> paper = {"id": "ice", "text": text, "url": "https://paper.example/1", "published_at": "2026-03-05"}
    >>> copy = {"id": "copy", "text": text, "url": "https://copies.example/7"}
    >>> with whorl.open("attributed") as library:
    ...     cluster = library.add([paper, copy | {"links": ["https://paper.example/1"]}])[1].cluster_id
    ...     library.attestations.put([{"document": "ice", "kind": "server-log", "at": "2026-03-01"}])
    1
    >>> whorl.library.fit_attribution("attributed").clusters
    1

    A decision identifies the original if a match of the only article of the cluster in the collection "own" or
    "protected" was confirmed or authorised, or if a single article has an attestation. The facts that identify it are
    not used as evidence. Copies that name the author of this original as their author are examples of self-syndication:
    an authorised copy without permission for its site was posted by the author; a confirmed copy was copied.

    Args:
        library: its address, or an open library.
        recipe: provides the initial weights; None uses the default weights.
        strength: number of clusters that weigh as much as the initial weights.

    Raises:
        UsageError: no cluster has such a decision, or the strength is not positive.

    Cost: that of ``trace`` for each of these clusters, and a few dozen passes over their evidence.
    """
    if not strength > 0:
        raise UsageError(say("{name} is {value}", name="strength", value=strength), hint=say("use a positive number"))
    start = _weights(recipe, None)
    choices: list[TrainingStrand] = []
    copies: list[Sign] = []
    with lent(library) as opened:
        states = _states(opened)
        decided = dict(_decided(opened, states))
        for cluster, original in decided.items():
            members, relations = witnesses(opened, opened.trace(cluster))
            blind = [replace(member, collection="", attestations=(), authorised=False) for member in members]
            choices += choices_of(blind, relations, {original})
            copies += signs_of(blind, relations, {original}, _posted(members, original, states))
    if not choices:
        raise UsageError(
            say("no reviewed cluster has a known original"),
            hint=say(
                "put your articles into the collection `own` and review their matches, or add "
                "attestations: `whorl library attestations`"
            ),
        )
    fitted = fit(choices, copies, start=start, strength=strength)
    return Fitted(len(decided), len(copies), fitted, share_right(choices, start), share_right(choices, fitted))


def _weights(recipe: Recipe | str | PathLike[str] | None, confidence: float | None) -> Weights:
    table: dict[str, Any] = dict(recipe_of(recipe).attribution)
    return Weights.of(table | ({} if confidence is None else {"confidence": confidence}))


def _states(library: Library) -> dict[frozenset[str], str]:
    """Return the last decision on each match."""
    decisions = (decision for decision in library.reviews if decision.undone_at is None)
    return {frozenset((decision.id, decision.other)): decision.state for decision in decisions}


def _posted(members: Sequence[Witness], original: str, states: Mapping[frozenset[str], str]) -> dict[str, bool]:
    """For the decided copies that name the author of the original, return True if the author posted the copy."""
    author = next(plain(member.author) for member in members if member.id == original)
    authorised = {}
    for member in members:
        state = states.get(frozenset((member.id, original)))
        has_permission = state == "authorised" and member.authorised
        if author and plain(member.author) == author and state in _DECIDED and not has_permission:
            authorised[member.id] = state == "authorised"
    return authorised


def _decided(library: Library, states: Mapping[frozenset[str], str]) -> Iterator[tuple[int, str]]:
    """Yield the clusters whose original was identified by a decision, with its id."""
    originals_of: dict[int, set[str]] = {}
    for pair, state in states.items():
        registered = [id for id in pair if _is_registered(library, id)]
        if state in _DECIDED and len(registered) == 1:
            _note(originals_of, library, registered[0])
    for attestation in library.attestations:
        _note(originals_of, library, attestation.document)
    for cluster, originals in sorted(originals_of.items()):
        if len(originals) == 1 and library.cluster(cluster).size > 1:
            yield cluster, next(iter(originals))


def _is_registered(library: Library, id: str) -> bool:
    document = library.get(id)
    return document is not None and document.collection in PROTECTED


def _note(originals_of: dict[int, set[str]], library: Library, id: str) -> None:
    cluster = library.report(id).cluster_id
    if cluster is not None:
        originals_of.setdefault(cluster, set()).add(id)


__all__ = ["Attributed", "Attribution", "Fitted", "Origin", "Reason", "Weights", "fit_attribution", "trace"]
