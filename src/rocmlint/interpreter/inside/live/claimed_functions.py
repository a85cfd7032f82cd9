"""Whether what a program calls by a name is code of the file that it must be of."""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

from . import executed
from .bound import place
from .code_at_lookup import BOUND_ARGUMENTS, bound_to, called, entered, standing
from .code_file import CodeFile
from .objects.decorators_and_metaclasses import named_functions
from .objects.reachable import ABSENT, attributes, functions_of, methods
from .original_keepers import keepers, kept_of
from .source.bindings import stored_path
from .source.module_source import NoSourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType

    from .code_at_lookup import Standing
    from .original_keepers import KeptOriginal

Wanted = dict[str, Any]
"""``name``, ``module``, ``attribute``, ``path`` (names), ``keys``, ``file``, ``function``,
``sha256``: an entry of a manifest, taken apart, with the absolute path of the file."""


def function_facts(wanted: Iterable[Wanted]) -> list[dict[str, Any]]:
    """Look at each function that must be that of a file, importing nothing.

    Each answer has ``name``, ``module``, ``attribute``, ``file``, ``function`` and
    ``wanted_sha256`` as asked, ``sha256`` of the file now (None if it cannot be read), and

    - ``state``: ``right`` (the first code of a call is the file's, as it is now), ``outdated`` (it
      says so, and the file has no such code now), ``another`` (another function of the file),
      ``copy`` (of a file with the same content), ``around`` (other code that holds or names code
      of the file), ``original``, ``other``, ``absent``, ``unknown``;
    - ``problem``: why it is unknown, or what speaks against a right one (None);
    - ``place``: ``{file, line}`` of the first code; ``kind``: the type of what is there;
    - ``has_original``: whether it is the original, or something around it;
    - ``defined_as``: the qualified name in the file, if it is its code; ``inside``: the names of
      the functions of the file in or behind what is around them;
    - ``is_loaded``: whether the process has a module of the file;
    - ``older``, ``kept``: ``[{module, attribute, file, line}]``, where other modules still have the
      original, by its own name or one that an import gave it, and by other names;
    - ``ran``: whether the code ran, called by what is around it (None: nothing was watched).
    """
    files: dict[str, CodeFile | str] = {}
    wanted = list(wanted)
    kept = list(kept_of({each["module"] for each in wanted}))
    return [_looked_at(each, files, kept) for each in wanted]


def _looked_at(
    wanted: Wanted, files: dict[str, CodeFile | str], kept: list[KeptOriginal]
) -> dict[str, Any]:
    facts = {key: wanted[key] for key in ("name", "module", "attribute", "file", "function")}
    facts |= {"wanted_sha256": wanted["sha256"], "sha256": None, "state": "unknown"}
    facts |= {"problem": None, "place": {"file": None, "line": None}, "kind": "", "ran": None}
    facts |= {
        "has_original": False,
        "defined_as": "",
        "inside": [],
        "is_loaded": False,
        "older": [],
        "kept": [],
    }
    path = wanted["file"]
    if path not in files:
        try:
            files[path] = CodeFile(path)
        except OSError as error:
            files[path] = f"{path} cannot be read: {error.strerror}"
        except NoSourceError as error:
            files[path] = str(error)
    file = files[path]
    if isinstance(file, str):
        return {**facts, "problem": file}
    facts |= {"sha256": file.sha256, "is_loaded": bool(file.modules)}
    module = sys.modules.get(wanted["module"])
    if module is None:
        return {**facts, "problem": f"{wanted['module']} is not loaded in this process"}
    try:
        found = standing(module, stored_path(".".join(wanted["path"])), wanted["keys"])
        facts |= _facts_of(module, found, file, wanted)
        facts |= keepers(kept, wanted, found, file)
    except Exception as error:  # noqa: BLE001 - an odd registry must not hide the other functions
        facts |= {"state": "unknown", "problem": f"it failed: {type(error).__name__}: {error}"}
    return facts


def _facts_of(module: object, found: Standing, file: CodeFile, wanted: Wanted) -> dict[str, Any]:
    if found.value is ABSENT:
        makes = "__getattr__" in attributes(module) or hasattr(type(module), "__getattr__")
        problem = f"{wanted['module']} makes its attributes when they are asked for"
        return {"state": "unknown", "problem": problem} if makes else {"state": "absent"}
    value = called(found.value)
    known = {"kind": type(value).__name__, "place": _entry(value)}
    facts = {**known, **_of_file(found.value, file, wanted["function"])}
    if facts["state"] == "other":
        facts |= _otherwise(found.value, file, wanted)
    if found.interceptor is not None:
        code = found.interceptor.__code__
        facts["problem"] = (
            "its attributes are looked up by a __getattribute__ of its own, defined at "
            f"{code.co_filename}:{code.co_firstlineno}"
        )
    return facts


