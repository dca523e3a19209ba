"""Parse dates in pages, Chinese ones first: 2021年3月5日 下午2点, 昨天 14:05, 3小时前, 二〇二一年三月五日."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Literal

from whorl._internal.frozen import frozen
from whorl._internal.patterns import lazy_pattern

CHINA = timezone(timedelta(hours=8), "Asia/Shanghai")
"""Default time zone of dates in Chinese pages."""
EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
"""Lower bound of page dates: the web did not exist before."""

Precision = Literal["day", "hour", "minute", "second"]

_MOST_CHARACTERS = 1000
_AHEAD = timedelta(hours=14)
"""Maximum difference between clocks in the world."""
_SKEW = timedelta(minutes=10)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ROC = 1911
"""The year before the first year of the Republic of China."""

_NUMERALS = {sign: place % 10 for place, sign in enumerate("〇一二三四五六七八九零")} | {"○": 0, "两": 2, "兩": 2}
_GAP = r"\s{0,3}"
_NUMBER = "[0-9〇零○一二三四五六七八九十]{1,3}"
_YEAR = "(?:[0-9]{4}|[0〇零○一二三四五六七八九]{4})"
_CLOCK = rf"""
    (?: {_GAP} [(]? (?:星期|周|週|礼拜|禮拜) [一二三四五六日天] [)]? )?
    (?: {_GAP} (?P<joint>[T,]?) {_GAP}
        (?: (?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|午后|午後|傍晚|晚上|晚间|晚間|夜间|深夜|AM|PM) {_GAP} )?
        (?: (?P<hour>[0-9]{{1,2}}) : (?P<minute>[0-9]{{2}}) (?: : (?P<second>[0-9]{{2}}) (?:[.,][0-9]{{1,9}})? )?
            (?![0-9])
            (?: {_GAP} (?P<half>AM|PM) (?![A-Z]) )?
            (?: {_GAP} (?P<zone>
                Z(?![A-Z]) | (?:GMT|UTC) (?:[+-][0-9]{{1,2}}(?::?[0-9]{{2}})?)? | [+-][0-9]{{2}}:?[0-9]{{2}}
            ) (?![0-9]) )?
          | (?P<hours>{_NUMBER}) {_GAP} [时時点點]
            (?: {_GAP} (?P<minutes>{_NUMBER}(?=\s?分)|半|[一三]刻|[0-5][0-9](?![0-9])) \s?分?
                (?: {_GAP} (?P<seconds>{_NUMBER}) \s?秒 )? )?
        )
    )?
