"""ROC214, deprecated-keyword."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.paths import relative
from rocmlint.published.deprecated import old_weights
from rocmlint.rule import Edit, Fix, PythonRule, constant, nodes, once_per_file

from ._names.guards import is_asked_for, is_guarded
from ._names.judgement import MissingName, MissingUse
from ._names.leftovers import is_leftover
from ._names.overlays import is_of_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_SINCE = "0.13"
_GIVEN = re.compile(
    r"pretrained(?:_backbone)? *= *(?:True|False)\b"
    r"|(?:net|vgg|rcnn|vit_|swin|deeplab|inception|next|raft)\w* *\( *(?:True|False)\b"
)
"""The old keywords, and what may be a model that is called with one of them by position."""


@dataclass(frozen=True)
class _Old(MissingUse):
    """An argument of a builder of torchvision's: its keyword now, and the weights of `True`."""

    argument: cst.Arg
    new: str
    weights: str

    @property
    def written(self) -> str:
        """What to write for it."""
        is_true = constant(self.argument.value) == "True"
        return f'{self.new}="{self.weights}"' if is_true else f"{self.new}=None"


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find `pretrained=True` and the like in files that import torchvision."""
    if "torchvision" in source.text:
        yield from _GIVEN.finditer(source.text)


def is_needed_for_older(found: _Old, source: Source) -> bool:
    """Projects that do not declare torchvision, or allow one before 0.13: it has no `weights`."""
    del source
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    lowest = [each.lowest for each in found.judgement.candidates]
    return any(each is None or each < Version(_SINCE) for each in lowest)


class DeprecatedKeyword(PythonRule["cst.Call"]):
    """A model of torchvision is built with `pretrained=`, which `weights=` replaced.

    ## Why it matters
    Each such call prints two warnings since torchvision 0.13, in each process, and a later release
    takes the keyword away. What `True` stands for is one of several sets of weights: to name it
    says which, and keeps it when the default changes.

    Looked at are the models of which torchvision's own code says what `True` stands for, called
    with `True` or `False` as it is written there, in projects that declare torchvision 0.13 or
    newer. They are reported once a project, at the first call.

    ## Example
    ```text
    torchvision>=0.13
    ```
    ```python
    from torchvision.models import resnet50

    model = resnet50(pretrained=True)
    ```

    ## Use instead
    ```python
    from torchvision.models import resnet50

    model = resnet50(weights="IMAGENET1K_V1")
    ```

    ## Fix safety
    Safe: every torchvision that the project allows has `weights`.

    ## References
    - https://docs.pytorch.org/vision/stable/models.html
    - https://github.com/pytorch/vision/releases/tag/v0.13.0
    """

    code = "ROC214"
    name = "deprecated-keyword"
    since = "0.1.0"
    preview = True
    severity = "warning"
    on = nodes(
        "Call",
        words=("torchvision.models", "torchvision import"),
        suspects=_suspects,
        described="calls to models of torchvision with `pretrained=True` and the like",
    )
    excuses = (is_of_project, is_needed_for_older, is_asked_for, is_guarded, is_leftover)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Judge the old keywords of a call."""
        found = [each for each in _old(node, source) if not self.is_excused(each, source)]
        if not found:
            return
        keywords = " and ".join(f"`{each.name}`" for each in found)
        verb = "is" if len(found) == 1 else "are"
        builder = found[0].dotted.rpartition(".")[2]
        owner = f" of `{builder}`" if len(keywords) + len(builder) < 45 else ""
        message = f"{keywords}{owner} {verb} deprecated since torchvision {_SINCE}"
        written = " and ".join(f"`{each.written}`" for each in found)
        told = f"Write {written}: these are the weights that the old keyword stands for."
        edits = [_edit(each, source) for each in found]
        fix = Fix(f"Write {written}", tuple(edits), safe=True)
        finding = self.finding(found[0].argument, source, message, help=told, fix=fix)
        root = relative(source.project.folders[-1], source.settings.root)
        yield replace(finding, once=f"{self.code} {root}")


def _old(node: cst.Call, source: Source) -> Iterator[_Old]:
    given = {each.keyword.value: each for each in node.args if each.keyword is not None}
    if node.args and node.args[0].keyword is None and not node.args[0].star:
        given["pretrained"] = node.args[0]
    if not given.keys() & {"pretrained", "pretrained_backbone"}:
        return
    dotted = source.resolve(node.func)
    if dotted is None or not dotted.startswith("torchvision."):
        return
    judgement = _judged(dotted, source)
    for old, (new, weights) in old_weights(dotted).items() if judgement is not None else ():
        argument = given.get(old)
        value = constant(argument.value) if argument is not None else None
        if argument is None or new in given or value not in {"True", "False"}:
            continue
        if judgement is not None and (weights or value == "False"):
            yield _Old(node, old, judgement, argument, new, weights)


@once_per_file
def _judged(dotted: str, source: Source) -> MissingName | None:
    """Return the versions of torchvision, if all of them have `weights`."""
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    candidates = source.versions("torchvision")
    if not candidates or any(each.version < Version(_SINCE) for each in candidates):
        return None
    first = candidates[0]
    return MissingName(dotted, first, candidates, first.certain)


def _edit(found: _Old, source: Source) -> Edit:
    return source.replace(found.argument, found.written)
