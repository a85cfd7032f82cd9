"""GPUs that variables leave visible for a job that is started here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.published.visible_devices import CUDA, HIP, ROCR, entries
from rocmlint.stack.verdicts import Verdict
from rocmlint.text.words import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.gpus.devices import Devices


def visible(variables: Mapping[str, str], devices: Devices) -> Iterator[Verdict]:
    """Yield a note if a job sees other GPUs than those that were found."""
    applied, gpus = _left(variables, devices)
    if not devices.names or gpus == list(devices.names):
        return
    sees = f"{counted(gpus, 'GPU')}: {', '.join(gpus)}" if gpus else "no GPU"
    here = counted(devices.names, "GPU")
    said = " and ".join(f"{each}={shortened(variables[each])}" for each in applied)
    yield Verdict(
        said,
        "",
        here,
        here,
        "every GPU",
        "variable",
        "note",
        reason=f"a job in this environment sees {sees}",
        action="" if gpus else f"unset {' '.join(applied)} to see all",
    )


def seen_by_a_job(variables: Mapping[str, str], devices: Devices) -> Devices:
    """Return the GPUs that a job sees; all where it sees none, or which ones is not known."""
    _, gpus = _left(variables, devices)
    known = gpus and all(each in devices.names for each in gpus)
    return replace(devices, names=tuple(gpus)) if known else devices


def _left(variables: Mapping[str, str], devices: Devices) -> tuple[list[str], list[str]]:
    """Return the variables that count, and what they leave.

    ROCr takes its list first and HIP counts what is left; rocminfo names what ROCr leaves. An empty
    list is none for torch, while HIP itself takes it as unset.
    """
    gpus, applied = list(devices.names), []
    if ROCR in variables and devices.source != "rocminfo":
        applied.append(ROCR)
        gpus = _kept(gpus, variables[ROCR])
    second = HIP if HIP in variables else CUDA
    if second in variables:
        applied.append(second)
        gpus = _kept(gpus, variables[second])
    return applied, gpus


def _kept(gpus: Sequence[str], listed: str) -> list[str]:
    """Return what a list leaves; it ends with a number that is not there, or comes again.

    A GPU that is named by its UUID is one of them, but nothing says which.
    """
    kept: list[str] = []
    found = entries(listed)
    if len(set(found)) < len(found):
        return kept
    for each in found:
        if each.isdecimal() and int(each[:9]) < len(gpus) and len(each) < 9:
            kept.append(gpus[int(each)])
        elif each.startswith("GPU-"):
            kept.append(gpus[0] if len(set(gpus)) == 1 else each)
        else:
            break
    return kept
