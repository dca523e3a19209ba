"""Text of paged documents: remove running heads, page numbers and tables of contents, and join broken words.

Furniture repeats from page to page, or across the documents of a publisher. It would pass for copied text, and it
splits sentences that continue on the next page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

_EDGE = 3
_NEAR = 4
_OFTEN = 3
_LONGEST = 100
_LONGEST_ENTRY = 300
_MOST_OF_A_PAGE = 0.5
_DIGITS = re.compile(r"\d{1,9}")
_LEADER = re.compile(r"\S.*?(?:[.．]{4,}|(?:[.．·] ){4,}|[…⋯]{2,}|[·‧]{4,}|_{6,})[ \t]*(?:\d{1,5}|[ivxlcIVXLC]{1,7})$")
_PAGE_NUMBER = re.compile(
    r"[-–—·|/\s]*(?:第|page|p\.|seite)?\s*(\d{1,5})\s*(?:页|頁)?\s*(?:(?:/|／|of|von"
    r"|[,，]?\s*共)\s*\d{1,5}\s*(?:页|頁)?)?"
    r"[-–—·|/\s]*",
    re.IGNORECASE,
)

_MAX_STAMP = 200
_MAX_SINGLE = 60
_MIN_PICTURE = 0.5
_SCANNER = re.compile(
    r"scanned (?:with|by|using|from|on)\b|camscanner|扫描全能王|(?:由|用|使用)\S{0,20}扫描|扫描(?:件|宝|王"
    r"|自)|genius scan|adobe scan"
    r"|microsoft lens|office lens|vflat|notebloc|turboscan",
    re.IGNORECASE,
)
_LINE_BREAK = re.compile("([^\\W\\d_])(?:(\ufffe)\n?|([-\u00ad\u2010\u2011])\n)(?=([^\\W_]))")
_COMPOUND = re.compile("[^\\W\\d_]+[-\u2010\u2011][^\\W\\d_]+")
_WORD_END = re.compile(r"[^\W\d_]{1,40}\Z")
_WORD_START = re.compile(r"[^\W\d_]{1,40}")

_Place = tuple[int, int]


def without_furniture(pages: Sequence[str]) -> list[str]:
    """Return pages without running heads, page numbers and tables of contents.

    Args:
        pages: the text of each page in order, its lines divided by a line feed.

    Returns:
        The same number of pages. Removed are, from the first and last three lines of a page: page numbers, which
        increase with the pages; and lines that repeat there on at least three of nine consecutive pages, apart from the
        page number. If less than half of all pages have such a line, as with a chapter title, its first occurrence is
        kept. Lines of tables of contents, which end with dots and a number, are removed if a page or its neighbor has
        three. If running lines are more than half of the whole document, each page keeps at least half of its
        characters.

    Cost: linear in the text.
    """
    lines = [page.split("\n") if page else [] for page in pages]
    numbers = set(_page_numbers(lines))
    contents = set(_contents(lines))
    heads = set(_running(lines)) - numbers - contents
    removed = numbers | contents
    sizes: defaultdict[int, int] = defaultdict(int)
    for page, line in heads:
        sizes[page] += len(lines[page][line])
    wholes = [sum(map(len, page_lines)) for page_lines in lines]
    is_little = sum(sizes.values()) <= _MOST_OF_A_PAGE * sum(wholes)
    removed |= {place for place in heads if is_little or sizes[place[0]] <= _MOST_OF_A_PAGE * wholes[place[0]]}
    return [
        "\n".join(line for place, line in enumerate(page_lines) if (page, place) not in removed)
        for page, page_lines in enumerate(lines)
    ]


def unread_pages(pages: Sequence[str], pictures: Sequence[float]) -> set[int]:
    """Return the numbers, from 0, of pages that show a picture and have no text except a stamp.

    A stamp is a short line that other pages have too, apart from digits, or the line of a scanning app. In a document
    of one page it is any line next to a picture that covers half of the page.

    Args:
        pages: the text of each page.
        pictures: the share of each page that pictures cover.
    """
    short = {
        number: {_DIGITS.sub("0", line) for line in page.split("\n") if line}
        for number, page in enumerate(pages)
        if pictures[number] >= _MIN_PICTURE and len(page) <= _MAX_STAMP
    }
    often = Counter(line for lines in short.values() for line in lines)
    unread = set()
    for number, lines in short.items():
        unstamped = [line for line in lines if often[line] == 1 and not _SCANNER.search(line)]
        is_cover = len(pages) == 1 and pictures[number] >= _MOST_OF_A_PAGE and sum(map(len, lines)) <= _MAX_SINGLE
        if not unstamped or is_cover:
            unread.add(number)
    return unread


def page_ranges(pages: set[int]) -> str:
    """Format page numbers from 0 as ranges from 1: ``3, 5-7``."""
    ranges: list[list[int]] = []
    for page in sorted(pages):
        if ranges and ranges[-1][-1] == page:
            ranges[-1][-1] = page + 1
        else:
            ranges.append([page + 1, page + 1])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def joined_words(text: str) -> str:
    """Join words that were hyphenated at line ends.

    Args:
        text: its lines; U+FFFE is a hyphen at the end of a line, whose line break may be missing.

    A hyphen is removed if the next line continues with a lower-case letter. It stays in compounds that occur elsewhere
    within a line, before capital letters, and if the text marks its breaks with a special character (U+2010 or U+00AD)
    and this hyphen is a different one. Soft hyphens within lines are removed.

    Cost: linear in the text.
    """
    has_own_sign = re.search("[\u00ad\u2010]\n", text) is not None
    compounds = {_plain(match[0]) for match in _COMPOUND.finditer(text)}

    def join(match: re.Match[str]) -> str:
        before, sign, following = match[1], match[2] or match[3], match[4]
        start = _WORD_END.search(text, max(0, match.start() - 40), match.start() + 1)
        end = _WORD_START.match(text, match.end())
        whole = f"{start[0] if start else before}-{end[0] if end else following}"
        is_compound = (
            sign == "\u2011"
            or not following.islower()
            or _plain(whole) in compounds
            or (has_own_sign and sign in "-\ufffe")
        )
        return before + ("-" if is_compound and sign != "\u00ad" else "")

    return _LINE_BREAK.sub(join, text).replace("\ufffe\n", "-\n").replace("\ufffe", "-").replace("\u00ad", "")


def _plain(word: str) -> str:
    return word.replace("\u2010", "-").replace("\u2011", "-").casefold()


def _edges(lines: Sequence[Sequence[str]]) -> Iterator[tuple[_Place, str]]:
    """Yield the first and last lines of each page."""
    for page, page_lines in enumerate(lines):
        for place in sorted(
            {*range(min(_EDGE, len(page_lines))), *range(max(0, len(page_lines) - _EDGE), len(page_lines))}
        ):
            yield (page, place), page_lines[place]


def _page_numbers(lines: Sequence[Sequence[str]]) -> Iterator[_Place]:
    """Yield numbers at the edges that increase by one from page to page."""
    places_by_offset: defaultdict[int, list[_Place]] = defaultdict(list)
    for place, line in _edges(lines):
        number = _PAGE_NUMBER.fullmatch(line) if len(line) <= _LONGEST else None
        if number:
            places_by_offset[int(number[1]) - place[0]].append(place)
    for places in places_by_offset.values():
        yield from _often(places, min(_OFTEN, max(2, len(lines))))


def _running(lines: Sequence[Sequence[str]]) -> Iterator[_Place]:
    """Yield lines at the edges that repeat on several nearby pages, apart from the page number."""
    places_by_key: defaultdict[str, list[_Place]] = defaultdict(list)
    for place, line in _edges(lines):
        if len(line) <= _LONGEST and any(map(str.isalpha, line)):
            for key in _keys("".join(line.split()), place[0]):
                places_by_key[key].append(place)
    for places in places_by_key.values():
        often = list(_often(places, _OFTEN))
        is_of_all = 2 * len({page for page, _ in often}) >= len(lines)
        yield from often if is_of_all else often[1:]


def _keys(line: str, page: int) -> set[str]:
    """Return the keys under which a line can match other pages: unchanged, or with its page number replaced."""
    numbers = list(_DIGITS.finditer(line))
    outer = (numbers[0], numbers[-1]) if numbers else ()
    return {line, *(f"{line[: number.start()]}\0{int(number[0]) - page}\0{line[number.end() :]}" for number in outer)}


def _often(places: Sequence[_Place], min_count: int) -> Iterator[_Place]:
    """Yield the places that have enough similar lines nearby."""
    pages = {page for page, _ in places}
    near = {page: sum(other in pages for other in range(page - _NEAR, page + _NEAR + 1)) for page in pages}
    return (place for place in places if near[place[0]] >= min_count)


def _contents(lines: Sequence[Sequence[str]]) -> Iterator[_Place]:
    """Yield lines of tables of contents."""
    entries = [[place for place, line in enumerate(page_lines) if _is_entry(line)] for page_lines in lines]
    for page, places in enumerate(entries):
        if any(len(entries[near]) >= _OFTEN for near in range(max(0, page - 1), min(len(entries), page + 2))):
            yield from ((page, place) for place in places)


def _is_entry(line: str) -> bool:
    return len(line) <= _LONGEST_ENTRY and _LEADER.fullmatch(line) is not None


__all__ = ["joined_words", "page_ranges", "unread_pages", "without_furniture"]
