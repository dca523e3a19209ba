"""What one text has from another, or from many, with what the texts are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.cards import card
from whorl.corpus import Columns
from whorl.engines.sources import Candidates, Search, find_candidates, read_texts
from whorl.errors import NotFoundError, UsageError
from whorl.language import Language, say, say_many
from whorl.library import exists
from whorl.matching.boilerplate import learn_boilerplate
from whorl.matching.compare import compare, compare_sources
from whorl.model import Comparison, Composition, Flag, percent
from whorl.recipe import Recipe, recipe_of
from whorl.reports.comparison import Article, Collection, as_data, parts_of
from whorl.reports.hints import hint_of_comparison
from whorl.tasks.arguments import Place, Places, Texts, demand_texts, lent, places, reading, strings
from whorl.tasks.articles import place_of, read_text, shown
from whorl.tasks.written import TABLES, demand_free, kind_of, write_whole

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.tasks import Progress

MOST_SOURCES = 1000
"""How many sources a text is compared with where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What a text has from its sources.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> compared = whorl.compare_files(f"{news}:88", f"{news}:24")
    >>> compared.found.relation, len(compared.sources)
    ('near_duplicate', 1)

    Attributes:
        found: passages, shares and kinds: a ``Comparison`` with one source, a ``Composition`` of many.
        text: the text that was examined.
        sources: what it was compared with.
        left_out: further sources, which share less with the text, and were not compared.
        rejected: further sources that could not be read.
        searched: the inputs that the sources are from, where they were searched.
        options: those of the comparison.
    """

    found: Comparison | Composition
    text: Article
    sources: tuple[Article, ...]
    left_out: int = 0
    rejected: int = 0
    searched: tuple[Collection, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON: what was found, and of which texts, by which versions."""
        found = as_data(self.found, self.text, self.sources, left_out=self.left_out, rejected=self.rejected)
        return found | {"hint": self.hint}

    @property
    def hint(self) -> str | None:
        """What the next comparison could make use of, in one sentence in English; None where there is nothing."""
        for article in (self.text, *(part.source for part in parts_of(self.found, self.sources))):
            if article.missing:
                return say("{file} is incomplete: {reason}", file=article.label, reason=article.missing)
        return hint_of_comparison(self.found, self.left_out, len(self.sources), self.options)

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
    ) -> str:
        """Return the page of ``whorl.render_comparison``, which see for the arguments."""
        from whorl.reports.comparison_page import render_comparison

        return render_comparison(
            self.found,
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
        )

    def write(self, path: Place, **how: Any) -> None:
        """Write what was found as a file of the kind that its name ends with.

        Args:
            path: ``.pdf`` is the page as it is printed; ``.csv``, ``.xlsx`` and ``.docx`` are the table of sources and
                passages; anything else is the page.
            **how: as of ``report``; of a table, the language.

        Raises:
            UsageError: the place is taken by something else, or a package is not installed that the kind needs.
            ResourceError: a library or a font that PDF needs is not there.
        """
        target = Path(path)
        demand_free(target, kind_of(target), ())
        write_whole(target, self.content(target.suffix.lower(), **how))

    def content(self, suffix: str, **how: Any) -> str | bytes:
        """Return what ``write`` writes to a file whose name ends so."""
        from whorl.reports import comparison_tables as tables
        from whorl.reports.pdf import as_pdf

        whole = (self.found, self.sources, self.text)
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
        if isinstance(self.found, Comparison):
            return self.found._repr_html_()
        facts = [(name, percent(share)) for name, share in asdict(self.found.ratios).items()]
        giving = sorted(zip(self.found.shares, self.sources, strict=True), key=lambda own: own[0], reverse=True)
        rows = [(percent(share), source.name) for share, source in giving if share]
        return card(str(self.found), facts, columns=("", say("source")), rows=rows, count=len(rows))


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
    text: Texts | None = None,
    encoding: str | None = None,
    recipe: Recipe | Place | None = None,
) -> Compared:
    """Say of two articles in files what ``whorl.compare`` says of two texts: what b has from a.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> compared = whorl.compare_files(f"{news}:1", f"{news}:2")
    >>> compared.found.relation, compared.text.name == f"{news}:2"
    ('unrelated', True)

    Args:
        a: the source: a text, HTML, DOCX or PDF file, ``FILE:ROW`` for a row of a file that has many, or ``-`` for a
            text on standard input.
        b: the text that is examined, named likewise.
        exclude: what is neither counted nor reported: "quotations", "references".
        boilerplate: files whose texts are neither counted nor reported, such as notices.
        learn: files; the sentences that five or more of their texts have are neither counted nor reported.
        least: passages with fewer equal folded code points are not reported.
        reprint: from which copied share on a text counts as a reprint.
        language: of the sentence; None is that of the text.
        text: the columns that make a text.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        recipe: the rest, and the options of a comparison that are not given here.

    Raises:
        UsageError: a value is out of range; a file has many rows and none is named.
        InputError: a file cannot be read, or has no such row.

    Cost: linear in both texts.
    """
    _demand_one_stdin([a, b])
    chosen = recipe_of(recipe, text=strings(text), encoding=encoding)
    options = _options(chosen, boilerplate, learn, exclude=exclude, least=least, language=language, reprint=reprint)
    source, examined = (_read(place, chosen) for place in (a, b))
    found = with_hidden_text(compare(source.text, examined.text, **options), source, examined)
    return Compared(found, examined, (source,), options=options)


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
    text: Texts | None = None,
    encoding: str | None = None,
    recipe: Recipe | Place | None = None,
    most: int = MOST_SOURCES,
    date: str | None = None,
    progress: Progress | None = None,
) -> Compared:
    """Say of an article in a file what ``whorl.compare_sources`` says of a text: what it has from each of many.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> compared = whorl.compare_against(news, f"{news}:1")
    >>> len(compared.sources)
    90

    Args:
        against: files, folders and globs whose texts it may have been copied from, and libraries, which are asked for
            articles that share keys with it; may be empty where ``authorised`` is not.
        b: the text that is examined, named as for ``compare_files``. It is no source of itself.
        authorised: the same as ``against``, of the author's own or with leave.
        exclude: as of ``compare_files``, like all up to the recipe.
        boilerplate: files whose texts are neither counted nor reported.
        learn: files whose frequent sentences are neither counted nor reported.
        least: passages with fewer equal folded code points are not reported.
        reprint: from which copied share on a text counts as a reprint.
        language: of the sentence.
        text: the columns that make a text.
        encoding: of files.
        recipe: the rest.
        most: compare with at most so many texts, those that share most keys.
        date: the column of dates of what is searched, so that the report can say from when to when it is.
        progress: is told what happens, and what was passed over.

    Raises:
        UsageError: a value is out of range, or there is nothing to compare with.
        InputError: a file cannot be read as asked.

    Cost: reading all sources, and 20 ns a code point of them; then linear in the chosen ones.
    """
    given, own = places(against), places(authorised)
    if not given and not own:
        raise UsageError(say("there is nothing to compare with"), cure=say("name a second text, or sources: `against`"))
    _demand_one_stdin([*given, *own, b])
    chosen = recipe_of(recipe, text=strings(text), encoding=encoding)
    options = _options(chosen, boilerplate, learn, exclude=exclude, least=least, language=language, reprint=reprint)
    examined = _read(b, chosen)
    libraries = [place for place in given if exists(place)]
    others = tuple(place for place in given if place not in libraries)
    lent_texts = [article for place in libraries for article in _articles_of(place, examined.text, most)]
    found = Candidates((), 0, 0, False)
    if others or own:
        search = Search(others, own, Columns(chosen.text, order=date), reading(chosen), most, place_of(b))
        found = find_candidates(examined.text, search, progress)
    if progress is not None and found.rejected:
        progress.note(say_many("{count:,} row cannot be read", "{count:,} rows cannot be read", found.rejected))
    if progress is not None and found.itself:
        progress.note(say("{path} is among its sources and is left out of them", path=b))
    chosen_texts = [
        Article(one.name, one.text, one.authorised, one.id, one.place, one.hidden, one.missing) for one in found.chosen
    ]
    sources = (*chosen_texts, *lent_texts)
    leave = [number for number, source in enumerate(sources) if source.authorised]
    composed = compare_sources([source.text for source in sources], examined.text, authorised=leave, **options)
    composed = _composition_with_hidden_text(composed, sources, examined)
    return Compared(composed, examined, sources, found.left_out, found.rejected, found.searched, options)


