"""Text fragments with their source positions.

A mutation splits an article into fragments (one per sentence), then drops, moves and edits them. `assemble` writes the
copy together with its ground truth: the copied passages with their positions in source and copy.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from whorl._internal.frozen import frozen

_SENTENCE = re.compile(
    r"""(?P<body>\S.*?(?:
            [。！？!?；…]+[”’」』）)"']*      # a mark that ends a sentence wherever it stands, and closing quotes
          | (?<!\b[A-Z])\.[”’)"']*(?=\s)    # a full stop before white space: not in 3.5, not after an initial
          | $
        ))(?P<gap>\s*)""",
    re.MULTILINE | re.VERBOSE,
)


@frozen
class CopiedPassage:
    """A run of whole sentences that is contiguous in source and copy; edits inside do not split it.

    Attributes:
        source: 0 for the mutated text, 1 and up for the other texts, in order.
        source_start: start in the source, in code points.
        source_end: end in the source, exclusive.
        copy_start: start in the copy.
        copy_end: end in the copy, exclusive.
    """

    source: int
    source_start: int
    source_end: int
    copy_start: int
    copy_end: int


@frozen
class Fragment:
    """A sentence that becomes part of a copy.

    Attributes:
        text: text of the sentence in the copy.
        gap: white space after it in the source.
        source: number of its source; None for text added by the copier.
        start: start in the source.
        end: end in the source, exclusive.
    """

    text: str
    gap: str
    source: int | None = None
    start: int = 0
    end: int = 0

    def continues_in(self, follower: "Fragment") -> bool:
        """Return True if `follower` directly follows this fragment in the same source."""
        return self.source is not None and self.source == follower.source and self.end + len(self.gap) == follower.start


def split_sentences(text: str, source: int = 0) -> list[Fragment]:
    """Split `text` into sentences without leading white space. A line break follows the last one."""
    fragments = [
        Fragment(match["body"], match["gap"], source, match.start("body"), match.end("body"))
        for match in _SENTENCE.finditer(text)
    ]
    return end_paragraph(fragments)


def end_paragraph(fragments: Sequence[Fragment]) -> list[Fragment]:
    """Return the fragments with a line break after the last one."""
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
    """Return the text of the copy and its copied passages, in order."""
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
