"""Causes that the numbers of an out-of-memory message prove: other processes, holes, a huge tensor.

Where they prove nothing, the entries of the table judge the code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from rocmlint.why.answer import OTHER_CAUSES, Action, Explanation
from rocmlint.why.facts.machine.driver import given_memory, kernel_version
from rocmlint.why.facts.machine.gpus import gpu
from rocmlint.why.facts.packages.installed import torch_rocm
from rocmlint.why.facts.value import FactEvidence, UnreadFact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.facts.context import Context

NAME = "gpu-out-of-memory"
_GIB = float(1 << 30)
_UNITS = {"bytes": 1.0, "KiB": 1024.0, "MiB": float(1 << 20), "GiB": _GIB, "TiB": 1024 * _GIB}
_SIZE = r"(\d+(?:\.\d+)?) (bytes|KiB|MiB|GiB|TiB)"
_MESSAGE = re.compile(rf"(?:HIP|CUDA) out of memory\. Tried to allocate {_SIZE}")
_PARTS = {
    "total": re.compile(rf"total capacity of {_SIZE}|{_SIZE} total capacity"),
    "free": re.compile(rf"of which {_SIZE} is free|{_SIZE} free"),
    "allowed": re.compile(rf"{_SIZE} allowed"),
    "allocated": re.compile(rf"{_SIZE} is allocated by PyTorch|{_SIZE} already allocated"),
    "unused": re.compile(rf"{_SIZE} is reserved by PyTorch but unallocated"),
    "reserved": re.compile(rf"{_SIZE} reserved in total by PyTorch"),
}
"""The numbers in the words of torch 2.2 and later, and in older ones."""
_PROCESS = re.compile(rf"Process (\d+) has {_SIZE} memory in use")
_ITSELF = re.compile(rf"this process has {_SIZE} memory in use")
_MUCH, _LEAST = 0.15, 1.5 * _GIB
"""The share of a GPU, and the bytes, from which on memory of others matters."""
_VARIABLE = re.compile(r"setting (PYTORCH_(?:\w+_)?ALLOC_CONF)")
_HOLES = 0.08
_INTEGRATED = ("gfx1103", "gfx115", "gfx1035", "gfx1036", "gfx90c")
_STRIX_HALO, _KERNEL = "gfx1151", Version("6.16.9")
"""Before this kernel ROCm gets half of the host's memory there, whatever the firmware gives."""
_MORE, _SMALL = 1.2, 32 * _GIB
_URL = "https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management"


@dataclass(frozen=True)
class _Memory:
    """The numbers of a message, in bytes; 0 where it has none."""

    tried: float
    total: float
    free: float
    allowed: float
    allocated: float
    unused: float
    named: float
    """The memory of other processes, if the message names them."""
    variable: str
    """The variable of the allocator, as the message calls it: older versions know one name only."""

    @property
    def of_others(self) -> float:
        """Memory that is neither free nor PyTorch's in this process."""
        rest = self.total - self.free - self.allocated - self.unused
        return max(self.named, rest if self.allocated else 0)


