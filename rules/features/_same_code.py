"""What is alike in the copies of a function in one project, so that it is reported once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.disk.state import digest
from rocmlint.paths import relative

if TYPE_CHECKING:
    import libcst as cst

    from rocmlint.rule import Finding, Source


def same_code(finding: Finding, node: cst.CSTNode, source: Source) -> str:
    """Return what is alike in the copies of a function in one project, empty outside a function."""
    function = source.function(node)
    if function is None:
        return ""
    root = relative(source.project.folders[-1], source.settings.root)
    line = source.span(node).line - source.span(function).line
    text = f"{root} {line} {finding.message} {source.text_of(function)}"
    return f"{finding.code} {digest(text.encode())}"
