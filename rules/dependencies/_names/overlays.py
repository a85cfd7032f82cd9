"""What makes a package another than the one published, so that its names are not judged."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Protocol

from rocmlint.disk.questions import question
from rocmlint.rule import compile_lazily, once_per_file

from .uses import Uses, imports, places_of

if TYPE_CHECKING:
    from rocmlint.disk.disk import DiskView
    from rocmlint.rule import Source

_REWRITTEN = frozenset({"peft", "transformers", "trl"})
_REWRITES = compile_lazily(r"^[ \t]*(?:from|import)[ \t]+unsloth", re.MULTILINE)
"""unsloth gives these packages' classes and functions other parameters when it is imported."""


class Named(Protocol):
    """What is missing, or a use of it."""

    @property
    def dotted(self) -> str:
        """The full name: "transformers.AdamW"."""


@once_per_file
def foreign_uses(source: Source) -> Uses:
    """Return what a file imports from packages that are not its own, and where it uses that.

    Of torch all imports count: few of its names are judged.
    """
    text = source.text
    found = imports(text, lambda package: package == "torch" or not is_own(package, source))
    return places_of(found, text)


def is_of_other_package(found: Named, source: Source) -> bool:
    """Packages of which the project replaces modules, or that unsloth rewrites.

    Written for unslothai/notebooks, nb/AMD-Llama_FP8_GRPO.ipynb; the import of unsloth may be in
    another module of the same package.
    """
    is_rewritten = found.dotted.partition(".")[0] in _REWRITTEN and _imports_rewriter(source)
    return is_rewritten or _has_overlay(found.dotted, source.project.folders[-1], source)


@once_per_file
def is_own(package: str, source: Source) -> bool:
    """Return whether a file belongs to a package, or its project has a copy of that."""
    from rocmlint.project.environment import installed_as  # noqa: PLC0415 - few files need it

    own = installed_as(source.path, source)
    if own is not None:
        return own[0] == package
    if source.package is not None and source.package[0] == package:
        return True
    first_party: bool = source.is_first_party(package)
    return first_party


@once_per_file
def _imports_rewriter(source: Source) -> bool:
    if "unsloth" in source.text and _REWRITES.search(source.code):
        return True
    folder = os.path.dirname(os.path.abspath(source.path))
    if not source.exists(os.path.join(folder, "__init__.py")):
        return False
    return bool(source.modules_with(folder, (r"(?m)^(?:from|import)[ \t]+unsloth\b",)))


@question
def _has_overlay(dotted: str, root: str, view: DiskView) -> bool:
    """Return whether a file of the project may replace a module, as its path ends like that.

    ``patches/models/gemma/modeling_gemma.py`` stands for
    ``transformers.models.gemma.modeling_gemma``: what that module has, the index cannot know.
    """
    parts = dotted.split(".")
    wanted = tuple(
        os.path.join(os.sep, parts[length - 2], f"{parts[length - 1]}.py")
        for length in range(3, len(parts) + 1)
    )
    return any(path.endswith(wanted) for path in view.modules_below(root))
