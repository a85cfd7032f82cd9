"""Patches and the checks for them: their names, and the shapes of the code around them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import has_entry, known_packages
from rocmlint.rule import dotted_text, last_name, string_value
from rocmlint.rule.claims import patch_check

if TYPE_CHECKING:
    from rocmlint.rule import Claim, File, Source

PATCH_WORDS = (
    "_patched",
    "assert_patch",
    "check_patch",
    "installed_correctly",
    "patch_applied",
    "patch_installed",
    "patches_applied",
    "patches_installed",
    "validate_patch",
    "verify_patch",
)
"""What the name of each such function contains, for the search in bytes."""
PATCH_CHECK = (
    rf"(?:are|assert|check|ensure|has|have|is|validate|verify)_\w*(?:{'|'.join(PATCH_WORDS)})\w*"
    r"|(?:is|are)_patched\w*|(?:assert|check|validate|verify)_patch\w*"
)
"""Names of functions that tell whether patched files are in place."""

_LOGGING = frozenset(
    {
        *("critical", "debug", "error", "exception", "info", "log", "print", "print_exc", "warn"),
        *("warning", "warning_once", "warning_rank0", "warn_once", "rank0_print", "print_rank_0"),
    }
)


def patched_package(check: str, source: Source) -> str | None:
    """Return the package that a check of patches is about: where it lies, its name, or its code."""
    definition = source.definition(check) if "." not in check else None
    body = "" if definition is None else source.text_of(definition)
    for text in (check.replace("_", "."), body):
        for word in re.findall(r"\w+", text):
            if word in known_packages():
                return str(word)
    return None


def has_folder(package: str, folder: str, file: File) -> bool:
    """Return whether a release of a known package has a folder, as far as the tables tell."""
    from rocmlint.published.names import names_of  # noqa: PLC0415 - few files need it

    inner = folder.split("/")
    names = names_of(package)
    if names is None:
        return has_entry(package, inner[0], file.project)
    return ".".join([package, *inner]) in names.modules()


def claims_of_check(check: cst.CSTNode | str, source: Source) -> tuple[Claim, ...]:
    """Return what a check of patches is to tell."""
    name = check if isinstance(check, str) else source.resolve(check) or dotted_text(check) or ""
    package = patched_package(name, source)
    return () if package is None else (patch_check(package),)


def is_silent(statement: cst.CSTNode) -> bool:
    """Return whether a statement does nothing: ``pass``, ``...``, a string."""
    return isinstance(statement, cst.Pass) or (
        isinstance(statement, cst.Expr)
        and isinstance(statement.value, (cst.Ellipsis, cst.SimpleString, cst.ConcatenatedString))
    )


def logged(statement: cst.CSTNode) -> cst.Call | None:
    """Return the call of a statement that only prints or logs."""
    call = statement.value if isinstance(statement, cst.Expr) else None
    if not isinstance(call, cst.Call):
        return None
    return call if last_name(call.func) in _LOGGING else None


def imported_module(node: cst.CSTNode, source: Source) -> str | None:
    """Return the module that an expression stands for, if the file imports it."""
    value = source.value_of(node)
    if isinstance(value, cst.Call):
        if source.resolve(value.func) == "importlib.import_module" and value.args:
            return string_value(value.args[0].value)
        return None
    if isinstance(node, cst.Subscript):
        return string_value(index_of(node)) if source.resolve(node.value) == "sys.modules" else None
    root = node
    while isinstance(root, cst.Attribute):
        root = root.value
    if not isinstance(root, cst.Name):
        return None
    bound = source.bindings(root.value, node)
    return source.resolve(node) if any(each.kind == "import" for each in bound) else None


def index_of(node: cst.Subscript) -> cst.BaseExpression | None:
    """Return ``i`` of ``x[i]``."""
    element = node.slice[0].slice if len(node.slice) == 1 else None
    return element.value if isinstance(element, cst.Index) else None


def local_definition(node: cst.CSTNode, source: Source) -> cst.FunctionDef | cst.ClassDef | None:
    """Return the function or class of this file that a name stands for."""
    if not isinstance(node, cst.Name):
        return None
    found = source.bindings(node.value, node)
    definition = found[0].node if len(found) == 1 else None
    return definition if isinstance(definition, (cst.FunctionDef, cst.ClassDef)) else None


def made_by(value: cst.BaseExpression, source: Source) -> str:
    """Return what defines a function that is set, as a claim names it; empty if that is unknown."""
    if isinstance(value, cst.Lambda):
        return ":"
    if isinstance(value, cst.Call):
        given = made_by(value.args[0].value, source) if value.args else ""
        return f"{made_by(value.func, source)}({given})"
    if isinstance(value, cst.Name):
        bound = source.bindings(value.value, value)
        if len(bound) == 1 and isinstance(bound[0].node, (cst.FunctionDef, cst.ClassDef)):
            return ":" + _qualified(bound[0].node, source)
    return source.resolve(value) or ""


def _qualified(node: cst.FunctionDef | cst.ClassDef, source: Source) -> str:
    """Return the qualified name of a definition, as Python gives it."""
    name = node.name.value
    for each in source.ancestors(node):
        if isinstance(each, cst.FunctionDef):
            name = f"{each.name.value}.<locals>.{name}"
        elif isinstance(each, cst.ClassDef):
            name = f"{each.name.value}.{name}"
    return name
