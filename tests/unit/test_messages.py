"""Every message is translatable and translated."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import whorl
from whorl import errors

SOURCE = Path(whorl.__file__).parent
CATALOGUE = Path(__file__).parent.parent.parent / "scripts" / "catalogue.py"
ERRORS = {name for name in errors.__all__ if name.endswith("Error")} | {"UnreadableError", "_BrokenError"}
ALSO = {"missing_package": 1, "refused": 3, "note": 1, "_refusal": 3}
"""Further functions that take messages, and how many of their arguments may be messages."""
NAMED = {"hint", "reason"}
MESSAGE_FUNCTIONS = {"say", "say_many", "as_message", "either"}

Scope = ast.Module | ast.FunctionDef


def called(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def calls(tree: ast.Module) -> Iterator[tuple[ast.Call, list[Scope]]]:
    """Yield every call of a file, with the functions around it, the innermost first."""
    waiting: list[tuple[ast.AST, list[Scope]]] = [(tree, [tree])]
    while waiting:
        node, scopes = waiting.pop()
        if isinstance(node, ast.Call):
            yield node, scopes
        inside = [node, *scopes] if isinstance(node, ast.FunctionDef) else scopes
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def messages(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call that must be messages."""
    name = called(call)
    first = call.args[:1] if name in ERRORS else call.args[: ALSO.get(name, 0)]
    return [*first, *(keyword.value for keyword in call.keywords if keyword.arg in NAMED)]


def is_bare(value: ast.expr, scopes: list[Scope]) -> bool:
    """Return True if an expression may become text without a translation."""
    match value:
        case ast.Constant(value=str(text)):
            return bool(text)
        case ast.JoinedStr() | ast.BinOp():
            return True
        case ast.IfExp(body=first, orelse=other):
            return is_bare(first, scopes) or is_bare(other, scopes)
        case ast.BoolOp(values=several):
            return any(is_bare(item, scopes) for item in several)
        case ast.Name(id=name):
            source = next(filter(None, (list(assigned(name, scope)) for scope in scopes)), [])
            return any(is_bare(item, scopes) for item in source if not isinstance(item, ast.Name))
    return False


def assigned(name: str, scope: Scope) -> Iterator[ast.expr]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == name for target in node.targets):
            yield node.value


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_errors_are_messages(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = [
        f"line {value.lineno}: {ast.unparse(value)}"
        for call, scopes in calls(tree)
        if called(call) not in MESSAGE_FUNCTIONS
        for value in messages(call)
        if is_bare(value, scopes)
    ]
    assert not bare, "say these with whorl.i18n.say"


def test_every_message_has_its_translation() -> None:
    checked = subprocess.run([sys.executable, CATALOGUE, "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
