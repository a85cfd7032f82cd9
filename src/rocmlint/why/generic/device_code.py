"""A compiled file that holds no code for the GPU here: of the message, or of the package."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.why.answer import Action
from rocmlint.why.facts.machine.crash_dump import dumped_frames
from rocmlint.why.facts.machine.device_code import compiled_files, covers, named_files, targets_in
from rocmlint.why.facts.machine.gpus import gpus
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import made
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.log.log_data import LogFrame

_REFUSED = (
    "invalid device function",
    "hipErrorNoBinaryForGpu",
    "hipErrorInvalidImage",
    "hipErrorInvalidDeviceFunction",
    "hipErrorSharedObjectInitFailed",
    "device kernel image is invalid",
    "no kernel image is available",
    "Unable to find code object for all current devices",
    "shared object initialization failed",
)
_CRASHED = ("Segmentation fault", "SIGSEGV", "hipErrorInvalidKernelFile", "invalid kernel file")
"""Errors that also occur without code for the GPU, but for other reasons as well."""
_OF_TORCH = frozenset({"torch", "torchvision", "torchaudio", "triton", "pytorch-triton-rocm"})
"""Entries know what these have code for."""
_SHOWN = 3
_WEIGHT = 90


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a refused kernel or a crash by what the files that ran hold."""
    literal = next((each for each in (*_REFUSED, *_CRASHED) if each in text), "")
    if not literal:
        return
    found = gpus(context)
    if isinstance(found, UnreadFact) or context.is_elsewhere:
        return
    frames = context.frames or dumped_frames(context.log.lines)
    name, files = _candidates(text, context, frames)
    read = {path: targets_in(path) for path in files}
    holding = {path: targets for path, targets in read.items() if targets}
    if not holding or any(targets is None for targets in read.values()):
        return
    lacking = {
        path: targets
        for path, targets in holding.items()
        if not any(covers(targets, each) for each in found)
    }
    if len(lacking) < len(holding):
        lacking = {path: targets for path, targets in lacking.items() if _ran(path, frames)}
    if lacking:
        sure = literal in _REFUSED
        yield _explained(context, lacking, name, found, sure, near(text, literal))


def _candidates(text: str, context: Context, frames: tuple[LogFrame, ...]) -> tuple[str, list[str]]:
    """Return the files that ran: those of the text, else those of the innermost package."""
    named = named_files(text)
    owners = (context.owner(each) for each in reversed(frames))
    owner = next((each for each in owners if each.kind != "python"), None)
    name = owner.name if owner is not None and owner.kind == "package" else ""
    if named:
        return name, named
    if not name or canonicalize_name(name) in _OF_TORCH:
        return "", []
    return name, compiled_files(context, name, frames)


def _ran(path: str, frames: tuple[LogFrame, ...]) -> bool:
    """Return whether a frame is of the module that a file is compiled from: cache of cache.py."""
    stem = os.path.basename(path).partition(".")[0].removeprefix("module_").lstrip("_")
    modules = {os.path.basename(each.file).partition(".")[0] for each in frames}
    return stem in modules or stem in {each.function for each in frames}


def _explained(  # noqa: PLR0913, PLR0917 - the parts of the sentence
    context: Context,
    lacking: dict[str, tuple[str, ...]],
    name: str,
    found: tuple[str, ...],
    sure: bool,
    message: str,
) -> Explanation:
    names = [os.path.basename(each) for each in lacking]
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    targets = ", ".join(sorted({each for held in lacking.values() for each in held}))
    for path, held in [*lacking.items()][:_SHOWN]:
        context.saw(os.path.basename(path), f"has code for {', '.join(held)}", path)
    gpu = ", ".join(found)
    of = f" of {name}" if name else ""
    verb = "holds" if len(names) == 1 else "hold"
    first = next(iter(lacking))
    return made(
        context,
        "binary-without-code-for-gpu",
        f"{shown}{of} {verb} code for {targets}, and the GPU is {gpu}",
        weight=_WEIGHT,
        sure=sure,
        where=first,
        actions=(
            Action(
                f"build it again for {gpu} (PYTORCH_ROCM_ARCH or GPU_ARCHS={gpu}), where "
                f"{name or 'its project'} supports that GPU; remove the old file first"
            ),
            Action(f"or run without {name or 'it'}"),
        ),
        confirm=f"rocmlint verify kernels --arch {found[0]} {shlex.quote(first)}",
        message=message.splitlines()[0] if message else "",
    )
