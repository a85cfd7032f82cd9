"""ROC204, removed-name."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.paths import relative
from rocmlint.rule import PythonRule, nodes, once_per_file, walk
from rocmlint.rule.put_aside import is_kept_only

from ._names.advice import advice, clause_of
from ._names.lookups import LOOKUP_EXCUSES, asked, missing_lookups, suspected_lookups
from ._names.missing import enumerated, first_fitting
from ._names.reached_code import is_for_some_versions, is_leftover
from ._names.rename import renaming
from ._names.two_lists import disputed
from ._names.uses import DULL_IMPORTS, TORCH_WORDS, WORDS
from ._torch.removed import (
    ADVICE,
    REMOVED_CALLS,
    is_in_some_torch,
    removed_calls,
    removed_message,
)
from ._torch.rewriting import rewriting
from ._torch.successors import SUCCESSORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.rule import Finding, Source

    from ._names.lookups import Lookup, MissingLookup

_TORCH_EXCUSES = (is_in_some_torch, *LOOKUP_EXCUSES)


class RemovedName(PythonRule["Lookup | cst.Call"]):
    """Name does not exist in the version of the package in use.

    ## Why it matters
    transformers, diffusers and their companions drop and move names in every other release. An
    import of one that is gone fails as soon as pip installs the newest release that the
    requirements allow: on the machine of whoever installs next, not on yours.

    The version is the installed one (``--environment``, or where the file lies among installed
    packages), else the locked one, else the newest that the requirements of the project allow:
    that is what a fresh install gets. Inside a package, an exact pin of its pyproject.toml outranks
    a list that contradicts it and that nothing in the project installs (ROC217 reports the list).
    Patch releases count as their minor release; of those from more than two years before this
    release nothing is known. All names of a file with the same cure are one finding. What packages
    lack that nothing declares is reported by undeclared-package (ROC212); a function of torch that
    only raises in each release with wheels for ROCm 6 or later, here, once a project.

    ## Example
    ```text
    transformers>=4.50
    ```
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
    allows; else unsafe. There is no fix where nothing takes the old one's place.

    ## References
    - https://github.com/huggingface/transformers/blob/main/MIGRATION_GUIDE_V5.md
    - https://huggingface.co/docs/transformers/main_classes/deepspeed
    """

    code = "ROC204"
    name = "removed-name"
    since = "0.1.0"
    on = (
        nodes(
            *("Import", "ImportFrom", "Attribute"),
            words=(*WORDS, *TORCH_WORDS),
            opening=True,
            dull=DULL_IMPORTS,
            suspects=suspected_lookups,
            described="imports and uses of names that some release lacks, of "
            "accelerate, diffusers, huggingface_hub, peft, torch, transformers and trl",
        )
        | REMOVED_CALLS
    )
    tiers = {  # noqa: RUF012 - a constant of the class, like its code
        "error": "each version that the requirement allows lacks the name",
        "warning": "the newest version lacks it, or that which only a README names",
        "note": "two lists of the project disagree on the version (once a project)",
    }
    excuses = (*LOOKUP_EXCUSES, is_kept_only)
    doubts = (is_leftover, is_for_some_versions)

    def check(self, node: Lookup | cst.Call, source: Source) -> Iterator[Finding]:
        """Judge the names that are imported or looked up here, package by package."""
        if isinstance(node, (cst.Call, cst.ImportFrom)):
            yield from self._removed_calls(node, source)
        if isinstance(node, cst.Call):
            return
        for each in self._missing(node, source):
            if each.missing.is_disputed:
                yield disputed(self, each, each.place, source)
        for found in self._by_package(node, source):
            cure = _cure(node, found, source)
            # Of names behind odd blanks the search of the whole file knows nothing.
            with_cure = (*found, *self._by_cure(source)[cure])
            alike = list({each.dotted: each for each in with_cure}.values())
            surest = max((each.missing for each in alike), key=lambda each: each.certain)
            is_doubtful = any(doubt(found[0], source) for doubt in self.doubts)
            finding = self.finding(
                found[0].place,
                source,
                _message(alike),
                help=advice(alike, _within(node, found[0].dotted, source), source),
                fix=renaming(found, source),
                severity="note" if is_doubtful else surest.severity,
            )
            yield replace(finding, once=f"{self.code} {source.path} {cure}")

    @once_per_file
    def _missing(self, node: Lookup, source: Source) -> list[MissingLookup]:
        """Return what a statement or an attribute asks for in vain, and nothing excuses."""
        found = missing_lookups(node, source)
        return [
            each
            for each in found
            if each.missing.is_declared or each.missing.is_disputed
            if not self.is_excused(each, source)
        ]

    def _by_package(self, node: Lookup, source: Source) -> list[list[MissingLookup]]:
        """Return the missing names that a statement or an attribute asks for, by their package."""
        found: dict[str, list[MissingLookup]] = {}
        for each in self._missing(node, source):
            if not each.missing.is_disputed:
                found.setdefault(each.missing.package, []).append(each)
        return list(found.values())

    @once_per_file
    def _by_cure(self, source: Source) -> dict[str, list[MissingLookup]]:
        """Return all missing names of a file that are reported, in order, by what cures them."""
        nodes_with = {
            tuple(source.span(node)): node
            for match in sorted(suspected_lookups(source), key=lambda each: each.start())
            for node in walk(source.pieces.around(match.start()).module)
            if isinstance(node, (cst.Import, cst.ImportFrom, cst.Attribute))
        }
        by_cure: dict[str, list[MissingLookup]] = defaultdict(list)
        for node in nodes_with.values():
            for found in self._by_package(node, source):
                by_cure[_cure(node, found, source)] += found
        return by_cure

    def _removed_calls(self, node: cst.Call | cst.ImportFrom, source: Source) -> Iterator[Finding]:
        """Report functions of torch that only raise; where nothing declares torch, once each."""
        for found in removed_calls(node, source):
            if any(excuse(found, source) for excuse in _TORCH_EXCUSES):
                continue
            finding = self.finding(
                found.place,
                source,
                removed_message(found),
                help=f"{ADVICE[found.dotted]}.",
                fix=rewriting([found], source) if found.dotted in SUCCESSORS else None,
                severity=found.missing.severity,
            )
            root = relative(source.project.folders[-1], source.settings.root)
            once = "" if found.missing.is_declared else f"{self.code} {found.dotted} {root}"
            yield replace(finding, once=once)


def _cure(node: Lookup, found: Sequence[MissingLookup], source: Source) -> str:
    """Return what brings back the names that are asked for at one place."""
    within = _within(node, found[0].dotted, source)
    clauses = {clause_of(each.missing, within) for each in found}
    return "; ".join([found[0].missing.package, *sorted(clauses)])


def _message(found: Sequence[MissingLookup]) -> str:
    first, told = found[0], found[0].missing.since
    begun = f"{first.missing.package} {first.missing.version} has no"
    if len(found) == 1:
        dotted, name = f"{begun} `{first.dotted}`", f"{begun} `{first.name}`"
        return first_fitting(f"{dotted} ({told})", f"{name} ({told})", dotted, name)
    listed = enumerated([each.name for each in found], "or")
    others = f"`{first.name}` and others that are imported here"
    return first_fitting(f"{begun} {listed}", f"{begun} {others}", f"{begun} `{first.name}`")


def _within(node: Lookup, dotted: str, source: Source) -> list[str]:
    """Return what is asked of something that is looked up: ``.c`` where ``a.b`` is missing."""
    whole = source.parent(node) if isinstance(node, cst.Attribute) else None
    all_asked = [each for _, each in asked(node, source)]
    if isinstance(whole, cst.Attribute):
        all_asked.append(source.resolve(whole) or "")
    return [each.removeprefix(dotted) for each in all_asked if each.startswith(f"{dotted}.")]
