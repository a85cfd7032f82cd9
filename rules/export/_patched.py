"""What is wrong with the patched classes of a file, worked out once for all rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from inspect import cleandoc
from textwrap import fill
from typing import TYPE_CHECKING

from rocmlint.errors import ConfigError
from rocmlint.models.patches.kinds import KINDS
from rocmlint.models.patches.project import ASSIGNED, check_text, folders_of, may_patch
from rocmlint.rule import PythonRule, Span, assignments, calls, nodes, once_per_file, strings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.models.patches.problems import Place, Problem
    from rocmlint.rule import Finding, Severity, Source

PATCHES = (
    assignments("_PATCHED_CLASS_", "PATCHES")
    | calls("Patch", "patch_attribute", "register_patch")
    | nodes("Assign", words=("patched_",), where=ASSIGNED)
    | strings(r"\[patch:|manual patch", words=("[patch:", "manual patch"))
)
"""What stands in each file with a patch."""

_EXPLAINING = "ROC851"
"""The rule whose page says what is read."""
_EXPLAINED = (
    "What counts as a patch, and which version of the library is read, is told as for "
    "patched-class-missing (ROC851)."
)
_REFERENCES = """References
- https://docs.pytorch.org/docs/stable/export.html
- https://github.com/sdpython/onnx-diagnostic"""
_WIDTH = 96
_BLOCKS = re.compile(r"\n(?=```\w)")


@dataclass(frozen=True)
class _Spot:
    """The place of a problem, as findings take it."""

    span: Span


class PatchRule(PythonRule["cst.CSTNode"]):
    """A rule that reports some kinds of problems of patched classes."""

    since = "0.1.0"
    on = PATCHES
    profile = "export"

    def __init_subclass__(cls) -> None:
        """Complete the page: the docstring of a rule has only what is its own."""
        super().__init_subclass__()
        if cls.__doc__:  # python -OO removes it
            cls.__doc__ = _completed(cleandoc(cls.__doc__), cls.code)

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Report the problems of the whole file, wherever in it a patch is seen."""
        del node
        for each in problems(source):
            if each.rule == self.code:
                yield self._finding(each, source)

    def _finding(self, problem: Problem, source: Source) -> Finding:
        place = problem.place
        severity: Severity = "error" if problem.gravity == "error" else "warning"
        spot = _Spot(_span(place))
        finding = self.finding(
            spot,
            source,
            problem.message,
            help=problem.help,
            severity=severity,
        )
        where = f"{place.line}:{place.column}"
        return replace(finding, once=f"{self.code} {source.path} {where} {problem.message}")


def _completed(page: str, code: str) -> str:
    """Add the kinds of problems, the files that no example changes, and the references."""
    summary, about, example, instead = page.split("\n\n## ")
    if code != _EXPLAINING:
        kinds = [f"``{name}``" for name, kind in KINDS.items() if kind.rule == code]
        named = "The kind for" if len(kinds) == 1 else "Kinds for"
        told = f"{_EXPLAINED} {named} ``_PATCH_ALLOWS_``: {', '.join(kinds)}."
        about += "\n\n" + fill(told, _WIDTH, break_on_hyphens=False)
    title, *changed = _BLOCKS.split(instead)
    same = [each for each in _BLOCKS.split(example)[1:] if each.partition("\n")[0] not in instead]
    instead = "\n".join((title, *same, *changed))
    return f"{summary}\n\n## {about}\n\n## {example}\n\n## {instead}\n\n## {_REFERENCES}"


def _span(place: Place) -> Span:
    return Span(place.line, place.column, place.end_line, place.end_column)


@once_per_file
def problems(source: Source) -> tuple[Problem, ...]:
    """Return what is wrong with the patches of a file; nothing where no library can be read."""
    from rocmlint.models.patches.check import patched_twice, with_problems  # noqa: PLC0415
    from rocmlint.models.patches.library import Library  # noqa: PLC0415

    if not may_patch(source.text):
        return ()
    own = folders_of(source.path, source.project, source)
    library = Library((*own, *source.project.site_folders), source)
    try:
        checked = check_text(source.path, source.text, library, source.project)
    except ConfigError:
        return ()  # the command tells what is wrong with the lock file
    if checked is None:
        return ()
    return with_problems(checked, patched_twice([checked])).problems
