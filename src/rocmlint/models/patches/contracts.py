"""The patches of a module: what each replaces, and with which function."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rocmlint.models.patches.evaluation import UNKNOWN, dotted_name
from rocmlint.models.patches.library import Found
from rocmlint.models.patches.namespace import local_names
from rocmlint.python.names import last_name
from rocmlint.python.scopes import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.models.patches.library import Library
    from rocmlint.models.patches.namespace import Namespace
    from rocmlint.models.patches.sources import Module
    from rocmlint.python.scopes import FunctionNode

CLASS, METHODS, ALLOWS = "_PATCHED_CLASS_", "_PATCHES_", "_PATCH_ALLOWS_"
PREFIX = "patched_"
DECORATOR, MANAGER, REPLACES = "register_patch", "patch_attribute", "replaces"
BUILTIN = "BUILTIN"
LIST, PAIR = "PATCHES", "Patch"
_IN_BRACKETS = re.compile(r"\[patch:\s*([\w.]+)\s*\]")
_BY_HAND = re.compile(r"\Amanual patch\b[^`]*``([\w.]+)``")


@dataclass(frozen=True, eq=False)
class Replacement:
    """One attribute and the function that takes its place; None where that cannot be told.

    ``wraps`` is the parameter of a factory that the replaced function is passed as.
    """

    target: str
    function: FunctionNode | ast.Lambda | None
    place: ast.AST
    wraps: str = ""
    siblings: tuple[str, ...] = ()
    """All targets of a factory, which may differ in the names of their parameters."""

    @property
    def attribute(self) -> str:
        """The name of what is replaced."""
        return self.target.rpartition(".")[2]


@dataclass(frozen=True, eq=False)
class Patch:
    """A patch: a class, a function, a factory or an assignment, and what it replaces."""

    form: Literal["class", "function", "factory", "assignment"]
    name: str
    node: ast.AST
    place: ast.AST
    """What a problem of the whole patch is reported at."""
    target: str
    """The class of a class, the function of a function, the first of a factory."""
    names: Namespace
    replacements: tuple[Replacement, ...] = ()
    allows: tuple[str, ...] = ()
    allowed_at: ast.AST | None = None
    found: Found | None = None
    """A patch class itself."""
    undefined: tuple[str, ...] = ()
    """Methods that a class lists and does not define."""
    unreadable: str = ""
    """Why the contract cannot be read."""


def patches_of(module: Module, library: Library) -> Iterator[Patch]:
    """Yield the patches of a module that a version takes, in order."""
    names = library.names_of(module)
    if not _is_for_this_version(names, library):
        return
    for bound in names.names.get(LIST, ()):
        yield from _of_list(bound.node, names, library) if bound.node is not None else ()
    for node in names.live:
        if isinstance(node, ast.ClassDef):
            yield from _of_class(node, names, library)
        elif isinstance(node, FUNCTIONS):
            yield from _of_function(node, names)
            yield from _of_decorators(node, names, library)
            local = local_names(node, module, library, names)
            yield from _of_calls(node, local, library)
            yield from _of_pairs(node, local, library)
            yield from _of_assignments(node, local, library)


def _is_for_this_version(names: Namespace, library: Library) -> bool:
    """Read ``BUILTIN = Builtin(library="lib", since="1.2", before="2", ...)``, as in rocmlint."""
    bound = names.names.get(BUILTIN, ())
    call = bound[-1].node if bound else None
    if not isinstance(call, ast.Call):
        return True
    from rocmlint.text.written import version_of  # noqa: PLC0415 - few files need it

    given = {each.arg: library.value(each.value, names) for each in call.keywords}
    version = library.version(str(given.get("library", "transformers")))
    limits = [version_of(str(given.get(each))) for each in ("since", "before")]
    if version is None or limits[0] is None or limits[1] is None:
        return True
    return limits[0].release <= version.release < limits[1].release


# Classes


def _of_class(node: ast.ClassDef, names: Namespace, library: Library) -> Iterator[Patch]:
    found = Found("found", f"{names.module.name}.{node.name}", names.module, node, names)
    members = library.members_of(found)
    bound = members.names.get(CLASS)
    if not bound or bound[0].node is None:
        return
    value, place = bound[-1].node, bound[-1].node
    while isinstance(value, ast.IfExp):
        truth = library.truth(value.test, members)
        value = value.body if truth is not False else value.orelse
    if isinstance(value, ast.Constant) and value.value is None:
        return
    target = _owner(value, members, library) if value is not None else None
    allows, allowed_at = _allowed(members, library)
    listed, problem = _listed(found, library)
    if target is None:
        problem = f"`{CLASS}` is not the name of a class"
    replacements, undefined = _replacements(found, target or "", listed, library)
    yield Patch(
        "class",
        node.name,
        node,
        place or node,
        target or "",
        names,
        replacements,
        allows,
        allowed_at,
        found,
        undefined,
        problem or _cycle(found, library),
    )


def _listed(found: Found, library: Library) -> tuple[list[str], str]:
    """Return the methods that a class lists, and what is wrong with the list."""
    listed = library.member(found, METHODS)
    if listed.status == "missing":
        return [], f"there is no `{METHODS}`"
    value = library.value(listed.node, library.members_of(listed.owner or found))
    if value is UNKNOWN:
        return [], ""
    if not isinstance(value, list):
        return [], f"`{METHODS}` is not a list of names"
    wrong = [each for each in value if not (each is UNKNOWN or each is None or _is_name(each))]
    problem = f"`{METHODS}` has {wrong[0]!r}, which is not a name" if wrong else ""
    return [each for each in value if isinstance(each, str) and each.isidentifier()], problem


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier()


def _replacements(
    found: Found, target: str, listed: list[str], library: Library
) -> tuple[tuple[Replacement, ...], tuple[str, ...]]:
    result, undefined = [], []
    holder = library.find(target) if target else found
    theirs = {each.node for each in library.order(holder).classes} if holder.is_class else set()
    for name in listed:
        member = library.member(found, name)
        # What both inherit, as from Module, is no replacement.
        is_theirs = member.owner is None or (member.owner.node in theirs and holder is not found)
        if member.status == "missing" or (member.status == "found" and is_theirs):
            undefined.append(name)
        else:
            function = member.node if isinstance(member.node, FUNCTIONS) else None
            is_here = member.module is found.module and function is not None
            place = function if is_here and member.owner is found else found.node
            assert place is not None
            result.append(Replacement(f"{target}.{name}", function, place))
    return tuple(result), tuple(undefined)


def _allowed(members: Namespace, library: Library) -> tuple[tuple[str, ...], ast.AST | None]:
    bound = members.names.get(ALLOWS)
    if not bound or bound[-1].node is None:
        return (), None
    value = library.value(bound[-1].node, members)
    names = value if isinstance(value, list) else [value]
    return tuple(each if isinstance(each, str) else "?" for each in names), bound[-1].node


def _cycle(found: Found, library: Library) -> str:
    cycle = library.order(found).cycle
    return f"the bases of `{cycle.rpartition('.')[2]}` lead back to it" if cycle else ""


def _owner(node: ast.AST, names: Namespace, library: Library) -> str | None:
    """Return the dotted name of an owner, which is named itself or in a string."""
    written = library.value(node, names) if isinstance(node, ast.Constant) else None
    return written if _is_path(written) else dotted_name(node, names)


# Pairs of a target and a function


def _of_list(node: ast.AST, names: Namespace, library: Library) -> Iterator[Patch]:
    """Read ``PATCHES = [(owner, "name", function), ("dotted.path", function)]``."""
    for each in ast.walk(node):
        if isinstance(each, ast.Tuple) and len(each.elts) in {2, 3}:
            yield from _pair(each, each.elts, names, library)


def _of_pairs(node: FunctionNode, names: Namespace, library: Library) -> Iterator[Patch]:
    """Read ``Patch(owner, "name", function)``, as a session of rocmlint takes it."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and last_name(each.func) == PAIR and len(each.args) >= 3:
            yield from _pair(each, each.args[:3], names, library)


