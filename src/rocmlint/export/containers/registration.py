"""How a class becomes a container of tensors for torch: its registration in torch's pytrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Registration:
    """A class that an exported program takes or returns, and how it is taken apart.

    The functions are those of ``torch.utils._pytree.register_pytree_node``:

    - ``flatten(value)`` returns the children, a list, and a context: what else is needed to build
      the value again. It must compare equal for values of the same structure.
    - ``unflatten(children, context)`` returns the value.
    - ``flatten_with_keys(value)`` returns a list of pairs of a key and a child, and the context.
      ``torch.export`` names inputs after the keys and requires it for ``dynamic_shapes``.
    - ``name`` is the class in a saved program; the default is its module and qualified name.
    - ``to_dumpable`` and ``from_dumpable`` turn the context into JSON and back, for
      ``torch.export.save``; without them it must be JSON already.
    """

    cls: type
    flatten: Callable[[Any], tuple[list[Any], Any]]
    unflatten: Callable[[Any, Any], Any]
    flatten_with_keys: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None
    name: str = ""
    to_dumpable: Callable[[Any], Any] | None = None
    from_dumpable: Callable[[Any], Any] | None = None

    @property
    def serialized_name(self) -> str:
        """Return the name of the class in a saved program."""
        return self.name or f"{self.cls.__module__}.{self.cls.__qualname__}"
