"""A shared library that is not found, or is too old: what it belongs to, and who needs it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.why.answer import Action
from rocmlint.why.facts.frames import owner_of
from rocmlint.why.facts.machine.libraries import compiler_of, library_of, systems_with
from rocmlint.why.facts.packages.installed import torch_build, torch_rocm, version
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import made, where
from rocmlint.why.generic.reader import near
from rocmlint.why.log.log_data import LogFrame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.machine.libraries import SharedLibrary
    from rocmlint.why.generic.parts import OwnedFrame

_MESSAGE = re.compile(
    r"(?:(?P<by>[^\s:'\"]{1,400}\.(?:so|pyd)[\w.]*): )?(?P<library>lib[\w+.-]*?\.so(?:\.\d+)*): "
    r"cannot open shared object file"
)
_TOO_OLD = re.compile(
    r"(?:(?P<library>[^\s:]{1,400}\.so[\d.]*): )?(?:version [`'])?(?P<kind>GLIBC(?:XX)?)_"
    r"(?P<number>[\d.]+)'? not found(?: \(required by (?P<by>[^()\n]+)\))?"
)
_WEIGHT = 32


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a library that is missing or too old."""
    if "cannot open shared object file" in text:
        found = _MESSAGE.search(near(text, "cannot open shared object file"))
        if found is not None:
            yield from _missing(found, context)
        return
    found = _TOO_OLD.search(near(text, "GLIBC"))
    if found is not None:
        yield _too_old(found, context)


def _missing(found: re.Match[str], context: Context) -> Iterator[Explanation]:
    library = library_of(found["library"])
    asker = _asker(context, found["by"] or "")
    who = str(asker.owner) if asker is not None else "a binary"
    side, name = library.side, found["library"]
    build = torch_build(context)
    unread = (build,) if isinstance(build, UnreadFact) else ()
    is_known = not unread
    actions: tuple[Action, ...]
    if side in {"cuda", "cuda driver", "torch for cuda"} and build == "rocm":
        part = "torch for CUDA" if side == "torch for cuda" else "CUDA"
        cause = f"{who} was built for {part}, which has {name}; the installed torch is for ROCm"
        actions = (_for_rocm(_owner_name(asker)),)
    elif side == "torch for cuda":
        kind = build if isinstance(build, str) else "another"
        cause = f"{who} was built for torch for CUDA; the installed torch ({kind}) has no {name}"
        actions = (Action(f"install the build of {_owner_name(asker)} for the installed torch"),)
    elif side == "torch for rocm":
        cause = f"{who} was built for torch for ROCm; the installed torch has no {name}"
        actions = (
            Action("install torch for ROCm:"),
            Action("rocmlint stack install-command", is_command=True, safe=True),
        )
        is_known = is_known and build != "rocm"
    elif side == "torch":
        cause, actions, is_known = _of_torch(context, who, name)
    elif side == "rocm":
        cause, actions, is_known = _of_rocm(context, who, library, name)
    elif side == "cuda driver":
        cause = f"{who} needs NVIDIA's driver ({name}), which this machine does not have"
        actions = (Action(f"install a build of {_owner_name(asker)} for what this machine has"),)
        is_known = False
    elif side == "cuda":
        needs = f"CUDA {library.major}" if library.stem == "libcudart" and library.major else "CUDA"
        has = version(context, "torch")
        torch = f"; torch {has} is installed" if has and not isinstance(has, UnreadFact) else ""
        cause = f"{who} was built for {needs}, whose {name} is not here{torch}"
        text = (
            f"install the build of {_owner_name(asker)} for the CUDA or ROCm of the installed torch"
        )
        actions, is_known = (Action(text),), False
    elif side == "python":
        cause = f"{who} needs {name}: it was built for that Python, or Python was moved"
        actions, is_known = (
            (Action(f"install {_owner_name(asker)} with the Python that runs"),),
            False,
        )
    elif library.package:
        cause = f"{who} needs {name}, a library of the system that is not installed"
        actions = (Action(f"apt-get install {library.package}", is_command=True),)
        if library.stem == "libGL":
            text = "or replace opencv-python with opencv-python-headless, which needs no display"
            actions = (*actions, Action(text))
        unread, is_known = (), True
    else:
        return
    context.saw(name, "not found", "the message")
    if not is_known and not unread:
        unread = (
            UnreadFact(f"which file needs {name}, and what else it was built with", "ldd FILE"),
        )
    yield made(
        context,
        "missing-library",
        cause,
        weight=_WEIGHT,
        sure=is_known and (asker is not None or bool(library.package)),
        where=where(asker),
        actions=actions,
        confirm=f"ldconfig -p | grep {library.stem}" if library.package else "",
        missing=unread,
        message=found[0],
    )


