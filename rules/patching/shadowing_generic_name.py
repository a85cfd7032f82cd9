"""ROC118, shadowing-generic-name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule

from ._shadowing import (
    CHANGES_PATH,
    Meeting,
    is_beside_script,
    is_first_already,
    is_installed_editable,
    is_never_installed,
    is_never_run,
    is_not_held,
    is_unused,
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

_GENERIC = frozenset({"models", "trainer", "utils"})
"""Folders of many checkouts that some distributions install as well."""


def is_imported_before(meeting: Meeting, source: Source) -> bool:
    """Names that were imported before the directory is added."""
    del source
    return meeting.imported_in is not None


def is_found_by_other_rule(meeting: Meeting, source: Source) -> bool:
    """Names that are installed here: those are reported by shadowing-by-sys-path."""
    return not is_never_installed(meeting, source)


class ShadowingGenericName(PythonRule["cst.CSTNode"]):
    """A checkout at the end of ``sys.path`` with a directory that many distributions install too.

    ## Why it matters
    ``models``, ``utils`` and ``trainer`` are top-level directories of many checkouts, and some
    distributions install a package of that name by mistake. It stands before a directory that was
    appended to ``sys.path``, so on that machine the wrong ``utils`` is imported.

    ## Example
    ```python
    import sys

    sys.path.append("/workspace/utils")
    import utils

    utils.seed_everything(42)
    ```

    ## Use instead
    Put the directory in front, or give the package a name of its own and install it.
    ```python
    import sys

    sys.path.insert(0, "/workspace/utils")
    import utils

    utils.seed_everything(42)
    ```

    ## Fix safety
    Unsafe: everything else in the directory then hides installed packages as well.

    ## References
    - https://docs.python.org/3/library/sys_path_init.html
    """

    code = "ROC118"
    name = "shadowing-generic-name"
    since = "0.1.0"
    severity = "warning"
    preview = True
    on = CHANGES_PATH
    excuses = (
        is_imported_before,
        is_beside_script,
        is_first_already,
        is_not_held,
        is_installed_editable,
        is_unused,
        is_found_by_other_rule,
        is_never_run,
    )

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find appended directories that hold a package with a generic name."""
        for meeting in meetings(node, source):
            if meeting.name in _GENERIC and not self.is_excused(meeting, source):
                message, advice = words_about(meeting, source)
                fix, claims = put_first(meeting, source), origins(meeting)
                finding = self.finding(node, source, message, help=advice, fix=fix, claims=claims)
                yield once_a_project(finding, meeting, source)
                return
