"""Which actions of an explanation can help: what is so already, or failed already, is left out."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.published import requirements as published
from rocmlint.published.fitting import shown
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.text.written import requirement_of, version_of
from rocmlint.why.facts.packages.releases import fitting, knows_packages
from rocmlint.why.facts.project.settings import declared
from rocmlint.why.generic.parts import install

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Action, Explanation
    from rocmlint.why.facts.context import Context

_LATER = re.compile(
    r"(?P<verb>\b(?:install|use|take|upgrade to) )(?:an? )?(?P<name>[a-z][\w-]*) "
    r"(?P<version>\d+(?:\.\d+)*) or (?:later|newer)\b"
)
_BOUNDS = re.compile(
    r"(?<![\w.-])([A-Za-z][\w-]*)((?:(?:[<>~=!]=|[<>])\d+(?:\.\d+)*(?:,(?=[<>~=!]))?)+)"
)
"""A requirement in a sentence or a command."""
_NOUN = re.compile(r"(?:an?|the|another|its|those) ")
"""How an alternative begins that shares the verb of the first one."""
_EXPORT = "export "
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>[^\s;]+)")


def useful(explanation: Explanation, context: Context) -> Explanation:
    """Leave out an action that the installed versions meet, or whose value is the one that failed.

    Of a sentence with alternatives the others stay. Where pip may take any newer release, it is
    one that fits what is installed.
    """
    is_replaced = any("uninstall" in each.text for each in explanation.actions)
    kept = []
    for each in explanation.actions:
        text = each.text
        if not each.is_command:
            text = _unmet_part(text, context)
        elif text.startswith(_EXPORT):
            text = _untried(text, explanation, context)
        elif not is_replaced and _is_met(text, context):
            text = ""
        else:
            text = _bounded(text, context)
        if text:
            kept.append(replace(each, text=text) if text != each.text else each)
    kept = [*_as_required(kept, context), *kept]
    unchanged = tuple(kept) == explanation.actions
    return explanation if unchanged else replace(explanation, actions=tuple(kept))


def _as_required(actions: list[Action], context: Context) -> Iterator[Action]:
    """Yield the command for what the project requires, where another release is installed.

    One of the actions must name releases of the package that this one is among.
    """
    for name, proposed in _proposed(actions).items() if knows_packages(context) else ():
        installed = context.packages.get(name) if name not in FAMILY else None
        required = declared(context, name) if installed is not None else None
        if installed is None or required is None:
            continue
        specifier, place = required
        wanted = f"{name}{shown(specifier)}"
        newest = published.newest(name, specifier)
        is_met = specifier.contains(installed.version, prereleases=True)
        is_named = any(f"pip install {wanted}" in each.text for each in actions)
        if newest is None or is_met or is_named or not any(newest in one for one in proposed):
            continue
        context.saw(f"{name} of the project", f"requires {shown(specifier)}", place)
        yield install(context, wanted)
        return


def _proposed(actions: list[Action]) -> dict[str, list[SpecifierSet]]:
    """Return the releases of packages that some actions name."""
    found: dict[str, list[SpecifierSet]] = {}
    for each in actions:
        for name, bounds in _BOUNDS.findall(each.text):
            asked = requirement_of(f"{name}{bounds}")
            if asked is not None:
                found.setdefault(canonicalize_name(name), []).append(asked.specifier)
        for one in _LATER.finditer(each.text):
            later = SpecifierSet(f">={one['version']}")
            found.setdefault(canonicalize_name(one["name"]), []).append(later)
    return found


def _is_at_least(name: str, version: str, context: Context) -> bool:
    """Return whether a release of this version or a later one is installed."""
    found = context.packages.get(name) if knows_packages(context) else None
    wanted = version_of(version)
    if found is None or wanted is None:
        return False
    has = version_of(found.version.base_version)  # a development version has what it becomes
    return has is not None and has >= wanted


def _unmet_part(text: str, context: Context) -> str:
    """Leave a release out of a sentence where it, or a later one, is installed already."""
    found = _LATER.search(text)
    if found is None or not _is_at_least(found["name"], found["version"], context):
        return text
    before, after = text[: found.start()], text[found.end() :]
    others = after.partition(", or ")[2]
    if before.endswith(", or "):
        return before.removesuffix(", or ")
    if before not in {"", "or "}:
        return text
    if not others:
        return ""
    return (found["verb"] if _NOUN.match(others) else "") + others


def _is_met(command: str, context: Context) -> bool:
    """Return whether pip would do nothing: all that it should install is there already."""
    words = _words(command)
    if "pip" not in words or "install" not in words or not knows_packages(context):
        return False
    asked = words[words.index("install") + 1 :]
    if not asked or any(each.startswith("-") and each != "--no-deps" for each in asked):
        return False
    return all(_is_installed(each, context) for each in asked if not each.startswith("-"))


def _bounded(command: str, context: Context) -> str:
    """Return a command of pip with a release that fits, where it would take any newer one."""
    asked = requirement_of(_words(command)[-1]) if _words(command) else None
    is_open = asked is not None and {each.operator for each in asked.specifier} == {">="}
    if asked is None or not is_open or not re.search(r"pip install \S+\Z", command):
        return command
    found = fitting(context, asked)
    if found is None or not found.wanted:
        return command
    return f"{command.rpartition(' ')[0]} {shlex.join([found.wanted, *found.also])}"


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _is_installed(wanted: str, context: Context) -> bool:
    asked = requirement_of(wanted)
    found = context.packages.get(asked.name) if asked is not None else None
    if asked is None or found is None or asked.url or asked.extras:
        return False
    return asked.specifier.contains(found.version, prereleases=True)


def _untried(command: str, explanation: Explanation, context: Context) -> str:
    """Leave out of a command what is set so already, and a path that the message says fails."""
    raised = context.raised.text if context.raised is not None else ""
    said = f"{explanation.message}\n{raised}"
    tried = [
        each[0]
        for each in _ASSIGNED.finditer(command)
        if context.variables.get(each["name"]) == each["value"]
        or (each["value"].startswith("/") and _names(each["value"], said))
    ]
    for each in tried:
        command = command.replace(f" {each}", "", 1)
    return command if "=" in command else ""


def _names(path: str, text: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", text) is not None