"""
_NO_POINT = lazy_pattern(
    rf"{_GAP}(?:(?:至|到|[-~—–]+){_GAP}[0-9一二三四五六七八九十]|(?:之|以)?[前后後]|以来|以來|[起止])"
)
"""Words after the first or last day of a period."""
_NOT_SOLAR = lazy_pattern(r"(?:农历|農曆|阴历|陰曆|旧历)\s*$")


def _compiled(pattern: str) -> re.Pattern[str]:
    return lazy_pattern(pattern + _CLOCK, re.VERBOSE | re.IGNORECASE)


_MONTH_AND_DAY = rf"(?P<month>{_NUMBER}) {_GAP} 月 {_GAP} (?P<day>{_NUMBER}) {_GAP} [日号號]"
_TIME_FOLLOWS = r"(?=\s{0,3}[0-9]{2}:[0-9]{2})"
_FORMS = (
    _compiled(rf"(?<![0-9]) (?P<year>{_YEAR}) {_GAP} 年 {_GAP} {_MONTH_AND_DAY}"),
    _compiled(rf"(?:民国|民國) {_GAP} (?P<roc>{_NUMBER}) {_GAP} 年 {_GAP} {_MONTH_AND_DAY}"),
    _compiled(
        r"(?<![0-9./-]) (?P<year>[0-9]{4}) (?P<between>[-/.]) (?P<month>[0-9]{1,2}) (?P=between)"
        r" (?P<day>[0-9]{2}(?![0-9](?![0-9]:[0-9])) | [0-9](?![0-9])) (?![-/.][0-9])"
    ),
    _compiled(rf"(?<![0-9./-]) (?P<short>[0-9]{{2}}) - (?P<month>[0-9]{{2}}) - (?P<day>[0-9]{{2}}) {_TIME_FOLLOWS}"),
    _compiled(rf"(?<![0-9年]) {_MONTH_AND_DAY}"),
    _compiled(rf"(?<![0-9./-]) (?P<month>[0-9]{{2}}) [-/] (?P<day>[0-9]{{2}}) (?=\s) {_TIME_FOLLOWS}"),
    _compiled(r"(?P<word>大前天|前天|前日|昨天|昨日|今天|今日|今早|今晨|今晚|昨晚|昨夜) (?![是的])"),
    _compiled(
        rf"(?P<ago>{_NUMBER}|两|兩|半) {_GAP} 个? (?P<unit>秒钟?|分钟?|分鐘|小时|小時|钟头|天) {_GAP} (?:之|以)?前"
    ),
    _compiled(r"(?P<now>刚刚|剛剛|刚才)"),
)
_DAYS_AGO = {"今": 0, "昨": 1, "前": 2, "大": 3}
_UNITS: dict[str, tuple[timedelta, Precision]] = {
    "秒": (timedelta(seconds=1), "second"),
    "分": (timedelta(minutes=1), "minute"),
    "小": (timedelta(hours=1), "hour"),
    "钟": (timedelta(hours=1), "hour"),
    "天": (timedelta(days=1), "day"),
}
_AFTER_NOON = frozenset(("下午", "午后", "午後", "傍晚", "晚上", "晚间", "晚間", "夜间", "深夜", "晚", "夜", "PM"))
_NIGHT = frozenset(("晚上", "晚间", "晚間", "夜间", "深夜", "晚", "夜"))
_BEFORE_DAWN = frozenset(("凌晨", "AM"))


@frozen
class PageDate:
    """A date with its precision.

    Attributes:
        at: the instant, in the stated or assumed zone; midnight if only the day is stated.
        precision: the stated precision.
        has_zone: whether the zone is stated, or the date relative to a known instant; otherwise it is assumed.
        written: the date as written in the page.
    """

    at: datetime
    precision: Precision
    has_zone: bool = field(default=False, compare=False)
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        """The date in ISO 8601, with its precision."""
        return self.at.date().isoformat() if self.precision == "day" else self.at.isoformat()


def read_date(text: str, now: datetime | None) -> datetime | None:
    """Read the first date of a line, such as ``"发布时间：昨天 14:05 来源：…"``.

    Args:
        text: a line; only its first thousand characters are read.
        now: the reference time for relative dates (昨天, 3小时前, 3月5日), in its zone or Asia/Shanghai.
            None reads only dates with a year.

    Returns:
        The instant, in the zone of the line, else that of ``now``, else Asia/Shanghai; midnight if no time is stated.
        None if there is no date or only impossible ones: a 30 February, 25:00, a year before 1990, a day after ``now``,
        the first and the last day of a period.
    """
    moment = first_moment(text, now)
    return None if moment is None else moment.at


def first_moment(text: str, now: datetime | None, zone: tzinfo | None = None) -> PageDate | None:
    """Read the first date of a line as `read_date` does, with its precision; ``zone`` overrides the zone of ``now``."""
    return next((moment for _, moment in moments(text, now, zone)), None)


def moments(text: str, now: datetime | None, zone: tzinfo | None = None) -> Iterator[tuple[str, PageDate]]:
    """Yield the dates of a line in order, each with the text before it."""
    zone = zone or (now and now.tzinfo) or CHINA
    now = None if now is None else now.replace(tzinfo=now.tzinfo or CHINA).astimezone(zone)
    line = unicodedata.normalize("NFKC", text[:_MOST_CHARACTERS])
    end = until = 0
    for date_match in sorted((match for form in _FORMS for match in form.finditer(line)), key=_order):
        if date_match.start() < end:
            continue
        end = date_match.end()
        point = _NO_POINT.match(line, end)
        is_other = date_match.start() < until or point or _NOT_SOLAR.search(line, 0, date_match.start())
        until = point.end() if point else 0
        moment = None if is_other else _moment(date_match.groupdict(), now, zone)
        if moment is not None:
            yield line[: date_match.start()], replace(moment, written=date_match.group().strip())


def _order(match: re.Match[str]) -> tuple[int, int]:
    return match.start(), -match.end()


def _moment(parts: dict[str, str | None], now: datetime | None, zone: tzinfo) -> PageDate | None:
    """Return the date of matched parts."""
    is_relative = bool(parts.get("ago") or parts.get("now") or parts.get("word"))
    try:
        at = _ago(parts, now) if parts.get("ago") or parts.get("now") else _on_a_day(parts, now, zone)
    except (ValueError, OverflowError):
        return None
    return at if at and is_possible(at.at, now, _SKEW if is_relative else _AHEAD) else None


def _on_a_day(parts: dict[str, str | None], now: datetime | None, zone: tzinfo) -> PageDate | None:
    day, clock = _day(parts, now), _clock(parts)
    if day is None:
        return None
    if clock is None:
        return PageDate(datetime.combine(day, time(), zone), "day")
    since_midnight, precision = clock
    at = datetime.combine(day, time(), _zone(parts, zone)) + since_midnight
    return PageDate(at, precision, has_zone=bool(parts["zone"]))


def is_possible(at: datetime, now: datetime | None, ahead: timedelta = _AHEAD) -> bool:
    """True if a page may have been published then: after the web began, not at a clock's zero, and not after now."""
    if now is None:
        now = datetime.now(UTC)
    return at != _EPOCH and at >= EARLIEST and at - now <= ahead


