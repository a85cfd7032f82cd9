"""Claims that only the running program can show whole: what is replaced, found, cast in it."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from rocmlint.verify.claims.context import NOT_INSTALLED
from rocmlint.verify.claims.proposals import ENTRY, proposals
from rocmlint.verify.manifest.read import lines_of
from rocmlint.verify.result import Evidence, Judgement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.findings import Claim
    from rocmlint.verify.claims.context import Checked, ClaimContext

_RUN = "rocmlint verify run"
_OUTPUT = "functions.toml"
"""The name of the manifest of functions in a command."""


def replacement(claim: Claim, context: ClaimContext) -> Checked:
    """See whether what is to be replaced is there at all."""
    definition = context.defined(claim.subject, claim.given)
    package, name = claim.subject.partition(".")[0], claim.given.partition(".")[0]
    other = f"install the version of {package} that this code is made for, or delete the patch"
    if not definition["found"]:
        reason = f"{package} is not installed in this interpreter: the code there cannot run"
        action = f"install {package}, or name the interpreter that has it (--python)"
        return Judgement("contradicted", "located", NOT_INSTALLED, reason, action), ()
    if definition["missing"]:
        return _no_module(claim.subject, definition["missing"], other, context), ()
    if definition["absent"]:
        reason = f"{definition['origin']} has no {name}, so nothing calls the replacement"
        return Judgement("contradicted", "located", f"no {name}", reason, other), ()
    evidence = (Evidence("what is replaced", _place(definition)),)
    if not definition["named"]:
        return _not_named(definition["origin"], other), evidence
    reason = "a replacement is made at run time, and only the running program can show it"
    action, entry = _show(claim, definition, context)
    return Judgement("unproven", "located", "its target exists", reason, action), evidence + entry


def _show(
    claim: Claim, definition: Mapping[str, Any], context: ClaimContext
) -> tuple[str, tuple[Evidence, ...]]:
    """Return what shows a replacement: an entry of a manifest, and the command to run with it.

    Where a module only passes a name on, setting it there changes nothing in the one that defines.
    """
    if "." not in claim.given and definition["module"] != claim.subject:
        return _passed_on(claim, definition), ()
    name = f"{definition['module']}:{claim.given}"
    for manifest in context.manifests:
        if any(each.name == name for each in manifest.functions):
            return f"{_RUN} --manifest {shlex.quote(manifest.path)} -- python PROGRAM", ()
    entries = [each.function for each in proposals([claim], context, os.curdir) if each.function]
    if not entries:
        return f"{_run(definition['module'])} (it must report that your file replaced it)", ()
    write = f"rocmlint verify manifest --functions {shlex.quote(claim.path)} --output {_OUTPUT}"
    lines = "\n".join(lines_of(entries[0]))
    run = f"{_RUN} --manifest {_OUTPUT} -- python PROGRAM"
    return f"{write}; then {run}", (Evidence(ENTRY, lines),)


def _passed_on(claim: Claim, definition: Mapping[str, Any]) -> str:
    return (
        f"after the patch, let the program print {claim.subject}; modules that imported the "
        f"name from {definition['module']} keep the old object"
    )


def _place(definition: Mapping[str, Any]) -> str:
    place = definition["origin"] or f"{definition['module']}, a module without source"
    return f"{place}:{definition['line']}" if definition["line"] else str(place)


def _no_module(module: str, missing: str, other: str, context: ClaimContext) -> Judgement:
    reason = f"there is no file for {missing}: unless it is created at run time, the patch fails"
    program = shlex.join([context.interpreter.python, "-c", f"import {module}"])
    return Judgement(
        "unproven", "located", "no such file", reason, f"{program}; if it fails, {other}"
    )


def _not_named(origin: str, other: str) -> Judgement:
    reason = (
        f"{origin} does not contain the name: unless it comes from a base class or is "
        "created at run time, nothing is replaced, and nothing calls the replacement"
    )
    return Judgement("unproven", "located", "not named in its file", reason, other)


def origin(claim: Claim, context: ClaimContext) -> Checked:
    """See whether an import finds another copy."""
    definition = context.defined(claim.subject, "")
    if definition["found"]:
        reason = f"an import takes {definition['origin'] or 'another copy'}, which comes first"
        action = "put the directory first on sys.path before the import, or uninstall that copy"
        return Judgement("contradicted", "located", "another copy", reason, action), ()
    reason = "the program sets sys.path when it runs; without the program the module is not found"
    return Judgement("unproven", "declared", "not found", reason, _run(claim.subject)), ()


def _run(module: str) -> str:
    return f"{_RUN} --module {module} -- python PROGRAM"


def dtype(_: Claim, __: ClaimContext) -> Checked:
    """Name the command: nothing says here how the model is built."""
    reason = "it needs a function that builds the model"
    action = "rocmlint verify dtype MODULE:FACTORY (a function that returns the model)"
    return Judgement("unproven", "declared", "not checked", reason, action), ()
