"""Learn the boilerplate of a corpus as a list that a person reviews."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.inside.learning import learn_files
from whorl.inside.search import Strip
from whorl.tasks.corpus_input import CorpusInput
from whorl.tasks.library.arguments import Place, Places, Texts

if TYPE_CHECKING:
    from whorl.tasks import Progress

_SUFFIXES = (".csv", ".jsonl")


@frozen
class LearnedBoilerplate:
    """A list of boilerplate for review.

    >>> import whorl
    >>> learned = whorl.learn_boilerplate_files("examples/newsroom/articles.jsonl", "boilerplate.csv", repeats=2)
    >>> learned.run["counts"]["rows"]
    91

    Attributes:
        path: the list.
        run: settings and counts.
    """

    path: Path
    run: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data for JSON."""
        return dict(self.run)


def learn_boilerplate_files(
    inputs: Places,
    out: Place,
    *,
    inside: str | None = None,
    text: Texts | None = None,
    id: str | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    on_error: Literal["auto", "skip", "stop"] = "auto",
    least: int | str | None = None,
    repeats: int = 3,
    per: str | None = None,
    by: str | None = None,
    workers: int | None = None,
    command: str = "whorl.learn_boilerplate_files(...)",
    progress: Progress | None = None,
) -> LearnedBoilerplate:
    """List the text that many documents of a site have, for a person to review. Nothing is removed.

    The list has a row for each text of each site: ``decision``, which is empty; ``site``; ``documents``, the number of
    its documents with the text; ``share`` of its documents; ``sites``, on how many sites the text was found;
    ``occurrences``; ``text``; ``unit``; ``examples``, ids of up to three documents. Write ``cut`` in the column
    ``decision`` of text to remove, and name the list as ``approved`` of ``strip_files`` or ``strip``.

    >>> import whorl
    >>> learned = whorl.learn_boilerplate_files("examples/newsroom/articles.jsonl", "learned.csv", per="source")
    >>> learned.path.name
    'learned.csv'

    Args:
        inputs: files, folders and globs; ``-`` is JSON Lines on standard input.
        out: the list, a new file that ends with ``.csv`` or ``.jsonl``.
        inside: what is searched for: "lines", "sentences", "paragraphs" or "passages"; None is lines.
        text: the columns that make up the text.
        id: the column of document ids.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        on_error: "skip" counts bad rows and continues, "stop" raises at the first; "auto" skips unless no file can be
            read.
        least: minimum length in letters, where a character of a script written without spaces counts as three, or in
            tokens: ``"20 tokens"``. Default 6 letters, for passages 60.
        repeats: minimum number of documents of a site with a text.
        per: the column of sites, each of which is searched on its own; an address counts as its host. None searches all
            documents together.
        by: without ``per``, a column of sites to count.
        workers: threads of this call, and processes that parse files; None uses all cores.
        command: the command line, for the record.
        progress: receives the progress.

    Raises:
        UsageError: the arguments contradict each other, or ``out`` exists or has another suffix.
        InputError: a file cannot be read as requested.
        ResourceError: the disk is full or not writable.
    """
    corpus = CorpusInput(inputs, text, id, None, encoding, include, exclude, on_error, workers, command)
    return learn_boilerplate(corpus, out, Strip.to_learn(inside, least, repeats, per, by), progress=progress)


def learn_boilerplate(
    corpus: CorpusInput, out: Place, strip: Strip, *, progress: Progress | None = None
) -> LearnedBoilerplate:
    """List the boilerplate of a corpus; ``learn_boilerplate_files`` with its arguments as objects."""
    path = Path(out)
    _demand_new(path, str(out))
    job = corpus.job(out, path.with_name(f".{path.name}.learning"), "first")
    return LearnedBoilerplate(path, learn_files(job, strip, path, progress))


def _demand_new(path: Path, name: str) -> None:
    """Refuse a list that exists: its decisions would be lost."""
    if "://" in name:
        raise UsageError(say("cannot write to {url}", url=name), hint=say("choose a local file"))
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(
            say("{path} is neither a .csv nor a .jsonl file", path=path),
            hint=say("name the list with -o, such as boilerplate.csv"),
        )
    if path.exists():
        raise UsageError(
            say("{path} already exists", path=path),
            hint=say("choose a new file, so that no decisions are lost"),
        )
    if not path.parent.is_dir():
        raise UsageError(
            say("the folder {path} does not exist", path=path.parent), hint=say("create it, or choose another path")
        )


__all__ = ["LearnedBoilerplate", "learn_boilerplate", "learn_boilerplate_files"]
