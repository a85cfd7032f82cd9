"""Reads of names that a program builds when it runs, or takes out of the whole environment."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name
from rocmlint.verify.variables.evaluate import Evaluator
from rocmlint.verify.variables.flow import shortened
from rocmlint.verify.variables.frame import Frame
from rocmlint.verify.variables.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.verify.variables.program import Program
    from rocmlint.verify.variables.python_reads import PythonFile

HINT = re.compile(
    rb"\benviron\b(?!\s*(\.(get|setdefault|pop)\s*\(|\[)\s*['\"])|\bgetenv\b(?!\s*\(\s*['\"])"
    rb"|BaseSettings"
)
"""Of what stands in a file that reads names which are not written there."""
WORDS = ("environ", "getenv", "BaseSettings", "expandvars")
_SHORTEST = 3
"""Characters that a part of a name must have to say something."""
_PROGRAMS = ("exec", "spawn", "posix_spawn")
_TEXTS = frozenset({"substitute", "safe_substitute", "format_map"})
"""Methods that put values from a mapping into a text."""
_PASSED_ON = frozenset({"env", "environ", "environment"})


def is_worth_a_look(source: bytes, name: str) -> bool:
    """Return whether a part of a name stands in a file: more than the prefix of its family."""
    family, _, rest = name.partition("_")
    parts = (f"{family}_{rest[:1]}", f"_{rest.rpartition('_')[2]}")
    return any(each.encode() in source for each in parts) and bool(HINT.search(source))


def readings(file: PythonFile, name: str, *, is_own: bool = True) -> Iterator[Reading]:
    """Yield the places that read a variable of this name, or may.

    In a file that is not the user's ``own``, the prefix of a whole family of variables does not
    count: there are programs that print all variables of torch.
    """
    sure = [each for each in file.readings(name) if each.kind == "reads"]
    yield from sure
    if sure:
        return
    for lookup in file.lookups.values():
        if lookup.is_sure and _fits(file, lookup.key, name, is_own=is_own):
            yield _reading(file, lookup.node, name)
            return
    least = 1 if is_own else 2
    parts = file.once(_parts)
    for node in file.once(_whole):
        if any(_is_part(each, name, least) for each in parts) or (
            is_own and name in file.once(_identifiers)
        ):
            yield _reading(file, node, name)
            return
    yield from _settings(file, name)


def passed_on(file: PythonFile, name: str) -> Iterator[Reading]:
    """Yield the places that give the whole environment to another program."""
    for node in file.nodes:
        if isinstance(node, ast.Call):
            for each in node.keywords:
                if each.arg in _PASSED_ON and file.is_environment(each.value):
                    yield _reading(file, node, name)
            called = last_name(node.func)
            is_given = called.startswith(_PROGRAMS) or called in _TEXTS
            if (is_given and any(map(file.is_environment, node.args))) or called == "expandvars":
                yield _reading(file, node, name)


def _reading(file: PythonFile, node: ast.expr, name: str) -> Reading:
    text = shortened(ast.unparse(node))
    return Reading("may read", node.lineno, file.when(node), text, name)


def _fits(file: PythonFile, key: ast.expr, name: str, *, is_own: bool) -> bool:
    """Return whether a key that is not known could be the name: any, in a file of the user."""
    pattern = _pattern(file, key)
    if is_own and pattern == ".*":
        return True
    if ".*" not in pattern or not re.fullmatch(pattern, name, re.IGNORECASE):
        return False
    written = re.sub(r"\.\*|\\", "", pattern)
    if sum(each.isalnum() for each in written) >= _SHORTEST:
        return True
    parts = [each for each in file.once(_parts) if each != name]
    if any(isinstance(each, ast.Attribute) and each.attr == "upper" for each in ast.walk(key)):
        parts = [*parts, *(each.upper() for each in parts)]
    return any(_is_end(each, name) for each in parts)


def _pattern(file: PythonFile, key: ast.expr) -> str:
    """Return a regular expression for what an expression may be."""
    known = Evaluator("", None).key(key, Frame(file))
    if known is not None:
        return re.escape(known)
    if isinstance(key, ast.JoinedStr):
        return _joined(_pattern(file, each) for each in key.values)
    if isinstance(key, ast.FormattedValue):
        return _pattern(file, key.value)
    if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Add):
        return _joined(_pattern(file, each) for each in (key.left, key.right))
    if isinstance(key, ast.BinOp) and isinstance(key.left, ast.Constant):
        return ".*".join(map(re.escape, re.split(r"%\w", str(key.left.value))))
    if isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute):
        held = key.func.value
        if key.func.attr == "format" and isinstance(held, ast.Constant):
            return ".*".join(map(re.escape, re.split(r"\{[^}]*\}", str(held.value))))
        if key.func.attr in {"upper", "lower", "strip"}:
            return _pattern(file, held)
    return ".*"


def _joined(parts: Iterator[str]) -> str:
    return re.sub(r"(\.\*)+", ".*", "".join(parts))


def _parts(file: Program) -> list[str]:
    """Return the texts of a file that may be parts of names, and the words in them."""
    found = dict.fromkeys(
        part
        for node in file.nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and len(node.value) < 200
        and not isinstance(file.parents[node], ast.Expr)
        for part in re.findall(r"[A-Za-z0-9_]{3,}", node.value)
    )
    return list(found)


def _is_end(part: str, name: str) -> bool:
    """Return whether a name may be made of this and something else."""
    before, after = name.removeprefix(part), name.removesuffix(part)
    is_start = before != name and (part.endswith("_") or not before[:1].isalnum())
    return is_start or (after != name and part.startswith("_"))


def _is_part(part: str, name: str, least: int) -> bool:
    """Return whether a name may be chosen by this."""
    words = [each for each in part.split("_") if each]
    return (part.isupper() or "_" in part) and len(words) >= least and part.upper() in name


def _identifiers(file: Program) -> frozenset[str]:
    """Return the names of variables and attributes, which a loop may set."""
    names = (getattr(node, "attr", None) or getattr(node, "id", None) for node in file.nodes)
    return frozenset(filter(None, names))


_VIEWS = frozenset({"frozenset", "items", "keys", "list", "set", "sorted"})


def _whole(file: Program) -> list[ast.expr]:
    """Return where a program goes through the whole environment."""
    found = []
    for node in file.nodes:
        held: list[ast.expr] = []
        if isinstance(node, (ast.For, ast.comprehension)):
            held = [node.iter]
        elif isinstance(node, ast.Call) and last_name(node.func) in {"filter", "map"}:
            held = node.args[1:]
        elif isinstance(node, ast.BinOp):
            held = [node.left, node.right]
        elif isinstance(node, ast.Compare) and node not in file.lookups:
            held = [node.left, *node.comparators]
        found += [each for each in held if file.is_environment(_viewed(each))]
    return found


def _viewed(node: ast.expr) -> ast.expr:
    """Return what ``set(os.environ)`` or ``os.environ.items()`` goes through."""
    while isinstance(node, ast.Call) and last_name(node.func) in _VIEWS:
        inner = getattr(node.func, "value", None) or next(iter(node.args), None)
        if inner is None:
            break
        node = inner
    return node


def _settings(file: PythonFile, name: str) -> Iterator[Reading]:
    """Yield the fields of pydantic's settings, which read variables of their names."""
    for each in file.classes.values():
        if not any(last_name(base).endswith("Settings") for base in each.bases):
            continue
        prefixes = [""]
        for node in ast.walk(each):
            keyword = isinstance(node, ast.keyword) and node.arg == "env_prefix"
            value = node.value if keyword and isinstance(node, ast.keyword) else None
            if isinstance(node, ast.Assign) and any(
                last_name(t) == "env_prefix" for t in node.targets
            ):
                value = node.value
            if isinstance(value, ast.Constant):
                prefixes.append(str(value.value))
        for node in each.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                wanted = {f"{prefix}{node.target.id}".lower() for prefix in prefixes}
                if name.lower() in wanted:
                    yield _reading(file, node.target, name)
