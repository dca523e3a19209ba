"""Open fields of a WordprocessingML part, whose instructions and former results are no text [ECMA-376-1, 17.16].

A field that never ends must not swallow the document: the text it would leave out is kept until the field ends, and
restored at the end of the part. This also protects files that were truncated or edited by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from whorl.corpus.formats.office.word_fields import CHECKED, combined_base, is_contents

_MOST_INSTRUCTION = 2_000
_MOST_CHOICES = 1_000


@dataclass(slots=True)
class WordField:
    """An open field.

    Attributes:
        line: number of lines before it.
        instruction: its instruction up to here.
        in_result: whether its result has begun.
        is_contents: whether it is a table of contents.
        choices: options of a drop-down list.
        chosen: position of the chosen option.
        is_checked: whether it is a checked box.
        left_out: text that is left out while it is open.
    """

    line: int
    instruction: str = ""
    in_result: bool = False
    is_contents: bool = False
    choices: list[str] = field(default_factory=list)
    chosen: int = 0
    is_checked: bool = False
    left_out: list[str] = field(default_factory=list)

    def value(self) -> str:
        """Return its text beyond its result: its form value, or characters printed over each other."""
        if self.choices:
            return self.choices[self.chosen] if self.chosen < len(self.choices) else ""
        if self.is_checked:
            return CHECKED
        return "" if self.in_result else combined_base(self.instruction)

    def lines(self) -> list[str]:
        """Return the lines of the text that is left out."""
        return [line for part in "".join(self.left_out).split("\n") if (line := " ".join(part.split()))]


class OpenFields:
    """The open fields of a part; form values and instructions belong to the innermost one.

    Attributes:
        suppressing: the outermost field whose text is left out; None if text is kept.
    """

    def __init__(self) -> None:
        self.suppressing: WordField | None = None
        self._fields: list[WordField] = []

    def begin(self, line: int) -> None:
        """Begin a field after some lines; text is left out until its result begins."""
        self._fields.append(WordField(line))
        self.suppressing = self.suppressing or self._fields[-1]

    def separate(self) -> None:
        """Begin the result of the innermost field, which is text except in a table of contents."""
        if not self._fields:
            return
        innermost = self._fields[-1]
        innermost.in_result, innermost.is_contents = True, is_contents(innermost.instruction)
        if innermost is self.suppressing and not innermost.is_contents:
            self.suppressing = None

    def end(self) -> WordField | None:
        """End the innermost field and return it; None if no field is open."""
        if not self._fields:
            return None
        ended = self._fields.pop()
        if ended is self.suppressing:
            self.suppressing = None
        return ended

    def abandon(self) -> list[WordField]:
        """Return the fields without an end, the outermost first, and forget them."""
        unfinished, self._fields, self.suppressing = self._fields, [], None
        return unfinished

    def add_instruction(self, text: str) -> None:
        """Extend the instruction."""
        if self._fields and len(self._fields[-1].instruction) < _MOST_INSTRUCTION:
            self._fields[-1].instruction += text[:_MOST_INSTRUCTION]

    def add_choice(self, option: str) -> None:
        """Add an option of a drop-down list."""
        if self._fields and len(self._fields[-1].choices) < _MOST_CHOICES:
            self._fields[-1].choices.append(option)

    def choose(self, position: str) -> None:
        """Choose an option by its position; a malformed one is ignored."""
        if self._fields and position.isdecimal() and len(position) < 6:
            self._fields[-1].chosen = int(position)

    def check(self, is_checked: bool) -> None:
        """Check or clear a box."""
        if self._fields:
            self._fields[-1].is_checked = is_checked


__all__ = ["OpenFields", "WordField"]
