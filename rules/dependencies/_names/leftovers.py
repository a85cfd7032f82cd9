"""Modules that nothing in their project names: leftovers, of which nobody wants to hear."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING

from rocmlint.project.environment import site_folder
from rocmlint.project.texts import texts_below
from rocmlint.rule import compile_lazily, once_per_file, syntax_tree, whole_word
from rocmlint.rule.closed_projects import (
    LOADS_WHATEVER_IS_THERE,
    distributed_package,
    has_programs,
    is_distributed,
    is_test,
    is_whole,
    module_name,
    own_project,
)

from .package_imports import files_of, holds, modules_imported
from .programs import is_pointed_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.rule import Source

    from .judgement import MissingUse

_INIT = "__init__.py"
_DEEPEST = 4
_OF_LIBRARIES = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Assign, ast.AnnAssign, ast.Try, ast.If),
)

_TRIES = compile_lazily(r"\btorch\.(?:rand|randn|randint|zeros|ones)\(")
_PROGRAM = compile_lazily(r"argparse|ArgumentParser|parse_args|\bmain\(|\bsys\.argv\b")


def is_leftover(found: MissingUse, source: Source) -> bool:
    """Modules that no program, script or document of the project reaches, directly or not.

    Programs of which nothing tells do not count where the project tells how to run others.
    """
    del found
    return _is_leftover(source)


@once_per_file
def _is_leftover(source: Source) -> bool:
    path = os.path.abspath(source.path)
    root = source.project.folders[-1]
    if not path.endswith(".py") or not is_whole(source):
        return False
    if site_folder(source.project.folder, source.disk) is not None:
        return False
    if is_run(path, source.text, root) or path == os.path.join(root, _INIT):
        return False  # a plugin, which its host imports, is a package in the root
    if source.modules_with(own_project(source), (LOADS_WHATEVER_IS_THERE,)):
        return False
    is_open = is_distributed(source) or not has_programs(source)
    if is_open and not _is_internal(path, root, source):
        return False
    chain: set[str] = set()
    if _is_used(path, root, source, chain):
        return False
    if is_open and not all(_is_internal(each, root, source) for each in chain):
        return False
    return not _is_written(sorted(chain), source)


def _is_written(chain: Sequence[str], source: Source) -> bool:
    """Return whether a text names one of the modules; one of another project by its folder, too."""
    own = os.path.join(own_project(source), "")
    near, far = "|".join(map(_by_name, chain)), "|".join(map(_by_folder, chain))
    for path in texts_below(source.project.folders[-1], source):
        names = near if path.startswith(own) else far
        if re.search(rf"\b(?:{names})\b", source.read(path)):
            return True
    return False


def _by_name(path: str) -> str:
    return re.escape(module_name(path))


def _by_folder(path: str) -> str:
    return rf"{re.escape(os.path.basename(_folder(path)))}[./\\]{_by_name(path)}"


def is_run(path: str, text: str, root: str) -> bool:
    """Return whether a file is a program, or a test, which is found by its name."""
    return is_test(path, root) or not is_library(text)


@once_per_file
def is_for_package_alone(name: str, source: Source) -> bool:
    """Return whether a file lies in a package that users install, and they import no such name."""
    package, path = distributed_package(source), os.path.abspath(source.path)
    return bool(package) and (
        _is_left_out(name, path, source) or _is_internal(path, package, source)
    )


def _is_left_out(name: str, path: str, source: Source) -> bool:
    """Return whether the package that holds a module offers names of it, but not this one."""
    init = source.read(os.path.join(os.path.dirname(path), _INIT))
    module = re.escape(module_name(path))
    chosen = re.findall(rf"^from[ \t]+[\w.]*\.{module}[ \t]+import[ \t]*[^\s*]", init, re.MULTILINE)
    mentions = re.findall(rf"\b{module}\b", init)  # others may offer all of it
    return len(mentions) == len(chosen) > 0 and re.search(rf"\b{re.escape(name)}\b", init) is None


def _is_internal(path: str, root: str, source: Source) -> bool:
    """Return whether no user of a library would import a module, as its package does that.

    It lies among some that modules of other folders import by their names. Of all other modules
    users import what they like.
    """
    if _is_offered(path, source):
        return False
    folder = os.path.dirname(path)
    package = whole_word(os.path.basename(folder))
    return any(
        os.path.dirname(file) == folder and os.path.basename(file) != _INIT and source.exists(file)
        for user in source.modules_with(root, (rf"{package}(?:\.\w|[ \t]+import\b)",))
        if os.path.dirname(user) != folder
        for file in _files_imported(user, source.read(user), source)
    )


def _is_offered(path: str, source: Source) -> bool:
    """Return whether the package that holds a module offers what is in it as its own."""
    init = os.path.join(os.path.dirname(path), _INIT)
    if init == path or not source.exists(init):
        return False
    return path in _files_imported(init, source.read(init), source)


def is_library(text: str) -> bool:
    """Return whether a module does nothing but define: it is not a program to be run.

    Nor is one that tries out, with random input, what it defines.
    """
    program = text.partition("__main__")[2]
    if "__main__" in text and (not _TRIES.search(program) or _PROGRAM.search(text)):
        return False
    module = syntax_tree(text)
    return module is not None and all(
        isinstance(each, _OF_LIBRARIES)
        or (isinstance(each, ast.Expr) and _says_nothing(each.value))
        for each in module.body
    )


def _says_nothing(value: ast.expr) -> bool:
    """Return whether an expression is a docstring, settles what is logged, or registers a class.

    What registers itself does that for those who import it.
    """
    if isinstance(value, ast.Call):
        called = ast.unparse(value.func)
        return called.startswith(("logging.", "logger.", "warnings.")) or called.endswith(
            ".register"
        )
    return isinstance(value, ast.Constant)


def _is_used(path: str, root: str, source: Source, chain: set[str]) -> bool:
    """Return whether a program of the project imports a module, if only through others.

    ``chain`` gets the modules that only modules of this chain import.
    """
    if len(chain) > _DEEPEST:
        return True
    chain.add(path)
    for user in source.modules_with(root, (whole_word(module_name(path)),)):
        if user in chain:
            continue
        text = source.read(user)
        if not (imports_module(user, path, text, source) or names_module(user, path, text)):
            continue
        is_hidden = _is_hidden_program(user, text, root, source)
        if user == os.path.join(root, _INIT) or (is_run(user, text, root) and not is_hidden):
            return True
        if _is_used(user, root, source, chain):
            return True
        if is_hidden:
            chain.discard(user)  # of which more is known than that a text has its name
    return False


def _is_hidden_program(path: str, text: str, root: str, source: Source) -> bool:
    """Return whether nothing tells to run a program, where the project tells so of others."""
    if is_test(path, root) or "__main__" not in text:
        return False
    return not is_pointed_to(path, source)


def imports_module(user: str, path: str, text: str, source: Source) -> bool:
    """Return whether a file imports a module; where nothing holds what it asks for, perhaps."""
    folders = _folders_above(user, source)
    for module in modules_imported(text):
        if module_name(path) not in module.split("."):
            continue
        holding = [each for each in folders if holds(each, module, source)]
        if any(path in files_of(module, user, each) for each in holding or [""]):
            return True
        inner = os.path.join(os.sep, *module.split("."))
        is_elsewhere = not holding and not module.startswith(".")
        if is_elsewhere and path.endswith((f"{inner}.py", os.path.join(inner, _INIT))):
            return True
    return False


def _files_imported(user: str, text: str, source: Source) -> Iterator[str]:
    """Yield where the modules of the project may lie that a file imports."""
    folders = _folders_above(user, source)
    for module in modules_imported(text):
        for folder in [each for each in folders if holds(each, module, source)] or [""]:
            yield from files_of(module, user, folder)


def _folders_above(path: str, source: Source) -> list[str]:
    """Return the folders around a file, up to the root, in which it may find what it imports."""
    found, root = [os.path.dirname(path)], source.project.folders[-1]
    while found[-1] != root and os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return [*found, *(os.path.join(each, "src") for each in found)]


def names_module(user: str, path: str, text: str) -> bool:
    """Return whether a file has a module's name in a string, far away with that of its folder."""
    stem, folder = re.escape(module_name(path)), _folder(path)
    parent = re.escape(os.path.basename(folder))
    if user.startswith(folder + os.sep) and re.search(rf"[\"'][\w./\\]*\b{stem}\b", text):
        return True
    return bool(
        re.search(rf"[\"'][^\"'\n]*\b{parent}[./\\]{stem}\b|[\"'],[ \t]*[\"']{stem}\b", text)
    )


def _folder(path: str) -> str:
    folder = os.path.dirname(path)
    return os.path.dirname(folder) if os.path.basename(path) == "__init__.py" else folder
