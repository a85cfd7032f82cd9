"""The patches of a repository: whether their files are what imports take, and where they went."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.doctor.causes import Cause, CausePlace, Findings
from rocmlint.interpreter.inside.imports.files import sha256_of
from rocmlint.paths import shown
from rocmlint.text.words import counted, few
from rocmlint.verify.claims.overlay import meant, overlays
from rocmlint.verify.claims.patched_files import manifest_of_copy, manifest_of_overlay
from rocmlint.verify.patches import patches
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Claim
    from rocmlint.verify.claims.context import ClaimContext
    from rocmlint.verify.manifest.read import Manifest
    from rocmlint.verify.result import Result

OF_FILES = frozenset({"patched-files", "patch-check"})
"""The kinds of claims that a patch of files makes true."""
_NAMED = 3
_STRAY = "stray copy"
_ABOVE = "copies to the directory above"
_LESS = "{}: go up one directory less (.parent, not .parents[1]), then run it again"


@dataclass(frozen=True)
class PackagePatch:
    """A folder, a file or a manifest with the files that a package should have."""

    package: str
    source: str
    manifest: Manifest
    copied_at: tuple[str, ...] = ()
    """Where the code copies it, ``FILE:LINE``."""
    too_high: tuple[str, ...] = ()
    """Of those, what copies it to the directory that holds the package."""


def patches_of(claims: Sequence[Claim], context: ClaimContext) -> list[PackagePatch]:
    """Return the patches that the code copies or checks for, and those of the manifests.

    Raises InterpreterError where the interpreter cannot be asked.
    """
    found: dict[tuple[str, str], PackagePatch] = {}
    of_files = [each for each in claims if each.kind in OF_FILES]
    for claim in of_files:
        if claim.given and os.path.exists(claim.given):
            key = (_package(claim), os.path.realpath(claim.given))
            made = found.get(key) or PackagePatch(
                key[0], claim.given, manifest_of_copy(claim.given, claim.subject)
            )
            place = _place_of(claim)
            high = (place,) if claim.too_high else ()
            found[key] = replace(
                made, copied_at=(*made.copied_at, place), too_high=(*made.too_high, *high)
            )
    for package in sorted({_package(each) for each in of_files}):
        origin = context.defined(package, "")["origin"]
        if origin is None or os.path.basename(origin) != "__init__.py":
            continue
        files = sorted({each.path for each in of_files if _package(each) == package})
        for overlay in meant(overlays(package, os.path.dirname(origin), files)):
            key = (package, os.path.realpath(overlay.folder))
            if not any(_is_below(key, each) for each in found):
                manifest = manifest_of_overlay(overlay, package)
                places = (overlay.copied_at,) if overlay.copied_at else ()
                found[key] = PackagePatch(package, overlay.folder, manifest, places)
    known = [
        PackagePatch(each.package, each.path, each) for each in context.manifests if each.files
    ]
    return [*found.values(), *known]


def _is_below(inner: tuple[str, str], outer: tuple[str, str]) -> bool:
    return inner[0] == outer[0] and f"{inner[1]}/".startswith(f"{outer[1]}/")


def _place_of(claim: Claim) -> str:
    return f"{shown(claim.path)}:{claim.line}"


def _package(claim: Claim) -> str:
    return claim.subject.replace("/", ".").partition(".")[0]


def too_high(claims: Sequence[Claim], confirm: str) -> list[Cause]:
    """Return a cause for each copy that goes one directory too high, by the code alone."""
    return [
        Cause(
            "patch-misplaced",
            "error",
            "files",
            _package(each),
            f"the files of {each.given or 'a patch'} are copied to where no import looks",
            (CausePlace(_place_of(each), f"{_ABOVE} {_package(each)}"),),
            (_LESS.format(_place_of(each)),),
            confirm,
        )
        for each in claims
        if each.too_high
    ]


def judge_patches(made: Sequence[PackagePatch], context: ClaimContext, confirm: str) -> Findings:
    """Compare patches with what imports take. Raises InterpreterError."""
    manifests = [replace(each.manifest, requires="") for each in made]  # of versions the pins tell
    found = Findings()
    for patch, results in zip(made, patches.check_all(manifests, context.interpreter), strict=True):
        found.add(_findings_of(patch, results, confirm))
    return found


def _findings_of(patch: PackagePatch, results: Sequence[Result], confirm: str) -> Findings:
    found = Findings()
    wrong = [each for each in results if each.verdict == "contradicted"]
    strays = list(dict.fromkeys(_strays(results, patch)))
    name = shown(patch.source)
    if wrong:
        found.causes.append(_not_taken(patch, results, wrong, strays, confirm))
    elif strays:
        found.causes.append(_left_over(patch, strays, confirm))
    if not wrong and (open_ones := [each for each in results if each.verdict == "unproven"]):
        first = open_ones[0]
        found.unanswered.append(f"{name}: {first.subject}: {first.reason}; {first.action}")
    elif not wrong and results:
        found.right.append(
            f"{patch.package}: imports take {counted(results, 'file')} of {name}, by SHA-256"
        )
    return found


def _not_taken(
    patch: PackagePatch,
    results: Sequence[Result],
    wrong: Sequence[Result],
    strays: Sequence[str],
    confirm: str,
) -> Cause:
    """Return the cause for files of a patch that no import takes."""
    share = f"{len(wrong)} of {counted(results, 'file')} of {shown(patch.source)}"
    stock = [each for each in wrong if each.seen in {"stock", "not found"}]
    verb = "is" if len(wrong) == 1 else "are"
    problem = f"{share} {verb} not what imports take: {_why(wrong, stock, strays)}"
    where = [CausePlace(each, f"{_ABOVE} {patch.package}") for each in patch.too_high]
    where = where or [CausePlace(each) for each in patch.copied_at[:_NAMED]]
    where += [CausePlace(each, "was left there, where no import looks") for each in strays]
    return Cause(
        "patch-misplaced" if strays or patch.too_high else "patch-not-taken",
        "error",
        "files",
        patch.package,
        problem,
        tuple(where),
        tuple(_repair(patch, wrong, stock, strays)),
        confirm,
        tuple(Evidence(each.subject, f"{each.seen}: {each.reason}") for each in wrong),
    )


def _why(wrong: Sequence[Result], stock: Sequence[Result], strays: Sequence[str]) -> str:
    if strays and len(stock) == len(wrong):
        return "they were copied one directory too high, and the package is stock"
    if len(stock) == len(wrong):
        return "the package is stock, so the patch was not applied"
    first = next(each for each in wrong if each not in stock)
    return f"{first.subject}: {first.reason}"


def _repair(
    patch: PackagePatch, wrong: Sequence[Result], stock: Sequence[Result], strays: Sequence[str]
) -> Iterator[str]:
    """Yield what to do, in order: the script first, so that the next machine is right too."""
    if strays:
        yield _removal(strays)
    if patch.too_high:
        places = few([each.partition(" ")[0] for each in patch.too_high], _NAMED)
        yield _LESS.format(places)
    elif len(stock) == len(wrong) and patch.copied_at:
        yield f"run what copies it, {few(patch.copied_at, 2)}, with this interpreter"
    else:
        yield from dict.fromkeys(each.action for each in wrong[:1])


def _left_over(patch: PackagePatch, strays: Sequence[str], confirm: str) -> Cause:
    return Cause(
        "stray-files",
        "warning",
        "files",
        patch.package,
        f"a copy of {shown(patch.source)} lies one directory too high, where no import looks",
        tuple(map(CausePlace, strays)),
        (_removal(strays),),
        confirm,
        rank=1,
    )


def _removal(strays: Sequence[str]) -> str:
    return f"delete it: {shlex.join(['rm', '-r', *strays[:_NAMED]])}"


def _strays(results: Sequence[Result], patch: PackagePatch) -> Iterator[str]:
    """Yield the folders and files that a copy one directory too high has left.

    A folder counts as a whole where all in it is of the patch.
    """
    folder = patch.source if os.path.isdir(patch.source) else ""
    if os.path.isdir(inside := os.path.join(folder, patch.package)):
        folder = inside
    for result in results:
        inner = result.subject.partition("/")[2]
        for each in (it.value for it in result.evidence if it.name == _STRAY):
            if not each.endswith(f"/{inner}"):
                continue
            root = each.removesuffix(f"/{inner}")
            is_inside = os.path.basename(root) == patch.package
            if folder and not is_inside and _is_same(each, os.path.join(folder, inner)):
                top = os.path.join(root, inner.partition("/")[0])
                yield top if os.path.isdir(top) and _is_all_of(top, root, folder) else each


def _is_all_of(top: str, root: str, folder: str) -> bool:
    for inner, folders, names in os.walk(top):
        folders[:] = [each for each in folders if each != "__pycache__"]
        for name in names:
            path = os.path.join(inner, name)
            if not _is_same(path, os.path.join(folder, os.path.relpath(path, root))):
                return False
    return True


def _is_same(path: str, other: str) -> bool:
    try:
        return sha256_of(path) == sha256_of(other)
    except OSError:
        return False
