"""``No module named 'a.b'``: not installed, gone, not yet there, or another interpreter ran."""

from __future__ import annotations

import os
import re
import shlex
import sys
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.moved import moved_module
from rocmlint.why.facts.packages.package_names import (
    alike,
    change_of,
    files_have,
    history_of,
    imported_release,
    in_words,
    module_file,
    release_of,
    requirement_for,
    saw_index,
    table,
)
from rocmlint.why.facts.packages.providers import declared_in, provider_of, removed_in
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.of_build import of_build
from rocmlint.why.generic.of_python import is_below, python_of_log
from rocmlint.why.generic.other_interpreter import interpreter_of, not_found
from rocmlint.why.generic.parts import in_place, innermost, install, made, pip, python_of, where
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import Release

_MESSAGE = re.compile(r"No module named ['\"](?P<module>\w+(?:\.\w+)*)['\"]")
_DASH_M = re.compile(r"(?P<python>\S*python[\d.]*): No module named (?P<module>[\w.]+)")
_BUILT_WITHOUT = {
    "_ctypes": "libffi",
    "_sqlite3": "SQLite",
    "_lzma": "liblzma",
    "_bz2": "bzip2",
    "_ssl": "OpenSSL",
    "_tkinter": "Tk",
    "tkinter": "Tk",
    "readline": "readline",
    "_curses": "ncurses",
    "ensurepip": "ensurepip (the package python3-venv of Debian and Ubuntu)",
}
"""Modules of Python that need a library when Python is built, or a package of the system."""
_SETUPTOOLS = "setuptools<81"
"""The last releases that all still have pkg_resources."""
_WEIGHT = 18


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a module that Python does not find."""
    text = near(text, "No module named")
    found = _MESSAGE.search(text) or _DASH_M.search(text)
    if found is None:
        return
    module = found["module"]
    top = module.partition(".")[0]
    if top in sys.builtin_module_names:
        return
    for explain in (_of_python, _of_project):
        made_of = explain(context, module, found[0])
        if made_of is not None:
            yield made_of
            return
    # What is missing inside of a package proves that the package itself was found.
    release = imported_release(context, top) if "." in module else release_of(context, top)
    if release.is_missing and not module_file(context, top):
        yield _not_installed(context, module, release, found[0])
    elif "." in module and f"{found[0]}".startswith("No module"):
        yield from _submodule(context, module, release, found[0])
    elif release.unread is not None and release.version is None:
        yield _perhaps_not_installed(context, module, release, found[0])
    elif not release.is_missing:
        yield from not_found(context, module, release, found[0])


def _of_python(context: Context, module: str, message: str) -> Explanation | None:
    """Explain a module of Python's own that a newer Python lacks, or that was not built."""
    top = module.partition(".")[0]
    removed = removed_in(top)
    place = innermost(context)
    if removed:
        python = python_of_log(context)
        if isinstance(python, str):
            if is_below(python, removed):
                return None
            context.saw("Python", python, "the log or the environment")
        actions = [pip(context, "install", "setuptools")] if top == "distutils" else []
        actions.append(Action(f"use Python {_before(removed)}, or a release that does without it"))
        return made(
            context,
            "missing-module",
            f"Python has no {top} since {removed}"
            + (": setuptools has one" if actions[1:] else ""),
            weight=_WEIGHT + 8,
            where=where(place),
            actions=tuple(actions),
            missing=(python,) if isinstance(python, UnreadFact) else (),
            message=message,
        )
    if top in _BUILT_WITHOUT and module == top:
        return made(
            context,
            "missing-module",
            f"this Python was built or installed without {_BUILT_WITHOUT[top]}, so it lacks {top}",
            weight=_WEIGHT + 8,
            actions=(Action("install the system's package for it, or another build of Python"),),
            confirm=f"{python_of(context)} -c 'import {top}'",
            message=message,
        )
    return None


def _before(python: str) -> str:
    major, _, minor = python.partition(".")
    return f"{major}.{int(minor) - 1}"


def _of_project(context: Context, module: str, message: str) -> Explanation | None:
    """Explain a module that is in the project, but not where the interpreter looks."""
    top = module.partition(".")[0]
    home = _home_in_project(context, top)
    if home is None or context.packages.owner(top) is not None:
        return None
    rest = module.split(".")
    path = os.path.join(context.project, home, *rest)
    is_there = os.path.isdir(path) or os.path.isfile(f"{path}.py")
    if not is_there:
        context.saw(f"{os.path.join(home, *rest)}.py", "does not exist", "this project")
        return made(
            context,
            "missing-module",
            f"{top} is this project's own, and it has no module {module}",
            weight=_WEIGHT + 6,
            where=where(innermost(context)),
            actions=(Action(f"correct the import, or add {os.path.join(home, *rest)}.py"),),
            message=message,
        )
    context.saw(os.path.join(home, top), "is in the project", "this project")
    ran = interpreter_of(context)
    if ran:
        return _other_interpreter(context, top, ran, message)
    has_build = any(
        os.path.isfile(os.path.join(context.project, each))
        for each in ("pyproject.toml", "setup.py")
    )
    actions = [pip(context, "install", "-e", context.project)] if has_build else []
    actions.append(
        Action(f"run it with PYTHONPATH={shlex.quote(home or '.')}, or python -m MODULE")
    )
    return made(
        context,
        "project-not-importable",
        f"{top} is in this project ({os.path.join(home, top)}), but Python does not search there",
        weight=_WEIGHT + 6,
        sure=not context.is_elsewhere,
        where=where(innermost(context)),
        actions=tuple(actions),
        confirm=f"{python_of(context)} -c 'import {top}'",
        message=message,
    )


