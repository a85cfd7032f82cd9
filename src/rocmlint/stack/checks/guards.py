"""Checks in the installed packages' own code of other versions, made when it is imported.

Read from the source, never run: transformers looks at torch in ``utils/import_utils.py`` and works
without it where it is too old; what ``dependency_versions_check.py`` names raises ImportError.
"""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small
from rocmlint.stack.advice.keeping import NOTHING, KeptBuilds
from rocmlint.stack.advice.remedy import remedy
from rocmlint.stack.advice.torch_command import Surroundings, surroundings_of
from rocmlint.stack.installed.distributions import import_name
from rocmlint.stack.verdicts import Judgement, Verdict, is_met
from rocmlint.text.python_ast import syntax_tree
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rocmlint.stack.installed.distributions import Distribution, Environment

_PACKAGES = ("transformers", "diffusers", "accelerate", "peft", "trl", "huggingface-hub")
_LARGEST = 1_000_000
_SWITCHES_OFF = re.compile(r"PyTorch\s*>=\s*(\d[\d.]*\d) is required")
"""Messages of transformers when it works without torch (in 4.38 and in 5.23)."""
_AVAILABLE = re.compile(r"is_(\w+)_available")
_MINIMUM = re.compile(r"MIN_([A-Z0-9_]+)_VERSION")
_BOUNDS = {"min_version": ">=", "max_version": "<"}


@dataclass(frozen=True)
class _Guard:
    """A check in code, and what the code does if it fails."""

    on: str
    specifier: SpecifierSet
    effect: str
    source: str


def guards(
    environment: Environment, kept: KeptBuilds = NOTHING, here: Surroundings | None = None
) -> tuple[Verdict, ...]:
    """Judge what the code of the Hugging Face packages asks of packages that are installed.

    What to do leaves alone what is ``kept``; ``here`` is what another torch would be chosen for.
    """
    cure = partial(remedy, kept=kept, here=here or surroundings_of(environment))
    found: dict[tuple[str, str, str], Verdict] = {}
    for name in _PACKAGES:
        package, file = environment.get(name), environment.modules.get(import_name(name))
        if package is None or not file:
            continue
        for guard in _guards(os.path.dirname(file), environment):
            other = environment.get(guard.on)
            if other is not None:
                key = (name, guard.on, str(guard.specifier))
                found.setdefault(key, _verdict_of(package, guard, other, environment.python, cure))
    return tuple(found.values())


def _verdict_of(
    package: Distribution, guard: _Guard, other: Distribution, python: str, cure: Callable[..., str]
) -> Verdict:
    version = other.parsed
    judgement: Judgement = "unknown" if version is None else "fits"
    reason = f"{other.version!r} is not a valid version" if version is None else ""
    valid = f"install a release of {other.name} with a valid version"
    action = valid if version is None else ""
    requirement = Requirement(f"{guard.on}{guard.specifier}")
    if version is not None and not is_met(guard.specifier, version):
        judgement = "conflict"
        reason = (
            f"its code {guard.effect}: it requires {requirement}, but {other.version} is installed"
        )
        extra = "torch" if guard.on == "torch" else ""
        action = cure(package, requirement, other, extra, python)
    return Verdict(
        package.name,
        package.version,
        other.name,
        other.version,
        str(requirement),
        "code guard",
        judgement,
        reason=reason,
        action=action,
        source=guard.source,
    )


def _guards(folder: str, environment: Environment) -> Iterator[_Guard]:
    for below in ("utils/import_utils.py", "import_utils.py", "utils/imports.py"):
        path = os.path.join(folder, below)
        text = _read(path)
        yield from _switches_off(text, path)
        yield from _available(text, path, environment)
    constants = os.path.join(folder, "utils/constants.py")
    yield from _minimums(constants)
    yield from _at_import(folder)


def _switches_off(text: str, path: str) -> Iterator[_Guard]:
    match = _SWITCHES_OFF.search(text)
    if match:
        effect = "disables PyTorch at import (is_torch_available() is False)"
        line = text.count("\n", 0, match.start()) + 1
        yield _Guard("torch", SpecifierSet(f">={match[1]}"), effect, f"{path}:{line}")


