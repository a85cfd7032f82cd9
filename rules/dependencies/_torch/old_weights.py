"""Models of torchvision that are built with `pretrained=`, and what to write instead."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.published.deprecated import old_weights
from rocmlint.rule import constant, once_per_file

from .._names.missing import Missing, MissingUse, unless_elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import libcst as cst

    from rocmlint.rule import Edit, Source

SINCE = "0.13"
_GIVEN = re.compile(
    r"pretrained(?:_backbone)? *= *(?:True|False)\b"
    r"|(?:net|vgg|rcnn|vit_|swin|deeplab|inception|next|raft)\w* *\( *(?:True|False)\b"
)
"""The old keywords, and what may be a model that is called with one of them by position."""


@dataclass(frozen=True)
class OldWeights(MissingUse):
    """An argument of a builder of torchvision's: its keyword now, and the weights of `True`."""

    argument: cst.Arg
    new: str
    weights: str

    @property
    def written(self) -> str:
        """What to write for it."""
        is_true = constant(self.argument.value) == "True"
        return f'{self.new}="{self.weights}"' if is_true else f"{self.new}=None"


def suspected_weights(source: Source) -> Iterator[re.Match[str]]:
    """Find `pretrained=True` and the like in files that import torchvision."""
    if "torchvision" in source.text:
        yield from _GIVEN.finditer(source.text)


def old_weights_of(node: cst.Call, source: Source) -> Iterator[OldWeights]:
    given = {each.keyword.value: each for each in node.args if each.keyword is not None}
    if node.args and node.args[0].keyword is None and not node.args[0].star:
        given["pretrained"] = node.args[0]
    if not given.keys() & {"pretrained", "pretrained_backbone"}:
        return
    dotted = source.resolve(node.func)
    if dotted is None or not dotted.startswith("torchvision."):
        return
    missing = _judged(dotted, source)
    for old, (new, weights) in old_weights(dotted).items() if missing is not None else ():
        argument = given.get(old)
        value = constant(argument.value) if argument is not None else None
        if argument is None or new in given or value not in {"True", "False"}:
            continue
        if missing is not None and (weights or value == "False"):
            yield OldWeights(node, replace(missing, name=old), argument, new, weights)


@once_per_file
def _judged(dotted: str, source: Source) -> Missing | None:
    """Return the versions of torchvision, if all of them have `weights`."""
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    candidates = source.versions("torchvision")
    if not candidates or any(each.version < Version(SINCE) for each in candidates):
        return None
    found = Missing(dotted, "pretrained", None, candidates, candidates[0].certain)
    return unless_elsewhere(found, source)


def said_of_weights(found: Sequence[OldWeights]) -> tuple[str, str, str]:
    """Return the message, what to do, and what to write."""
    keywords = " and ".join(f"`{each.name}`" for each in found)
    verb = "is" if len(found) == 1 else "are"
    builder = found[0].dotted.rpartition(".")[2]
    message = f"{keywords} of `{builder}` {verb} deprecated since torchvision {SINCE}"
    written = " and ".join(f"`{each.written}`" for each in found)
    told = f"Write {written}: these are the weights that the old keyword stands for."
    return message, told, f"Write {written}"


def edit_of(found: OldWeights, source: Source) -> Edit:
    """Return the edit that names the weights."""
    return source.replace(found.argument, found.written)
