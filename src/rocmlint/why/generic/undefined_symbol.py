"""``undefined symbol``: a binary was built for another torch, another Python or another library."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.published.rocm_wheels import row
from rocmlint.text.words import shortened
from rocmlint.why.answer import Action
from rocmlint.why.facts.frames import owner_of
from rocmlint.why.facts.machine.symbols import symbol_of
from rocmlint.why.facts.packages.installed import python_version, torch_build, version
from rocmlint.why.facts.packages.providers import provider_of
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import made, pip, python_of
from rocmlint.why.generic.reader import near
from rocmlint.why.log.log_data import LogFrame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.machine.symbols import Symbol

_MESSAGE = re.compile(
    r"(?P<file>[^\s:'\"]{1,400}\.(?:so|pyd)(?:\.\d+)*)\S{0,80}?:? "
    r"undefined symbol: (?P<symbol>[\w.$@]+)"
    r"(?:, version (?P<library>[\w.+-]+))?"
)
_OF_TORCH = frozenset({"c10", "at", "torch", "caffe2", "c10d"})
_TORCH_C = re.compile(r"(?:aoti_torch|THP|torch_|_?c10_)\w*")
_OF_CUDA = re.compile(
    r"(?:cu(?:da|blas|dnn|fft|rand|solver|sparse)?[A-Z]|nccl[A-Z]|__?nv|nvrtc)\w*"
)
_OF_ROCM = re.compile(r"(?:hip[A-Z]|hipblas|rocblas_|miopen|rocfft|hsa_|amdsmi_|rsmi_|roctx)\w*")
_OF_PYTHON = re.compile(r"_?Py[A-Z_]\w*")
_BUILT_FOR = re.compile(r"torch\.?(?P<torch>\d+\.?\d+)")
_WEIGHT = 36


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a symbol that no loaded library has."""
    found = _MESSAGE.search(near(text, "undefined symbol: "))
    if found is None:
        return
    file, symbol = found["file"], symbol_of(found["symbol"])
    if symbol.namespace in _OF_TORCH or _TORCH_C.fullmatch(symbol.name):
        yield _of_torch(context, file, symbol, found[0])
    elif _OF_PYTHON.fullmatch(symbol.name):
        yield _of_python(context, file, symbol, found[0])
    elif _OF_CUDA.fullmatch(symbol.name) or _OF_ROCM.fullmatch(symbol.name):
        yield _of_runtime(context, file, symbol, found["library"] or "", found[0])


def _owner(context: Context, file: str) -> tuple[str, str]:
    """Return the distribution that a binary belongs to, and its version where it is read."""
    owner = owner_of(LogFrame(file, 0), context.packages, context.project)
    top = re.split(r"[/\\]", file)[-1].partition(".")[0]
    name = owner.name if owner.kind == "package" else provider_of(top)
    if owner.kind == "package" and not owner.version:
        name = provider_of(top) or provider_of(owner.name) or owner.name
    if not name:
        return "", ""
    has = version(context, name)
    is_read = has is not None and not isinstance(has, UnreadFact)
    return canonicalize_name(name), str(has) if is_read else ""


def _of_torch(context: Context, file: str, symbol: Symbol, message: str) -> Explanation:
    name, has = _owner(context, file)
    binary = re.split(r"[/\\]", file)[-1]
    what = f"{name} {has}".rstrip() or binary
    torch = version(context, "torch")
    build = torch_build(context) if "cuda" in symbol.name else None
    installed = (
        "the installed torch" if isinstance(torch, UnreadFact) else f"the installed torch {torch}"
    )
    context.saw(binary, f"needs {shortened(symbol.name)}", "the message")
    other = "another torch"
    if "cuda" in symbol.name and build == "rocm":
        other = "torch for CUDA"
    elif symbol.has_new_strings or symbol.has_old_strings:
        other = "another torch or C++ ABI (its strings differ)"
    label = _BUILT_FOR.search(has.partition("+")[2])
    if label is not None:
        context.saw(name, f"built for torch {label['torch']}", "its version")
    return made(
        context,
        "binary-of-another-torch",
        f"{what} was built for {other}, not {installed}: it needs {shortened(symbol.name)}",
        weight=_WEIGHT,
        where=file if "/" in file else "",
        actions=_rebuild(context, name, has, torch if not isinstance(torch, UnreadFact) else None),
        confirm=f"{python_of(context)} -c 'import torch, {_module(binary)}'",
        missing=tuple(each for each in (torch, build) if isinstance(each, UnreadFact)),
        message=message,
    )


