"""ROC204, removed-name."""

from __future__ import annotations

import re
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, dotted_text, nodes, once_per_file

from ._names.guards import is_asked_for, is_bound, is_guarded
from ._names.judgement import MissingName, MissingUse, missing, requirement, since, subject
from ._names.overlays import OTHER_PACKAGE, is_of_other_package
from ._names.published_names import has, has_successor, history, lacking, names
from ._names.rename import renaming
from ._names.replacements import replacement_of
from ._names.uses import TORCH_WORDS, WORDS, is_of_torch, uses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.project.installed_names import InstalledNames
    from rocmlint.rule import Finding, Source


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find imports and uses of names that their package lacks."""
    found = uses(source.text)
    for each in found.imports:
        if _is_suspect(each.asked, source):
            yield each.match
    for place in found.places:
        if "." in place.match[0] and _is_suspect(place.dotted, source):
            yield place.match


def _is_suspect(dotted: str, source: Source) -> bool:
    found = _first_missing(dotted, source)
    return found is not None and not is_of_other_package(found, source)


def is_for_types(found: MissingUse, source: Source) -> bool:
    """Imports under `TYPE_CHECKING`."""
    return source.is_for_types_only(found.node)


def is_brought_along(found: MissingUse, source: Source) -> bool:
    """Names that the file sets as an attribute of something."""
    return re.search(rf"\.\s*{re.escape(found.name)}\s*=(?!=)", source.code) is not None


class RemovedName(PythonRule["cst.Import | cst.ImportFrom | cst.Attribute"]):
    """A name that the package does not have in the version that this file runs with.

    ## Why it matters
    transformers, diffusers and their companions drop and move names in every other release. An
    import of one that is gone fails as soon as pip installs the newest release that the
    requirements admit: on the machine of whoever installs next, not on yours.

    The version is the installed one (``--environment``, or where the file lies among installed
    packages), else the locked one, else the newest that the requirements of the project admit:
    that is what a fresh install gets. A finding is a warning where the requirement has no upper
    bound and admits older versions with the name, else an error. Patch releases count as their
    minor release; of those from more than two years before this release nothing is known.

    ## Example
    ```python
    from transformers.deepspeed import HfDeepSpeedConfig
    ```

    ## Use instead
    Use what took its place, or require a version that has the name.
    ```python
    from transformers.integrations.deepspeed import HfDeepSpeedConfig
    ```

    ## Fix safety
    Safe where the new name means the same and is there in all versions that the requirement
    admits; else unsafe. There is no fix where nothing takes the old one's place.

    ## References
    - https://github.com/huggingface/transformers/blob/main/MIGRATION_GUIDE_V5.md
    - https://huggingface.co/docs/transformers/main_classes/deepspeed
    """

    code = "ROC204"
    name = "removed-name"
    since = "0.1.0"
    on = nodes(
        *("Import", "ImportFrom", "Attribute"),
        words=(*WORDS, *TORCH_WORDS),
        opening=True,
        suspects=_suspects,
        described="imports and uses of names that some release lacks, of "
        "accelerate, diffusers, huggingface_hub, peft, torch, transformers and trl",
    )
    excuses = (*OTHER_PACKAGE, is_brought_along, is_for_types, is_asked_for, is_guarded)

    def check(
        self, node: cst.Import | cst.ImportFrom | cst.Attribute, source: Source
    ) -> Iterator[Finding]:
        """Judge each name that is imported or looked up here."""
        for place, dotted in _asked(node, source):
            judgement = _first_missing(dotted, source)
            if judgement is None:
                continue
            is_told = judgement.dotted != dotted and not isinstance(node, cst.Import)
            if is_told and place is not getattr(node, "module", None):
                continue  # at the module, or at the attribute inside
            used = MissingUse(node, judgement.dotted.rpartition(".")[2], judgement)
            if self.is_excused(used, source):
                continue
            fix = renaming(node, place, judgement, source)
            message = _message(judgement, node, source)
            yield self.finding(place, source, message, fix=fix, severity=judgement.severity)


@once_per_file
def _first_missing(dotted: str, source: Source) -> MissingName | None:
    """Give the shortest beginning of a name that is missing."""
    return next((found for each in lacking(dotted) if (found := _missing(each, source))), None)


@once_per_file
def _missing(dotted: str, source: Source) -> MissingName | None:
    return missing(dotted, partial(has, dotted), source, partial(_is_installed, dotted))


def _is_installed(dotted: str, installed: InstalledNames) -> bool | None:
    return installed.has_name(dotted)


def _asked(
    node: cst.Import | cst.ImportFrom | cst.Attribute, source: Source
) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yield what must be there, and the node that asks for it."""
    if isinstance(node, cst.Attribute):
        dotted = source.resolve(node) if _is_read(node, source) else None
        if dotted is not None and not is_of_torch(dotted) and dotted in lacking(dotted):
            if is_bound(node, source):
                yield node, dotted
    elif isinstance(node, cst.Import):
        yield from ((alias, dotted_text(alias.name) or "") for alias in node.names)
    elif node.module is not None and not node.relative:
        module = dotted_text(node.module) or ""
        yield node.module, module
        names = () if isinstance(node.names, cst.ImportStar) else node.names
        yield from ((alias, f"{module}.{dotted_text(alias.name)}") for alias in names)


