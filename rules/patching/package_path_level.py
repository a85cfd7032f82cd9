"""ROC101, package-path-level."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.project.packages import folders_above, has_entry, is_installed, known_packages
from rocmlint.rule import Fix, PythonRule, commands, last_name, shortened, walk
from rocmlint.syntax.unparsable import UnparsableError

from ._copied_files import COPY_FUNCTIONS, claims_of_copy
from ._path_flow import BEGINS_PATH, endings, namings, readers, start_of
from ._paths import UNKNOWN, path_of, step_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, Edit, File, Finding, Source

    from ._paths import FilePath

_SITE_NAMES = frozenset({"dist-packages", "site-packages"})
_OF_ENVIRONMENT = frozenset({"DLLs", "Library", "Scripts", "conda-meta"})
"""Directories of an environment, which are not in its ``site-packages``."""
_OF_LIBRARY = sys.stdlib_module_names | _SITE_NAMES | {"lib-dynload"}
"""What is in the directory above ``site-packages``."""
_INNER_NAMES = frozenset({"configs", "layers", "models", "modules", "ops", "utils"})


class Climb(NamedTuple):
    """A path that has climbed to the directory which holds a package, and names something there.

    It ``leaves`` where it has climbed one directory higher still.
    """

    node: cst.CSTNode
    path: FilePath
    copy: cst.Call | None
    leaves: bool = False

    @property
    def package(self) -> str:
        """The top-level package at whose file the path begins."""
        return self.path.module.partition(".")[0]

    @property
    def named(self) -> str:
        """What is named first."""
        return self.path.names[0]


def is_own_package(climb: Climb, source: Source) -> bool:
    """The project's own packages: what is next to them is the project's business."""
    return source.is_first_party(climb.package)


def is_beside_package(climb: Climb, source: Source) -> bool:
    """What may well lie next to the package, which is not known to have it."""
    if climb.leaves:
        is_known = climb.package in known_packages()
        return not is_known or climb.named in _OF_LIBRARY or UNKNOWN in climb.named
    inside = has_entry(climb.package, climb.named, source.project)
    if climb.named in _OF_ENVIRONMENT:
        return False
    likely = climb.copy is not None and _may_be_inside(climb.package, climb.named, source)
    return climb.named not in _SITE_NAMES and not inside and not likely


class PackagePathLevel(PythonRule["cst.CSTNode"]):
    """Path into an installed package starts one directory too high.

    ## Why it matters
    ``Path(pkg.__file__).parent`` is the directory of the package; ``.parents[1]`` is the directory
    that holds it, ``site-packages``. Files that are copied below ``.parents[1]`` land where no
    import looks: a stray directory is made, nothing fails, and the stock file keeps running.

    ## Example
    ```python
    from pathlib import Path

    import transformers

    target = Path(transformers.__file__).parents[1] / "models" / "gemma"
    ```

    ## Use instead
    Go up one level less, and check that the file is there before it is used.
    ```python
    from pathlib import Path

    import transformers

    target = Path(transformers.__file__).parent / "models" / "gemma"
    assert target.is_dir(), target
    ```

    ## Fix safety
    Unsafe: another directory is read or written, which is the point.

    ## References
    - https://docs.python.org/3/reference/datamodel.html#module.__file__
    - https://docs.python.org/3/library/pathlib.html#pathlib.PurePath.parents
    """

    code = "ROC101"
    name = "package-path-level"
    since = "0.1.0"
    tiers = {  # noqa: RUF012 - a constant of the class, like its code
        "warning": "the path names what is neither in the package nor beside it"
    }
    on = BEGINS_PATH | commands(
        "__file__", "__path__", described="`python -c` in scripts", called=False
    )
    excuses = (is_own_package, is_beside_package)

    def check(self, node: cst.CSTNode | Command, source: Source) -> Iterator[Finding]:
        """Find what is named after climbing out of a package."""
        if not isinstance(node, cst.CSTNode):
            yield from self._in_command(node, source)
            return
        for climb in _climbs(node, source):
            if not self.is_excused(climb, source):
                copy = climb.copy
                elsewhere = climb.leaves or climb.named in _OF_ENVIRONMENT
                fixed = not elsewhere and climb.named not in _SITE_NAMES
                fix = _one_level_less(climb.node, source) if fixed else None
                claims = claims_of_copy(copy, source) if fixed and copy is not None else ()
                message, advice = _words(climb)
                severity = "warning" if elsewhere else self.severity
                yield self.finding(
                    climb.node,
                    source,
                    message,
                    help=advice,
                    fix=fix,
                    claims=claims,
                    severity=severity,
                )

    def _in_command(self, command: Command, file: File) -> Iterator[Finding]:
        """Find the same in the code of ``python -c``."""
        code = [one for zero, one in pairwise(command.words) if zero.text == "-c" and one.known]
        if not code or not command.words[0].text.rpartition("/")[2].startswith("python"):
            return
        from rocmlint.rule import Source  # noqa: PLC0415 - loads LibCST

        inner = Source(file.path, code[0].text, project=file.project)
        try:
            module = inner.module
        except UnparsableError:  # such as quotes that the shell takes away
            return
        for node in walk(module):
            if isinstance(node, cst.Attribute) and node.attr.value in {"__file__", "__path__"}:
                for each in self.check(node, inner):
                    message, advice, severity = each.message, each.help, each.severity
                    yield self.finding(code[0], file, message, help=advice, severity=severity)


def _climbs(node: cst.CSTNode, source: Source) -> Iterator[Climb]:
    start = start_of(node, source)
    path = None if start is None else path_of(start, source)
    if start is None or path is None or not path.module:
        return
    for named, target in namings(start, source):
        levels = _levels_to_site(target.module, source) if target.names else None
        if levels is not None and target.up in {levels, levels + 1}:
            yield Climb(named, target, _copy_to(named, source), target.up > levels)


def _words(climb: Climb) -> tuple[str, str]:
    """Return the message and the help."""
    package, named = climb.package, shortened(climb.named, 20)
    if named in _SITE_NAMES:
        message = f"This path climbs out of `{package}` into {named} and names {named} again"
        return message, f"Remove the second {named}."
    if climb.leaves or named in _OF_ENVIRONMENT:
        where = "above site-packages" if climb.leaves else "site-packages"
        advice = f"`{package}` is in site-packages where it is installed from a wheel."
        return f"This path leads to `{named}` in the directory {where}, where it is not", advice
    message = f"This path is site-packages/{named}, not {package}/{named}: one level too high"
    if climb.copy is None:
        return message, "Go up one level less."
    harm = f"The copy creates a stray directory and `{package}` stays unpatched."
    return message, f"Go up one level less. {harm}"


def _levels_to_site(module: str, source: Source) -> int | None:
    folders = folders_above(module, source.project)
    return None if folders is None else folders + 1


def _may_be_inside(package: str, named: str, source: Source) -> bool:
    """Return whether a package that is not known here is likely to have an entry."""
    known = package in known_packages() or is_installed(package, source.project)
    return not known and named in _INNER_NAMES


def _copy_to(node: cst.CSTNode, source: Source) -> cst.Call | None:
    """Return the call that copies something to a path."""
    for each in endings(node, source):
        argument = source.parent(each)
        call = source.parent(argument) if isinstance(argument, cst.Arg) else None
        if isinstance(call, cst.Call) and last_name(call.func) in COPY_FUNCTIONS:
            if len(call.args) > 1:
                return call if call.args[0] is not argument else None
    return None


def _one_level_less(node: cst.CSTNode, source: Source) -> Fix | None:
    edit = _lower(node, source)
    return None if edit is None else Fix("Go up one level less", (edit,))


def _lower(node: cst.CSTNode, source: Source) -> Edit | None:
    """Take away the last climb of a path expression."""
    step = step_of(node, source)
    if step is None:
        value = source.value_of(node)
        alone = value is not None and len(readers(value, source)) == 1
        return _lower(value, source) if value is not None and alone else None
    if not step.up:
        return None if ".." in step.text else _lower(step.base, source)
    span = source.span(node)
    if step.base.lpar or span.line != span.end_line:  # there may be a comment in between
        return None
    text = source.text_of(step.base)
    if isinstance(node, cst.Subscript) and step.up > 1:
        text += ".parent" if step.up == 2 else f".parents[{step.up - 2}]"
    return source.replace(node, text)
