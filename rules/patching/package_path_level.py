"""ROC101, package-path-level."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import (
    folders_above,
    has_entry,
    is_installed,
    known_packages,
)
from rocmlint.rule import Fix, PythonRule, attributes, calls, last_name, nodes, walk

from ._copied_files import COPY_FUNCTIONS, claims_of_copy
from ._escapes import escapes
from ._path_flow import endings, namings, readers
from ._paths import FOLDER_LISTS, path_of, step_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Edit, Finding, Source

    from ._paths import FilePath

_SITE_NAMES = frozenset({"dist-packages", "site-packages"})
_RESOURCES = ("importlib.resources", "importlib_resources", "importlib import resources")
_INNER_NAMES = frozenset({"configs", "layers", "models", "modules", "ops", "utils"})


class PackagePathLevel(PythonRule["cst.CSTNode"]):
    """A path into an installed package that starts one folder too high.

    ## Why it matters
    ``Path(pkg.__file__).parent`` is the folder of the package; ``.parents[1]`` is the folder that
    holds it, ``site-packages``. Files that are copied below ``.parents[1]`` land where no import
    looks: a stray folder is made, nothing fails, and the stock file keeps running.

    ## Instead
    Climb one level less, and check that the file is there before it is used:

        target = Path(transformers.__file__).parent / "models" / "gemma"
        assert target.is_dir(), target

    With ``--preview`` the rule also reads installed packages, and finds where they climb out of
    themselves to something that only their source checkout has.

    ## Fix safety
    Unsafe: another folder is read or written, which is the point.

    ## Source
    Seed 000, "The parents[N] trap".
    """

    code = "ROC101"
    name = "package-path-level"
    since = "0.1.0"
    on = (
        attributes("__file__", words=(".__file__",), where=r"\.\s*__file__\b")
        | attributes("__path__", words=(".__path__",), where=r"\.\s*__path__\b")
        | attributes("submodule_search_locations")
        | attributes("origin", words=("find_spec", ".__spec__"), where=r"\.\s*origin\b")
        | calls("getfile", "getsourcefile", "getabsfile")
        | calls("files", words=_RESOURCES, where=r"\bfiles\b")
        | nodes("Name", words=("(__file__",), where=r"\(__file__\b", described="`__file__`")
    )

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find what is named after climbing out of a package."""
        start = _start(node, source)
        path = None if start is None else path_of(start, source)
        if start is None or path is None:
            return
        package = path.module.partition(".")[0]
        if package and not source.is_first_party(package):
            yield from self._check_other_package(start, package, source)
        elif self.with_preview and not source.kinds:
            yield from self._check_own_package(start, source)

    def _check_other_package(
        self, start: cst.CSTNode, package: str, source: Source
    ) -> Iterator[Finding]:
        for node, path in namings(start, source):
            if not path.names or path.up != _levels_to_site(path.module, source):
                continue
            named = path.names[0]
            copy = _copy_to(node, source)
            copied = copy is not None
            if named in _SITE_NAMES:
                message = (
                    f"This climbs out of `{package}` into {named} and names {named} again: there "
                    f"is no {named}/{named}. Leave the second one out."
                )
                yield self.finding(node, source, message)
            elif has_entry(package, named, source.project) or (
                copied and _may_be_inside(package, named, source)
            ):
                harm = (
                    f"The copy makes a stray folder there and `{package}` runs on unpatched."
                    if copied
                    else "There is nothing of the kind there."
                )
                message = (
                    f"This climbs out of `{package}`: it is site-packages/{named}, not "
                    f"{package}/{named}. {harm} Climb one level less."
                )
                if not _is_tried_inside_too(node, path, source):
                    fix = _one_level_less(node, source)
                    claims = () if copy is None else claims_of_copy(copy, source)
                    yield self.finding(node, source, message, fix=fix, claims=claims)

    def _check_own_package(self, start: cst.CSTNode, source: Source) -> Iterator[Finding]:
        for node, named in escapes(start, source):
            what = (
                f"`{named}` is not installed there, only a source checkout has it"
                if named
                else "the whole folder there, with all other packages, is taken"
            )
            message = (
                f"This path leaves the installed package: {what}. Put what the code needs into the "
                "package, or let the user give the path."
            )
            yield self.finding(node, source, message, severity="warning")


def _start(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    """Give the expression that begins the path, for what the triggers select."""
    if isinstance(node, cst.Name):
        if node.value != "__file__":
            return None
        span = source.span(node)
        return node if source.code[source.offset_of(span.line) + span.column - 2] == "(" else None
    if isinstance(node, cst.Attribute) and node.attr.value in FOLDER_LISTS:
        above = source.parent(node)
        if isinstance(above, cst.Arg):  # list(package.__path__)[0]
            above = source.parent(above)
            above = None if above is None else source.parent(above)
        return above if isinstance(above, cst.Subscript) else None
    return node


def _levels_to_site(module: str, source: Source) -> int | None:
    folders = folders_above(module, source.project)
    return None if folders is None else folders + 1


def _may_be_inside(package: str, named: str, source: Source) -> bool:
    """Say whether a package that is not known here is likely to have an entry."""
    known = package in known_packages() or is_installed(package, source.project)
    return not known and named in _INNER_NAMES


def _copy_to(node: cst.CSTNode, source: Source) -> cst.Call | None:
    """Give the call that copies something to a path."""
    for each in endings(node, source):
        argument = source.parent(each)
        call = source.parent(argument) if isinstance(argument, cst.Arg) else None
        if isinstance(call, cst.Call) and last_name(call.func) in COPY_FUNCTIONS:
            if len(call.args) > 1:
                return call if call.args[0] is not argument else None
    return None


def _is_tried_inside_too(node: cst.CSTNode, path: FilePath, source: Source) -> bool:
    """Say whether the code around names the same entry inside the package as well."""
    inside = replace(path, up=path.up - 1, names=path.names[:1])
    around = source.function(node) or list(source.ancestors(node))[-1]
    for other in walk(around):
        if isinstance(other, (cst.BinaryOperation, cst.Call, cst.FormattedString)):
            found = path_of(other, source)
            if found is not None and replace(found, names=found.names[:1]) == inside:
                return True
    return False


def _one_level_less(node: cst.CSTNode, source: Source) -> Fix | None:
    edit = _lower(node, source)
    return None if edit is None else Fix("Climb one level less", (edit,))


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
