"""Immutable result types of a cohort: the manuscripts of a class, a journal issue or a call for tenders."""

from __future__ import annotations

from whorl._internal.frozen import frozen
from whorl.types.comparison import Plain, Ratios


@frozen
class Manuscript(Plain):
    """A text of a cohort, or one that it was compared with.

    >>> from whorl.results import Manuscript
    >>> Manuscript("20230001.docx", "渔港冰厂的经营").kind
    'manuscript'

    Attributes:
        name: its file below the folder, with ``:ROW`` for files with several rows; or its id in a library.
        title: its title: from its file, its cover or its first line; else its file name.
        author: its author, if the cover or a column names one.
        kind: "manuscript", "source" or "earlier".
        characters: length of the text in code points.
        digest: SHA-256 of the text, in hexadecimal.
        problem: why it cannot be read, or what its file lacks; usually empty.
    """

    name: str
    title: str
    author: str = ""
    kind: str = "manuscript"
    characters: int = 0
    digest: str = ""
    problem: str = ""


@frozen
class SectionShare(Plain):
    """Copied share of a chapter of a manuscript.

    >>> from whorl.results import SectionShare
    >>> SectionShare("第一章 渔港", characters=1200, copied=0.3).copied
    0.3

    Attributes:
        title: its heading; empty before the first heading, and for pieces of a text without headings.
        characters: its length without what is excluded.
        copied: its copied share. The copied characters of all chapters are those of the manuscript; where a passage was
            edited, they are spread evenly over it.
    """

    title: str
    characters: int
    copied: float


@frozen
class Examination(Plain):
    """Result for one manuscript.

    >>> from whorl.results import Examination, Manuscript, Ratios
    >>> Examination(Manuscript("a.docx", "渔港"), Ratios(0.3, 0.0, 0.2, 0.3, 0.3), quoted=0.1).ratios.copied
    0.3

    Attributes:
        manuscript: the manuscript.
        ratios: its copied shares, of its characters without cover, declarations, table of contents, references and
            boilerplate. ``copied`` is the union over all sources.
        quoted: copied share in quotations that name a source.
        top_source: name of the source with the largest share, compared alone; None without a source.
        top_title: title of that source.
        sources: number of sources with a passage.
        passages: number of passages, each stretch counted once.
        relation: relation to the largest source, or "compilation".
        excluded: excluded characters by reason: "cover", "declaration", "contents", "references", "boilerplate".
        report: path of its report below the output folder; empty without one.
        sections: copied shares by chapter, if asked for.
    """

    manuscript: Manuscript
    ratios: Ratios
    quoted: float = 0.0
    top_source: str | None = None
    top_title: str = ""
    sources: int = 0
    passages: int = 0
    relation: str = "unrelated"
    excluded: tuple[tuple[str, int], ...] = ()
    report: str = ""
    sections: tuple[SectionShare, ...] = ()


@frozen
class CohortPair(Plain):
    """Two texts with common passages.

    >>> from whorl.results import CohortPair
    >>> pair = CohortPair("a", "渔港", "b", "冰厂", "manuscript", 0.4, 0.1, "partial", 2, 80, "渔港的冰厂……")
    >>> pair.copied > pair.copied_back
    True

    The text that has the larger share of the other is ``text``.

    Attributes:
        text: name of the manuscript.
        text_title: its title.
        source: name of the other text.
        source_title: its title.
        source_kind: "manuscript", "source" or "earlier".
        copied: share of ``text`` that was copied from ``source``, compared alone.
        copied_back: the same share in the other direction; None unless both are manuscripts.
        relation: relation of ``text`` to ``source``.
        passages: number of passages.
        matched: number of equal folded code points in them.
        longest: beginning of the longest passage.
        documents: largest number of texts that contain the longest passage, this pair included.
        same_content: share of ``text`` that has the same content as ``source`` in other words or in another language,
            compared alone; never a part of ``copied``. 0 unless ``meaning`` was requested.
    """

    text: str
    text_title: str
    source: str
    source_title: str
    source_kind: str
    copied: float
    copied_back: float | None
    relation: str
    passages: int
    matched: int
    longest: str
    documents: int = 2
    same_content: float = 0.0


@frozen
class CohortForm(Plain):
    """A stretch of text that too many manuscripts contain to be copied: the form.

    >>> from whorl.results import CohortForm
    >>> CohortForm("本文格式依照统一要求编排。", "a.docx", manuscripts=30, share=1.0).share
    1.0

    Attributes:
        text: the stretch in the first manuscript that contains it.
        first: name of that manuscript.
        manuscripts: number of manuscripts that contain all of it.
        share: their share of all manuscripts.
    """

    text: str
    first: str
    manuscripts: int
    share: float


@frozen
class Cohort(Plain):
    """Comparison of all manuscripts of a class with each other, with earlier ones and with sources.

    >>> from whorl.results import Cohort
    >>> Cohort((), (), (), (), (), examined=0, min_length=13, out="checked").pairs
    ()

    Attributes:
        examinations: the results by manuscript, the largest copied share first.
        pairs: pairs with a passage, the strongest first.
        forms: learned boilerplate.
        unreadable: manuscripts that cannot be read, with the reasons.
        compared: number of texts by kind.
        examined: number of manuscripts that this run examined; the others are unchanged.
        min_length: minimum length of a passage: Han characters, or a third of the letters.
        out: the output folder.
    """

    examinations: tuple[Examination, ...]
    pairs: tuple[CohortPair, ...]
    forms: tuple[CohortForm, ...]
    unreadable: tuple[Manuscript, ...]
    compared: tuple[tuple[str, int], ...]
    examined: int
    min_length: int
    out: str


__all__ = ["Cohort", "CohortForm", "CohortPair", "Examination", "Manuscript", "SectionShare"]
