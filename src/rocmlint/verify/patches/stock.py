"""Whether the files of an installed package are those of its wheel, by its RECORD."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from rocmlint.interpreter.ask import InterpreterError
from rocmlint.text.words import counted
from rocmlint.verify.patches.copy_version import install_command
from rocmlint.verify.patches.patches import why_stale
from rocmlint.verify.result import Evidence, Judgement, evidence_of, interpreter_evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.result import Result

Facts = dict[str, Any]
"""An answer of :mod:`rocmlint.interpreter.inside.packages.stock`, or a part of it."""

_TASK = "packages.stock"
_CLAIM = "installed files match the wheel"
_LISTED = 200
"""How many files of one kind are named: more are another package altogether."""


def check(
    packages: Sequence[str],
    interpreter: Interpreter,
    progress: Callable[[str], None] | None = None,
) -> list[Result]:
    """Judge each package; one that takes longer than the time limit does not hide the others.

    ``progress`` is called with how far it has come. Raises InterpreterError when the interpreter
    does not work at all.
    """
    results = []
    for number, package in enumerate(packages, 1):
        if progress is not None:
            progress(f"{package} ({number} of {len(packages)} packages)")
        try:
            facts = interpreter.ask(_TASK, [package], progress)
        except InterpreterError as error:
            interpreter.ask(_TASK, [])  # raises if no question at all is answered
            results.append(_not_checked(package, str(error)))
        else:
            results += [_result(each, facts["interpreter"]) for each in facts["packages"]]
    return results


def _not_checked(package: str, reason: str) -> Result:
    action = "check it alone, with more time: --timeout SECONDS"
    judgement = Judgement("unproven", "declared", "not checked", reason, action)
    return judgement.on(_TASK, _CLAIM, package)


def _result(facts: Facts, asked: Mapping[str, str]) -> Result:
    found, python = facts["distributions"], asked["executable"]
    judgement = judgement_on(found[0], python) if found else _not_installed(python)
    beside = [each for each in found[1:] if each["root"] == found[0]["root"]]
    if beside:
        judgement = _of_two(judgement, found[0], beside[0], python)
    subject = f"{facts['name']} {found[0]['version']}" if found else facts["name"]
    evidence = (interpreter_evidence(asked), *_evidence(found))
    return judgement.on(_TASK, _CLAIM, subject, evidence)


def _not_installed(python: str) -> Judgement:
    return Judgement(
        "unproven",
        "located",
        "not installed",
        "no directory on sys.path has a .dist-info of that name",
        f"{python} -m pip list shows the installed names",
    )


def _of_two(judgement: Judgement, facts: Facts, other: Facts, python: str) -> Judgement:
    """Report that one directory has two versions of a package: which one is meant is unknown."""
    places = [os.path.basename(each["place"]) for each in (facts, other)]
    also = f"{facts['root']} has both {places[0]} and {places[1]}, as an interrupted install or "
    also += f"uninstall leaves it; the files were compared with {places[0]}"
    if judgement.verdict != "proven":
        return judgement._replace(reason=f"{judgement.reason}; {also}")
    action = f"{python} -m pip uninstall {facts['name']} (twice), then install the version you need"
    return Judgement("unproven", "hashed", f"{judgement.seen}, 2 dist-infos", also, action)


def judgement_on(facts: Facts, python: str) -> Judgement:
    """Judge the facts on one distribution."""
    install = install_command(python, f"{facts['name']}=={facts['version']}", facts["installer"])
    if "error" in facts or facts["source"]:  # the RECORD of an editable install has no code in it
        return _without_record(facts, install)
    if facts["elsewhere"]:
        other = facts["elsewhere"][0]
        return Judgement(
            "contradicted",
            "located",
            "another copy wins",
            f"an import of {other['module']} takes {other['origin'] or 'nothing'}, not the "
            f"installed file in {facts['root']}",
            "remove the directory of that copy from sys.path (PYTHONPATH, .pth files)",
        )
    counts = [
        f"{len(facts[kind]):,} {kind}" for kind in ("changed", "missing", "added", "unhashed")
    ]
    seen = ", ".join(each for each in counts if not each.startswith("0 "))
    if facts["changed"] or facts["missing"] or facts["added"]:
        return _differing(facts, seen, install)
    if facts["unhashed"] or not facts["equal"]:
        has = "has" if len(facts["unhashed"]) == 1 else "have"
        reason = f"{counted(facts['unhashed'], 'file')} {has} no hash to compare with"
        return Judgement("unproven", "hashed", seen or "nothing compared", reason, install)
    if facts["stale"]:
        return _stale(facts["stale"])
    return Judgement("proven", "hashed", f"{facts['equal']:,} files equal")


def _stale(stale: Sequence[Facts]) -> Judgement:
    """Name the first file of which an import runs other code, and remove all such bytecode."""
    first = stale[0]
    why = first["error"] or why_stale(first)
    more = f" (and {len(stale) - 1:,} more)" if len(stale) > 1 else ""
    return Judgement(
        "contradicted",
        "hashed",
        f"{len(stale):,} stale bytecode",
        f"{first['path']} is the wheel's, but {why}{more}",
        shlex.join(["rm", *(each["bytecode"] for each in stale[:_LISTED] if each["bytecode"])])
        + "; then run this again",
    )


def _differing(facts: Facts, seen: str, install: str) -> Judgement:
    if _is_of_the_system(facts) and not facts["added"]:
        reason = f"{seen}: a system package installed it, and those are changed after their "
        reason += "RECORD is written (libraries are stripped, scripts moved)"
        return Judgement("unproven", "hashed", seen, reason, _ask_dpkg(facts))
    reason = f"{seen}: what is installed differs from the wheel"
    links = max((each["links"] for each in facts["changed"]), default=1)
    if links > 1:
        reason += f"; a changed file has {links} hard links, so every environment that shares it "
        reason += "(uv links from its cache) has the change, and so will new ones"
        install = f"uv cache clean {facts['name']}; then for each environment: {install}"
    steps = [_removal(facts)] if facts["added"] else []  # an installer leaves those alone
    if facts["changed"] or facts["missing"]:
        steps.append(install)
    action = f"{'; '.join(steps)}; if the patch is intended, use rocmlint verify patches instead"
    return Judgement("contradicted", "hashed", seen, reason, action)


def _removal(facts: Facts) -> str:
    """Return the command that deletes the files that the wheel does not have."""
    paths = [os.path.join(facts["root"], each) for each in facts["added"][:_LISTED]]
    return shlex.join(["rm", *paths])


def _without_record(facts: Facts, install: str) -> Judgement:
    """Return who installed it, and what that one has to compare with."""
    name, action, missing = facts["name"], install, facts.get("error")
    if facts["source"]:
        why = f"it is an editable install of {facts['source']}: there is no wheel to compare with"
        action = shlex.join(["git", "-C", facts["source"], "status"])
    elif facts["place"].endswith(".egg-info") and not facts["root"].endswith("-packages"):
        why = f"{facts['root']} is a project directory: there is no wheel to compare with"
        action = shlex.join(["git", "-C", facts["root"], "status"])
    elif facts["installer"] == "conda":
        why, action = f"{missing}: conda installed it", f"conda install --force-reinstall {name}"
    elif _is_of_the_system(facts):
        why, action = f"{missing}: a system package installed it", _ask_dpkg(facts)
    else:
        why = f"{missing}: the installer recorded nothing to compare with"
    return Judgement("unproven", "located", "no RECORD of its code", why, action)


def _is_of_the_system(facts: Facts) -> bool:
    """Return whether Debian or Ubuntu installed it: pip marks what it puts in their folder."""
    in_folder = os.path.basename(facts["root"]) == "dist-packages"
    return in_folder and facts["installer"] not in {"pip", "uv"}


def _ask_dpkg(facts: Facts) -> str:
    place = shlex.quote(facts["place"])
    return f"dpkg --verify $(dpkg -S {place} | cut -d: -f1) compares it with the system package"


def _evidence(found: Sequence[Facts]) -> Iterator[Evidence]:
    for facts in found[:1]:
        yield Evidence("distribution", facts["place"])
        if facts["installer"]:
            yield Evidence("installed by", facts["installer"])
        if "error" not in facts:
            yield from _differences(facts)
    yield from (Evidence("shadowed distribution", each["place"]) for each in found[1:])


def _differences(facts: Facts) -> Iterator[Evidence]:
    yield Evidence("equal", f"{facts['equal']:,} files")
    shared = [each["path"] + _shared(each["links"]) for each in facts["changed"]]
    yield from evidence_of("changed", shared, _LISTED)
    yield from evidence_of("missing", facts["missing"], _LISTED)
    yield from evidence_of("added", facts["added"], _LISTED)
    yield from evidence_of(
        "unhashed", [f"{it['path']}: {it['why']}" for it in facts["unhashed"]], _LISTED
    )
    stale = [f"{each['path']}: {each['bytecode']}" for each in facts["stale"]]
    yield from evidence_of("stale bytecode", stale, _LISTED)
    others = [f"{each['module']}: {each['origin']}" for each in facts["elsewhere"]]
    yield from evidence_of("taken elsewhere", others, _LISTED)


def _shared(links: int) -> str:
    return f", {links} hard links" if links > 1 else ""
