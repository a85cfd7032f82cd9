"""Whether each file of a manifest is the one that an import would execute, by the disk alone."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rocmlint.interpreter.ask import InterpreterError
from rocmlint.verify.patches import copy_version
from rocmlint.verify.result import Evidence, Judgement, interpreter_evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.manifest.read import Manifest
    from rocmlint.verify.result import Result

Facts = dict[str, Any]
"""An answer of :mod:`rocmlint.interpreter.inside.packages.patches`, or a part of it."""

_TASK = "packages.patches"
_AGAIN = "then run this again"


def check(manifest: Manifest, interpreter: Interpreter) -> list[Result]:
    """Judge the version of the package and each file; functions are not on the disk.

    Raises InterpreterError.
    """
    return check_all([manifest], interpreter)[0]


def check_all(manifests: Sequence[Manifest], interpreter: Interpreter) -> list[list[Result]]:
    """Judge several manifests; what is read for one of them is not read again for another.

    Raises InterpreterError.
    """
    asked = [each for each in manifests if each.files]
    requests = [_request(each) for each in asked]
    try:
        answers: list[Facts] = interpreter.ask(_TASK, requests) if requests else []
    except InterpreterError:
        # Broken bytecode can end the interpreter, or keep it busy.
        answers = [_one_by_one(interpreter, each) for each in requests]
    known = iter(answers)
    return [_results(each, next(known)) if each.files else [] for each in manifests]


def _results(manifest: Manifest, facts: Facts) -> list[Result]:
    return [
        *(copy_version.results(manifest, facts) if manifest.requires else ()),
        *(_file_result(each, facts["interpreter"]) for each in facts["files"]),
    ]


def _request(manifest: Manifest) -> Facts:
    files = [{**asdict(each), "module": each.module} for each in manifest.files]
    paths = [each.path for each in manifest.files]
    return {"package": manifest.package, "patched": paths, "files": files}


def _one_by_one(interpreter: Interpreter, request: Facts) -> Facts:
    """Ask for each file of a manifest alone."""
    answer: Facts = interpreter.ask(_TASK, [{**request, "files": []}])[0]
    answer["files"] = [_asked_alone(interpreter, request, each) for each in request["files"]]
    return answer


def _asked_alone(interpreter: Interpreter, request: Facts, file: Facts) -> Facts:
    try:
        facts: Facts = interpreter.ask(_TASK, [{**request, "files": [file]}])[0]["files"][0]
    except InterpreterError as error:
        return {**file, "error": str(error)}
    return facts


def _file_result(facts: Facts, asked: Mapping[str, str]) -> Result:
    evidence = (interpreter_evidence(asked), *_file_evidence(facts))
    claim = "an import executes the manifest's file"
    return judged_file(facts).on(_TASK, claim, facts["path"], evidence)


def judged_file(facts: Facts) -> Judgement:
    """Judge the facts on one file."""
    if "error" in facts:
        return Judgement(
            "unproven",
            "located",
            "not checked",
            f"the search failed: {facts['error']}",
            "repair what is named above (raised by a finder of this interpreter); " + _AGAIN,
        )
    winner = facts["winner"]
    if winner is None:
        return _missing(facts)
    return (
        _replaced_at_start(facts)
        or _without_source(facts, winner)
        or _other_content(facts, winner)
        or _not_sure(facts, winner)
        or _not_executed(winner)
        or Judgement("proven", "hashed", _seen_right(winner) + _remark(winner))
    )


def _missing(facts: Facts) -> Judgement:
    reason = "no import finds it"
    if facts["others"]:
        places = ", ".join(str(each["origin"]) for each in facts["others"])
        reason += f"; it is in {places}, but another copy of the package comes first on sys.path"
    root = facts["root"]
    action = _copy(facts, f"{root}/{facts['path']}") if root else f"install it; {_AGAIN}"
    return Judgement("contradicted", "located", "not found", reason + _elsewhere(facts), action)


def _copy(facts: Facts, target: str) -> str:
    """Return how to put a file of the patch in place: from where it went astray, if it did.

    The command breaks hard links, through which other environments would get the patch too.
    """
    astray, path = facts.get("astray"), facts["path"]
    source = astray or f"PATCH/{path.partition('/')[2] or path}"
    command = shlex.join(["cp", "--remove-destination", source, target])
    where = "" if astray else " (PATCH is the directory that the manifest was made from)"
    return f"{command}; {_AGAIN}{where}"


def _replaced_at_start(facts: Facts) -> Judgement | None:
    loaded = facts["loaded"]
    if not loaded:
        return None
    module = facts["module"]
    if loaded["is_winner"]:
        return Judgement(
            "unproven",
            "hashed",
            "imported at start-up",
            f"start-up code (a .pth file, sitecustomize) has already imported {module}, so a "
            "program gets what that has made of it, and an import does not read the file again",
            f"rocmlint verify live {module}",
        )
    return Judgement(
        "contradicted",
        "located",
        "taken from sys.modules",
        f"start-up code (a .pth file, sitecustomize) has already put {module} from "
        f"{loaded['origin'] or 'nowhere'} into sys.modules, so an import does not read the file",
        f"remove that start-up code (python -v -c pass shows what it imports); {_AGAIN}",
    )


_NO_FILE: Mapping[str, tuple[str, str]] = {
    "namespace": (
        "the name is a namespace package: a directory without a file that would be executed",
        "copy the package's __init__.py into it",
    ),
    "extension": (
        "an extension module of that name is loaded before any .py file",
        "remove the extension module, or patch its source and rebuild it",
    ),
    "built-in": ("the module is compiled into the interpreter", "patch another module"),
    "frozen": ("the module is frozen into the interpreter", "patch another module"),
}


def _without_source(facts: Facts, winner: Facts) -> Judgement | None:
    kind = winner["kind"]
    if kind in _NO_FILE:
        reason, action = _NO_FILE[kind]
        if winner["origin"]:
            reason += f": {winner['origin']}"
        return Judgement(
            "contradicted", "located", kind, reason + _elsewhere(facts), f"{action}; {_AGAIN}"
        )
    if kind == "bytecode" or winner["unreadable"]:
        why = winner["unreadable"] or "bytecode without source: its origin is unknown"
        return Judgement(
            "unproven",
            "located",
            "no source" if kind == "bytecode" else "unreadable",
            f"{winner['origin']}: {why}",
            f"install {facts['path']} as source and remove the .pyc file; {_AGAIN}"
            if kind == "bytecode"
            else f"make the file readable for this user; {_AGAIN}",
        )
    return None


def _other_content(facts: Facts, winner: Facts) -> Judgement | None:
    if winner["sha256"] == facts["sha256"] or _has_same_code(winner):
        return None
    target = winner["origin"]
    seen, what = (
        "other content",
        "neither the manifest's file nor the wheel's: edited, or another patch",
    )
    if winner.get("recorded"):
        seen, what = "stock", "the wheel's own file: the patch is not applied"
    elif winner.get("recorded") is None:
        what = (
            "not the manifest's file (and without a RECORD it is unknown whether it is the wheel's)"
        )
    if winner.get("differs"):
        seen, what = "another form", f"not the manifest's bytes: only {winner['differs']} differ"
    action = _copy(facts, target)
    if right := [each["origin"] for each in facts["others"] if each["sha256"] == facts["sha256"]]:
        what += f"; the right one, {right[0]}, comes later on sys.path and is never read"
        action = f"remove {winner['root']} from sys.path (PYTHONPATH, .pth files), or {action}"
    if winner.get("folder_writable") is False:
        what += "; this user cannot write to its directory, so a copy fails"
        action = f"as the directory's owner (in an image: when it is built): {action}"
    return Judgement(
        "contradicted", "hashed", seen, f"{target} is {what}{_elsewhere(facts)}", action
    )


def _has_same_code(winner: Facts) -> bool:
    """Return whether a source is the manifest's, but for how its lines end or a mark before it."""
    return bool(winner.get("differs")) and winner["kind"] == "source"


