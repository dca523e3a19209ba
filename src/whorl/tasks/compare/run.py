"""Compare a text with one or many sources, with the names of the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.corpus import Columns
from whorl.engines.sources import CandidateTexts, Search, find_candidates, most_similar, read_texts
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import Language, say, say_many
from whorl.library import exists
from whorl.matching.boilerplate import learn_boilerplate
from whorl.matching.compare import compare, compare_sources
from whorl.recipe import Recipe, recipe_of
from whorl.reports.comparison.summary import Article, Collection, as_data, parts_of
from whorl.reports.hints import hint_of_comparison
from whorl.tasks.compare.articles import place_label, place_of, read_text
from whorl.tasks.dedup.outputs import TABLES, demand_free, kind_of, write_whole
from whorl.tasks.library.arguments import Place, Places, Texts, demand_texts, lent, places, reading, strings
from whorl.text.glossary import read_glossary
from whorl.types.cards import card
from whorl.types.comparison import Comparison, Composition, Flag, percent

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.reports.evidence_sheet import EvidenceSheet
    from whorl.tasks import Progress

MOST_SOURCES = 1000
"""Default maximum number of sources that a text is compared with."""


@frozen
class Compared:
    """Comparison of a text with its sources.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> compared = whorl.compare_files(f"{news}:88", f"{news}:24")
    >>> compared.result.relation, len(compared.sources)
    ('near_duplicate', 1)

    Attributes:
        result: passages, shares and relations: a ``Comparison`` with one source, a ``Composition`` with several.
        text: the examined text.
        sources: the compared sources.
        left_out: number of further sources, which share less with the text and were not compared.
        rejected: number of unreadable sources.
        searched: the inputs that were searched for sources, if any.
        options: options of the comparison.
    """

    result: Comparison | Composition
    text: Article
    sources: tuple[Article, ...]
    left_out: int = 0
    rejected: int = 0
    searched: tuple[Collection, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON: the result, the names of the texts, and the versions."""
        data = as_data(self.result, self.text, self.sources, left_out=self.left_out, rejected=self.rejected)
        return data | {"hint": self.hint}

    @property
    def hint(self) -> str | None:
        """Hint for the next comparison, one sentence in English, or None."""
        for article in (self.text, *(part.source for part in parts_of(self.result, self.sources))):
            if article.missing:
                return say("{file} is incomplete: {reason}", file=article.label, reason=article.missing)
        return hint_of_comparison(self.result, self.left_out, len(self.sources), self.options)

    def report(
        self,
        *,
        title: str = "",
        author: str = "",
        short: bool = False,
        language: Language | None = None,
        command: str = "",
        at: datetime | None = None,
        paper: bool = False,
        sheet: EvidenceSheet | None = None,
    ) -> str:
        """Return the HTML report; see ``whorl.evidence.render_comparison`` for the arguments."""
        from whorl.reports.comparison.page import render_comparison

        return render_comparison(
            self.result,
            self.sources,
            self.text,
            title=title,
            author=author,
            short=short,
            language=language,
            options=self.options,
            searched=self.searched,
            left_out=self.left_out,
            rejected=self.rejected,
            command=command,
            at=at,
            paper=paper,
            sheet=sheet,
        )

    def write(self, path: Place, **how: Any) -> None:
        """Write the result in the format of the file suffix.

        Args:
            path: ``.pdf`` is the printed report; ``.csv``, ``.xlsx`` and ``.docx`` are the table of sources and
                passages; any other suffix is the HTML report.
            **how: arguments of ``report``; for a table, only the language.

        Raises:
            UsageError: the path is occupied by another kind of file, or a package for the format is not installed.
            ResourceError: a library or a font for PDF is missing.
        """
        target = Path(path)
        demand_free(target, kind_of(target), ())
        write_whole(target, self.content(target.suffix.lower(), **how))

    def content(self, suffix: str, **how: Any) -> str | bytes:
        """Return the contents that ``write`` writes to a file with this suffix."""
        from whorl.reports.comparison import tables
        from whorl.reports.pdf.printing import as_pdf

        whole = (self.result, self.sources, self.text)
        match suffix:
            case ".pdf":
                return as_pdf(self.report(paper=True, **how))
            case ".csv":
                return tables.csv_table(*whole)
            case ".xlsx":
                return tables.xlsx_table(*whole, how.get("language"))
            case ".docx":
                return tables.docx_table(*whole, how.get("language"))
        return self.report(**how)

    def _repr_html_(self) -> str:
        if isinstance(self.result, Comparison):
            return self.result._repr_html_()
        facts = [(name, percent(share)) for name, share in asdict(self.result.ratios).items()]
        giving = sorted(zip(self.result.shares, self.sources, strict=True), key=lambda pair: pair[0], reverse=True)
        rows = [(percent(share), source.name) for share, source in giving if share]
        return card(str(self.result), facts, columns=("", say("source")), rows=rows, count=len(rows))


