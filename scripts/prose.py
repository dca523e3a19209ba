"""Count archaic or translated constructions, and names that say nothing, in everything that a reader of the code sees.

    python scripts/prose.py            print the rate per folder, and how often each pattern occurs
    python scripts/prose.py --list     print every occurrence as file:line: text
    python scripts/prose.py --check    print the totals; exit with 1 if one is above its limit

Prose are docstrings and comments of Python, comments of Rust, English documents without their code, and the English
messages of the catalogue. Names are those that code assigns: variables, parameters, functions, classes and attributes.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "crates", "scripts", "benchmarks", "tests", "docs", "examples")
LIMIT = 1.3
"""Occurrences per 1,000 words."""
MAX_BANNED = 0
"""Banned names that may remain; never raise it."""

PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for name, pattern in {
        "opens with a clause": r"\A(what|whoever|whatever|of what|from which|to what|of a|of all|of each|all that)\b",
        "of which": r"\bof which\b(?! version)",
        "of whom": r"\b(of|to|for|by|from) whom\b|\bwhose word\b",
        "what is known": r"\bwhat (is|was|are) (known|there|left|wanted|asked|given|said|told|read|kept|found|to be)\b",
        "tell": r"\b(is|are|was|were|be|been) told\b|\btells?\b(?! apart| them apart)|\btold\b",
        "ask": r"\b(is|are|was|were|be|been|who|whoever) asks?(ed)?\b",
        "know": r"\bknows\b|\bhears\b|\bknow of\b",
        "stand": r"\b(stands?|stood|standing) (in|on|at|there|for itself|with|before|behind)\b",
        "so many": r"\b(so|as) (many|much|long|far)\b(?! as)",
        "there is none": r"\b(where|if|as) there (is|are|was|were) none\b|\bwhere none (is|was|are|were)\b",
        "besides": r"\bbesides\b|\bthe like\b|\blikewise\b",
        "there-": r"\b(there|where|here)(of|in|by|upon|to|from|with|at|after)\b(?<!thereafter)",
        "nobody": r"\b(nobody|nothing|no one) (knows|is|was|has|can|may|asks|else)\b",
        "come": r"\bcomes? (out|in|into|to be|before|after|by)\b|\bgoes? (well|wrong|by|on|out|without)\b",
        "held": r"\bheld against\b|\bhold (of|against)\b|\btaken for\b|\bcounts? for\b",
        "all the same": r"\ball the same\b|\bnone the less\b|\bas it were\b|\bfor good\b|\bat once\b|\bby and by\b",
        "those": r"\b(those|that) (of|in|to|for) (it|them|him|her)\b|\bsuch as (are|is|was|were)\b",
        "one's own": r"\bof (its|their|one's|his) own\b",
    }.items()
}

BANNED = frozenset(
    (
        "told",
        "said",
        "given",
        "asked",
        "found",
        "own",
        "each",
        "one",
        "most",
        "least",
        "among",
        "standing",
        "wanted",
        "gone",
        "taken",
        "made",
        "held",
        "known",
        "heard",
        "seen",
        "noted",
        "drawn",
        "shown",
        "left",
        # A right to reprint is a permission, and evidence of first publication an attestation.
        "leave",
        "leaves",
        "proof",
        "proofs",
    )
)
"""Names that say nothing about what they hold, and former names of terms."""

INTERFACES = {
    # Library.documents(among=...) and its remote twin are called by other programs.
    "src/whorl/library/search/documents.py": {"among"},
    "src/whorl/client/asynchronous.py": {"among"},
    "src/whorl/client/synchronous.py": {"among"},
    # HTTP fields: the parameter of an endpoint is the name in the request.
    "src/whorl/service/api/checks.py": {"among", "least"},
    "src/whorl/service/api/clusters.py": {"among"},
    "src/whorl/service/api/reviews.py": {"among"},
    "src/whorl/service/api/watches.py": {"gone", "most"},
    # Keys of [compare] in recipe files, which are passed on by name, and options of `whorl compare`.
    "src/whorl/matching/compare.py": {"least"},
    "src/whorl/tasks/compare/check.py": {"least"},
    "src/whorl/tasks/compare/run.py": {"least", "most"},
    "src/whorl/types/options.py": {"least"},
    # `--least` of the commands that look inside documents, and the same parameter of their functions.
    "src/whorl/cli/commands/texts/cohort.py": {"least"},
    "src/whorl/cli/commands/corpora/dedup.py": {"least"},
    "src/whorl/cli/commands/texts/reuse.py": {"least"},
    "src/whorl/cli/commands/corpora/strip.py": {"least"},
    "src/whorl/inside/memory.py": {"least"},
    "src/whorl/inside/search.py": {"least"},
    "src/whorl/matching/crosswise.py": {"least"},
    "src/whorl/matching/reuse.py": {"least"},
    "src/whorl/tasks/boilerplate.py": {"least"},
    "src/whorl/tasks/cohort/run.py": {"least"},
    "src/whorl/tasks/reuse/run.py": {"least"},
    "src/whorl/tasks/reuse/settings.py": {"least"},
    "src/whorl/tasks/strip.py": {"least"},
    # Keys of [library] in recipe files, and of the settings that a library stores.
    "src/whorl/library/rules.py": {"least", "most"},
    # Parameters of methods in recipe files and in the state of a run.
    "src/whorl/fingerprints/content.py": {"least"},
    "src/whorl/fingerprints/imatch.py": {"least"},
    "src/whorl/fingerprints/info.py": {"least"},
    "src/whorl/fingerprints/keywords.py": {"least"},
    "src/whorl/text/terms.py": {"least"},
    # Keys of the settings of alerts.
    "src/whorl/monitor/alerts/channels.py": {"most"},
    "src/whorl/service/console/receivers.py": {"most"},
    # Keys of JSON results, and of segment files.
    "src/whorl/engines/corpus.py": {"given"},
    "src/whorl/evaluation/attribution/scores.py": {"said"},
    "src/whorl/monitor/findings/figures.py": {"found", "gone"},
    "src/whorl/monitor/findings/watched.py": {"found"},
    "src/whorl/tasks/compare/pairs.py": {"found"},
    "src/whorl/tasks/library/monitoring.py": {"known"},
    "src/whorl/types/library.py": {"known"},
    # Not a term of libraries: what the equal characters of an aligned piece prove.
    "crates/whorl-core/src/align/clauses/mod.rs": {"proof"},
    "crates/whorl-core/src/align/pieces/piece.rs": {"proof"},
    "crates/whorl-core/src/align/pieces/proof.rs": {"proof"},
    "crates/whorl-core/src/align/pieces/shuffle.rs": {"proof"},
}
"""Banned names that stay, by file: most are fixed by an interface, and renaming them would break programs, requests or
files of users."""


class Text(NamedTuple):
    """A piece of prose: where it is and what it says."""

    file: Path
    line: int
    text: str


class Name(NamedTuple):
    """An assigned name and where it is."""

    file: Path
    line: int
    name: str


def python_prose(file: Path, source: str) -> Iterator[Text]:
    """Yield docstrings and comments."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield Text(file, statement.lineno, _without_examples(text))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    directives = ("#!", "# type:", "# noqa", "# pragma")
    comments = [token for token in tokens if token.type == tokenize.COMMENT and not token.string.startswith(directives)]
    yield from _blocks(file, [(token.start[0], token.string.lstrip("# ")) for token in comments])


