"""ROC104, patch-after-import."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import known_packages
from rocmlint.rule import PythonRule, calls, compile_lazily, last_name, once_per_file
from rocmlint.rule.claims import patched_files, replacement

from ._late_patches import PATCHES_IMPORTED, late_patches, late_words
from ._patches import imported_module
from ._program import imports_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_CHANGES_FILES = compile_lazily(
    r"\b__class__\b|\bcp |\bcopy(?:2|file|tree)?\s*\(|\bgit (?:apply|pull)\b|patch|\bpip"
    r"|write_text\s*\(",
    re.IGNORECASE,
)
_NEAR = 30
"""Lines above a reload in which the reason for it must stand."""


def changes_no_files(reload: cst.Call, source: Source) -> bool:
    """Reloads where nothing above, from the import of the package on, changes files."""
    line, package = source.span(reload).line, _reloaded(reload, source)
    imports = (
        source.span(statement).line
        for module, statement in imports_before(reload, package.partition(".")[0], source)
        if f"{module}.".startswith(f"{package}.")
    )
    first = max(0, line - _NEAR, min(imports, default=0))
    return not _CHANGES_FILES.search("\n".join(source.lines[first:line]))


class PatchAfterImport(PythonRule["cst.Assign | cst.Call"]):
    """Patch comes too late: the old object is already imported.

    ## Why it matters
    ``from module import function`` keeps the function that the module had at that moment. When
    ``module.function`` is replaced afterwards, everybody who looks it up in the module gets the
    new one, but calls of the imported name still run the old one. The same holds for files:
    ``importlib.reload`` of a package runs only its ``__init__.py`` again, none of its submodules.

    Names that are renamed by the import, or bound again after it, are not reported.

    ## Example
    ```python
    from transformers.models.llama import modeling_llama
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    def fast_rotary(q, k, cos, sin):
        return q * cos + k * sin, k * cos

    modeling_llama.apply_rotary_pos_emb = fast_rotary
    query, key = apply_rotary_pos_emb(1, 2, 3, 4)
    ```

    ## Use instead
    Patch first and import afterwards, or call the function through its module. Replace files
    before the first import of the package, or in another process.
    ```python
    from transformers.models.llama import modeling_llama

    def fast_rotary(q, k, cos, sin):
        return q * cos + k * sin, k * cos

    modeling_llama.apply_rotary_pos_emb = fast_rotary
    query, key = modeling_llama.apply_rotary_pos_emb(1, 2, 3, 4)
    ```

    ## References
    - https://docs.python.org/3/reference/simple_stmts.html#the-import-statement
    - https://docs.python.org/3/library/importlib.html#importlib.reload
    """

    code = "ROC104"
    name = "patch-after-import"
    since = "0.1.0"
    skips = frozenset({"test"})
    on = PATCHES_IMPORTED | calls(
        "reload", words=("reload(", "reload (", "reload as"), where=r"reload(?<!\wreload)[ \t]*\("
    )
    excuses = (changes_no_files,)

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find patches of what was imported before, and reloads that reach too little."""
        for late in late_patches(node, source):
            if late.is_same:
                claims = (replacement(late.module, late.patch.name),)
                message, advice = late_words(late, source)
                yield self.finding(node, source, message, help=advice, claims=claims)
        package = _reloaded(node, source) if isinstance(node, cst.Call) else ""
        if package and isinstance(node, cst.Call) and not self.is_excused(node, source):
            message = f"`reload({package})` reloads only `{package}/__init__.py`, no submodule"
            advice = f"Replace files before {package} is first imported, or in another process."
            claims = (patched_files(package),)
            yield self.finding(
                node, source, message, help=advice, severity="warning", claims=claims
            )


@once_per_file
def _renamed(source: Source) -> frozenset[str]:
    """Return the names that ``as`` gives."""
    return frozenset(re.findall(r" as\s+(\w+)", source.code))


def _reloaded(node: cst.Call, source: Source) -> str:
    """Return the known package that ``importlib.reload`` is called with, else ""."""
    name = last_name(node.func) or ""
    if name != "reload" and name not in _renamed(source):
        return ""
    if source.resolve(node.func) != "importlib.reload" or not node.args:
        return ""
    package = imported_module(node.args[0].value, source)
    if package not in known_packages() or source.is_first_party(package):
        return ""
    return str(package)
