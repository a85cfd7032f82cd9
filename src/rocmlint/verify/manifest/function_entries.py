"""The ``[[function]]`` entries of a manifest: whose code must run where a function is looked up."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_KEY = r"\[(?:\"[^\"\\\n]*\"|'[^'\\\n]*'|-?\d{1,9})\]"
_NAME = re.compile(rf"({_NAMES}):({_NAMES})((?:{_KEY})*)")
_FUNCTION = re.compile(r"(?:[^\W\d]\w*|<locals>|<lambda>)(?:\.(?:[^\W\d]\w*|<locals>|<lambda>))*")

NAME_FORM = "must be MODULE:NAME, such as torch.nn.modules.linear:Linear.forward"
FUNCTION_FORM = "must be the qualified name of a function or a class, such as fast_forward"


@dataclass(frozen=True)
class ManifestFunction:
    """A function that must be that of a file.

    ``name`` is ``module:qualified.name`` as in entry points; ``["key"]`` behind it is what a
    registry holds. ``file`` is a path from the folder of the manifest, with ``/``. ``function`` is
    its qualified name in that file (empty: any), ``sha256`` the hash of the file (empty: any).
    """

    name: str
    file: str
    function: str = ""
    sha256: str = ""

    @cached_property
    def _parts(self) -> tuple[str, str, str]:
        match = _NAME.fullmatch(self.name)
        return (match[1], match[2], match[3]) if match else ("", "", "")

    @property
    def module(self) -> str:
        """The module in which the function is looked up."""
        return self._parts[0]

    @property
    def attribute(self) -> str:
        """The qualified name, with the key of a registry."""
        return self._parts[1] + self._parts[2]

    @cached_property
    def keys(self) -> tuple[str | int, ...]:
        """The keys by which a registry is asked."""
        return tuple(ast.literal_eval(each[1:-1]) for each in re.findall(_KEY, self._parts[2]))

    def request(self, folder: str) -> dict[str, Any]:
        """Return the question to ``inside.live.claimed_functions``; ``folder`` has the manifest."""
        return {
            "name": self.name,
            "module": self.module,
            "attribute": self.attribute,
            "path": self._parts[1].split("."),
            "keys": list(self.keys),
            "file": os.path.join(os.path.abspath(folder), *self.file.split("/")),
            "function": self.function,
            "sha256": self.sha256,
        }


def name_problem(name: str) -> str | None:
    """Return why a text is not the name of a function in a module."""
    return None if _NAME.fullmatch(name) else NAME_FORM


def function_problem(function: str) -> str | None:
    """Return why a text is not the qualified name of what a file defines."""
    return None if _FUNCTION.fullmatch(function) else FUNCTION_FORM


def repeated(functions: list[ManifestFunction]) -> Iterator[ManifestFunction]:
    """Yield each function that was listed before, also where its key is quoted in another way."""
    seen = set()
    for each in functions:
        known = (each.module, each.attribute.partition("[")[0], each.keys)
        if known in seen:
            yield each
        seen.add(known)