def _module(binary: str) -> str:
    found = re.match(r"[A-Za-z_]\w*", binary)
    return found[0] if found is not None else "torch"


def _rebuild(context: Context, name: str, has: str, torch: Version | None) -> tuple[Action, ...]:
    if name in FAMILY:
        known = row(str(torch)) if torch is not None else None
        pair = f": torch {torch} belongs to {name} {known.torchvision}" if known else ""
        is_vision = name == "torchvision" and known is not None and known.torchvision
        text = f"install the {name} of this torch from the same index{pair if is_vision else ''}"
        flag = "--torchvision" if name == "torchvision" else "--torchaudio"
        words = f"rocmlint stack install-command {flag}"
        return Action(text), Action(words, is_command=True, safe=True)
    if not name:
        return (Action("build the extension again with the torch that is installed now"),)
    public = has.partition("+")[0]
    wanted = f"{name}=={public}" if public else name
    return (
        Action(f"take the wheel of {name} whose name has this torch, Python and ABI, or build it:"),
        pip(context, "install", "--no-build-isolation", "--no-binary", name, wanted),
    )


def _of_python(context: Context, file: str, symbol: Symbol, message: str) -> Explanation:
    name, has = _owner(context, file)
    binary = re.split(r"[/\\]", file)[-1]
    built = re.search(r"cpython-3(\d{1,2})", binary)
    context.saw(binary, f"needs {symbol.name}", "the message")
    python = python_version(context)
    has_python = "" if isinstance(python, UnreadFact) or python is None else str(python)
    tail = f" (Python 3.{built[1]} by its name)" if built is not None else ""
    what = f"{name} {has}".rstrip() or binary
    return made(
        context,
        "binary-of-another-python",
        f"{what} was built for another Python{tail} than the one that runs: it needs {symbol.name}",
        weight=_WEIGHT,
        sure=built is not None and has_python != "" and has_python != f"3.{built[1]}",
        where=file if "/" in file else "",
        actions=(Action(f"uninstall {name or binary} and install it with the Python that runs"),),
        confirm=f"{python_of(context)} --version",
        message=message,
    )


def _of_runtime(
    context: Context, file: str, symbol: Symbol, library: str, message: str
) -> Explanation:
    name, has = _owner(context, file)
    binary = re.split(r"[/\\]", file)[-1]
    side = "ROCm" if _OF_ROCM.fullmatch(symbol.name) else "CUDA"
    build = torch_build(context)
    context.saw(binary, f"needs {symbol.name}", "the message")
    what = f"{name} {has}".rstrip() or binary
    of = f" ({library})" if library else ""
    if side == "CUDA" and build == "rocm":
        cause = (
            f"{what} was built for CUDA, and the installed torch for ROCm: it needs {symbol.name}"
        )
        do = Action(f"install a build of {name or binary} for ROCm, or do without it")
    else:
        cause = (
            f"{what} finds another {side} library than it was built for{of}, without {symbol.name}"
        )
        text = "remove directories with other versions of it from LD_LIBRARY_PATH, then reinstall "
        do = Action(text + (name or binary))
    return made(
        context,
        "binary-of-another-library",
        cause,
        weight=_WEIGHT,
        sure=side == "CUDA" and build == "rocm",
        where=file if "/" in file else "",
        actions=(do,),
        confirm=f"ldd -r {binary}" if re.fullmatch(r"[\w.+-]+", binary) else "",
        missing=(build,) if isinstance(build, UnreadFact) else (),
        message=message,
    )
