"""ROC219, dependency-replaces-triton."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import PartRule, commands, compile_lazily, fitted

from ._installs.cases import Harm, case_of
from ._installs.commands import TOOLS
from ._installs.excuses import OF_EVERY_INSTALL, replaces_torch_itself, takes_no_dependencies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Finding

_TRITON = compile_lazily(
    r"triton\.git|TRITON_(?:REPO|COMMIT|BRANCH)|cd triton\b|uninstall[^\n]*\btriton"
)


def counts_triton(harm: Harm, source: File) -> bool:
    """Images that install torch, and AMD's own wheels: their Triton is named `triton`."""
    del source
    return harm.case.torch is None or not harm.case.torch.renames_triton


def handles_triton(harm: Harm, source: File) -> bool:
    """Files that build Triton from source, or uninstall it."""
    del harm
    return _TRITON.search(source.text) is not None


class DependencyReplacesTriton(PartRule["Command"]):
    """Dependency requires ``triton`` and overwrites PyTorch's Triton for ROCm.

    ## Why it matters
    PyTorch's wheels for ROCm bring Triton as `pytorch-triton-rocm` or `triton-rocm`. pip does not
    count these as `triton`: for a package that requires `triton` it installs the one from PyPI
    into the same directory, and kernels are compiled by a Triton that torch was not built with.

    ## Example
    ```shell
    pip install torch --index-url https://download.pytorch.org/whl/rocm6.4
    pip install liger-kernel
    ```

    ## Use instead
    ```shell
    pip install torch --index-url https://download.pytorch.org/whl/rocm6.4
    pip install --no-deps liger-kernel
    ```

    ## References
    - https://pytorch.org/get-started/locally/
    - https://packaging.python.org/en/latest/specifications/core-metadata/#requires-dist-multiple-use
    """

    code = "ROC219"
    name = "dependency-replaces-triton"
    since = "0.1.0"
    severity = "warning"
    preview = True
    skips = frozenset({"test"})
    on = commands(*TOOLS, described="commands that install packages")
    excuses = (
        *OF_EVERY_INSTALL,
        takes_no_dependencies,
        counts_triton,
        handles_triton,
        replaces_torch_itself,
    )

    def check(self, node: Command, source: File) -> Iterator[Finding]:
        """Find packages that require triton."""
        from ._pins.demands import demand_of  # noqa: PLC0415 - loads packaging

        case = case_of(node, source)
        if case is None or case.torch is None or not case.is_by_pip:
            return
        for asked in case.everything.asked:
            demand = demand_of(asked.requirement)
            if demand is not None and demand.triton and demand.package not in FAMILY:
                there = f"the {case.torch.described}"
                message = fitted(
                    "`{}` replaces the Triton of {there} with PyPI's", demand.package, there=there
                )
                advice = (
                    f"{demand.package} {demand.version} requires triton, and pip does not accept "
                    f"pytorch-triton-rocm or triton-rocm instead. Add `--no-deps`."
                )
                harm = Harm(case, "triton", case.command, message, advice, asked)
                if not self.is_excused(harm, source):
                    yield self.finding(harm.place, source, harm.message, help=harm.help)
