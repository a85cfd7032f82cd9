"""ROC209, install-replaces-triton."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.rule import PartRule, commands, compile_lazily, declared, fitted

from ._installs.cases import Harm, case_of
from ._installs.commands import TOOLS
from ._installs.environments import before_in_place
from ._installs.excuses import OF_EVERY_INSTALL, replaces_torch_itself
from ._installs.there import built_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.requirements import Requirement
    from packaging.version import Version

    from rocmlint.rule import Command, Declared, File, Finding

    from ._installs.cases import Case

_KEEPS_TRITON = "AITER_USE_SYSTEM_TRITON"
"""With this variable, aiter's build leaves the Triton that is there."""
_CHECKS = compile_lazily(r"triton\.__version__\W*(?:==|!=|\.startswith)|assert\b.*\btriton\.")
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


def is_replaced_before(harm: Harm, source: File) -> bool:
    """Installs behind one of another Triton, or behind a build of aiter, which installs one."""
    from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

    since: list[Command] = []  # the install that brought torch and its Triton
    replaced = False
    for each in before_in_place(harm.case.command, source):
        install = install_of(each)
        asked = () if install is None else install.requirements
        if any(one.name == "torch" for one in asked):
            since, replaced = [], False
        since.append(each)
        replaced = replaced or any(
            one.name == "triton" and one.requirement is not None and len(one.requirement.specifier)
            for one in asked
        )
    return replaced or (_KEEPS_TRITON not in source.text and "aiter" in built_by(since))


def is_asserted(harm: Harm, source: File) -> bool:
    """A pinned Triton whose version a later command checks: `assert triton.__version__ == ...`."""
    pinned = _pin_of(harm)
    return bool(pinned) and any(
        _CHECKS.search(word.text) and pinned in word.text
        for each in source.parts.commands
        if each.span > harm.case.command.span and each.step.stage == harm.case.command.step.stage
        for word in each.words
    )


def is_explained(harm: Harm, source: File) -> bool:
    """A pinned Triton that a comment above, in the same paragraph, names with its version."""
    pinned = _pin_of(harm)
    if not pinned:
        return False
    comment = ""
    for line in reversed(source.lines[: harm.place.span.line - 1]):
        if not line.strip():
            break
        if line.lstrip().startswith("#"):
            comment = f"{line} {comment}"
    return "triton" in comment.lower() and bool(
        re.search(rf"(?<![\d.]){re.escape(pinned)}(?!\.?\d)", comment)
    )


def _pin_of(harm: Harm) -> str:
    """Return the version that is pinned; "" for none."""
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging

    pinned = None if harm.asked is None else pin(harm.asked.requirement.specifier)
    return "" if pinned is None else str(pinned)


class InstallReplacesTriton(PartRule["Command | Declared"]):
    """Install replaces the Triton of ROCm's torch with PyPI's.

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
    preview = True
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
        is_replaced_before,
        is_asserted,
        is_explained,
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
                harm = Harm(case, "triton", place, message, _help_in(case), asked)
                if not self.is_excused(harm, source):
                    yield self.finding(harm.place, source, harm.message, help=harm.help)

    def _listed(self, node: Declared, source: File) -> Iterator[Finding]:
        """Look at a list of requirements that takes torch from PyTorch's index for ROCm."""
        from rocmlint.text.written import minor_release, requirement_of  # noqa: PLC0415

        requirement = requirement_of(node.text) if node.name == "triton" else None
        torch = _torch_beside(node, source)
        if requirement is None or requirement.url or node.constraint or torch is None:
            return
        pinned = _pinned(torch[0])
        if not _fits(requirement, "" if pinned is None else minor_release(pinned)):
            message = _message(requirement, "", f"the ROCm torch (line {torch[1]})")
            needing = _needing_triton(_listed_with(node, source))
            advice = _help(pinned, needing) if pinned is not None else _help_without_pin(needing)
            yield self.finding(node, source, message, help=advice)


def _message(requirement: Requirement, where: str, torch: str) -> str:
    text = f"{requirement.name}{requirement.specifier}"
    return fitted(
        "`{}`{where} replaces the Triton of {torch} with PyPI's", text, where=where, torch=torch
    )


def _help_in(case: Case) -> str:
    """Return what to do in a command; pip counts the Triton of an image for what requires it.

    AMD's images have a Triton of their own, which no table of torch's releases knows.
    """
    there = case.torch
    if there is None or there.in_image or not there.minor:
        return _help(None, "")
    requirements = (each.requirement for each in case.everything.asked)
    needing = _needing_triton(requirements) if there.renames_triton else ""
    return _help(max(there.versions), needing)


def _help(torch: Version | None, needing: str) -> str:
    """Return what to do where torch is known, and which package requires Triton ("" for none)."""
    version = "" if torch is None else _triton_with(torch)
    if torch is None or not version:
        reason = "Each torch is built with one Triton"
    else:
        minor = f"{torch.major}.{torch.minor}"
        reason = f"torch {minor} was built with Triton {'.'.join(version.split('.')[:2])}"
    if needing and version:
        return f"{reason}. {needing} requires `triton`: pin `triton=={version}`."
    return f"{reason}: leave `triton` out, or take the torch whose Triton you need."


def _help_without_pin(needing: str) -> str:
    reason = "Each torch is built with one Triton"
    if needing:
        return (
            f"{reason}, and {needing} requires `triton`: pin torch, and `triton` to the release "
            "that it was built with."
        )
    return f"{reason}: leave `triton` out and pin torch, or pin the torch whose Triton you need."


def _needing_triton(requirements: Iterable[Requirement]) -> str:
    """Return the first package that requires Triton, besides torch and its family; "" for none."""
    from rocmlint.published.requirements import applicable  # noqa: PLC0415 - loads packaging

    from ._pins.demands import demand_of  # noqa: PLC0415

    for requirement in applicable(tuple(requirements)):
        demand = None if requirement.name == "triton" else demand_of(requirement)
        if demand is not None and demand.triton and demand.package not in pytorch_index.FAMILY:
            return demand.package
    return ""


def _listed_with(node: Declared, source: File) -> Iterator[Requirement]:
    """Yield the requirements of a list, and of those that it includes."""
    from rocmlint.project.inclusions import Listed, with_inclusions  # noqa: PLC0415
    from rocmlint.text.written import requirement_of  # noqa: PLC0415 - loads packaging

    own = Listed(os.path.abspath(source.path), source.parts)
    for _, parts, constraint in with_inclusions([own], source.read):
        for each in parts.declared:
            if each.group == node.group and not (constraint or each.constraint):
                requirement = requirement_of(each.text)
                if requirement is not None:
                    yield requirement


def _triton_with(torch: Version) -> str:
    """Return the Triton that one release of torch pins, else that of its minor release."""
    from rocmlint.published import requirements as published  # noqa: PLC0415
    from rocmlint.text.written import minor_release, version_of  # noqa: PLC0415

    public = version_of(torch.public)
    required = published.requirements("torch", public) if public is not None else None
    pins = [published.pin(each.specifier) for each in required or () if each.name == "triton"]
    return next((str(each) for each in pins if each is not None), "") or _triton_of(
        minor_release(torch)
    )


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
    """Return whether a requirement allows a Triton, or another patch release of it."""
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


def _pinned(torch: str) -> Version | None:
    """Return the release that a requirement of torch pins; None for none."""
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging
    from rocmlint.text.written import requirement_of  # noqa: PLC0415

    requirement = requirement_of(torch)
    return None if requirement is None else pin(requirement.specifier)
