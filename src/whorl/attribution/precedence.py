"""Which of two sites usually has a text first, learned from the other texts that both have.

Between two sites most copying goes one way: a portal takes from a broadcaster, hardly ever the reverse. Where the dates
of two articles do not decide, because one of them states only the day, the dates of the other texts of both sites often
do. A text counts for the site whose article was first by what was observed, or, where that does not decide, by the
claimed dates. Earlier means that the intervals do not overlap.

Some dates are false, so a record of 92 to 8 may well be one of 100 to 0. The share is corrected for the usual number of
false dates, and a record never counts more than `_MOST_ODDS` to 1: that is less than two dates that decide, and less
than a source that is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import log

from whorl.attribution.intervals import Interval, claimed, is_first_visit, sighted
from whorl.attribution.member_facts import Witness

_FALSE_DATES = 0.1
"""Share of date orders that are wrong. `chronology` trusts a date nine times of ten."""
_MOST_ODDS = 20.0
SAME_TEXT = 0.8
"""Minimum share of each of two articles that the other contains: excerpts and other reports do not count."""


def log_odds(first: int, later: int) -> float:
    """Return the log-odds that a site is first, from the numbers of texts that it had first and later.

    Both numbers are corrected for the share of orders that are wrong, which can leave nothing of the smaller one.

    >>> log_odds(0, 0), round(log_odds(1, 0), 2), round(log_odds(90, 10), 2) == -round(log_odds(10, 90), 2)
    (0.0, 0.75, True)
    """
    wrong = _FALSE_DATES * (first + later)
    right_first, right_later = (max(0.0, (number - wrong) / (1 - 2 * _FALSE_DATES)) for number in (first, later))
    return log(min(_MOST_ODDS, max(1 / _MOST_ODDS, (right_first + 1) / (right_later + 1))))


def first_of(article: Witness, other: Witness) -> int:
    """Return 1 if the first article was published first, -1 if the second one was, 0 if the times do not decide."""
    if not is_first_visit(article) and not is_first_visit(other):
        order = _order(sighted(article), sighted(other))
        if order:
            return order
    return _order(claimed(article), claimed(other))


def _order(article: Interval | None, other: Interval | None) -> int:
    if article is None or other is None:
        return 0
    return int(article.end <= other.start) - int(other.end <= article.start)


Article = tuple[str, Witness]
"""An article with its site."""


class Precedences:
    """Counts of texts by the two sites that have them, and by the site that had them first."""

    def __init__(self) -> None:
        self._first = Counter[tuple[str, str]]()
        self._of_text: dict[int | str, frozenset[tuple[str, str]]] = {}

    def add(self, text: int | str, pairs: Iterable[tuple[Article, Article]]) -> None:
        """Count a text once for each two sites, unless each site was first with some version of it.

        Args:
            text: key of the text, such as the number of its cluster; new.
            pairs: articles that have the whole text, in pairs; those of an unknown site are skipped.
        """
        orders = set()
        for (site, article), (other_site, other) in pairs:
            if site and other_site and site != other_site and (order := first_of(article, other)):
                orders.add((site, other_site) if order > 0 else (other_site, site))
        self._of_text[text] = frozenset(order for order in orders if order[::-1] not in orders)
        self._first.update(self._of_text[text])

    def of(self, site: str, other: str, without: Collection[int | str] = ()) -> tuple[int, int]:
        """Return how many texts of both sites the first site had first, and how many the second.

        Args:
            site: the first site.
            other: the second site.
            without: keys of texts that do not count, such as the one that is judged.
        """
        excluded = [self._of_text.get(text, frozenset()) for text in without]
        first, later = (
            self._first[pair] - sum(pair in orders for orders in excluded) for pair in ((site, other), (other, site))
        )
        return first, later


__all__ = ["SAME_TEXT", "Article", "Precedences", "first_of", "log_odds"]