def _home_in_project(context: Context, top: str) -> str | None:
    """Return the folder of the project that holds a module: "" or "src"; None without one."""
    for home in ("", "src", "lib", "python"):
        path = os.path.join(context.project, home, top)
        if os.path.isfile(f"{path}.py") or os.path.isfile(os.path.join(path, "__init__.py")):
            return home
    return None


def _other_interpreter(context: Context, top: str, binary: str, message: str) -> Explanation:
    context.saw("the interpreter that ran", binary, "the log")
    chosen = context.packages.python
    is_other = bool(chosen) and not context.is_assumed and not _is_same(chosen, binary)
    python = python_of(context)
    return made(
        context,
        "other-interpreter",
        f"the launcher ran {binary}, which cannot import {top} of this project",
        weight=_WEIGHT + 20,
        sure=is_other,
        actions=(
            Action(f"start it with {python} -m torch.distributed.run instead of torchrun"),
            Action(
                "the torchrun that is found first belongs to another Python: see which -a torchrun"
            ),
        ),
        confirm="which -a torchrun python",
        missing=()
        if is_other
        else (UnreadFact("the interpreter that was meant", "which -a python"),),
        message=message,
    )


def _is_same(one: str, other: str) -> bool:
    return os.path.dirname(os.path.abspath(one)) == os.path.dirname(other)


def _not_installed(context: Context, module: str, release: Release, message: str) -> Explanation:
    top = module.partition(".")[0]
    ran = interpreter_of(context)
    provider = provider_of(top)
    declared = declared_in(context, tuple({provider or top, top}))
    place = innermost(context)
    asker = place.owner if place is not None and place.owner.kind == "package" else None
    by = f"; {asker} imports it" if asker is not None else ""
    source = context.packages.folders[0]
    actions = []
    if declared:
        context.saw(provider or top, f"declared in {declared}", declared)
    if top == "pkg_resources":
        actions.append(pip(context, "install", _SETUPTOOLS))
    elif provider:
        actions.append(install(context, provider))
    elif declared.startswith("requirements"):
        actions.append(pip(context, "install", "-r", declared))
    elif declared:
        actions.append(pip(context, "install", "-e", context.project))
    else:
        text = f"install the package that provides {top}: see the instructions of what imports it"
        actions.append(Action(text))
    context.saw(top, "not installed", source)
    if ran:
        context.saw("the interpreter that ran", ran, "the log")
    return made(
        context,
        "missing-module",
        f"{top} is not installed in {source}{by}"
        if not provider or canonicalize_name(top) == provider
        else f"{top} is not installed in {source}: {provider} provides it{by}",
        weight=_WEIGHT,
        where=where(place, "imports it"),
        actions=tuple(actions),
        confirm=f"{python_of(context)} -c {shlex.quote(f'import {top}')}",
        missing=(release.unread,),
        message=message,
    )


def _perhaps_not_installed(
    context: Context, module: str, release: Release, message: str
) -> Explanation:
    """Explain it where the packages of the log are not on this machine."""
    provider = provider_of(module)
    action = (
        install(context, provider)
        if provider
        else Action(f"install the package that provides {module}")
    )
    return made(
        context,
        "missing-module",
        f"{module} is not installed for the interpreter of this log",
        weight=_WEIGHT,
        sure=False,
        where=where(innermost(context), "imports it"),
        actions=(action,),
        missing=(release.unread,),
        message=message,
    )


def _submodule(
    context: Context, module: str, release: Release, message: str
) -> Iterator[Explanation]:
    """Explain a module that an installed package lacks."""
    history = history_of(module)
    change = change_of(history, release.version)
    place = innermost(context)
    if change.explains:
        saw_index(context, module, change)
        yet = "" if change.gone else " yet"
        version = str(release) if release.version else f"the installed {release}"
        wanted = requirement_for(release.name, change)
        moved = moved_module(module, release.version) if release.version is not None else ""
        new = f"import {moved} instead" if moved else ""
        yield made(
            context,
            "missing-module",
            f"{version} does not have the module {module}{yet}: {in_words(change)}",
            weight=_WEIGHT + 4,
            where=where(place),
            actions=in_place(context, change, release, wanted, new),
            confirm=f"{python_of(context)} -c {shlex.quote(f'import {module}')}",
            missing=(release.unread,),
            rules=("ROC204",),
            table=table(),
            message=message,
        )
        return
    built = of_build(context, "missing-module", release, module, message)
    if built is not None and not files_have(context, module):
        yield built
        return
    parent = module.rpartition(".")[0]
    if release.version is None or change.is_there or files_have(context, module):
        return
    top_is_read = bool(module_file(context, parent.partition(".")[0]))
    near = alike(context, module, release.version)
    hint = f"; it has {', '.join(near)}" if near else ""
    action = f"install a release of {release.name} that has it, or import what it has"
    if place is not None and place.owner.kind == "package":
        action = f"upgrade {place.owner.name} to a release for {release}, or install an older"
        action += f" {release.name}, if {module} is gone from it"
    elif near:
        action = f"use {parent}.{near[0]}, if that is meant"
    if top_is_read:
        context.saw(module, "not there", "the installed files")
    by = f"; {place.owner} imports it" if place and place.owner.kind == "package" else ""
    yield made(
        context,
        "missing-module",
        f"the installed {release} has no module {module}{hint}{by}",
        weight=_WEIGHT + 4,
        sure=top_is_read,
        where=where(place),
        actions=(Action(action),),
        confirm=f"{python_of(context)} -c {shlex.quote(f'import {module}')}",
        missing=(release.unread,),
        message=message,
    )
