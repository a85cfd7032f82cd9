"""ROC211, possibly-undeclared-torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PartRule, declared

from ._names.undeclared import (
    Undeclared,
    is_of_others,
    is_plugin,
    is_told,
    is_unknown,
    report_of,
    undeclared,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Declared, File, Finding


def is_certain(found: Undeclared, source: File) -> bool:
    """Projects where each step is proven: those are reported by undeclared-torch."""
    return not is_unknown(found, source) and not is_told(found, source)


class PossiblyUndeclaredTorch(PartRule["Declared"]):
    """A package that imports torch, where its requirements may or may not bring it.

    ## Why it matters
    Where no requirement installs torch, `import` of the package fails in a fresh environment. Here
    some requirements are unknown, or the README tells the user to install torch: then nothing
    checks which version and which build it is.

    ## Example
    ```toml
    [project]
    name = "trainer"
    version = "1"
    dependencies = ["some-framework"]
    ```
    ```python title="trainer/__init__.py"
    import torch
    ```

    ## Use instead
    ```toml
    [project]
    name = "trainer"
    version = "1"
    dependencies = ["some-framework", "torch>=2.6"]
    ```
    ```python title="trainer/__init__.py"
    import torch
    ```

    ## References
    - https://packaging.python.org/en/latest/specifications/pyproject-toml/#dependencies-optional-dependencies
    """

    code = "ROC211"
    name = "possibly-undeclared-torch"
    since = "0.1.0"
    severity = "warning"
    preview = True
    skips = frozenset({"test", "example", "docs"})
    on = declared("dependencies", "install-requires", described="requirements of a project")
    excuses = (is_certain, is_plugin, is_of_others)

    def check(self, node: Declared, source: File) -> Iterator[Finding]:
        """Find projects that import torch and do not declare it."""
        found = undeclared(node, source)
        if found is None or self.is_excused(found, source):
            return
        report = report_of(found, source)
        if report is not None:
            yield self.finding(found.anchor, source, report.message, help=report.help)
