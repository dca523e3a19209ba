"""The reference: Python from docstrings, the command line from its help, the methods from their public pages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

import whorl.errors
import whorl.results
from whorl.cli import build_app
from whorl.cli.commands.lab.methods import paragraphs
from whorl.cli.ui.epilogs import Section
from whorl.cli.ui.help import default_of
from whorl.cli.ui.localization import translate
from whorl.fingerprints import families
from whorl.i18n import Language, looked_up, speaking, translated
from whorl.recipe import PRESETS
from whorl.tasks.methods import describe_method

_BY_TOPIC = (
    "whorl.evidence",
    "whorl.indexes",
    "whorl.lab",
    "whorl.library",
    "whorl.runs",
    "whorl.watch",
    "whorl.words",
)
_BESIDE = ("whorl.polars", "whorl.compat.datasets", "whorl.compat.datatrove", "whorl.compat.nshash", "whorl.testing")
_TITLES = {
    "en": {
        "functions": "Functions",
        "classes": "Classes and errors",
        "results": "What is returned",
        "modules": "Other libraries",
        "command-line": "Command line",
        "methods": "Methods, page by page",
        "docstrings": "Every example is run by the tests.",
        "help": "What ``whorl --help`` and the help of each command say.",
        "pages": "What ``whorl methods NAME`` says.",
    },
    "zh": {
        "functions": "函数",
        "classes": "类与错误",
        "results": "返回的类型",
        "modules": "其他程序库",
        "command-line": "命令行",
        "methods": "方法逐一说明",
        "docstrings": "出自源码的说明，只有英文。其中的例子都由测试运行。",
        "help": "即 ``whorl --help`` 和各命令的帮助。",
        "pages": "即 ``whorl methods NAME`` 的说明。",
    },
}


def write_reference(folder: Path, language: Language) -> None:
    """Write the pages of the reference in a language, as reStructuredText."""
    folder.mkdir(parents=True)
    titles = _TITLES[language]
    homes = {name: module for module in (*_BY_TOPIC, "whorl") for name in import_module(module).__all__}
    names = sorted(homes, key=lambda name: (homes[name] != "whorl", homes[name], name))
    functions = [name for name in names if inspect.isfunction(getattr(import_module(homes[name]), name))]
    classes = [name for name in names if name not in functions and name != "__version__"]
    errors = [name for name in whorl.errors.__all__ if name not in homes and name[0].isupper()]
    results = [name for name in whorl.results.__all__ if name != "Language"]
    pages = {
        "functions": (titles["docstrings"], *(_documented("function", homes[name], name) for name in functions)),
        "classes": (
            titles["docstrings"],
            *(_documented("class", homes[name], name) for name in classes),
            *(_documented("class", "whorl.errors", name) for name in errors),
        ),
        "results": (titles["docstrings"], *(_documented("class", "whorl.results", name) for name in results)),
        "modules": (titles["docstrings"], *map(_module, _BESIDE)),
    }
    with speaking(language):
        program = typer.main.get_command(build_app())
        translate(program)
        pages["command-line"] = (titles["help"], *_command(program, typer.Context(program, info_name="whorl")))
        pages["methods"] = (titles["pages"], *map(_method, [*sorted(families()), *sorted(PRESETS)]))
    for name, parts in pages.items():
        text = "\n\n".join([_heading(titles[name], "="), *parts])
        (folder / f"{name}.rst").write_text(f"{text}\n", encoding="utf-8")


def _heading(title: str, line: str) -> str:
    return f"{title}\n{line * 2 * len(title)}"


def _documented(kind: str, module: str, name: str) -> str:
    members = "\n   :members:\n   :inherited-members: str, Exception, tuple" if kind == "class" else ""
    title = name if module == "whorl" else f"{module}.{name}"
    return f"{_heading(title, '-')}\n\n.. auto{kind}:: {module}.{name}{members}"


def _module(name: str) -> str:
    return f"{_heading(name, '-')}\n\n.. automodule:: {name}\n   :members:"


def _method(name: str) -> str:
    description = describe_method(name)
    parts = [_heading(name, "-")]
    if description.preset is not None:
        parts.append(_text(translated(description.preset)))
        return "\n\n".join(parts)
    for heading, text in paragraphs(description.page):
        parts += [f"**{looked_up(heading)}**"] if heading else []
        parts.append(_text(looked_up(text)))
    values = ", ".join(f"``{parameter} = {value!r}``" for parameter, value in description.parameters.items())
    return "\n\n".join([*parts, values])


def _command(command: Any, context: Any) -> Iterator[str]:
    """Yield a command with its full help, then its subcommands."""
    path = context.command_path
    yield _heading(path, "-")
    yield f".. program:: {path}"
    yield _text(command.help)
    yield f".. code-block:: text\n\n   {' '.join(command.get_usage(context).split())}"
    for parameter in command.get_params(context):
        if not getattr(parameter, "hidden", False):
            yield _parameter(parameter)
    for section in getattr(command.epilog, "sections", ()):
        yield from _section(section)
    for name, subcommand in getattr(command, "commands", {}).items():
        if not subcommand.hidden:
            yield from _command(subcommand, typer.Context(subcommand, parent=context, info_name=name))


def _parameter(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        names, help_text = parameter.metavar, parameter.help
    else:
        metavar = f" {parameter.metavar}" if parameter.metavar else ""
        names = ", ".join(f"{name}{metavar}" for name in sorted((*parameter.opts, *parameter.secondary_opts), key=len))
        help_text = f"{parameter.help}{default_of(parameter)}"
    return f".. option:: {names}\n\n   {_text(help_text)}"


def _section(section: Section) -> Iterator[str]:
    rows = [(row, "") if isinstance(row, str) else row for row in section.rows]
    items = [(str(translated(name)).strip(), str(translated(note))) for name, note in rows]
    if section.title:
        yield f"**{_text(translated(section.title))}**"
    if section.style:
        width = max(len(name) for name, _ in items)
        lines = (f"   {name:{width}}  # {note}" if note else f"   {name}" for name, note in items)
        yield "\n".join([".. code-block:: text", "", *lines])
    else:
        yield "\n\n".join(f"{_text(name)}\n   {_text(note)}" if note else _text(name) for name, note in items)


def _text(text: str) -> str:
    """Return plain text with code between backticks as reStructuredText."""
    parts = re.split(r"(`[^`]+`)", str(text))
    return "".join(f"\\ ``{part[1:-1]}``\\ " if number % 2 else _plain(part) for number, part in enumerate(parts))


def _plain(text: str) -> str:
    return re.sub(r"([*|_:\\`])", r"\\\1", text)