def _articles_of(place: str, text: str, most: int) -> list[Article]:
    """The articles of a library that share most keys with a text."""
    with lent(place) as library:
        demand_texts(library)
        source = library.candidates()
        found = source.find([text], source.family.fingerprint([text]))
        best = sorted(zip(found.hits.tolist(), found.number.tolist(), strict=True), key=lambda own: (-own[0], own[1]))
        known = source.records(list(dict.fromkeys(number for _, number in best))[:most])
    named = zip(known.ids, known.texts, strict=True)
    return [Article(id_, own, id=id_, place=f"{shown(place)}:{id_}") for id_, own in named]


def compare_texts(text: Article, sources: Sequence[Article], **options: Any) -> Compared:
    """Say of a text what it has from one other text, or from each of several.

    >>> from whorl.results import Article
    >>> from whorl.tasks.compare import compare_texts
    >>> text = Article("b", "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。")
    >>> compare_texts(text, [Article("a", text.text)]).found.relation
    'exact'

    Args:
        text: what is examined.
        sources: what it may have been copied from; those that are ``authorised`` by leave.
        **options: of ``whorl.compare``.

    Raises:
        UsageError: there is no source, or an option is out of range.

    Cost: linear in all texts.
    """
    if not sources:
        raise UsageError(say("there is nothing to compare with"), cure=say("give a source"))
    found: Comparison | Composition
    if len(sources) == 1 and not sources[0].authorised:
        found = compare(sources[0].text, text.text, **options)
    else:
        leave = [number for number, source in enumerate(sources) if source.authorised]
        found = compare_sources([source.text for source in sources], text.text, authorised=leave, **options)
    return Compared(found, text, tuple(sources), options=options)


