"""Facts about the amdgpu driver: kernel, DKMS, page faults, memory that the GPU was given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.text.written import version_of
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.why.facts.context import Context

_CLIENT = re.compile(r"Faulty UTCL2 client ID: ([A-Z]+)")
_UNITS = {
    "CPC": "command processor",
    "CPF": "command processor",
    "CPG": "command processor",
    "SDMA": "copy engine",
}
"""Clients of the GPU's page tables that run no kernel of a program."""
_KERNEL = re.compile(
    r"(?:^\s*|\bLinux version |^Linux \S+ |\b[Kk]ernel(?: version)?\W{1,4})"
    r"(\d+\.\d+\.\d+-[\w.+~-]+)(?=\s|$)"
)
"""The output of ``uname`` and /proc/version, and how people write it."""
_DKMS = re.compile(
    r"\bamdgpu(?:/|, )(?P<version>\d[\w.~+-]*)(?:, (?P<kernel>[^,\s]+), \w+)?: "
    r"(?P<state>added|built|installed)\b"
)
"""A line of ``dkms status``, in the words of DKMS 2 and 3."""
_STATES = ("added", "built", "installed")
_TREE = "/var/lib/dkms/amdgpu"
_VRAM = "mem_info_vram_total"
_BYTES = re.compile(r"^\s*(?:\S*mem_info_vram_total:?\s*)?(\d{8,13})\s*$")
_GIB = 1 << 30


def faulting_unit(context: Context) -> str:
    """Return the unit whose access failed, where that is none that runs a program's kernels.

    It is "command processor" or "copy engine"; empty for others, or without the kernel's log.
    """
    for line in context.log.lines:
        found = _CLIENT.search(line)
        if found is not None:
            context.saw("the page fault is of", found[1], "the kernel's log")
            return _UNITS.get(found[1], "")
    return ""


def kernel(context: Context) -> str:
    """Return the release of the kernel, as the log shows it, else the one here."""
    named = (_KERNEL.search(each) for each in context.log.lines)
    found = next((each for each in named if each is not None), None)
    if found is not None:
        context.saw("kernel", found[1], "the log")
        return found[1]
    if context.host.kernel:
        context.saw("kernel", context.host.kernel, context.host.source)
    return context.host.kernel


def kernel_version(context: Context) -> Version | UnreadFact:
    """Return the version of the kernel (6.14.0), without what a distribution appends."""
    found = re.match(r"\d+(?:\.\d+){1,2}", kernel(context))
    version = version_of(found[0]) if found is not None else None
    return version or UnreadFact("the kernel", "uname -r")


class _Module(NamedTuple):
    """A version of amdgpu that DKMS has, the kernel it was built for (or ""), and its state."""

    version: str
    kernel: str
    state: str


def dkms_state(context: Context) -> str:
    """Return how far DKMS is with amdgpu for the running kernel: "added", "built", "installed".

    Empty where DKMS has no amdgpu, or where that is not known.
    """
    found = _of_running(context)
    if found is None:
        return ""
    of = f" for {found.kernel}" if found.kernel else ""
    context.saw("dkms", f"amdgpu {found.version}{of}: {found.state}", "dkms status")
    return found.state


def dkms_version(context: Context) -> str:
    """Return the version of amdgpu that DKMS has; empty for none."""
    found = _of_running(context)
    return found.version if found is not None else ""


def _of_running(context: Context) -> _Module | None:
    """Return the module for the running kernel that is nearest to being installed."""
    running = kernel(context)
    modules = list(_of_log(context)) or list(_of_tree(context, running))
    here = [each for each in modules if not each.kernel or not running or each.kernel == running]
    if here:
        return max(here, key=lambda each: _STATES.index(each.state))
    return modules[0]._replace(kernel="", state="added") if modules else None


def _of_log(context: Context) -> Iterator[_Module]:
    for line in context.log.lines:
        for found in _DKMS.finditer(line):
            yield _Module(found["version"], found["kernel"] or "", found["state"])


def _of_tree(context: Context, running: str) -> Iterator[_Module]:
    if context.examination is not None:
        return
    names = context.host.names(_TREE)
    is_installed = any(each.startswith(f"kernel-{running}-") for each in names) and running
    for version in names:
        if version.startswith("kernel-") or version in {"kernel", "original_module"}:
            continue
        is_built = running in context.host.names(f"{_TREE}/{version}")
        state = "installed" if is_built and is_installed else "built" if is_built else "added"
        yield _Module(version, running if is_built else "", state)


def given_memory(context: Context) -> float | UnreadFact:
    """Return the memory in GiB that the firmware gave the GPU as its own, as the driver says."""
    lines = context.log.lines
    at = next((number for number, each in enumerate(lines) if _VRAM in each), None)
    near = lines[at : at + 4] if at is not None else ()
    found = [int(each[1]) for each in map(_BYTES.match, near) if each is not None]
    source = "the log"
    if not found and context.examination is None:
        folder, source = "/sys/class/drm", context.host.source
        texts = (context.host.text(f"{folder}/{n}/device/{_VRAM}") for n in _cards(context, folder))
        found = [int(each) for each in texts if each.strip().isdecimal()]
    if not found:
        return UnreadFact("the GPU's own memory", f"cat /sys/class/drm/card*/device/{_VRAM}")
    context.saw("the GPU's own memory", f"{max(found) / _GIB:.2f} GiB", source)
    return max(found) / _GIB


def _cards(context: Context, folder: str) -> Iterator[str]:
    return (each for each in context.host.names(folder) if re.fullmatch(r"card\d+", each))


FACTS = {
    "faulting_unit": faulting_unit,
    "kernel": kernel,
    "kernel_version": kernel_version,
    "dkms_state": dkms_state,
    "dkms_version": dkms_version,
    "given_memory": given_memory,
}
