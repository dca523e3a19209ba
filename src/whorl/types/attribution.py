"""Results of judging who was first: probabilities, roles and reasons."""

from __future__ import annotations

from whorl._internal.frozen import frozen
from whorl.i18n import Message, say
from whorl.types.comparison import Plain
from whorl.types.library import TraceStep


@frozen
class Reason(Plain):
    """One piece of evidence for or against a member.

    >>> from whorl.attribution.verdict import attribute
    >>> from whorl.attribution.member_facts import Witness
    >>> found = attribute([Witness("a", url="https://a.example/1"), Witness("b", links=("https://a.example/1",))])
    >>> found["a"].reasons[0].evidence
    'links'

    Attributes:
        evidence: kind of evidence, the name of its weight.
        message: explanation.
        weight: log-odds in favor of the member, relative to the mean of the other candidates.
    """

    evidence: str
    message: Message
    weight: float


@frozen
class Origin(Plain):
    """A probable source of the text of a member.

    >>> from whorl.results import Origin
    >>> Origin("a", share=0.6, probability=0.9).share
    0.6

    Attributes:
        id: id of the source.
        share: share of the member's text that the source contains, in [0, 1].
        probability: probability that this member is the original of the text.
    """

    id: str
    share: float
    probability: float


@frozen
class Attributed(Plain):
    """Attribution of one member of a cluster.

    >>> from whorl.attribution.verdict import attribute
    >>> from whorl.attribution.member_facts import Witness
    >>> found = attribute([Witness("a", url="https://a.example/1"), Witness("b", links=("https://a.example/1",))])
    >>> found["a"].role, found["a"].probability > found["b"].probability
    ('original', True)

    Attributes:
        id: id of the document.
        probability: probability that it is the original, in [0, 1].
        role: one of `ROLES`.
        reasons: reasons for and against it, the strongest first.
        origins: probable sources, the largest share first; several for a mixed article, empty for an original.
        syndication: probability that the author of the original posted it, in [0, 1]; None if not applicable. Without a
            known account it rests on what the page claims, and does not affect the role.
    """

    id: str
    probability: float
    role: str
    reasons: tuple[Reason, ...]
    origins: tuple[Origin, ...] = ()
    syndication: float | None = None


@frozen
class Attribution(Plain):
    """Attribution of all members of a cluster.

    >>> from whorl.attribution.verdict import attribute
    >>> from whorl.attribution.statements import statements
    >>> from whorl.attribution.member_facts import Witness
    >>> copied = statements("来源：青澜日报")
    >>> found = attribute([Witness("a", publisher="青澜日报", author="王小渡"), Witness("b", statements=copied)])
    >>> found.originals, found.members[1].role
    (('a',), 'copy')

    Attributes:
        members: all members, the most probable original first.
        originals: ids of the probable originals: one, or one for each source of a mixed article; empty if
            undetermined.
        elsewhere: probability that the original is outside of the cluster.
        confidence: minimum probability of an original; below it, the attribution is undetermined.
        reasons: reasons for an original outside of the cluster.
    """

    members: tuple[Attributed, ...]
    originals: tuple[str, ...]
    elsewhere: float
    confidence: float
    reasons: tuple[Reason, ...] = ()

    def __getitem__(self, id: str) -> Attributed:
        """Return the member with an id, or raise KeyError."""
        for member in self.members:
            if member.id == id:
                return member
        raise KeyError(id)

    @property
    def conclusion(self) -> Message:
        """The conclusion as one sentence."""
        if self.originals:
            names = ", ".join(self.originals)
            return say("probably the original: {names}", names=names)
        if self.elsewhere >= self.confidence:
            return say("the original is probably not a member")
        return say("undetermined: no probability reaches {confidence:.0%}", confidence=self.confidence)


@frozen
class Trace(Plain):
    """The likely original of a cluster, and the links between its articles.

    Attributes:
        cluster: cluster number.
        attribution: for each article the probability of being the original, its role, and the reasons.
        documents: the articles in order of time, each with its links to earlier ones.
    """

    cluster: int
    attribution: Attribution
    documents: tuple[TraceStep, ...]


__all__ = ["Attributed", "Attribution", "Origin", "Reason", "Trace"]
