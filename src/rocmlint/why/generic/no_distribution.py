"""``No matching distribution found``: which of index, Python and version is wrong."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.published import amd_wheels, requirements, rocm_wheels
from rocmlint.published.amd_index import amd_indexes_in
from rocmlint.published.fitting import shown
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.text.words import few
from rocmlint.text.written import minor_release, version_of
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.installed import python_version
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.index_search import IndexSearch, search_in
from rocmlint.why.generic.parts import made

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context

_OTHER_PYTHON = re.compile(r"(?P<version>\d[\w.+]*) Requires-Python (?P<python>[<>=!~][^;\n]*)")
_ROCM = re.compile(r"\+rocm(?P<rocm>\d+(?:\.\d+)*)")
_LABEL = re.compile(r"\+([a-z]\w*(?:\.\d+)*)")
"""The local label of a version: the kind of build."""
_MOST_LISTED = 3
_WEIGHT = 34


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain that an index has nothing that fits."""
    search = search_in(text, "\n".join(context.log.lines))
    if search is None:
        return
    python = search.python or _read_python(context)
    judges = (
        _folder,
        _no_fitting_version,
        _python_of_torch,
        _index_of_torch,
        _python_of_package,
        _nothing,
    )
    for judge in judges:
        explained = judge(search, python, context)
        if explained is not None:
            yield explained
            return


def _read_python(context: Context) -> str:
    found = python_version(context)
    return (
        "" if isinstance(found, UnreadFact) or found is None or context.is_assumed else str(found)
    )


def _explained(
    search: IndexSearch,
    context: Context,
    cause: str,
    *actions: Action,
    sure: bool = True,
    table: str = "",
) -> Explanation:
    return made(
        context,
        "no-distribution",
        cause,
        weight=_WEIGHT,
        sure=sure,
        actions=actions,
        rules=("ROC202",) if search.name in FAMILY else (),
        table=table,
        message=search.message,
    )


def _command(search: IndexSearch, *more: str) -> Action:
    words = ["rocmlint", "stack", "install-command", *more]
    if search.name in FAMILY and search.name != "torch":
        words.append(f"--{search.name}")
    return Action(" ".join(words), is_command=True, safe=True)


def _folder(search: IndexSearch, _: str, context: Context) -> Explanation | None:
    """Find an index that does not exist: of a ROCm without one, or a folder that AMD lacks."""
    families = {each.families[0] for each in amd_wheels.devices()}
    for index in amd_indexes_in(search.log):
        if not index.family or index.family.lower() in {each.lower() for each in families}:
            continue
        stem = index.family.partition("-")[0].lower()
        near = [each for each in sorted(families) if each.partition("-")[0].lower() == stem]
        near = near or difflib.get_close_matches(index.family, families, 1, 0.8)
        context.saw("index", index.family, "the log")
        hint = f": it is named {near[0]}" if near else ""
        return _explained(
            search,
            context,
            f"AMD has no index for {index.family}{hint}",
            Action(
                f"use {near[0]} in the URL of the index" if near else "take the GPU's own index"
            ),
            _command(search),
            table=f"AMD's wheels of {amd_wheels.as_of()}",
        )
    rocm = search.rocm
    known = rocm_wheels.rocm_versions()
    if search.name in FAMILY and rocm and rocm not in known:
        near_rocm = rocm_wheels.nearest(rocm)
        return _explained(
            search,
            context,
            f"PyTorch has no wheels for ROCm {rocm}; the nearest are for {near_rocm}",
            _command(search, "--rocm", near_rocm),
            sure=near_rocm != known[-1],
            table=_table(),
        )
    return None


def _table() -> str:
    return f"PyTorch's wheels of {rocm_wheels.as_of()}"


def _no_fitting_version(search: IndexSearch, _: str, context: Context) -> Explanation | None:
    """Find that the index has the package, but no version of the range."""
    if not search.listed:
        return None
    inside = [each for each in search.listed if search.specifier.contains(each, prereleases=True)]
    first, last = min(search.listed), max(search.listed)
    has = f"{first} to {last}" if first != last else str(last)
    context.saw("the index has", has, "the message")
    if any(not each.is_prerelease for each in inside):
        return None  # it was refused for another reason
    if inside:
        newest = max(inside)
        return _explained(
            search,
            context,
            f"the index has only pre-releases of {search.name} in this range, such as {newest}",
            Action(f"add --pre to the command, or ask for {search.name}=={newest}"),
        )
    label = _LABEL.search(search.text)
    if label and not any(each.local == label[1] for each in search.listed):
        if "rocm" not in label[1]:
            return _of_other_build(search, context, label[1])
        if not any("rocm" in (each.local or "") for each in search.listed):
            return _without_label(search, context)
    more: list[Action] = []
    if _other_python(search):
        return None
    labels = (_ROCM.search(str(each)) for each in search.listed if each.local)
    builds = {found["rocm"] if found else "" for found in labels}
    rocm = search.rocm or (builds.pop() if len(builds) == 1 else "")
    if search.name in FAMILY:
        near = _torch_in(search)
        words = ["--torch", near] if near and search.name == "torch" else []
        more.insert(0, _command(search, *words))
    is_for = f" for ROCm {rocm}" if rocm else ""
    releases = [each for each in search.listed if not each.is_prerelease]
    plain = [each for each in releases if not each.local or "rocm" in each.local]
    fitting = max(plain or releases, default=last)
    return _explained(
        search,
        context,
        f"this index{is_for} has {search.name} {has}, and {search.text} asks for none of them",
        Action(
            f"ask for a version that it has, such as {search.name}=={fitting}, or another index"
        ),
        *more,
    )


