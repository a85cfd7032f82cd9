"""ROC103, swallowed-patch-failure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    Fix,
    PythonRule,
    argument,
    calls_in,
    compile_lazily,
    constant,
    dotted_text,
    last_name,
    nodes,
    statements,
    string_value,
    walk,
)

from ._circumstances import is_explained
from ._patches import PATCH_CHECK, PATCH_WORDS, claims_of_check, is_silent, logged
from ._paths import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_FAST_PATH = (
    r"(?:aiter|attn|attention|cuda_?graphs?|flash|flex|fused|gemm|liger|qkv|sdpa?|xformers)"
)
_SWITCH = (
    rf"(?:activate|enable|inject|replace|set_use|switch_to|turn_on)_(?:\w+_)?{_FAST_PATH}(?:_\w+)?"
    r"|apply_liger_kernel\w*|fuse_(?:\w+_)?(?:projections?|qkv)\w*"
    r"|set_attention_backend|set_attn_(?:implementation|processor)"
)
_PATCH = (
    r"(?:activate|apply|enable|inject|install|register|run)_(?:\w+_)?patch(?:es)?(?:_(?!embed)\w+)?"
    r"|_?(?:maybe_)?(?:monkey_?)?patch_(?!conv|embed|merg|norm|proj|size)\w+|(?:\w+_)?monkey_?patch\w*"
)
_CALL = compile_lazily(rf"\b(?:{_SWITCH}|{_PATCH}|{PATCH_CHECK}|copy(?:2|file|tree)?)\(")
_QUIET_HANDLER = compile_lazily(
    r"except(?:[ \t]+(?:Base)?Exception\b[^\n:]*)?:"
    r"\s*(?:pass\b|\.\.\.|[\"']|[\w.]*(?:debug|error|exception|info|log|print|warn)\w*\()"
)
_SUPPRESS = compile_lazily(r"suppress\((?:Base)?Exception\)[^\n]*:")
_SAVES_MEMORY = compile_lazily(r"checkpoint|chunk|offload|slicing|tiling")
_STACK = compile_lazily(
    r"\b(?:accelerate|aiter|deepspeed|diffusers|flash_attn|liger_kernel|megatron|peft|sglang|torch"
    r"|transformers|triton|trl|vllm|xformers)\b"
)
_BEST_EFFORT = compile_lazily(
    r"best[ -]effort|fall(?:s|ing)? ?back|harmless|ignor|instead|keep|never raises|non-?fatal"
    r"|not fatal|optional|skip",
    re.IGNORECASE,
)
_CLAIM = compile_lazily(
    r"\b(?:activated|active|applied|enabled|installed|patched)\b", re.IGNORECASE
)
_DENIAL = compile_lazily(r"\b(?:cannot|could|fail\w*|if|no|not|unless|without)\b", re.IGNORECASE)
_COPYING = frozenset({"copy", "copy2", "copyfile", "copytree"})


def _swallowed_calls(source: Source) -> Iterator[re.Match[str]]:
    """Find the calls in the ``try`` above a handler that does nothing, and below ``suppress``."""
    code = source.code
    for each in _QUIET_HANDLER.finditer(code):
        line = code.rfind("\n", 0, each.start()) + 1
        start = code.rfind(f"\n{code[line : each.start()]}try:", 0, line)
        yield from _CALL.finditer(code, max(start, 0), line)
    for each in _SUPPRESS.finditer(code):
        line = code.rfind("\n", 0, each.start()) + 1
        indent = len(code[line : each.start()]) - len(code[line : each.start()].lstrip())
        dedent = re.compile(rf"^[ \t]{{0,{indent}}}\S", re.MULTILINE).search(code, each.end())
        yield from _CALL.finditer(code, each.end(), dedent.start() if dedent else len(code))


class SwallowedPatchFailure(PythonRule["cst.Call | cst.If"]):
    """A patch or a fast path whose failure nobody gets to know.

    ## Why it matters
    Patches and fast paths fail when a version changed, a file is missing or a kernel does not
    load. In a ``try`` whose ``except`` does nothing, the run then goes on with the stock code:
    its speed and numbers are not those of the run that it is compared with, and nothing says so.
    It is an error where the next line says "enabled" whatever happened.

    A check for patched files that only logs a warning is the same: the stock code runs.

    With ``--preview`` also: handlers that do log the failure, and libraries that swallow the
    failures of their own patches.

    ## Instead
    Let the error out. Where the run may go on, log the error with its traceback and record in
    the results whether the patch is active.

    Not reported: an ``except ImportError`` around an optional import, handlers whose comment
    gives a reason, a ``try`` that keeps whether it went well (``patched = True``, ``return``),
    tests.

    ## Fix safety
    ``raise`` in the place of ``pass`` is unsafe: a failure that was swallowed now ends the run,
    which is the point.

    ## Source
    Seed 000, "Never Fake Checks or Disable Features".
    """

    code = "ROC103"
    name = "swallowed-patch-failure"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = nodes(
        "Call",
        words=("except:", "except Exception", "except BaseException", "suppress(Exception"),
        finder=_swallowed_calls,
        described="calls that apply a patch or switch on a fast path, in `try`",
    ) | nodes(
        "If",
        words=PATCH_WORDS,
        where=rf"\bnot[ \t]+(?:\w+\.)*(?:{PATCH_CHECK})\(",
        described="`if not` with a check for patched files",
    )

    def check(self, node: cst.Call | cst.If, source: Source) -> Iterator[Finding]:
        """Find patches whose failure is swallowed, and patch checks that stop nothing."""
        if isinstance(node, cst.If):
            yield from self._unheeded(node, source)
        elif _applies_patch(node, source):
            yield from self._swallowed(node, source)

    def _unheeded(self, node: cst.If, source: Source) -> Iterator[Finding]:
        """Find ``if not check_patches(): log(…)``."""
        asked = node.test.expression if isinstance(node.test, cst.UnaryOperation) else None
        if not isinstance(asked, cst.Call) or node.orelse is not None:
            return
        if not re.fullmatch(PATCH_CHECK, last_name(asked.func) or ""):
            return
        body = [each for each in statements(node.body) if not is_silent(each)]
        said = [call for each in body if (call := logged(each)) is not None]
        if said and len(said) == len(body) and not _is_explained_in(node, source):
            message = (
                f"`{source.text_of(asked.func)}` says that the patched files are missing, and "
                f"this only logs it: the stock code runs, with other numbers and speed. Raise an "
                f"error here."
            )
            claims = claims_of_check(asked.func, source)
            yield self.finding(said[0], source, message, claims=claims)

    def _swallowed(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find a patch in a block that swallows what goes wrong."""
        block, handler = _swallower(node, source)
        if block is None or _keeps_outcome(block, source) or _is_best_effort(block, source):
            return
        if next(_patches_in(block, source)) is not node:
            return
        name = f"`{source.text_of(node.func)}`"
        claim = _claim_after(block, source)
        passes = handler is None or all(is_silent(each) for each in statements(handler.body))
        if claim is not None:
            where = source.named_line(source.span(claim).line).capitalize()
            message = (
                f"{where} says so whether or not {name} failed: the error is swallowed, and an "
                f"unpatched run is taken for a patched one. Let the error out, or print this only "
                f"where it went well."
            )
            yield self.finding(node, source, message, severity="error")
        elif self._is_wanted(node, source, passes=passes):
            what = "thrown away" if passes else "only logged"
            message = (
                f"A failure of {name} is {what}: the run goes on without it, and its speed and "
                f"numbers are taken for those of a patched one. Let the error out, or record in "
                f"the results whether it is active."
            )
            yield self.finding(node, source, message, fix=_fix(handler, source))

    def _is_wanted(self, node: cst.Call, source: Source, *, passes: bool) -> bool:
        """Say whether to report; what a library does about its own patches is doubtful."""
        if passes:
            return self.with_preview or not _is_of_same_package(node, source)
        return self.with_preview and not _is_library(source)


