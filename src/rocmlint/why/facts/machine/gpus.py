"""Facts about GPUs: ``gpus()``, ``gpu('gfx94', 'gfx950')``, ``amd_gpu()``, ``gpu_count()``."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rocmlint.gpus.target import DEVICES
from rocmlint.why.facts.shell_and_log import variable
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocmlint.why.facts.context import Context

_PROCESSOR = re.compile(r"(?<![\w./-])gfx[0-9a-f]{3,4}(?![\w.*/])")
_OF_DEVICE = re.compile(
    r"(?:GPU arch ?:|amdhsa--|gcnArchName\W{1,4}|Device \d+: [^,\n]{1,80},|GPU target ?:"
    r"|compiling for|running on|gfx_arch\W{1,4})\s*(gfx[0-9a-f]{3,4})",
    re.IGNORECASE,
)
"""How programs name the GPU that they use; other names may be those that code is for."""
_LIST = 3
"""A line with so many processors lists what something supports."""
_NOT_DEVICE = ("PYTORCH_ROCM_ARCH", "AMDGPU_TARGETS", "GPU_ARCHS", "offload-arch", ".co", ".hsaco")
_MODEL = re.compile(
    r"\b(MI\d{2,3}[AX]?|RX ?\d{4}(?: ?XTX?| ?GRE)?|[WV]\d{3,4}|R9\d{3}D?|\d{3}M|Radeon VII)\b",
    re.IGNORECASE,
)
"""The names of products in logs: "RX 7900 XTX", "MI300X", "W7900", "780M"."""
_OF_NVIDIA = re.compile(r"\bNVIDIA (?:GeForce|RTX|A\d|H\d|L\d)|\bRTX [2-5]0[5-9]0\b|\bGTX 1\d{3}\b")
_PARTS = 3
_ALIKE = {
    "10.1.0": frozenset(["gfx1010", "gfx1011", "gfx1012"]),
    "10.3.0": frozenset(f"gfx103{last}" for last in range(7)),
    "11.0.0": frozenset(["gfx1100", "gfx1101", "gfx1102"]),
}
"""HSA_OVERRIDE_GFX_VERSION -> the GPUs that can run code for the one that it names.

