"""A file of the project with the name of a package, a folder without code, a circular import."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.package_names import module_file
from rocmlint.why.facts.packages.providers import is_library
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import OwnedFrame, innermost, made, python_of
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context

_PARTIAL = re.compile(
    r"(?:cannot import name ['\"](?P<name>\w+)['\"] from )?partially initialized module "
    r"['\"](?P<module>[\w.]+)['\"](?: from ['\"](?P<from>[^'\"\n]+)['\"])?"
    r"(?: has no attribute ['\"]\w+['\"])?(?: \(most likely[^()\n]*\))?(?: \((?P<path>[^()\n]+)\))?"
)
_RENAMING = re.compile(r"\(?consider renaming ['\"](?P<path>[^'\"\n]+)['\"] (?:since|if) it has")
_NO_PACKAGE = re.compile(
    r"No module named ['\"](?P<module>[\w.]+)['\"]; ['\"](?P<parent>[\w.]+)['\"] is not a package"
)
_FROM_FILE = re.compile(
    r"cannot import name ['\"](?P<name>\w+)['\"] from ['\"](?P<module>[\w.]+)['\"]"
    r" \((?P<path>[^()\n]+)\)"
)
_ATTRIBUTE = re.compile(r"\bmodule ['\"](?P<module>\w+)['\"] has no attribute ['\"]\w+['\"]")
_NO_SUBMODULE = re.compile(r"No module named ['\"](?P<module>\w+)\.[\w.]+['\"]")
_UNKNOWN_PLACE = "(unknown location)"
_SITE = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python3|[/\\]Lib[/\\]")
_WEIGHT = 40


def is_foreign(path: str, module: str, context: Context) -> bool:
    """Return whether a path of a message is a file that hides a library of its name."""
    top = module.partition(".")[0]
    if not path or _SITE.search(path) or not _is_named(path, top) or not is_library(context, top):
        return False
    if path.endswith("__init__.py"):  # the source of a package may be installed in place
        return is_own(path, context) and bool(module_file(context, top))
    return os.path.isabs(path) or is_own(path, context)


def is_own(path: str, context: Context) -> bool:
    """Return whether a path of a message is a file of the project."""
    inside = os.path.abspath(context.project).rstrip(os.sep) + os.sep
    is_inside = os.path.abspath(os.path.join(context.project, path)).startswith(inside)
    return is_inside and not _SITE.search(path) and path.endswith(".py")


def _is_named(path: str, top: str) -> bool:
    """Return whether a file is imported by this name: ``top.py`` or ``top/__init__.py``."""
    parts = re.split(r"[/\\]", path)
    return parts[-1] == f"{top}.py" or parts[-2:] == [top, "__init__.py"]


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain an import that found another file than the package."""
    if _UNKNOWN_PLACE in text:
        yield from _without_init(near(text, _UNKNOWN_PLACE), context)
        return
    renaming = _RENAMING.search(near(text, "consider renaming"))
    if renaming is not None:
        yield _shadowing(context, renaming["path"], _stem(renaming["path"]), renaming[0])
        return
    partial = _PARTIAL.search(near(text, "partially initialized module"))
    if partial is not None:
        yield from _partial(partial, context)
        return
    if "is not a package" in text:
        found = _NO_PACKAGE.search(near(text, "is not a package"))
        top = found["parent"].partition(".")[0] if found is not None else ""
        path = _own_file(context, top) if found is not None and found["parent"] == top else ""
        if found is not None and path:
            sure = _is_first(context, path)
            yield _shadowing(context, path, top, found[0], sure=sure)
        return
    found = _FROM_FILE.search(near(text, "cannot import name"))
    if found is not None and is_foreign(found["path"], found["module"], context):
        yield _shadowing(context, found["path"], found["module"].partition(".")[0], found[0])
        return
    found = _ATTRIBUTE.search(near(text, "has no attribute"))
    if found is not None and is_library(context, found["module"]):
        path = _own_file(context, found["module"])
        if path:
            sure = _is_first(context, path)
            yield _shadowing(context, path, found["module"], found[0], sure=sure)
        return
    found = _NO_SUBMODULE.search(near(text, "No module named"))
    if found is not None and is_library(context, found["module"]):
        path = _own_file(context, found["module"])
        if path and context.packages.owner(found["module"]) is not None:
            sure = _is_first(context, path)
            yield _shadowing(context, path, found["module"], found[0], sure=sure)


