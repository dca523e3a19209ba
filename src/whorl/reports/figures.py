"""Figures of a run, read from its `run.json`, and number formatting.

A small run may lack any key: a missing count is 0.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

from whorl.i18n import Message, listed, say, say_many

KEEPING_NOTE = say(
    "An article is removed only if the threshold's share of it is in the kept one; "
    "an earlier excerpt and its later source may both be kept."
)
"""Limitations of each rule that decides which copy is kept."""

_NO_BREAK_SPACE = "\u00a0"


class Counts(NamedTuple):
    """Outcome of the rows of a run: `rows` = `kept` + `exact` + `near` + `rejected`."""

    rows: int
    kept: int
    exact: int
    near: int
    rejected: int
    clusters: int
    featureless: int
    repeated_ids: int
    missing_order: int
    guessed_encodings: int
    whole_pages: int
    hidden_texts: int
    incomplete_files: int
    reference: int
    files: int
    unreadable_files: int

    @property
    def removed(self) -> int:
        """Number of readable input articles that are not in the output."""
        return self.exact + self.near

    @classmethod
    def of(cls, run: Mapping[str, Any]) -> Self:
        """Read `run["counts"]`; all removals that are not exact duplicates count as near.

        If the run has relations, they decide what is exact: an article with inserted invisible characters is an exact
        duplicate, although its normalised text differs.
        """
        counts, relations = part(run, "counts"), part(part(run, "relations"), "removed")
        read = {name: int(counts.get(name) or 0) for name in cls._fields}
        removed = int(counts.get("duplicates") or read["exact"] + read["near"])
        if relations:
            read["exact"] = int(relations.get("exact") or 0)
        if relations or "near" not in counts:
            read["near"] = max(0, removed - read["exact"])
        return cls(**read)


def part(run: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return a section of the run, or an empty one."""
    section = run.get(key)
    return section if isinstance(section, Mapping) else {}


def keep_reason(section: Mapping[str, Any]) -> Message:
    """Explain which rule the run chose to decide which copy is kept.

    Args:
        section: section `keeping` of `run.json`.
    """
    dated, documents = int(section.get("dated") or 0), int(section.get("documents") or 0)
    if section.get("rule") == "earliest":
        return say_many(
            "The earliest article of each cluster is kept: {count:,} of {all:,} has a date (column {columns}).",
            "The earliest article of each cluster is kept: {count:,} of {all:,} have a date (column {columns}).",
            dated,
            all=documents,
            columns=listed(list(part(section, "columns"))),
        )
    if not dated:
        return say("The longest article of each cluster is kept: no article has a date.")
    return say_many(
        "The longest article of each cluster is kept: only {count:,} of {all:,} has a date.",
        "The longest article of each cluster is kept: only {count:,} of {all:,} have a date.",
        dated,
        all=documents,
    )


def keeping(run: Mapping[str, Any], *, hints: bool) -> Iterator[Message]:
    """Yield the rule that decides which copy is kept, and its limitations if articles were removed.

    Args:
        run: content of `run.json`.
        hints: add a hint how to provide missing publication dates.
    """
    section = part(run, "keeping")
    counts = Counts.of(run)
    if "reason" in section and counts.rows:
        yield keep_reason(section)
    if not section or not counts.removed:
        return
    dropped = part(section, "earliest_dropped")
    rule, of = str(section.get("rule") or ""), int(section.get("timed_clusters") or 0)
    if rule in dropped and of:
        yield say_many(
            "Kept by {rule}, {dropped:,} of {count:,} cluster lost the earliest article; by other rules: {others}.",
            "Kept by {rule}, {dropped:,} of {count:,} clusters lost the earliest article; by other rules: {others}.",
            of,
            rule=rule,
            dropped=dropped[rule],
            others=listed([f"{name} {number:,}" for name, number in dropped.items() if name != rule]),
        )
    elif hints and not part(run, "recipe").get("date"):
        yield say(
            "Name the column of dates with --date to see in how many clusters each rule drops the earliest article."
        )
    if "note" in section:
        yield KEEPING_NOTE


