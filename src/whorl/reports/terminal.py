"""What the command line shows of a run and of a pair: Rich renderables that read well with and without colour.

Shared passages are underlined as well as coloured, so that they survive NO_COLOR and a pasted log. Texts are never read
as Rich markup, and characters that could move the cursor or reorder a line are shown by name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from whorl.language import translated
from whorl.model import Comparison, Composition, Passage
from whorl.reports.comparison import Article, Part, exclusion_rows, flag_rows, kind_names, parts_of, ratio_rows, told
from whorl.reports.evidence import Pair
from whorl.reports.figures import Counts, duration, keeping, outputs, part, percent, sentence_en, sentence_zh
from whorl.reports.passages import PASSAGE_KINDS, Piece, View, view
from whorl.visible import runs, visible

_SHOWN = 2_400
_BAR_WIDTH = 30
_HIDDEN = "bold red"
_SAME = ("khaki1", "dark_slate_gray1", "plum2", "dark_sea_green2", "light_pink1", "light_sky_blue1")
_STYLES = {
    "form": "",
    "homophones": "bold red",
    "replaced": "bold red",
    "inserted": "bold green",
    "deleted": "bold red strike",
}
_MARKS = {"homophones": "[{}]", "replaced": "[{}]", "inserted": "{+{}+}", "deleted": "[-{}-]"}
_KINDS = (
    ("kept", "保留", "cyan"),
    ("near", "近似", "yellow"),
    ("exact", "完全相同", "red"),
    ("rejected", "拒读", "bright_black"),
)


def summary(run: Mapping[str, Any]) -> RenderableType:
    """Return a panel with what a run did, in figures and bars, and where its results lie.

    Args:
        run: the content of `run.json`; any key may be missing.
    """
    counts = Counts.of(run)
    blocks: list[RenderableType] = [
        Text(sentence_zh(counts), style="bold"),
        Text(sentence_en(counts), style="dim"),
        Text(),
        _count_table(counts),
    ]
    told = list(keeping(run, hints=False))
    if told:
        blocks += [Text(), *(Text(visible(translated(sentence)), style="dim") for sentence in told)]
    places = _place_table(run)
    if places.row_count:
        blocks += [Text(), places]
    return Panel(
        Group(*blocks), title="whorl dedup", title_align="left", border_style="dim", padding=(1, 2), expand=False
    )


def side_by_side(pair: Pair, width: int, *, plain: bool = False) -> RenderableType:
    """Return the kept and the removed article in two columns, what they share on one height.

    Args:
        pair: the two articles and the figure that decided.
        width: how many cells of the terminal the columns may fill together.
        plain: whether changes are marked by signs instead of colours, as in `comparison`.

    Long articles are cut; `… 1,234 …` counts what is left out.
    """
    left, right = _headings(pair)
    table = _columns(left, right, width)
    heading = f"{pair.similarity:.3f} {visible(pair.measure)}\n{' · '.join(told(pair.found))}"
    table.title = Text(heading, style="bold")
    _add_rows(table, view([pair.kept.text], pair.removed.text, pair.passages, _SHOWN), plain=plain, numbered=False)
    return table


def comparison(
    found: Comparison | Composition, text: Article, sources: Sequence[Article], width: int, *, plain: bool
) -> RenderableType:
    """Return what a comparison says: a sentence, figures, and the passages in two columns.

    Args:
        found: what was found.
        text: the text that was examined.
        sources: what it was compared with.
        width: how many cells of the terminal may be filled.
        plain: whether changes are marked by signs instead of colours, for files and pipes: ``[replaced]``,
            ``{+inserted+}``, ``[-deleted-]``.
    """
    parts = parts_of(found, sources)
    blocks: list[RenderableType] = [Text(str(found), style="bold"), Text(), _figures(found, text, parts)]
    if found.passages:
        heads = [f"来源 · source{'s' if len(sources) > 1 else ''}", f"所查 · text\n{visible(text.name)}"]
        heads[0] += f"\n{visible(sources[0].name)}" if len(sources) == 1 else ""
        table = _columns(Text(heads[0]), Text(heads[1]), width)
        shown = view([source.text for source in sources], text.text, found.passages, _SHOWN)
        _add_rows(table, shown, plain=plain, numbered=len(sources) > 1)
        blocks.append(table)
    return Group(*blocks)


def _figures(found: Comparison | Composition, text: Article, parts: Sequence[Part]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    for zh, en, share in ratio_rows(found.ratios):
        table.add_row(percent(share, 1), f"{zh} · {en}")
    if isinstance(found, Comparison):
        table.add_row(f"{found.similarity:.4f}", "相似度 · similarity")
    table.add_row("", " · ".join(kind_names(found.kind)))
    for one in parts if isinstance(found, Composition) else ():
        leave = " · 本人或已授权 · own or authorised" if one.source.authorised else ""
        table.add_row(percent(one.share, 1), Text(f"来源 · source {one.number + 1} {visible(one.source.name)}{leave}"))
    for zh, en, name, count in flag_rows(parts, text):
        table.add_row(f"{count:,}", Text(f"{zh} · {en}: {visible(name)}"))
    for zh, en, characters, passages in exclusion_rows(parts):
        table.add_row(f"{characters:,}", f"排除 · left out: {zh} · {en}, {passages:,} 段 · passages")
    return table


def _columns(left: Text, right: Text, width: int) -> Table:
    table = Table(box=SIMPLE_HEAD, width=width, pad_edge=False, title_justify="left")
    table.add_column(left, ratio=1, overflow="fold")
    table.add_column(right, ratio=1, overflow="fold")
    return table


def _add_rows(table: Table, shown: View, *, plain: bool, numbered: bool) -> None:
    for row in shown.rows:
        if row.passage is not None:
            table.add_row(_label(row.number, row.passage, numbered=numbered))
        table.add_row(*(_stretch(pieces, row.tone, plain=plain) for pieces in (row.source, row.text)))
    if shown.unshown:
        table.add_row("", f"… 另有 {shown.unshown:,} 段 · {shown.unshown:,} more passages …")


def _label(number: int, passage: Passage, *, numbered: bool) -> Text:
    kind = " · ".join(PASSAGE_KINDS.get(passage.kind, (passage.kind,)))
    moved = " · 次序已变 · moved" if passage.moved else ""
    source = f" · 来源 · source {passage.source + 1}" if numbered else ""
    return Text(f"#{number} {kind} {percent(passage.similarity, 1)}{moved}{source}", style="dim")


def _count_table(counts: Counts) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    for _ in range(2):
        table.add_column(justify="right")
    table.add_row("读入 · rows", f"{counts.rows:,}")
    for kind, zh, colour in _KINDS:
        number: int = getattr(counts, kind)
        table.add_row(f"{zh} · {kind}", f"{number:,}", percent(number, counts.rows), _bar(number, counts.rows, colour))
    table.add_row("重复组 · clusters", f"{counts.clusters:,}")
    return table


def _bar(number: int, whole: int, colour: str) -> Text:
    """Draw a share as a bar; whatever is there at all takes one cell."""
    cells = max(1, round(_BAR_WIDTH * number / whole)) if number and whole else 0
    return Text("█" * cells, style=colour)


def _place_table(run: Mapping[str, Any]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, place in outputs(run):
        table.add_row(Text(visible(name)), Text(visible(place)))
    for kind, number in part(part(run, "changes"), "kinds").items():
        table.add_row(" · ".join(kind_names(kind)), f"{number:,}")
    notices = part(run, "boilerplate").get("count")
    if notices:
        table.add_row("套话 · boilerplate", f"{notices:,}")
    unreadable, skipped = part(run, "counts").get("unreadable_files"), part(run, "skipped").get("count")
    if unreadable:
        table.add_row("读不了的文件 · unreadable files", f"{unreadable:,}")
    if skipped:
        table.add_row("略过的文件 · files passed over", f"{skipped:,}")
    hot_keys = part(run, "hot_keys").get("count")
    if hot_keys:
        table.add_row("热键 · hot keys", f"{hot_keys:,}")
    seconds = sum(part(run, "timings").values())
    if seconds:
        table.add_row("用时 · time", duration(seconds))
    return table


def _headings(pair: Pair) -> Iterator[Text]:
    """Both in as many lines."""
    has_title = bool(pair.kept.title or pair.removed.title)
    for side, label, colour in ((pair.kept, "保留 · kept", "cyan"), (pair.removed, "删去 · removed", "red")):
        heading = Text(label, style=f"bold {colour}")
        if has_title:
            heading.append(f"\n{visible(side.title or '')}", style="bold default")
        yield heading.append(f"\n{visible(side.called)}", style="not bold dim default")


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
    own = f"black on {_SAME[tone - 1]} underline" if change == "same" else _STYLES[change]
    return f"{own} {_HIDDEN}" if hidden else own