def _stem(path: str) -> str:
    parts = re.split(r"[/\\]", path)
    return parts[-2] if parts[-1] == "__init__.py" and len(parts) > 1 else parts[-1][:-3]


def _shadowing(
    context: Context, path: str, top: str, message: str, *, sure: bool = True
) -> Explanation:
    context.saw(path, f"is imported as {top}", "the log" if sure else "this machine")
    kind = "Python's own module" if top in sys.stdlib_module_names else "the package"
    new = os.path.basename(path) if not path.endswith("__init__.py") else top
    return made(
        context,
        "shadowed-module",
        f"{path} has the name of {kind} {top}, so Python imports this file instead of it",
        weight=_WEIGHT,
        sure=sure,
        where=f"{path} (this project): rename this file",
        actions=(Action(f"rename {new}, and delete its __pycache__; no import has to change"),),
        confirm=f"{python_of(context)} -c 'import {top}; print({top}.__file__)'",
        missing=() if sure else (UnreadFact(f"the file that is imported as {top}", "see confirm"),),
        message=message,
    )


def _is_first(context: Context, path: str) -> bool:
    """Return whether a file of the project is in the traceback, or next to the script that ran."""
    script = context.frames[0].file if context.frames else ""
    home = os.path.dirname(os.path.dirname(path) if path.endswith("__init__.py") else path)
    is_beside = bool(script) and os.path.normpath(os.path.dirname(script)) == home
    return is_beside or any(each.file == path for each in context.frames)


def _own_file(context: Context, top: str) -> str:
    """Return the file that Python finds first by a name: next to the script, or in the project."""
    if not top.isidentifier():
        return ""
    places = [os.path.dirname(each.file) for each in context.frames[:1]]
    for frame in context.frames:
        if _is_named(frame.file, top) and not _SITE.search(frame.file):
            return frame.file
    for folder in dict.fromkeys((*places, context.project)):
        if _SITE.search(f"{folder}{os.sep}"):
            continue
        for path in (os.path.join(folder, f"{top}.py"), os.path.join(folder, top, "__init__.py")):
            if os.path.isfile(path):
                return os.path.normpath(path)
    return ""


def _partial(found: re.Match[str], context: Context) -> Iterator[Explanation]:
    """Explain a module that is asked for a name before it has run to its end."""
    module, top = found["module"], found["module"].partition(".")[0]
    path = found["path"] or found["from"] or ""
    if not path:
        path = _own_file(context, top) if is_library(context, top) else ""
    if is_foreign(path, top, context):
        yield _shadowing(context, path, top, found[0])
        return
    intruder = _intruder(context)
    if intruder is not None:
        yield _shadowing(context, intruder.frame.file, _stem(intruder.frame.file), found[0])
        return
    if not path and not context.frames:
        if is_library(context, top):
            yield _probably_shadowed(context, top, found[0])
        return
    yield from _circle(context, module, path, found[0])


def _probably_shadowed(context: Context, top: str, message: str) -> Explanation:
    command = f"{python_of(context)} -c 'import {top}; print({top}.__file__)'"
    return made(
        context,
        "shadowed-module",
        f"a file named {top}.py beside the script is imported instead of the package {top}",
        weight=_WEIGHT,
        sure=False,
        actions=(Action(f"rename the script or file that is named {top}.py"),),
        confirm=command,
        missing=(UnreadFact(f"the file that is imported as {top}", command),),
        message=message,
    )