def _ago(parts: dict[str, str | None], now: datetime | None) -> PageDate | None:
    if now is None:
        return None
    if parts.get("now"):
        return PageDate(now.replace(second=0, microsecond=0), "minute", has_zone=True)
    unit, precision = _UNITS[(parts["unit"] or "")[0]]
    number = 0.5 if parts["ago"] == "半" else _number(parts["ago"] or "")
    if precision == "day":
        day = now.date() - timedelta(days=int(number))
        return PageDate(datetime.combine(day, time(), now.tzinfo), "day")
    second = now.second if precision == "second" else 0
    return PageDate(now.replace(second=second, microsecond=0) - unit * number, precision, has_zone=True)


def _day(parts: dict[str, str | None], now: datetime | None) -> date | None:
    """Return the day; None if it is relative to an unknown ``now``. Raises ValueError for impossible days."""
    if word := parts.get("word"):
        return None if now is None else now.date() - timedelta(days=_DAYS_AGO[word[0]])
    month, day = _number(parts["month"] or ""), _number(parts["day"] or "")
    if year := parts.get("year"):
        return date(_number(year), month, day)
    if roc := parts.get("roc"):
        return date(_ROC + _number(roc), month, day)
    if short := parts.get("short"):
        return date(2000 + int(short), month, day)
    return None if now is None else _last(month, day, now)


def _last(month: int, day: int, now: datetime) -> date:
    """Return the last such day that is not after ``now``."""
    for year in (now.year + 1, now.year, now.year - 1):
        try:
            day_of_year = date(year, month, day)
        except ValueError:
            continue
        if datetime.combine(day_of_year, time(), now.tzinfo) <= now + _AHEAD:
            return day_of_year
    raise ValueError("no such day within a year")


def _clock(parts: dict[str, str | None]) -> tuple[timedelta, Precision] | None:
    """Return the time since midnight; None if it is missing or ambiguous. Raises ValueError for impossible times."""
    hours, minutes = parts["hour"] or parts["hours"], parts["minute"] or parts["minutes"]
    if hours is None:
        return None
    hour, minute = _number(hours), {"半": 30, "一刻": 15, "三刻": 45}.get(minutes or "") or _number(minutes or "0")
    seconds = parts["second"] or parts["seconds"]
    word = parts.get("word") or ""
    part = (parts["half"] or parts["part"] or (word[1:] if word[1:] in _NIGHT else "")).upper()
    if hour == 12 and part in _NIGHT:
        return None
    if hour > (24 if minute == 0 and not seconds else 23) or minute > 59 or _number(seconds or "0") > 59:
        raise ValueError("no such time")
    hour += 12 if (part in _AFTER_NOON and hour < 12) or (part == "中午" and hour < 10) else 0
    hour -= 12 if part in _BEFORE_DAWN and hour == 12 else 0
    since = timedelta(hours=hour, minutes=minute, seconds=_number(seconds or "0"))
    return since, "second" if seconds else "minute" if minutes else "hour"


def _zone(parts: dict[str, str | None], assumed: tzinfo) -> tzinfo:
    """Return the stated zone, else the assumed one. Raises ValueError if the sign is not a zone but ends a range."""
    if not parts["zone"]:
        return assumed
    offset = parts["zone"].upper().removeprefix("GMT").removeprefix("UTC").replace(":", "")
    if offset in ("", "Z"):
        return UTC
    digits = offset[1:] if len(offset) > 3 else offset[1:].zfill(2) + "00"
    behind = timedelta(hours=int(digits[:-2]), minutes=int(digits[-2:]))
    is_range = offset[0] == "-" and not parts["joint"] and not parts["second"]
    if behind > _AHEAD or is_range:
        raise ValueError("no zone")
    return timezone(behind if offset[0] == "+" else -behind)


def _number(numeral: str) -> int:
    """Return a number in digits or Chinese numerals, positional (二〇二一) or spelled (二十一), or raise ValueError."""
    if numeral.isascii():
        return int(numeral)
    tens, ten, ones = numeral.rpartition("十")
    if not ten:
        return int("".join(str(_NUMERALS.get(sign, sign)) for sign in numeral))
    return 10 * (_number(tens) if tens else 1) + (_number(ones) if ones else 0)


__all__ = ["CHINA", "EARLIEST", "PageDate", "Precision", "first_moment", "is_possible", "moments", "read_date"]