def _for_rocm(name: str) -> Action:
    if name in FAMILY:
        text = f"rocmlint stack install-command --{name}"
        return Action(text, is_command=True, safe=True)
    return Action(f"install a build of {name} for ROCm, or uninstall it")


def _owner_name(place: OwnedFrame | None) -> str:
    return place.owner.name if place is not None and place.owner.name else "the extension"


def _asker(context: Context, binary: str) -> OwnedFrame | None:
    """Return who needs a library: the binary that the message names, else the innermost frame."""
    from rocmlint.why.generic.parts import OwnedFrame  # noqa: PLC0415 - one use

    if binary:
        frame = LogFrame(binary, 0)
        owner = owner_of(frame, context.packages, context.project)
        if owner.kind == "package":
            return OwnedFrame(frame, owner)
    for frame in reversed(context.frames):
        owner = context.owner(frame)
        if owner.kind == "package" and owner.name != "torch":
            return OwnedFrame(frame, owner)
    inner = context.frames[-1] if context.frames else None
    owner_ = context.owner(inner) if inner is not None else None
    is_torch = owner_ is not None and owner_.name == "torch" and _loads_itself(context)
    return OwnedFrame(inner, owner_) if inner and owner_ and is_torch else None


def _loads_itself(context: Context) -> bool:
    """Return whether torch was loading its own libraries, not one of an extension."""
    return not any("load_library" in each.function for each in context.frames)


def _of_torch(context: Context, who: str, name: str) -> tuple[str, tuple[Action, ...], bool]:
    has = version(context, "torch")
    if has is None:
        cause = f"{who} needs {name} of torch, and torch is not installed"
        return cause, (Action("rocmlint stack install-command", is_command=True, safe=True),), True
    cause = f"{who} needs {name} of torch, which is not loaded: import torch first"
    return cause, (Action("import torch before the extension"),), False


def _of_rocm(
    context: Context, who: str, library: SharedLibrary, name: str
) -> tuple[str, tuple[Action, ...], bool]:
    """Explain a library of ROCm: its number is that of ROCm for the runtime."""
    needs = library.major if library.stem == "libamdhip64" else ""
    rocm = torch_rocm(context)
    has = "" if isinstance(rocm, UnreadFact) or rocm is None else str(rocm)
    built = f"ROCm {needs}" if needs else "ROCm"
    if needs and has and has.partition(".")[0] != needs:
        cause = f"{who} was built for {built} ({name}); the installed torch is for ROCm {has}"
        return cause, (Action(f"install a build of it for ROCm {has}"),), True
    cause = f"{who} was built for {built}, whose {name} is not found on this machine"
    words = "rocmlint stack show"
    return cause, (Action(words, is_command=True, safe=True),), False


def _too_old(found: re.Match[str], context: Context) -> Explanation:
    kind, number, by = found["kind"], found["number"].rstrip("."), found["by"] or ""
    owner = owner_of(LogFrame(by, 0), context.packages, context.project) if by else None
    who = str(owner) if owner is not None and owner.kind == "package" else by or "a binary"
    systems, compiler = systems_with(kind, number), compiler_of(number)
    library = "libstdc++" if kind == "GLIBCXX" else "glibc"
    of = f" (of {compiler})" if compiler and kind == "GLIBCXX" else ""
    newer = f", such as {systems[0]}" if systems else ""
    context.saw(f"{kind}_{number}", "not found", "the message")
    actions = [
        Action(f"install an older release of it, or use a system with a newer {library}{newer}")
    ]
    if kind == "GLIBCXX" and (
        "conda" in (found["library"] or "") or "envs" in (found["library"] or "")
    ):
        text = "conda install -c conda-forge 'libstdcxx-ng>=13'"
        actions.insert(0, Action(text, is_command=True))
    return made(
        context,
        "library-too-old",
        f"{who} needs {kind} {number}{of}, and the {library} that was loaded is older",
        weight=_WEIGHT,
        where=by,
        actions=tuple(actions),
        confirm="ldd --version" if kind == "GLIBC" else "",
        message=found[0],
    )
