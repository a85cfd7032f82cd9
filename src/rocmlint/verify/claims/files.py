"""Claims about files: a package is patched, with these files or at all."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from rocmlint.interpreter.inside.files import sha256_of
from rocmlint.verify.claims.context import as_evidence
from rocmlint.verify.files import patches, stock
from rocmlint.verify.manifest import Manifest, ManifestFile, make
from rocmlint.verify.result import STRENGTHS, Evidence, Judgement, overall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.findings import Claim
    from rocmlint.verify.claims.context import Checked, Context


def patched_files(claim: Claim, context: Context) -> Checked:
    """Compare the files that are copied with those that an import takes."""
    if os.path.exists(claim.given):
        manifest = _manifest_of_copy(claim.given, claim.subject)
        judgement, evidence = _by_manifests([manifest], context)
        if judgement.verdict == "contradicted" and (copy := _copy_command(claim, context)):
            judgement = judgement._replace(action=f"{copy}; then run this again")
        return judgement, evidence
    judgement, evidence = patch_check(claim, context)
    if claim.given:
        evidence = (Evidence("not there", f"{claim.given}, which the code copies"), *evidence)
    return judgement, evidence


def _copy_command(claim: Claim, context: Context) -> str | None:
    """Return the command that puts all of the copy in place, breaking hard links of uv's cache."""
    package, _, inner = claim.subject.partition("/")
    origin = context.defined(package, "")["origin"]
    if origin is None or os.path.basename(origin) != "__init__.py":
        return None
    target = os.path.join(os.path.dirname(origin), inner)
    if os.path.isdir(claim.given):
        return shlex.join(["cp", "-r", "--remove-destination", f"{claim.given}/.", f"{target}/"])
    return shlex.join(["cp", "--remove-destination", claim.given, target])


def patch_check(claim: Claim, context: Context) -> Checked:
    """Ask the manifests that are about the package; without one, its RECORD."""
    known = [each for each in context.manifests if _is_about(each, claim.subject)]
    return _by_manifests(known, context) if known else _by_record(claim.subject, context)


def _is_about(manifest: Manifest, target: str) -> bool:
    return any(f"{each.path}/".startswith(f"{target}/") for each in manifest.files)


def _manifest_of_copy(origin: str, target: str) -> Manifest:
    package = target.partition("/")[0]
    if os.path.isdir(origin):
        return make(origin, package, target)
    name = os.path.basename(origin)
    path = target if target.endswith(f"/{name}") else f"{target}/{name}"
    return Manifest(package, "", (ManifestFile(path, sha256_of(origin)),))


def _by_manifests(manifests: Sequence[Manifest], context: Context) -> Checked:
    """Sum up what ``verify patches`` says of each file."""
    results = [each for it in manifests for each in patches.check(it, context.interpreter)]
    verdict = overall(results)
    paths = {file.path for each in manifests for file in each.files}
    files = [each for each in results if each.subject in paths]  # the others are of versions
    decisive = [each for each in results if each.verdict == verdict]
    decisive_files = [each for each in files if each.verdict == verdict]
    first = (decisive_files or decisive)[0]
    weakest = min(decisive, key=lambda each: STRENGTHS.index(each.strength))
    count = f"{len(decisive_files)} of {len(files)} files: " if decisive_files else "version "
    judgement = Judgement(verdict, weakest.strength, count + first.seen, first.reason, first.action)
    told = [f"{each.subject}: {each.verdict}, {each.seen}" for each in results]
    return judgement, as_evidence("file", told)


def _by_record(target: str, context: Context) -> Checked:
    """Return what the package's own RECORD tells: whether anything is patched at all."""
    package = target.partition("/")[0]
    (result,) = stock.check([package], context.interpreter)
    changed = [
        each.value
        for each in result.evidence
        if each.name in {"changed", "added"} and each.value.startswith(target)
    ]
    if changed:
        reason = "these files differ from the wheel's, but nothing says what they should be"
        installed = "==".join(result.subject.split(" ", 1))
        action = (
            f"rocmlint verify manifest OVERLAY --package {installed} --output patches.toml "
            "(OVERLAY is the directory with the patch), then in pyproject.toml, below "
            '[tool.rocmlint.verify]: manifests = ["patches.toml"]'
        )
        judgement = Judgement("unproven", "hashed", f"{len(changed)} files differ", reason, action)
        return judgement, as_evidence("differs from the wheel", changed)
    if result.verdict == "unproven":
        parts = (result.strength, result.seen, result.reason, result.action)
        return Judgement("unproven", *parts), result.evidence
    reason = f"every file of {target} is the one from its wheel: nothing is patched there"
    action = "copy the patch to where imports look, before the job starts, and verify again"
    return Judgement("contradicted", "hashed", "stock", reason, action), result.evidence
