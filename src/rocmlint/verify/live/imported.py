"""Has an interpreter import modules, and judges what it then runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocmlint.interpreter.ask import InterpreterError, TooSlowError
from rocmlint.text.words import counted
from rocmlint.verify.live import wrappers
from rocmlint.verify.live.functions import results_of_functions
from rocmlint.verify.live.judge import PATCHES, not_checked, not_imported, one_a_line, result_of
from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.manifest.read import Manifest
    from rocmlint.verify.result import Verdict

Answer = dict[str, Any]
"""The answer of ``inside.job.loaded.answer``."""

RAN = ("ran", "never ran")
"""The evidence of what ran, and of what did not."""

_TASK = "job.loaded"
_PART = 0.8
"""How much of the time limit imports and comparisons may take; the last one needs some too."""
_NOTHING: Mapping[str, Any] = {"modules": [], "files": [], "functions": [], "call": None}


def check(
    interpreter: Interpreter,
    modules: Sequence[str] = (),
    manifest: Manifest | None = None,
    call: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Result]:
    """Yield a result for each module, and for each file and function of the manifest.

    ``call`` ("package.module:function") is run there, and each proof then needs a function of the
    module that ran. ``progress`` is called with how far it has come. Raises InterpreterError when
    the interpreter does not work at all.
    """
    files = manifest.files if manifest else ()
    expected: dict[str, str | None] = dict.fromkeys(modules)
    expected.update({each.module: each.sha256 for each in files if each.module})
    others = {each.path: each.sha256 for each in files if not each.module}
    functions = manifest.functions if manifest else ()
    owners = [each for each in dict.fromkeys(it.module for it in functions) if each not in expected]
    question = {
        "modules": [*expected, *owners],
        "files": list(others),
        "functions": manifest.requests() if manifest else [],
        "call": call,
        "seconds": interpreter.timeout * _PART,
    }
    answer = _asked(interpreter, question, progress)
    compared = {each["module"]: each for each in answer["comparisons"]}
    facts = [
        {"error": f"the import failed: {answer['failed'][each.module]}"}
        if each.module in answer["failed"]
        else fact
        for each, fact in zip(functions, answer["functions"], strict=True)
    ]
    owned = {each: compared[each] for each in owners if each in compared}
    yield from results_of_functions(functions, facts, owned, call or "")
    for name, sha256 in expected.items():
        if name in answer["failed"]:
            yield not_imported(name, answer["failed"][name], sha256)
        elif name in answer["unchecked"]:
            yield not_checked(name, interpreter.timeout, sha256)
        elif call:
            decided = wrappers.decided(compared[name])
            yield executed(result_of(decided, sha256), decided, call)
        else:
            yield result_of(compared[name], sha256)
    for path, sha256 in others.items():
        yield result_of_file(path, sha256, answer["files"][path])
    if call:
        yield _of_call(call, answer["call_failed"])


def _asked(
    interpreter: Interpreter,
    question: Mapping[str, Any],
    progress: Callable[[str], None] | None,
) -> Answer:
    """Ask for all together, as a job has them; if that gives no answer, for each alone."""
    try:
        answer: Answer = interpreter.ask(_TASK, question, progress)
    except InterpreterError as error:
        interpreter.ask(_TASK, _NOTHING)  # raises if no question at all is answered
        return _asked_alone(interpreter, question, error, progress)
    return answer


def _asked_alone(
    interpreter: Interpreter,
    question: Mapping[str, Any],
    error: InterpreterError,
    progress: Callable[[str], None] | None,
) -> Answer:
    reason = str(error)
    whole: Answer = {"failed": {}, "unchecked": [], "comparisons": [], "call_failed": reason}
    modules = question["modules"]
    for name in modules:
        failure, answer = error, None
        if len(modules) > 1 or question["call"]:
            try:
                answer = interpreter.ask(_TASK, {**_NOTHING, "modules": [name]}, progress)
            except InterpreterError as alone:
                failure = alone
        if answer is not None:
            whole["failed"].update(answer["failed"])
            whole["comparisons"] += [
                {**each, "ran": [], "never_ran": []} for each in answer["comparisons"]
            ]
        elif isinstance(failure, TooSlowError):
            whole["unchecked"].append(name)
        else:
            whole["failed"][name] = str(failure)
    whole["files"] = {path: {"path": None, "error": reason} for path in question["files"]}
    whole["functions"] = [{"error": reason} for _ in question["functions"]]
    return whole


def executed(result: Result, comparison: Mapping[str, Any], call: str) -> Result:
    """Strengthen or weaken a result by which functions of the module a call ran."""
    ran, never = comparison["ran"], comparison["never_ran"]
    lists = zip(RAN, (one_a_line(ran), one_a_line(never)), strict=True)
    evidence = tuple(Evidence(name, value) for name, value in lists if value)
    result = replace(result, evidence=(*result.evidence, *evidence))
    if result.verdict != "proven" or not (ran or never):
        return result
    seen = f"{len(ran):,} of {counted(len(ran) + len(never), 'function')} ran"
    if ran:
        return replace(result, strength="executed", seen=seen)
    return replace(
        result,
        verdict="unproven",
        seen=seen,
        reason=f"the right code of {result.subject} is loaded, but {call} ran none of its "
        "functions, so for this call the patch does nothing",
        action="choose a call that uses the patch, or find out what it uses instead: an "
        "option such as attn_implementation decides that",
    )


def _of_call(call: str, failed: str | None) -> Result:
    claim = "runs to its end"
    if failed is None:
        return Result("live", claim, call, "proven", "executed", "it finished")
    return Result(
        "live",
        claim,
        call,
        "unproven",
        "executed",
        "it failed",
        reason=f"{failed}; code that would have run after that was not seen",
        action=f"fix the call first: it is called without arguments, as {call}()",
    )


def result_of_file(path: str, sha256: str, found: Mapping[str, Any], check: str = "live") -> Result:
    """Judge a file of a manifest that is not a module; ``found`` is ``inside.loaded``'s answer."""
    evidence = [Evidence(name, found[name]) for name in ("path", "sha256") if found.get(name)]
    verdict: Verdict = "unproven" if "error" in found else "contradicted"
    if found.get("sha256") == sha256:
        verdict = "proven"
    is_proven = verdict == "proven"
    return Result(
        check=check,
        claim="is the file of the manifest",
        subject=path,
        verdict=verdict,
        strength="located" if "error" in found else "hashed",
        seen={"proven": "same content", "contradicted": "other content"}.get(verdict, "not read"),
        evidence=(*evidence, Evidence("sha256 in the manifest", sha256)),
        reason="" if is_proven else found.get("error", "its content is not the manifest's"),
        action="" if is_proven else f"{PATCHES} shows where it must be and what is there",
    )
