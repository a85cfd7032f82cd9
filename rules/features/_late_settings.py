"""Variables of the environment that are set when their reader has looked them up already."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.published.variables import KNOWN, LAZY, LOADED_UNTIL, READ_UNTIL, frozen_by
from rocmlint.rule import (
    argument,
    calls_in,
    compile_lazily,
    dotted_text,
    last_name,
    once_per_file,
    string_value,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import EnvironmentSetting, Source, Span

_STARTS_GPU = frozenset(
    {
        *("init", "set_device", "current_device", "synchronize", "mem_get_info"),
        *("get_device_name", "get_device_properties", "get_device_capability"),
    }
)
"""Functions of ``torch.cuda`` that make PyTorch initialize the GPU."""
_ASKS_DRIVER = frozenset({"is_available", "is_bf16_supported"})
"""Those that only make the driver count its devices."""
_ON_GPU = compile_lazily(r"cuda|\bdevice\b|\bgpu\b|\brank\b")
_PLACED = compile_lazily(r"[\"']cuda\b|\bcuda\b")


@dataclass(frozen=True, eq=False)
class LateSetting:
    """A setting, and what has made its reader look the variable up before.

    ``cause`` is the import of ``package``, or the call that first uses a GPU, where that is "".
    """

    setting: EnvironmentSetting
    cause: cst.CSTNode
    package: str = ""


def late_setting(setting: EnvironmentSetting, source: Source) -> LateSetting | None:
    """Return what came before a setting and makes it too late, None where nothing surely does."""
    row = KNOWN.get(setting.name)
    if setting.name in READ_UNTIL and not _is_below(*READ_UNTIL[setting.name], source):
        return None
    moment = "" if row is None else row.frozen
    if moment == "import":
        packages = frozen_by(setting.name)
        for package, statement in _imports(source):
            if package not in packages or not has_run_before(statement, setting.node, source):
                continue
            if _still_loads(package, row.reader if row else "", source):
                return LateSetting(setting, statement, package)
    elif moment == "gpu":
        by_driver = row is not None and row.reader != "torch"
        for call, initializes in _first_uses(source):
            if (initializes or by_driver) and has_run_before(call, setting.node, source):
                return LateSetting(setting, call)
    return None


def _still_loads(package: str, reader: str, source: Source) -> bool:
    """Return whether the declared versions of a package load another one with their import."""
    until = LOADED_UNTIL.get((package, reader))
    return until is None or _is_below(package, until, source)


def _is_below(package: str, until: tuple[int, int], source: Source) -> bool:
    """Return whether all declared versions of a package are older."""
    found = [each.version.release[:2] for each in source.versions(package) if each.declared]
    return bool(found) and all(each < until for each in found)


def has_run_before(earlier: cst.CSTNode, later: cst.CSTNode, source: Source) -> bool:
    """Return whether a node above another one, at module level or in its function, has surely run.

    What the module calls of its own above the first one may have run the second one before.
    """
    line, first = source.span(later).line, source.span(earlier).line
    of_earlier, of_later = _line_of_function(earlier, source), _line_of_function(later, source)
    if first >= line or of_earlier not in {None, of_later} or source.is_for_types_only(earlier):
        return False
    if of_earlier != of_later and any(each < first for each in _own_calls(source)):
        return False
    return all(arm.line <= line <= arm.end_line for arm in _arms(earlier, source))


def _arms(node: cst.CSTNode, source: Source) -> Iterator[Span]:
    """Yield the places of the blocks around a node of which another one may run in its stead."""
    below = node
    for above in source.ancestors(node):
        if isinstance(above, (cst.FunctionDef, cst.Lambda)):
            return
        if isinstance(above, (cst.If, cst.IfExp)) and above.test is not below:
            yield source.span(below)
        elif isinstance(above, (cst.ExceptHandler, cst.MatchCase, cst.While, cst.For)):
            yield source.span(above)
        below = above


@once_per_file
def _imports(source: Source) -> list[tuple[str, cst.CSTNode]]:
    """Return the packages that a file imports so that they look their variables up."""
    found: list[tuple[str, cst.CSTNode]] = []
    for each in walk(source.module):
        if isinstance(each, cst.Import):
            for alias in each.names:
                package = (dotted_text(alias.name) or "").partition(".")[0]
                if package not in LAZY:
                    found.append((package, each))
        elif isinstance(each, cst.ImportFrom) and each.module is not None and not each.relative:
            found.append(((dotted_text(each.module) or "").partition(".")[0], each))
    return found


@once_per_file
def _first_uses(source: Source) -> list[tuple[cst.Call, bool]]:
    """Return the calls that use a GPU, each with whether PyTorch itself is initialized by it."""
    if "torch" not in source.code:
        return []
    found = []
    for each in calls_in(source.module):
        if _uses_gpu(each, source):
            found.append((each, True))
        elif last_name(each.func) in _ASKS_DRIVER and _is_of_torch(each, source):
            found.append((each, False))
    return found


def _uses_gpu(call: cst.Call, source: Source) -> bool:
    name = last_name(call.func)
    if name in _STARTS_GPU:
        return _is_of_torch(call, source)
    if name == "cuda":
        return isinstance(call.func, cst.Attribute)
    if name == "to" and isinstance(call.func, cst.Attribute):
        device = argument(call, 0, "device")
        return device is not None and _is_gpu(device, source)
    return any(
        each.keyword is not None
        and each.keyword.value in {"device", "device_map"}
        and _PLACED.search(source.text_of(each.value)) is not None
        and not _is_choice(each.value)
        for each in call.args
    )


def _is_gpu(device: cst.BaseExpression, source: Source) -> bool:
    value = source.value_of(device) or device
    text = string_value(value)
    if text is not None:
        return text.startswith(("cuda", "hip"))
    return _ON_GPU.search(source.text_of(device)) is not None


def _is_choice(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.IfExp)


def _is_of_torch(call: cst.Call, source: Source) -> bool:
    return (source.resolve(call.func) or "").startswith("torch.cuda.")


@once_per_file
def _own_calls(source: Source) -> list[int]:
    """Return the lines where the module itself calls functions and classes of its own."""
    own = set(re.findall(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", source.code, re.MULTILINE))
    return [
        source.span(each).line
        for each in calls_in(source.module)
        if source.function(each) is None and (dotted_text(each.func) or "").partition(".")[0] in own
    ]


def _line_of_function(node: cst.CSTNode, source: Source) -> int | None:
    function = source.function(node)
    return None if function is None else source.span(function).line
