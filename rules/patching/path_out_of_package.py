"""ROC113, path-out-of-package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, shortened

from ._escapes import escapes, is_expected_there, is_only_folder, is_prepared_for
from ._path_flow import BEGINS_PATH, start_of
from ._paths import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


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
        for escape in escapes(start, source):
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
