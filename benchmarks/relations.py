"""Relations of a pair of texts: copy, version, form filled in again, translation.

Each measurement is a function without arguments that returns a small dict of figures:

    python -m benchmarks.relations templates laws     # one JSON line each; all of them by default

Forms, laws and licences are judged by the removals of ``whorl.dedup``, pairs by ``whorl.compare``. The labels are part
of the sets, or are computed from exact 5-grams of tokens (`benchmarks.similarity`), never by whorl itself. Sets that
are not in ``WHORL_DATA`` are skipped. Generated sets and the examples are always measured.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import whorl
from benchmarks.articles import LANGUAGES, Language, newsroom, read_rows
from benchmarks.copies import copies_in, traps_in
from benchmarks.judging import (
    COPIES,
    DUPLICATES,
    MAIN_METHODS,
    Figures,
    Row,
    all_methods,
    compare_pairs,
    containment,
    counts_of,
    data_rows,
    digest_of,
    rows_by_id,
    run_dedup,
    share_of,
    smaller_containment,
    texts_of,
)
from benchmarks.licences import licences
from benchmarks.meaning import meaning
from benchmarks.related import related_sets
from benchmarks.rewording import degrees, rewrites
from benchmarks.similarity import jaccard, tokens
from benchmarks.translated import planted_translations
from benchmarks.viral import viral_posts
from whorl.evaluation.scoring import pair, score, share_proved

_NEWSROOM = Path(__file__).parents[1] / "examples" / "newsroom"
_SAMPLED_PAIRS = 24  # per family of forms
_LITTLE_SHARED = 0.3
_HALF = 0.5
_WHOLE_TEXTS_FROM = 0.8  # the default threshold of methods that compare whole texts
_SEED = 1


# Forms.


def templates() -> Figures:
    """Forms filled in for other events: removals in spite of different events, and the relations of the pairs."""
    rows = data_rows("foreign/templates.jsonl.gz")
    return judge_forms(rows) if rows else {}


def judge_forms(rows: Sequence[Row], methods: Sequence[str] = MAIN_METHODS) -> Figures:
    """Return the figures of forms that have ``id``, ``family``, ``copy_of`` (an id or None) and ``text``."""
    events = {row["id"]: row["copy_of"] or row["id"] for row in rows}
    copies = [(row["id"], row["copy_of"]) for row in rows if row["copy_of"]]
    figures: Figures = {"documents": len(rows), "copies": len(copies), "methods": {}}
    for method in methods:
        outcome = run_dedup(texts_of(rows), method)
        wrong = [removed for removed, kept in outcome.removals.items() if events[removed] != events[kept]]
        figures["methods"][method] = {
            "removed": len(outcome.removals),
            "other_event": len(wrong),
            "other_event_share": share_of(len(wrong), len(rows)),
            "copies_removed": sum(events[removed] == events[kept] for removed, kept in outcome.removals.items()),
            "copies_found": sum(outcome.finds(copy, source) for copy, source in copies),
            "links": counts_of(outcome.links.values()),
            "warnings": [warning["kind"] for warning in outcome.run["warnings"]],
        }
    judgments = compare_pairs((a["text"], b["text"]) for a, b in _pairs_of_other_events(rows))
    called = [judgment for judgment in judgments if judgment.relation in DUPLICATES or judgment.reprint]
    by_id = rows_by_id(rows)
    copied = compare_pairs((by_id[source]["text"], by_id[copy]["text"]) for copy, source in copies)
    return figures | {
        "compare": {
            "pairs": len(judgments),
            "called_copies": len(called),
            "called_copies_share": share_of(len(called), len(judgments)),
            "relations": counts_of(judgment.relation for judgment in judgments),
            "relations_of_copies": counts_of(judgment.relation for judgment in copied),
            "copies_called_copies": sum(judgment.relation in COPIES for judgment in copied),
        }
    }


def _pairs_of_other_events(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return the same number of pairs per family, spread evenly."""
    families = defaultdict(list)
    for row in rows:
        if not row["copy_of"]:
            families[row["family"]].append(row)
    sampled = []
    for members in families.values():
        pairs = sorted(
            combinations(members, 2), key=lambda rows_of_pair: digest_of("".join(row["id"] for row in rows_of_pair))
        )
        sampled += pairs[:_SAMPLED_PAIRS]
    return sampled


