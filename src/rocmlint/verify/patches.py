"""Is each file of a manifest the one that an import would execute? Judged from the disk alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

from rocmlint.verify.result import Evidence, Result, Strength, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.verify.interpreter import Interpreter
    from rocmlint.verify.manifest import Manifest

Facts = dict[str, Any]
"""An answer of :mod:`rocmlint.verify.inside.patches`, or a part of it."""

CHECK = "patches"
_AGAIN = "then run this again"


class _Judgement(NamedTuple):
    verdict: Verdict
    strength: Strength
    seen: str
    reason: str = ""
    action: str = ""


def check(manifest: Manifest, interpreter: Interpreter) -> list[Result]:
    """Judge the version of the package and each file. Raises InterpreterError."""
    files = [{**asdict(each), "module": each.module} for each in manifest.files]
    facts = interpreter.ask("patches", {"package": manifest.package, "files": files})
    asked = Evidence("interpreter", "{executable} ({version})".format(**facts["interpreter"]))
    versions = facts["packages"] if manifest.requires else ()
    install = f"{facts['interpreter']['executable']} -m pip install --no-deps --force-reinstall "
    install += f"'{manifest.package}{manifest.requires}'"
    return [
        *(_version_result(manifest, each, facts["by_name"], asked, install) for each in versions),
        *(_file_result(each, asked) for each in facts["files"]),
    ]


def _file_result(facts: Facts, asked: Evidence) -> Result:
    return Result(
        check=CHECK,
        claim="an import executes the manifest's file",
        subject=facts["path"],
        evidence=(asked, *_file_evidence(facts)),
        **judged_file(facts)._asdict(),
    )


def judged_file(facts: Facts) -> _Judgement:
    """Judge the facts on one file."""
    if "error" in facts:
        return _Judgement(
            "unproven",
            "located",
            "not looked at",
            f"finding it failed: {facts['error']}",
            "repair what is named above (a finder of this interpreter raised it); " + _AGAIN,
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
        or _Judgement("proven", "hashed", _seen_right(winner))
    )


def _missing(facts: Facts) -> _Judgement:
    reason = "no import finds it"
    if facts["others"]:
        places = ", ".join(str(each["origin"]) for each in facts["others"])
        reason += f"; it is in {places}, where another copy of the package comes first on sys.path"
    root = facts["root"]
    action = _copy_command(facts["path"], f"{root}/{facts['path']}") if root else "install it"
    return _Judgement(
        "contradicted", "located", "not found", reason + _elsewhere(facts), f"{action}; {_AGAIN}"
    )


def _copy_command(path: str, target: str) -> str:
    """Give the command that puts a file of the patch in place.

    It breaks hard links, through which other environments would get the patch too.
    """
    return f"cp --remove-destination PATCH/{path.partition('/')[2]} {target}"


def _replaced_at_start(facts: Facts) -> _Judgement | None:
    if not facts["loaded"]:
        return None
    return _Judgement(
        "contradicted",
        "located",
        "taken from sys.modules",
        f"start-up code (a .pth file, sitecustomize) has already put {facts['loaded']} into "
        "sys.modules, so no import gets to the file",
        f"remove that start-up code (python -v -c pass shows what it imports); {_AGAIN}",
    )


_NO_FILE: Mapping[str, tuple[str, str]] = {
    "namespace": (
        "the name is a namespace package: there is a folder, and no file that would be executed",
        "copy the package's __init__.py to its place",
    ),
    "extension": (
        "an extension module of that name is loaded before any .py file",
        "remove the extension module, or patch what it is built from",
    ),
    "built-in": ("the module is compiled into the interpreter", "patch another module"),
    "frozen": ("the module is frozen into the interpreter", "patch another module"),
}


def _without_source(facts: Facts, winner: Facts) -> _Judgement | None:
    kind = winner["kind"]
    if kind in _NO_FILE:
        reason, action = _NO_FILE[kind]
        if winner["origin"]:
            reason += f": {winner['origin']}"
        return _Judgement(
            "contradicted", "located", kind, reason + _elsewhere(facts), f"{action}; {_AGAIN}"
        )
    if kind == "bytecode" or winner["unreadable"]:
        why = winner["unreadable"] or "bytecode without source: nothing shows what it was made of"
        return _Judgement(
            "unproven",
            "located",
            "no source" if kind == "bytecode" else "unreadable",
            f"{winner['origin']}: {why}",
            f"install {facts['path']} as source and remove the .pyc file; {_AGAIN}"
            if kind == "bytecode"
            else f"make the file readable for this user; {_AGAIN}",
        )
    return None


def _other_content(facts: Facts, winner: Facts) -> _Judgement | None:
    if winner["sha256"] == facts["sha256"]:
        return None
    target = winner["origin"]
    seen, what = "other content", "neither the manifest's file nor the wheel's: edited or patched"
    if winner.get("recorded"):
        seen, what = "stock", "the wheel's own file: the patch is not there"
    elif winner.get("recorded") is None:
        what = "not the manifest's file (and there is no RECORD to tell whether it is the wheel's)"
    action = f"{_copy_command(facts['path'], target)}; {_AGAIN}"
    if right := [each["origin"] for each in facts["others"] if each["sha256"] == facts["sha256"]]:
        what += f"; the right one, {right[0]}, comes later on sys.path and is never read"
        action = f"remove {winner['root']} from sys.path (PYTHONPATH, .pth files), or {action}"
    if winner.get("folder_writable") is False:
        what += "; its folder may not be written to by this user, so a copy fails"
        action = f"as the folder's owner (in an image: when it is built): {action}"
    return _Judgement(
        "contradicted", "hashed", seen, f"{target} is {what}{_elsewhere(facts)}", action
    )


def _elsewhere(facts: Facts) -> str:
    """Say where the patch went instead."""
    if facts["higher"]:
        return (
            f"; there is {facts['higher'][0]}: copied one folder too high, where no import of the "
            "package looks"
        )
    if facts["misplaced"]:
        return f"; its content is at {facts['misplaced'][0]}, where no import looks"
    return ""


def _not_sure(facts: Facts, winner: Facts) -> _Judgement | None:
    if winner["kind"] == "other":
        why = f"it is loaded by {winner['loader']}, which may change the code on its way"
    elif facts["path_changed_by"]:
        why = f"{facts['path_changed_by'][0]} sets __path__, so only running it tells what is found"
    else:
        return None
    module = facts["module"]
    action = f"rocmlint verify live {module}" if module else "remove it and run this again"
    return _Judgement("unproven", "hashed", "right bytes, other loader", why, action)


def _not_executed(winner: Facts) -> _Judgement | None:
    execution = winner.get("execution")
    if not execution or (execution["same"] and not execution["error"]):
        return None
    path = execution["bytecode"]
    if execution["error"]:
        return _Judgement(
            "contradicted",
            "hashed",
            "right bytes, import fails",
            f"the file is the manifest's, but its import fails: {execution['error']}",
            f"rm {path}; {_AGAIN}" if path else "use the Python that the patch is written for",
        )
    remove = f"rm {path}"
    if execution["kind"] == "archived":
        remove = f"zip -d {winner['root']} '*.pyc'"
    return _Judgement(
        "contradicted",
        "hashed",
        "right bytes, stale bytecode",
        f"the file is the manifest's, but {path} is what an import runs, and it was compiled from "
        f"other source: {_WHY_USED[execution['kind']]}",
        f"{remove}; {_AGAIN}",
    )


_WHY_USED = {
    "timestamp": "it notes the same size and second as the file has (cp -p, rsync -t and tar keep "
    "the time; so does a copy within one second)",
    "unchecked hash": "it is of the kind that Python never compares with its source "
    "(compileall --invalidation-mode unchecked-hash)",
    "checked hash": "Python was told not to compare it with its source",
    "archived": "the archive's bytecode fits the time of its source",
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
    runs = "runs" if execution["used"] else "is passed over: an import compiles the source"
    if execution["used"]:
        runs += ", with the source's code" if execution["same"] else ", with other code"
    return f"{execution['bytecode']} ({execution['kind']}) {runs}"


def _writable(winner: Facts) -> str:
    may = "yes" if winner["writable"] and winner["folder_writable"] else "no"
    modes = f"file {winner['mode']}, folder {winner['folder_mode']}"
    return f"{may}, for user {winner['user']} ({modes})"


def _version_result(
    manifest: Manifest, facts: Facts, by_name: list[Facts], asked: Evidence, install: str
) -> Result:
    found = [Evidence("taken", str(each["origin"])) for each in facts["copies"][:1]]
    found += [Evidence("shadowed copy", str(each["origin"])) for each in facts["copies"][1:]]
    for each in facts["distributions"]:
        files = f"{each['equal']} of its files are beside it as recorded"
        found.append(Evidence("distribution", f"{each['version']}, {each['place']}: {files}"))
        found += [Evidence("not as recorded", path) for path in each["differing"]]
    found += [Evidence("known by name", f"{each['version']}, {each['place']}") for each in by_name]
    return Result(
        check=CHECK,
        claim=f"the version is {manifest.requires}",
        subject=manifest.package,
        evidence=(asked, *found),
        **judged_version(manifest.requires, facts, by_name, install)._asdict(),
    )


def judged_version(requires: str, facts: Facts, by_name: list[Facts], install: str) -> _Judgement:
    """Judge the version of the copy that imports take, by the dist-info that belongs to it.

    ``install`` is the command that installs the required one.
    """
    if not facts["copies"]:
        return _Judgement(
            "contradicted", "located", "not installed", "no import finds the package", install
        )
    root = facts["copies"][0]["root"]
    if not facts["distributions"]:
        known = ", ".join(f"{each['version']} in {each['root']}" for each in by_name)
        also = f"; importlib.metadata tells of another copy: {known}" if known else ""
        return _Judgement(
            "unproven",
            "located",
            "version unknown",
            f"imports take the package from {root}, where nothing says which version it is{also}",
            f"remove {root} from sys.path (PYTHONPATH, .pth files), or {install}",
        )
    distribution = max(facts["distributions"], key=lambda each: int(each["equal"]))
    version = distribution["version"]
    strength: Strength = "hashed" if distribution["equal"] else "located"
    try:
        fits = SpecifierSet(requires).contains(version, prereleases=True)
    except InvalidVersion:
        why = f"{distribution['place']} has no version"
        return _Judgement("unproven", "located", "version unknown", why, install)
    if not fits:
        why = f"the patch is made for {requires}, and imports take {version} from {root}"
        return _Judgement("contradicted", strength, version, why, install)
    if differing := distribution["differing"]:
        why = f"{distribution['place']} says {version}, but {len(differing)} of the files beside "
        why += f"it are not as that version's wheel has them ({differing[0]})"
        verdict: Verdict = "unproven" if distribution["equal"] else "contradicted"
        return _Judgement(verdict, "hashed", version, why, install)
    return _Judgement("proven", strength, version)
