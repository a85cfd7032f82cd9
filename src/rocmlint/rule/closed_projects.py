"""Projects that nobody imports from: what no file there calls or names is never run."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.disk.questions import question
from rocmlint.lazy import compile_lazily
from rocmlint.project.copies import named_in, normalized
from rocmlint.project.declarations import DISTRIBUTED, says_what_to_install
from rocmlint.project.mentions import is_used
from rocmlint.project.texts import texts_below
from rocmlint.rule.shapes import last_name
from rocmlint.source.facts import once_per_file

if TYPE_CHECKING:
    from rocmlint.disk.disk import DiskView
    from rocmlint.source.file import File
    from rocmlint.source.python import Source

LOADS_WHATEVER_IS_THERE = (
    r"spec_from_file_location|iter_modules|walk_packages|load_source|exec_module|runpy"
    r"|load_entry_point|entry_points\("
)
"""What stands in a project that runs modules which no text names."""
_PROGRAM = r"(?m)__main__|\bparse_args\(|^(?:main|run|train)\(|^\w*trainer\w*\.train\("
"""What stands in a program."""
_OF_TEST = compile_lazily(r"(?:^|/)(?:tests?/|test_[^/]*$|conftest\.py$)|_test\.py$")
_SPECIAL = compile_lazily(
    r"__|test|main$|forward$|pytest_|load_tests$|(?:async_?)?(?:set_?up|tear_?down)", re.IGNORECASE
)
"""How functions begin that others call by convention."""
_HOOK = compile_lazily(r"(?:async_)?(?:on|do|pre|post|visit|handle|step)(?:_|$)|run$|call$")
"""How methods are called besides that others find by a name that they put together."""
_PLAIN = frozenset({"object", "Module", "TestCase", "IsolatedAsyncioTestCase"})
"""Bases that call methods of special names only."""
_OF_PYTEST = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


def is_in_unused_function(node: cst.CSTNode, source: Source) -> bool:
    """Functions, and methods of plain classes, that nothing in the project calls or names.

    Names of what a package only passes on do not count.
    """
    name = _run_by_name(node, source)
    if name is None or not _is_named_nowhere(name, source):
        return False
    path = os.path.abspath(source.path)
    if is_test(path, source.project.folders[-1]):
        return _are_tests_found_as_usual(source)
    return is_closed(path, source)


def _run_by_name(node: cst.CSTNode, source: Source) -> str | None:
    """Return the name by which alone the code around a node is run; None if there may be others."""
    around: list[cst.FunctionDef | cst.ClassDef] = [
        each for each in source.ancestors(node) if isinstance(each, (cst.FunctionDef, cst.ClassDef))
    ]
    if not around:
        return None
    outermost = around.pop()
    is_method = isinstance(outermost, cst.ClassDef)
    if isinstance(outermost, cst.ClassDef):
        if not around or not _is_called_by_name(outermost):
            return None
        outermost = around.pop()
    if isinstance(outermost, cst.ClassDef) or outermost.decorators:
        return None
    name: str = outermost.name.value
    return None if _SPECIAL.match(name) or (is_method and _HOOK.match(name)) else name


def _is_called_by_name(holder: cst.ClassDef) -> bool:
    """Return whether nothing but a name runs a method of a class, as a base of it may do."""
    bases = {last_name(each.value) for each in holder.bases}
    return not holder.decorators and not holder.keywords and bases <= _PLAIN


@once_per_file
def _are_tests_found_as_usual(source: Source) -> bool:
    """Return whether tests are what is called so, by no rule of the project's own."""
    root = source.project.folders[-1]
    if not is_whole(source):
        return False
    return not _has_rule_for_tests(root, source)


@question
def _has_rule_for_tests(root: str, view: DiskView) -> bool:
    texts = (view.read(os.path.join(root, name)) for name in _OF_PYTEST)
    return any("python_functions" in each or "python_classes" in each for each in texts)


@once_per_file
def _is_named_nowhere(name: str, source: Source) -> bool:
    root = source.project.folders[-1]
    if not is_whole(source):
        return False
    return not is_used(name, root, source)


@once_per_file
def is_whole(source: File) -> bool:
    """Return whether all of the project is known: not where a file alone is linted, in no project.

    What says so is a repository, a directory that is linted, or what is to be installed.
    """
    root = source.project.folders[-1]
    return (
        source.exists(os.path.join(root, ".git"))
        or root == source.settings.linted
        or says_what_to_install(root, source)
    )


@once_per_file
def own_project(source: File) -> str:
    """Return the outermost folder that says what to install: of a heap of projects the file's."""
    folders = source.project.folders
    saying = (each for each in reversed(folders) if says_what_to_install(each, source))
    return next(saying, folders[-1])


@once_per_file
def is_closed(path: str, source: Source) -> bool:
    """Return whether only the project itself runs what is in a module: nobody else imports it."""
    return names_what_it_runs(path, source) and not is_distributed(source)


def names_what_it_runs(path: str, source: Source) -> bool:
    """Return whether a project has programs, and none that loads modules without their names."""
    if not path.endswith(".py") or not is_whole(source):
        return False
    own = own_project(source)
    if source.modules_with(own, (LOADS_WHATEVER_IS_THERE,)):
        return False
    return not is_test(path, source.project.folders[-1]) and has_programs(source)


@once_per_file
def has_programs(source: File) -> bool:
    """Return whether a project has programs or notebooks of its own, and is no library alone."""
    root = source.project.folders[-1]
    return bool(source.modules_with(root, (_PROGRAM,))) or any(
        each.endswith(".ipynb") for each in texts_below(root, source)
    )


def module_name(path: str) -> str:
    """Return what imports call a module: of a package the name of its folder."""
    stem = os.path.basename(path).removesuffix(".py")
    return os.path.basename(os.path.dirname(path)) if stem == "__init__" else stem


def is_test(path: str, root: str) -> bool:
    """Check whether a module is a test by its name, or lies among tests."""
    return _OF_TEST.search(os.path.relpath(path, root).replace(os.sep, "/")) is not None


def is_distributed(source: File) -> bool:
    """Return whether a package that a project builds holds the file: its users may import it."""
    return bool(distributed_package(source))


@once_per_file
def distributed_package(source: File) -> str:
    """Return the folder of the package with the file that a project builds, "" where none does.

    Where one of the packages beside has the name of the project, it is the one that is built.
    """
    path = os.path.abspath(source.path)
    for folder in source.project.folders:
        names = _names_of_project(folder, source)
        base = folder
        if path.startswith(os.path.join(folder, "src", "")):
            base = os.path.join(folder, "src")
        top = os.path.relpath(path, base).split(os.sep)[0]
        if names is not None and source.exists(os.path.join(base, top, "__init__.py")):
            is_built = _plain(top) in names or not _is_beside(" ".join(names), base, source)
            return os.path.join(base, top) if is_built else ""
    return ""


@question
def _names_of_project(folder: str, view: DiskView) -> tuple[str, ...] | None:
    """Return the plain names that the files of a folder give what is built; None without a file."""
    marks = (os.path.join(folder, name) for name in DISTRIBUTED)
    text = "\n".join(view.read(each) for each in marks if view.exists(each))
    return tuple(sorted({_plain(each) for each in named_in(text)})) if text else None


@question
def _is_beside(names: str, folder: str, view: DiskView) -> bool:
    """Return whether a folder holds one of several names (plain, apart by blanks)."""
    return not {_plain(each) for each in view.names_in(folder)}.isdisjoint(names.split())


def _plain(name: str) -> str:
    return normalized(name).replace("-", "")