def compare_files(
    a: str,
    b: str,
    *,
    exclude: Texts | None = None,
    boilerplate: Places = (),
    learn: Places = (),
    least: int | None = None,
    reprint: float | None = None,
    language: Language | None = None,
    terms: Place | None = None,
    meaning: bool | Place | None = None,
    text: Texts | None = None,
    encoding: str | None = None,
    ocr: bool | None = None,
    recipe: Recipe | Place | None = None,
) -> Compared:
    """Compare two articles in files like ``whorl.compare``: find what b copied from a.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> compared = whorl.compare_files(f"{news}:1", f"{news}:2")
    >>> compared.result.relation, compared.text.name == f"{news}:2"
    ('unrelated', True)

    Args:
        a: the source: a text, HTML, DOCX or PDF file, ``FILE:ROW`` for a row of a file that has many, or ``-`` for a
            text on standard input.
        b: the examined text, in the same notation.
        exclude: parts that are not counted or reported: "quotations", "references".
        boilerplate: files whose texts are not counted or reported, such as notices.
        learn: files; sentences found in five or more of their texts are not counted or reported.
        least: minimum length of a passage in folded code points.
        reprint: minimum copied share of a reprint.
        language: language of the sentence; None uses that of the text.
        terms: file of terms in two languages, as further evidence of translations: two columns, separated by tabs or
            commas.
        meaning: also find the same content in other words or another language, by the vectors of sentences: True with
            the model of the extra ``meaning``, or the path of a folder with a model.
        text: the columns that make up a text.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        ocr: recognize the text of scanned pages and pictures; needs the extra ``ocr``.
        recipe: further settings, and options that are not passed as arguments.

    Raises:
        UsageError: a value is out of range, or a file has several rows and no row is selected.
        InputError: a file or row does not exist or cannot be read.

    Cost: linear in both texts.
    """
    _demand_one_stdin([a, b])
    chosen = recipe_of(recipe, text=strings(text), encoding=encoding, ocr=ocr)
    settings = {"exclude": exclude, "least": least, "language": language, "reprint": reprint, "meaning": meaning}
    options = _options(chosen, boilerplate, learn, terms, **settings)
    source, examined = (_read(place, chosen) for place in (a, b))
    comparison = with_hidden_text(compare(source.text, examined.text, **options), source, examined)
    return Compared(comparison, examined, (source,), options=options)


