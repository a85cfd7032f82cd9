"""Claims about files: a package is patched, with these files or at all."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.interpreter.inside.imports.files import sha256_of
from rocmlint.text.words import counted, few
from rocmlint.verify.claims.context import as_evidence
from rocmlint.verify.claims.overlay import meant, overlays
from rocmlint.verify.manifest.read import Manifest, ManifestFile, make
from rocmlint.verify.patches import patches, stock
from rocmlint.verify.result import STRENGTHS, Evidence, Judgement, overall

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from rocmlint.findings import Claim
    from rocmlint.verify.claims.context import Checked, ClaimContext
    from rocmlint.verify.claims.overlay import Overlay
    from rocmlint.verify.result import Result

_FOR_PEOPLE = (".md", ".rst", "LICENSE")
"""Endings of files that no program reads, and that may be in the folder of a patch."""
_UNTOUCHED = frozenset({"stock", "not found"})
"""Observations of files that nobody has patched."""
_NAMED = 3
"""How many files a reason names."""


def patched_files(claim: Claim, context: ClaimContext) -> Checked:
    """Compare the files that are copied with those that an import takes."""
    if wrong := _of_another_version(claim, context):
        return wrong
    if os.path.exists(claim.given):
        manifest = manifest_of_copy(claim.given, claim.subject)
        judgement, evidence = _by_manifests([manifest], context)
        if judgement.verdict == "contradicted" and (copy := _copy_command(claim, context)):
            judgement = judgement._replace(action=f"{copy}; then run this again")
        return judgement, evidence
    judgement, evidence = patch_check(claim, context)
    if claim.given:
        evidence = (Evidence("not there", f"{claim.given}, which the code copies"), *evidence)
    return judgement, evidence


def _of_another_version(claim: Claim, context: ClaimContext) -> Checked | None:
    """Return that another version is installed than the project pins: the files do not fit it."""
    package = claim.subject.partition("/")[0]
    pins = {context.pin(package, each) for each in context.files_with(claim)} - {None}
    if len(pins) != 1:
        return None
    (pin,) = pins
    assert pin is not None
    requires = f"=={pin.version}"
    wanted = Manifest(package, requires, (ManifestFile(f"{package}/__init__.py", "0" * 64),))
    for each in patches.check(wanted, context.interpreter):
        if each.subject == package and each.verdict == "contradicted" and each.seen[:1].isdigit():
            reason = f"{package} {pin.version} is {pin.said}, and {each.seen} is what imports take"
            action = f"{each.action}, then run this again"
            seen = f"version {each.seen}"
            return Judgement("contradicted", each.strength, seen, reason, action), each.evidence
    return None


def _copy_command(claim: Claim, context: ClaimContext) -> str | None:
    """Return the command that puts all of the copy in place, breaking hard links of uv's cache."""
    package, _, inner = claim.subject.partition("/")
    origin = context.defined(package, "")["origin"]
    if origin is None or os.path.basename(origin) != "__init__.py":
        return None
    target = os.path.join(os.path.dirname(origin), inner) if inner else os.path.dirname(origin)
    if os.path.isdir(claim.given):
        source, target = os.path.join(claim.given, "."), os.path.join(target, "")
        return shlex.join(["cp", "-r", "--remove-destination", source, target])
    return shlex.join(["cp", "--remove-destination", claim.given, target])


def patch_check(claim: Claim, context: ClaimContext) -> Checked:
    """Ask the manifests that are about the package; without one, the repository's own patch.

    If it is unknown which files are the patch, the package's RECORD says if any differs.
    """
    if wrong := _of_another_version(claim, context):
        return wrong
    known = [each for each in context.manifests if _is_about(each, claim.subject)]
    if known:
        return _by_manifests(known, context)
    package = claim.subject.partition("/")[0]
    origin = context.defined(package, "")["origin"]
    found: list[Overlay] = []
    if origin is not None and os.path.basename(origin) == "__init__.py":
        found = overlays(package, os.path.dirname(origin), context.files_with(claim))
    if sure := meant(found):
        return _by_overlays(sure, package, context)
    return _by_record(claim.subject, context, found)


def _by_overlays(found: Sequence[Overlay], package: str, context: ClaimContext) -> Checked:
    """Compare the repository's own patch with what an import takes.

    If it has several with different results, it is unknown which of them is meant.
    """
    checked = [_by_overlay(each, package, context) for each in found]
    judgement, evidence = checked[0]
    if len({each.verdict for each, _ in checked}) == 1:
        return judgement, evidence
    shown = ", ".join(os.path.relpath(each.folder) for each in found)
    reason = f"nothing tells which of the repository's patches of {package} is meant: {shown}"
    todo = "; or ".join(_manifest_command(each.folder, package, context) for each in found)
    seen = ", ".join(each.seen for each, _ in checked)
    return Judgement("unproven", judgement.strength, seen, reason, todo), evidence


def _by_overlay(overlay: Overlay, package: str, context: ClaimContext) -> Checked:
    """Compare one patch; without a word of who copies it, a part that is there may be all."""
    manifest = manifest_of_overlay(overlay, package)
    files = manifest.files
    results = patches.check(manifest, context.interpreter)
    judgement, evidence = _summed_up(results, {each.path for each in files})
    shown = os.path.relpath(overlay.folder)
    how = "it has the module that the check imports"
    how = f"{overlay.copied_at} copies it" if overlay.copied_at else how
    compared = f"{shown}, {counted(files, 'file')} ({how})"
    evidence = (Evidence("compared with", compared), *evidence)
    if judgement.verdict != "contradicted":
        return judgement, evidence
    wrong = [each for each in results if each.verdict == "contradicted"]
    if not_run := [each for each in wrong if each.seen.startswith("right bytes")]:
        return judgement._replace(reason=not_run[0].reason, action=not_run[0].action), evidence
    copy = _copy_of(overlay.folder, package, context)
    judgement = judgement._replace(action=f"{copy}; then run this again")
    is_guess = not overlay.copied_at and any(it.seen not in _UNTOUCHED for it in results)
    if is_guess or not any(each.subject.endswith(".py") for each in wrong):
        named = few([each.subject for each in wrong], _NAMED)
        reason = f"{named}: {wrong[0].reason}; whether all of {shown} is meant, nothing tells"
        judgement = judgement._replace(verdict="unproven", reason=reason)
    return judgement, evidence


