"""Variables that get in each other's way: device filters, switches without their master."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.variables import KNOWN, is_on
from rocmlint.published.visible_devices import (
    CUDA,
    HIP,
    ROCR,
    VISIBILITY,
    entries,
    is_short,
    missing,
)
from rocmlint.verify.result import Evidence, Result
from rocmlint.verify.variables.switch_values import taken_as_on, word_for_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.verify.variables.readers import Reader

CLAIM = "no set variable contradicts another"


def conflicts(
    variables: Mapping[str, str], readers: Mapping[str, Sequence[Reader]]
) -> Iterator[Result]:
    """Yield every contradiction between variables, or one proof that there is none.

    ``readers`` are the sure readers of each variable.
    """
    found = [*_visible_devices(variables), *_without_master(variables, readers)]
    yield from found
    yield from _dangers(variables)
    if not found:
        seen = f"{len(variables)} set" if variables else "no variable of the ROCm stack is set"
        if ROCR in variables and (HIP in variables or CUDA in variables):
            seen = f"{seen}; {_mapped(variables)}"
        yield Result(
            "variables",
            CLAIM,
            "all variables",
            "proven",
            "located",
            seen,
        )


def _visible_devices(variables: Mapping[str, str]) -> Iterator[Result]:
    """Yield what is wrong with the filters: ROCr takes its own first, HIP counts what is left."""
    if HIP in variables and CUDA in variables and variables[HIP] != variables[CUDA]:
        yield _conflict(
            (HIP, CUDA),
            variables,
            f"HIP takes {HIP} and ignores {CUDA}",
            "two lists of devices differ, and code that reads the other one counts other GPUs",
            f"unset {CUDA}",
        )
    for name in VISIBILITY:
        devices = entries(variables.get(name, ""))
        if len(set(devices)) < len(devices):
            yield _conflict(
                (name,),
                variables,
                "names a device twice",
                "a device is named twice, and torch then sees no GPU at all",
                f"export {name}={','.join(dict.fromkeys(devices))}",
            )
    second = HIP if HIP in variables else CUDA
    if ROCR not in variables or second not in variables:
        return
    left, wanted = entries(variables[ROCR]), entries(variables[second])
    if is_short(left, wanted):
        gone = ", ".join(missing(left, wanted)) or "a part of the list"
        yield _conflict(
            (ROCR, second),
            variables,
            f"{ROCR} leaves {len(left)}, {second} asks for {variables[second]!r}",
            f"the GPUs are filtered twice: {second} counts those that {ROCR} leaves, from "
            f"0, so {gone} does not exist there",
            f"unset {second}",
        )


def _mapped(variables: Mapping[str, str]) -> str:
    """Return which device each entry of a double filter stands for."""
    left = entries(variables[ROCR])
    wanted = entries(variables.get(HIP, variables.get(CUDA, "")))
    pairs = (f"{each} is {left[int(each)]}" for each in wanted if each.isdecimal())
    return f"filtered twice, device {', '.join(pairs)}"


def _without_master(
    variables: Mapping[str, str], readers: Mapping[str, Sequence[Reader]]
) -> Iterator[Result]:
    """Yield the variables that are read and on while the one that they need is off."""
    for name in sorted(variables):
        master = KNOWN[name].needs if name in KNOWN else ""
        if not master or not is_on(variables[name]) or not readers.get(name):
            continue
        how = [each.reading for each in readers.get(master, ()) if each.reading]
        if master in variables and taken_as_on(how, variables[master]):
            continue
        state = f"{master}={variables[master]}, off" if master in variables else f"{master} unset"
        yield _conflict(
            (name,),
            variables,
            state,
            f"{name} only counts if {master} is on, so it has no effect",
            f"export {master}={word_for_on(how)}",
        )


def _dangers(variables: Mapping[str, str]) -> Iterator[Result]:
    """Yield the variables after which a GPU may get code that is not made for it."""
    for name, value in sorted(variables.items()):
        row = KNOWN.get(name)
        if row and row.danger and value and row.dangerous_with in value:
            yield Result(
                "variables",
                "the code that runs is made for the GPU in this machine",
                f"{name}={value}",
                "unproven",
                "declared",
                "set, so another GPU may be asked for",
                (Evidence("known from", row.source),),
                row.danger,
                f"unset {name}; if the run needs it, check the code: rocmlint verify kernels",
            )


def _conflict(
    names: Sequence[str], variables: Mapping[str, str], seen: str, reason: str, action: str
) -> Result:
    evidence = [Evidence(name, variables[name]) for name in names]
    evidence += [Evidence("known from", KNOWN[name].source) for name in names if name in KNOWN]
    return Result(
        "variables",
        CLAIM,
        " ".join(names),
        "contradicted",
        "declared",
        seen,
        tuple(evidence),
        reason,
        action,
    )
