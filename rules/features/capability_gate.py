"""ROC306, capability-gate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, calls, fitted, statements, walk
from rocmlint.rule.closed_projects import is_in_unused_function

from ._capability import OF_AMD, gates
from ._same_code import same_code
from ._vendor import is_for_cuda_alone, knows_amd, names_nvidia

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    from ._capability import Gate

_ADVICE = (
    "On ROCm the two numbers name the gfx architecture, not a generation of NVIDIA's. Ask "
    "`torch.version.hip` first, and there `get_device_properties().gcnArchName`."
)


def only_complains(condition: cst.CSTNode, source: Source) -> bool:
    """Conditions that only raise an error or print something."""
    user = source.parent(condition)
    return isinstance(user, cst.If) and all(map(_complains, statements(user.body)))


def is_for_one_generation(condition: cst.CSTNode, source: Source) -> bool:
    """Comparisons with one number: what is known of one generation of NVIDIA's, and no minimum."""
    del source
    signs = [
        part.operator
        for each in walk(condition)
        if isinstance(each, cst.Comparison)
        for part in each.comparisons
    ]
    return all(isinstance(each, cst.Equal) for each in signs)


class CapabilityGate(PythonRule["cst.Call"]):
    """NVIDIA compute capability decides on AMD GPUs as well.

    ## Why it matters
    ``torch.cuda.get_device_capability()`` returns the number of the gfx architecture on ROCm:
    (9, 0) on MI200 (gfx90a), (9, 4) on MI300 (gfx942), (11, 0) on a Radeon RX 7900 (gfx1100).
    Code that takes ``>= (8, 9)`` for "has fp8" or ``>= 9`` for "is a Hopper" gets a yes from GPUs
    that have neither, and chooses kernels and types that fail or give wrong numbers there.

    Looked at are conditions whose answer for an AMD GPU is none that Ampere (8.0 and 8.6) gets:
    ``>= (8, 0)`` holds for all AMD GPUs that PyTorch supports, and is not reported. One condition
    of a function is, and copies of the function in a project are reported once. Not reported is
    what asks for one generation alone (``== 10``).

    ## Example
    ```python
    import torch

    def has_fp8():
        return torch.cuda.get_device_capability() >= (8, 9)
    ```

    ## Use instead
    ```python
    import torch

    FP8 = ("gfx942", "gfx950", "gfx1200", "gfx1201")

    def has_fp8():
        if torch.version.hip is not None:
            return torch.cuda.get_device_properties(0).gcnArchName.startswith(FP8)
        return torch.cuda.get_device_capability() >= (8, 9)
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/notes/hip.html
    - https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html
    """

    code = "ROC306"
    name = "capability-gate"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test", "setup"})
    on = calls("get_device_capability", "get_device_properties")
    excuses = (
        is_for_cuda_alone,
        knows_amd,
        names_nvidia,
        only_complains,
        is_for_one_generation,
        is_in_unused_function,
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find conditions whose answer for an AMD GPU is one that no A100 gets."""
        if not (source.resolve(node.func) or "").startswith("torch.cuda."):
            return
        misled = [gate for gate in gates(node, source) if gate.misled()]
        misled.sort(key=_asks_for_equality)
        for gate in misled[:1]:
            if self.is_excused(gate.condition, source):
                continue
            gpu = gate.misled()
            message = fitted(
                "`{}` is {answer} on {gpu}, whose capability reads {capability}",
                source.text_of(gate.comparison),
                answer=str(gate.compares(gpu)),
                gpu=gpu,
                capability=str(OF_AMD[gpu]),
            )
            finding = self.finding(gate.comparison, source, message, help=_ADVICE)
            yield replace(finding, once=same_code(finding, gate.comparison, source))


def _asks_for_equality(gate: Gate) -> bool:
    """Return whether a gate asks for one generation: what asks for the least one tells more."""
    return isinstance(gate.comparison.comparisons[0].operator, (cst.Equal, cst.NotEqual))


def _complains(statement: cst.CSTNode) -> bool:
    """Return whether a statement raises an error, or calls something and drops what it returns."""
    if isinstance(statement, cst.Expr):
        return isinstance(statement.value, cst.Call)
    return isinstance(statement, cst.Raise)
