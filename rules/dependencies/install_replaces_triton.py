"""ROC209, install-replaces-triton."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PartRule, commands, compile_lazily, declared, occurs

from ._installs.excuses import OF_EVERY_INSTALL, replaces_torch_itself, takes_no_dependencies
from ._installs.words import PACKAGES, TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, Declared, File, Finding

    from ._installs.cases import Harm

_BUILDS = compile_lazily(
    r"triton\.git|TRITON_(?:REPO|COMMIT|BRANCH)|cd (?:\S*/)?triton\b|uninstall[^\n]*\btriton"
)
_DELIBERATE = compile_lazily(r"(?im)aiter\.git|^[ \t]*#.*\btriton\b|triton\.__version__")


def leaves_triton(harm: Harm, source: File) -> bool:
    """Commands that leave the Triton that is there: `--no-deps`, no version, or that of torch."""
    return takes_no_dependencies(harm, source) or _is_there_already(harm) or _is_that_of_torch(harm)


def _is_there_already(harm: Harm) -> bool:
    """Return whether pip counts a Triton as installed, as in images, and no other is asked for."""
    torch, asked = harm.case.torch, harm.asked
    if torch is None or asked is None:
        return True
    if torch.renames_triton:
        return False
    forced = harm.case.forced or harm.case.install.upgrade
    return not _names_triton(harm) or not (forced or len(asked.requirement.specifier))


def _is_that_of_torch(harm: Harm) -> bool:
    """Return whether the version is the one that this release of torch was built with."""
    torch, asked = harm.case.torch, harm.asked
    if torch is None or asked is None or not _names_triton(harm):
        return False
    from ._installs.triton import fits  # noqa: PLC0415 - loads packaging

    return fits(asked.requirement, torch.minor)


def _names_triton(harm: Harm) -> bool:
    """Return whether Triton itself is asked for, and not a package that requires it."""
    return harm.asked is not None and harm.asked.requirement.name.lower() == "triton"


def builds_triton(harm: Harm, source: File) -> bool:
    """Files that build or uninstall Triton."""
    del harm
    return occurs(_BUILDS, source)


def is_deliberate(harm: Harm, source: File) -> bool:
    """Files that build aiter, name Triton in a comment, or check its version."""
    del harm
    return occurs(_DELIBERATE, source)


class InstallReplacesTriton(PartRule["Command | Declared"]):
    """Install replaces the Triton of ROCm's torch with PyPI's.

    ## Why it matters
    Each torch is built with one Triton. The images for ROCm have it as `triton`, PyTorch's wheels
    for ROCm as `pytorch-triton-rocm` or `triton-rocm`, which has its files in the same directory:
    with `pip install triton==3.3.0`, or a package that requires `triton`, such as liger-kernel,
    kernels are compiled by a Triton that torch was not built with.

    ## Example
    ```shell
    pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4
    pip install triton==3.2.0
    ```

    ## Use instead
    Leave `triton` out, or take the torch whose Triton you need; install a package that requires it
    with `--no-deps`.
    ```shell
    pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4
    ```

    ## References
    - https://pytorch.org/get-started/locally/
    - https://pypi.org/project/pytorch-triton-rocm/
    - https://packaging.python.org/en/latest/specifications/core-metadata/#requires-dist-multiple-use
    """

    code = "ROC209"
    name = "install-replaces-triton"
    since = "0.1.0"
    retired = {  # noqa: RUF012 - a constant of the class, like its code
        "ROC219": "dependency-replaces-triton"
    }
    preview = True
    severity = "warning"
    skips = frozenset({"test"})
    on = commands(*TOOLS, described="commands that install packages") | declared(
        "triton", *PACKAGES, described="lists that such a command installs, or that name the index"
    )
    excuses = (
        *OF_EVERY_INSTALL,
        leaves_triton,
        builds_triton,
        replaces_torch_itself,
    )
    doubts = (is_deliberate,)

    def check(self, node: Command | Declared, source: File) -> Iterator[Finding]:
        """Find triton, or what requires it, among what is installed."""
        from rocmlint.rule import Declared  # noqa: PLC0415 - few files have any

        from ._installs.installers import finding_at_command  # noqa: PLC0415 - loads packaging

        if isinstance(node, Declared):
            yield from self._listed(node, source)
            return
        for harm in self.harms_in(node, source):
            yield finding_at_command(harm, self, source, self.severity_of(harm, source))

    def harms_in(self, command: Command, file: File) -> Iterator[Harm]:
        """Yield what a command does to Triton, where nothing excuses it."""
        from ._installs.cases import case_of  # noqa: PLC0415 - loads packaging
        from ._installs.triton import harms  # noqa: PLC0415

        case = case_of(command, file)
        found = () if case is None else harms(case)
        return (each for each in found if not self.is_excused(each, file))

    def _listed(self, node: Declared, source: File) -> Iterator[Finding]:
        """Look at a list of requirements that takes torch from PyTorch's index for ROCm."""
        from ._installs.installers import finding_in_list  # noqa: PLC0415 - loads packaging
        from ._installs.triton import replaced_in_list  # noqa: PLC0415

        listed = finding_in_list(node, self, source)
        if listed is not None:
            yield listed
            return
        message, advice = replaced_in_list(node, source)
        if message:
            yield self.finding(node, source, message, help=advice)