def command_pages() -> Figures:
    """Templated pages in thirteen languages: removals, and removals that share little with the kept page."""
    rows = data_rows("foreign/command-pages.jsonl.gz")
    return judge_pages(rows) if rows else {}


def judge_pages(rows: Sequence[Row], methods: Sequence[str] | None = None) -> Figures:
    """Return the figures of pages that have ``id``, ``lang``, ``group`` and ``text``, by method and language.

    "all" is one corpus of all languages, in which editions of one page in two Chinese scripts are copies.
    """
    languages = defaultdict(list, {"all": list(rows)})
    for row in rows:
        languages[row["lang"]].append(row)
    figures: Figures = {"documents": len(rows), "methods": {}}
    for method in methods or all_methods():
        removed, little = {}, {}
        for language, members in sorted(languages.items()):
            pages = rows_by_id(members)
            removals = run_dedup(texts_of(members), method).removals
            removed[language] = len(removals)
            little[language] = sum(_is_wrong(pages[page], pages[kept]) for page, kept in removals.items())
        figures["methods"][method] = {
            "removed": sum(removed.values()) - removed["all"],
            "under_30%": sum(little.values()) - little["all"],
            "languages": {name: [little[name], removed[name]] for name in removed if removed[name]},
        }
    return figures


def _is_wrong(page: Row, kept: Row) -> bool:
    return page["group"] != kept["group"] and containment(page["text"], kept["text"]) < _LITTLE_SHARED


# Laws.


def laws() -> Figures:
    """Chinese laws: removals under another title, and versions of one law."""
    rows = data_rows("families/laws-zh.jsonl.gz")
    return judge_laws(rows, data_rows("families/laws-zh-pairs.jsonl.gz")) if rows else {}


def judge_laws(rows: Sequence[Row], pairs: Sequence[Row]) -> Figures:
    """Return the figures of laws (``id``, ``title``, ``text``) and pairs (``a``, ``b``, ``relation``, ``earlier``)."""
    joined = [{"id": row["id"], "text": _titled(row)} for row in rows]
    columns = [{name: row[name] for name in ("id", "title", "text")} for row in rows]
    titles = {row["id"]: row["title"] for row in rows}
    return {
        "documents": len(rows),
        "title_in_text": judge_groups(joined, titles, "news"),
        "title_column": judge_groups(columns, titles, "news", text=("title", "text")),
        **law_versions(rows, pairs),
        "direction_by_date": later_of_links(rows, pairs),
    }


def later_of_links(rows: Sequence[Row], pairs: Sequence[Row]) -> Figures:
    """Return how many links between versions name the later one by the dates of the input; empty without dates."""
    if not all(row.get("date") for row in rows):
        return {}
    documents = [{"id": row["id"], "text": _titled(row), "date": row["date"]} for row in rows]
    links = whorl.dedup(documents, method="news").related.to_pylist()
    earlier = {frozenset((row["a"], row["b"])): row["earlier"] for row in pairs if row["relation"] == "version"}
    versions = [link for link in links if link["relation"] == "version"]
    ordered = [link for link in versions if frozenset((link["id"], link["related_to"])) in earlier]
    right = sum(
        link[{"id": "related_to", "related_to": "id"}.get(link["direction"], "direction")]
        == earlier[frozenset((link["id"], link["related_to"]))]
        for link in ordered
    )
    return {"links": len(ordered), "right_share": share_of(right, len(ordered))}


def judge_groups(documents: Sequence[Row], groups: Mapping[str, str], method: str, **options: Any) -> Figures:
    """Return the number of removals for a document of another group, and of all removals."""
    begun = time.process_time()
    outcome = run_dedup(documents, method, **options)
    other = [removed for removed, kept in outcome.removals.items() if groups[removed] != groups[kept]]
    return {
        "removed": len(outcome.removals),
        "other_group": len(other),
        "examples": [[removed, outcome.removals[removed]] for removed in other[:10]],
        "links": counts_of(outcome.links.values()),
        "warnings": [warning["kind"] for warning in outcome.run["warnings"]],
        "cpu_s": round(time.process_time() - begun, 1),
    }


