"""``rocmlint verify PATHS``: what the code claims, checked in the interpreter that runs it."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.cli.verify import VERBS
from rocmlint.cli.verify.common import (
    add_usual_arguments,
    finish,
    help_of,
    say,
    warnings_of,
)
from rocmlint.config.configuration import Configuration
from rocmlint.config.option import did_you_mean
from rocmlint.disk.disk import Disk
from rocmlint.errors import ConfigError
from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.interpreter.choose import chosen_interpreter
from rocmlint.lint.run import Options
from rocmlint.lint.run import run as lint
from rocmlint.rule.claims import kernel_package
from rocmlint.source.decoding import text_of
from rocmlint.source.file import project_of
from rocmlint.verify.claims.check import check
from rocmlint.verify.claims.context import ClaimContext, PinnedVersion
from rocmlint.verify.claims.merged_results import together
from rocmlint.verify.live import imported
from rocmlint.verify.manifest.read import read
from rocmlint.verify.patches import patches
from rocmlint.verify.result import CLAIMED_AT, Evidence

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Mapping, Sequence
    from types import SimpleNamespace

    from rocmlint.config.settings import Settings
    from rocmlint.findings import Claim, Finding
    from rocmlint.interpreter.choose import Chosen
    from rocmlint.verify.result import Result

_KEYS = ("manifests", "modules", "kernel-packages")
_VERBS = "\n".join(f"  {verb:<13}{about}" for verb, about in VERBS.items())
HELP = help_of(
    "[PATH ...]",
    "Check what the code claims about the system it runs on: patched files, fast paths, "
    "kernel packages. The code itself is not run; installed kernel packages are imported, "
    "and so are the modules listed in [tool.rocmlint.verify].",
    f"verbs (rocmlint verify VERB --help):\n{_VERBS}\n\n",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify``."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and directories (default: .)"
    )
    add_usual_arguments(parser)
    parser.add_argument(
        "--no-local-rules",
        dest="local_rules",
        action="store_false",
        help="do not load the local rules in `rules` of [tool.rocmlint], which runs their code",
    )


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify``."""
    paths = flags.paths or ["."]
    _refuse_misspelt_verbs(paths)
    options = {} if flags.local_rules else {"local-rules": False}
    configuration = Configuration({**options, "notes": "short"})  # a note may make a claim, too
    settings = configuration.settings_for(_folder(paths[0]))
    wanted = _wanted(settings)
    manifests = tuple(map(read, wanted["manifests"]))
    chosen = chosen_interpreter(flags.python, _folder(paths[0]), os.environ)
    say(*warnings_of(chosen))
    interpreter = Interpreter(chosen.path, flags.timeout)
    context = ClaimContext(interpreter, manifests, pin=pins(configuration))
    say(_asked(interpreter, chosen))

    outcome = lint(paths, configuration.settings_for, Options(claims=True))
    problems = [*outcome.problems, *outcome.unread]
    claims = [*outcome.claims, *(kernel_package(name) for name in wanted["kernel-packages"])]
    results = check(sorted(claims, key=lambda claim: (claim.path, claim.line)), context)
    say(*problems, *outcome.remarks)
    if flags.output_format == "text":
        results = _with_rules(results, outcome.findings)
    more = [each for some in patches.check_all(manifests, interpreter) for each in some]
    more += imported.check(context.interpreter, wanted["modules"])
    code = finish([*together(results), *more], flags)
    return 2 if problems else code


def _asked(interpreter: Interpreter, chosen: Chosen) -> str:
    """Return which interpreter is asked and why, and which torch it has."""
    try:
        answer = interpreter.ask("devices", "torch")
    except InterpreterError as error:  # each claim says so too
        return str(error).partition("\n")[0]
    why = "" if chosen.reason == "--python" else f": {chosen.reason}"
    asked = f"asking {answer['executable']} (Python {answer['version']}, {answer['torch']}){why}"
    hint = "; if the job runs in another interpreter, use --python"
    return asked + (hint if answer["torch"] == "torch is not installed" else "")


def _refuse_misspelt_verbs(paths: Sequence[str]) -> None:
    for path in paths:
        if not os.path.exists(path) and (near := did_you_mean(path, VERBS, 0.7)):
            message = f"verify {path}: no such verb, file or directory{near}"
            raise ConfigError(message)


def _folder(path: str) -> str:
    path = os.path.abspath(path)
    return path if os.path.isdir(path) else os.path.dirname(path)


def _wanted(settings: Settings) -> Mapping[str, list[str]]:
    """Return what ``[tool.rocmlint.verify]`` asks for. Raises ConfigError."""
    wanted: dict[str, list[str]] = {key: [] for key in _KEYS}
    for key, values in settings.verify:
        if key not in wanted:
            message = f"unknown key {key!r} in [tool.rocmlint.verify]{did_you_mean(key, _KEYS)}"
            raise ConfigError(message)
        wanted[key] = list(values)
    wanted["manifests"] = [os.path.join(settings.root, each) for each in wanted["manifests"]]
    return wanted


def pins(configuration: Configuration) -> Callable[[str, str], PinnedVersion | None]:
    """Return a function that finds the version to which the project of a file pins a package."""
    disk = Disk(text_of)

    @cache
    def pin(package: str, folder: str) -> PinnedVersion | None:
        path = os.path.join(folder, "program.py")
        project = project_of(path, configuration.settings_for(folder), disk)
        found = project.versions(canonicalize_name(package))
        is_one = len(found) == 1 and found[0].said.startswith(("pin", "lock"))
        return PinnedVersion(str(found[0].version), found[0].said) if is_one else None

    return lambda package, file: pin(package, os.path.dirname(os.path.abspath(file)))


def _with_rules(
    results: Mapping[Claim, Result], findings: Sequence[Finding]
) -> dict[Claim, Result]:
    """Return the results with the rule that found it behind each place of a claim."""
    rules = {
        f"{claim.path}:{claim.line}": f"{finding.code} {finding.name}"
        for finding in findings
        for claim in finding.claims
    }

    def named(evidence: Evidence) -> Evidence:
        rule = rules.get(evidence.value) if evidence.name == CLAIMED_AT else None
        return evidence if rule is None else Evidence(CLAIMED_AT, f"{evidence.value}: {rule}")

    return {
        claim: replace(result, evidence=tuple(map(named, result.evidence)))
        for claim, result in results.items()
    }
