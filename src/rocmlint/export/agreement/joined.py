"""Features of images as a patched program returns them: joined, where the model has a list.

Since transformers 5.24 models return, besides the logits, the features of each image. A program
for any number of images has one tensor of them all: no program returns a list of any length.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import torch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.export.agreement.running import Ran

_PIECE = re.compile(
    r"((?:^|.*\.)(?:image|video)_outputs\.(?:pooler_output|deepstack_features\[\d+\]))\[\d+\]"
)
_OUTPUTS = re.compile(r"\b(?:image|video)_outputs: \w+\(")
_MORE = re.compile(r"(?<=: tensor)(?:, \[\d+\]: tensor)+(?=\))")
"""In the structure of an output: the further tensors of a list of nothing else."""
_METHODS = ("get_image_features", "get_video_features")


def joins(proof: dict[str, Any] | None) -> bool:
    """Return whether a patch that joins features was used, as the session's proof has it."""
    patches = [] if proof is None else proof["patches"]
    return any(
        each["target"].endswith(_METHODS) and each["verdict"] != "unused" for each in patches
    )


def lists(expected: Iterable[Ran]) -> list[str]:
    """Return the paths of the lists of features that are joined."""
    later = (leaf for each in expected for leaf in each.leaves if not leaf[0].endswith("[0]"))
    return sorted({place for leaf in later if (place := _place(leaf))})


def joined(expected: Ran) -> Ran:
    """Return what the model returned, with the features of all its images in one tensor."""
    shape = _joined_shape(expected.structure)
    return replace(expected, leaves=list(joined_leaves(expected.leaves)), structure=shape)


def _joined_shape(structure: str) -> str:
    """Return the structure of an output with one tensor in each list of features."""
    for begin in reversed(list(_OUTPUTS.finditer(structure))):
        end, depth = begin.end(), 1
        while depth and end < len(structure):
            depth += {"(": 1, ")": -1}.get(structure[end], 0)
            end += 1
        inside = _MORE.sub("", structure[begin.end() : end])
        structure = structure[: begin.end()] + inside + structure[end:]
    return structure


def joined_leaves(leaves: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield leaves with those of one list of features as the first one, joined by rows.

    Lists of tensors that cannot be joined are left as they are.
    """
    for place, group in groupby(leaves, key=_place):
        pieces = list(group)
        values = [each for _, each in pieces]
        if place is None or not _fit(values):
            yield from pieces
        else:
            yield pieces[0][0], torch.cat(values)


def _place(leaf: tuple[str, Any]) -> str | None:
    """Return the path of the list of features that a leaf stands in, None for any other leaf."""
    found = _PIECE.fullmatch(leaf[0])
    return found[1] if found and isinstance(leaf[1], torch.Tensor) else None


def _fit(values: list[Any]) -> bool:
    kinds = {(each.dtype, each.shape[1:]) for each in values}
    return len(kinds) == 1 and all(each.ndim for each in values)