def compare_against(
    against: Places,
    b: str,
    *,
    authorised: Places = (),
    exclude: Texts | None = None,
    boilerplate: Places = (),
    learn: Places = (),
    least: int | None = None,
    reprint: float | None = None,
    language: Language | None = None,
    terms: Place | None = None,
    meaning: bool | Place | None = None,
    text: Texts | None = None,
    encoding: str | None = None,
    ocr: bool | None = None,
    recipe: Recipe | Place | None = None,
    most: int = MOST_SOURCES,
    scan: bool = False,
    date: str | None = None,
    progress: Progress | None = None,
) -> Compared:
    """Compare an article in a file with many sources like ``whorl.compare_sources``.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> compared = whorl.compare_against(news, f"{news}:1")
    >>> len(compared.sources)
    90

    Args:
        against: files, folders and globs with possible sources, and libraries; may be empty if ``authorised`` is not.
        b: the examined text, as for ``compare_files``. It is not a source of itself.
        authorised: sources like ``against`` that are the author's own or may be copied.
        exclude: as for ``compare_files``, like the following arguments up to the recipe.
        boilerplate: files whose texts are not counted or reported.
        learn: files whose frequent sentences are not counted or reported.
        least: minimum length of a passage in folded code points.
        reprint: minimum copied share of a reprint.
        language: language of the sentence.
        terms: file of terms in two languages.
        meaning: also find the same content in other words, in up to eight sources with the most rare words, names and
            numbers in common. All texts of a library are read for it, as with ``scan``.
        text: the columns that make up a text.
        encoding: encoding of the files.
        ocr: recognize the text of scanned pages and pictures; needs the extra ``ocr``.
        recipe: further settings.
        most: maximum number of texts to compare; those that share most keys are chosen.
        scan: read all texts of a library instead of looking them up in its index. The index finds every passage with an
            unchanged run of 11 Han characters or 25 letters; of a passage that more than 1,000 articles have, the first
            64. Libraries with other keys than those of the preset "library" are always read.
        date: the date column of the sources, so that the report can show their period.
        progress: receives the progress and the skipped files.

    Raises:
        UsageError: a value is out of range, or there are no sources.
        InputError: a file cannot be read as requested.

    Cost: reading all files, and 20 ns per code point of them; in a library, a lookup of each key of the text; then
        linear in the chosen texts.
    """
    source_places, own_places = places(against), places(authorised)
    if not source_places and not own_places:
        raise UsageError(say("no sources to compare with"), hint=say("add a second text, or sources with `against`"))
    _demand_one_stdin([*source_places, *own_places, b])
    chosen = recipe_of(recipe, text=strings(text), encoding=encoding, ocr=ocr)
    settings = {"exclude": exclude, "least": least, "language": language, "reprint": reprint, "meaning": meaning}
    options = _options(chosen, boilerplate, learn, terms, **settings)
    examined = _read(b, chosen)
    libraries = [place for place in source_places if exists(place)]
    others = tuple(place for place in source_places if place not in libraries)
    by_content = bool(options.get("meaning"))
    lent_parts = [
        _articles_of(place, examined.text, most, scan=scan or by_content, by_content=by_content) for place in libraries
    ]
    lent_texts = [article for articles, _ in lent_parts for article in articles]
    candidates = CandidateTexts((), 0, 0, False)
    if others or own_places:
        columns, how = Columns(chosen.text, order=date), reading(chosen)
        search = Search(others, own_places, columns, how, most, place_of(b), by_content)
        candidates = find_candidates(examined.text, search, progress)
    if progress is not None and candidates.rejected:
        progress.note(say_many("{count:,} row cannot be read", "{count:,} rows cannot be read", candidates.rejected))
    if progress is not None and candidates.itself:
        progress.note(say("{path} is also among the sources and is ignored there", path=b))
    chosen_texts = [
        Article(
            candidate.name,
            candidate.text,
            candidate.authorised,
            candidate.id,
            candidate.place,
            candidate.hidden,
            candidate.missing,
            candidate.lines,
        )
        for candidate in candidates.chosen
    ]
    sources = (*chosen_texts, *lent_texts)
    permitted = [number for number, source in enumerate(sources) if source.authorised]
    composed = compare_sources([source.text for source in sources], examined.text, authorised=permitted, **options)
    composed = _composition_with_hidden_text(composed, sources, examined)
    left_out = candidates.left_out + sum(further for _, further in lent_parts)
    return Compared(composed, examined, sources, left_out, candidates.rejected, candidates.searched, options)


def _articles_of(place: str, text: str, limit: int, *, scan: bool, by_content: bool) -> tuple[list[Article], int]:
    """Return the articles of a library that share most k-grams with a text, and the number of further ones.

    The index nominates them, unless all texts are to be read or the keys of the library are too sparse.
    """
    with lent(place) as library:
        demand_texts(library)
        sources = None if scan else library.candidates().sources(text, limit)
        if sources is None:
            documents = ((row["id"], row["text"]) for row in library.export())
            best, left_out = most_similar(text, documents, limit, by_content=by_content)
        else:
            articles, unread = sources
            best, left_out = most_similar(text, articles, limit)
            left_out += unread
    return [Article(id_, content, id=id_, place=f"{place_label(place)}:{id_}") for id_, content in best], left_out


def compare_texts(text: Article, sources: Sequence[Article], **options: Any) -> Compared:
    """Compare a text with one or more other texts.

    >>> from whorl.results import Article
    >>> from whorl.tasks.compare.run import compare_texts
    >>> text = Article("b", "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。")
    >>> compare_texts(text, [Article("a", text.text)]).result.relation
    'exact'

    Args:
        text: the examined text.
        sources: possible sources, marked as ``authorised`` if they may be copied.
        **options: options of ``whorl.compare``.

    Raises:
        UsageError: there is no source, or an option is out of range.

    Cost: linear in all texts.
    """
    if not sources:
        raise UsageError(say("no sources to compare with"), hint=say("add a source"))
    comparison: Comparison | Composition
    if len(sources) == 1 and not sources[0].authorised:
        comparison = compare(sources[0].text, text.text, **options)
    else:
        permitted = [number for number, source in enumerate(sources) if source.authorised]
        comparison = compare_sources([source.text for source in sources], text.text, authorised=permitted, **options)
    return Compared(comparison, text, tuple(sources), options=options)