def law_versions(rows: Sequence[Row], pairs: Sequence[Row]) -> Figures:
    """Return the relations of pairs of laws by ``compare``: versions of one law, and a law with its local rule."""
    laws_by_id = rows_by_id(rows)
    figures = {}
    for relation in dict.fromkeys(row["relation"] for row in pairs):
        selected = [row for row in pairs if row["relation"] == relation]
        texts = [(_titled(laws_by_id[row["a"]]), _titled(laws_by_id[row["b"]])) for row in selected]
        later = ["b" if row["earlier"] == row["a"] else "a" for row in selected]
        figures[relation.replace(" ", "_")] = _of_versions(texts, later if relation == "version" else None)
    return figures


def _of_versions(pairs: Sequence[tuple[str, str]], later: Sequence[str] | None = None) -> Figures:
    """Return the relations of versions. Amended pairs have different tokens; the others can only be exact."""
    judgments = compare_pairs(pairs)
    amended = [number for number, (a, b) in enumerate(pairs) if tokens(a) != tokens(b)]
    versions = {number for number, judgment in enumerate(judgments) if judgment.relation == "version"}
    figures: Figures = {
        "pairs": len(judgments),
        "version_share": share_of(len(versions), len(judgments)),
        "amended": len(amended),
        "amended_version_share": share_of(len(versions.intersection(amended)), len(amended)),
        "relations": counts_of(judgment.relation for judgment in judgments),
    }
    if later is None:
        return figures
    right = sum(judgments[number].direction == later[number] for number in versions)
    unknown = sum(judgments[number].direction is None for number in versions)
    return figures | {"direction_right_share": share_of(right, len(versions)), "direction_unknown": unknown}


def foreign_laws() -> Figures:
    """Chinese and German laws by name: removals under another name, and versions of one law."""
    figures = {}
    for name in ("laws-zh", "laws-de"):
        if rows := data_rows(f"foreign/{name}.jsonl.gz"):
            groups = {row["id"]: row["group"] for row in rows}
            members = defaultdict(list)
            for row in rows:
                members[row["group"]].append(row["text"])
            pairs = [versions for texts in members.values() for versions in combinations(texts, 2)]
            figures[name] = {"documents": len(rows), "news": judge_groups(texts_of(rows), groups, "news")}
            figures[name] |= _of_versions(pairs)
    return figures


# Translations and revisions.


def translations() -> Figures:
    """Independent translations of one text, which are no copies, and revisions of one translation, which are copies."""
    rows, pages = data_rows("zh-labelled/independent-translations.jsonl.gz"), data_rows("families/pydocs-enzh.jsonl.gz")
    figures: Figures = {}
    if rows:
        figures["independent"] = judge_translations([(row["a"], row["b"]) for row in rows])
    if pages:
        by_id = {row["id"]: row["text"] for row in pages}
        versions = [
            (by_id.get(f"zh/3.8/{row['page']}"), row["text"]) for row in pages if row["id"].startswith("zh/3.13/")
        ]
        both = [(old, new) for old, new in versions if old is not None]
        figures["revisions"] = judge_revisions([texts for texts in both if smaller_containment(*texts) >= _HALF])
    return figures


def judge_translations(pairs: Sequence[tuple[str, str]]) -> Figures:
    """Return how many pairs of independent translations are reported as copies."""
    judgments = compare_pairs(pairs)
    copied = [judgment for judgment in judgments if judgment.copied >= _HALF or judgment.relation in DUPLICATES]
    return {
        "pairs": len(judgments),
        "called_copies": len(copied),
        "relations": counts_of(judgment.relation for judgment in judgments),
        "copied": [round(judgment.copied, 3) for judgment in judgments[:10]],
        "exact_containment": [round(containment(b, a), 3) for a, b in pairs[:10]],
    }


