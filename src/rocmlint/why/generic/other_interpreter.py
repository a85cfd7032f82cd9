"""A package that is installed, but was not found where the program ran."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.why.answer import Action
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import innermost, made, python_of, where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import Release

BINARY = re.compile(r"of binary: (?P<binary>\S+)")
_RUNS_MODULE = re.compile(r"(?P<python>[^\s'\"]*python[\d.]*(?:\.exe)?): No module named ")
_OF_BUILDS = (
    "This error originates from a subprocess, and is likely not a problem with pip",
    "Getting requirements to build wheel",
    "The build backend returned an error",
    "metadata-generation-failed",
    "pip-build-env",
    "build_meta.py",
)
"""Lines that only logs of builds of a wheel contain."""
_WEIGHT = 18
_COMMAND = "python -c 'import sys; print(sys.executable)'"


def not_found(
    context: Context, module: str, release: Release, message: str
) -> Iterator[Explanation]:
    """Explain a module of an installed package that was not found."""
    if in_build(context):
        yield of_build(context, module, release, message)
        return
    ran = interpreter_of(context)
    if not ran and canonicalize_name(module) != release.name:
        yield _not_built(context, module, release, message)
        return
    if ran:
        context.saw("the interpreter that ran", ran, "the log")
    other = ran or "another interpreter"
    yield made(
        context,
        "other-interpreter",
        f"{release} is installed in {context.packages.folders[0]}, but {other} ran, which lacks it",
        weight=_WEIGHT,
        sure=False,
        actions=(
            Action(f"run the program with {python_of(context)} -m, or activate its environment"),
        ),
        confirm=_COMMAND,
        missing=(UnreadFact("the packages of the interpreter that ran", _COMMAND),),
        message=message,
    )


def interpreter_of(context: Context) -> str:
    """Return the interpreter that a launcher or ``python -m`` names in the log; or nothing."""
    for line in context.log.lines:
        found = BINARY.search(line)
        if found is not None:
            return found["binary"]
        found = _RUNS_MODULE.match(line) if "No module named " in line else None
        if found is not None:
            return found["python"]
    return ""


def in_build(context: Context) -> bool:
    """Return whether the log is of the build of a wheel."""
    return any(each in line for line in context.log.lines for each in _OF_BUILDS)


def of_build(context: Context, module: str, release: Release, message: str) -> Explanation:
    """Explain a module that a build in an isolated environment does not find."""
    context.saw("the log", "is of the build of a wheel", "the log")
    return made(
        context,
        "isolated-build",
        f"a wheel is built in an environment of its own, which has no {module}, although {release}"
        " is installed",
        weight=_WEIGHT + 20,
        actions=(
            Action("install the package that is built with --no-build-isolation (pip and uv)"),
            Action("install what its build needs first: setuptools, wheel, packaging, ninja"),
        ),
        missing=(release.unread,),
        message=message,
    )


def _not_built(context: Context, module: str, release: Release, message: str) -> Explanation:
    """Explain a module, often compiled, that a distribution was installed without."""
    command = f"{python_of(context)} -m pip show -f {shlex.quote(release.name)}"
    return made(
        context,
        "missing-module",
        f"{release} is installed without its module {module}: it was not built, or was deleted",
        weight=_WEIGHT,
        sure=False,
        where=where(innermost(context)),
        actions=(Action(f"install {release.name} again with what builds {module}"),),
        confirm=f"{python_of(context)} -c {shlex.quote(f'import {module}')}",
        missing=(UnreadFact(f"the files of {release.name}", command),),
        message=message,
    )
