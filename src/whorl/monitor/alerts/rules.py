"""Of which copies somebody is told."""

from __future__ import annotations

from dataclasses import dataclass

from whorl.errors import UsageError
from whorl.language import say
from whorl.monitor.alerts.channels import demand_names, demand_number, demand_one_of
from whorl.monitor.alerts.copies import CopyFound
from whorl.reports.wording import RELATIONS

_REVIEWS = ("pending", "confirmed", "rejected", "authorised")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """Of which copies some channels are told: of those that fulfil all that is said.

    >>> from whorl.results import CopyFound, AlertRule
    >>> rule = AlertRule(name="desk", to=("desk",), sites=("copies.example",), share=0.5)
    >>> rule.takes(CopyFound("b7", "a1", share=0.9, length=420, kind="excerpt", url="https://m.copies.example/7"))
    True

    Attributes:
        name: what it is called.
        to: the channels that are told.
        sites: domains, with all below them; none are all.
        share: of the original that the copy has at least, in [0, 1].
        length: folded code points that both share at least.
        collections: of the original; none are all.
        kinds: what the copy is to the original, as of a match; none are all.
        reviews: the states of the match.
    """

    name: str
    to: tuple[str, ...]
    sites: tuple[str, ...] = ()
    share: float = 0.0
    length: int = 0
    collections: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    reviews: tuple[str, ...] = ("pending", "confirmed")

    def __post_init__(self) -> None:
        for name in ("to", "sites", "collections", "kinds", "reviews"):
            demand_names(getattr(self, name), name)
        demand_number(self.share, "share", 0.0, 1)
        demand_number(self.length, "length", 0, 2**31)
        for kind in self.kinds:
            demand_one_of(kind, "kinds", tuple(RELATIONS))
        for review in self.reviews:
            demand_one_of(review, "reviews", _REVIEWS)
        if not self.to:
            raise UsageError(say("to is empty"), cure=say("name a channel that is told"))

    def takes(self, alert: CopyFound) -> bool:
        """Return whether its channels are told of a copy."""
        return (
            alert.share >= self.share
            and alert.length >= self.length
            and alert.review in self.reviews
            and (not self.kinds or alert.kind in self.kinds)
            and (not self.collections or alert.collection in self.collections)
            and (not self.sites or any(_is_below(alert.site, site) for site in self.sites))
        )


def _is_below(host: str, site: str) -> bool:
    site = site.lower().strip(".")
    return host == site or host.endswith(f".{site}")


__all__ = ["AlertRule"]
