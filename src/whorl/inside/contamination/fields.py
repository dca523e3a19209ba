"""The fields of benchmark items: which columns hold the question, the choices, the answer and the passage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus.formats.json.nested import value_at
from whorl.errors import UsageError
from whorl.i18n import say

QUESTION, CHOICE, ANSWER, PASSAGE = "question", "choice", "answer", "passage"

_USUAL: dict[str, tuple[str, ...]] = {
    QUESTION: (
        *("question", "prompt", "problem", "query", "instruction", "goal", "stem", "ctx", "sentence", "input"),
        *("问题", "題目", "题目", "题干", "問題", "text"),
    ),
    CHOICE: ("choices", "options", "endings", "candidates", "distractors", "选项", "選項"),
    ANSWER: (
        *("answer", "answers", "answerKey", "canonical_solution", "solution", "label", "target", "gold"),
        *("correct_answer", "best_answer", "output", "答案"),
    ),
    PASSAGE: ("passage", "context", "article", "paragraph", "support", "story", "材料", "文章", "短文"),
}
"""Usual columns of each field, the most specific first."""

USUAL_QUESTIONS = _USUAL[QUESTION]
"""Usual columns of the question."""

_ROLES = {
    "question": QUESTION,
    "choices": CHOICE,
    "choice": CHOICE,
    "answer": ANSWER,
    "passage": PASSAGE,
    "context": PASSAGE,
}
_LETTERS = "ABCDEFGHIJ"
_TEXT_KEYS = ("text", "texts", "label_text", "content", "value")


@frozen
class ItemText:
    """A text of an item.

    Attributes:
        field: "question", "choice", "answer" or "passage".
        column: the column that it comes from; texts of lists have their position appended.
        text: the text.
    """

    field: str
    column: str
    text: str


@frozen
class FieldColumns:
    """The columns of each field.

    Attributes:
        columns: columns by field, in the order in which they were named.
    """

    columns: Mapping[str, tuple[str, ...]]

    @classmethod
    def named(cls, names: Sequence[str]) -> FieldColumns:
        """Return the fields of columns: ``choices``, or ``choices=opts`` for a column with another name.

        Raises:
            UsageError: a field has another name, or no column holds the question.
        """
        columns: dict[str, list[str]] = {}
        for entry in names:
            field, sign, column = entry.partition("=")
            role = _ROLES.get(field) if sign else _role_of(entry)
            if role is None:
                raise UsageError(
                    say("`against_text`: unknown field {field!r}", field=field),
                    hint=say("use question, choices, answer or passage, such as question=stem"),
                )
            columns.setdefault(role, []).append(column if sign else entry)
        if QUESTION not in columns and PASSAGE not in columns:
            raise UsageError(
                say("`against_text` names no question: {names}", names=", ".join(names)),
                hint=say("name the column of the question, such as question=stem"),
            )
        return cls({role: tuple(several) for role, several in columns.items()})

    @classmethod
    def usual(cls, names: Sequence[str]) -> FieldColumns | None:
        """Return the fields of columns with usual names; None if none holds the question."""
        columns: dict[str, tuple[str, ...]] = {}
        for role, usual in _USUAL.items():
            first = next((name for name in usual if name in names and (name,) not in columns.values()), None)
            columns |= {} if first is None else {role: (first,)}
        lettered = tuple(letter for letter in _LETTERS if letter in names)
        if len(lettered) > 1 and CHOICE not in columns:
            columns[CHOICE] = lettered
        return cls(columns) if QUESTION in columns else None

    @property
    def all(self) -> tuple[str, ...]:
        """All columns."""
        return tuple(column for several in self.columns.values() for column in several)

    def texts(self, row: Mapping[str, Any]) -> list[ItemText]:
        """Return the texts of an item, the question first. An answer that names a choice becomes its text."""
        texts = [text for field in (QUESTION, CHOICE, PASSAGE) for text in self._texts(row, field)]
        choices = [text.text for text in texts if text.field == CHOICE]
        for answer in self._texts(row, ANSWER):
            named = _named_choice(answer.text, choices)
            texts.append(answer if named is None else ItemText(ANSWER, answer.column, named))
        return [text for text in texts if text.text.strip()]

    def _texts(self, row: Mapping[str, Any], field: str) -> Iterator[ItemText]:
        for column in self.columns.get(field, ()):
            value = row[column] if column in row else value_at(row, column)
            strings = list(_strings(value))
            if len(strings) == 1 or field == QUESTION:
                yield ItemText(field, column, "\n".join(strings))
            else:
                yield from (ItemText(field, f"{column}[{place}]", text) for place, text in enumerate(strings))


def _role_of(column: str) -> str | None:
    """Return the field that a column has by its name."""
    if column in _ROLES:
        return _ROLES[column]
    if column in _LETTERS:
        return CHOICE
    return next((role for role, usual in _USUAL.items() if column in usual), QUESTION)


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts in a value: a text, a list, or an object such as ``{"text": [...], "label": [...]}``."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        yield from () if value is None else (str(value).lower(),)
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        texts = next((value[key] for key in _TEXT_KEYS if key in value), list(value.values()))
        yield from _strings(texts)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _strings(part)


def _named_choice(answer: str, choices: Sequence[str]) -> str | None:
    """Return the choice that an answer names by letter or by position from 0; None if it is a text itself."""
    name = answer.strip().strip("().").upper()
    if answer.strip() in choices or not choices:
        return None
    if len(name) == 1 and name in _LETTERS:
        place = _LETTERS.index(name)
    elif name.isascii() and name.isdigit():
        place = int(name)
    else:
        return None
    return choices[place] if place < len(choices) else None


__all__ = ["ANSWER", "CHOICE", "PASSAGE", "QUESTION", "USUAL_QUESTIONS", "FieldColumns", "ItemText"]
