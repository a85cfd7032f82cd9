"""ROC117, copy-after-import."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.project.packages import known_packages
from rocmlint.rule import PythonRule, argument, compile_lazily, nodes, shortened
from rocmlint.rule.claims import replacement

from ._copied_files import COPY_FUNCTIONS, claims_of_copy, is_copy
from ._paths import UNKNOWN, path_of
from ._program import imports_before

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_RESTARTS = compile_lazily(r"\bos\s*\.\s*exec|\bsubprocess\b|\bsys\s*\.\s*exit\b|\bSystemExit\b")
_COPY = compile_lazily(rf"\b(?:{'|'.join(COPY_FUNCTIONS)})\s*\(")
_PACKAGE_FOLDER = ("__file__", "__path__", "find_spec", "getfile")


class LateCopy(NamedTuple):
    """A copy over the files of ``copied``, and the modules there that were imported before it."""

    copied: str
    imported: list[tuple[str, cst.CSTNode]]


def _copies(source: Source) -> Iterable[re.Match[str]]:
    """Find calls that copy files, in a file that asks where a package lies."""
    asks = any(word in source.code for word in _PACKAGE_FOLDER)
    return _COPY.finditer(source.code) if asks else ()


def is_restarted(late: LateCopy, source: Source) -> bool:
    """Programs that start another process or exit after the copy."""
    del late
    return _RESTARTS.search(source.code) is not None


class CopyAfterImport(PythonRule["cst.Call"]):
    """Files are copied over modules that are already imported.

    ## Why it matters
    Python reads the file of a module once. A module that was imported stays what it was until
    the process ends, so the run that copies the patched files is itself unpatched.

    ## Example
    ```python
    import shutil
    from pathlib import Path

    import transformers
    from transformers.models.llama.modeling_llama import LlamaModel

    models = Path(transformers.__file__).parent / "models"
    shutil.copytree("patches/models", models, dirs_exist_ok=True)
    ```

    ## Use instead
    Copy before the first import, found without importing, or in another process.
    ```python
    import importlib.util
    import shutil
    from pathlib import Path

    models = Path(importlib.util.find_spec("transformers").origin).parent / "models"
    shutil.copytree("patches/models", models, dirs_exist_ok=True)
    from transformers.models.llama.modeling_llama import LlamaModel
    ```

    ## References
    - https://docs.python.org/3/reference/import.html#the-module-cache
    """

    code = "ROC117"
    name = "copy-after-import"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = nodes(
        "Call",
        words=("shutil.copy", "shutil.move", "from shutil import"),
        finder=_copies,
        described="calls of `shutil` that copy files",
    )
    doubts = (is_restarted,)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find copies over modules that run already."""
        late = _late_copy(node, source)
        if late is None:
            return
        imported, first = late.imported[0]
        line = source.named_line(source.span(first).line)
        message = f"This replaces files of `{shortened(late.copied)}` after {line} imported them"
        advice = (
            f"Copy before that import, or in another process. The old `{imported}` stays in use "
            f"until this process ends."
        )
        inner = [module for module, statement in late.imported if statement is first][-1]
        claims = (*claims_of_copy(node, source), replacement(inner))
        severity = self.severity_of(late, source)
        yield self.finding(node, source, message, help=advice, claims=claims, severity=severity)


def _late_copy(node: cst.Call, source: Source) -> LateCopy | None:
    """Return what a copy into a known package replaces, None where nothing of it runs already."""
    target = argument(node, 1, "dst")
    path = None if target is None or not is_copy(node, source) else path_of(target, source)
    if path is None or path.up != 1 or path.module not in known_packages():
        return None
    said = takewhile(lambda name: name != UNKNOWN, path.names)
    names = [name.removesuffix(".py") for name in said]
    copied = ".".join([path.module, *names])
    imported = [
        (module, statement)
        for module, statement in imports_before(node, path.module, source)
        if module.startswith(f"{copied}.") or (names and module == copied)
    ]
    return LateCopy(copied, imported) if imported else None
