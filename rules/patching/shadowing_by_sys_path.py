"""ROC105, shadowing-by-sys-path."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.paths import relative
from rocmlint.project.packages import is_installed, known_packages
from rocmlint.rule import (
    Edit,
    Fix,
    PythonRule,
    calls,
    compile_lazily,
    nodes,
    shortened,
)
from rocmlint.rule.claims import origin

from ._search_path import (
    addition,
    holds,
    imports_around,
    is_first_already,
    levels_too_high,
    lies_beside,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

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
_DISTRIBUTIONS = {
    "clip": "openai-clip",
    "open_clip": "open-clip-torch",
    "whisper": "openai-whisper",
}
_OF_CHECKOUT = compile_lazily(r"\bpip3? install (?:-e|--editable)[= ]\.(?![\w/])")
_README = ("README.md", "README.rst", "readme.md", "README")
_PATH = ("sys.path", " .path", "sys. path")
_CHANGES_PATH = (
    calls("append", "extend", "insert", words=_PATH, where=r"sys\s*\.\s*path\b")
    | calls("addsitedir")
    | nodes("AugAssign", words=_PATH, where=r"sys\s*\.\s*path\b", described="`sys.path +=`")
)


class Meeting(NamedTuple):
    """A package that is imported after a directory came to ``sys.path``, and may lie in both.

    ``imported_in`` is the line of an import before, None where there is none. ``is_next`` says
    that the import follows in the same function, before ``sys.path`` changes again; ``module`` is
    what is imported first of the package. ``is_first`` says that nothing else that is not known to
    be installed is imported before it.
    """

    node: cst.CSTNode
    added: Addition
    name: str
    imported_in: int | None
    is_next: bool
    module: str
    is_first: bool

    def holds(self, source: Source) -> set[bool | None]:
        """Yield for each directory whether it holds the package, None where nobody can tell."""
        return {holds(folder, self.name, source) for folder in self.added.folders}


def _meetings(node: cst.CSTNode, source: Source) -> Iterator[Meeting]:
    """Yield the imports that a change of ``sys.path`` is too late for, or comes last for."""
    added = addition(node, source)
    if added is None:
        return
    before, after = imports_around(node, source)
    first_lines = {each.name: each.line for each in reversed(before)}
    installed = known_packages() - _FROM_CHECKOUTS | sys.stdlib_module_names
    first = next((each.name for each in after if each.name not in installed), None)
    for name in dict.fromkeys(each.name for each in after):
        if name in first_lines or added.end == "last":
            is_next = any(each.name == name and each.next for each in after)
            module = next(each.module for each in after if each.name == name)
            yield Meeting(node, added, name, first_lines.get(name), is_next, module, name == first)


def comes_first(meeting: Meeting, source: Source) -> bool:
    """Directories that Python has first: put there above, beside the script, by pytest or a hub."""
    if meeting.imported_in is None and is_first_already(meeting.node, meeting.added, source):
        return True
    return _is_beside_script(meeting, source) or _is_run_by_another(meeting, source)


def _is_run_by_another(meeting: Meeting, source: Source) -> bool:
    """Tests of the own package, and `hubconf.py`: pytest and torch.hub put the directory first."""
    if os.path.basename(source.place) in {"conftest.py", "hubconf.py"}:
        return True
    return "test" in source.kinds and source.is_first_party(meeting.name)


def is_fallback(meeting: Meeting, source: Source) -> bool:
    """Directories that are added where an import failed (`except`)."""
    late = meeting.imported_in is not None
    return late and source.enclosing(meeting.node, cst.ExceptHandler) is not None


def _is_beside_script(meeting: Meeting, source: Source) -> bool:
    """Modules that are next to the script, where Python looks first."""
    return meeting.imported_in is None and lies_beside(meeting.name, source)


def is_not_held(meeting: Meeting, source: Source) -> bool:
    """Directories that do not hold the package, as far as the project and the path show it."""
    held = meeting.holds(source)
    if True in held:
        return False
    if _too_high(meeting, source):
        return meeting.imported_in is not None
    # Where nobody can tell what a folder holds, name and order must speak for it.
    may = None in held and meeting.is_next and meeting.name in _FROM_CHECKOUTS
    speaks = may and meeting.is_first and not source.is_first_party(meeting.name)
    return meeting.imported_in is not None or not speaks


def is_not_required(meeting: Meeting, source: Source) -> bool:
    """Neither the project's requirements nor its environment have the installed package."""
    is_late = meeting.imported_in is not None
    return not (is_late or _too_high(meeting, source) or _is_wanted(meeting.name, source))


def _is_wanted(name: str, source: Source) -> bool:
    """Check whether the project requires the installed package, or it is installed."""
    released = name.replace("_", "-")
    brings = (_DISTRIBUTIONS.get(name, released), released, f"{released}-core", f"{released}-lm")
    return any(map(source.project.requirements, brings)) or is_installed(name, source.project)


def is_not_installed(meeting: Meeting, source: Source) -> bool:
    """Packages that nothing installs: not known, not installed here, and no README says to."""
    name = meeting.name
    if name in _FROM_CHECKOUTS or name in known_packages():
        return False
    if source.is_first_party(name):
        return not _is_released(name, source)
    return not is_installed(name, source.project)


def _is_released(name: str, source: Source) -> bool:
    """Check whether the README says to install the package from an index, not the checkout."""
    written = re.escape(name).replace("_", "[-_]")
    install = re.compile(rf"\bpip3? install (?:-U |--upgrade )?[\"']?{written}(?![\w./-])")
    paths = (os.path.join(source.root, each) for each in _README)
    texts = [source.read(each) for each in paths if source.exists(each)]
    return any(map(install.search, texts)) and not any(map(_OF_CHECKOUT.search, texts))


def _words_about(meeting: Meeting, source: Source) -> tuple[str, str]:
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


def _once_a_project(finding: Finding, meeting: Meeting, source: Source) -> Finding:
    """Let the finding stand for all with the same message and package in the project."""
    if meeting.imported_in is not None:
        return finding
    root = relative(source.project.folders[-1], source.settings.root)
    return replace(finding, once=f"{finding.code} {meeting.name} {root} {finding.message}")


def _too_high(meeting: Meeting, source: Source) -> int:
    folders = meeting.added.folders
    return max((levels_too_high(each, meeting.name, source) for each in folders), default=0)


def _put_first(meeting: Meeting, source: Source) -> Fix | None:
    """Make the fix that puts the directory in front."""
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
    on = _CHANGES_PATH
    excuses = (
        is_fallback,
        comes_first,
        is_not_held,
        is_not_installed,
    )
    doubts = (is_not_required,)

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find directories that come after an installed package of which they hold another copy."""
        found = (each for each in _meetings(node, source) if not self.is_excused(each, source))
        meeting = next(found, None)
        if meeting is None:
            return
        message, advice = _words_about(meeting, source)
        # what would be true if the directory came first
        fix, claims = _put_first(meeting, source), (origin(meeting.name, meeting.module),)
        severity = self.severity_of(meeting, source)
        finding = self.finding(
            node, source, message, help=advice, fix=fix, claims=claims, severity=severity
        )
        yield _once_a_project(finding, meeting, source)