class _Judgement(NamedTuple):
    """A cause, what to do, and a command."""

    cause: str
    do: str
    run: str = ""
    missing: tuple[UnreadFact, ...] = ()
    """Facts that must be read before this is known."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of the answer."""
        commands = (Action(self.run, is_command=True),) if self.run else ()
        return (Action(self.do), *commands)


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Yield the cause that the numbers of torch's message prove.

    A message with "allowed" is one of a limit that somebody set, for which there is an entry.
    """
    found = _MESSAGE.search(text)
    memory = _memory(text, _bytes(found)) if found is not None else None
    if found is None or memory is None or not memory.total or memory.allowed:
        return
    judged = _judgement_on(memory, context)
    if judged is not None:
        yield _explained(memory, judged, text[found.start() :].partition("\n")[0])


def _memory(text: str, tried: float) -> _Memory:
    found = {name: pattern.search(text) for name, pattern in _PARTS.items()}
    sizes = {name: _bytes(each) if each else 0.0 for name, each in found.items()}
    reserved = sizes.pop("reserved")
    if reserved and not sizes["unused"]:
        sizes["unused"] = max(0.0, reserved - sizes["allocated"])
    others = _PROCESS.findall(text)
    named = sum(float(size) * _UNITS[unit] for _, size, unit in others)
    if _ITSELF.search(text) is None and len(others) == 1 and sizes["allocated"]:
        named = 0.0  # older versions of torch name only this process, and by its number
    named_variable = _VARIABLE.search(text)
    variable = named_variable[1] if named_variable else "PYTORCH_HIP_ALLOC_CONF"
    return _Memory(
        tried,
        sizes["total"],
        sizes["free"],
        sizes["allowed"],
        sizes["allocated"],
        sizes["unused"],
        named,
        variable,
    )


def _bytes(found: re.Match[str]) -> float:
    number, unit = [each for each in found.groups() if each is not None][:2]
    return float(number) * _UNITS[unit]


def _explained(memory: _Memory, judged: _Judgement, line: str) -> Explanation:
    evidence = [
        FactEvidence("tried to allocate", _gib(memory.tried), "the message"),
        FactEvidence("free", f"{_gib(memory.free)} of {_gib(memory.total)}", "the message"),
    ]
    if memory.allocated:
        held = f"{_gib(memory.allocated)}, and {_gib(memory.unused)} reserved but unused"
        evidence.append(FactEvidence("allocated by PyTorch", held, "the message"))
    return Explanation(
        entry=NAME,
        verdict="likely" if judged.missing else "known",
        missing=judged.missing,
        cause=judged.cause,
        actions=judged.actions,
        evidence=tuple(evidence),
        references=(_URL,),
        weight=len(line),
        message=line,
        is_generic=True,
    )


def _judgement_on(memory: _Memory, context: Context) -> _Judgement | None:
    if memory.tried > memory.total:
        return _Judgement(
            cause=f"one tensor of {_gib(memory.tried)} is larger than the whole GPU",
            do='avoid that tensor: attn_implementation="sdpa" in place of eager attention, '
            "smaller chunks or pictures; a smaller batch alone need not do",
        )
    if memory.of_others > max(_LEAST, _MUCH * memory.total):
        return _Judgement(
            cause="other processes, or libraries beside PyTorch, hold "
            f"{_gib(memory.of_others)} of this GPU",
            do="end them (a job that hung, a notebook, a server with a fixed share), or take "
            "another GPU",
            run="rocm-smi --showmeminfo vram --showpids",
        )
    if memory.unused > max(memory.tried, _HOLES * memory.total):
        return _Judgement(
            cause=f"PyTorch holds {_gib(memory.unused)} that it does not use, in pieces smaller "
            f"than {_gib(memory.tried)}: its memory is fragmented",
            do="let segments grow; before ROCm 7 that has no effect: use max_split_size_mb:512 "
            "there",
            run=f"export {memory.variable}={_setting(context)}",
        )
    return _of_integrated(memory, context) if gpu(context, *_INTEGRATED) is True else None


def _of_integrated(memory: _Memory, context: Context) -> _Judgement:
    """Judge a GPU that shares the memory of the host, by what firmware and kernel give it."""
    given, kernel = given_memory(context), kernel_version(context)
    has_more = not isinstance(given, UnreadFact) and given * _GIB > _MORE * memory.total
    is_old = not isinstance(kernel, UnreadFact) and kernel < _KERNEL
    is_small = isinstance(given, UnreadFact) and memory.total < _SMALL
    if gpu(context, _STRIX_HALO) is True and is_old and (has_more or is_small):
        return _Judgement(
            cause=f"kernel {kernel} lets ROCm use only {_gib(memory.total)} on {_STRIX_HALO}, "
            "however much the firmware gives the GPU",
            do=f"boot kernel {_KERNEL} or later: neither the model nor the allocator is the reason",
            run="uname -r",
            missing=(given,) if isinstance(given, UnreadFact) else (),
        )
    if has_more:
        return _Judgement(
            cause=f"the driver gave the GPU {given:.2f} GiB, and ROCm offers only "
            f"{_gib(memory.total)} of it: its share in the firmware is not the limit",
            do=f"update the kernel ({_KERNEL} or later) and ROCm; a container or a limit of the "
            "virtual machine may cut it as well",
            missing=(OTHER_CAUSES,),
        )
    return _Judgement(
        cause="the job fills the part of the memory that the integrated GPU may use: "
        f"{_gib(memory.total)}",
        do="give the GPU more: its share in the firmware (UMA), or the kernel's "
        "ttm.pages_limit; else make the job smaller",
        missing=(given,) if isinstance(given, UnreadFact) else (),
    )


def _setting(context: Context) -> str:
    rocm = torch_rocm(context)
    is_old = rocm is not None and not isinstance(rocm, UnreadFact) and rocm.major < 7
    return "max_split_size_mb:512" if is_old else "expandable_segments:True"


def _gib(size: float) -> str:
    return f"{size / _GIB:.2f} GiB"
