"""For which GPU code is: target ids, the processor numbers of ELF, and what runs where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SPIRV = "amdgcnspirv"
"""The processor of code that HIP compiles for the device when it is loaded."""

_TARGET_ID = re.compile(
    rf"(?:amdgcn-amd-amdhsa-(?:unknown)?-)?"
    rf"(?P<processor>gfx[0-9a-f]+(?:-[0-9a-z-]+)?|{SPIRV})"
    r"(?P<features>(?::[a-z0-9-]+[+-])*)"
)


@dataclass(frozen=True, order=True)
class Target:
    """A processor and the settings that code was compiled for or a device runs with.

    ``features`` are such as ``("sramecc+", "xnack-")``, sorted. Code that leaves one out runs under
    either setting; a device that leaves one out is one whose setting is not known.
    """

    processor: str
    features: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the target id, as in ``--offload-arch`` and gcnArchName."""
        return ":".join((self.processor, *self.features))


def parse_target(text: str) -> Target:
    """Read ``gfx942:sramecc+:xnack-``, with or without the triple before it. Raises ValueError."""
    match = _TARGET_ID.fullmatch(text.strip())
    if match is None:
        message = f"{text!r} is not a valid target, such as gfx942 or gfx90a:sramecc+:xnack-"
        raise ValueError(message)
    features = tuple(sorted(match["features"].split(":")[1:]))
    names = {each[:-1] for each in features}
    if len(names) < len(features):
        message = f"{text!r} contains a feature twice"
        raise ValueError(message)
    return Target(match["processor"], features)


def check_device(target: Target) -> None:
    """Check that a GPU can have a target: its processor and its settings. Raises ValueError.

    Which processor has which setting is what clang 19 accepts for ``--offload-arch``; processors
    that came later may have each.
    """
    processor = target.processor
    problem = ""
    if processor == SPIRV or processor.endswith("-generic"):
        problem = "is what code is compiled for, not a GPU"
    elif processor not in DEVICES:
        problem = "is not a GPU"
    else:
        for name in (each[:-1] for each in target.features):
            if name not in _HAS_SETTING:
                problem = f"has no feature {name!r}: there are {' and '.join(_HAS_SETTING)}"
            elif not _HAS_SETTING[name].fullmatch(processor):
                problem = f"has no feature {name!r}"
    if problem:
        message = f"{processor} {problem}"
        raise ValueError(message)


def contradict(one: Target, other: Target) -> bool:
    """Return whether nothing can be for both: other processors, or opposite settings."""
    signs = {each[:-1]: each[-1] for each in one.features}
    opposite = any(signs.get(each[:-1], each[-1]) != each[-1] for each in other.features)
    return one.processor != other.processor or opposite


def fits(code: Target, device: Target) -> bool:
    """Return whether each setting that the code was compiled for holds on the device."""
    return set(code.features) <= set(device.features)


def is_native(code: Target, device: Target) -> bool:
    """Return whether the code was compiled for this very processor and its settings."""
    return code.processor == device.processor and fits(code, device)


def is_generic_for(code: Target, device: Target) -> bool:
    """Return whether the code was compiled for the family that HIP falls back to on this device.

    It must also be of code-object version 6, and of a generic version as high as that in which the
    processor joined the family; so far every processor of a family is there since version 1.
    """
    return code.processor == GENERIC_OF.get(device.processor) and fits(code, device)


def settings(device: Target, codes: Iterable[Target]) -> Iterator[Target]:
    """Yield the device once for each setting that some code asks for and the device leaves open."""
    family = {device.processor, GENERIC_OF.get(device.processor)}
    asked = {
        feature[:-1] for code in codes if code.processor in family for feature in code.features
    }
    open_ones = sorted(asked - {feature[:-1] for feature in device.features})
    for signs in product("+-", repeat=len(open_ones)):
        chosen = (name + sign for name, sign in zip(open_ones, signs, strict=True))
        yield Target(device.processor, tuple(sorted((*device.features, *chosen))))


GENERIC_OF = {
    processor: family
    for family, processors in {
        "gfx9-generic": "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c",
        "gfx9-4-generic": "gfx942 gfx950",
        "gfx10-1-generic": "gfx1010 gfx1011 gfx1012 gfx1013",
        "gfx10-3-generic": "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036",
        "gfx11-generic": "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153",
        "gfx12-generic": "gfx1200 gfx1201",
    }.items()
    for processor in processors.split()
}
"""The family whose code HIP takes where there is none for the processor itself.

gfx908 and gfx90a have none. LLVM has more families (gfx12-5-generic), which HIP did not fall back
to in the source named above; so their code is proof of nothing here.
"""

_PROCESSORS = """
    gfx600 gfx601 gfx700 gfx701 gfx702 gfx703 gfx704 - gfx801 gfx802 gfx803 gfx810 gfx900 gfx902
    gfx904 gfx906 gfx908 gfx909 gfx90c gfx1010 gfx1011 gfx1012 gfx1030 gfx1031 gfx1032 gfx1033
    gfx602 gfx705 gfx805 gfx1035 gfx1034 gfx90a gfx940 gfx1100 gfx1013 gfx1150 gfx1103 gfx1036
    gfx1101 gfx1102 gfx1200 gfx1250 gfx1151 gfx941 gfx942 - gfx1201 gfx950 gfx1310 gfx9-generic
    gfx10-1-generic gfx10-3-generic gfx11-generic gfx1152 - gfx1154 gfx1153 gfx12-generic gfx1251
    gfx12-5-generic gfx1172 gfx1170 gfx1171 gfx9-4-generic - - gfx11-7-generic gfx13-generic
"""
PROCESSOR_OF_NUMBER = {
    number: processor
    for number, processor in enumerate(_PROCESSORS.split(), start=0x20)
    if processor != "-"
}
"""EF_AMDGPU_MACH of ``e_flags``: the numbers of LLVM's ``BinaryFormat/ELF.h``."""
DEVICES = frozenset(each for each in PROCESSOR_OF_NUMBER.values() if not each.endswith("-generic"))
"""The processors that a GPU can have; the others are families, which code is compiled for."""
_LATER = r"gfx12[5-9].|gfx1[3-9]..|"
_HAS_SETTING = {
    "sramecc": re.compile(_LATER + "gfx906|gfx908|gfx90a|gfx94.|gfx950"),
    "xnack": re.compile(_LATER + "gfx801|gfx810|gfx90.|gfx94.|gfx950|gfx101."),
}
"""The processors that have a setting."""
