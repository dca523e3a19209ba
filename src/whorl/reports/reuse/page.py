"""The page of a search for text reuse: clusters, heat map, network, pairs side by side, and method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.i18n import LANGUAGES, Language, Message, say, say_many
from whorl.reports.comparison.passages import View, view
from whorl.reports.comparison.wording import RELATIONS
from whorl.reports.naming import without_folders
from whorl.reports.reuse.drawing import CELL, HEIGHT, LABEL, WIDTH, heat_map, network

if TYPE_CHECKING:
    from whorl.types.comparison import Passage
    from whorl.types.reuse import Reuse

MAX_PAIRS = 12
"""Number of pairs that are shown side by side."""
_CLUSTERS, _WITNESSES, _PAIRS = 50, 20, 100
_VIEW_CHARACTERS = 3000


@frozen
class ShownReuse:
    """A pair with its texts.

    Attributes:
        a_id: id of the earlier document.
        b_id: id of the later document.
        a: text of the earlier document.
        b: text of the later document.
        passages: their passages, in the order of the later one.
        matched: number of equal characters in them.
    """

    a_id: str
    b_id: str
    a: str
    b: str
    passages: tuple[Passage, ...]
    matched: int

    @property
    def view(self) -> View:
        """Both texts side by side."""
        return view([self.a], self.b, self.passages, _VIEW_CHARACTERS)


def render_reuse(
    result: Reuse,
    strongest: Sequence[ShownReuse],
    *,
    title: str = "",
    language: Language | None = None,
    command: str = "",
) -> str:
    """Render the page as one self-contained bilingual HTML page.

    Args:
        result: the result.
        strongest: the pairs to show side by side.
        title: title of the page.
        language: initial language of the page; None is the current language.
        command: the command line, shown without the folders of absolute paths.
    """
    from whorl.reports.html import render, spans

    run = result.run
    methods = run["methods"]
    return render(
        "reuse.html.j2",
        language,
        title=title or say("Text reuse"),
        headline=headline(run),
        figures=_figures(run),
        counts=run["counts"],
        chance=run["chance"],
        settings=run["settings"],
        clusters=_clusters(result),
        more_clusters=max(0, result.clusters.num_rows - _CLUSTERS),
        pairs=result.pairs.slice(0, _PAIRS).to_pylist(),
        more_pairs=max(0, result.pairs.num_rows - _PAIRS),
        heat=heat_map(result.graph),
        net=network(result.graph),
        cell=CELL,
        label_length=LABEL,
        width=WIDTH,
        height=HEIGHT,
        strongest=strongest,
        titles=titles_of(result),
        relations=RELATIONS,
        methods=spans({code: methods[code] for code in LANGUAGES}),
        inputs=run["inputs"],
        rejected=run["rejected"],
        digest=run["digest"],
        command="whorl reuse",
        run=without_folders(command),
        versions=run["versions"],
        version=run["versions"]["whorl"],
    )


def headline(run: Any) -> Message:
    """Return the counts in a sentence."""
    counts = run["counts"]
    return say_many(
        "{count:,} passage in {pairs:,} pairs of {documents:,} documents",
        "{count:,} passages in {pairs:,} pairs of {documents:,} documents",
        counts["passages"],
        pairs=counts["pairs"],
        documents=counts["documents"],
    )


def _figures(run: Any) -> list[tuple[Message, str]]:
    counts, chance = run["counts"], run["chance"]
    expected = "–" if chance is None else f"{chance['expected']:.2g}"
    return [
        (say("passages"), f"{counts['passages']:,}"),
        (say("pairs of documents"), f"{counts['pairs']:,}"),
        (say("clusters of passages"), f"{counts['clusters']:,}"),
        (say("hot clusters"), f"{counts['hot_clusters']:,}"),
        *(
            [(say("pairs with the same content in other words"), f"{counts['same_content']:,}")]
            if counts["same_content"] is not None
            else []
        ),
        (say("expected by chance"), expected),
    ]


def titles_of(result: Reuse) -> dict[str, str]:
    """Return the titles of documents by id; those without one are missing."""
    ids, titles = result.documents["id"].to_pylist(), result.documents["title"].to_pylist()
    return {id_: title for id_, title in zip(ids, titles, strict=True) if title}


def _clusters(result: Reuse) -> list[dict[str, Any]]:
    """Return the largest clusters with their first witnesses."""
    import pyarrow.compute as pc

    rows: list[dict[str, Any]] = result.clusters.slice(0, _CLUSTERS).to_pylist()
    for row in rows:
        witnesses = result.witnesses.filter(pc.equal(result.witnesses["cluster"], row["cluster"]))
        row["witnesses"] = witnesses.slice(0, _WITNESSES).to_pylist()
        row["more"] = max(0, len(witnesses) - _WITNESSES)
    return rows


__all__ = ["MAX_PAIRS", "ShownReuse", "headline", "render_reuse", "titles_of"]
