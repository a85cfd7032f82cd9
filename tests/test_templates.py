"""Text of users is data: no file chooses a template of ``str.format`` or a regular expression."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocmlint.text.words import fitted

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.smoke

ROOT = Path(__file__).parents[1]
FOLDERS = ("src/rocmlint", "rules")
WITH_PATTERN = {
    *("compile", "search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
}
ESCAPES = {"escape", "spaced", "where_called"}
"""Imported functions whose result is a regular expression, whatever text they get."""
PATTERNS = {"pattern", "globs", "where", "dull", "live", "half"}
"""Attributes and parameters that hold a regular expression which a rule or a caller wrote."""
FINE = {
    "src/rocmlint/published/amd_wheels.py": "commands and URLs of the shipped table",
    "src/rocmlint/stack/": "commands and URLs of the shipped tables",
    "src/rocmlint/disk/searches.py": "patterns that rules wrote, kept by the cache",
    "src/rocmlint/lazy.py": "compiles what its callers wrote",
    "src/rocmlint/text/words.py": "fills the templates that its callers wrote",
    "src/rocmlint/why/entries/template.py": "escapes the text of a template between placeholders",
    "src/rocmlint/export/patches/edit.py": "the patterns are what the function is called with",
    "src/rocmlint/interpreter/inside/dtype/answer.py": "names of layers look like templates",
}


def is_constant(name: str) -> bool:
    return name.lstrip("_").isupper()


class Written:
    """Whether an expression is written in the code, but for escaped text in it."""

    def __init__(self, tree: ast.AST) -> None:
        functions = (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
        self.functions = {each.name: each for each in functions}
        self.bound: dict[ast.AST, dict[str, list[ast.expr]]] = {}
        self.above: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.above[child] = node

    def holds(self, node: ast.AST | None) -> bool:
        """Return whether it is a template or pattern of the code."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Attribute):
            return node.attr in PATTERNS or is_constant(node.attr)
        if isinstance(node, ast.Name):
            return is_constant(node.id) or self._is_bound_to_such(node)
        if isinstance(node, ast.Subscript):
            return self.holds(node.value)
        if isinstance(node, ast.IfExp):
            return self.holds(node.body) and self.holds(node.orelse)
        if isinstance(node, ast.BoolOp | ast.JoinedStr):
            return all(map(self.holds, node.values))
        if isinstance(node, ast.FormattedValue | ast.Starred):
            return self.holds(node.value)
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return self.holds(node.elt)
        if isinstance(node, ast.BinOp):
            return self.holds(node.left) and self.holds(node.right)
        if isinstance(node, ast.Tuple | ast.List):
            return all(map(self.holds, node.elts))
        return isinstance(node, ast.Call) and self._is_made_of_such(node)

    def _is_made_of_such(self, call: ast.Call) -> bool:
        """Return whether a call escapes its text, or joins and fills what is written."""
        named = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
        if named == "map":
            return self._escapes(ast.unparse(call.args[0]).rpartition(".")[2])
        if named == "get" and isinstance(call.func, ast.Attribute):
            return self.holds(call.func.value)
        if named in {"format", "encode", "replace", "translate", "sorted", "join"}:
            owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
            given = [*call.args, *(each.value for each in call.keywords)]
            return all(map(self.holds, [*owner, *given]))
        return named == "len" or self._escapes(named)

    def _escapes(self, name: str) -> bool:
        """Return whether a function returns a pattern, whatever text it gets."""
        if name in ESCAPES:
            return True
        function = self.functions.get(name)
        nodes = [] if function is None else list(ast.walk(function))
        returned = [each.value for each in nodes if isinstance(each, ast.Return)]
        return bool(returned) and all(map(self.holds, returned))

    def _is_bound_to_such(self, name: ast.Name) -> bool:
        """Return whether all that its function assigns to a name is written in the code."""
        if name.id in PATTERNS:
            return True
        around: ast.AST | None = name
        while around is not None and not isinstance(around, ast.FunctionDef | ast.Module):
            around = self.above.get(around)
        if around is None:
            return False
        values = self.bound.setdefault(around, _assigned(around)).get(name.id, [])
        return bool(values) and all(value is not name and self.holds(value) for value in values)


def _assigned(around: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(around):
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.NamedExpr | ast.AugAssign) or (
            isinstance(node, ast.AnnAssign) and node.value is not None
        ):
            assert node.value is not None
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.comprehension | ast.For):
            pairs = [(node.target, node.iter)]
        for target, value in pairs:
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            both = zip(target.elts, value.elts, strict=False) if several else [(target, value)]  # type: ignore[attr-defined]
            for one, what in both:
                if isinstance(one, ast.Name):
                    found.setdefault(one.id, []).append(what)
    return found


def faults(code: str, where: str = "") -> Iterator[str]:
    """Yield the calls whose template or pattern a file could choose."""
    tree = ast.parse(code)
    written = Written(tree)
    for node in ast.walk(tree) if not where.startswith(tuple(FINE)) else ():
        if not isinstance(node, ast.Call) or not (node.args or node.keywords):
            continue
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        named = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        is_of_re = isinstance(owner, ast.Name) and owner.id == "re" and named in WITH_PATTERN
        if is_of_re or named == "compile_lazily":
            asked: ast.expr | None = node.args[0]
        elif named == "fitted" and owner is None and "/verify/" not in where:
            asked = node.args[0]
            if isinstance(asked, ast.JoinedStr | ast.BinOp | ast.Name):
                asked = None
        elif named == "format" and owner is not None:
            asked = owner
        else:
            continue
        if asked is None or not written.holds(asked):
            yield f"{where}:{node.lineno}: {ast.unparse(node)[:100]}"


@cache
def files() -> list[tuple[str, str]]:
    paths = [path for each in FOLDERS for path in sorted((ROOT / each).rglob("*.py"))]
    return [(path.relative_to(ROOT).as_posix(), path.read_text()) for path in paths]


def test_no_template_and_no_pattern_comes_from_a_file() -> None:
    assert [fault for where, code in files() for fault in faults(code, where)] == []


@pytest.mark.parametrize(
    "planted",
    [
        "fitted(f'`{{}}` {text}', name)",
        "fitted(shape, name)",
        "fitted('`{}`' + text, name)",
        "text.format(name)",
        "f'{text} {{}}'.format(name)",
        "re.search(name, text)",
        "re.search(rf'\\b{name}\\b', text)",
        "re.compile('|'.join(names))",
        "def f(name):\n    word = name\n    re.search(word, text)",
    ],
)
def test_a_planted_one_is_seen(planted: str) -> None:
    assert list(faults(planted)) != []


@pytest.mark.parametrize(
    "fine",
    [
        "fitted('`{}` is {what}', name, what=text)",
        "fitted('`{}`' if one else 'no `{}`', name)",
        "_ROW.format(text)",
        "re.search(rf'\\b{re.escape(name)}\\b', text)",
        "re.compile('|'.join(map(re.escape, names)))",
        "def f(name):\n    word = re.escape(name)\n    re.search(rf'{word}={_VALUE}', text)",
    ],
)
def test_what_is_written_in_the_code_is_fine(fine: str) -> None:
    assert list(faults(fine)) == []


@pytest.mark.parametrize("text", ["{}", "{x}", "{0.__class__}", "{", "}", "a}b", "{{x}}", "%s"])
def test_braces_in_texts_stay(text: str) -> None:
    assert fitted("`{}` is {what}", text, what=text) == f"`{text}` is {text}"
