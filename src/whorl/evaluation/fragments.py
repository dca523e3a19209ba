"""Texts as fragments that remember where they came from.

A mutation cuts an article into fragments (one per sentence), drops, moves and edits them, and `assemble` writes the
copy together with its truth: which stretch of which source became which stretch of the copy.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

_SENTENCE = re.compile(
    r"""(?P<body>\S.*?(?:
            [。！？!?；…]+[”’」』）)"']*      # a mark that ends a sentence wherever it stands, and closing quotes
          | (?<!\b[A-Z])\.[”’)"']*(?=\s)    # a full stop before white space: not in 3.5, not after an initial
          | $
        ))(?P<gap>\s*)""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class CopiedPassage:
    """A run of whole sentences, contiguous in the source and in the copy; edits inside do not split it.

    Attributes:
        source: 0 for the mutated text, 1 and up for the other texts in the order given.
        source_start: where the run starts in the source, in code points.
        source_end: where it ends in the source, exclusive.
        copy_start: where it starts in the copy.
        copy_end: where it ends in the copy, exclusive.
    """

    source: int
    source_start: int
    source_end: int
    copy_start: int
    copy_end: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """A sentence on its way into a copy.

    Attributes:
        text: the sentence as the copy has it.
        gap: the white space that follows it in the source.
        source: which source it was taken from; None for text that the copier added.
        start: where it starts in that source.
        end: where it ends in that source, exclusive.
    """

    text: str
    gap: str
    source: int | None = None
    start: int = 0
    end: int = 0

    def continues_in(self, follower: "Fragment") -> bool:
        """Whether `follower` comes right after this fragment in the same source."""
        return self.source is not None and self.source == follower.source and self.end + len(self.gap) == follower.start


def split_sentences(text: str, source: int = 0) -> list[Fragment]:
    """Cut `text` into its sentences; leading white space belongs to none. The last one is followed by a line break."""
    fragments = [
        Fragment(match["body"], match["gap"], source, match.start("body"), match.end("body"))
        for match in _SENTENCE.finditer(text)
    ]
    return end_paragraph(fragments)


def end_paragraph(fragments: Sequence[Fragment]) -> list[Fragment]:
    """The same fragments, with a line break after the last one."""
    if not fragments or "\n" in fragments[-1].gap:
        return list(fragments)
    return [*fragments[:-1], replace(fragments[-1], gap="\n")]


def paragraphs(fragments: Iterable[Fragment]) -> list[list[Fragment]]:
    """Group consecutive fragments into the paragraphs of their source."""
    groups: list[list[Fragment]] = [[]]
    for fragment in fragments:
        groups[-1].append(fragment)
        if "\n" in fragment.gap:
            groups.append([])
    return [group for group in groups if group]


def assemble(fragments: Sequence[Fragment]) -> tuple[str, tuple[CopiedPassage, ...]]:
    """Write the copy: its text, and its copied passages in the order of the copy."""
    pieces: list[str] = []
    passages: list[CopiedPassage] = []
    position = 0
    previous: Fragment | None = None
    for fragment in fragments:
        end = position + len(fragment.text)
        if previous is not None and previous.continues_in(fragment):
            passages[-1] = replace(passages[-1], source_end=fragment.end, copy_end=end)
        elif fragment.source is not None:
            passages.append(CopiedPassage(fragment.source, fragment.start, fragment.end, position, end))
        pieces += (fragment.text, fragment.gap)
        position = end + len(fragment.gap)
        previous = fragment
    return "".join(pieces[:-1]), tuple(passages)
