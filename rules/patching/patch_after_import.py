"""ROC104, patch-after-import."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import known_packages
from rocmlint.rule import PythonRule, argument, calls, compile_lazily, dotted_text, last_name, nodes
from rocmlint.rule import claims as claims_of

from ._circumstances import is_taken_back
from ._copied_files import COPY_FUNCTIONS, claims_of_copy, is_copy
from ._patches import Replacement, imported_module, replacements
from ._paths import UNKNOWN, path_of
from ._program import calls_after, imports_before, runs_before

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule import Binding, Finding, Source

_PATCHED = (
    *("accelerate", "aiter", "bitsandbytes", "diffusers", "flash_attn", "lerobot", "megatron"),
    *("peft", "sglang", "timm", "transformers", "trl", "verl", "vllm", "xformers"),
)
"""Packages that people patch; others stand in too many files to look at them all."""
_WORDS = (
    *(f"import {package}" for package in _PATCHED),
    "import modeling_",
    ".scaled_dot_product_attention =",
)
_FROM_IMPORT = compile_lazily(
    r"^[ \t]*from[ \t]+\S+[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE
)
_IMPORT = compile_lazily(r"^[ \t]*import[ \t]+(\w+)[\w.]*(?:[ \t]+as[ \t]+(\w+))?", re.MULTILINE)
_ASSIGNMENT = compile_lazily(r"^[ \t]*([A-Za-z_]\w*)\.([\w.]+)[ \t]*=(?!=)", re.MULTILINE)
_SETATTR = compile_lazily(r"setattr\(\s*(\w+)")
_CHANGES_FILES = compile_lazily(
    r"\b__class__\b|\bcp |\bcopy(?:2|file|tree)?\(|\bgit (?:apply|pull)\b|patch|\bpip|write_text\(",
    re.IGNORECASE,
)
_NEAR = 30
"""Lines above a reload in which the reason for it must stand."""
_RESTARTS = compile_lazily(r"\bos\.exec|\bsubprocess\b|\bsys\.exit\b|\bSystemExit\b")
_COPY = compile_lazily(rf"\b(?:{'|'.join(COPY_FUNCTIONS)})[ \t]*\(")
_PACKAGE_FOLDER = (".__file__", ".__path__", "find_spec(", "getfile(")


def _replaced_names(source: Source) -> Iterator[re.Match[str]]:
    """Find attributes of imported modules that are set to something new.

    Of assignments only those to names that were imported with ``from … import`` as well.
    """
    code = source.code
    names = {name for each in _FROM_IMPORT.finditer(code) for name in re.findall(r"\w+", each[1])}
    roots = names | {each[2] or each[1] for each in _IMPORT.finditer(code)}
    for each in _ASSIGNMENT.finditer(code):
        if each[1] in roots and each[2].rpartition(".")[2] in names:
            yield each
    yield from (each for each in _SETATTR.finditer(code) if each[1] in roots)


def _copies(source: Source) -> Iterable[re.Match[str]]:
    """Find calls that copy files, in a file that asks where a package lies."""
    asks = any(word in source.code for word in _PACKAGE_FOLDER)
    return _COPY.finditer(source.code) if asks else ()


class PatchAfterImport(PythonRule["cst.Assign | cst.Call"]):
    """A patch that comes too late: the old object was imported before and stays in use.

    ## Why it matters
    ``from module import function`` keeps the function that the module had at that moment. When
    ``module.function`` is replaced afterwards, everybody who looks it up in the module gets the
    new one, but calls of the imported name still run the old one. So it is with files: a module
    that was imported is not read again when its file is replaced, and ``importlib.reload`` of a
    package runs only its ``__init__.py`` again, none of its submodules.

    With ``--preview`` also: files copied over modules of a package that this program imported
    before, and classes imported from a package and replaced in the module that defines them.

    ## Instead
    Patch first and import afterwards, or call the function through its module. Replace files
    before the first import of the package, or in another process.

    Not reported: patches that are taken back, names bound again after the patch, calls in the
    replacement itself.

    ## Source
    Seed 000, "Patch copies to wrong path or runs AFTER import".
    """

    code = "ROC104"
    name = "patch-after-import"
    since = "0.1.0"
    skips = frozenset({"test"})
    on = (
        nodes(
            "Assign",
            "Call",
            words=_WORDS,
            finder=_replaced_names,
            described="assignments to attributes with the name of an imported function",
        )
        | calls("reload", words=("reload(", "import reload"), where=r"\breload[ \t]*\(")
        | nodes(
            "Call",
            words=("shutil.copy", "shutil.move", "from shutil import"),
            finder=_copies,
            described="calls of `shutil` that copy files",
        )
    )

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find patches of what was imported before."""
        for replacement in replacements(node):
            yield from self._replaced(replacement, source)
        if isinstance(node, cst.Call):
            yield from self._reloaded(node, source)
            yield from self._copied(node, source)

    def _replaced(self, replacement: Replacement, source: Source) -> Iterator[Finding]:
        """Find ``module.name = …`` after ``from module import name``."""
        if not _is_imported(replacement.name, source):
            return
        module = imported_module(replacement.owner, source)
        if module is None or not _is_looked_at(module, replacement.name, source):
            return
        for local, binding in self._imported(replacement, module, source):
            call = next(_stale_calls(local, binding, replacement, source), None)
            if call is not None and not is_taken_back(replacement, source):
                owner, name = source.text_of(replacement.owner), replacement.name
                bound, used = (
                    source.named_line(source.span(each).line) for each in (binding.node, call)
                )
                message = (
                    f"`{owner}.{name}` is replaced here, but {bound} imported `{name}` before, so "
                    f"`{local}` in {used} is still the original. Call it through the module, or "
                    f"patch before that import."
                )
                claims = (claims_of.replacement(module, name),)
                yield self.finding(replacement.node, source, message, claims=claims)

    def _imported(
        self, replacement: Replacement, module: str, source: Source
    ) -> Iterator[tuple[str, Binding]]:
        """Yield the names that this file gave, with ``from``, to what is replaced."""
        name = replacement.name
        aliases = re.findall(rf"\b{name}[ \t]+as[ \t]+(\w+)", source.code)
        for local in dict.fromkeys((name, *aliases)):
            found = source.bindings(local, replacement.node)
            binding = found[0] if len(found) == 1 else None
            if binding is None or not isinstance(binding.node, cst.ImportFrom):
                continue
            origin, _, original = (binding.dotted or "").rpartition(".")
            # A class is known under more names than that of its module: see "preview".
            is_class = self.with_preview and name[:1].isupper()
            same = origin == module or (is_class and module.startswith(f"{origin}."))
            if original == name and same and runs_before(binding.node, replacement.node, source):
                yield local, binding

    def _reloaded(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find ``importlib.reload(package)`` where files or modules of it were replaced."""
        if not _is_of(node, "importlib", ("reload",), source) or not node.args:
            return
        package = imported_module(node.args[0].value, source)
        if package not in known_packages() or source.is_first_party(package):
            return
        submodules = re.search(rf"\breload\([ \t]*{package}\.\w", source.code)
        line = source.span(node).line
        above = "\n".join(source.lines[max(0, line - _NEAR) : line])
        if submodules or not _CHANGES_FILES.search(above):
            return
        message = (
            f"`reload({package})` runs only `{package}/__init__.py` again: the modules of "
            f"{package} that were imported before stay as they are, unpatched or old. Replace "
            f"files before the first import of {package}, or in another process."
        )
        claims = (claims_of.patched_files(str(package)),)
        yield self.finding(node, source, message, severity="warning", claims=claims)

    def _copied(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find a file copied over a module that is imported already."""
        target = argument(node, 1, "dst") if self.with_preview else None
        if target is None or not is_copy(node, source):
            return
        path = path_of(target, source)
        if path is None or path.up != 1 or path.module not in known_packages():
            return
        names = [name.removesuffix(".py") for name in takewhile(_is_said, path.names)]
        copied = ".".join([path.module, *names])
        found = [
            (module, statement)
            for module, statement in imports_before(node, source)
            if module.startswith(f"{copied}.") or (names and module == copied)
        ]
        if not found or _RESTARTS.search(source.code):
            return
        imported, first = found[0]
        message = (
            f"This replaces files of `{copied}`, but {source.named_line(source.span(first).line)} "
            f"imported `{imported}` before: the old code stays in use until the process ends. Copy "
            f"before that import, or in another process."
        )
        inner = [module for module, statement in found if statement is first][-1]
        claims = (*claims_of_copy(node, source), claims_of.replacement(inner))
        yield self.finding(node, source, message, severity="warning", claims=claims)


def _is_of(call: cst.Call, module: str, names: tuple[str, ...], source: Source) -> bool:
    """Say whether one of these functions of a module is called, under whatever name."""
    name = last_name(call.func) or ""
    if name not in names and f" as {name}" not in source.code:
        return False
    return source.resolve(call.func) in {f"{module}.{each}" for each in names}


def _is_imported(name: str, source: Source) -> bool:
    """Say whether some ``from … import`` of the file names this."""
    return any(re.search(rf"\b{name}\b", each[1]) for each in _FROM_IMPORT.finditer(source.code))


def _is_looked_at(module: str, name: str, source: Source) -> bool:
    """Say whether the bytes of the file tell that it may patch this: see ``_WORDS``."""
    known = module.partition(".")[0] in _PATCHED or name == "scaled_dot_product_attention"
    return known and any(word in source.text for word in _WORDS)


def _stale_calls(
    local: str, binding: Binding, replacement: Replacement, source: Source
) -> Iterator[cst.Call]:
    """Yield the calls that still run the original, but not those in what replaces it."""
    new = dotted_text(replacement.value)
    if new == local:
        return
    for call in calls_after(local, binding, replacement.node, source):
        around = source.ancestors(call)
        definitions = (each for each in around if isinstance(each, (cst.ClassDef, cst.FunctionDef)))
        if new not in {each.name.value for each in definitions}:
            yield call


def _is_said(name: str) -> bool:
    return name != UNKNOWN