def _of_file(kept: object, file: CodeFile, function: str) -> dict[str, Any]:
    """Return which part of the file an object is; "other" for one that is not plainly of it."""
    value = called(kept)
    is_class = issubclass(type(value), type)
    state = _of_class(value, file) if is_class else _of_code(entered(value), file)  # type: ignore[arg-type]
    names = {state["defined_as"], state["defined_as"].rpartition(".")[0] if not is_class else ""}
    if state["state"] == "right" and type(value) is FunctionType:
        names = {state["defined_as"]}
    if state["state"] == "right" and function and function not in names:
        state["state"] = "another"
    if state["state"] in ("other", "another"):
        made = _made_here(kept, file, function)
        if made:
            return {"state": "right", "defined_as": made, **_checked(value, file)}
    elif state["state"] == "right" and not is_class:
        state |= _checked(value, file)
    return state


def _of_class(value: type, file: CodeFile) -> dict[str, Any]:
    name = file.class_definition(value)
    if name is None:
        return {"state": "other", "defined_as": ""}
    is_whole = "<locals>" in name and all(map(file.definition, _codes(methods(value))))
    is_whole = is_whole or any(file.is_made_here(value, *each) for each in file.names_of(value))
    problem = None if is_whole else f"not all of {name} is as the file defines it"
    ran = executed.ran_below(_codes(methods(value)), ())
    return {"state": "right", "defined_as": name, "problem": problem, "ran": ran}


def _of_code(codes: list[CodeType], file: CodeFile) -> dict[str, Any]:
    if not codes or not all(map(file.is_home, codes)):
        return {"state": "other", "defined_as": ""}
    definitions = [file.definition(each) for each in codes]
    if definitions[-1] is not None and None not in definitions:
        return {"state": "right", "defined_as": definitions[-1].name}
    if file.is_hooked():
        problem = "an import hook rewrites the code of the file"
        return {"state": "unknown", "defined_as": "", "problem": problem}
    return {"state": "outdated", "defined_as": ""}


def _checked(value: object, file: CodeFile) -> dict[str, Any]:
    """Return whether code of the file ran, and whether it finds there what the file says."""
    inside = list(_inside(value, file)) or [
        each for each in methods(type(value)) if file.definition(each.__code__)
    ]
    foreign = [name for each in inside for name in file.foreign_names(each)]
    problem = f"{foreign[0]} is not what the file says, and its code may use it" if foreign else ""
    return {"problem": problem or None, "ran": executed.ran_below(_codes(inside), ())}


def _made_here(kept: object, file: CodeFile, function: str) -> str:
    """Return the name under which a module of the file has an object just as its source says."""
    for value in (kept, called(kept)):
        for name, module in file.names_of(value):
            if function in ("", name) and file.is_made_here(value, name, module):
                return name
    return ""


def _otherwise(kept: object, file: CodeFile, wanted: Wanted) -> dict[str, Any]:
    """Describe code that is not plainly of the file."""
    value = called(kept)
    codes = entered(value)
    if _is_original(value, codes, wanted):
        return {"state": "original", "has_original": True}
    inside = [each for each in _parts(kept) if file.definition(each.__code__)]
    outer = [each for each in _parts(kept) if not file.is_home(each.__code__)]
    reached = [
        each for one in outer for each in named_functions(one) if file.definition(each.__code__)
    ]
    if inside or reached:
        found = inside or reached
        if codes or type(value) in BOUND_ARGUMENTS:
            ran = executed.ran_below(_codes(_wanted_of(found, file, wanted)), codes[-1:])
        else:
            ran = False if executed.is_used() else None
        names = dict.fromkeys(_name(each, file) for each in found)
        return {"state": "around", "inside": list(names), "ran": ran}
    if codes and file.is_copy(codes[-1].co_filename):
        return {"state": "copy"}
    has_original = any(_is_original(each, [each.__code__], wanted) for each in functions_of(value))
    return {"state": "other", "has_original": has_original}


def _parts(kept: object) -> Iterator[FunctionType]:
    """Yield the functions that an object consists of, and those of its class and what it is of."""
    yield from functions_of(kept)
    value = called(kept)
    if type(value) is not FunctionType:
        yield from methods(value)
    for each in bound_to(kept):
        yield from methods(each)


def _wanted_of(functions: list[FunctionType], file: CodeFile, wanted: Wanted) -> list[FunctionType]:
    name = wanted["function"]
    return [each for each in functions if name in ("", _name(each, file))]


def _name(function: FunctionType, file: CodeFile) -> str:
    definition = file.definition(function.__code__)
    return definition.name if definition else ""


def _inside(value: object, file: CodeFile) -> Iterator[FunctionType]:
    """Yield the functions of the file, as it is now, that an object consists of."""
    return (each for each in functions_of(value) if file.definition(each.__code__))


def _is_original(value: object, codes: list[CodeType], wanted: Wanted) -> bool:
    """Return whether an object is what the module itself defines, as far as its code says so."""
    if type(value) is BuiltinFunctionType:
        return str(value.__module__) == str(wanted["module"])
    home = getattr(sys.modules[wanted["module"]], "__file__", None)
    last = wanted["path"][-1]
    return any(each.co_filename == str(home) and each.co_name == last for each in codes[-1:])


def _codes(functions: Iterable[FunctionType]) -> list[CodeType]:
    return [each.__code__ for each in functions]


def _entry(value: object) -> dict[str, Any]:
    codes = entered(value)
    file, line = (codes[-1].co_filename, codes[-1].co_firstlineno) if codes else place(value)
    return {"file": file, "line": line}
