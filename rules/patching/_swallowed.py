"""Patches and fast paths whose failure is kept silent: how code does it, and what excuses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    Fix,
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
from ._copied_files import is_copy
from ._patches import PATCH_CHECK, is_silent, logged
from ._paths import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

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
_SAVER = r"enable_gradient_checkpointing|gradient_checkpointing_enable"
"""What saves memory, and changes no result."""
_CALL = compile_lazily(
    rf"\b(?:{_SWITCH}|{_SAVER}|{_PATCH}|{PATCH_CHECK}|copy(?:2|file|tree)?|torch\s*\.\s*compile)\s*\("
)
_MEASURES = compile_lazily(
    r"bench|latency|perf(?:$|[^aeiou])|profil|speed|throughput|workload", re.IGNORECASE
)
_TIMES = compile_lazily(
    r"\b(?:perf_counter|elapsed_time|timeit|time\s*\.\s*(?:time|monotonic))\b"
    r"|\b\w*(?:bench|latency|throughput)\w*",
    re.IGNORECASE,
)
"""What stands in the code of a file that measures."""
_QUIET_HANDLER = compile_lazily(
    r"except(?:[ \t(]+(?:Base)?Exception\b[^\n:]*)?\s*:"
    r"\s*(?:pass\b|\.\s*\.\s*\.|[\"']"
    r"|[\w. \t]*(?:debug|error|exception|info|log|print|warn)\w*\s*\()"
)
_SUPPRESS = compile_lazily(r"suppress\s*\(\s*(?:Base)?Exception\s*\)[^\n]*:")
_SAVES_MEMORY = compile_lazily(r"chunk|offload|slicing|tiling")
_STACK = compile_lazily(
    r"\b(?:accelerate|aiter|deepspeed|diffusers|flash_attn|liger_kernel|megatron|peft|sglang|torch"
    r"|transformers|triton|trl|vllm|xformers)\b"
)
_FAILS_SOFTLY = compile_lazily(
    r"best[ -]effort|fail[ -]soft|harmless|\bno-op\b|non-?fatal|not fatal|optional|unaffected",
    re.IGNORECASE,
)
"""What says that a failure is meant to change nothing."""
_SETTERS = compile_lazily(r"torch\.backends\.\w+(?:\.\w+)*\.enable_\w+")
"""What only sets a flag of PyTorch, so that nothing can fail."""
_CLAIM = compile_lazily(
    r"\b(?:activated|active|applied|enabled|installed|patched)\b", re.IGNORECASE
)
_DENIAL = compile_lazily(r"\b(?:cannot|could|fail\w*|if|no|not|unless|without)\b", re.IGNORECASE)
_BROAD = frozenset({"BaseException", "Exception"})


class Swallowed(NamedTuple):
    """A call whose failure does nothing, and the block that sees to that.

    The block is an ``if not check():`` where the call is a check that only leads to a message.
    """

    call: cst.Call
    block: cst.Try | cst.With | cst.If
    handler: cst.ExceptHandler | None = None

    @property
    def is_logged(self) -> bool:
        """Whether the failure is written to a log, at least."""
        return self.handler is not None and not all(map(is_silent, statements(self.handler.body)))


_QUIETEN = compile_lazily(
    r"except(?:[\s\\(]+(?:Base)?Exception\b|\s*:)|suppress\s*\(\s*(?:Base)?Exception\b"
)


def _quiets(source: Source) -> Iterator[re.Match[str]]:
    """Find what may catch everything."""
    return _QUIETEN.finditer(source.text)


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


CALLS_IN_TRY = nodes(
    "Call",
    words=(
        "except:",
        "except :",
        "except Ex",
        "except Base",
        "except (",
        "except(",
        "except  ",
        "suppress(",
    ),
    finder=_swallowed_calls,
    suspects=_quiets,
    described="calls that apply a patch or switch on a fast path, in `try`",
)
"""Where :func:`swallowed` may find something."""


def swallowed(node: cst.Call, source: Source) -> Swallowed | None:
    """Return the block that swallows the failure of a patch, for the first patch in the block."""
    if not _applies_patch(node, source):
        return None
    block, handler = _swallower(node, source)
    if block is None or next(_patches_in(block, source)) is not node:
        return None
    return Swallowed(node, block, handler)


def claim_after(block: cst.BaseStatement, source: Source) -> cst.Call | None:
    """Return the statement right after a block that prints that the patch is active."""
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


def raise_instead(found: Swallowed, source: Source) -> Fix | None:
    """Make the fix for a handler with only ``pass``."""
    body = [] if found.handler is None else statements(found.handler.body)
    if len(body) == 1 and isinstance(body[0], cst.Pass):
        return Fix("Let the error out", (source.replace(body[0], "raise"),))
    return None


def is_reason_given(found: Swallowed, source: Source) -> bool:
    """A comment says why, or the docstring or the logged text that a failure does no harm."""
    if _is_measured(found.call, source):
        return False  # without its subject, a benchmark has no result
    handled = found.block if isinstance(found.block, cst.If) else found.handler
    span = None if handled is None else source.span(handled)
    if span is not None and is_explained(source, span.line, span.end_line):
        return True
    function = source.function(found.block)
    docstring = None if function is None else function.get_docstring()
    logs = "" if handled is None else _texts(handled)
    said = f"{docstring} {_comment_above(found.block, source)} {logs}"
    return _FAILS_SOFTLY.search(said) is not None


def is_outcome_kept(found: Swallowed, source: Source) -> bool:
    """A `try` that keeps whether it went well: `patched = True`, `return`, `break`."""
    function = source.function(found.block)
    for part in (found.block.body, getattr(found.block, "orelse", None)):
        for each in walk(part) if part is not None else ():
            leaves = isinstance(each, (cst.Return, cst.Break)) and source.function(each) is function
            if leaves or (isinstance(each, cst.Assign) and constant(each.value) == "True"):
                return True
    return False


def _comment_above(block: cst.BaseStatement, source: Source) -> str:
    """Return the comment whose last line is the one above a block."""
    end = start = source.span(block).line - 1
    while start and source.lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return " ".join(each.lstrip("# \t") for each in source.lines[start:end])


def is_applied_before(found: Swallowed, source: Source) -> bool:
    """Patches that the function, or one around it, applied before, where an error ends the run."""
    start, text = source.span(found.call), source.text_of(found.call)
    return any(
        source.span(each) < start
        and source.text_of(each) == text
        and source.function(each) is function
        and not any(isinstance(above, cst.Try) for above in source.ancestors(each))
        for function in source.ancestors(found.call)
        if isinstance(function, cst.FunctionDef)
        for each in calls_in(function.body)
    )


def is_logged_only(found: Swallowed, source: Source) -> bool:
    """The failure is logged, at least."""
    del source
    return found.is_logged


def is_of_own_library(found: Swallowed, source: Source) -> bool:
    """A library swallows the failure of a patch of its own."""
    if source.package is None or source.kinds & {"benchmark", "example", "script"}:
        return False
    called = source.resolve(found.call.func) or ""
    own = called.startswith((".", f"{source.package[0]}.")) or "." not in called
    return own and not isinstance(found.block, cst.If)


def is_optional(found: Swallowed, source: Source) -> bool:
    """It saves memory, or speeds up a pipeline in code that measures nothing."""
    name = last_name(found.call.func) or ""
    if re.fullmatch(_SAVER, name) is not None:
        return True
    is_method = name.startswith("enable_") and source.resolve(found.call.func) is None
    return is_method and _TIMES.search(source.code) is None


def _is_measured(call: cst.Call, source: Source) -> bool:
    """Check whether a call is part of a measurement, by the names around and what the code does."""
    named = _MEASURES.search(_names_around(call, source)) is not None
    return named and _TIMES.search(source.code) is not None


def _names_around(call: cst.Call, source: Source) -> str:
    kinds = (cst.ClassDef, cst.FunctionDef)
    around = [each.name.value for each in source.ancestors(call) if isinstance(each, kinds)]
    return " ".join([source.place, *around]).lower()


def _applies_patch(node: cst.Call, source: Source) -> bool:
    """Return whether a call applies a patch, checks one, or switches on a fast path."""
    name = last_name(node.func) or ""
    called = source.resolve(node.func) or ""
    if name == "compile":
        return called == "torch.compile" and _is_measured(node, source)
    if any(arg.keyword is None and constant(arg.value) == "False" for arg in node.args):
        return False
    if re.fullmatch(rf"{_SWITCH}|{_SAVER}", name) is not None:
        cannot_fail = _SAVES_MEMORY.search(name) or _SETTERS.fullmatch(called)
        return not cannot_fail and _STACK.search(source.code) is not None
    if name in {"apply_patch", "apply_patches"} and node.args:
        return False  # of a file to files, as agents and build scripts do
    if re.fullmatch(rf"{_PATCH}|{PATCH_CHECK}", name) is None:
        return _copies_into_package(node, source)
    return bool(called) and _STACK.search(source.code) is not None


def _copies_into_package(node: cst.Call, source: Source) -> bool:
    """Return whether this copies a file over one of an installed package."""
    target = argument(node, 1, "dst") if is_copy(node, source) else None
    path = None if target is None else path_of(target, source)
    return path is not None and path.module != ""


def _swallower(
    node: cst.Call, source: Source
) -> tuple[cst.Try | cst.With | None, cst.ExceptHandler | None]:
    """Return the block around a call that catches everything and does nothing with it."""
    below: cst.CSTNode = node
    for above in source.ancestors(node):
        if isinstance(above, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            break
        if isinstance(above, cst.Try) and above.body is below:
            broad = next((each for each in above.handlers if _is_broad(each)), None)
            if broad is not None:
                return (above, broad) if _is_quiet(broad) else (None, None)
        if isinstance(above, cst.With) and above.body is below and _suppresses(above, source):
            return above, None
        below = above
    return None, None


def _is_broad(handler: cst.ExceptHandler) -> bool:
    return handler.type is None or dotted_text(handler.type) in _BROAD


def _is_quiet(handler: cst.ExceptHandler) -> bool:
    """Return whether a handler does nothing but log."""
    return all(is_silent(each) or logged(each) is not None for each in statements(handler.body))


def _suppresses(block: cst.With, source: Source) -> bool:
    return any(
        isinstance(each.item, cst.Call)
        and source.resolve(each.item.func) == "contextlib.suppress"
        and any(dotted_text(arg.value) in _BROAD for arg in each.item.args)
        for each in block.items
    )


def _patches_in(block: cst.Try | cst.With, source: Source) -> Iterator[cst.Call]:
    return (each for each in calls_in(block.body) if _applies_patch(each, source))


def _texts(node: cst.CSTNode) -> str:
    """Return the text of all strings in a node."""
    strings = (
        each.value if isinstance(each, cst.FormattedStringText) else string_value(each)
        for each in walk(node)
        if isinstance(each, (cst.FormattedStringText, cst.SimpleString))
    )
    return " ".join(each for each in strings if each)
