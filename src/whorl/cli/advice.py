"""Which method to take, for who has not chosen one."""

from typing import NamedTuple


class Advice(NamedTuple):
    """A method for a case.

    Attributes:
        have: what there is, in English.
        go: what should go.
        method: the method or preset to take.
        zh: what there is, in Chinese.
    """

    have: str
    go: str
    method: str
    zh: str


ADVICE = (
    Advice("a news desk", "reprints, excerpts, mixtures, rewritten ones", "news", "新闻"),
    Advice("web pages", "one text in other frames", "web", "网页"),
    Advice("a corpus to train on", "whole texts that are nearly alike", "corpus", "训练语料"),
    Advice("short posts", "copies with a few changes", "news", "短帖"),
    Advice("Chinese books", "what was typed again, by sound too", "novel", "中文小说"),
)


def advice() -> str:
    """Return a paragraph of help: a line for each case."""
    lines = [f"  {one.method:<7} {one.have}: {one.go} · {one.zh}" for one in ADVICE]
    return "\n".join(["[bold]哪种方法 · Which --method[/bold]", *lines, ""])


__all__ = ["ADVICE", "Advice", "advice"]