def rust_prose(file: Path, source: str) -> Iterator[Text]:
    """Yield comments, those of consecutive lines as one."""
    comment = re.compile(r"^\s*//[/!]?\s?(.*)$")
    matches = ((number, comment.match(line)) for number, line in enumerate(source.splitlines(), 1))
    yield from _blocks(file, [(number, match[1]) for number, match in matches if match])


def messages(file: Path, source: str) -> Iterator[Text]:
    """Yield the English messages of a catalogue of translations."""
    for number, line in enumerate(source.splitlines(), 1):
        if match := re.match(r'(?:msgid(?:_plural)? )"(.+)"$', line):
            yield Text(file, number, match[1])


def markdown_prose(file: Path, source: str) -> Iterator[Text]:
    """Yield the paragraphs and tables of an English document."""
    if not file.name.endswith(".zh-CN.md"):
        without_code = re.sub(r"^ *```.*?^ *```", _lines_of, source, flags=re.MULTILINE | re.DOTALL)
        yield from _blocks(file, [(number, line) for number, line in enumerate(without_code.splitlines(), 1) if line])


def _lines_of(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _blocks(file: Path, comments: list[tuple[int, str]]) -> Iterator[Text]:
    """Join the comments of consecutive lines."""
    block: list[tuple[int, str]] = []
    for number, text in comments:
        if block and number != block[-1][0] + 1:
            yield Text(file, block[0][0], "\n".join(text for _, text in block))
            block = []
        block.append((number, text))
    if block:
        yield Text(file, block[0][0], "\n".join(text for _, text in block))


def _without_examples(docstring: str) -> str:
    return re.sub(r"^\s*>>>.*(?:\n(?!\s*$).*)*", "", docstring, flags=re.MULTILINE)


def python_names(file: Path, source: str) -> Iterator[Name]:
    """Yield the names that a Python file assigns."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield Name(file, node.lineno, node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Name(file, node.lineno, node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield Name(file, node.lineno, node.attr)
        elif isinstance(node, ast.arg):
            yield Name(file, node.lineno, node.arg)


def rust_names(file: Path, source: str) -> Iterator[Name]:
    """Yield the names that a Rust file declares: functions, types, bindings, fields and parameters."""
    declared = re.compile(
        r"\b(?:fn|struct|enum|trait|let(?: mut)?)\s+([A-Za-z_]\w*)"  # items and bindings
        r"|(?<![:\w])([a-z_]\w*)\s*:\s*[&A-Z\[(a-z]"  # fields and parameters
    )
    for number, line in enumerate(source.splitlines(), 1):
        for match in declared.finditer(line.split("//")[0]):
            yield Name(file, number, match[1] or match[2])


READERS = {
    ".py": (python_prose, python_names),
    ".rs": (rust_prose, rust_names),
    ".po": (messages, lambda *_: iter(())),
    ".md": (markdown_prose, lambda *_: iter(())),
}


def sources(paths: list[str]) -> Iterator[tuple[Path, str]]:
    """Yield the files under some paths, or all of them, with their content."""
    folders = ((ROOT / folder).rglob("*") for folder in FOLDERS)
    for files in (ROOT.glob("*.md"), *folders):
        for file in sorted(files):
            name = file.relative_to(ROOT)
            is_asked_for = not paths or any(str(name).startswith(path) for path in paths)
            is_hidden = any(part.startswith(".") for part in name.parts)
            if file.suffix in READERS and file.name != "prose.py" and is_asked_for and not is_hidden:
                yield name, file.read_text(encoding="utf-8")


@dataclass
class Counts:
    """How often everything occurs.

    Attributes:
        words: of prose, per folder.
        hits: of constructions, per folder.
        patterns: how often each construction occurs.
        banned: how often each banned name is assigned.
        names: how many names are assigned.
        places: every occurrence as file:line: text.
    """

    words: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    patterns: Counter[str] = field(default_factory=Counter)
    banned: Counter[str] = field(default_factory=Counter)
    names: int = 0
    places: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Constructions per 1,000 words."""
        return 1000 * self.hits.total() / max(self.words.total(), 1)

    def add(self, text: Text) -> None:
        """Count the constructions of a piece of prose."""
        folder = "/".join(text.file.parts[: 3 if text.file.parts[0] == "src" else 2])
        self.words[folder] += len(text.text.split())
        for pattern, expression in PATTERNS.items():
            for match in expression.finditer(text.text):
                self.hits[folder] += 1
                self.patterns[pattern] += 1
                line = text.line + text.text.count("\n", 0, match.start())
                context = " ".join(text.text[max(0, match.start() - 40) : match.end() + 40].split())
                self.places.append(f"{text.file}:{line}: {pattern}: {context}")

    def add_name(self, assigned: Name) -> None:
        """Count a name."""
        self.names += 1
        name = assigned.name.strip("_").lower()
        if name in BANNED and assigned.name not in INTERFACES.get(assigned.file.as_posix(), ()):
            self.banned[name] += 1
            self.places.append(f"{assigned.file}:{assigned.line}: name: {assigned.name}")

    def report(self) -> Iterator[str]:
        """Yield the lines of the summary."""
        for folder in sorted(self.words, key=lambda folder: -self.hits[folder]):
            rate = 1000 * self.hits[folder] / max(self.words[folder], 1)
            yield f"{rate:6.1f}  {self.hits[folder]:6,}  {self.words[folder]:8,} words  {folder}"
        yield from (f"{count:6,}  {pattern}" for pattern, count in self.patterns.most_common())
        names = ", ".join(f"{name} {count}" for name, count in self.banned.most_common())
        yield f"{self.banned.total():,} of {self.names:,} names are banned: {names or 'none'}"
        yield f"{self.rate:.2f} constructions per 1,000 of {self.words.total():,} words; limit {LIMIT}"


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print every occurrence")
    parser.add_argument("--check", action="store_true", help="exit with 1 above the limit")
    parser.add_argument("paths", nargs="*", help="only files under these paths, such as src/whorl/library")
    options = parser.parse_args()
    counts = Counts()
    for file, source in sources(options.paths):
        prose, names = READERS[file.suffix]
        for text in prose(file, source):
            counts.add(text)
        for assigned in names(file, source):
            counts.add_name(assigned)
    report = list(counts.report())
    print(*(counts.places if options.list else ()), *(report[-2:] if options.check else report), sep="\n")
    return int(options.check and (counts.rate > LIMIT or counts.banned.total() > MAX_BANNED))


if __name__ == "__main__":
    sys.exit(main())