def compare_documents(library: Library | Place, id: str, other: str) -> Compared:
    """Return what an article of a library has from another one of it.

    Raises:
        NotFoundError: there is no such article.
    """
    with lent(library) as opened:
        copy, original = (_article(opened, own) for own in (id, other))
    return Compared(compare(original.text, copy.text), copy, (original,))


def with_hidden_text(found: Comparison, source: Article, examined: Article) -> Comparison:
    """Return a comparison with the flags of text that the documents hide, which was left out before."""
    counts = {"a": source.hidden, "b": examined.hidden}
    if not any(counts.values()):
        return found
    flags = []
    for flag in found.flags:
        more = counts.pop(flag.text, 0) if flag.kind == "hidden" else 0
        flags.append(replace(flag, count=flag.count + more))
    flags += (Flag("hidden", text, count) for text, count in counts.items() if count)
    return replace(found, flags=tuple(flags))


def _composition_with_hidden_text(found: Composition, sources: Sequence[Article], examined: Article) -> Composition:
    if not examined.hidden and not any(source.hidden for source in sources):
        return found
    own = [
        with_hidden_text(part.comparison, part.source, examined)
        for part in sorted(parts_of(found, sources), key=lambda part: part.number)
    ]
    return replace(found, comparisons=tuple(own))


def _read(place: str, recipe: Recipe) -> Article:
    read = read_text(place, recipe)
    return Article(shown(place), read.text, hidden=read.hidden, missing=read.missing)


def _article(library: Library, id: str) -> Article:
    document = library.get(id)
    if document is None:
        raise NotFoundError(say("there is no document {id!r}", id=id), cure=say("see `whorl library list`"))
    demand_texts(library)
    return Article(document.url or document.id, document.text, id=document.id)


def demand_writable(report: Path | None, table: Path | None, inputs: Sequence[str]) -> None:
    """Refuse places where a report and a table are to be written, before any work is done for them.

    Args:
        report: a page or a PDF; None for none.
        table: what ``TABLES`` names; None for none.
        inputs: what is read.

    Raises:
        UsageError: something else is there, there is no folder, or the name of a table ends with no kind of table.
    """
    for path in filter(None, (report, table)):
        demand_free(path, kind_of(path), inputs)
    if table is not None and table.suffix.lower() not in TABLES:
        raise UsageError(
            say("{path} is no name of a table", path=table),
            cure=say("let it end with {suffixes}", suffixes=", ".join(TABLES)),
        )
    if report is not None and report.suffix.lower() in TABLES:
        raise UsageError(
            say("{path} is the name of a table", path=report),
            cure=say("give it as `table`, or let it end with .pdf or .html"),
        )


def _demand_one_stdin(given: Sequence[str]) -> None:
    if given.count("-") > 1:
        raise UsageError(say("stdin can be only one of the texts"), cure=say("put the others in files"))


def _options(recipe: Recipe, boilerplate: Places, learn: Places, **given: Any) -> dict[str, Any]:
    """The options of a comparison: those of the recipe, and over them what is not None."""
    given["exclude"] = strings(given["exclude"])
    options = dict(recipe.compare) | {name: value for name, value in given.items() if value is not None}
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