def _pair(
    place: ast.AST, given: list[ast.expr], names: Namespace, library: Library
) -> Iterator[Patch]:
    *path, last = given
    owner = _owner(path[0], names, library)
    attribute = library.value(path[1], names) if len(path) == 2 else ""
    function = _defined(last, names)
    if owner is None or function is None or not isinstance(attribute, str):
        return
    if owner.partition(".")[0] == names.module.name.partition(".")[0]:
        return
    target = f"{owner}.{attribute}".rstrip(".")
    if _is_path(target):
        name = getattr(function, "name", attribute)
        replacement = Replacement(target, function, place)
        yield Patch("assignment", name, function, place, target, names, (replacement,))


# Functions


def _of_function(node: FunctionNode, names: Namespace) -> Iterator[Patch]:
    target = _documented(node)
    if target:
        replacement = Replacement(target, node, node)
        yield Patch("function", node.name, node, node, target, names, (replacement,))


def _documented(node: FunctionNode) -> str:
    """Return what the docstring of a function says that it replaces, "" for nothing."""
    text = (ast.get_docstring(node) or "") if node.name.startswith(PREFIX) else ""
    match = _IN_BRACKETS.search(text) or _BY_HAND.search(text)
    return match[1] if match is not None else ""


def _of_assignments(node: FunctionNode, names: Namespace, library: Library) -> Iterator[Patch]:
    """Read ``torch.owner.name = patched_name``, unless the function says itself what it is for."""
    own = names.module.name.partition(".")[0]
    for each in ast.walk(node):
        if not isinstance(each, ast.Assign) or not isinstance(each.targets[0], ast.Attribute):
            continue
        target = dotted_name(each.targets[0], names)
        value = dotted_name(each.value, names) or ""
        if target is None or target.partition(".")[0] == own or f".{PREFIX}" not in value:
            continue
        function = library.find(value).node
        told = _documented(function) if isinstance(function, FUNCTIONS) else ""
        is_told = bool(told) and library.find(told).node is library.find(target).node
        if isinstance(function, FUNCTIONS) and not is_told:
            replacement = Replacement(target, function, each)
            name = value.rpartition(".")[2]
            yield Patch("assignment", name, each, each, target, names, (replacement,))


