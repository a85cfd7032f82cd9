"""ROC206, undeclared-torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PartRule, declared

from ._names.undeclared import is_of_others, is_plugin, is_told, is_unknown, report_of, undeclared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Declared, File, Finding


class UndeclaredTorch(PartRule["Declared"]):
    """Package imports torch but does not require it.

    ## Why it matters
    In a fresh environment `import` of the package fails, or the user installs torch at last and
    gets PyPI's build for CUDA. Most often the author has torch from `transformers` or
    `diffusers`, which bring it only with their extra `torch`: nothing then checks its version.

    Reported once a project, where the import of the package runs `import torch` without a
    condition, and the metadata of all that is declared has no torch.

    ## Example
    ```toml
    [project]
    name = "trainer"
    version = "1"
    dependencies = ["diffusers", "numpy"]
    ```
    ```python title="trainer/__init__.py"
    import torch
    ```

    ## Use instead
    Declare `torch`, with the oldest version that the code runs with, or `diffusers[torch]`. If
    torch is left out on purpose, because the right build depends on the machine, say so in a
    comment in that file or in the README.
    ```toml
    [project]
    name = "trainer"
    version = "1"
    dependencies = ["diffusers", "numpy", "torch>=2.6"]
    ```
    ```python title="trainer/__init__.py"
    import torch
    ```

    ## References
    - https://packaging.python.org/en/latest/specifications/pyproject-toml/#dependencies-optional-dependencies
    """

    code = "ROC206"
    name = "undeclared-torch"
    since = "0.1.0"
    severity = "warning"
    retired = {  # noqa: RUF012 - a constant of the class, like its code
        "ROC211": "possibly-undeclared-torch"
    }
    skips = frozenset({"test", "example", "docs"})
    on = declared("dependencies", "install-requires", described="requirements of a project")
    excuses = (is_plugin, is_of_others)
    doubts = (is_unknown, is_told)

    def check(self, node: Declared, source: File) -> Iterator[Finding]:
        """Find projects that import torch and do not declare it."""
        found = undeclared(node, source)
        if found is None or self.is_excused(found, source):
            return
        report = report_of(found, source)
        if report is not None:
            how_sure = self.severity_of(found, source)
            yield self.finding(
                found.anchor, source, report.message, help=report.help, severity=how_sure
            )
