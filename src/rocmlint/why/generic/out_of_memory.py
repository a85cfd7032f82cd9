"""What the numbers of an out-of-memory message say: a limit, other processes, holes, or the job."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.why.answer import Action, Explanation
from rocmlint.why.facts.gpus import gpu
from rocmlint.why.facts.installed import torch_rocm
from rocmlint.why.facts.value import Evidence, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.facts.context import Context

NAME = "gpu-out-of-memory"
_GIB = float(1 << 30)
_UNITS = {"bytes": 1.0, "KiB": 1024.0, "MiB": float(1 << 20), "GiB": _GIB, "TiB": 1024 * _GIB}
_SIZE = r"(\d+(?:\.\d+)?) (bytes|KiB|MiB|GiB|TiB)"
_MESSAGE = re.compile(r"(?:HIP|CUDA) out of memory")
_TRIED = re.compile(rf"Tried to allocate {_SIZE}")
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
    """What other processes have, where the message names them."""
    variable: str
    """The variable of the allocator, as the message calls it: older versions know one name only."""

    @property
    def of_others(self) -> float:
        """What neither is free nor PyTorch's in this process."""
        rest = self.total - self.free - self.allocated - self.unused
        return max(self.named, rest if self.allocated else 0)


class _Judgement(NamedTuple):
    """A cause, what to do, and a command."""

    cause: str
    do: str
    run: str = ""

    @property
    def actions(self) -> tuple[Action, ...]:
        """What to do, as an answer has it."""
        commands = (Action(self.run, is_command=True),) if self.run else ()
        return (Action(self.do), *commands)


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Yield the cause that the numbers of torch's message prove."""
    found = _MESSAGE.search(text)
    memory = _memory(text) if found is not None else None
    if found is None or memory is None or not (memory.total or memory.allowed):
        return
    yield _explained(memory, context, text[found.start() :].partition("\n")[0])


def _memory(text: str) -> _Memory:
    tried = _TRIED.search(text)
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
        _bytes(tried) if tried else 0.0,
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


def _explained(memory: _Memory, context: Context, line: str) -> Explanation:
    judged = _judged(memory, context)
    evidence = [
        Evidence("tried to allocate", _gib(memory.tried), "the message"),
        Evidence("free", _of(memory.free, memory.total), "the message"),
    ]
    if memory.allocated:
        held = f"{_gib(memory.allocated)}, and {_gib(memory.unused)} reserved but unused"
        evidence.append(Evidence("allocated by PyTorch", held, "the message"))
    return Explanation(
        entry=NAME,
        verdict="known",
        cause=judged.cause,
        actions=judged.actions,
        evidence=tuple(evidence),
        references=(_URL,),
        weight=len("out of memory. Tried to allocate"),
        message=line,
    )


def _judged(memory: _Memory, context: Context) -> _Judgement:
    if memory.allowed and memory.free > max(memory.tried, memory.allowed):
        return _Judgement(
            cause=f"this process may use {_gib(memory.allowed)} only: a fraction of the GPU's "
            f"memory is set, while {_gib(memory.free)} are free",
            do="find set_per_process_memory_fraction (or per_process_memory_fraction in the "
            "allocator's variable) and raise it",
        )
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
    return _of_the_job(memory, context)


def _setting(context: Context) -> str:
    rocm = torch_rocm(context)
    is_old = rocm is not None and not isinstance(rocm, Unread) and rocm.major < 7
    return "max_split_size_mb:512" if is_old else "expandable_segments:True"


def _of_the_job(memory: _Memory, context: Context) -> _Judgement:
    do = (
        "make the job smaller: batch size, length, gradient checkpointing, a smaller dtype, "
        "or more GPUs"
    )
    if gpu(context, *_INTEGRATED) is True:
        do = (
            "give an integrated GPU more memory: its share in the firmware (UMA), or the kernel's "
            "ttm.pages_limit; else make the job smaller"
        )
    filled = memory.allocated or memory.total - memory.free
    return _Judgement(
        f"the job's own tensors fill the GPU: {_gib(filled)} of {_gib(memory.total)}", do
    )


def _of(part: float, whole: float) -> str:
    return f"{_gib(part)} of {_gib(whole)}" if whole else _gib(part)


def _gib(size: float) -> str:
    return f"{size / _GIB:.2f} GiB"
