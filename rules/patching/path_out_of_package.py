"""ROC113, path-out-of-package."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.project.environment import site_folder
from rocmlint.project.packages import is_installed, known_packages
from rocmlint.rule import PythonRule, compile_lazily, last_name, shortened, string_value

from ._path_flow import BEGINS_PATH, endings, namings, start_of
from ._paths import UNKNOWN, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    from ._paths import FilePath

_WHOLE_TREE = frozenset({"copytree", "move", "rmtree"})
_FORGIVING = frozenset({"add_argument", "get", "getenv", "glob", "iglob", "rglob", "setdefault"})
"""Calls that take a default, or that find nothing without an error."""
_EXISTENCE = compile_lazily(r"\b(?:access|exists|is_?dir|is_?file)\s*\(")
_SEARCH_PATH = compile_lazily(r"\bsys\s*\.\s*path\b")
_OF_THE_ENVIRONMENT = frozenset(
    {"bin", "etc", "include", "lib", "lib64", "share", "DLLs", "Lib", "Library", "Scripts"}
)
_OF_DEVELOPERS = frozenset({"doc", "docs", "test", "tests"})
"""Folders of a checkout that only those who work on it use."""
_OF_THE_INSTALLER = (".data", ".dist-info", ".egg-info", ".egg-link", ".git", ".libs", ".pth")


class Escape(NamedTuple):
    """A path from the own file that leaves the installed package.

    ``named`` is what it names first in ``folder``, "" where that directory itself is meant.
    """

    node: cst.CSTNode
    folder: str
    named: str


def _escapes(start: cst.CSTNode, source: Source) -> Iterator[Escape]:
    """Yield where a path from the own file leads out of the installed package."""
    site = site_folder(source.project.folder, source.disk)
    if site is None:
        return
    for node, path in namings(start, source):
        folder = _folder(path, source, site)
        if folder is not None and not folder.startswith(f"{site}/"):
            yield Escape(node, folder, path.names[0] if path.names else "")


def is_only_folder(escape: Escape, source: Source) -> bool:
    """The directory above the package itself, unless all of it is copied, moved or deleted."""
    return not escape.named and _call_around(escape.node, source) not in _WHOLE_TREE


def is_expected_there(escape: Escape, source: Source) -> bool:
    """What is there, or belongs there: other packages, `bin`, `lib`, `tests`, files of pip."""
    named = escape.named
    return named != "" and (
        UNKNOWN in named
        or named.endswith(_OF_THE_INSTALLER)
        or named in _OF_THE_ENVIRONMENT | _OF_DEVELOPERS
        or named in known_packages()
        or is_installed(named, source.project)
        or source.exists(os.path.join(escape.folder, named))
        or any(binding.kind == "import" for binding in source.names.in_module(named))
    )


def is_prepared_for(escape: Escape, source: Source) -> bool:
    """Paths that may be missing: the code tests them, catches the error, or has another one.

    Written for pytorch/ao, torchao/experimental/ops/mps/utils.py.
    """
    if not escape.named:
        return False
    ends = endings(escape.node, source)
    return _is_bound_again(escape.node, source) or any(_may_be_missing(e, source) for e in ends)


def _folder(path: FilePath, source: Source, site: str) -> str | None:
    """Return the folder that the path has climbed to."""
    base = os.path.abspath(source.path)
    if path.module:
        base = os.path.join(site, *path.module.split("."))
        base = os.path.join(base, "__init__.py") if source.is_folder(base) else f"{base}.py"
        if not source.is_file(base):
            return None
    for _ in range(path.up):
        base = os.path.dirname(base)
    return base.replace(os.sep, "/")


def _is_bound_again(node: cst.CSTNode, source: Source) -> bool:
    """Return whether the variable that gets the path may have another value."""
    statement = source.parent(node)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    return isinstance(target, cst.Name) and len(source.bindings(target.value, node)) > 1


def _may_be_missing(node: cst.CSTNode, source: Source) -> bool:
    below = node
    for above in source.ancestors(node):
        if isinstance(above, cst.FunctionDef):
            return False
        if isinstance(above, (cst.BooleanOperation, cst.ExceptHandler)):
            return True
        if isinstance(above, cst.Try) and above.body is below:
            return bool(above.handlers)
        if isinstance(above, (cst.List, cst.Set, cst.Tuple)):  # candidates, unless it is a command
            return not any(string_value(each.value) for each in above.elements)
        if isinstance(above, cst.Call) and last_name(above.func) in _FORGIVING:
            return True
        if isinstance(above, (cst.Assert, cst.If, cst.IfExp, cst.While)) and above.test is below:
            asks = _EXISTENCE.search(source.text_of(above.test)) is not None
            return asks and not (isinstance(above, cst.If) and _is_search_path_in(above, source))
        below = above
    return False


def _is_search_path_in(test: cst.If, source: Source) -> bool:
    """Return whether all that is asked for is a folder to import from: the import fails then."""
    return _SEARCH_PATH.search(source.text_of(test.body)) is not None


def _call_around(node: cst.CSTNode, source: Source) -> str | None:
    argument = source.parent(node)
    call = source.parent(argument) if isinstance(argument, cst.Arg) else None
    return last_name(call.func) if isinstance(call, cst.Call) else None


class PathOutOfPackage(PythonRule["cst.CSTNode"]):
    """Path leads from an installed package to files only its checkout has.

    ## Why it matters
    Where the author works, the directory above the package is the checkout, with its scripts, data
    and submodules. Where users install the package it is ``site-packages``: the file is missing,
    or the copy of "the project" takes every other package along.

    ## Example
    ```python title="lib/python3.11/site-packages/speechlab/score.py"
    from pathlib import Path

    ROOT = Path(__file__).resolve().parents[1]
    SCRIPT = (ROOT / "recipes" / "score.pl").read_text()
    ```
    ```text title="lib/python3.11/site-packages/speechlab-1.0.dist-info/METADATA"
    Name: speechlab
    ```

    ## Use instead
    Put the file into the package, or let the user pass the path.
    ```python title="lib/python3.11/site-packages/speechlab/score.py"
    from importlib.resources import files

    SCRIPT = (files("speechlab") / "recipes" / "score.pl").read_text()
    ```
    ```text title="lib/python3.11/site-packages/speechlab-1.0.dist-info/METADATA"
    Name: speechlab
    ```

    ## References
    - https://docs.python.org/3/library/importlib.resources.html
    - https://setuptools.pypa.io/en/latest/userguide/datafiles.html
    """

    code = "ROC113"
    name = "path-out-of-package"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"benchmark", "docs", "example", "script", "setup", "test"})
    on = BEGINS_PATH
    excuses = (is_only_folder, is_expected_there, is_prepared_for)

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find where the file of an installed package looks for what is not installed."""
        start = start_of(node, source)
        path = None if start is None else path_of(start, source)
        if start is None or path is None or _is_of_other_package(path.module, source):
            return
        for escape in _escapes(start, source):
            if not self.is_excused(escape, source):
                what = (
                    f"where there is no `{shortened(escape.named, 30)}`"
                    if escape.named
                    else "and takes all of site-packages"
                )
                message = f"This path leaves the installed package, {what}"
                advice = (
                    "Ship the file in the package, or let the user pass the path. Only a source "
                    "checkout has it there."
                )
                yield self.finding(escape.node, source, message, help=advice)


def _is_of_other_package(module: str, source: Source) -> bool:
    return module != "" and not source.is_first_party(module.partition(".")[0])