def manifest_of_overlay(overlay: Overlay, package: str) -> Manifest:
    """Return the manifest of a folder of a repository, of what programs read in it."""
    manifest = manifest_of_copy(overlay.folder, package)
    files = (
        each
        for each in manifest.files
        if not each.path.endswith(_FOR_PEOPLE) and not _is_empty_package(overlay, package, each)
    )
    return replace(manifest, files=tuple(files))


def _is_empty_package(overlay: Overlay, package: str, file: ManifestFile) -> bool:
    """Return whether a file only makes a package of a folder, in the repository or in a wheel."""
    name = file.path.removeprefix(f"{package}/")
    path = os.path.join(overlay.folder, name)
    return os.path.basename(path) == "__init__.py" and not os.path.getsize(path)


def _copy_of(folder: str, package: str, context: ClaimContext) -> str:
    target = os.path.dirname(context.defined(package, "")["origin"])
    source = f"{os.path.relpath(folder)}/."
    return shlex.join(["cp", "-r", "--remove-destination", source, f"{target}/"])


def _manifest_command(folder: str, package: str, context: ClaimContext) -> str:
    """Return the command that writes down what a folder of the repository holds."""
    (result,) = stock.check([package], context.interpreter)
    installed = "==".join(result.subject.split(" ", 1))
    what = (os.path.relpath(folder), "--package", installed, "--output", "patches.toml")
    return shlex.join(["rocmlint", "verify", "manifest", *what])


def _is_about(manifest: Manifest, target: str) -> bool:
    return any(f"{each.path}/".startswith(f"{target}/") for each in manifest.files)


def manifest_of_copy(origin: str, target: str) -> Manifest:
    """Return the manifest of a file or a folder that is copied to a path of a package."""
    package = target.partition("/")[0]
    if os.path.isdir(origin):
        return make(origin, package, target)
    name = os.path.basename(origin)
    path = target if target.endswith(f"/{name}") else f"{target}/{name}"
    return Manifest(package, "", (ManifestFile(path, sha256_of(origin)),))


def _by_manifests(manifests: Sequence[Manifest], context: ClaimContext) -> Checked:
    """Sum up what ``verify patches`` says of each file."""
    checked = patches.check_all(manifests, context.interpreter)
    results = [each for some in checked for each in some]
    return _summed_up(results, {file.path for each in manifests for file in each.files})


def _summed_up(results: Sequence[Result], paths: AbstractSet[str]) -> Checked:
    """Sum up results on files with these paths, and on versions."""
    verdict = overall(results)
    files = [each for each in results if each.subject in paths]  # the others are of versions
    decisive = [each for each in results if each.verdict == verdict]
    decisive_files = [each for each in files if each.verdict == verdict]
    first = (decisive_files or decisive)[0]
    weakest = min(decisive, key=lambda each: STRENGTHS.index(each.strength))
    share = f"{len(decisive_files):,} of {counted(files, 'file')}"
    count = f"{share}: " if decisive_files else "version "
    judgement = Judgement(verdict, weakest.strength, count + first.seen, first.reason, first.action)
    verdicts = [f"{each.subject}: {each.verdict}, {each.seen}" for each in results]
    return judgement, as_evidence("file", verdicts)


def _by_record(target: str, context: ClaimContext, found: Sequence[Overlay]) -> Checked:
    """Return the result by the package's own RECORD: whether anything is patched at all.

    ``found`` are folders of the repository that may be the patch.
    """
    package = target.partition("/")[0]
    (result,) = stock.check([package], context.interpreter)
    changed = [
        each.value
        for each in result.evidence
        if each.name in {"changed", "added"} and each.value.startswith(target)
    ]
    if changed:
        number = counted(changed, "file")
        differ = f"{number} differ{'s' if len(changed) == 1 else ''}"
        reason = f"{differ} from the wheel's, but nothing says which files are right"
        folders = [each.folder for each in found] or ["OVERLAY"]
        commands = [_manifest_command(each, package, context) for each in folders]
        meaning = "" if found else " (OVERLAY is the directory with the patch)"
        action = (
            f"{'; or '.join(commands)}{meaning}, then in pyproject.toml, below "
            '[tool.rocmlint.verify]: manifests = ["patches.toml"]'
        )
        judgement = Judgement("unproven", "hashed", differ, reason, action)
        return judgement, as_evidence("differs from the wheel", changed)
    if result.verdict == "unproven":
        parts = (result.strength, result.seen, result.reason, result.action)
        return Judgement("unproven", *parts), result.evidence
    reason = f"every file of {target} is the one from its wheel: nothing is patched there"
    action = "copy the patch to where imports look, before the job starts, and verify again"
    if len(found) == 1:
        action = f"if {os.path.relpath(found[0].folder)} is the patch: "
        action += f"{_copy_of(found[0].folder, package, context)}; then run this again"
    return Judgement("contradicted", "hashed", "stock", reason, action), result.evidence