def outputs(run: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the output files of the run as (name, path)."""
    for name, place in part(run, "outputs").items():
        yield name, worded(place)


def worded(value: Any) -> str:
    """Format a value of `run.json`: lists and mappings with commas, None as a dash."""
    if isinstance(value, bool) or value is None:
        return "✓" if value else "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {worded(item)}" for key, item in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(worded, value)) or "–"
    return str(value)


def unread_sentence(rows: int, rejected: int) -> Message | None:
    """Say that nothing was read: of ``rows``, all are ``rejected``. None if a row was read."""
    if not rows:
        return say("No articles were read.")
    if rejected == rows:
        return say_many("The only row could not be read.", "None of {count:,} rows could be read.", rows)
    return None


def sentence(run: Mapping[str, Any]) -> Message:
    """Summarize a run in one sentence."""
    counts = Counts.of(run)
    if nothing := unread_sentence(counts.rows, counts.rejected):
        return nothing
    message = _removals(run, counts, say_many("{count:,} article", "{count:,} articles", counts.rows))
    if not counts.rejected:
        return say("{told}.", told=message)
    rejected = say_many("{count:,} row could not be read", "{count:,} rows could not be read", counts.rejected)
    return say("{told}; {rejected}.", told=message, rejected=rejected)


def _removals(run: Mapping[str, Any], counts: Counts, articles: Message) -> Message:
    if not counts.removed:
        return say("No duplicates were found among {articles}", articles=articles)
    removed = part(part(run, "relations"), "removed") or {"exact": counts.exact, "near_duplicate": counts.near}
    return say_many(
        "Of {articles}, {count:,} ({share}) was removed: {relations}",
        "Of {articles}, {count:,} ({share}) were removed: {relations}",
        counts.removed,
        articles=articles,
        share=percent(counts.removed, counts.rows),
        relations=listed(list(_by_relation(removed))),
    )


def _by_relation(removed: Mapping[str, int]) -> Iterator[Message]:
    """Yield the numbers of removed articles by relation, the closest relation first."""
    number = defaultdict(int, removed)
    counted = {
        "exact": say_many("{count:,} exact duplicate", "{count:,} exact duplicates", number["exact"]),
        "near_duplicate": say_many("{count:,} near-duplicate", "{count:,} near-duplicates", number["near_duplicate"]),
        "excerpt": say_many("{count:,} excerpt", "{count:,} excerpts", number["excerpt"]),
        "compilation": say_many("{count:,} compilation", "{count:,} compilations", number["compilation"]),
        "version": say_many("{count:,} other version", "{count:,} other versions", number["version"]),
        "partial": say_many("{count:,} partial copy", "{count:,} partial copies", number["partial"]),
        "template": say_many("{count:,} form", "{count:,} forms", number["template"]),
        "quotation": say_many("{count:,} quotation", "{count:,} quotations", number["quotation"]),
        "reworded": say_many("{count:,} reworded article", "{count:,} reworded articles", number["reworded"]),
    }
    return (message for relation, message in counted.items() if number[relation])


def percent(share: float, whole: float) -> str:
    """Format a share as `19.0%`; only 0 is written as zero, and only the whole as 100%."""
    if not whole:
        return "–"
    value = 100 * share / whole
    if 0 < value < 0.05:
        text = "<0.1"
    elif 99.95 <= value < 100:
        text = ">99.9"
    else:
        text = f"{value:.1f}"
    return f"{text}%"


def change(difference: int) -> str:
    """Format a difference with its sign: `+12`, `−3`, `0`."""
    return f"{difference:+,}".replace("-", "−") if difference else "0"


def threshold(value: float) -> str:
    """Format a threshold with at least two digits."""
    text = f"{value:.4f}".rstrip("0")
    return text if len(text) > len("0.80") else f"{value:.2f}"


def size(bytes_count: float) -> str:
    """Format a number of bytes as `1.2 MB`, in powers of 1,000."""
    units = ["B", "kB", "MB", "GB", "TB", "PB"]
    value = float(bytes_count)
    while value >= 999.95 and len(units) > 1:
        value /= 1000
        units.pop(0)
    digits = 0 if units[0] == "B" else 1
    return f"{value:,.{digits}f}{_NO_BREAK_SPACE}{units[0]}"


def duration(seconds: float) -> str:
    """Format a duration as `0.42 s`, `12.3 s`, `3 min 05 s` or `2 h 03 min`."""
    space = _NO_BREAK_SPACE
    if seconds < 59.95:
        return f"{seconds:.{2 if seconds < 9.995 else 1}f}{space}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}{space}min{space}{rest:02}{space}s"
    return f"{minutes // 60:,}{space}h{space}{minutes % 60:02}{space}min"
