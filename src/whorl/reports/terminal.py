"""Rich renderables of a run and of a pair for the command line, legible with and without color.

Shared passages are underlined as well as colored, so that they survive NO_COLOR and a pasted log. Texts are never
parsed as Rich markup, and characters that move the cursor or reorder a line are shown by name.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from whorl._internal.visible_text import runs, visible
from whorl.i18n import Message, say, say_many, translated
from whorl.reports.comparison.passages import Piece, View, view
from whorl.reports.comparison.summary import Article, SourcePart, left_out_of, parts_of, tricks
from whorl.reports.comparison.wording import EXCLUSIONS, FLAGS, PASSAGES, RELATIONS, describe, labelled
from whorl.reports.evidence import KeptArticle, Pair, Side
from whorl.reports.figures import Counts, keeping, percent, sentence
from whorl.reports.run_summary import outcomes, results
from whorl.reports.tables import Spoken, message_text, new_grid, new_table
from whorl.types.comparison import Comparison, Composition, Passage

_MAX_CHARACTERS = 2_400
_BAR_WIDTH = 30
_HIDDEN = "bold red"
_SAME = (
    "khaki1",
    "dark_slate_gray1",
    "plum2",
    "dark_sea_green2",
    "light_pink1",
    "light_sky_blue1",
    "light_salmon1",
    "grey78",
)
_STYLES = {
    "form": "",
    "homophones": "bold red",
    "replaced": "bold red",
    "inserted": "bold green",
    "deleted": "bold red strike",
}
_MARKS = {"homophones": "[{}]", "replaced": "[{}]", "inserted": "{+{}+}", "deleted": "[-{}-]"}
_COLOURS = {"kept": "cyan", "exact": "red", "near": "yellow", "rejected": "bright_black"}


def summary(run: Mapping[str, Any]) -> RenderableType:
    """Return a panel with the figures of a run and the paths of its results.

    Args:
        run: content of `run.json`; any key may be missing.
    """
    counts = Counts.of(run)
    blocks: list[RenderableType] = [message_text(sentence(run), "bold"), Text(), _count_table(run, counts)]
    remarks = list(keeping(run, hints=False))
    if remarks:
        blocks += [Text(), *(Text(visible(translated(remark)), "dim") for remark in remarks)]
    table = _result_table(run)
    if table.row_count:
        blocks += [Text(), table]
    return Panel(
        Group(*blocks), title=Text("whorl dedup"), title_align="left", border_style="dim", padding=(1, 2), expand=False
    )


def side_by_side(pair: Pair, width: int, *, plain: bool = False) -> RenderableType:
    """Return the kept and the removed article in two columns, with shared passages side by side.

    Args:
        pair: the two articles and the deciding score.
        width: total width of both columns in terminal cells.
        plain: mark changes by signs instead of colors, as in `comparison`.

    Long articles are shortened; `… 1,234 …` counts the omitted characters.
    """
    table = _columns(*_headings(pair), width)
    table.title = Text(f"{pair.similarity:.3f} {visible(pair.measure)}\n{describe(pair.comparison)}", style="bold")
    if pair.keep:
        table.title.append("\n").append(message_text(say("rule of the kept copy: {rule}", rule=visible(pair.keep))))
    _add_rows(
        table, view([pair.kept.text], pair.removed.text, pair.passages, _MAX_CHARACTERS), plain=plain, numbered=False
    )
    return table


def removed_table(kept: KeptArticle) -> RenderableType:
    """Return a heading and a table of the articles removed in favor of a kept one."""
    place = f"{kept.file}:{kept.row}"
    name = kept.id if kept.id == place else f"{kept.id} — {place}"
    count = say_many(
        "{count:,} article was removed for it", "{count:,} articles were removed for it", len(kept.removed)
    )
    heading = Text(f"{visible(name)}  {translated(count)}", style="bold")
    if not kept.removed:
        return heading
    table = new_table()
    for column in (say("article"), say("file"), say("row"), say("relation"), say("similarity")):
        table.add_column(column, overflow="fold")
    for article in kept.removed:
        named = (Text(visible(value)) for value in (article.id, article.file))
        relation = RELATIONS.get(article.relation, article.relation)
        table.add_row(*named, f"{article.row:,}", relation, percent(article.similarity, 1))
    return Group(heading, table)


def comparison(
    result: Comparison | Composition, text: Article, sources: Sequence[Article], width: int, *, plain: bool
) -> RenderableType:
    """Return a comparison as a sentence, figures, and the passages in two columns.

    Args:
        result: result of the comparison.
        text: the examined text.
        sources: the texts it was compared with.
        width: width in terminal cells.
        plain: mark changes by signs instead of colors, for files and pipes: ``[replaced]``, ``{+inserted+}``,
            ``[-deleted-]``.
    """
    parts = parts_of(result, sources)
    blocks: list[RenderableType] = [Text(str(result), style="bold"), Text(), _figures(result, text, parts)]
    if result.passages:
        source_heading = message_text(say("sources") if len(sources) > 1 else say("source"))
        source_heading.append(f"\n{visible(sources[0].name)}" if len(sources) == 1 else "")
        table = _columns(source_heading, message_text(say("text")).append(f"\n{visible(text.name)}"), width)
        page_view = view([source.text for source in sources], text.text, result.passages, _MAX_CHARACTERS)
        _add_rows(table, page_view, plain=plain, numbered=len(sources) > 1)
        blocks.append(table)
    return Group(*blocks)


def _figures(result: Comparison | Composition, text: Article, parts: Sequence[SourcePart]) -> Spoken:
    table = new_grid()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    for label, ratio in labelled(result.ratios):
        table.add_row(percent(ratio, 1), label)
    if isinstance(result, Comparison):
        table.add_row(f"{result.similarity:.4f}", say("similarity"))
    table.add_row("", RELATIONS.get(result.relation, result.relation))
    for contribution in parts if isinstance(result, Composition) else ():
        table.add_row(percent(contribution.share, 1), message_text(_source(contribution)))
    for kind, article, count in tricks(parts, text):
        flag = say("{flag}: {name}", flag=FLAGS.get(kind, kind), name=visible(article.name))
        table.add_row(f"{count:,}", message_text(flag))
    for exclusion in left_out_of(parts):
        left_out = say_many(
            "left out: {reason}, {count:,} passage",
            "left out: {reason}, {count:,} passages",
            exclusion.passages,
            reason=EXCLUSIONS.get(exclusion.reason, exclusion.reason),
        )
        table.add_row(f"{exclusion.characters:,}", left_out)
    return table


def _source(part: SourcePart) -> Message:
    number, name = part.number + 1, visible(part.source.name)
    if part.source.authorised:
        return say("source {number} {name}, own or authorised", number=number, name=name)
    return say("source {number} {name}", number=number, name=name)


def _columns(source_heading: Text, text_heading: Text, width: int) -> Spoken:
    table = Spoken(box=SIMPLE_HEAD, width=width, pad_edge=False, title_justify="left")
    table.add_column(source_heading, ratio=1, overflow="fold")
    table.add_column(text_heading, ratio=1, overflow="fold")
    return table


def _add_rows(table: Spoken, page_view: View, *, plain: bool, numbered: bool) -> None:
    for row in page_view.rows:
        if row.passage is not None:
            table.add_row(_label(row.number, row.passage, numbered=numbered))
        table.add_row(*(_stretch(pieces, row.tone, plain=plain) for pieces in (row.source, row.text)))
    if page_view.unshown:
        more = say_many("… {count:,} more passage …", "… {count:,} more passages …", page_view.unshown)
        table.add_row("", more)


def _label(number: int, passage: Passage, *, numbered: bool) -> Text:
    parts = [PASSAGES.get(passage.kind, passage.kind)]
    parts += [percent(passage.similarity, 1)] if passage.kind not in ("translated", "meaning") else []
    parts += [say("moved")] if passage.moved else []
    parts += [say("source {number}", number=passage.source + 1)] if numbered else []
    return Text(f"#{number} {' · '.join(map(translated, parts))}", style="dim")


def _count_table(run: Mapping[str, Any], counts: Counts) -> Spoken:
    table = new_grid()
    table.add_column()
    for _ in range(2):
        table.add_column(justify="right")
    table.add_row(say("rows"), f"{counts.rows:,}")
    for name, number, kind in outcomes(run):
        table.add_row(name, f"{number:,}", percent(number, counts.rows), _bar(number, counts.rows, _COLOURS[kind]))
    table.add_row(say("clusters"), f"{counts.clusters:,}")
    return table


def _bar(number: int, whole: int, colour: str) -> Text:
    """Draw a share as a bar; any nonzero share fills at least one cell."""
    cells = max(1, round(_BAR_WIDTH * number / whole)) if number and whole else 0
    return Text("█" * cells, style=colour)


def _result_table(run: Mapping[str, Any]) -> Spoken:
    table = new_grid()
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in results(run):
        table.add_row(*(Text(visible(translated(cell))) for cell in (name, value)))
    return table


def _headings(pair: Pair) -> tuple[Text, Text]:
    """Return both headings with the same number of lines."""
    has_title = bool(pair.kept.title or pair.removed.title)
    return (
        _heading(pair.kept, message_text(say("kept"), "bold cyan"), has_title=has_title),
        _heading(pair.removed, message_text(say("removed"), "bold red"), has_title=has_title),
    )


def _heading(side: Side, heading: Text, *, has_title: bool) -> Text:
    if has_title:
        heading.append(f"\n{visible(side.title or '')}", style="bold default")
    return heading.append(f"\n{visible(side.called)}", style="not bold dim default")


def _stretch(pieces: Iterable[Piece], tone: int, *, plain: bool) -> Text:
    text = Text()
    for piece in pieces:
        if piece.skipped:
            text.append(f" … {piece.skipped:,} … ", style="dim")
        before, _, after = _MARKS.get(piece.change, "{}").partition("{}") if plain else ("", "", "")
        text.append(before)
        for run, hidden in runs(piece.text):
            text.append(f"⟨{run}⟩" if hidden else run, style=_style(piece.change, tone, hidden=hidden))
        text.append(after)
    return text


def _style(change: str, tone: int, *, hidden: bool) -> str:
    if not change:
        return _HIDDEN if hidden else "dim"
    tone_style = f"black on {_SAME[tone - 1]} underline" if change == "same" else _STYLES[change]
    return f"{tone_style} {_HIDDEN}" if hidden else tone_style