def _intruder(context: Context) -> OwnedFrame | None:
    """Return a file of the project that a package imports by the name of another library."""
    before, line = "", ""
    for frame in context.frames:
        if frame.file.startswith("<frozen"):
            continue
        owner = context.owner(frame)
        is_outside = owner.kind in {"project", "other"} and not _SITE.search(frame.file)
        if is_outside and before in {"package", "python"} and frame.file.endswith(".py"):
            stem = _stem(frame.file)
            is_imported = re.match(rf"(?:import|from)\s.*\b{re.escape(stem)}\b", line)
            if is_imported and is_library(context, stem):
                return OwnedFrame(frame, owner)
        before, line = owner.kind, frame.code
    return None


def _is_module_level(function: str) -> bool:
    return function in {"<module>", ""}


def _circle(context: Context, module: str, path: str, message: str) -> Iterator[Explanation]:
    """Explain a real circle: the frames go through a file twice, or through the module itself."""
    files = [each.file for each in context.frames if _is_module_level(each.function)]
    place = innermost(context)
    if place is None or not path:
        return
    inner = place.frame.file
    is_circle = path in files and inner != path
    steps = files[files.index(path) :] if path in files else [path, inner]
    names = " -> ".join(dict.fromkeys(map(os.path.basename, steps)))
    if place.owner.kind == "package":
        cause = f"{place.owner} imports itself in a circle: {names}"
        text = f"reinstall {place.owner.name}: its files are of two versions, or patched"
        do: tuple[Action, ...] = (Action(text),)
        is_circle = False
    else:
        cause = f"a circular import: {names} asks for {module} before it has run to its end"
        text = f"in {os.path.basename(inner)}, move the import into the function that uses it"
        do = (Action(text), Action("or move what both need into a third module"))
    yield made(
        context,
        "circular-import",
        cause,
        weight=_WEIGHT - 10,
        sure=is_circle,
        where=f"{place}: change this file",
        actions=do,
        message=message,
    )


def _without_init(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a module without a file: a folder of this name without an ``__init__.py``."""
    found = re.search(
        r"cannot import name ['\"](\w+)['\"] from ['\"]([\w.]+)['\"] \(unknown location\)", text
    )
    if found is None:
        return
    module, top = found[2], found[2].partition(".")[0]
    folder = _folder(context, module)
    command = f"{python_of(context)} -c 'import {module}; print(list({module}.__path__))'"
    if folder:
        context.saw(folder, "a directory without __init__.py", "this machine")
        in_packages = bool(_SITE.search(f"{folder}{os.sep}"))
        cause = (
            f"{module} is the directory {folder}, which has no __init__.py: nothing of the package"
        )
        text = f"run the script from another directory, or rename {folder}"
        do = [Action(text)]
        if in_packages:
            text = f"delete {folder}, the rest of an installation"
            do = [Action(text), _reinstall(context, top)]
    else:
        cause = f"{module} is a directory without __init__.py that is found first, not the package"
        do = [Action(f"delete or rename the directory that this prints, then install {top}")]
    yield made(
        context,
        "folder-without-code",
        cause,
        weight=_WEIGHT,
        sure=bool(folder),
        where=folder,
        actions=tuple(do),
        confirm=command,
        missing=()
        if folder
        else (UnreadFact(f"the directory that is imported as {module}", command),),
        message=found[0],
    )


def _reinstall(context: Context, top: str) -> Action:
    owner = context.packages.owner(top)
    if owner is None:
        return Action(f"install the package that provides {top}")
    return Action(f"uninstall {owner.name}, then install {owner.version} from where it came from")


def _folder(context: Context, module: str) -> str:
    """Return the folder of this name without an ``__init__.py`` that Python can find."""
    places = [os.path.dirname(each.file) for each in context.frames[:1]]
    for base in dict.fromkeys((*places, context.project, *context.packages.folders)):
        path = os.path.normpath(os.path.join(base, *module.split(".")))
        if os.path.isfile(os.path.join(path, "__init__.py")):
            return ""
        if os.path.isdir(path):
            return path
    return ""
