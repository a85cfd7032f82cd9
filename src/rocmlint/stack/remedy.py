"""What to type when a requirement is not met, so that torch stays the build it is."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published import requirements, rocm_wheels
from rocmlint.stack.installed import TORCH_FAMILY
from rocmlint.stack.verdicts import is_met

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.version import Version

    from rocmlint.stack.installed import Distribution


def remedy(
    package: Distribution, requirement: Requirement, other: Distribution | None, extra: str
) -> str:
    """Say what makes the requirement of a package true.

    For another torch the package moves first: torch is what the ROCm here was chosen with.
    """
    name = canonicalize_name(requirement.name)
    if name in rocm_wheels.BUILT_FOR_CUDA:
        return rocm_build(_text(requirement))
    if name not in TORCH_FAMILY:
        return f"pip install {shlex.quote(_text(requirement))}{_guarded(name)}"
    if package.name in TORCH_FAMILY or other is None or other.parsed is None:
        return "take torch and what belongs to it from one index: rocmlint stack install-command"
    fitting = newest_accepting(package.name, name, other.parsed, extra)
    wanted = f"{package.name}=={fitting}"
    keep = f"pip install {shlex.quote(wanted)} (keeps {other})"
    if package.name in rocm_wheels.BUILT_FOR_CUDA:
        keep = f"{rocm_build(wanted)}; it keeps {other}"
    move = _newer_torch(requirement) if name == "torch" else ""
    if fitting is None:
        return move or f"rocmlint stack compatible --torch {other.parsed.public} {package.name}"
    return f"{keep}; or {move}" if move else keep


def newest_accepting(package: str, other: str, version: Version, extra: str = "") -> Version | None:
    """Give the newest known release of a package whose metadata allow a version of another.

    With ``extra`` that extra counts as chosen. None where no release is known that does.
    """
    for release in reversed(requirements.releases(package)):
        required = requirements.requirements(package, release)
        if required is None or requirements.is_yanked(package, release):
            continue
        demands = requirements.applicable(required, (extra,) if extra else ())
        on_other = [each for each in demands if canonicalize_name(each.name) == other]
        if (on_other or extra) and all(is_met(each.specifier, version) for each in on_other):
            return release
    return None


def _newer_torch(requirement: Requirement) -> str:
    """Give the command for the newest released torch that the requirement allows.

    Of its ROCm versions the oldest, whose libraries most drivers run: the ROCm of the present torch
    has seldom wheels of a newer one.
    """
    rows = [each for each in rocm_wheels.rows() if each.status == "release"]
    fitting = [each for each in rows if requirement.specifier.contains(f"{each.torch}.0")]
    if not fitting:
        return ""
    newest = fitting[-1]
    return f"rocmlint stack install-command --rocm {newest.rocm[0]} --torch {newest.torch}"


def _guarded(name: str) -> str:
    """Keep the installer from torch where a package pins one."""
    known = requirements.releases(name)
    if not known:
        return ""
    try:
        demanded = requirements.torch_requirement(name, known[-1])
    except KeyError:
        return ""
    pins = demanded is not None and any(each.operator in {"==", "<", "<="} for each in demanded)
    return " --no-deps (else it replaces torch)" if pins else ""


def rocm_build(wanted: str) -> str:
    """Say what to do in place of an install of what PyPI has for CUDA only."""
    return f"install a ROCm build of {shlex.quote(wanted)} with --no-deps (PyPI's is for CUDA)"


def _text(requirement: Requirement) -> str:
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}{requirement.specifier}"
