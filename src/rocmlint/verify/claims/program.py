"""Claims that only the running program can show whole: what is replaced, found, cast in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.verify.result import Evidence, Judgement

if TYPE_CHECKING:
    from rocmlint.findings import Claim
    from rocmlint.verify.claims.context import Checked, Context

_RUN = "rocmlint verify run --module {module} -- python PROGRAM"


def replacement(claim: Claim, context: Context) -> Checked:
    """See whether what is to be replaced is there at all."""
    told = context.interpreter.ask("defined", {"module": claim.subject, "name": claim.given})
    name, package = (each.partition(".")[0] for each in (claim.given, claim.subject))
    other = f"install the version of {package} that this code is made for, or delete the patch"
    if not told["found"]:
        reason = f"this interpreter finds no module {claim.subject}: the code there cannot run"
        return Judgement("contradicted", "located", "no such module", reason, other), ()
    if told["absent"]:
        reason = f"{told['origin']} has no {name}: nothing calls what is set there"
        return Judgement("contradicted", "located", f"no {name}", reason, other), ()
    place = told["origin"] or "a module without source"
    place += f":{told['line']}" if told["line"] else ""
    reason = "a replacement happens in the running program, and only that can show it"
    action = _RUN.format(module=claim.subject)
    judgement = Judgement("unproven", "located", "its target is there", reason, action)
    return judgement, (Evidence("what is replaced", place),)


def origin(claim: Claim, context: Context) -> Checked:
    """See whether an import finds another copy."""
    told = context.interpreter.ask("defined", {"module": claim.subject, "name": ""})
    if told["found"]:
        reason = f"an import takes {told['origin'] or 'another copy'}, which comes first"
        action = "put the folder first on sys.path, before the import, or uninstall that copy"
        return Judgement("contradicted", "located", "another copy", reason, action), ()
    reason = "the program sets sys.path when it runs; outside it nothing is found"
    action = _RUN.format(module=claim.subject)
    return Judgement("unproven", "declared", "not found", reason, action), ()


def dtype(_: Claim, __: Context) -> Checked:
    """Name the command: nothing says here how the model is built."""
    reason = "only the model itself can show it, and nothing tells here how to build it"
    action = "rocmlint verify dtype MODULE:FACTORY (a function that returns the model)"
    return Judgement("unproven", "declared", "not checked", reason, action), ()
