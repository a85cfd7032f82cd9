"""Common parts of the readers: who asked for a name, install commands, the explanation itself."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published import imports, requirements
from rocmlint.published.fitting import shown
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA
from rocmlint.published.rocm_wheels import rows as rows_of_torch
from rocmlint.text.written import minor_release, requirement_of, version_of
from rocmlint.why.answer import Action, Explanation
from rocmlint.why.facts.packages.releases import fitting
from rocmlint.why.facts.packages.requirements import required_by
from rocmlint.why.facts.project.remote_code import saved_with
from rocmlint.why.facts.project.settings import declared
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.frames import Owner
    from rocmlint.why.facts.packages.package_names import NameChange, Release
    from rocmlint.why.log.log_data import LogFrame


NOT_OURS = "not this project's code"
"""How the place of a package's file, or of remote code, ends."""


@dataclass(frozen=True)
class OwnedFrame:
    """A frame, and whose file it is."""

    frame: LogFrame
    owner: Owner

    def __str__(self) -> str:
        """Return it for people: the file, its line and whose it is."""
        return f"{self.frame.file}:{self.frame.line} ({self.owner})"

    @property
    def distribution(self) -> str:
        """The package that the file belongs to, by its normalized name; empty for another file."""
        return canonicalize_name(self.owner.name) if self.owner.kind == "package" else ""


_PASSING_ON = (
    "torch/nn/modules/module.py",
    "torch/utils/checkpoint.py",
    "accelerate/utils/operations.py",
    "/utils/import_utils.py",
    "transformers/utils/deprecation.py",
    "huggingface_hub/utils/_validators.py",
)
"""Files that only pass a call on, or look a name up: who asks is in the frame before."""
_WRAPPER = re.compile(r"return (?:func|fn|f|function|method|wrapped)\(\*args, \*\*kwargs\)\Z")
"""The line of a decorator that calls what it decorates."""
_LOADING = (
    "diffusers/pipelines/pipeline_loading_utils.py",
    "diffusers/pipelines/pipeline_utils.py",
    "diffusers/pipeline_utils.py",
)
"""Files that look up the classes that model_index.json of a checkpoint names."""
_WRAPPED = re.compile(r"Failed to import (?P<top>\w+)(?:\.\w+)* because of the following error")


def innermost(context: Context) -> OwnedFrame | None:
    """Return the innermost frame that is not in Python's own files, nor only passes a call on."""
    for frame in reversed(context.frames):
        owner = context.owner(frame)
        if owner.kind != "python" and not _passes_on(frame):
            return OwnedFrame(frame, owner)
    return None


def _passes_on(frame: LogFrame) -> bool:
    is_lookup = frame.function in {"__getattr__", "__getattribute__"}
    is_wrapper = _WRAPPER.match(frame.code.strip()) is not None
    return is_lookup or is_wrapper or frame.file.replace("\\", "/").endswith(_PASSING_ON)


def asking(context: Context) -> tuple[str, Version] | None:
    """Return the package that asked for a name, and its version: that of the innermost frame.

    Where there are no frames, the one that a wrapped message says could not be imported.
    """
    found = _importer(innermost(context))
    if found is not None or context.frames:
        return found
    wrapped = next(filter(None, map(_WRAPPED.search, context.log.lines)), None)
    installed = context.packages.owner(wrapped["top"]) if wrapped is not None else None
    if installed is None:
        return None
    return canonicalize_name(installed.name), installed.version


def naming_file(context: Context) -> str:
    """Return the file of a checkpoint that names what its loader looks up; empty for none."""
    place = innermost(context)
    is_loader = place is not None and place.frame.file.replace("\\", "/").endswith(_LOADING)
    return "model_index.json" if is_loader else ""


def unmet_demand(context: Context, other: Release) -> SpecifierSet | None:
    """Return what the asking package requires of another, if the installed one does not meet it."""
    package = asking(context)
    if package is None or other.version is None:
        return None
    installed = context.packages.get(package[0])
    asked = list(required_by(installed)) if installed is not None else []
    asked = asked or [*requirements.applicable(requirements.requirements(*package) or ())]
    for each in asked:
        is_same = canonicalize_name(each.name) == canonicalize_name(other.name)
        if is_same and not each.specifier.contains(other.version, prereleases=True):
            return each.specifier
    return None


def where(place: OwnedFrame | None, change: str = "change this file") -> str:
    """Return the file to change in words."""
    if place is None:
        return ""
    if place.owner.kind in {"package", "hub"}:
        return f"{place.frame.file}:{place.frame.line} ({place.owner}): {NOT_OURS}"
    return f"{place}: {change}"