def compare_documents(library: Library | Place, id: str, other: str, *, revision: int | None = None) -> Compared:
    """Compare an article of a library with another one, its possible source.

    The library's boilerplate is left out, so that the shares are those of their match.

    Args:
        library: its address, or an open library.
        id: id of the article.
        other: id of the other one.
        revision: revision of the article; None is the latest.

    Raises:
        NotFoundError: one of the articles, or the revision, does not exist.
    """
    with lent(library) as opened:
        copy, original = _article(opened, id, revision), _article(opened, other)
        is_latest = revision is None
        comparison = opened.compare(id, other) if is_latest else compare(original.text, copy.text)
        return Compared(comparison, copy, (original,))


def with_hidden_text(comparison: Comparison, source: Article, examined: Article) -> Comparison:
    """Add the flags for hidden text, which the comparison of the visible texts ignores."""
    counts = {"a": source.hidden, "b": examined.hidden}
    if not any(counts.values()):
        return comparison
    flags = []
    for flag in comparison.flags:
        more = counts.pop(flag.text, 0) if flag.kind == "hidden" else 0
        flags.append(replace(flag, count=flag.count + more))
    flags += (Flag("hidden", text, count) for text, count in counts.items() if count)
    return replace(comparison, flags=tuple(flags))


def _composition_with_hidden_text(
    composition: Composition, sources: Sequence[Article], examined: Article
) -> Composition:
    if not examined.hidden and not any(source.hidden for source in sources):
        return composition
    comparisons = [
        with_hidden_text(part.comparison, part.source, examined)
        for part in sorted(parts_of(composition, sources), key=lambda part: part.number)
    ]
    return replace(composition, comparisons=tuple(comparisons))


def _read(place: str, recipe: Recipe) -> Article:
    read = read_text(place, recipe)
    return Article(place_label(place), read.text, hidden=read.hidden, missing=read.missing, lines=read.lines)


def _article(library: Library, id: str, revision: int | None = None) -> Article:
    document = library.get(id, revision=revision)
    if document is None:
        raise NotFoundError(say("document {id!r} not found", id=id), hint=say("list them with `whorl library list`"))
    demand_texts(library)
    return Article(document.url or document.id, document.text, id=document.id)


def demand_writable(report: Path | None, table: Path | None, inputs: Sequence[str]) -> None:
    """Refuse output paths for a report and a table before any work is done.

    Args:
        report: path of an HTML or PDF report, or None.
        table: path of a table with a suffix of ``TABLES``, or None.
        inputs: paths that are read.

    Raises:
        UsageError: a path is occupied, its folder does not exist, or the suffix of the table is unknown.
    """
    for path in filter(None, (report, table)):
        demand_free(path, kind_of(path), inputs)
    if table is not None and table.suffix.lower() not in TABLES:
        raise UsageError(
            say("{path}: expected a table file name", path=table),
            hint=say("use one of the suffixes {suffixes}", suffixes=", ".join(TABLES)),
        )
    if report is not None and report.suffix.lower() in TABLES:
        raise UsageError(
            say("{path}: expected a report file name, got that of a table", path=report),
            hint=say("use `table`, or the suffix .pdf or .html"),
        )


def _demand_one_stdin(names: Sequence[str]) -> None:
    if names.count("-") > 1:
        raise UsageError(say("stdin can be only one of the texts"), hint=say("save the others to files"))


def _options(
    recipe: Recipe, boilerplate: Places, learn: Places, terms: Place | None, **options_of_call: Any
) -> dict[str, Any]:
    """Return the options of the recipe, overridden by arguments that are not None."""
    options_of_call["terms"] = None if terms is None else read_glossary(terms)
    options_of_call["exclude"] = strings(options_of_call["exclude"])
    options = dict(recipe.compare) | {name: value for name, value in options_of_call.items() if value is not None}
    columns, how = Columns(recipe.text), reading(recipe)
    whole, several = places(boilerplate), places(learn)
    notices = read_texts(whole, columns, how) if whole else []
    learned = learn_boilerplate(read_texts(several, columns, how)) if several else []
    return options | {"boilerplate": [*options.get("boilerplate", ()), *notices, *learned]}


__all__ = [
    "MOST_SOURCES",
    "Article",
    "Compared",
    "Comparison",
    "Composition",
    "compare_against",
    "compare_documents",
    "compare_files",
    "compare_texts",
    "demand_writable",
]
