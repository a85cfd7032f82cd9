"""What the inference finds in a model, for a few lines of it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rocmlint.models.tensors.inference import infer

if TYPE_CHECKING:
    from rocmlint.models.tensors.dependence import Dependence

HEAD = """
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, x: torch.Tensor, labels=None, mask: torch.Tensor = None):
"""


def dependences(body: str) -> list[Dependence]:
    """Return those of a `forward` with this body."""
    return list(
        infer(HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8)).dependences
    )


def found(body: str) -> list[tuple[str, str]]:
    """Return what and when of each."""
    return [(each.what, each.reach) for each in dependences(body)]


def reaches(code: str) -> dict[str, str]:
    """Return when each function with a dependence runs."""
    inference = infer("import torch\nfrom torch import nn\n" + textwrap.dedent(code))
    return {each.function: each.reach for each in inference.dependences}
