"""ROC209, install-replaces-triton."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.rule import PartRule, commands, compile_lazily, declared, fitted

from ._installs.cases import Harm, case_of
from ._installs.commands import TOOLS
from ._installs.excuses import OF_EVERY_INSTALL, replaces_torch_itself

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import Command, Declared, File, Finding

_BUILDS = compile_lazily(r"triton\.git|TRITON_(?:REPO|COMMIT)|cd (?:\S*/)?triton\b")


def builds_triton(harm: Harm, source: File) -> bool:
    """Files that build Triton from source."""
    del harm
    return _BUILDS.search(source.text) is not None


def is_there_already(harm: Harm, source: File) -> bool:
    """Triton without a version where pip counts the one that is there, as in images."""
    del source
    torch, asked = harm.case.torch, harm.asked
    if torch is None or asked is None or torch.renames_triton:
        return False
    return not (harm.case.forced or harm.case.install.upgrade or len(asked.requirement.specifier))


def is_that_of_torch(harm: Harm, source: File) -> bool:
    """The version of Triton that this release of torch was built with."""
    del source
    torch, asked = harm.case.torch, harm.asked
    return torch is not None and asked is not None and _fits(asked.requirement, torch.minor)


def is_wanted(harm: Harm, source: File) -> bool:
    """Commands that upgrade Triton to the newest: its version is what they are about."""
    del source
    asked = harm.asked
    return (
        asked is not None
        and not asked.where
        and harm.case.install.upgrade
        and not len(asked.requirement.specifier)
    )


class InstallReplacesTriton(PartRule["Command | Declared"]):
    """PyPI's Triton, installed over that of the ROCm build of torch.

    ## Why it matters
    Each torch is built with one Triton. The images for ROCm have it as `triton`, PyTorch's wheels
    for ROCm as `pytorch-triton-rocm` or `triton-rocm`, which has its files in the same directory:
    with `pip install triton==3.3.0` kernels are compiled by a Triton that torch was not built with.

    ## Example
    ```shell
    pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4
    pip install triton==3.2.0
    ```

    ## Use instead
    Leave `triton` out, or take the torch whose Triton you need.
    ```shell
    pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4
    ```

    ## References
    - https://pytorch.org/get-started/locally/
    - https://pypi.org/project/pytorch-triton-rocm/
    """

    code = "ROC209"
    name = "install-replaces-triton"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = commands(*TOOLS, described="commands that install packages") | declared(
        "triton", described="lists with `triton` beside a torch from an index for ROCm"
    )
    excuses = (
        *OF_EVERY_INSTALL,
        builds_triton,
        is_there_already,
        is_that_of_torch,
        is_wanted,
        replaces_torch_itself,
    )

    def check(self, node: Command | Declared, source: File) -> Iterator[Finding]:
        """Find triton among what is installed."""
        from rocmlint.rule import Declared  # noqa: PLC0415 - few files have any

        if isinstance(node, Declared):
            yield from self._listed(node, source)
            return
        case = case_of(node, source)
        if case is None or case.torch is None or not case.is_by_pip:
            return
        for asked in case.everything.asked:
            requirement = asked.requirement
            if requirement.name.lower() == "triton" and not requirement.url:
                where = f" ({asked.where})" if asked.where else ""
                message = _message(requirement, where, f"the {case.torch.described}")
                place = case.command if asked.where else asked.word
                harm = Harm(case, "triton", place, message, _help(case.torch.minor), asked)
                if not self.is_excused(harm, source):
                    yield self.finding(harm.place, source, harm.message, help=harm.help)

    def _listed(self, node: Declared, source: File) -> Iterator[Finding]:
        """Look at a list of requirements that takes torch from PyTorch's index for ROCm."""
        from rocmlint.text.written import requirement_of  # noqa: PLC0415 - loads packaging

        requirement = requirement_of(node.text) if node.name == "triton" else None
        torch = _torch_beside(node, source)
        if requirement is None or requirement.url or node.constraint or torch is None:
            return
        if not _fits(requirement, _minor(torch[0])):
            message = _message(requirement, "", f"the ROCm torch (line {torch[1]})")
            yield self.finding(node, source, message, help=_help(_minor(torch[0])))


def _message(requirement: Requirement, where: str, torch: str) -> str:
    text = f"{requirement.name}{requirement.specifier}"
    return fitted(f"`{{}}`{where} replaces the Triton of {torch} with PyPI's", text)


def _help(minor: str) -> str:
    version = _triton_of(minor)
    short = ".".join(version.split(".")[:2])
    built = f"torch {minor} was built with Triton {short}" if version else ""
    reason = built or "Each torch is built with one Triton"
    return f"{reason}: leave `triton` out, or take the torch whose Triton you need."


def _triton_of(minor: str) -> str:
    """Return the Triton that a torch was built with; "" where that is unknown."""
    from rocmlint.published import rocm_wheels  # noqa: PLC0415 - loads packaging

    row = rocm_wheels.row(minor) if minor else None
    return "" if row is None else row.triton.lstrip("=~")


def _fits(requirement: Requirement, minor: str) -> bool:
    version = _triton_of(minor)
    pinned = bool(len(requirement.specifier))
    return pinned and bool(version) and _is_near(requirement, version)


def _is_near(requirement: Requirement, version: str) -> bool:
    """Return whether a requirement admits a Triton, or another patch release of it."""
    from packaging.version import Version  # noqa: PLC0415

    from rocmlint.published.requirements import pin  # noqa: PLC0415
    from rocmlint.text.written import minor_release  # noqa: PLC0415

    pinned = pin(requirement.specifier)
    if pinned is not None:
        return minor_release(pinned) == minor_release(Version(version))
    return requirement.specifier.contains(version)


def _torch_beside(node: Declared, source: File) -> tuple[str, int] | None:
    """Return the torch of a list whose index is one of PyTorch's for ROCm, and its line."""
    if not source.path.endswith((".txt", ".in")):
        return None
    indexes = source.parts.indexes
    names_rocm = any(pytorch_index.pytorch_index(each.url) for each in indexes)
    others = any(pytorch_index.is_other(each.url) for each in indexes)
    asks_pypi = all(each.extra or pytorch_index.is_pypi(each.url) for each in indexes)
    if not names_rocm or others or not asks_pypi:
        return None
    for each in source.parts.declared:
        if each.name == "torch" and each.group == node.group and "@" not in each.text:
            return each.text, each.span.line
    return None


def _minor(torch: str) -> str:
    """Return the minor release that a requirement of torch pins; "" for none."""
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging
    from rocmlint.text.written import minor_release, requirement_of  # noqa: PLC0415

    requirement = requirement_of(torch)
    pinned = None if requirement is None else pin(requirement.specifier)
    return "" if pinned is None else minor_release(pinned)
