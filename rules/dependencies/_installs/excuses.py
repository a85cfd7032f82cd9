"""Why an install that may take torch from PyPI, in a place for ROCm, is left alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.rule import compile_lazily, occurs, once_per_file

from .harms import harms
from .index_faults import has_newest
from .platform import packages_of_image
from .rocm_torch import indexes_of, is_from_rocm, keeps, torch_around
from .timeline import are_alternatives

if TYPE_CHECKING:
    from rocmlint.rule import Command, File

    from .cases import Harm

_BUILDS = compile_lazily(
    r"VLLM_TARGET_DEVICE|PIP_NO_BINARY|UV_NO_BINARY|--no-binary|wheels\.vllm\.ai"
)


def takes_no_dependencies(harm: Harm, file: File) -> bool:
    """Packages that are installed with `--no-deps`, and do harm only by what they require."""
    del file
    requires = {"package", "wheel", "triton"}
    is_triton = harm.asked is not None and harm.asked.requirement.name.lower() == "triton"
    return harm.kind in requires and not is_triton and harm.case.install.no_dependencies


def names_build(harm: Harm, file: File) -> bool:
    """Commands that ask for a build, `torch==2.9.1+rocm6.4`, or whose ROCm index has the package.

    That is an index in addition to PyPI: pip takes the newest of both.

    Written for nktice/AMD-AI, ROCm-7-dev.md.
    """
    del file
    case, asked = harm.case, harm.asked
    if harm.kind in {"torch", "add"} and case.builds:
        return True
    if asked is None or harm.kind not in {"torch", "wheel"}:
        return False
    urls = [url for url, _ in indexes_of(case.install, case.everything.indexes)]
    if harm.kind == "wheel":
        return any(url is None or pytorch_index.is_rocm(url) for url in urls)
    return has_newest(asked.requirement, [url for url in urls if url])


def is_there(harm: Harm, file: File) -> bool:
    """Packages that the image has by its name, or that the file clones or builds, unless pinned.

    Also ranges that the torch meets of an image for ROCm which a README or Dockerfile names.
    """
    case, asked = harm.case, harm.asked
    if asked is None or harm.kind not in {"torch", "package", "wheel"}:
        return False
    upgrades = case.forced or case.install.upgrade
    if case.torch is None and not upgrades and case.command.image is None and _meets(harm, file):
        return True
    if harm.kind == "torch":
        return False
    if harm.kind == "wheel" and occurs(_BUILDS, file):
        return True
    pinned = any(each.operator == "==" for each in asked.requirement.specifier)
    if harm.kind == "package" and (upgrades or pinned):
        return False
    if _is_cloned(harm.package, file):
        return True
    image = case.command.image
    name = asked.requirement.name.lower()
    is_named = image is not None and name in image.text.lower()
    return is_named or harm.package in packages_of_image(case.command)


def _meets(harm: Harm, file: File) -> bool:
    """Return whether the torch of an image that the project names may stay."""
    torch = torch_around(False, file)
    if torch is None or harm.asked is None:
        return False
    if harm.demanded is None:
        return bool(keeps(harm.asked.requirement, torch))
    meets = torch.meets(harm.demanded)
    return not any(each.operator == "==" for each in harm.demanded) if meets is None else meets


@once_per_file
def _is_cloned(package: str, file: File) -> bool:
    clones = rf"/{re.escape(package)}(?:\.git|@|[\"']?\s)"
    return re.search(clones, file.text, re.IGNORECASE) is not None


def is_alternative(harm: Harm, file: File) -> bool:
    """Branches for other machines, where another branch takes torch from an index for ROCm.

    Written for AIwork4me/Unlimited-OCR-ROCm, scripts/setup_rocm.sh.
    """
    command = harm.case.command
    return harm.kind in {"torch", "package", "wheel", "conda"} and any(
        each is not command and are_alternatives(each, command, file)
        for each in _from_rocm_or_unknown(file)
    )


@once_per_file
def _from_rocm_or_unknown(file: File) -> list[Command]:
    """Return a command of each branch that may take torch for ROCm."""
    from rocmlint.rule import installs_of  # noqa: PLC0415 - loads packaging

    found = {
        (each.branches, each.step.number): each
        for each, install in installs_of(file.parts.commands)
        if is_from_rocm(install) or any(not index.word.known for index in install.indexes)
    }
    return [*found.values()]


OF_TORCH = (takes_no_dependencies, names_build, is_there, is_alternative)


def replaces_torch_itself(harm: Harm, file: File) -> bool:
    """Commands that replace torch itself: those are reported by install-replaces-torch.

    What excuses every install is asked before.
    """
    return any(harms(harm.case, file, _is_excused))


def _is_excused(harm: Harm, file: File) -> bool:
    return any(excuse(harm, file) for excuse in OF_TORCH)
