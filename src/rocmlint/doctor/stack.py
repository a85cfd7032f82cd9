"""ROCm, driver, GPU, torch and what was built for it: the verdicts of ``rocmlint stack show``."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rocmlint.doctor.causes import Cause, Findings
from rocmlint.stack.blocks import blocks, package_of
from rocmlint.stack.checks.smoke import SWITCH, missing_switch
from rocmlint.text.words import counted, few
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.stack.blocks import VerdictBlock
    from rocmlint.stack.show import Stack

_CONFIRM = "rocmlint stack show"
NO_GPU, NO_TORCH = "none found", "not installed"
_SHOWN = 3


def facts(stack: Stack) -> dict[str, str]:
    """Return the rows about the machine: what is there of ROCm, GPUs and torch."""
    rocm = f"{stack.rocm.version} ({stack.rocm.chosen.source})" if stack.rocm.chosen else ""
    gpus = [f"{len(list(same))} x {name}" for name, same in groupby(stack.devices.names)]
    torch = ""
    if stack.torch is not None:
        builds = [f"HIP {stack.torch.hip}" if stack.torch.hip else ""]
        builds += [f"CUDA {stack.torch.cuda}" if stack.torch.cuda else ""]
        torch = ", ".join(filter(None, [str(stack.torch).removeprefix("torch "), *builds]))
    return {
        "ROCm": rocm or "none found",
        "GPU": ", ".join(gpus) or NO_GPU,
        "driver": str(stack.driver) if stack.driver else "",
        "torch": torch or NO_TORCH,
    }


def stack_findings(stack: Stack) -> Findings:
    """Return a cause for each pair of packages that conflict, and what could not be judged."""
    found = Findings()
    for block in blocks(stack.verdicts):
        if block.judgement == "conflict":
            found.causes.append(_conflict(block))
    fits = sum(each.judgement == "fits" for each in stack.verdicts)
    if fits:
        found.right.append(f"{counted(fits, 'requirement')} between ROCm, GPU and packages met")
    found.unanswered += stack.unanswered
    if not (stack.devices.names or found.unanswered):
        found.unanswered.append("no GPU is known, so nothing is known about code for it")
    for problem in stack.devices.problems:
        found.causes.append(
            Cause("gpu-not-usable", "warning", "stack", "GPU", problem, confirm="rocminfo")
        )
    return found


def _conflict(block: VerdictBlock) -> Cause:
    first = block.verdicts[0]
    apart = f" and {first.on} {first.found or ''}".rstrip() if first.on and first.found else ""
    missing = [each.requirement for each in block.verdicts if not each.found]
    is_lacking = len(missing) == len(block.verdicts) and first.grade == "declared"
    subject = package_of(first) + ("" if is_lacking or first.on == first.found else apart)
    lacks = "package that it requires is" if len(missing) == 1 else "packages that it requires are"
    problem = f"{len(missing)} {lacks} missing: {few(missing, _SHOWN)}"
    actions = dict.fromkeys(each.action for each in block.verdicts if each.action)
    do = (_together(list(actions)),) if is_lacking else tuple(actions)[:_SHOWN]
    return Cause(
        "stack-missing" if is_lacking else "stack-conflict",
        "error",
        "stack",
        subject,
        problem if is_lacking else first.reason,
        (),
        do,
        _CONFIRM,
        tuple(Evidence(each.grade, each.reason) for each in block.verdicts),
        rank=int(is_lacking),
    )


def _together(commands: list[str]) -> str:
    """Return one command that installs what several do, where they differ in the package only."""
    beginning = "pip install "
    if len(commands) == 1 or not all(each.startswith(beginning) for each in commands):
        return "; ".join(commands)
    words = [each.removeprefix(beginning).split() for each in commands]
    shared = [each for each in words[0] if all(each in it for it in words)]
    own = [each for it in words for each in it if each not in shared]
    return " ".join([*beginning.split(), *dict.fromkeys(own), *shared])


def needed_variables(stack: Stack, variables: Mapping[str, str]) -> Iterator[Cause]:
    """Yield a cause for each variable that an installed build needs, and that is not set."""
    package = stack.environment.get("flash-attn")
    if package is None or variables.get(SWITCH, "").upper() == "TRUE":
        return
    if command := missing_switch(package, stack.environment):
        module = stack.environment.modules.get("flash_attn") or package.place
        yield Cause(
            "variable-missing",
            "error",
            "variables",
            SWITCH,
            f"not set to TRUE, and {package} is a build without compiled code: its import fails",
            (),
            (command,),
            _CONFIRM + " --smoke",
            (Evidence("package", module),),
        )
