"""Facts about installed packages: ``version('torch')``, ``torch_build()``, ``torch_rocm()``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.stack.versions import labelled_rocm, major_minor
from rocmlint.text.written import version_of
from rocmlint.why.facts.metadata import version_file
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from packaging.version import Version

    from rocmlint.why.facts.context import Context


def version(context: Context, package: str) -> Version | UnreadFact | None:
    """Return the version of an installed package; None if it is not installed."""
    if not context.packages.folders or context.is_elsewhere:
        return UnreadFact(f"the installed {package}", f"python -m pip show {package}")
    found = context.packages.get(package)
    if found is None:
        context.saw_package(package, "not installed")
        return None
    context.saw_package(package, found.version)
    return found.version


def torch_build(context: Context) -> str | UnreadFact | None:
    """Return "rocm", "cuda" or "cpu"; None without torch."""
    installed = version(context, "torch")
    if installed is None or isinstance(installed, UnreadFact):
        return installed
    constants = version_file(context.packages)
    label = installed.local or ""
    if not constants and not label:
        return UnreadFact(
            "the build of torch", 'python -c "import torch; print(torch.version.hip)"'
        )
    is_rocm = constants.get("hip") or "rocm" in label
    is_cuda = constants.get("cuda") or label.startswith("cu")
    kind = "rocm" if is_rocm else "cuda" if is_cuda else "cpu"
    context.saw("torch is built for", kind, "torch/version.py" if constants else "its version")
    return kind


def torch_rocm(context: Context) -> Version | UnreadFact | None:
    """Return the ROCm that torch was built for (major.minor); None for another build."""
    kind = torch_build(context)
    if kind != "rocm":
        return kind if isinstance(kind, UnreadFact) else None
    constants = version_file(context.packages)
    installed = context.packages.get("torch")
    text = constants.get("rocm") or constants.get("hip") or ""
    label = labelled_rocm(str(installed.version)) if installed else ""
    found = version_of(major_minor(text or label or ""))
    return found if found is not None else UnreadFact("the ROCm that torch was built for")


def python_version(context: Context) -> Version | UnreadFact | None:
    """Return the Python that the packages are for (major.minor)."""
    import re  # noqa: PLC0415 - one use

    for folder in context.packages.folders:
        found = re.search(r"python(3\.\d+)", folder)
        if found is not None:
            return version_of(found[1])
    return UnreadFact("the version of Python", "python --version")


FACTS = {
    "version": version,
    "torch_build": torch_build,
    "torch_rocm": torch_rocm,
    "python_version": python_version,
}