def _applies_patch(node: cst.Call, source: Source) -> bool:
    """Say whether a call applies a patch, checks one, or switches on a fast path."""
    name = last_name(node.func) or ""
    if any(arg.keyword is None and constant(arg.value) == "False" for arg in node.args):
        return False
    if re.fullmatch(_SWITCH, name) is not None:
        return not _SAVES_MEMORY.search(name) and _STACK.search(source.code) is not None
    if name in {"apply_patch", "apply_patches"} and node.args:
        return False  # of a file to files, as agents and build scripts do
    if re.fullmatch(rf"{_PATCH}|{PATCH_CHECK}", name) is None:
        return _copies_into_package(node, source)
    return source.resolve(node.func) is not None and _STACK.search(source.code) is not None


def _copies_into_package(node: cst.Call, source: Source) -> bool:
    """Say whether this copies a file over one of an installed package."""
    if last_name(node.func) not in _COPYING or not node.args:
        return False
    if source.resolve(node.func) != f"shutil.{last_name(node.func)}":
        return False
    target = argument(node, 1, "dst")
    path = None if target is None else path_of(target, source)
    return path is not None and path.module != ""


def _swallower(
    node: cst.Call, source: Source
) -> tuple[cst.Try | cst.With | None, cst.ExceptHandler | None]:
    """Give the block around a call that catches everything and does nothing with it."""
    below: cst.CSTNode = node
    for above in source.ancestors(node):
        if isinstance(above, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            break
        if isinstance(above, cst.Try) and above.body is below:
            broad = next((each for each in above.handlers if _is_broad(each)), None)
            if broad is not None:
                return (above, broad) if _is_quiet(broad, source) else (None, None)
        if isinstance(above, cst.With) and above.body is below and _suppresses(above, source):
            return above, None
        below = above
    return None, None


def _is_broad(handler: cst.ExceptHandler) -> bool:
    return handler.type is None or dotted_text(handler.type) in {"BaseException", "Exception"}


def _is_quiet(handler: cst.ExceptHandler, source: Source) -> bool:
    """Say whether a handler does nothing but log, and no comment says why."""
    body = statements(handler.body)
    quiet = all(is_silent(each) or logged(each) is not None for each in body)
    return quiet and not _is_explained_in(handler, source)


def _is_explained_in(node: cst.CSTNode, source: Source) -> bool:
    span = source.span(node)
    return is_explained(source, span.line, span.end_line)


def _suppresses(block: cst.With, source: Source) -> bool:
    return any(
        isinstance(each.item, cst.Call)
        and source.resolve(each.item.func) == "contextlib.suppress"
        and any(dotted_text(arg.value) in {"BaseException", "Exception"} for arg in each.item.args)
        for each in block.items
    )


def _patches_in(block: cst.Try | cst.With, source: Source) -> Iterator[cst.Call]:
    return (each for each in calls_in(block.body) if _applies_patch(each, source))


def _keeps_outcome(block: cst.Try | cst.With, source: Source) -> bool:
    """Say whether the block tells others that it went well: by a flag, or by leaving."""
    function = source.function(block)
    for part in (block.body, getattr(block, "orelse", None)):
        for each in walk(part) if part is not None else ():
            leaves = isinstance(each, (cst.Return, cst.Break)) and source.function(each) is function
            if leaves or (isinstance(each, cst.Assign) and constant(each.value) == "True"):
                return True
    return False


def _is_best_effort(block: cst.Try | cst.With, source: Source) -> bool:
    """Say whether a docstring or the comment above says that this may fail."""
    function = source.function(block)
    docstring = function.get_docstring() if function is not None else None
    line = source.span(block).line
    above = " ".join(
        each.body for each in source.comments if each.own_line and each.line == line - 1
    )
    logs = " ".join(_texts(each) for each in _handlers(block))
    return any(_BEST_EFFORT.search(text) for text in (docstring or "", above, logs))


def _claim_after(block: cst.Try | cst.With, source: Source) -> cst.Call | None:
    """Give the statement right after the block that prints that the patch is active."""
    around = source.parent(block)
    if not isinstance(around, (cst.IndentedBlock, cst.Module)):
        return None
    following = around.body[[*around.body].index(block) + 1 :][:1]
    for each in following:
        call = logged(each.body[0]) if isinstance(each, cst.SimpleStatementLine) else None
        text = "" if call is None else _texts(call)
        if _CLAIM.search(text) and not _DENIAL.search(text):
            return call
    return None


def _is_library(source: Source) -> bool:
    """Say whether a file is part of a package, and no program that happens to lie in one."""
    return source.package is not None and not source.kinds & {"benchmark", "example", "script"}


def _is_of_same_package(node: cst.Call, source: Source) -> bool:
    """Say whether a library swallows the failure of a patch of its own."""
    called = source.resolve(node.func) or ""
    package = source.package[0] if source.package is not None else ""
    return _is_library(source) and (called.startswith((".", f"{package}.")) or "." not in called)


def _handlers(block: cst.Try | cst.With) -> Iterator[cst.ExceptHandler]:
    if isinstance(block, cst.Try):
        yield from block.handlers


def _texts(node: cst.CSTNode) -> str:
    """Give the text of all strings in a node."""
    strings = (
        each.value if isinstance(each, cst.FormattedStringText) else string_value(each)
        for each in walk(node)
        if isinstance(each, (cst.FormattedStringText, cst.SimpleString))
    )
    return " ".join(each for each in strings if each)


def _fix(handler: cst.ExceptHandler | None, source: Source) -> Fix | None:
    body = [] if handler is None else statements(handler.body)
    if len(body) == 1 and isinstance(body[0], cst.Pass):
        return Fix("Let the error out", (source.replace(body[0], "raise"),))
    return None
