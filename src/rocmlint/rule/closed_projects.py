"""Projects that nobody imports from: what no file there calls or names is never run."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.lazy import compile_lazily
from rocmlint.project.copies import named_in, normalized
from rocmlint.project.texts import texts_below
from rocmlint.source.facts import once_per_file

if TYPE_CHECKING:
    from rocmlint.source.python import Source

LOADS_WHATEVER_IS_THERE = (
    r"spec_from_file_location|iter_modules|walk_packages|load_source|exec_module|runpy"
    r"|load_entry_point|entry_points\("
)
"""What stands in a project that runs modules which no text names."""
_DISTRIBUTED = ("pyproject.toml", "setup.py", "setup.cfg", "PKG-INFO")
_OF_TEST = compile_lazily(r"(?:^|/)(?:tests?/|test_[^/]*$|conftest\.py$)|_test\.py$")
_SPECIAL = compile_lazily(r"__|test|main$|setup$|forward$")
"""How functions begin that others call by convention."""
_REEXPORTS = compile_lazily(
    r"^from[ \t]+\.[\w.]*[ \t]+import[ \t]*(?:\((?:(?!\bas\b)[^()])*\)|(?:(?!\bas\b)[^(\n])*$)"
    r"|^__all__\b[^\[(\n]*[\[(][^\])]*[\])]",
    re.MULTILINE,
)
"""What a package only passes on."""


def is_in_unused_function(node: cst.CSTNode, source: Source) -> bool:
    """Check whether a function at the top of a module is never run, as nothing names it."""
    outermost = None
    for each in source.ancestors(node):
        if isinstance(each, cst.ClassDef):
            return False
        if isinstance(each, cst.FunctionDef):
            outermost = each
    if outermost is None or outermost.decorators:
        return False
    return _is_named_nowhere(outermost.name.value, source)


@once_per_file
def _is_named_nowhere(name: str, source: Source) -> bool:
    if _SPECIAL.match(name) or not is_closed(os.path.abspath(source.path), source):
        return False
    root = source.project.folders[-1]
    word = rf"\b{name}\b"
    in_code = re.compile(rf"^[^#\n]*(?<!\bdef ){word}", re.MULTILINE)
    if any(in_code.search(_used(each, source)) for each in source.modules_with(root, (word,))):
        return False
    return not any(re.search(word, source.read(each)) for each in texts_below(root, source))


def _used(path: str, source: Source) -> str:
    """Return the text of a module without what a package only passes on."""
    text = source.read(path)
    return _REEXPORTS.sub("", text) if os.path.basename(path) == "__init__.py" else text


@once_per_file
def is_closed(path: str, source: Source) -> bool:
    """Return whether only the project itself runs what is in a module: nobody else imports it."""
    root = source.project.folders[-1]
    if not path.endswith(".py") or not source.exists(os.path.join(root, ".git")):
        return False
    if source.modules_with(root, (LOADS_WHATEVER_IS_THERE,)) or is_test(path, root):
        return False
    return not is_distributed(source) and bool(source.modules_with(root, ("__main__",)))


def is_test(path: str, root: str) -> bool:
    """Check whether a module is a test by its name, or lies among tests."""
    return _OF_TEST.search(os.path.relpath(path, root).replace(os.sep, "/")) is not None


def is_distributed(source: Source) -> bool:
    """Return whether a package that a project builds holds the file: its users may import it.

    Where one of the packages beside has the name of the project, it is the one that is built.
    """
    path = os.path.abspath(source.path)
    for folder in source.project.folders:
        marks = [os.path.join(folder, name) for name in _DISTRIBUTED]
        text = "\n".join(source.read(each) for each in marks if source.exists(each))
        base = folder
        if path.startswith(os.path.join(folder, "src", "")):
            base = os.path.join(folder, "src")
        top = os.path.relpath(path, base).split(os.sep)[0]
        if text and source.exists(os.path.join(base, top, "__init__.py")):
            names = {_plain(each) for each in named_in(text)}
            beside = {_plain(each) for each in source.names_in(base)}
            return _plain(top) in names or not names & beside
    return False


def _plain(name: str) -> str:
    return normalized(name).replace("-", "")
