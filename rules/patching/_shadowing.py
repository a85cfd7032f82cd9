"""Folders on ``sys.path`` and the installed packages of the same name that they meet."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.project.packages import is_installed, known_packages
from rocmlint.rule import Edit, Fix, calls, nodes, shortened
from rocmlint.rule.claims import origin

from ._search_path import (
    addition,
    holds,
    imports_around,
    is_added_above,
    levels_too_high,
    lies_beside,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Claim, Source

    from ._search_path import Addition

_FROM_CHECKOUTS = frozenset(
    {
        "audiocraft",
        "clip",
        "detectron2",
        "diffsynth",
        "encodec",
        "fairseq",
        "fastchat",
        "groundingdino",
        "lavis",
        "llava",
        "lm_eval",
        "mamba_ssm",
        "matcha",
        "megatron",
        "open_clip",
        "sam2",
        "segment_anything",
        "taming",
        "whisper",
    }
)
"""Packages that some take from a checkout and others install."""
_README = ("README.md", "README.rst", "readme.md", "README")
_PATH = ("sys.path", " .path", "sys. path")
CHANGES_PATH = (
    calls("append", "extend", "insert", words=_PATH, where=r"sys\s*\.\s*path\b")
    | calls("addsitedir")
    | nodes("AugAssign", words=_PATH, where=r"sys\s*\.\s*path\b", described="`sys.path +=`")
)
"""Where :func:`meetings` may find something."""


class Meeting(NamedTuple):
    """A package that is imported after a folder came to ``sys.path``, and may lie in both.

    ``imported_in`` is the line of an import before, None where there is none. ``is_next`` says
    that the import follows in the same function, before ``sys.path`` changes again; ``module`` is
    what is imported first of the package.
    """

    node: cst.CSTNode
    added: Addition
    name: str
    imported_in: int | None
    is_next: bool
    module: str

    def holds(self, source: Source) -> set[bool | None]:
        """Say of each folder whether it holds the package, None where nobody can tell."""
        return {holds(folder, self.name, source) for folder in self.added.folders}


def meetings(node: cst.CSTNode, source: Source) -> Iterator[Meeting]:
    """Yield the imports that a change of ``sys.path`` is too late for, or comes last for."""
    added = addition(node, source)
    if added is None:
        return
    before, after = imports_around(node, source)
    first_lines = {each.name: each.line for each in reversed(before)}
    for name in dict.fromkeys(each.name for each in after):
        if name in first_lines or added.end == "last":
            is_next = any(each.name == name and each.next for each in after)
            module = next(each.module for each in after if each.name == name)
            yield Meeting(node, added, name, first_lines.get(name), is_next, module)


def is_first_already(meeting: Meeting, source: Source) -> bool:
    """Folders that a statement above puts at the front of `sys.path`."""
    return meeting.imported_in is None and is_added_above(meeting.node, meeting.added, source)


def is_run_by_another(meeting: Meeting, source: Source) -> bool:
    """Tests of the own package, and `hubconf.py`: pytest and torch.hub put the folder first."""
    if os.path.basename(source.place) in {"conftest.py", "hubconf.py"}:
        return True
    return "test" in source.kinds and source.is_first_party(meeting.name)


def is_fallback(meeting: Meeting, source: Source) -> bool:
    """Folders that are added where an import failed (`except`)."""
    late = meeting.imported_in is not None
    return late and source.enclosing(meeting.node, cst.ExceptHandler) is not None


def is_beside_script(meeting: Meeting, source: Source) -> bool:
    """Modules that lie beside the script, where Python looks first."""
    return meeting.imported_in is None and lies_beside(meeting.name, source)


def is_not_held(meeting: Meeting, source: Source) -> bool:
    """Folders that do not hold the package, as far as the project and the written path show it."""
    held = meeting.holds(source)
    if True in held:
        return False
    # Where nobody can tell what a folder holds, name and order must speak for it.
    speaks = None in held and meeting.is_next and meeting.name in _FROM_CHECKOUTS
    return meeting.imported_in is not None or not speaks


def is_never_installed(meeting: Meeting, source: Source) -> bool:
    """Packages that nobody installs: not known, not installed here, and no README says to."""
    name = meeting.name
    if name in _FROM_CHECKOUTS or name in known_packages():
        return False
    if source.is_first_party(name):
        return not _is_released(name, source)
    return not is_installed(name, source.project)


def _is_released(name: str, source: Source) -> bool:
    """Check whether the README of the project says to install the package from an index."""
    written = re.escape(name).replace("_", "[-_]")
    install = re.compile(rf"\bpip3? install (?:-U |--upgrade )?[\"']?{written}(?![\w./-])")
    paths = (os.path.join(source.root, each) for each in _README)
    return any(install.search(source.read(each)) for each in paths if source.exists(each))


def words_about(meeting: Meeting, source: Source) -> tuple[str, str]:
    """Return the message and the help."""
    name = shortened(meeting.name, 24)
    if meeting.imported_in is not None:
        return (
            (
                f"This directory comes too late: `{name}` was imported on "
                f"{source.named_line(meeting.imported_in)}"
            ),
            "Put it on `sys.path` above that import.",
        )
    levels = _too_high(meeting, source)
    if levels:
        above = "one level" if levels == 1 else f"{levels} levels"
        return (
            f"This directory is {above} above the project, so it does not contain `{name}`",
            f"Climb {above} less, and put the directory first: `sys.path.insert(0, ...)`.",
        )
    return (
        f"An installed `{name}` takes precedence over this directory at the end of `sys.path`",
        (
            "Put the directory first with `sys.path.insert(0, ...)`, or install the checkout with "
            "`pip install -e`."
        ),
    )


def origins(meeting: Meeting) -> tuple[Claim, ...]:
    """Return what would be true if the folder came first."""
    return (origin(meeting.name, meeting.module),)


def _too_high(meeting: Meeting, source: Source) -> int:
    folders = meeting.added.folders
    return max((levels_too_high(each, meeting.name, source) for each in folders), default=0)


def put_first(meeting: Meeting, source: Source) -> Fix | None:
    """Make the fix that puts the folder in front."""
    node = meeting.node
    if meeting.imported_in is not None or _too_high(meeting, source):
        return None
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    title = "Put the directory first"
    if node.func.attr.value == "insert":
        return Fix(title, (source.replace(node.args[0].value, "0"),))
    if node.func.attr.value == "append":
        method = source.replace(node.func.attr, "insert")
        place = source.span(meeting.added.folders[0])
        index = Edit(place.line, place.column, place.line, place.column, "0, ")
        return Fix(title, (method, index))
    return None
