"""Packages as they are installed: their kernels, the files of their wheels, and variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.doctor.causes import Cause, CausePlace, Findings
from rocmlint.doctor.code import of_result
from rocmlint.text.words import counted, few
from rocmlint.verify.kernels.check import check as check_kernels
from rocmlint.verify.kernels.check import scan
from rocmlint.verify.patches import stock
from rocmlint.verify.result import Evidence
from rocmlint.verify.variables.check import check as check_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocmlint.gpus.devices import Devices
    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.result import Result

_SHOWN = 3
_LARGE = ("torch", "tensorflow", "jaxlib")
"""Packages whose libraries take long to read come last: a time limit keeps the rest."""


def by_size(folders: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return packages with their folders, those that take long last."""
    return sorted(folders.items(), key=lambda each: (each[0] in _LARGE, each[0]))


def kernels_of(
    package: str, folder: str, devices: Devices, variables: Mapping[str, str]
) -> Findings:
    """Look for code for the GPUs of this machine in a package; a family of files counts as one."""
    found = Findings()
    results = list(check_kernels(scan([folder]), devices, [folder], variables))
    lacking = [each for each in results if each.verdict == "contradicted"]
    unclear = [each for each in results if each.verdict == "unproven"]
    gpus = few(list(devices.architectures), 2)
    if lacking:
        first = lacking[0]
        share = f"{len(lacking)} of {counted(results, 'file')} with GPU code cannot run on {gpus}"
        problem = f"has no code for {gpus}" if len(lacking) == len(results) else share
        found.causes.append(
            Cause(
                "kernels-missing",
                "error",
                "kernels",
                package,
                f"{problem}: {first.subject}: {first.seen}; {first.reason}",
                tuple(CausePlace(os.path.join(folder, each.subject)) for each in lacking[:_SHOWN]),
                (first.action,),
                f"rocmlint verify kernels {folder}",
                tuple(Evidence(each.subject, f"{each.seen}: {each.reason}") for each in lacking),
            )
        )
    elif unclear:
        found.unanswered.append(f"{package}: {unclear[0].subject}: {unclear[0].reason}")
    elif results:
        found.right.append(f"{package}: {counted(results, 'file')} with code for {gpus}")
    return found


def variables_findings(interpreter: Interpreter, confirm: str) -> Findings:
    """Judge the variables of the ROCm stack that are set. Raises InterpreterError."""
    found = Findings()
    proven = 0
    for each in check_variables(interpreter, {}, []):
        proven += each.verdict == "proven"
        if each.verdict == "contradicted":
            found.causes.append(_of_variable(each, confirm))
        elif each.verdict == "unproven":
            found.unanswered.append(f"{each.subject}: {each.reason}")
    if proven:
        found.right.append(f"{counted(proven, 'variable')} set, and read by what is installed")
    return found


def _of_variable(result: Result, confirm: str) -> Cause:
    name = result.subject.partition("=")[0]
    return Cause(
        "variable-without-effect",
        "warning",
        "variables",
        name,
        result.reason,
        (),
        (result.action,),
        confirm,
        (Evidence("set to", result.subject.partition("=")[2]), *result.evidence),
    )


def stock_findings(
    packages: Sequence[str],
    interpreter: Interpreter,
    progress: Callable[[str], None] | None,
    confirm: str,
) -> Findings:
    """Compare packages that the code patches at run time with their wheels."""
    found = Findings()
    for result in stock.check(packages, interpreter, progress):
        if result.verdict == "proven":
            found.right.append(f"{result.subject}: {result.seen}, as in its wheel")
        elif result.verdict == "contradicted":
            found.causes.append(_of_stock(result, confirm))
        elif result.seen != "not installed":
            found.unanswered.append(f"{result.subject}: {result.reason}")
    return found


def _of_stock(result: Result, confirm: str) -> Cause:
    cause = of_result(result, "files", confirm)
    kinds = {"changed", "missing", "added", "stale bytecode"}
    places = tuple(CausePlace(each.value) for each in result.evidence if each.name in kinds)
    return Cause(
        "files-changed",
        "warning",
        "files",
        cause.subject,
        cause.problem,
        places[:_SHOWN],
        cause.do,
        f"rocmlint verify stock {result.subject.partition(' ')[0]}",
        cause.evidence,
        rank=1,
    )
