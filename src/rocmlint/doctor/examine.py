"""The whole look at a project, its environment and this machine: what becomes of it is a page."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.doctor.causes import Cause, Findings, Page
from rocmlint.doctor.code import claims_findings, code_findings, faked_checks
from rocmlint.doctor.installed import (
    by_size,
    kernels_of,
    stock_findings,
    variables_findings,
)
from rocmlint.doctor.looks import Looks
from rocmlint.doctor.overlays import OF_FILES, PackagePatch, judge_patches, patches_of, too_high
from rocmlint.doctor.pinned_versions import versions
from rocmlint.doctor.project import CodeResults, folders_of
from rocmlint.doctor.stack import NO_GPU, NO_TORCH, facts, needed_variables, stack_findings
from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.stack.installed.distributions import read_environment
from rocmlint.stack.show import read_stack
from rocmlint.text.words import counted
from rocmlint.verify.claims.context import ClaimContext
from rocmlint.verify.manifest.read import read
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.config.configuration import Configuration
    from rocmlint.findings import Claim, Finding
    from rocmlint.gpus.machine import Machine
    from rocmlint.interpreter.choose import Chosen
    from rocmlint.stack.installed.distributions import Environment
    from rocmlint.stack.show import Stack

_OF_CODE = 0.6
"""The share of the time that reading the code may take."""
_PER_QUESTION = 60.0
_NOTHING = (
    "nothing to check: the project declares no package, patches none, claims nothing about the "
    "machine, and there is neither a torch nor a GPU"
)


@dataclass
class Examined:
    """A page, and what a job is watched for."""

    page: Page
    context: ClaimContext
    patches: list[PackagePatch] = field(default_factory=list)
    claims: Sequence[Claim] = ()
    is_cut: bool = False
    """Whether something still runs after the time limit."""


@dataclass(frozen=True)
class ExaminedSubject:
    """The machine, environment and project to examine, and how long that may take."""

    folder: str
    chosen: Chosen
    configuration: Configuration
    seconds: float
    machine: Machine
    show: Callable[[str], None] | None = None
    files: Callable[[int, int], None] | None = None
    """Called with the number of files that are read, and of all."""

    @property
    def confirm(self) -> str:
        """The command that looks again."""
        words = ["rocmlint", "doctor"]
        words += [] if os.path.relpath(self.folder) == os.curdir else [self.folder]
        words += ["--python", self.chosen.path] if self.chosen.reason == "--python" else []
        return shlex.join(words)

    @property
    def interpreter(self) -> Interpreter:
        """The interpreter, for questions that take no longer than all of it."""
        return Interpreter(self.chosen.path, min(self.seconds, _PER_QUESTION))


def examine(subject: ExaminedSubject) -> Examined:
    """Look at everything, the cheapest and most decisive first. Raises ConfigError."""
    looks = Looks(subject.seconds, subject.show)
    page = Page(subject.folder, subject.chosen, found=looks.found)
    settings = subject.configuration.settings_for(os.path.abspath(subject.folder))
    named = dict(settings.verify).get("manifests", ())
    manifests = tuple(read(os.path.join(settings.root, each)) for each in named)
    examined = Examined(page, ClaimContext(subject.interpreter, manifests))
    page.found.causes += _passed_over(subject)
    code = CodeResults(subject.folder, subject.configuration, subject.files)
    environment = _environment(subject, page)
    if looks.run("the code", lambda: _of_code(code, subject), _OF_CODE):
        examined.claims = code.outcome.claims
    if environment is not None and _is_of_another(environment, code, subject):
        page.found.causes.append(_unknown_interpreter())
        environment = None
    if environment is not None:
        _of_environment(subject, code, environment, examined, looks)
    else:
        page.found.causes += too_high(examined.claims, subject.confirm)
        looks.run("this machine", lambda: _of_machine(subject, page))
    has_gpu = page.facts.get("GPU", NO_GPU) != NO_GPU
    has_torch = page.facts.get("torch", NO_TORCH) != NO_TORCH
    if not (page.found.causes or examined.claims or code.declared or has_gpu or has_torch):
        page.found.unanswered.insert(0, _NOTHING)
    examined.is_cut = looks.is_cut
    return examined


def _environment(subject: ExaminedSubject, page: Page) -> Environment | None:
    """Ask the interpreter what it has; one that does not answer is a cause of its own."""
    try:
        environment = read_environment(subject.interpreter)
    except InterpreterError as error:
        page.facts["python"] = f"{subject.chosen.path}: {subject.chosen.reason}"
        page.found.causes.append(_broken(subject, str(error)))
        return None
    page.prefix = environment.prefix
    page.facts["python"] = f"{environment.python}  {subject.chosen.path}  ({subject.chosen.reason})"
    return environment


def _of_code(code: CodeResults, subject: ExaminedSubject) -> Findings:
    outcome = code.outcome
    found = code_findings(_without_faked(code), subject.confirm)
    found.add(faked_checks(outcome.claims, subject.confirm))
    found.unanswered += [*outcome.problems, *outcome.unread]
    if outcome.files and not found.causes:
        found.right.append(f"{counted(outcome.files, 'file')} without errors or warnings")
    return found


def _without_faked(code: CodeResults) -> list[Finding]:
    """Return the findings but those of faked checks, which have a cause of their own."""
    return [each for each in code.outcome.findings if not any(claim.faked for claim in each.claims)]


def _of_environment(
    subject: ExaminedSubject,
    code: CodeResults,
    environment: Environment,
    examined: Examined,
    looks: Looks,
) -> None:
    """Look at what is installed, and at what the code and the project say of it."""
    page, context = examined.page, examined.context
    looks.run("installed versions", lambda: versions(code.declared, environment, subject.confirm))
    looks.run("patched files", lambda: _of_patches(subject, examined))
    looks.run(
        "claims of the code",
        lambda: claims_findings(examined.claims, code.outcome.findings, context, subject.confirm),
    )
    stacks: list[Stack] = []
    looks.run("ROCm, GPU and torch", lambda: _of_stack(subject, environment, page, stacks))
    looks.run(
        "environment variables",
        lambda: variables_findings(subject.interpreter, "rocmlint verify variables"),
    )
    for stack in stacks:
        if stack.devices.names:
            _of_kernels(subject, code, stack, looks)


def _of_patches(subject: ExaminedSubject, examined: Examined) -> Findings:
    found = Findings()
    context, claims = examined.context, examined.claims
    examined.patches = patches_of(claims, context)
    missing = {each.subject for each in examined.page.found.causes if each.id == "missing-package"}
    there = [each for each in examined.patches if each.package not in missing]  # said once
    found.add(judge_patches(there, context, subject.confirm))
    found.causes += [each for each in too_high(claims, subject.confirm) if each.subject in missing]
    known = {each.package for each in examined.patches} | missing
    patched = {
        each.subject.replace("/", ".").partition(".")[0]
        for each in claims
        if each.kind in OF_FILES or each.kind == "replacement"
    }
    others = sorted(patched - known)
    found.add(stock_findings(others, subject.interpreter, subject.show, subject.confirm))
    return found


def _of_stack(
    subject: ExaminedSubject, environment: Environment, page: Page, stacks: list[Stack]
) -> Findings:
    stack = read_stack(
        subject.interpreter,
        machine=subject.machine,
        project=subject.folder,
        environment=environment,
    )
    stacks.append(stack)
    page.facts |= {name: value for name, value in facts(stack).items() if value}
    found = stack_findings(stack)
    declared = {each.subject for each in page.found.causes if each.id == "missing-package"}
    found.causes = [each for each in found.causes if each.subject not in declared]
    if "torch" in declared:  # the cause says so
        found.unanswered = [each for each in found.unanswered if not each.startswith("torch is ")]
    found.causes += needed_variables(stack, subject.machine.environment)
    return found


def _of_kernels(subject: ExaminedSubject, code: CodeResults, stack: Stack, looks: Looks) -> None:
    folders: dict[str, str] = {}

    def find() -> Findings:
        folders.update(folders_of(code.imported, subject.interpreter))
        return Findings()

    looks.run("imported packages", find)
    for package, folder in by_size(folders):
        looks.run(
            f"kernels of {package}",
            lambda package=package, folder=folder: kernels_of(  # type: ignore[misc]
                package, folder, stack.devices, subject.machine.environment
            ),
        )


def _of_machine(subject: ExaminedSubject, page: Page) -> Findings:
    """Look at the machine alone, where no interpreter can be asked about torch."""
    from rocmlint.gpus.devices import find_devices  # noqa: PLC0415 - seldom needed

    devices = find_devices(subject.machine)
    page.facts["GPU"] = ", ".join(devices.names) or NO_GPU
    return Findings(unanswered=["the environment: no interpreter of the job could be asked"])


def _passed_over(subject: ExaminedSubject) -> list[Cause]:
    return [
        Cause(
            "environment-broken",
            "warning",
            "interpreter",
            "environment",
            each,
            (),
            ("create the environment again, or deactivate it",),
            subject.confirm,
        )
        for each in subject.chosen.passed_over
    ]


def _broken(subject: ExaminedSubject, error: str) -> Cause:
    first, _, rest = error.partition("\n")
    return Cause(
        "interpreter-broken",
        "error",
        "interpreter",
        subject.chosen.path,
        f"this interpreter ({subject.chosen.reason}) cannot be asked: {first}",
        (),
        ("repair or create its environment again, or name another: --python PYTHON",),
        f"{shlex.quote(subject.chosen.path)} -c 'import sys; print(sys.version)'",
        rank=1,
        evidence=_details(rest),
    )


def _details(text: str) -> tuple[Evidence, ...]:
    return (Evidence("printed", text),) if text else ()


def _is_of_another(environment: Environment, code: CodeResults, subject: ExaminedSubject) -> bool:
    """Return whether rocmlint's own interpreter has not the versions that the project requires.

    Then it is not the job's, and no command should change it.
    """
    is_own = subject.chosen.is_own
    return is_own and bool(versions(code.declared, environment, "").causes)


def _unknown_interpreter() -> Cause:
    return Cause(
        "interpreter-unknown",
        "unknown",
        "interpreter",
        "interpreter",
        "no environment is active, the project has no .venv, and the Python that runs rocmlint "
        "does not have the versions that the project requires",
        (),
        ("activate the environment of the job, or name its interpreter: --python PYTHON",),
        "rocmlint doctor --python PYTHON",
    )