def _of_other_build(search: IndexSearch, context: Context, label: str) -> Explanation | None:
    """Explain that PyTorch keeps each kind of build in a folder of its index."""
    if search.name not in FAMILY:
        return None
    return _explained(
        search,
        context,
        f"this index has no {search.name} built as +{label}, which {search.text} asks for",
        Action(
            f"on an NVIDIA or CPU machine: --index-url https://download.pytorch.org/whl/{label}"
        ),
        Action(f"for ROCm, leave out +{label}:"),
        _command(search),
    )


def _without_label(search: IndexSearch, context: Context) -> Explanation:
    version = next((version_of(each.version) for each in search.specifier), None)
    words = ["--torch", minor_release(version)] if version and search.name == "torch" else []
    words += ["--rocm", search.rocm] if search.rocm else []
    return _explained(
        search,
        context,
        f"the index that was searched has no builds for ROCm, and {search.text} is one of them",
        Action("PyTorch's own index has these builds, PyPI does not: name it in the command"),
        _command(search, *words),
    )


def _other_python(search: IndexSearch) -> str:
    """Return the Python that pip says the versions require that it left out."""
    for found in _OTHER_PYTHON.finditer(search.log):
        version = version_of(found["version"])
        if version is not None and search.specifier.contains(version, prereleases=True):
            return found["python"].strip()
    return ""


def _torch_in(search: IndexSearch) -> str:
    """Return the newest minor release of torch with ROCm wheels in the range."""
    for each in reversed(rocm_wheels.rows()):
        version = version_of(f"{each.torch}.0")
        if (
            each.rocm
            and version
            and each.status == "release"
            and search.specifier.contains(version)
        ):
            return each.torch
    return ""


def _python_of_torch(search: IndexSearch, python: str, context: Context) -> Explanation | None:
    """Find that no wheel of this torch is for this Python."""
    if search.name != "torch" or not python:
        return None
    tag = f"cp{python.replace('.', '')}"
    wanted = [each for each in rocm_wheels.rows() if _is_asked(search, each.torch)]
    tags = {tag for each in wanted for tag in rocm_wheels.python_tags(each.torch)}
    amd = [each for each in amd_indexes_in(search.log) if not each.is_preview or each.family]
    if amd and amd[0].family:
        built = {
            each
            for build in amd_wheels.builds()
            if build.index.kind == "family"
            for each in build.python
        }
        if built and python not in built:
            context.saw("Python", python, "the log" if search.python else "the environment")
            newest = max(built, key=lambda each: tuple(map(int, each.split("."))))
            return _explained(
                search,
                context,
                f"AMD's index for {amd[0].family} has no wheels of torch for Python {python}",
                Action(f"make an environment with Python {newest}"),
                _command(search),
                sure=not amd[0].is_preview,
                table=f"AMD's wheels of {amd_wheels.as_of()}",
            )
        return None
    if not tags or tag in tags:
        return None
    context.saw("Python", python, "the log" if search.python else "the environment")
    pythons = sorted({int(each[3:]) for each in tags if each[3:].isdigit()})
    asked = search.text if search.specifier else "torch"
    is_new = int(python.partition(".")[2]) > pythons[-1]
    return _explained(
        search,
        context,
        f"{asked} has wheels for Python 3.{pythons[0]} to 3.{pythons[-1]}: Python {python} is too "
        f"{'new' if is_new else 'old'}",
        Action(f"make an environment with Python 3.{pythons[-1] if is_new else pythons[0]}"),
        _command(search),
        table=_table(),
    )


def _is_asked(search: IndexSearch, minor: str) -> bool:
    """Return whether some release of a minor version of torch is in the range."""
    tried = [version_of(f"{minor}.{patch}") for patch in range(4)]
    local = search.rocm and "+" in search.text
    if local:
        tried = [version_of(f"{minor}.{patch}+rocm{search.rocm}") for patch in range(4)]
    return any(each is not None and search.specifier.contains(each) for each in tried)


