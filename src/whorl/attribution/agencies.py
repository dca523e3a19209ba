"""News agencies: the one whose report an article is, by its dateline, its credit or its publisher.

The names are those that the agencies themselves and their customers write; a site of an agency, such as 新华网, is not
the agency, because it reprints others as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from whorl.attribution.member_facts import plain
from whorl.attribution.statements import statements

AGENCIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "新华社": ("新華社", "新华通讯社", "Xinhua", "Xinhua News Agency"),
        "中新社": ("中国新闻社", "China News Service"),
        "中央社": ("中央通訊社", "Central News Agency"),
        "AFP": ("Agence France-Presse", "法新社"),
        "ANSA": ("安莎社",),
        "AP": ("Associated Press", "The Associated Press", "美联社", "美聯社"),
        "Bloomberg": ("Bloomberg News", "彭博社"),
        "dpa": ("Deutsche Presse-Agentur", "德新社"),
        "EFE": ("Agencia EFE", "埃菲社"),
        "Kyodo": ("Kyodo News", "共同社"),
        "PTI": ("Press Trust of India",),
        "Reuters": ("Thomson Reuters", "路透社", "路透"),
        "TASS": ("塔斯社",),
        "UPI": ("United Press International", "合众国际社"),
        "Yonhap": ("Yonhap News Agency", "韩联社", "韓聯社"),
    }
)
"""The agencies by their short names, each with its other names."""

_SHORT_NAMES = {plain(name): agency for agency, names in AGENCIES.items() for name in (agency, *names)}
_OF_PUBLICATION = ("dateline", "source", "reprint", "first")
_IN_BRACKETS = re.compile(r"^[^\n()（）]{2,60}[(（](?P<name>[^\n()（）]{2,40})[)）][ \t]*[-–—]{1,2}[ \t]", re.MULTILINE)
_OTHER_MEANINGS = ("AP", "PTI", "UPI")
"""Abbreviations of other names as well, as in "An access point (AP) - "; their datelines name a place in capitals."""
_BEGINNING, _END = 600, 300
"""Code points in which datelines and credits stand."""


def agency_of(text: str, source: str | None = None) -> str | None:
    """Return the agency whose report an article says it is.

    >>> from whorl.attribution.agencies import agency_of
    >>> agency_of("新华社北京3月5日电（记者王小渡）雾散之后，渡口又热闹起来。")
    '新华社'
    >>> agency_of("Berlin (dpa) - The ferry runs again.")
    'dpa'
    >>> agency_of("据路透社报道，渡口又热闹起来。") is None
    True
    >>> agency_of("雾散之后，渡口又热闹起来。", "新华社")
    '新华社'

    Args:
        text: the article with its line breaks.
        source: its publisher, if known.

    Returns:
        The first agency of :data:`AGENCIES` in a dateline or a credit, or the publisher if it is one; None for an
        article that names none, or that only quotes one.

    Cost: that of the first 600 and the last 300 code points, where datelines and credits stand.
    """
    beginning = text[:_BEGINNING]
    for statement in statements(f"{beginning}\n{text[max(_BEGINNING, len(text) - _END) :]}"):
        if statement.kind in _OF_PUBLICATION and (agency := _SHORT_NAMES.get(plain(statement.name))):
            return agency
    for match in _IN_BRACKETS.finditer(beginning):
        agency = _SHORT_NAMES.get(plain(match["name"]))
        if agency is not None and agency not in _OTHER_MEANINGS:
            return agency
    return _SHORT_NAMES.get(plain(source)) if source else None


__all__ = ["AGENCIES", "agency_of"]
