"""How many bytes are allocated after each training step, and which lines made those that stay."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..factory import torch_of_the_job
from ..progress import report
from . import holders, live_tensors, steps
from . import parts as model_parts

if TYPE_CHECKING:
    from collections.abc import Callable

_PLACES = 6
_LONGEST = 400


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Make ``steps`` training steps and return the bytes after each.

    Those that were taken after step ``warm_up`` and are still there count as growing, if they are
    from ``many`` steps. Raises CannotAnswerError.
    """
    parts = model_parts.parts_of(request)
    step = steps.step_of(parts)
    devices = _devices(parts)
    facts: dict[str, Any] = {"model": parts.name, "devices": devices, "missing": "", "error": ""}
    facts["notes"] = [*model_parts.versions(), *parts.notes]
    if not devices and not live_tensors.sees_graphs():
        facts["missing"] = (
            "this torch does not show which tensors an autograd graph holds (2.1 does)"
        )
        return facts
    live = live_tensors.Live()
    facts |= _measured(step, request["steps"], live, devices)
    facts |= _growing(live, request["warm_up"], request["many"])
    return facts


def _devices(parts: Any) -> list[str]:
    """Return the GPUs that are used; empty on the CPU."""
    torch = torch_of_the_job()
    used = set()
    with suppress(Exception):  # steps without a model
        used = {str(each.device) for each in parts.model.parameters() if each.device.type == "cuda"}
    if not used and torch.cuda.is_available() and torch.cuda.is_initialized():
        used = {f"cuda:{torch.cuda.current_device()}"}
    return sorted(used)


def _measured(
    step: Callable[[int], object], many: int, live: live_tensors.Live, devices: list[str]
) -> dict[str, Any]:
    torch = torch_of_the_job()
    allocated: list[int] = []
    resident: list[int] = []
    error = ""
    try:
        for number in range(1, many + 1):
            live.step = number
            try:
                with live.mode():
                    step(number)
            except Exception as raised:  # noqa: BLE001 - the step of the user
                error = f"step {number}: {type(raised).__name__}: {raised}"[:_LONGEST]
                break
            gc.collect()
            if number == 1:
                gc.freeze()  # what is there now is not looked through again after each step
            on_cpu = live.bytes().get("cpu", 0)
            on_gpu = sum(torch.cuda.memory_allocated(each) for each in devices)
            allocated.append(on_gpu if devices else on_cpu)
            resident.append(_resident())
            report(f"step {number} of {many}: {allocated[-1] / 1e6:,.1f} MB")
    finally:
        gc.unfreeze()
    return {
        "bytes": allocated,
        "resident": resident,
        "error": error,
        "operations": live.operations,
    }


def _resident() -> int:
    """Return the memory of this process; 0 where the system does not report it."""
    with suppress(OSError, ValueError, IndexError), open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _growing(live: live_tensors.Live, warm_up: int, many: int) -> dict[str, Any]:
    """Return the lines whose memory of many steps is still there, and what holds it."""
    by_place: dict[tuple[str, str], list[tuple[int, int, int]]] = defaultdict(list)
    for storage, origin in live.alive():
        if origin.step > warm_up:
            entry = (origin.step, int(storage.nbytes()), int(storage._cdata))  # noqa: SLF001
            by_place[origin.place, origin.own].append(entry)
    growing = {
        places: found
        for places, found in by_place.items()
        if len({number for number, _, _ in found}) >= many
    }
    lines: list[dict[str, Any]] = [
        {
            "place": place,
            "own": own,
            "tensors": len(found),
            "bytes": sum(size for _, size, _ in found),
        }
        for (place, own), found in growing.items()
    ]
    lines.sort(key=lambda each: -each["bytes"])
    addresses = {address for found in growing.values() for _, _, address in found}
    return {
        "lines": lines[:_PLACES],
        "holders": holders.of_storages(addresses, _files(lines)) if addresses else [],
    }


def _files(lines: list[dict[str, Any]]) -> list[str]:
    """Return the files of the user's own code among the lines."""
    return list(dict.fromkeys(str(each["own"]).rpartition(":")[0] for each in lines if each["own"]))
