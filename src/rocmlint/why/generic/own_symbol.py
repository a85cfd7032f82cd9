"""``undefined symbol`` of a function that the package defines itself: its build left it out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.text.words import shortened
from rocmlint.text.written import version_of
from rocmlint.why.answer import Action
from rocmlint.why.facts.frames import owner_of
from rocmlint.why.facts.machine.binaries import on_amd
from rocmlint.why.facts.machine.symbols import symbol_of
from rocmlint.why.facts.packages.providers import provider_of
from rocmlint.why.generic.parts import made
from rocmlint.why.generic.reader import near
from rocmlint.why.log.log_data import LogFrame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.frames import Owner
    from rocmlint.why.facts.machine.symbols import Symbol

_MESSAGE = re.compile(
    r"(?P<file>[^\s:'\"]{1,400}\.(?:so|pyd)(?:\.\d+)*)\S{0,80}?:? "
    r"undefined symbol: (?P<symbol>_Z\w+)"
)
_TENSOR = ("2at6Tensor", "2at10TensorBase", "3c10", "5torch6Tensor")
"""Types of PyTorch in the parameters of a function: an operator of an extension has them."""
_FUNCTION = re.compile(r"_Z\d")
"""A function outside of classes and namespaces; torch itself has classes without a namespace."""
_OF_TORCH = re.compile(r"(?:THP|THC|TH[A-Z_]|torch|aten|c10|caffe|pybind|register|createPy)\w*")
"""Functions without a namespace that libtorch_python itself defines."""
_FOR_NVIDIA = re.compile(
    r"cutlass|cublas|cudnn|nvfp4|marlin|machete|_sm\d{2,3}|flashinfer|deep_?gemm"
)
_SHORTEST = 4
_WEIGHT = 40


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a function that the binary should hold itself; torch has nothing of that name."""
    found = _MESSAGE.search(near(text, "undefined symbol: _Z"))
    if found is None:
        return
    file, symbol = found["file"], symbol_of(found["symbol"])
    owner = owner_of(LogFrame(file, 0), context.packages, context.project)
    if _is_own(symbol, owner, file) and (symbol.namespace or _FUNCTION.match(found["symbol"])):
        yield _explained(context, file, symbol, owner, found[0])


def _is_own(symbol: Symbol, owner: Owner, file: str) -> bool:
    """Return whether the package of a binary defines this function.

    Its namespace is named after the package; or it has none, takes tensors, and is not of torch.
    """
    top = re.split(r"[/\\]", file)[-1].partition(".")[0]
    if owner.kind == "package" and canonicalize_name(owner.name) == "torch":
        return False
    if symbol.namespace:
        names = (_plain(owner.name), _plain(top))
        space = _plain(symbol.namespace)
        return len(space) >= _SHORTEST and any(each.startswith(space) for each in names)
    is_function = symbol.name.isidentifier() and not symbol.name.startswith("_Z")
    takes_tensors = any(each in symbol.arguments for each in _TENSOR)
    return is_function and takes_tensors and _OF_TORCH.match(symbol.name) is None


def _plain(name: str) -> str:
    return re.sub(r"[-_.]", "", name).lower()


def _explained(
    context: Context, file: str, symbol: Symbol, owner: Owner, message: str
) -> Explanation:
    binary = re.split(r"[/\\]", file)[-1]
    is_package = owner.kind == "package"
    top = binary.partition(".")[0]
    name = (owner.name if owner.version else provider_of(owner.name) or owner.name) or ""
    name = name if is_package else provider_of(top)
    what = f"{name} {owner.version}".strip() if name else binary
    function = shortened(symbol.name)
    for_nvidia = _FOR_NVIDIA.search(symbol.name.lower()) is not None
    context.saw(binary, f"needs {function}", "the message")
    if for_nvidia and on_amd(context):
        cause = (
            f"this build of {what} for ROCm declares {function}, a kernel for NVIDIA that it does "
            "not contain: not the fault of torch"
        )
    elif name:
        cause = (
            f"this build of {what} does not contain its own function {function}, which {binary} "
            "calls: not the fault of torch"
        )
    else:
        cause = (
            f"{binary} calls {function}, a function of its own that was left out when it was "
            "built: not the fault of torch"
        )
    return made(
        context,
        "own-function-left-out",
        cause,
        weight=_WEIGHT,
        sure=is_package and bool(owner.version),
        where=file if "/" in file else "",
        actions=tuple(_actions(name if is_package else "", owner.version, binary)),
        confirm=f"nm -D -C --undefined-only {file}" if re.fullmatch(r"[\w./+-]+", file) else "",
        message=message,
    )


def _actions(name: str, version: str, binary: str) -> Iterator[Action]:
    if not name:
        yield Action(
            f"build {binary} again from a clean directory (no build/, no old .so), and list the "
            "source that defines the function (.cu, .hip or .cpp) in sources="
        )
        return
    installed = version_of(version)
    is_own = installed is not None and bool(installed.is_prerelease or installed.local)
    other = "a release or a newer commit of it" if is_own else "its wheel for this GPU and torch"
    yield Action(f"install another build of {name}: {other}; another torch does not help")
    yield Action("built from source: delete build/ and its .so files first, then build it again")
