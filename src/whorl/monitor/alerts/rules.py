"""Alert rules, which select the copies for each channel."""

from __future__ import annotations

from whorl._internal.frozen import frozen
from whorl.i18n import say
from whorl.monitor.alerts.channels import demand_names, demand_number, demand_one_of
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.settings.setting_error import SettingError
from whorl.reports.comparison.wording import RELATIONS

_REVIEWS = ("pending", "confirmed", "rejected", "authorised")


@frozen(kw_only=True)
class AlertRule:
    """A rule that selects copies for channels. A copy must meet all conditions.

    >>> from whorl.results import CopyFound, AlertRule
    >>> rule = AlertRule(name="desk", to=("desk",), sites=("copies.example",), share=0.5)
    >>> rule.takes(CopyFound("b7", "a1", share=0.9, length=420, kind="excerpt", url="https://m.copies.example/7"))
    True

    Attributes:
        name: name of the rule.
        to: names of channels.
        sites: domains including subdomains; empty for all.
        share: minimum share of the original in the copy, in [0, 1].
        length: minimum length of the shared text in normalized code points.
        collections: collections of the original; empty for all.
        kinds: relations of the copy to the original, as in a match; empty for all.
        reviews: states of the match.
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
            raise SettingError(say("to is empty"), hint=say("add a channel"), key="to")

    def takes(self, alert: CopyFound) -> bool:
        """Return True if the rule selects a copy."""
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