def _remark(winner: Facts) -> str:
    if not _has_same_code(winner):
        return ""
    verb = "differ" if "line ends" in winner["differs"] else "differs"
    return f"; only {winner['differs']} {verb} from the manifest's file"


def _elsewhere(facts: Facts) -> str:
    """Return where the patch went instead."""
    if facts["higher"]:
        return (
            f"; there is {facts['higher'][0]}: copied one directory too high, where no "
            "import of the package looks"
        )
    if facts["misplaced"]:
        return f"; its content is at {facts['misplaced'][0]}, where no import looks"
    return ""


def _not_sure(facts: Facts, winner: Facts) -> Judgement | None:
    seen, doubts = "right bytes, other loader", facts["doubts"]
    if winner["kind"] == "other":
        why = f"it is loaded by {winner['loader']}, which may change the code while loading it"
    elif doubts:
        seen = "right bytes, imports changed"
        place = doubts[0]["place"] or "start-up code (a .pth file, sitecustomize)"
        why = f"{place} {doubts[0]['what']}, so only running it shows what is executed"
    else:
        return None
    module = facts["module"]
    action = f"rocmlint verify live {module}" if module else "remove it and run this again"
    return Judgement("unproven", "hashed", seen, why, action)


def _not_executed(winner: Facts) -> Judgement | None:
    execution = winner.get("execution")
    if not execution or (execution["same"] and not execution["error"]):
        return None
    path = execution["bytecode"]
    if execution["error"]:
        return Judgement(
            "contradicted",
            "hashed",
            "right bytes, import fails",
            f"the file is the manifest's, but its import fails: {execution['error']}",
            f"rm {shlex.quote(path)}; {_AGAIN}"
            if path
            else "use the Python version that the patch is written for",
        )
    remove = f"rm {shlex.quote(path)}"
    if execution["kind"] == "archived":
        remove = f"zip -d {shlex.quote(winner['root'])} '*.pyc'"
    return Judgement(
        "contradicted",
        "hashed",
        "right bytes, stale bytecode",
        f"the file is the manifest's, but {why_stale(execution)}",
        f"{remove}; {_AGAIN}",
    )