def made(  # noqa: PLR0913 - the parts of an explanation
    context: Context,
    entry: str,
    cause: str,
    *,
    weight: int,
    sure: bool = True,
    where: str = "",
    actions: tuple[Action, ...] = (),
    confirm: str = "",
    missing: tuple[UnreadFact | None, ...] = (),
    rules: tuple[str, ...] = (),
    table: str = "",
    message: str = "",
) -> Explanation:
    """Return an explanation: known if it is sure and nothing it rests on was left unread."""
    unread = tuple(dict.fromkeys(each for each in (*missing, *context.doubts) if each is not None))
    return Explanation(
        entry=entry,
        verdict="known" if sure and not unread else "likely",
        cause=cause,
        where=where,
        actions=actions,
        confirm=confirm,
        evidence=tuple(context.evidence),
        missing=unread,
        rules=rules,
        table=table,
        weight=weight,
        message=message,
        is_generic=True,
    )


def older_remote_code(  # noqa: PLR0913 - the parts of an explanation
    context: Context, entry: str, cause: str, *, weight: int, remote: Owner, message: str
) -> Explanation:
    """Return that a model's own code was written for another release of the library."""
    saved = saved_with(context)
    wanted = f"transformers=={saved}" if saved is not None else ""
    named = Action("install the transformers that config.json of the model names")
    unread = UnreadFact(
        "transformers_version in config.json of the model", "grep transformers_version config.json"
    )
    return made(
        context,
        entry,
        cause,
        weight=weight,
        sure=False,
        where=f"{remote}: not this project's code",
        actions=(
            install(context, wanted) if wanted else named,
            Action("or use a newer revision of the model, or trust_remote_code=False"),
        ),
        missing=(UnreadFact("whether the model loads with that release") if wanted else unread,),
        message=message,
    )


def pip(context: Context, *rest: str) -> Action:
    """Return a command of pip for the interpreter of the log."""
    python = context.packages.python or "python"
    return Action(shlex.join([python, "-m", "pip", *rest]), is_command=True)


def install(context: Context, wanted: str) -> Action:
    """Return the command that installs a requirement; of torch and its family, one for ROCm.

    It takes a release that fits what is installed, and says why where there is none.
    """
    asked = requirement_of(wanted)
    name = canonicalize_name(asked.name) if asked is not None else wanted
    if name in FAMILY and asked is not None:
        words = ["rocmlint", "stack", "install-command"]
        minor = torch_minor(asked.specifier) if name == "torch" and asked.specifier else ""
        words += ["--torch", minor] if minor else []
        others = [each for each in FAMILY if each != "torch" and context.packages.get(each)]
        words += [f"--{each}" for each in dict.fromkeys((*others, *({name} - {"torch"})))]
        return Action(shlex.join(words), is_command=True, safe=True)
    if name in BUILT_FOR_CUDA:
        text = f"install a build of {wanted} for ROCm: the wheels on PyPI have code for CUDA only"
        return Action(text)
    found = fitting(context, asked) if asked is not None and not asked.url else None
    if found is None:
        return pip(context, "install", wanted)
    if not found.wanted:
        return Action(f"no release in {wanted} fits what is installed: {found.obstacle}")
    command = pip(context, "install", found.wanted, *found.also)
    if found.first:
        before = f"install the {' and '.join(found.first)} of this torch first"
        return Action(f"{before}, as pip would replace torch: then {command.text}")
    return command


def torch_minor(specifier: SpecifierSet) -> str:
    """Return the minor release of torch with ROCm wheels that is nearest to a bound; or nothing."""
    rows = [each.torch for each in rows_of_torch() if each.status == "release" and each.rocm]
    inside = [each for each in rows if _is_inside(each, specifier)]
    is_lower = any(each.operator in {">=", ">", "~="} for each in specifier)
    return "" if not inside else inside[0] if is_lower else inside[-1]


def _is_inside(minor: str, specifier: SpecifierSet) -> bool:
    return any(specifier.contains(f"{minor}.{patch}") for patch in range(4))


def python_of(context: Context) -> str:
    """Return the interpreter of the log, quoted for a command."""
    return shlex.quote(context.packages.python or "python")


def newer_importer(place: OwnedFrame | None, other: Release) -> str:
    """Return a requirement of releases of the importing package that fit the other; or nothing."""
    package, found, name = _importer(place), other.version, canonicalize_name(other.name)
    if package is None or found is None or not imports.lacking(*package, name, found):
        return ""
    first = imports.first_importing(package[0], package[1], name, found)
    return f"{package[0]}>={first}" if first is not None else ""


def older_importer(place: OwnedFrame | None, other: Release) -> str:
    """Return the last earlier release of the importing package that fits the other; or nothing."""
    package, found = _importer(place), other.version
    name = canonicalize_name(other.name)
    if package is None or found is None or name not in imports.partners(package[0]):
        return ""
    for release in reversed(requirements.releases(package[0])):
        if release >= package[1] or requirements.is_yanked(package[0], release):
            continue
        if not imports.lacking(package[0], release, name, found):
            return f"{package[0]}=={release}"
    return ""