def _is_read(node: cst.Attribute, source: Source) -> bool:
    """Say whether an attribute is looked up when the program runs: not set, no type for others."""
    for above in source.ancestors(node):
        if isinstance(above, (cst.Import, cst.ImportFrom)):
            return False
        if isinstance(above, (cst.AssignTarget, cst.Del)):
            return isinstance(source.parent(node), cst.Attribute)  # whose attribute is set
        if isinstance(above, cst.Annotation) and "__future__ import annotations" in source.text:
            return False
        if isinstance(above, (cst.BaseStatement, cst.BaseSmallStatement)):
            return True
    return True


def _message(
    judgement: MissingName, node: cst.Import | cst.ImportFrom | cst.Attribute, source: Source
) -> str:
    dotted = judgement.dotted
    package = dotted.partition(".")[0]
    told = since(dotted, history(dotted), judgement.candidate.version)
    effect = "this fails" if isinstance(node, cst.Attribute) else "this import fails"
    asked = [each for _, each in _asked(node, source)] + [_whole(node, source)]
    within = tuple(each.removeprefix(dotted) for each in asked if each.startswith(f"{dotted}."))
    return (
        f"{subject(judgement, package)} has no `{dotted}` ({told}): {effect}. "
        f"{_advice(judgement, within)}"
    )


def _whole(node: cst.CSTNode, source: Source) -> str:
    """Give all that is looked up from here: ``a.b.c`` around ``a.b``."""
    above = source.parent(node) if isinstance(node, cst.Attribute) else None
    return (source.resolve(above) or "") if isinstance(above, cst.Attribute) else ""


def _advice(judgement: MissingName, within: tuple[str, ...]) -> str:
    dotted, version = judgement.dotted, judgement.candidate.version
    bound = requirement(dotted, history(dotted), judgement)
    other = f", or require `{bound}`" if bound else ""
    replacement = replacement_of(dotted)
    if replacement is not None and replacement.advice:
        return f"{replacement.advice}{other}."
    if replacement is not None and has_successor(dotted, replacement.new, version) is not False:
        return f"Use `{replacement.new}`{other}."
    moved = _moved(dotted, within, version)
    if moved is not None:
        return f"Use `{moved}`{other}."
    module = _module_now(dotted, version)
    if module is not None:
        return f"Take the one in `{module}` if it does the same{other}."
    if bound:
        return f"Require `{bound}`, or do without it."
    return "Do without it, or require an older release that has it."


def _moved(dotted: str, within: tuple[str, ...], version: Version) -> str | None:
    """Give the module of the same name that now has all that is asked of this one."""
    known, name = names(dotted), dotted.rpartition(".")[2]
    found = [
        each
        for each in (known.modules() if known is not None and within else ())
        if each.endswith(f".{name}") and all(has(f"{each}{rest}", version) for rest in within)
    ]
    return max(found, key=lambda each: _shared(each, dotted), default=None)


def _module_now(dotted: str, version: Version) -> str | None:
    """Give a module that has a name like this in a version; not that of another model."""
    module, _, name = dotted.rpartition(".")
    known = names(dotted)
    if known is None or name.startswith("_"):
        return None
    found = []
    for each in known.elsewhere(name, version):
        model = re.match(r"\w+\.models\.\w+", each)
        if model is None or f"{module}.".startswith(f"{model[0]}."):
            found.append(each)
    return max(found, key=lambda each: _shared(each, module), default=None)


def _shared(one: str, other: str) -> int:
    """Count the names that two modules begin with both."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