That is less than a generic target: gfx1103 has too few registers for kernels for gfx1100
(https://github.com/ROCm/ROCm/issues/4557), and gfx1150 to gfx1153 have other instructions.
"""
_WITH_CPU = "gfx902 gfx90c gfx1013 gfx1033 gfx1035 gfx1036 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153"
_INTEGRATED = frozenset(_WITH_CPU.split())
_ALIASES = (
    ("strix halo", "gfx1151"),
    ("ryzen ai max", "gfx1151"),
    ("radeon 8060s", "gfx1151"),
    ("radeon 8050s", "gfx1151"),
    ("strix point", "gfx1150"),
    ("radeon 890m", "gfx1150"),
    ("radeon 880m", "gfx1150"),
    ("krackan", "gfx1152"),
    ("phoenix apu", "gfx1103"),
    ("hawk point", "gfx1103"),
    ("vega 56", "gfx900"),
    ("vega 64", "gfx900"),
)
"""Names under which people write of chips, as in AMD's tables and drivers."""
_MORE = {
    "RX6650XT": "gfx1032",
    "RX6700": "gfx1031",
    "RX6800": "gfx1030",
    "RX6950XT": "gfx1030",
    "RX7600XT": "gfx1102",
    "RX7900GRE": "gfx1100",
    "MI308X": "gfx942",
}
"""Products that AMD's table of wheels does not name."""


def gpus(context: Context) -> tuple[str, ...] | UnreadFact:
    """Return the processors of the GPUs ("gfx942"): as the log names them, else those here."""
    named = _of_log(tuple(context.log.lines))
    if named:
        context.saw("GPU", ", ".join(named), "the log")
        return named
    found = tuple(dict.fromkeys(context.host.gpus))
    if found:
        context.saw("GPU", ", ".join(found), context.host.source)
        return found
    asked = () if context.examination else context.devices.architectures
    if asked:
        context.saw("GPU", ", ".join(asked), context.devices.source)
        return asked
    return UnreadFact("the GPU", "rocminfo | grep gfx")


def gpu(context: Context, *prefixes: str) -> bool | UnreadFact:
    """Return whether the processor of a GPU begins with one of these: "gfx110"."""
    found = gpus(context)
    return (
        found if isinstance(found, UnreadFact) else any(each.startswith(prefixes) for each in found)
    )


def gpu_count(context: Context) -> int | UnreadFact:
    """Return how many AMD GPUs there are."""
    found = context.host.gpus
    if not found:
        return UnreadFact("the number of GPUs", "rocminfo | grep -c 'Device Type:.*GPU'")
    context.saw("GPUs", len(found), context.host.source)
    return len(found)


def amd_gpu(context: Context) -> bool | UnreadFact:
    """Return whether the job's machine has an AMD GPU."""
    if _of_log(tuple(context.log.lines)):
        context.saw("GPU", ", ".join(_of_log(tuple(context.log.lines))), "the log")
        return True
    found = context.host.has_amd
    if found is None:
        return UnreadFact("whether there is an AMD GPU", "lspci | grep -iE 'amd|ati'")
    context.saw("AMD GPU", "yes" if found else "none", context.host.source)
    return found


def nvidia_gpu(context: Context) -> bool:
    """Return whether there is an NVIDIA GPU here."""
    line = next((each for each in context.log.lines if _OF_NVIDIA.search(each)), None)
    if line is not None or context.host.has_nvidia:
        context.saw("NVIDIA GPU", "yes", "the log" if line is not None else context.host.source)
        return True
    return False


def override_fits(context: Context) -> bool | UnreadFact | None:
    """Return whether HSA_OVERRIDE_GFX_VERSION names a GPU whose code runs on the one here.

    None where the variable is not set.
    """
    version = variable(context, "HSA_OVERRIDE_GFX_VERSION")
    target = _processor(version)
    if not target:
        return None
    found = context.host.gpus or gpus(context)
    if isinstance(found, UnreadFact):
        return found
    return all(each == target or each in _ALIKE.get(version, ()) for each in found)


def stand_in(context: Context) -> str | UnreadFact:
    """Return the HSA_OVERRIDE_GFX_VERSION under which wheels run here; empty for none.

    Under "10.3.0" gfx1031 runs the code for gfx1030. Nothing is said where it is set already.
    """
    found = gpus(context)
    if isinstance(found, UnreadFact):
        return found
    usual = (version for version, alike in _ALIKE.items() if alike.issuperset(found))
    version = next(usual, "")
    is_set = variable(context, "HSA_OVERRIDE_GFX_VERSION") == version
    return "" if is_set or not found or _processor(version) in found else version


def _processor(version: str) -> str:
    numbers = version.split(".")
    if not all(each.isdecimal() for each in numbers) or len(numbers) != _PARTS:
        return ""
    return f"gfx{numbers[0]}{int(numbers[1]):x}{int(numbers[2]):x}"


def integrated(context: Context) -> str:
    """Return the processor of an integrated GPU next to another GPU; empty for none.

    It has one of the numbers that only chips with a CPU have.
    """
    found = tuple(dict.fromkeys(context.host.gpus))
    inside = [each for each in found if each in _INTEGRATED]
    if not inside or len(found) == len(inside):
        return ""
    context.saw("GPUs", ", ".join(found), context.host.source)
    return inside[0]


def main_gpu(context: Context) -> str | UnreadFact:
    """Return the processor to install for: the first GPU that is not integrated, else the first."""
    found = gpus(context)
    if isinstance(found, UnreadFact):
        return found
    return next((each for each in found if each not in _INTEGRATED), found[0])


def main_numbers(context: Context) -> str:
    """Return the numbers of the GPUs that are not integrated, for HIP_VISIBLE_DEVICES: "1,2"."""
    found = context.host.gpus
    return ",".join(str(at) for at, each in enumerate(found) if each not in _INTEGRATED)


@cache
def _of_log(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the GPUs that a log names; none where it names several that need not be there."""
    sure: dict[str, None] = {}
    named: dict[str, None] = {}
    models: dict[str, None] = {}
    for line in lines:
        low = line.lower()
        if "gfx" in low and not any(each in line for each in _NOT_DEVICE):
            sure |= dict.fromkeys(_valid(_OF_DEVICE.findall(line)))
            found = _valid(_PROCESSOR.findall(low))
            if len(found) < _LIST:
                named |= dict.fromkeys(found)
        models |= dict.fromkeys(_of_models(line, low))
    for each in (sure, named, models):
        if len(each) == 1:
            return tuple(each)
    return ()


def _valid(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.lower() for each in names if each.lower() in DEVICES))


def _of_models(line: str, low: str) -> Iterable[str]:
    yield from (gfx for name, gfx in _ALIASES if name in low)
    for found in _MODEL.findall(line):
        gfx = _models().get(_plain(found))
        if gfx is not None:
            yield gfx


def _plain(name: str) -> str:
    return name.upper().replace(" ", "").removeprefix("RADEON").removeprefix("PRO")


@cache
def _models() -> Mapping[str, str]:
    """Return the processors of the products in AMD's table of GPUs: "RX7900XTX" to gfx1100."""
    from rocmlint.published.amd_wheels import devices  # noqa: PLC0415 - few logs name one

    found = dict(_MORE)
    for each in devices():
        series = ""
        for product in re.split(r", |\(|\)", each.products.removesuffix(" graphics")):
            words = product.split()
            series = "RX" if "RX" in words else "" if len(words) > 2 else series
            last = "".join(words[-2:]) if words and words[-1] in {"XT", "XTX"} else words[-1:]
            name = "".join(last)
            found[_plain(f"{series}{name}" if name[:1].isdecimal() and series else name)] = each.gfx
    return found


FACTS = {
    "gpus": gpus,
    "gpu": gpu,
    "gpu_count": gpu_count,
    "amd_gpu": amd_gpu,
    "nvidia_gpu": nvidia_gpu,
    "override_fits": override_fits,
    "stand_in": stand_in,
    "integrated": integrated,
    "main_gpu": main_gpu,
    "main_numbers": main_numbers,
}
