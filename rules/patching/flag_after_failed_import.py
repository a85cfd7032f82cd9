"""ROC112, flag-after-failed-import."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    Fix,
    PythonRule,
    compile_lazily,
    constant,
    nodes,
    shortened,
    statements,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_FLAGS = ("HAS_", "HAVE_", "_HAS_", "_HAVE_")
_IMPORT_ERRORS = ("Exception", "ImportError", "ModuleNotFoundError")
_FLAG_AFTER_FAILURE = compile_lazily(
    rf"except[\s\\(]+(?:{'|'.join(_IMPORT_ERRORS)})[\s\\)]*:"
    rf"\s*(?:{'|'.join(_FLAGS)})\w+[\s\\]*=[\s\\(]*True\b"
)


class FlagAfterFailedImport(PythonRule["cst.Assign"]):
    """Availability flag is set to true although the import has failed.

    ## Why it matters
    The code behind the flag runs without the package: it stops with a NameError far away, or
    takes a path that computes something else.

    ## Example
    ```python
    try:
        import aiter
        HAS_AITER = True
    except ImportError:
        HAS_AITER = True
    ```

    ## Use instead
    ```python
    try:
        import aiter
        HAS_AITER = True
    except ImportError:
        HAS_AITER = False
    ```

    ## Fix safety
    Unsafe: code that ran by mistake is skipped from then on, which is the point.

    ## References
    - https://docs.python.org/3/library/exceptions.html#ImportError
    """

    code = "ROC112"
    name = "flag-after-failed-import"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = nodes(
        "Assign",
        words=_FLAGS,
        where=rf"^{_FLAG_AFTER_FAILURE.pattern}",
        described="flags set where an import failed",
    )

    def check(self, node: cst.Assign, source: Source) -> Iterator[Finding]:
        """Find ``except ImportError: HAS_X = True``."""
        target = node.targets[0].target
        if not isinstance(target, cst.Name) or not target.value.startswith(_FLAGS):
            return
        if constant(node.value) != "True" or not _follows_failed_import(node, source):
            return
        message = f"`{shortened(target.value)}` is set to True where the import has failed"
        advice = "Set it to False here: the code that it guards runs without the package."
        fix = Fix("Set it to False", (source.replace(node.value, "False"),))
        yield self.finding(node, source, message, help=advice, fix=fix)


def _follows_failed_import(node: cst.Assign, source: Source) -> bool:
    """Return whether a flag is set where a ``try`` with an import in it failed."""
    handler = source.enclosing(node, cst.ExceptHandler)
    failed = None if handler is None else source.parent(handler)
    if handler is None or not isinstance(failed, cst.Try):
        return False
    if not isinstance(source.parent(failed), cst.Module):
        return False
    place = source.span(handler)
    start = source.offset_of(place.line) + place.column - 1
    return _FLAG_AFTER_FAILURE.match(source.code, start) is not None and any(
        isinstance(each, (cst.Import, cst.ImportFrom)) for each in statements(failed.body)
    )
