"""ROC207, dead-monkeypatch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    attribute_patches,
    compile_lazily,
    nodes,
    once_per_file,
    statements,
)
from rocmlint.rule.put_aside import is_kept_only

from ._names.cures import is_excluded, to_require
from ._names.guards import is_bound, is_ready
from ._names.missing import Missing, MissingUse, first_fitting, missing
from ._names.overlays import foreign_uses, is_of_other_package
from ._names.published_names import attribute_history, history, member
from ._names.reached_code import is_leftover
from ._names.uses import WORDS

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.project.installed_names import InstalledNames
    from rocmlint.rule import Finding, Source

_SETS = compile_lazily(r"[ \t]*=(?!=)")


def _patches(source: Source) -> Iterator[re.Match[str]]:
    """Find attributes of imported names that are set."""
    text = source.text
    for place in foreign_uses(source).places:
        owner, _, name = place.dotted.rpartition(".")
        start, end = place.match.span()
        if text.endswith("setattr(", 0, start) or (
            _SETS.match(text, end) and _may_lack(owner, name)
        ):
            yield place.match


def _may_lack(owner: str, name: str) -> bool:
    """Return whether some version has an attribute and another one does not."""
    found = attribute_history(owner, name)
    return found is not None and found.is_ever_missing and found.was_ever_there


@dataclass(frozen=True)
class DeadPatch(MissingUse):
    """A patch of an attribute that its owner does not have."""

    value: cst.BaseExpression
    of_class: bool
    """Whether the owner is a class whose attributes are known."""


def is_harmless(patch: DeadPatch, source: Source) -> bool:
    """Settings, names of modules that others ask for, and functions that answer one thing only."""
    return any(each(patch, source) for each in (_is_setting, _is_kept_for_others, _is_constant_now))


def _is_setting(patch: DeadPatch, source: Source) -> bool:
    """Return whether what is put in place cannot be called."""
    del source
    if isinstance(patch.value, cst.Name):
        return patch.value.value in {"True", "False", "None"}
    return not isinstance(patch.value, (cst.Attribute, cst.Lambda, cst.Call))


def _is_kept_for_others(patch: DeadPatch, source: Source) -> bool:
    """Return whether a module gets anything but a function of the file: others ask for it."""
    if patch.of_class:
        return False
    value = patch.value
    found = source.bindings(value.value, value) if isinstance(value, cst.Name) else []
    return not found or any(not isinstance(each.node, cst.FunctionDef) for each in found)


def _is_constant_now(patch: DeadPatch, source: Source) -> bool:
    """Return whether a module's function always answers the same: where it is gone, nobody asks."""
    return not patch.of_class and _is_constant(patch.value, source)


def _is_constant(value: cst.BaseExpression, source: Source) -> bool:
    if isinstance(value, cst.Lambda):
        return _says_one_thing(value.body)
    function = source.definition(value.value) if isinstance(value, cst.Name) else None
    if not isinstance(function, cst.FunctionDef):
        return False
    body = [each for each in statements(function.body) if not _is_docstring(each)]
    return all(
        isinstance(each, cst.Pass) or (isinstance(each, cst.Return) and _says_one_thing(each.value))
        for each in body
    )


def _says_one_thing(value: cst.BaseExpression | None) -> bool:
    if isinstance(value, cst.Name):
        return value.value in {"True", "False", "None"}
    return value is None or isinstance(value, (cst.Integer, cst.Float, cst.SimpleString))


def _is_docstring(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.Expr) and isinstance(statement.value, cst.SimpleString)


class DeadMonkeypatch(PythonRule["cst.Assign | cst.Call"]):
    """Patch sets an attribute that the package no longer has.

    ## Why it matters
    ``LlamaModel._prepare_decoder_attention_mask = mine`` never fails: where the class has lost
    that method, the assignment makes a new attribute that nobody calls, and the model runs
    unpatched. With packed samples that let each other be seen, or a mask of the wrong shape, the
    loss looks plausible.

    Which version counts is told as for removed-name (ROC204). A finding is an error where no
    version with the attribute can be installed, else a warning.
    Attributes that are inherited count as there. What no version ever had is new, and meant so.

    ## Example
    ```text
    transformers>=4.50
    ```
    ```python
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

    def mask(self, attention_mask, *rest):
        return attention_mask

    Qwen2VLModel._update_causal_mask = mask
    ```

    ## Use instead
    Patch what this version calls, or require the version that the patch was written for. Where a
    patch must work with several versions, ask with ``hasattr`` and fail if nothing fits.
    ```python
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

    def mask(self, attention_mask, *rest):
        return attention_mask

    if not hasattr(Qwen2VLModel, "_update_causal_mask"):
        raise RuntimeError("the patch is for transformers before 4.53")
    Qwen2VLModel._update_causal_mask = mask
    ```

    ## References
    - https://github.com/huggingface/transformers/blob/main/MIGRATION_GUIDE_V5.md
    """

    code = "ROC207"
    name = "dead-monkeypatch"
    since = "0.1.0"
    on = nodes(
        *("Assign", "Call"),
        words=WORDS,
        opening=True,
        suspects=_patches,
        described="attributes, set from outside, of classes and modules of "
        "accelerate, diffusers, huggingface_hub, peft, transformers and trl",
    )
    excuses = (is_harmless, is_of_other_package, is_ready, is_kept_only)
    doubts = (is_leftover,)

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Judge each attribute that is replaced here."""
        for patch in attribute_patches(node):
            owner = source.resolve(patch.owner)
            if (
                owner is None
                or not _may_lack(owner, patch.name)
                or not is_bound(patch.owner, source)
            ):
                continue
            found = _missing(owner, patch.name, source)
            if found is None or not found.is_declared:
                continue
            of_class = member(owner, patch.name) is not None
            dead = DeadPatch(patch.node, found, patch.value, of_class)
            if not self.is_excused(dead, source):
                is_doubtful = any(doubt(dead, source) for doubt in self.doubts)
                yield self.finding(
                    patch.node,
                    source,
                    _message(dead),
                    help=_advice(dead, source),
                    severity="note" if is_doubtful else found.severity,
                )


def _message(patch: DeadPatch) -> str:
    missing = patch.missing
    holder = patch.dotted.rpartition(".")[2]
    named = f"Dead patch: {missing.package} {missing.version} has no `{holder}.{patch.name}`"
    return first_fitting(f"{named} ({missing.since})", named, f"Dead patch of `{patch.name}`")


def _advice(patch: DeadPatch, source: Source) -> str:
    missing = patch.missing
    bound = missing.requirement
    is_open = bool(bound) and not is_excluded(bound, missing, source)
    other = f", or require {to_require(bound, missing, source)}" if is_open else ""
    return f"{missing.runs_with} Patch what {_said(patch.dotted)} calls in its place{other}."


@once_per_file
def _missing(owner: str, name: str, source: Source) -> Missing | None:
    """Judge an attribute of a class or of a module; where its owner is gone, the import fails."""
    found, around = attribute_history(owner, name), history(owner)
    known = found.where(around) if found is not None and around is not None else found
    judged = missing(owner, name, known, source, lambda each: _is_installed(owner, name, each))
    return None if judged is None else replace(judged, history=found)


def _said(owner: str) -> str:
    name = owner.rpartition(".")[2]
    return f"`{name}`" if name[:1].isupper() else f"the module `{name}`"


def _is_installed(owner: str, name: str, installed: InstalledNames) -> bool | None:
    if installed.has_name(owner) is not True:
        return None
    state = installed.has_member(owner, name)
    return installed.has_name(f"{owner}.{name}") if state is None else state
