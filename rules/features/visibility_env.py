"""ROC313, visibility-env."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.paths import relative
from rocmlint.published.visible_devices import VISIBILITY
from rocmlint.rule import PartRule, nodes, settings

from ._visibility import fault, in_parts, in_python, is_of_all, quoted_lists

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import File, Finding, Setting

    from ._visibility import VisibleDevices


class VisibilityEnv(PartRule["Setting | cst.Assign | cst.Dict"]):
    """Two GPU-visibility variables filter the same process one after the other.

    ## Why it matters
    On ROCm the GPUs are filtered twice: the driver leaves those of ``ROCR_VISIBLE_DEVICES`` and
    numbers them from 0, and HIP takes from these the ones of ``HIP_VISIBLE_DEVICES``, or of
    ``CUDA_VISIBLE_DEVICES`` where the former is not set. With ``2,3`` in both, GPU 2 of two is
    asked for, and ``torch.cuda.is_available()`` is False, or PyTorch raises an error. It works with
    ``0``, so it fails first on the second GPU, or in the second worker.

    Lists that name all GPUs from 0 on are the same after both filters, and not reported; nor are
    copies after which the first variable is unset. Scripts of a project that copy a list in the
    same way are reported once.

    ## Example
    ```shell
    export ROCR_VISIBLE_DEVICES=$GPU
    export HIP_VISIBLE_DEVICES=$GPU
    python serve.py
    ```

    ## Use instead
    Set ``HIP_VISIBLE_DEVICES`` only, or count from 0 what the first filter leaves.
    ```shell
    export HIP_VISIBLE_DEVICES=$GPU
    python serve.py
    ```

    ## References
    - https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html
    """

    code = "ROC313"
    name = "visibility-env"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = settings(*VISIBILITY, described="variables that scripts, images and services set") | nodes(
        "Assign",
        "Dict",
        words=VISIBILITY,
        suspects=quoted_lists,
        described="items of environments that Python code sets",
    )

    excuses = (is_of_all,)

    def check(self, node: Setting | cst.Assign | cst.Dict, source: File) -> Iterator[Finding]:
        """Find lists of GPUs that hold together and name others than they seem to."""
        from rocmlint.rule import Setting, Source  # noqa: PLC0415 - few files have any

        found: list[VisibleDevices] = []
        if isinstance(node, Setting):
            found = in_parts(node, source)
        elif isinstance(source, Source):
            found = in_python(node, source)
        wrong = fault(found)
        if (
            wrong is None
            or fault(found[:-1])
            or any(self.is_excused(each, source) for each in found)
        ):
            return
        message, advice = wrong
        finding = self.finding(found[-1].place, source, message, help=advice)
        yield replace(finding, once=_same_copy(finding, found[-1], source))


def _same_copy(finding: Finding, last: VisibleDevices, file: File) -> str:
    """Return what is alike in scripts of one project that copy a list in the same way."""
    if not last.copied:
        return ""
    root = relative(file.project.folders[-1], file.settings.root)
    return f"{finding.code} {root} {finding.message} {last.text}"
