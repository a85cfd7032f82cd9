"""Which GPUs there are, by the word of rocminfo, of torch, or of amd-smi."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.gpus.programs import ask_program
from rocmlint.gpus.target import Target, parse_target
from rocmlint.interpreter.ask import InterpreterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.interpreter.ask import Interpreter

ISA = re.compile(r"amdgcn-amd-amdhsa--(gfx[0-9a-f]+(?::\S+)?)(?=\s|$)")
"""How rocminfo names a processor; what it can run of a family has a "-generic" name."""
GRAPHICS = re.compile(r"target_graphics_version\W+(gfx[0-9a-f]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Targets:
    """The targets of the GPUs found, each once, and who named them; or why there are none."""

    targets: tuple[Target, ...]
    source: str
    reason: str = ""


def find_targets(interpreter: Interpreter) -> Targets:
    """Ask rocminfo, torch in the interpreter, then amd-smi; the first that knows a GPU decides.

    rocminfo and torch tell xnack and sramecc too, amd-smi does not. Torch is imported there only if
    it was built for ROCm.
    """
    ways: tuple[tuple[str, Callable[[], tuple[list[str], str]]], ...] = (
        ("rocminfo", lambda: _program(["rocminfo"], ISA)),
        ("torch", lambda: _torch(interpreter)),
        ("amd-smi", lambda: _program(["amd-smi", "static", "--asic", "--json"], GRAPHICS)),
    )
    reasons = []
    for source, ask in ways:
        named, reason = ask()
        targets = tuple(dict.fromkeys(_targets(named)))
        if targets:
            return Targets(targets, source)
        reasons.append(f"{source} {reason}")
    return Targets((), "", "; ".join(reasons))


def _targets(names: list[str]) -> Iterator[Target]:
    for name in names:
        try:
            yield parse_target(name.lower())
        except ValueError:
            continue


def _program(command: list[str], pattern: re.Pattern[str]) -> tuple[list[str], str]:
    """Run a program of ROCm and give the names that it prints, or why there are none."""
    printed = ask_program(command)
    names = pattern.findall(printed.stdout)
    said = printed.stdout.strip().splitlines()
    why = printed.problem or (f"names no GPU: {said[-1].strip()}" if said else "names no GPU")
    return names, "" if names else why


def _torch(interpreter: Interpreter) -> tuple[list[str], str]:
    try:
        answer = interpreter.ask("devices", "targets")
    except InterpreterError as error:
        return [], f"cannot be asked: {str(error).splitlines()[0]}"
    return list(answer["targets"]), str(answer["reason"])
