"""Fixes that put a function's exact successor in its place: calls, decorators, and imports."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Edit, Fix, dotted_text

from .._names.published_names import has, history
from .._names.rename import uses_of
from .old_calls import OldUse, local_name
from .successors import SUCCESSORS, Successor, arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.rule import Source


def rewriting(uses: Sequence[OldUse], source: Source) -> Fix | None:
    """Make the fix for the names of one call, decorator or import; None where it is not exact."""
    node = uses[0].node
    if isinstance(node, cst.ImportFrom):
        edits = _of_import(node, uses, source)
    else:
        edits = _of_call(uses[0], source)
    if not edits:
        return None
    new = " and ".join(f"`{each}`" for each in dict.fromkeys(_successor(use).new for use in uses))
    return Fix(f"Use {new}", tuple(edits), safe=_is_safe(uses, source))


def has_successor(use: OldUse) -> bool:
    """Return whether each release that may be installed has what took a name's place."""
    new = _successor(use).new
    known = history(new)
    if known is None or known.at(known.versions[0]) is not False:
        return True
    oldest = [each.lowest for each in use.missing.candidates]
    return all(each is not None and has(new, each) is not False for each in oldest)


def _successor(use: OldUse) -> Successor:
    return SUCCESSORS[use.dotted]


def _is_safe(uses: Sequence[OldUse], source: Source) -> bool:
    for use in uses:
        if not has_successor(use):
            return False
        if use.name == "GradScaler" and re.search(r"isinstance\([^()]*Scaler", source.code):
            return False  # the new class is the base of the old one
    node = uses[0].node
    return not isinstance(node, cst.ImportFrom) or not any(
        _is_imported_elsewhere(local_name(each.place), source)
        for each in uses
        if isinstance(each.place, cst.ImportAlias)
    )


def _is_imported_elsewhere(local: str, source: Source) -> bool:
    """Return whether another module of the project may take a name from this one."""
    folder, file = os.path.split(os.path.abspath(source.path))
    stem = file.removesuffix(".py")
    stem = os.path.basename(folder) if stem == "__init__" else stem
    name = re.escape(local)
    taken = rf"from\s+[\w.]*\b{re.escape(stem)}\s+import[^\n]*(?:\(|\b{name}\b|\*)"
    return bool(source.modules_with(source.project.folders[-1], (name, taken)))


def _of_call(use: OldUse, source: Source) -> list[Edit]:
    """Rewrite a call or a decorator that names the function in full."""
    successor = _successor(use)
    new = _written(use, successor.new, source)
    if new is None:
        return []
    if isinstance(use.node, cst.Decorator):
        return [source.replace(use.place, f"{new}({successor.bare})" if successor.bare else new)]
    if not isinstance(use.node, cst.Call):
        return []
    return rewritten_call(use.node, new, successor, source) or []


def _written(use: OldUse, new: str, source: Source) -> str | None:
    """Return a new name as this file has to write it: by what it calls torch."""
    place = use.place
    written = dotted_text(place)
    if written is None:
        return None
    if "." in written and use.dotted.rpartition(".")[0] == new.rpartition(".")[0]:
        return f"{written.rpartition('.')[0]}.{new.rpartition('.')[2]}"
    root = written.partition(".")[0]
    first = place
    while isinstance(first, cst.Attribute):
        first = first.value
    if source.resolve(first) == "torch":
        return f"{root}.{new.removeprefix('torch.')}"
    imported = re.search(r"^import[ \t]+torch[ \t]*(?:$|#|,)", source.code, re.MULTILINE)
    return new if imported else None


