"""Compare all manuscripts of a class with each other, with earlier ones and with sources.

The steps: read what is new; nominate pairs that share a passage; compare these; write tables, pages and reports. A
rerun into the same folder reads and compares only what changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from os import PathLike, fspath
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from whorl._internal.frozen import frozen
from whorl.corpus import Columns, Rejection, Source
from whorl.engines.sources import read_texts
from whorl.errors import InputError, UsageError
from whorl.i18n import Language, as_message, say, translated
from whorl.matching.boilerplate import Notices
from whorl.matching.compare import Comparing
from whorl.matching.crosswise import nominate_pairs
from whorl.matching.rewritten import find_rewritten
from whorl.recipe import Recipe, recipe_of
from whorl.reports.naming import file_name
from whorl.tasks.cohort.examining import Texts, examine
from whorl.tasks.cohort.manuscripts import bounded, files_in, ids_of, read_library, read_manuscripts, stamp_of
from whorl.tasks.cohort.outputs import PageSettings, cohort_of, write_outputs, write_pdf
from whorl.tasks.cohort.state import CohortState, Record, demand_own, load, save, store_texts, texts_of
from whorl.tasks.compare.articles import place_label
from whorl.tasks.library.arguments import Place, Places, demand_from, demand_part, places, reading, strings
from whorl.tasks.library.arguments import Texts as Strings
from whorl.types.cohort import Cohort

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.library import Library
    from whorl.matching.meaning import Encoder, Model
    from whorl.tasks import Progress

MIN_LENGTH = 13
"""Default minimum length of a passage in Han characters; 39 letters in other scripts."""
FORM_SHARE = 0.2
"""Text that a larger share of the manuscripts contains is the form, not copied."""
FORM_MANUSCRIPTS = 20
"""Text in this many manuscripts or fewer is never the form."""
RELEARN = 1.1
"""Forms are learned again when the class has grown by more than this factor."""
_MANUSCRIPT, _SOURCE, _EARLIER = "manuscript", "source", "earlier"


@frozen
class _Inputs:
    folder: str
    sources: tuple[str, ...]
    earlier: Library | Place | None
    recipe: Recipe
    template: str
    untrusted: bool


def cohort(
    folder: Place,
    out: Place,
    *,
    earlier: Library | Place | None = None,
    sources: Places = (),
    boilerplate: Places = (),
    least: int = MIN_LENGTH,
    form_share: float = FORM_SHARE,
    exclude: Strings = (),
    by: Literal["heading"] | None = None,
    reworded: bool = False,
    meaning: Model = False,
    reports: bool = True,
    pdf: bool = False,
    title: str = "",
    examiner: str = "",
    language: Language | None = None,
    text: Strings | None = None,
    encoding: str | None = None,
    ocr: bool | None = None,
    recipe: Recipe | Place | None = None,
    command: str = "",
    untrusted: bool = False,
    progress: Progress | None = None,
) -> Cohort:
    """Compare all manuscripts of a folder with each other, with earlier ones and with sources.

    >>> import whorl
    >>> from pathlib import Path
    >>> Path("class").mkdir()
    >>> for name in ("林一.txt", "陈二.txt"):
    ...     characters = Path("class", name).write_text("渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。", "utf-8")
    >>> cohort = whorl.cohort("class", "checked")
    >>> [(pair.source, pair.copied, pair.relation) for pair in cohort.pairs]
    [('林一.txt', 1.0, 'exact')]

    Args:
        folder: the manuscripts: DOCX, PDF, ODT, RTF, HTML, TXT ..., or files with a manuscript per row.
        out: the output folder. If it is that of an earlier run with the same options, only new, changed and removed
            files are processed.
        earlier: a library with the manuscripts of earlier years.
        sources: files and folders with possible sources.
        boilerplate: files whose texts are excluded, such as the template of the institution.
        least: minimum length of a passage: Han characters, or a third of the letters in other scripts. At least 8.
        form_share: text that a larger share of the manuscripts contains, and more than 20 of them, is learned as
            boilerplate and excluded. 1 learns nothing.
        exclude: also exclude "quotations". References are always excluded.
        by: "heading" also computes the copied share of each chapter; a text without headings is divided every 10,000
            characters.
        reworded: also find manuscripts that retell a source sentence by sentence, by their rare words, names and
            numbers. Such pairs have the relation ``reworded``; they do not count as copied.
        meaning: the same, and compare manuscripts with these texts by the vectors of sentences, to find the same
            content in other words or another language: True with the model of the extra ``meaning``, or the path of a
            folder with a model. A run with another model compares everything again.
        reports: also write a report for each manuscript.
        pdf: also write one PDF with the class table, the pairs and a sheet for each manuscript.
        title: title of the class on the pages.
        examiner: name of the examiner on the pages.
        language: initial language of the pages; None is the current language.
        text: the columns that make up a text, for files with rows.
        encoding: encoding of text files; None detects it.
        ocr: recognize the text of scanned pages and pictures; needs the extra ``ocr``.
        recipe: further settings for reading.
        command: the command line, shown on the pages.
        untrusted: the files come from another user: each is read in another process with bounded time and memory,
            and files of types that have no such bounds are listed as unreadable.
        progress: receives the progress.

    Returns:
        The results, which are also in ``out``.

    Raises:
        UsageError: an argument is out of range, ``out`` belongs to something else, or an extra is not installed.
        InputError: an input does not exist, no manuscript can be read, or ``meaning`` is a folder without a model.

    Cost: reading; linear in the texts and their common k-grams; then about a millisecond for each pair with a passage
    and 10,000 characters. With ``meaning``, also about 30 ms of a core for each sentence of texts that have many rare
    words in common and no passage.
    """
    from whorl.tasks import Silent

    place, receiver = Path(out), progress or Silent()
    excluded = _demand_valid(place, least, form_share, exclude)
    if by not in (None, "heading"):
        raise UsageError(say("{name} is {value!r}", name="by", value=by), hint=say("choose: heading"))
    chosen = recipe_of(recipe, text=strings(text), encoding=encoding, ocr=ocr)
    templates = read_texts(places(boilerplate), Columns(chosen.text), reading(chosen)) if boilerplate else []
    encoder = Comparing(meaning=meaning).encoder
    inputs = _Inputs(str(places(folder)[0]), places(sources), earlier, chosen, "\n".join(templates), untrusted)
    options = _options(inputs, templates, excluded) | {
        "least": least,
        "form_share": form_share,
        "reports": reports,
        "by": by,
        "reworded": reworded,
        **({"meaning": encoder.name} if encoder else {}),
    }
    state = load(place, options) or CohortState(options)
    fresh, removed = _update(place, state, inputs, receiver)
    limit = _form_limit(state, inputs, form_share)
    if limit is not None:
        _forget_results(state)
        fresh, removed = set(state.records), set()
    names = (
        file_name(inputs.folder),
        ", ".join(map(file_name, inputs.sources)),
        file_name(place_label(_address_of(earlier))),
    )
    pages = PageSettings(title, examiner, reports, language, command, *names, encoder.name if encoder else "")
    examined = _examine(
        place,
        state,
        pages,
        _CohortRun(fresh, removed, least, limit, excluded, by == "heading", reworded or encoder is not None, encoder),
        receiver,
    )
    result = cohort_of(place, state, least, examined)
    save(place, state)
    write_outputs(place, state, result, pages)
    if pdf:
        # Last, so that all other files are there if it fails.
        write_pdf(place, state, result, pages)
    return result


def _demand_valid(out: Path, min_length: int, form_share: float, exclude: Strings) -> tuple[str, ...]:
    """Refuse invalid arguments; return what is excluded."""
    demand_from("least", min_length, 8)
    demand_part("form_share", form_share)
    demand_own(out)
    excluded = strings(exclude) or ()
    if any(name != "quotations" for name in excluded):
        raise UsageError(say("{name} is {value!r}", name="exclude", value=exclude), hint=say("choose: quotations"))
    return excluded


def _form_limit(state: CohortState, inputs: _Inputs, form_share: float) -> int | None:
    """Return the maximum number of manuscripts with text that is no form; None if this run learns none.

    Raises:
        InputError: there is no manuscript.
    """
    count = sum(record.manuscript.kind == _MANUSCRIPT for record in state.records.values())
    if not count:
        reasons = [reason for rejected in state.rejected.values() for reason in rejected.values()]
        raise InputError(
            say("no manuscript can be read in {folder}", folder=inputs.folder),
            hint=translated(as_message(reasons[0])) if reasons else say("check the folder"),
        )
    if form_share >= 1 or count <= max(FORM_MANUSCRIPTS, RELEARN * state.learned_from):
        return None
    return max(FORM_MANUSCRIPTS, int(form_share * count))


def _forget_results(state: CohortState) -> None:
    """Drop all results before forms are learned from the current manuscripts."""
    state.results, state.pairs, state.passages = {}, state.pairs.slice(0, 0), state.passages.slice(0, 0)
    state.forms, state.runs = [], []
    state.learned_from = sum(record.manuscript.kind == _MANUSCRIPT for record in state.records.values())


@frozen
class _CohortRun:
    fresh: set[str]
    removed: set[str]
    min_length: int
    limit: int | None
    exclude: tuple[str, ...]
    by_heading: bool
    reworded: bool
    encoder: Encoder | None


def _options(inputs: _Inputs, templates: Sequence[str], exclude: Sequence[str]) -> dict[str, Any]:
    """Return the options on which the results depend."""
    from whorl.reports.comparison.summary import versions

    return {
        "folder": realpath(inputs.folder),
        "sources": [realpath(place) for place in inputs.sources],
        "earlier": _address_of(inputs.earlier),
        "boilerplate": [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in templates],
        "exclude": list(exclude),
        "text": list(inputs.recipe.text),
        "encoding": inputs.recipe.encoding,
        **({"ocr": True} if inputs.recipe.ocr else {}),
        "versions": versions(),
    }


def _address_of(library: Library | Place | None) -> str:
    """Return the address of a library; empty without one."""
    if library is None or isinstance(library, str | PathLike):
        return fspath(library or "")
    return library.candidates().address


def _update(out: Path, state: CohortState, inputs: _Inputs, progress: Progress) -> tuple[set[str], set[str]]:
    """Read new and changed texts, and return the keys of these and of those that are gone."""
    before = set(state.records)
    changed: set[str] = set()
    for kind, folders in ((_MANUSCRIPT, (inputs.folder,)), (_SOURCE, inputs.sources)):
        if folders:
            changed |= _update_files(out, state, kind, folders, inputs, progress)
    if inputs.earlier is not None:
        changed |= _update_library(out, state, inputs.earlier, inputs, progress)
    after = set(state.records)
    return changed & after, (before - after) | (changed & before)


def _update_files(
    out: Path, state: CohortState, kind: str, folders: Sequence[str], inputs: _Inputs, progress: Progress
) -> set[str]:
    sources = files_in(folders, Path(realpath(out)))
    stamps = {name: stamp_of(source, state.files.get(f"{kind}:{name}")) for name, source in sources.items()}
    new: list[Source] = []
    stale: set[str] = set()
    for name, source in sources.items():
        before, stamp = state.files.get(f"{kind}:{name}"), stamps[name]
        if before is None or stamp is None or before.digest != stamp.digest:
            new.append(source)
            stale.add(name)
    removed = {key.partition(":")[2] for key in state.files if key.startswith(f"{kind}:")} - set(sources)
    touched = _forget(state, kind, stale | removed)
    for name, stamp in stamps.items():
        if stamp is not None:
            state.files[f"{kind}:{name}"] = stamp
    if new:
        progress.stage("read", len(new), "documents")
        rejected: list[Rejection] = []
        if inputs.untrusted:
            new = list(bounded(new, rejected))
        records = store_texts(
            out, state, kind, read_manuscripts(new, inputs.recipe, rejected, progress), inputs.template
        )
        for rejection in rejected:
            row = "" if rejection.row in (None, 1) else f":{rejection.row}"
            state.rejected.setdefault(f"{kind}:{rejection.file}", {})[f"{rejection.file}{row}"] = rejection.reason
        touched |= {record.key for record in records}
    return touched


def _forget(state: CohortState, kind: str, files: set[str]) -> set[str]:
    """Remove the records of some files, and return their keys."""
    keys = {key for key, record in state.records.items() if record.manuscript.kind == kind and record.file in files}
    for key in keys:
        del state.records[key]
    for name in files:
        state.files.pop(f"{kind}:{name}", None)
        state.rejected.pop(f"{kind}:{name}", None)
    return keys


def _update_library(
    out: Path, state: CohortState, earlier: Library | Place, inputs: _Inputs, progress: Progress
) -> set[str]:
    library: Any = earlier if not isinstance(earlier, Path) else str(earlier)
    ids = ids_of(library)
    keys = {record.manuscript.name: key for key, record in state.records.items() if key.startswith(f"{_EARLIER}:")}
    removed = {keys[id_] for id_ in keys.keys() - set(ids)}
    for key in removed:
        del state.records[key]
    new = [id_ for id_ in ids if id_ not in keys]
    if not new:
        return removed
    progress.stage("read", len(new), "documents")
    records = store_texts(out, state, _EARLIER, read_library(library, new, progress), inputs.template)
    return removed | {record.key for record in records}


def _examine(out: Path, state: CohortState, pages: PageSettings, run: _CohortRun, progress: Progress) -> int:
    """Find the pairs of the fresh texts, and compare all manuscripts that these touch; return their number."""
    order = {_MANUSCRIPT: 0, _SOURCE: 1, _EARLIER: 2}
    records = sorted(
        state.records.values(), key=lambda record: (order[record.manuscript.kind], record.segment, record.row)
    )
    kept_pairs = _kept_sources(state)
    touched = {key for key, names in kept_pairs.items() if names & run.removed or key in run.fresh}
    if not run.fresh and not run.removed:
        return 0
    texts = Texts.of(texts_of(out, records), records)
    notices = Notices(state.runs)
    fresh = [record.key in run.fresh for record in records]
    pairs: NDArray[np.uint32] = np.empty((0, 2), np.uint32)
    if any(fresh):
        progress.stage("group", None, "documents")
        nominations = nominate_pairs(
            texts.column, fresh, min_length=run.min_length, excluded=texts.excluded, notices=notices, limit=run.limit
        )
        pairs = nominations.pairs
        if run.reworded:
            rewritten = find_rewritten(texts.column, np.arange(len(records), dtype=np.uint32))
            is_fresh = np.array(fresh)[rewritten].any(axis=1)
            pairs = np.unique(np.concatenate([pairs, rewritten[is_fresh]]), axis=0)
        if run.limit is not None:
            notices = nominations.notices
            state.runs = notices.runs
            state.forms = [
                (texts.slice(form.text, form.start, form.end), records[form.text].manuscript.name, form.documents)
                for form in nominations.forms
            ]
    sources = _sources_by_text(records, pairs, kept_pairs, run)
    jobs = []
    for number, record in enumerate(records):
        if record.manuscript.kind != _MANUSCRIPT:
            continue
        if record.key in run.fresh or number in sources.changed or record.key in touched:
            jobs.append((number, sorted(sources.of[number])))
    progress.stage("compare", len(jobs), "documents")
    examine(
        out,
        state,
        records,
        texts,
        jobs,
        notices,
        pages,
        run.min_length,
        run.exclude,
        run.by_heading,
        run.reworded,
        run.encoder,
        progress,
    )
    return len(jobs)


def _kept_sources(state: CohortState) -> dict[str, set[str]]:
    """Return the sources that each manuscript was compared with and shares passages with, by key."""
    kept: dict[str, set[str]] = {}
    for text, source in zip(state.pairs["text"].to_pylist(), state.pairs["source"].to_pylist(), strict=True):
        kept.setdefault(text, set()).add(source)
    return kept


@frozen
class _Sources:
    of: list[set[int]]
    changed: set[int]


def _sources_by_text(
    records: Sequence[Record], pairs: NDArray[np.uint32], kept: dict[str, set[str]], run: _CohortRun
) -> _Sources:
    """Return the possible sources of each text, and the texts with new ones."""
    numbers = {record.key: number for number, record in enumerate(records)}
    of: list[set[int]] = [set() for _ in records]
    for key, sources in kept.items():
        if key in numbers and key not in run.fresh:
            of[numbers[key]] |= {numbers[source] for source in sources if source in numbers}
    changed: set[int] = set()
    for a, b in pairs.tolist():
        of[a].add(b)
        of[b].add(a)
        changed.update((a, b))
    return _Sources(of, changed)


__all__ = ["FORM_MANUSCRIPTS", "FORM_SHARE", "MIN_LENGTH", "cohort"]