def later_importer(place: OwnedFrame | None, other: str, changed: Version | None) -> str:
    """Return the first release of a package from after a change in another; or nothing.

    It is the first that can know the change, no proof that it does.
    """
    package = _importer(place)
    if package is None or changed is None:
        return ""
    minor = minor_release(changed)
    known = (each for each in requirements.releases(other) if minor_release(each) == minor)
    day = requirements.published_on(other, next(known, changed))
    if day is None:
        return ""
    for release in requirements.releases(package[0]):
        came = requirements.published_on(package[0], release)
        if came is not None and came > day and release > package[1]:
            return f"{package[0]}>={release}"
    return ""


def _importer(place: OwnedFrame | None) -> tuple[str, Version] | None:
    version = version_of(place.owner.version) if place is not None else None
    if place is None or not place.distribution or version is None:
        return None
    return place.distribution, version


def in_place(
    context: Context, change: NameChange, other: Release, wanted: str, new: str = ""
) -> tuple[Action, ...]:
    """Return what to do about a name that a release lacks, by whose file asks for it.

    ``wanted`` are the releases that have it, ``new`` is an edit that does without.
    """
    place = innermost(context)
    kind = place.owner.kind if place is not None else ""
    found: list[Action] = []
    if file := naming_file(context):
        found += [Action(f"in {file} of the checkpoint, {new}")] if new else []
    elif kind == "package" and place is not None and place.distribution != other.name:
        package = place.owner.name
        fitting = newer_importer(place, other) if change.gone else older_importer(place, other)
        later = later_importer(place, other.name, change.gone)
        if fitting:
            found.append(install(context, fitting))
        elif later:
            text = f"upgrade {package}: {later} is from after the change in {other.name}"
            found.append(Action(text))
        elif change.gone:
            found.append(Action(f"upgrade {package} to a release for {other}"))
    elif kind in {"project", "hub", "other", ""} and new:
        found.append(Action(new))
    if kind == "hub" and place is not None and (model := library_model(context, place)):
        text = f"load with trust_remote_code=False: {other} has the model {model} itself"
        found.insert(0, Action(text))
    if kind == "project" and place is not None and change.gone and not new:
        file = shlex.quote(place.frame.file)
        words = f"rocmlint --select ROC204 {file}"
        found.append(Action(words, is_command=True, safe=True))
    found += releases_with(context, change, other, wanted)
    return tuple(found)


def releases_with(
    context: Context, change: NameChange, other: Release, wanted: str
) -> Iterator[Action]:
    """Yield how to get a release with a name: the one that the project requires comes first."""
    required = declared(context, other.name) if other.version is not None else None
    if required is not None and other.version is not None:
        specifier, place = required
        newest = requirements.newest(canonicalize_name(other.name), specifier)
        is_met = specifier.contains(other.version, prereleases=True)
        context.saw(f"{other.name} of the project", f"requires {shown(specifier)}", place)
        if newest is not None and not is_met and _may_have(newest, change, other.version):
            yield install(context, f"{other.name}{shown(specifier)}")
            return
    if not wanted:
        return
    action = install(context, wanted)
    yield action
    if not action.is_command and change.is_by_then and change.comes is not None:
        between = f"between {other.version} and {minor_release(change.comes)}"
        yield Action(f"try a release {between}: whether it has it is not in the index")
    asked = requirement_of(wanted)
    if required is not None and asked is not None:
        specifier, place = required
        both = specifier & asked.specifier
        if requirements.newest(canonicalize_name(other.name), both) is None:
            yield Action(f"change {other.name}{shown(specifier)} in {place} as well")


def _may_have(release: Version, change: NameChange, installed: Version) -> bool:
    """Return whether a release may have what the installed one lacks."""
    if change.gone is not None:
        return release < change.gone
    if change.comes is None:
        return False
    return release >= change.comes or (change.is_by_then and release > installed)


def library_model(context: Context, place: OwnedFrame) -> str:
    """Return the model of transformers that remote code stands for, if the installed one has it."""
    from rocmlint.why.facts.packages.package_names import files_have, history_of, release_of  # noqa: PLC0415

    name = os.path.basename(place.frame.file.replace("\\", "/")).removesuffix(".py")
    model = (
        name.removeprefix("modeling_").removeprefix("configuration_").removeprefix("processing_")
    )
    module = f"transformers.models.{model}"
    if model == name or not model.isidentifier():
        return ""
    release, history = release_of(context, "transformers").version, history_of(module)
    is_there = history.at(release) if history is not None and release is not None else None
    if is_there is None:
        is_there = files_have(context, module)
    return model if is_there else ""
