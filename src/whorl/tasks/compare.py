"""What one text has from another, or from many, with what the texts are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from whorl.cards import card
from whorl.corpus import Columns
from whorl.engines.sources import Search, find_candidates, read_texts
from whorl.errors import UsageError
from whorl.language import Language, say, say_many
from whorl.matching.boilerplate import learn_boilerplate
from whorl.matching.compare import compare, compare_sources
from whorl.model import Comparison, Composition, percent
from whorl.recipe import Recipe, recipe_of
from whorl.reports.comparison import Article, as_data
from whorl.tasks.arguments import Place, Places, Texts, places, reading, strings
from whorl.tasks.articles import place_of, read_article

if TYPE_CHECKING:
    from whorl.tasks import Progress

MOST_SOURCES = 1000
"""How many sources a text is compared with where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What a text has from its sources.

    Attributes:
        found: passages, shares and kinds: a ``Comparison`` with one source, a ``Composition`` of many.
        text: the text that was examined.
        sources: what it was compared with.
        left_out: further sources, which share less with the text, and were not compared.
        rejected: further sources that could not be read.
    """

    found: Comparison | Composition
    text: Article
    sources: tuple[Article, ...]
    left_out: int = 0
    rejected: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON: what was found, and of which texts, by which versions."""
        return as_data(self.found, self.text, self.sources, left_out=self.left_out, rejected=self.rejected)

    def _repr_html_(self) -> str:
        if isinstance(self.found, Comparison):
            return self.found._repr_html_()
        facts = [(name, percent(share)) for name, share in asdict(self.found.ratios).items()]
        giving = sorted(zip(self.found.shares, self.sources, strict=True), key=lambda own: own[0], reverse=True)
        rows = [(percent(share), source.name) for share, source in giving if share]
        return card(str(self.found), facts, columns=("", "来源 source"), rows=rows, count=len(rows))


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
    >>> compared.found.kind, compared.text.name == f"{news}:2"
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
    source, examined = (Article(place, read_article(place, chosen)) for place in (a, b))
    return Compared(compare(source.text, examined.text, **options), examined, (source,))


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
    progress: Progress | None = None,
) -> Compared:
    """Say of an article in a file what ``whorl.compare_sources`` says of a text: what it has from each of many.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> compared = whorl.compare_against(news, f"{news}:1")
    >>> len(compared.sources)
    90

    Args:
        against: files, folders and globs whose texts it may have been copied from; may be empty where ``authorised``
            is not.
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
    examined = Article(b, read_article(b, chosen))
    search = Search(given, own, Columns(chosen.text), reading(chosen), most, place_of(b))
    found = find_candidates(examined.text, search, progress)
    if progress is not None and found.rejected:
        progress.note(say_many("{count:,} row cannot be read", "{count:,} rows cannot be read", found.rejected))
    if progress is not None and found.itself:
        progress.note(say("{path} is among its sources and is left out of them", path=b))
    sources = tuple(Article(one.name, one.text, one.authorised) for one in found.chosen)
    leave = [number for number, source in enumerate(sources) if source.authorised]
    composed = compare_sources([source.text for source in sources], examined.text, authorised=leave, **options)
    return Compared(composed, examined, sources, found.left_out, found.rejected)


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


__all__ = ["MOST_SOURCES", "Article", "Compared", "Comparison", "Composition", "compare_against", "compare_files"]
