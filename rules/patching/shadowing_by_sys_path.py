"""ROC105, shadowing-by-sys-path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule

from ._shadowing import (
    CHANGES_PATH,
    comes_first,
    is_fallback,
    is_not_held,
    is_not_installed,
    is_not_required,
    meetings,
    once_a_project,
    origins,
    put_first,
    words_about,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class ShadowingBySysPath(PythonRule["cst.CSTNode"]):
    """Checkout is last on ``sys.path``, so the installed package wins.

    ## Why it matters
    Python takes the first package of a name on ``sys.path``. Behind ``site-packages`` the
    checkout, with its patched kernels or its fork of the model, is used only on machines where
    the package was never installed; on all others the installed one runs, and nothing says so.

    That holds for a project's own package as well, where it is one that people install from an
    index: a known one, or one whose README says ``pip install NAME``. Reported once for each
    package and project, at the first place.

    ## Example
    ```python
    import sys

    sys.path.append("/workspace/Megatron-LM")
    from megatron.core import parallel_state

    parallel_state.initialize_model_parallel()
    ```

    ## Use instead
    Put the directory in front, before the package is imported for the first time. Better, install
    the checkout (``pip install -e``) and leave ``sys.path`` alone.
    ```python
    import sys

    sys.path.insert(0, "/workspace/Megatron-LM")
    from megatron.core import parallel_state

    parallel_state.initialize_model_parallel()
    ```

    ## Fix safety
    Unsafe: everything else in the directory then hides installed packages as well.

    ## References
    - https://docs.python.org/3/library/sys.html#sys.path
    - https://docs.python.org/3/library/sys_path_init.html
    """

    code = "ROC105"
    name = "shadowing-by-sys-path"
    since = "0.1.0"
    severity = "warning"
    retired = {"ROC118": "shadowing-generic-name"}  # noqa: RUF012 - a constant of the class
    on = CHANGES_PATH
    excuses = (
        is_fallback,
        comes_first,
        is_not_held,
        is_not_installed,
    )
    doubts = (is_not_required,)

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find directories that come after an installed package of which they hold another copy."""
        found = (each for each in meetings(node, source) if not self.is_excused(each, source))
        meeting = next(found, None)
        if meeting is None:
            return
        message, advice = words_about(meeting, source)
        fix, claims = put_first(meeting, source), origins(meeting)
        severity = self.severity_of(meeting, source)
        finding = self.finding(
            node, source, message, help=advice, fix=fix, claims=claims, severity=severity
        )
        yield once_a_project(finding, meeting, source)
