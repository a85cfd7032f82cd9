"""Where Python code sets a variable of the environment of its own process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.syntax.nodes import argument, string_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.source.python import Source

_ENVIRONMENT = "os.environ"


@dataclass(frozen=True, eq=False)
class EnvironmentSetting:
    """A variable and the expression that it is set to, with the statement or call that does so.

    ``is_default`` says that it is set only where it is not set already.
    """

    name: str
    value: cst.BaseExpression
    node: cst.CSTNode
    is_default: bool = False


def environment_settings(
    node: cst.Assign | cst.Call, source: Source
) -> Iterator[EnvironmentSetting]:
    """Yield what ``os.environ[…] = …``, ``setdefault`` or ``update`` of ``os.environ`` set."""
    if isinstance(node, cst.Assign):
        for target in node.targets:
            name = _subscripted(target.target, source)
            if name is not None:
                yield EnvironmentSetting(name, node.value, node)
        return
    method = node.func
    if not isinstance(method, cst.Attribute) or source.resolve(method.value) != _ENVIRONMENT:
        return
    if method.attr.value == "setdefault":
        name, value = string_value(argument(node, 0, "key")), argument(node, 1, "default")
        if name is not None and value is not None:
            yield EnvironmentSetting(name, value, node, is_default=True)
    elif method.attr.value == "update":
        yield from _updated(node)


def _updated(call: cst.Call) -> Iterator[EnvironmentSetting]:
    for each in call.args:
        if each.keyword is not None:
            yield EnvironmentSetting(each.keyword.value, each.value, call)
        for item in each.value.elements if isinstance(each.value, cst.Dict) else ():
            name = string_value(item.key) if isinstance(item, cst.DictElement) else None
            if name is not None:
                yield EnvironmentSetting(name, item.value, call)


def _subscripted(target: cst.BaseExpression, source: Source) -> str | None:
    """Return the key of ``os.environ["KEY"]``, None for all else."""
    if not isinstance(target, cst.Subscript) or len(target.slice) != 1:
        return None
    index = target.slice[0].slice
    if not isinstance(index, cst.Index) or source.resolve(target.value) != _ENVIRONMENT:
        return None
    return string_value(index.value)
