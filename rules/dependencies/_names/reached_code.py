"""Modules that nothing in their project names, or imports but for some versions of a package."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.questions import question
from rocmlint.project.texts import texts_with
from rocmlint.rule import compile_lazily, once_per_file, syntax_tree, whole_word
from rocmlint.rule.closed_projects import module_name, names_what_it_runs

if TYPE_CHECKING:
    from rocmlint.disk.disk import DiskView
    from rocmlint.rule import Source

_OF_LIBRARIES = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Assign, ast.AnnAssign, ast.Try),
)

_BRANCH = compile_lazily(r"\btransformers\.__version__|\bdiffusers\.__version__")
_LONGEST_CHAIN = 8


def is_leftover(found: object, source: Source) -> bool:
    """Modules that only define something, and that nothing in a project with programs names."""
    del found
    return _is_leftover(source)


@once_per_file
def _is_leftover(source: Source) -> bool:
    path, root = os.path.abspath(source.path), source.project.folders[-1]
    if path == os.path.join(root, "__init__.py"):
        return False  # a plugin, which its host imports
    if not names_what_it_runs(path, source):
        return False
    return _only_defines(source.text) and not _is_named(source)


def is_for_some_versions(found: object, source: Source) -> bool:
    """Modules that the project imports only in branches on a `__version__`, if only indirectly."""
    del found
    path = os.path.abspath(source.path)
    return _is_for_some_versions(path, source.project.folders[-1], source)


@question
def _is_for_some_versions(module: str, root: str, view: DiskView) -> bool:
    """Return whether no import of a module, nor of those that import it, is outside of branches."""
    if not view.modules_with(root, (_BRANCH.pattern,)):
        return False  # what a few projects have is looked for once in each
    waiting, seen, in_branches = [module], set[str](), False
    while waiting:
        path = waiting.pop()
        seen.add(path)
        name = module_name(path)
        imported = rf"(?m)^(?P<indent>[ \t]*)(?:from|import)\b[^\n#]*\b{re.escape(name)}\b"
        users = set(view.modules_with(root, (whole_word(name), imported))) - seen
        if len(seen) > _LONGEST_CHAIN or (not users and path != module):
            return False
        for user in users:
            text = view.read(user)
            is_in_branch = all(each["indent"] for each in re.finditer(imported, text))
            if is_in_branch and _BRANCH.search(text):
                in_branches = True
            else:
                waiting.append(user)
    return in_branches


def _only_defines(text: str) -> bool:
    """Return whether a module does nothing but define: it is not a program to be run."""
    module = syntax_tree(text)
    return module is not None and all(
        isinstance(each, _OF_LIBRARIES)
        or (isinstance(each, ast.If) and "__main__" not in ast.unparse(each.test))
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in module.body
    )


def _is_named(source: Source) -> bool:
    """Return whether code, a script or a document of the project has a module's name elsewhere."""
    path, root = os.path.abspath(source.path), source.project.folders[-1]
    name = module_name(path)
    named = rf"(?m)^[^#\n]*\b{re.escape(name)}\b"
    if not set(source.modules_with(root, (whole_word(name), named))) <= {path}:
        return True
    return bool(texts_with(root, named, source))