def _index_of_torch(search: IndexSearch, _: str, context: Context) -> Explanation | None:
    """Find that PyTorch's index for this ROCm has no such torch."""
    rocm = search.rocm
    if search.name != "torch" or not rocm or rocm not in rocm_wheels.rocm_versions():
        return None
    has = rocm_wheels.torch_for(rocm)
    asked = [each.torch for each in rocm_wheels.rows() if _is_asked(search, each.torch)]
    if not has or not search.specifier or any(each in has for each in asked):
        return None
    context.saw("index", f"ROCm {rocm}: torch {few(has, 6)}", _table())
    where = rocm_wheels.rocm_for(asked[-1]) if asked else ()
    other = f"torch {asked[-1]} is in that for ROCm {few(where, 4)}" if where else ""
    actions = [_command(search, "--rocm", rocm)]
    if where:
        actions.insert(0, _command(search, "--torch", asked[-1], "--rocm", where[-1]))
    return _explained(
        search,
        context,
        f"the index for ROCm {rocm} has torch {has[0]} to {has[-1]}, not {search.text}"
        + (f"; {other}" if other else ""),
        *actions,
        sure=bool(asked),
        table=_table(),
    )


def _python_of_package(search: IndexSearch, python: str, context: Context) -> Explanation | None:
    """Find that all versions in the range require another Python, or that there are none."""
    known = requirements.releases(search.name)
    inside = [each for each in known if search.specifier.contains(each)]
    if known and not inside and search.specifier and "+" not in search.text:
        is_newer = all(_is_above(each.version, known[-1]) for each in search.specifier)
        if is_newer:
            return None
        context.saw(search.name, f"{known[0]} to {known[-1]}", f"releases to {requirements.AS_OF}")
        near = difflib.get_close_matches(
            search.text, [f"{search.name}=={each}" for each in known], 1
        )
        return _explained(
            search,
            context,
            f"there is no release {search.text}: known are {known[0]} to {known[-1]}",
            Action(f"ask for a release that exists, such as {near[0] if near else known[-1]}"),
            sure=False,
        )
    demands = {requirements.requires_python(search.name, each) for each in inside}
    if inside and python and demands and None not in demands:
        kept = [each for each in demands if each is not None]
        if not any(each.contains(f"{python}.0") for each in kept):
            context.saw("Python", python, "the log" if search.python else "the environment")
            newest = requirements.requires_python(search.name, inside[-1])
            needs = shown(newest) if newest is not None else "another"
            return _explained(
                search,
                context,
                f"{search.text} requires Python {needs}, and this is Python {python}",
                Action(f"make an environment with Python {needs}, or ask for another version"),
            )
    python_asked = _other_python(search)
    if python_asked:
        context.saw(search.name, f"requires Python {python_asked}", "the message")
        return _explained(
            search,
            context,
            f"{search.text} requires Python {python_asked}, which this one is not",
            Action(f"make an environment with Python {python_asked}, or ask for another version"),
        )
    return None


def _nothing(search: IndexSearch, python: str, context: Context) -> Explanation | None:
    """Find an index of ROCm wheels that has no wheel of torch for this Python and system."""
    is_of_rocm = bool(search.rocm or amd_indexes_in(search.log))
    if search.listed != () or search.name not in {*FAMILY, "rocm"} or not is_of_rocm:
        return None
    is_for = f"Python {python}" if python else "this Python"
    unread = UnreadFact("what the index has", "open the URL of the index")
    found = _explained(
        search,
        context,
        f"the index has no {search.name} for {is_for} and this system, or its URL is wrong",
        *_fitting_python(search, python),
        _command(search),
        sure=False,
    )
    return replace(found, missing=(*found.missing, unread))


def _fitting_python(search: IndexSearch, python: str) -> tuple[Action, ...]:
    """Return the advice to use a Python for which all builds of the tables have wheels."""
    whose = "PyTorch"
    rows = [set(rocm_wheels.python_tags(each)) for each in rocm_wheels.torch_for(search.rocm)]
    if amd_indexes_in(search.log):
        whose = "AMD"
        builds = amd_wheels.builds()
        rows = [{f"cp{text.replace('.', '')}" for text in each.python} for each in builds]
    common = set.intersection(*rows) if rows else set()
    minors = sorted(int(each[3:]) for each in common if each[3:].isdigit())
    if not minors or not python or f"cp{python.replace('.', '')}" in common:
        return ()
    text = f"make an environment with Python 3.{minors[-1]}"
    return (
        Action(f"{text}: each build for ROCm that the tables know from {whose} has wheels for it"),
    )


def _is_above(text: str, newest: Version) -> bool:
    version = version_of(text.removesuffix(".*"))
    return version is not None and version > newest
