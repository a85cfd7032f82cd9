"""ROC212, undeclared-package."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.paths import relative
from rocmlint.rule import PythonRule, nodes

from ._names.keywords import (
    KEYWORD_EXCUSES,
    UnknownKeywordUse,
    suspected_calls,
    unknown_keywords,
)
from ._names.lookups import LOOKUP_EXCUSES, missing_lookups, suspected_lookups
from ._names.missing import first_fitting
from ._names.uses import DULL_IMPORTS, TORCH_WORDS, WORDS

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    from ._names.lookups import Lookup
    from ._names.missing import MissingUse


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find names that are imported or looked up and keywords, which their package lacks."""
    yield from suspected_lookups(source)
    yield from suspected_calls(source)


def is_ready(found: MissingUse, source: Source) -> bool:
    """Names that removed-name and unknown-keyword would leave alone too."""
    excuses = KEYWORD_EXCUSES if isinstance(found.node, cst.Call) else LOOKUP_EXCUSES
    return any(excuse(found, source) for excuse in excuses)


def is_pinned_in_code(found: MissingUse, source: Source) -> bool:
    """Packages of which a module of the project names a version, as launchers do that install."""
    spelt = found.dotted.partition(".")[0].replace("_", "[-_]")
    versioned = rf"\b{spelt}(?:\[[\w, ]*\])?[ ]*(?:[=~<>!]=|[<>])[ ]*\d|/{spelt}(?:\.git)?@"
    return bool(source.modules_with(source.project.folders[-1], (versioned,)))


class UndeclaredPackage(PythonRule["Lookup | cst.Call"]):
    """Undeclared package lacks a name used here in its newest release.

    ## Why it matters
    Nothing says which release the code was written for, and a fresh install takes the newest. It
    lacks names or keywords that the code uses, so that it fails there.

    What a declared package lacks is reported by removed-name (ROC204) and unknown-keyword (ROC205).
    Looked at are the files of requirements, locks and project files, and what READMEs,
    Dockerfiles and scripts install: from the directory of the file up to the root of the
    project, and in `docker/` and `docs/` beside it. Reported once for each package and project,
    at the first place.

    ## Example
    ```python
    from transformers.utils import LossKwargs
    ```

    ## Use instead
    Declare the versions that the code runs with, or move on to the newest one.
    ```python
    # /// script
    # dependencies = ["transformers<4.54"]
    # ///
    from transformers.utils import LossKwargs
    ```

    ## References
    - https://packaging.python.org/en/latest/guides/writing-pyproject-toml/#dependencies-and-requirements
    """

    code = "ROC212"
    name = "undeclared-package"
    since = "0.1.0"
    severity = "warning"
    preview = True
    skips = frozenset({"test", "example", "docs"})
    on = nodes(
        *("Import", "ImportFrom", "Attribute", "Call"),
        words=(*WORDS, *TORCH_WORDS),
        opening=True,
        dull=DULL_IMPORTS,
        suspects=_suspects,
        described="imports, uses and calls of names that some release lacks, of "
        "accelerate, diffusers, huggingface_hub, peft, torch, transformers and trl",
    )
    excuses = (is_ready, is_pinned_in_code)

    def check(self, node: Lookup | cst.Call, source: Source) -> Iterator[Finding]:
        """Report the first name or keyword of each package that its newest release lacks."""
        found: dict[str, MissingUse] = {}
        for each in _missing(node, source):
            package = each.missing.package
            if package not in found and not self.is_excused(each, source):
                found[package] = each
        for package, used in found.items():
            root = relative(source.project.folders[-1], source.settings.root)
            finding = self.finding(
                used.node, source, _message(used, package), help=_help(used, package)
            )
            yield replace(finding, once=f"{self.code} {package} {root}")


def _missing(node: Lookup | cst.Call, source: Source) -> Iterator[MissingUse]:
    found: Iterator[MissingUse] = (
        unknown_keywords(node, source)
        if isinstance(node, cst.Call)
        else missing_lookups(node, source)
    )
    for each in found:
        if not (each.missing.is_declared or each.missing.is_disputed):
            yield each


def _message(used: MissingUse, package: str) -> str:
    begun = f"{package} is not declared, and its newest release, {used.missing.version}"
    names = [used.name] if isinstance(used, UnknownKeywordUse) else _names(used.dotted)
    return first_fitting(
        *(f"{begun}, lacks `{each}`" for each in names), f"{begun}, lacks what is used here"
    )


def _names(dotted: str) -> tuple[str, str]:
    """Return a name with its module: another module of the package may still have one of it."""
    return dotted, ".".join(dotted.split(".")[-2:])


def _help(used: MissingUse, package: str) -> str:
    bound = used.missing.requirement
    such = f", such as `{bound}`" if bound else ""
    return f"Declare the versions of {package} that this runs with{such}."