# Factories


def _of_decorators(node: FunctionNode, names: Namespace, library: Library) -> Iterator[Patch]:
    """Read ``@register_patch(backend, *paths)`` or ``@replaces(*paths)`` above a factory."""
    targets: dict[str, ast.AST] = {}
    for call in (each for each in node.decorator_list if isinstance(each, ast.Call)):
        paths = {DECORATOR: call.args[1:], REPLACES: call.args}.get(last_name(call.func))
        if paths is not None:
            given = ((library.value(each, names), each) for each in paths)
            targets |= {value: each for value, each in given if _is_path(value)}
    if targets:
        yield _factory(node.name, node, names, targets)


def _of_calls(node: FunctionNode, names: Namespace, library: Library) -> Iterator[Patch]:
    """Read ``patch_attribute(owner, "name", factory)`` inside a function."""
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or len(call.args) != 3:
            continue
        if last_name(call.func) != MANAGER or node.name == MANAGER:
            continue
        owner, name = dotted_name(call.args[0], names), library.value(call.args[1], names)
        factory = _defined(call.args[2], names)
        if owner is not None and _is_name(name) and factory is not None:
            yield _factory(MANAGER, factory, names, {f"{owner}.{name}": call})


def _factory(
    name: str, factory: FunctionNode | ast.Lambda, names: Namespace, targets: dict[str, ast.AST]
) -> Patch:
    function = _returned(factory)
    parameters = factory.args.args
    wraps = parameters[0].arg if parameters else ""
    replacements = tuple(
        Replacement(target, function, place, wraps, tuple(targets))
        for target, place in targets.items()
    )
    target, place = next(iter(targets.items()))
    return Patch("factory", name, factory, place, target, names, replacements)


def _defined(node: ast.expr, names: Namespace) -> FunctionNode | ast.Lambda | None:
    if isinstance(node, ast.Lambda):
        return node
    bound = names.look_up(node.id) if isinstance(node, ast.Name) else None
    last = bound[-1].node if bound else None
    return last if isinstance(last, FUNCTIONS) else None


def _returned(factory: FunctionNode | ast.Lambda) -> FunctionNode | ast.Lambda | None:
    """Return the function that a factory makes, None where that cannot be told."""
    if isinstance(factory, ast.Lambda):
        return factory.body if isinstance(factory.body, ast.Lambda) else None
    inner = {each.name: each for each in factory.body if isinstance(each, FUNCTIONS)}
    nested = {node for each in inner.values() for node in ast.walk(each)}
    returns = [
        each.value
        for each in ast.walk(factory)
        if isinstance(each, ast.Return) and each not in nested
    ]
    if len(returns) != 1:
        return None
    value = returns[0]
    return value if isinstance(value, ast.Lambda) else inner.get(getattr(value, "id", ""))


def _is_path(value: object) -> bool:
    return isinstance(value, str) and "." in value and all(map(str.isidentifier, value.split(".")))