def _available(text: str, path: str, environment: Environment) -> Iterator[_Guard]:
    """Find ``def is_X_available(min_version: str = X_MIN_VERSION)``."""
    tree = _parsed(text)
    constants = _constants(tree)
    packages = {import_name(each.name): each.name for each in environment.distributions}
    for function in tree.body:
        match = isinstance(function, ast.FunctionDef) and _AVAILABLE.fullmatch(function.name)
        if not isinstance(function, ast.FunctionDef) or not match:
            continue
        package = packages.get(match[1]) or packages.get(match[1].replace("_", "-"))
        if package:
            effect = f"returns False in {function.name}()"
            for bound in _bounds(function, constants):
                yield _Guard(package, bound, effect, f"{path}:{function.lineno}")


def _bounds(function: ast.FunctionDef, constants: Mapping[str, str]) -> Iterator[SpecifierSet]:
    parameters, defaults = function.args.args, function.args.defaults
    for parameter, default in zip(reversed(parameters), reversed(defaults), strict=False):
        operator = _BOUNDS.get(parameter.arg.lower())
        value = _text_of(default, constants)
        if operator and value:
            try:
                yield SpecifierSet(operator + value)
            except InvalidSpecifier:
                continue


def _minimums(path: str) -> Iterator[_Guard]:
    """Find ``MIN_PEFT_VERSION = "0.17.0"`` of diffusers."""
    for name, value in _constants(_parsed(_read(path))).items():
        match = _MINIMUM.fullmatch(name)
        if match:
            package = canonicalize_name(match[1])
            try:
                specifier = SpecifierSet(f">={value}")
            except InvalidSpecifier:
                continue
            yield _Guard(package, specifier, f"falls back to code without {package}", path)


def _at_import(folder: str) -> Iterator[_Guard]:
    """Read what must be met or ``import`` raises: names in one file, requirements in another."""
    path = os.path.join(folder, "dependency_versions_check.py")
    checked = _names_checked(_parsed(_read(path)))
    table = _table(_parsed(_read(os.path.join(folder, "dependency_versions_table.py"))))
    for name in checked:
        requirement = requirement_of(table.get(name, ""))
        if requirement is None:
            continue
        effect = "raises ImportError at import"
        yield _Guard(canonicalize_name(requirement.name), requirement.specifier, effect, path)


def _names_checked(tree: ast.Module) -> list[str]:
    """Read ``pkgs_to_check_at_runtime``: a list, or ``"a b c".split()``."""
    for statement in tree.body:
        value = _assigned(statement, "pkgs_to_check_at_runtime")
        if isinstance(value, ast.List):
            return [str(each.value) for each in value.elts if isinstance(each, ast.Constant)]
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            text = value.func.value
            return str(text.value).split() if isinstance(text, ast.Constant) else []
    return []


def _table(tree: ast.Module) -> dict[str, str]:
    for statement in tree.body:
        value = _assigned(statement, "deps")
        if isinstance(value, ast.Dict):
            pairs = zip(value.keys, value.values, strict=True)
            return {
                str(key.value): str(item.value)
                for key, item in pairs
                if isinstance(key, ast.Constant) and isinstance(item, ast.Constant)
            }
    return {}


def _constants(tree: ast.Module) -> dict[str, str]:
    """Return the module's names that stand for a text."""
    found = {}
    for statement in tree.body:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign) and isinstance(value, ast.Constant):
            for target in statement.targets:
                if isinstance(target, ast.Name) and isinstance(value.value, str):
                    found[target.id] = value.value
    return found


def _assigned(statement: ast.stmt, name: str) -> ast.expr | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name) and target.id == name:
            return statement.value
    return None


def _text_of(node: ast.expr, constants: Mapping[str, str]) -> str:
    if isinstance(node, ast.Name):
        return constants.get(node.id, "")
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _parsed(text: str) -> ast.Module:
    return syntax_tree(text) or ast.Module([], [])


def _read(path: str) -> str:
    """Read a file; empty where there is none, as packages of other versions have other files."""
    try:
        return read_small(path, _LARGEST).decode()
    except (OSError, ValueError):
        return ""