def why_stale(execution: Facts) -> str:
    """Say that bytecode is run which is not its source's, and why Python takes it."""
    return (
        f"{execution['bytecode']} is what an import runs, and it was compiled from other source: "
        f"{_WHY_USED[execution['kind']]}"
    )


_WHY_USED = {
    "timestamp": "it records the same size and modification time as the file (cp -p, rsync "
    "-t and tar keep the time; so does a copy within one second)",
    "unchecked hash": "it is of the kind that Python never compares with its source "
    "(compileall --invalidation-mode unchecked-hash)",
    "checked hash": "Python was told not to compare it with its source",
    "archived": "the archive's bytecode has the modification time of its source",
}


def _seen_right(winner: Facts) -> str:
    links = winner.get("links", 1)
    return f"right bytes, {links} hard links" if links > 1 else "right bytes"


def _file_evidence(facts: Facts) -> Iterator[Evidence]:
    winner = facts.get("winner")
    yield Evidence("manifest", f"sha256 {facts['sha256']}")
    if winner:
        yield from _winner_evidence(winner)
    for each in facts.get("others", ()):
        right = "has" if each["sha256"] == facts["sha256"] else "does not have"
        yield Evidence("shadowed copy", f"{each['origin']} ({right} the manifest's content)")
    for each in facts.get("doubts", ()):
        yield Evidence("changes imports", f"{each['place'] or 'start-up code'}: {each['what']}")
    for place in (*facts.get("higher", ()), *facts.get("misplaced", ())):
        yield Evidence("stray copy", place)


def _winner_evidence(winner: Facts) -> Iterator[Evidence]:
    yield Evidence("taken", f"{winner['origin'] or winner['locations']} ({winner['kind']})")
    if winner["sha256"]:
        yield Evidence("found", f"sha256 {winner['sha256']}")
    if "recorded" not in winner:
        return
    stock = {True: "yes", False: "no", None: "unknown: there is no RECORD with its hash"}
    yield Evidence("equals the wheel's RECORD", stock[winner["recorded"]])
    if winner["execution"]:
        yield Evidence("bytecode", _bytecode(winner["execution"]))
    if winner["links"] > 1:
        yield Evidence("hard links", f"{winner['links']}: the same file in other environments (uv)")
    if winner["real"]:
        yield Evidence("symbolic link", f"to {winner['real']}")
    yield Evidence("writable", _writable(winner))


def _bytecode(execution: Facts) -> str:
    if execution["error"]:
        return str(execution["error"])
    if execution["kind"] == "none":
        return "none: an import compiles the source"
    runs = "runs" if execution["used"] else "is ignored: an import compiles the source"
    if execution["used"]:
        runs += ", with the source's code" if execution["same"] else ", with other code"
    return f"{execution['bytecode']} ({execution['kind']}) {runs}"


def _writable(winner: Facts) -> str:
    may = "yes" if winner["writable"] and winner["folder_writable"] else "no"
    modes = f"file {winner['mode']}, directory {winner['folder_mode']}"
    return f"{may}, for user {winner['user']} ({modes})"