def judge_revisions(pairs: Sequence[tuple[str, str]]) -> Figures:
    """Return how many pairs of revisions are found as copies."""
    judgments = compare_pairs(pairs)
    missed = [
        {
            "relation": judgment.relation,
            "copied": round(judgment.copied, 3),
            "exact": round(smaller_containment(*texts), 3),
        }
        for judgment, texts in zip(judgments, pairs, strict=True)
        if judgment.relation not in COPIES
    ]
    return {
        "pairs": len(judgments),
        "found": len(judgments) - len(missed),
        "found_share": share_of(len(judgments) - len(missed), len(judgments)),
        "relations": counts_of(judgment.relation for judgment in judgments),
        "missed": missed[:10],
    }


# A viral post.


def viral() -> Figures:
    """Posts that quote one viral post: how many each method relates, compared with exact similarity."""
    return {language: judge_viral(viral_posts(language), newsroom(language)) for language in LANGUAGES}


def judge_viral(posts: Sequence[str], others: Sequence[str], methods: Sequence[str] | None = None) -> Figures:
    """Return how many posts are in a cluster or linked: alone, among other articles, and in a library."""
    alone = [{"id": str(number), "text": text} for number, text in enumerate(posts)]
    mixed = alone + [{"id": f"other-{number}", "text": text} for number, text in enumerate(others)]
    shared = [any(containment(a, b) >= _LITTLE_SHARED for b in posts if b is not a) for a in posts]
    alike = [any(jaccard(a, b) >= _WHOLE_TEXTS_FROM for b in posts if b is not a) for a in posts]
    figures: Figures = {
        "posts": len(posts),
        "by_exact_containment": sum(shared),
        "by_exact_similarity": sum(alike),
        "methods": {},
    }
    for method in methods or all_methods():
        both = [run_dedup(documents, method).related() for documents in (alone, mixed)]
        figures["methods"][method] = [len({row["id"] for row in alone} & related) for related in both]
    with tempfile.TemporaryDirectory() as folder, whorl.open(Path(folder) / "library") as library:
        for document in mixed:
            library.add([document])
        reports = [{match.id for match in library.check(text).matches} for text in posts]
    figures["library"] = {
        "checked": sum(bool(ids - {str(number)}) for number, ids in enumerate(reports)),
        "matches_of_each": [len(ids - {str(number)}) for number, ids in enumerate(reports)],
    }
    return figures


# Copies of labeled kinds.


def mutated() -> Figures:
    """Copies of labeled kinds: found by the preset ``news``, removed or linked; and pairs on other events."""
    return {language: judge_copies(language) for language in LANGUAGES}


def judge_copies(language: Language) -> Figures:
    """Return the recall of ``news`` for a language, by kind, and the precision of removals and of links."""
    copies = copies_in(language, _SEED)
    documents = [{"id": f"{row:06}"} | article for row, article in enumerate(copies.articles)]
    outcome = run_dedup(documents, "news")
    removals = {int(removed): int(kept) for removed, kept in outcome.removals.items()}
    links = {(int(a), int(b)) for a, b in outcome.copies()}
    scored = score(copies.truth, removals)
    clusters = removals | {kept: kept for kept in removals.values()}
    kinds = defaultdict(list)
    for copy in copies.truth.copies:
        sources = [source for source in copy.sources if source != copy.document]
        kinds[copy.kind].append(
            any(
                pair(copy.document, source) in links or clusters.get(copy.document, -1) == clusters.get(source, -2)
                for source in sources
            )
        )
    right = copies.truth.right()
    aside = copies.truth.aside
    figures: Figures = {
        "documents": len(documents),
        "removed": scored.removed,
        "precision": round(scored.precision.value or 0.0, 4) if scored.precision else None,
        "links": len(links),
        "links_right": sum(link in right for link in links),
        "links_aside": sum(link in aside for link in links),
        "found": {kind: round(sum(hits) / len(hits), 3) for kind, hits in kinds.items()},
    }
    if traps := traps_in(language):
        trap_run = run_dedup([{"id": f"{row:06}"} | article for row, article in enumerate(traps.articles)], "news")
        proved = share_proved(traps.pairs, {int(removed): int(kept) for removed, kept in trap_run.removals.items()})
        figures["other_events"] = {"pairs": proved.of, "removed": proved.hits}
    return figures


