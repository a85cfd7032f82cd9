"""What a node of LibCST names: what it calls, looks up, assigns to, imports or defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def last_name(node: Any) -> str | None:
    """Return the last identifier of a name or a dotted expression: ``c`` for ``a.b.c``."""
    attribute = getattr(node, "attr", node)
    value = getattr(attribute, "value", None)
    return value if isinstance(value, str) else None


def _call_names(node: Any) -> Iterator[str]:
    name = last_name(node.func)
    if name is not None:
        yield name


def _attribute_names(node: Any) -> Iterator[str]:
    yield node.attr.value


def _assignment_names(node: Any) -> Iterator[str]:
    targets = [each.target for each in node.targets] if hasattr(node, "targets") else [node.target]
    for target in targets:
        elements = getattr(target, "elements", None)
        for leaf in [target] if elements is None else [element.value for element in elements]:
            name = last_name(leaf)
            if name is not None:
                yield name


def _import_names(node: Any) -> Iterator[str]:
    modules = [node.module] if hasattr(node, "module") else [alias.name for alias in node.names]
    for module in modules:
        root = module
        while hasattr(root, "attr"):
            root = root.value
        if root is not None:
            yield root.value


def _definition_names(node: Any) -> Iterator[str]:
    yield node.name.value


NAMES_OF: dict[str, Callable[[Any], Iterator[str]]] = {
    "call": _call_names,
    "attribute": _attribute_names,
    "assignment": _assignment_names,
    "import": _import_names,
    "definition": _definition_names,
    "part": _call_names,
}
"""By the kind of a trigger."""
