"""ROC308, nvidia-only-probe."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.formats.scripts.shell.wrappers import program
from rocmlint.rule import (
    PythonRule,
    argument,
    calls,
    calls_in,
    commands_called,
    compile_lazily,
    conditions,
    constant,
    dotted_text,
    imports,
    last_name,
)

from ._caught import ANY_ERROR, handler_of
from ._same_code import same_code
from ._vendor import around, is_for_cuda_alone, knows_amd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    Probe = cst.Import | cst.ImportFrom | cst.Call

_OF_NVML = ("pynvml", "py3nvml", "nvidia_smi")
_RUNNERS = ("run", "call", "check_call", "check_output", "Popen")
_NOT_FOUND = ANY_ERROR | {"OSError", "FileNotFoundError", "EnvironmentError", "IOError"}
_FAILED = ANY_ERROR | {"CalledProcessError", "SubprocessError"}
_NO_MODULE = ANY_ERROR | {"ImportError", "ModuleNotFoundError"}
_LOOKED_FOR = compile_lazily(
    r"\b(?:which|find_executable|exists|isfile|is_file|access)[\s\\]*\([^()]*nvidia-smi"
)
_IMPORTS_MODAL = compile_lazily(r"^[ \t]*(?:import|from)[ \t]+modal\b", re.MULTILINE)
_ADVICE = (
    "Ask PyTorch (`torch.cuda.mem_get_info`, `get_device_properties`), which knows AMD GPUs. "
    "For the rest catch the error, and use `rocm-smi` or `amdsmi` if `torch.version.hip` is set."
)
_ABOUT_NVIDIA = compile_lazily(r"nvml|nvidia|dcgm|(?:^|[/_])nv(?:_\w+)?\.py$")


def is_caught(node: Probe, source: Source) -> bool:
    """Probes in a `try` that catches the error, or in a function that is only called in one."""
    errors = _NO_MODULE
    if isinstance(node, cst.Call):
        errors = _FAILED if _is_for_shell(node) else _NOT_FOUND
    if handler_of(node, source, errors) is not None:
        return True
    uses = _uses(node, source)
    return bool(uses) and all(handler_of(each, source, errors) is not None for each in uses)


def is_looked_for(node: Probe, source: Source) -> bool:
    """Runs of `nvidia-smi` in a function that looks for the program: `shutil.which`."""
    return isinstance(node, cst.Call) and _LOOKED_FOR.search(around(node, source)) is not None


def is_run_by_test(node: Probe, source: Source) -> bool:
    """Runs of `nvidia-smi` in tests."""
    return isinstance(node, cst.Call) and "test" in source.kinds


def is_about_nvidia(node: Probe, source: Source) -> bool:
    """Modules about NVIDIA by their name, and files for `modal`, a cloud with NVIDIA GPUs alone."""
    del node
    named_so = _ABOUT_NVIDIA.search(source.place.rpartition("/")[2])
    return named_so is not None or _IMPORTS_MODAL.search(source.code) is not None


class NvidiaOnlyProbe(PythonRule["cst.Import | cst.ImportFrom | cst.Call"]):
    """GPU query works only on NVIDIA.

    ## Why it matters
    Machines with AMD GPUs have neither `nvidia-smi` nor the library NVML. A run of `nvidia-smi`
    raises a FileNotFoundError there. ``import pynvml`` raises an ImportError, or, where the
    package happens to be installed, ``nvmlInit()`` fails: code that only wanted to log the memory
    stops the job, and code that catches the error takes the machine for one without a GPU.

    Copies of one function in a project are reported once.

    ## Example
    ```python
    import subprocess

    def used_memory():
        out = subprocess.check_output(["nvidia-smi", "--query-gpu=memory.used"])
        return int(out.split()[0])

    print(used_memory())
    ```

    ## Use instead
    ``torch.cuda`` answers on both: the calls work on ROCm, too.
    ```python
    import torch

    def used_memory():
        free, total = torch.cuda.mem_get_info()
        return total - free

    print(used_memory())
    ```
    For what PyTorch does not know (power, temperature), catch the error, and ask `rocm-smi` or the
    package `amdsmi` where ``torch.version.hip`` is not None.

    ## References
    - https://docs.pytorch.org/docs/stable/notes/hip.html
    - https://rocm.docs.amd.com/projects/amdsmi/en/latest/
    """

    code = "ROC308"
    name = "nvidia-only-probe"
    since = "0.1.0"
    severity = "warning"
    on = imports(*_OF_NVML) | calls(
        *_RUNNERS, words=("nvidia-smi",), where=rf"(?:{'|'.join(_RUNNERS)})\b(?=[\s\\)]*[(#])"
    )
    excuses = (
        is_for_cuda_alone,
        is_looked_for,
        is_run_by_test,
        knows_amd,
        is_caught,
    )
    doubts = (is_about_nvidia,)

    def check(self, node: Probe, source: Source) -> Iterator[Finding]:
        """Find imports of NVML at module level, and runs of `nvidia-smi` that raise without it."""
        if isinstance(node, cst.Call):
            error = "CalledProcessError" if _is_for_shell(node) else "FileNotFoundError"
            message = f"`nvidia-smi` is missing where the GPUs are AMD's: this raises {error}"
            is_probe = _raises(node) and _runs_nvidia_smi(node, source)
        else:
            message = f"`{_module(node)}` only sees NVIDIA GPUs, and this import has no alternative"
            is_probe = source.function(node) is None and not _is_conditional(node, source)
        severity = self.severity_of(node, source) if is_probe else None
        if severity is not None:
            finding = self.finding(node, source, message, help=_ADVICE, severity=severity)
            is_call = isinstance(node, cst.Call)
            once = same_code(finding, node, source) if is_call else f"{self.code} {source.path}"
            yield replace(finding, once=once)


def _is_conditional(node: cst.Import | cst.ImportFrom, source: Source) -> bool:
    return source.is_for_types_only(node) or any(True for _ in conditions(node, source))


def _module(node: cst.Import | cst.ImportFrom) -> str:
    """Return the module of NVML's that an import names."""
    if isinstance(node, cst.ImportFrom):
        names = [node.module]
    else:
        names = [each.name for each in node.names]
    tops = ((dotted_text(each) or "").partition(".")[0] for each in names if each is not None)
    return next((each for each in tops if each in _OF_NVML), "pynvml")


def _uses(node: Probe, source: Source) -> list[cst.Call]:
    """Return the calls, in the file, of the function or method that a probe is in."""
    function = source.function(node)
    if function is None:
        return []
    owner = "self." if source.enclosing(function, cst.ClassDef) is not None else ""
    name = f"{owner}{function.name.value}"
    return [each for each in calls_in(source.module) if dotted_text(each.func) == name]


def _is_for_shell(call: cst.Call) -> bool:
    shell = argument(call, None, "shell")
    return shell is not None and constant(shell) != "False"


def _raises(call: cst.Call) -> bool:
    """Return whether a call raises where the program is missing: a shell only says so."""
    if not _is_for_shell(call):
        return True
    name = last_name(call.func) or ""
    return name.startswith("check_") or constant(argument(call, None, "check")) == "True"


def _runs_nvidia_smi(call: cst.Call, source: Source) -> bool:
    return any(
        each.words and program(each.words[0]).removesuffix(".exe") == "nvidia-smi"
        for each in commands_called(call, source)
    )