def answers() -> Figures:
    """Answers by Clough and Stevenson: how many are classified rightly as copied or not copied."""
    rows = data_rows("en-alignment/clough-stevenson.jsonl.gz")
    if not rows:
        return {}
    judgments = compare_pairs((row["b"], row["a"]) for row in rows)
    right = sum(
        (judgment.copied >= 0.1) == (row["label"] != "non") for judgment, row in zip(judgments, rows, strict=True)
    )
    relations = {
        label: counts_of(
            judgment.relation for judgment, row in zip(judgments, rows, strict=True) if row["label"] == label
        )
        for label in ("cut", "light", "heavy", "non")
    }
    return {"answers": len(rows), "right": right, "right_share": share_of(right, len(rows)), "relations": relations}


# The example newsroom, and pages on one subject.


def example_newsroom() -> Figures:
    """The example newsroom by every preset and the default: originals lost, and copies removed."""
    from whorl.recipe import PRESETS

    rows = list(read_rows(_NEWSROOM / "articles.jsonl"))
    copies = {row["copy_id"] for row in read_rows(_NEWSROOM / "truth.jsonl")}
    figures: Figures = {"originals": len(rows) - len(copies), "copies": len(copies), "methods": {}}
    keeping: dict[str, dict[str, Any]] = {
        "unset": {"keep": None},
        "longest": {"keep": "longest"},
        "earliest": {"keep": "earliest", "date": "date"},
    }
    for method in (None, *PRESETS):
        figures["methods"][method or "default"] = {}
        for name, options in keeping.items():
            removed = run_dedup(rows, method, **options).removals.keys()
            lost = {"originals_lost": len(removed - copies), "copies_removed": len(removed & copies)}
            figures["methods"][method or "default"][name] = lost
    return figures


def related_pages() -> Figures:
    """Pages on one subject and in one style: editions found, and wrong removals."""
    figures: Figures = {}
    for related in related_sets():
        documents = [{"id": page, "text": text} for page, text in related.texts.items()]
        figures[related.name] = {"documents": len(documents)}
        for method in MAIN_METHODS:
            outcome = run_dedup(documents, method)
            scores = related.judged(outcome.removals)
            shares = {name: scores[name]["value"] for name in ("twins", "lightly_edited", "precision")}
            counts = {name: scores[name] for name in ("wrong", "other_pages")}
            linked = sum(outcome.finds(*twins) for twins in related.lightly_edited)
            figures[related.name][method] = {
                "removed": len(outcome.removals),
                **shares,
                **counts,
                "lightly_edited_or_linked": share_of(linked, len(related.lightly_edited)),
            }
    return figures


MEASUREMENTS: Mapping[str, Callable[[], Figures]] = {
    "templates": templates,
    "command-pages": command_pages,
    "laws": laws,
    "foreign-laws": foreign_laws,
    "translations": translations,
    "translated": planted_translations,
    "degrees": degrees,
    "rewrites": rewrites,
    "meaning": meaning,
    "viral": viral,
    "mutated": mutated,
    "answers": answers,
    "newsroom": example_newsroom,
    "related": related_pages,
    "licences": licences,
}


def _titled(law: Row) -> str:
    return f"{law['title']}\n{law['text']}"


def _measurement_name(name: str) -> str:
    if name not in MEASUREMENTS:
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(MEASUREMENTS)}, got '{name}'")
    return name


def main() -> None:
    """Print the figures of the measurements named on the command line, one JSON line each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.relations", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", type=_measurement_name, help=", ".join(MEASUREMENTS))
    for name in parser.parse_args().names or MEASUREMENTS:
        begun = time.perf_counter()
        figures = MEASUREMENTS[name]()
        line = {"measurement": name, "wall_s": round(time.perf_counter() - begun, 1), **figures}
        print(json.dumps(line, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