def rewritten_call(
    call: cst.Call, name: str, successor: Successor, source: Source
) -> list[Edit] | None:
    """Return the edits that make a call one of the successor; None where that is not exact."""
    given = arguments(call, source.text_of)
    made = successor.rewrite(given) if given is not None else None
    if given is None or made is None:
        return None
    if not given:
        return [source.replace(call, f"{name}({_listed(made)})")]
    renamed = source.replace(call.func, name)
    old = [_listed([each]) for each in given]
    new = [_listed([each]) for each in made]
    if new[: len(old)] == old:
        changes = [*old[:-1], ", ".join(new[len(old) - 1 :])]
        return [renamed, *_changed(call, list(zip(old, changes, strict=True)), source)]
    if len(new) == len(old) + 1 and made[0][0] == "":
        changes = [f"{new[0]}, {new[1]}", *new[2:]]
        return [renamed, *_changed(call, list(zip(old, changes, strict=True)), source)]
    text = source.text_of(call)
    if "\n" in text or "#" in text:
        return None
    return [source.replace(call, f"{name}({_listed(made)})")]


def _changed(call: cst.Call, changes: Sequence[tuple[str, str]], source: Source) -> Iterator[Edit]:
    """Change single arguments: each has its old and its new text."""
    for argument, (old, new) in zip(call.args, changes, strict=True):
        if new == old:
            continue
        # The value keeps its place, so that a comment beside it does.
        if argument.keyword is not None and new.endswith(f", {old}"):
            yield source.replace(argument.keyword, new.partition("=")[0])
        elif argument.keyword is not None:
            yield source.replace(argument.value, new.partition("=")[2])
        else:
            yield source.replace(argument.value, new)


def _listed(arguments_: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{key}={text}" if key else text for key, text in arguments_)


def _of_import(node: cst.ImportFrom, uses: Sequence[OldUse], source: Source) -> list[Edit]:
    """Import the successors instead, and rewrite all that the file does with the old names."""
    edits: list[Edit] = []
    moved: dict[cst.ImportAlias, str] = {}
    for use in uses:
        alias, successor = use.place, _successor(use)
        if not isinstance(alias, cst.ImportAlias):
            return []
        local = local_name(alias)
        found = uses_of(local, use.dotted, source)
        module, _, new = successor.new.rpartition(".")
        name = local if alias.asname is not None else new
        if found is None or (name != local and re.search(rf"\b{re.escape(name)}\b", source.code)):
            return []
        for each in found:
            of_one = _of_local(each, name, successor, source)
            if of_one is None:
                return []
            edits += of_one
        moved[alias] = f"from {module} import {new}" + (f" as {local}" if name != new else "")
    return [*_statement(node, moved, source), *edits]


def _of_local(use: cst.Name, name: str, successor: Successor, source: Source) -> list[Edit] | None:
    """Rewrite one use of an imported name; [] where it may stay."""
    parent = source.parent(use)
    if isinstance(parent, cst.Call) and parent.func is use:
        return rewritten_call(parent, name, successor, source)
    if isinstance(parent, cst.Decorator):
        text = f"{name}({successor.bare})" if successor.bare else name
        return [source.replace(use, text)] if text != use.value else []
    is_type = source.enclosing(use, cst.Annotation) is not None
    if is_type or successor.shown == successor.new:
        return [source.replace(use, name)] if name != use.value else []
    return None


def _statement(
    node: cst.ImportFrom, moved: dict[cst.ImportAlias, str], source: Source
) -> list[Edit]:
    """Make the import statement anew: what stays, then what other modules have."""
    if isinstance(node.names, cst.ImportStar):
        return []
    lines: dict[str, list[str]] = {}
    for text in moved.values():
        head, _, name = text.partition(" import ")
        lines.setdefault(head, []).append(name)
    new = [f"{head} import {', '.join(names)}" for head, names in lines.items()]
    rest = [each for each in node.names if each not in moved]
    if rest:
        if node.lpar is None:
            rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        new.insert(0, cst.Module([]).code_for_node(node.with_changes(names=rest)))
    span = source.span(node)
    start = source.offset_of(span.line) + span.column - 1
    indent = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    if len(new) > 1 and indent.strip():
        return []
    return [source.replace(node, f"\n{indent}".join(new))]
