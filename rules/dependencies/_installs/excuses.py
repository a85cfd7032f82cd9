"""Why an install in a place for ROCm is left alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.published.amd_index import amd_index
from rocmlint.rule import compile_lazily, occurs, once_per_file
from rocmlint.rule.put_aside import is_put_aside

if TYPE_CHECKING:
    from rocmlint.rule import File

    from .cases import Harm

_PLACED = frozenset({"--target", "-t", "--prefix", "--root"})
_CONFIGURED = compile_lazily(
    r"pip3? config |pip\.conf|PIP_(?:EXTRA_)?INDEX_URL|PIP_CONSTRAINT|PIP_CONFIG_FILE|PIP_NO_DEPS"
    r"|UV_(?:DEFAULT_|EXTRA_)?INDEX|UV_(?:CONSTRAINT|OVERRIDE|TORCH_BACKEND)"
)
_BUILDS = compile_lazily(
    r"VLLM_TARGET_DEVICE|PIP_NO_BINARY|UV_NO_BINARY|--no-binary|wheels\.vllm\.ai"
)


def installs_elsewhere(harm: Harm, file: File) -> bool:
    """Dry runs, `--target`, sections of a document for NVIDIA, files that are put aside.

    Written for AMD-AGI/Primus, docs_deprecated/preflight-direct.md.
    """
    from .platform import is_below_nvidia  # noqa: PLC0415 - loads packaging

    command = harm.case.command
    is_placed = any(each.text in _PLACED for each in command.words)
    return (
        harm.case.install.dry_run
        or is_placed
        or is_put_aside(file)
        or is_below_nvidia(command, file)
    )


def is_early(harm: Harm, file: File) -> bool:
    """Commands before the one that installs the ROCm build of torch.

    Written for nktice/AMD-AI, ROCm-5.6.md.
    """
    del file
    return harm.case.state.torch_comes_later


def is_told_source(harm: Harm, file: File) -> bool:
    """Commands, files and projects that name an index, constraints or a build of torch.

    So may words of a command that only the run knows.
    """
    from .locked import knows_rocm  # noqa: PLC0415 - loads packaging

    install = harm.case.install
    is_told = install.constraints or install.torch_backend or install.no_index or install.unclear
    return (
        bool(is_told)
        or _has_index(harm)
        or occurs(_CONFIGURED, file)
        or (install.tool != "pip" and knows_rocm(install.tool, file))
    )


def _has_index(harm: Harm) -> bool:
    """Return whether a command asks an index that is not PyPI's, or that only the run knows."""
    install = harm.case.install
    for url, extra in harm.case.urls:
        if url is None or pytorch_index.is_other(url):
            return True
        is_of_amd = harm.kind == "torch" and amd_index(url) is not None
        is_known = is_of_amd or pytorch_index.pytorch_index(url) is not None
        if extra and install.tool == "pip" and is_known:
            continue  # in addition to PyPI: the newest of both wins, of AMD's many packages too
        if not pytorch_index.is_pypi(url):
            return True
    return False


OF_EVERY_INSTALL = (installs_elsewhere, is_early, is_told_source)


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
    from .index_faults import has_newest  # noqa: PLC0415 - loads packaging

    case, asked = harm.case, harm.asked
    if harm.kind in {"torch", "add"} and case.builds:
        return True
    if asked is None or harm.kind not in {"torch", "wheel"}:
        return False
    urls = [url for url, _ in case.urls]
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
    return is_named or harm.package in case.of_image


def _meets(harm: Harm, file: File) -> bool:
    """Return whether the torch of an image that the project names may stay."""
    from .rocm_torch import keeps, torch_around  # noqa: PLC0415 - loads packaging

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
    from .timeline import is_other_branch_for_rocm  # noqa: PLC0415 - loads packaging

    of_branch = {"torch", "package", "wheel", "conda"}
    return harm.kind in of_branch and is_other_branch_for_rocm(harm.case.command, file)


OF_TORCH = (takes_no_dependencies, names_build, is_there, is_alternative)


def replaces_torch_itself(harm: Harm, file: File) -> bool:
    """Commands that replace torch itself: those are reported by install-replaces-torch.

    What excuses every install is asked before.
    """
    from .harms import harms  # noqa: PLC0415 - loads packaging

    return any(harms(harm.case, file, _is_excused))


def _is_excused(harm: Harm, file: File) -> bool:
    return any(excuse(harm, file) for excuse in OF_TORCH)
