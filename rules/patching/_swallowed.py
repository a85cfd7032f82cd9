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
    conditions,
    constant,
    dotted_text,
    last_name,
    nodes,
    statements,
    string_value,
    walk,
)

from ._circumstances import is_explained
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
_NEEDS = {"xformers": "xformers", "flash": "flash-attn", "sage": "sageattention", "aiter": "aiter"}
"""The packages that calls need, by a word of their names."""
_QUIET_HANDLER = compile_lazily(
    r"except(?:[ \t(]+(?:Base)?Exception\b[^\n:]*)?\s*:"
    r"\s*(?:pass\b|\.\s*\.\s*\.|[\"']"
    r"|[\w. \t]*(?:debug|error|exception|info|log|print|warn)\w*\s*\()"
)
_SUPPRESS = compile_lazily(r"suppress\s*\(\s*(?:Base)?Exception\s*\)[^\n]*:")
_SAVES_MEMORY = compile_lazily(r"chunk|offload|slicing|tiling")
_SPARES_MEMORY = compile_lazily(r"memory_efficient")
_STACK = compile_lazily(
    r"\b(?:accelerate|aiter|deepspeed|diffusers|flash_attn|liger_kernel|megatron|peft|sglang|torch"
    r"|transformers|triton|trl|vllm|xformers)\b"
)
_BEST_EFFORT = compile_lazily(
    r"best[ -]effort|fail[ -]soft|fall(?:s|ing)? ?back|harmless|ignor|instead|keep|never raises"
    r"|no-op\b|non-?fatal|not fatal|optional|skip|unaffected",
    re.IGNORECASE,
)
_FAILS_SOFTLY = compile_lazily(
    r"best[ -]effort|fail[ -]soft|harmless|\bno-op\b|non-?fatal|not fatal|unaffected", re.IGNORECASE
)
"""What says that a failed check of patches is meant to change nothing."""
_SETTERS = compile_lazily(r"torch\.backends\.\w+(?:\.\w+)*\.enable_\w+")
"""What only sets a flag of PyTorch, so that nothing can fail."""
_CLAIM = compile_lazily(
    r"\b(?:activated|active|applied|enabled|installed|patched)\b", re.IGNORECASE
)
_DENIAL = compile_lazily(r"\b(?:cannot|could|fail\w*|if|no|not|unless|without)\b", re.IGNORECASE)
_COPYING = frozenset({"copy", "copy2", "copyfile", "copytree"})
_LONG = 4
"""Words with more letters say what is measured."""
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
    """Handlers with a comment that gives a reason, but not where the code measures that very call.

    A benchmark whose subject "may fail" has no result then.
    """
    if measures(found.call, source):
        return False
    node = found.block if isinstance(found.block, cst.If) else found.handler
    span = None if node is None else source.span(node)
    return span is not None and is_explained(source, span.line, span.end_line)


def is_outcome_kept(found: Swallowed, source: Source) -> bool:
    """A `try` that keeps whether it went well: `patched = True`, `return`, `break`."""
    function = source.function(found.block)
    for part in (found.block.body, getattr(found.block, "orelse", None)):
        for each in walk(part) if part is not None else ():
            leaves = isinstance(each, (cst.Return, cst.Break)) and source.function(each) is function
            if leaves or (isinstance(each, cst.Assign) and constant(each.value) == "True"):
                return True
    return False


def is_best_effort(found: Swallowed, source: Source) -> bool:
    """What may fail: the docstring, the comment above or the logged text says so."""
    block = found.block
    if isinstance(block, cst.If):
        return _FAILS_SOFTLY.search(f"{_comment_above(block, source)} {_texts(block)}") is not None
    function = source.function(block)
    docstring = function.get_docstring() if function is not None else None
    above = _comment_above(block, source)
    handlers = block.handlers if isinstance(block, cst.Try) else ()
    logs = " ".join(_texts(each) for each in handlers)
    return any(_BEST_EFFORT.search(text) for text in (docstring or "", above, logs))


def _comment_above(block: cst.BaseStatement, source: Source) -> str:
    """Return the comment whose last line is the one above a block."""
    line, found = source.span(block).line, [""]
    for each in reversed(source.comments):
        if each.own_line and each.line == line - 1:
            found.insert(0, each.body)
            line = each.line
    return " ".join(found)


def is_applied_before(found: Swallowed, source: Source) -> bool:
    """Patches that the function, or one around it, applied before, where an error ends the run."""
    start, text = source.span(found.call), source.text_of(found.call)
    circumstances = _circumstances(found.call, source)
    return any(
        source.span(each) < start
        and source.text_of(each) == text
        and source.function(each) is function
        and _circumstances(each, source) <= circumstances
        and not any(isinstance(above, cst.Try) for above in source.ancestors(each))
        for function in source.ancestors(found.call)
        if isinstance(function, cst.FunctionDef)
        for each in calls_in(function.body)
    )


def _circumstances(call: cst.Call, source: Source) -> set[tuple[str, bool]]:
    """Return the tests around a call, each with how it comes out."""
    return {(source.text_of(each.test), each.holds) for each in conditions(call, source)}


def _is_in_library(source: Source) -> bool:
    """Check for a file of a package, unless it is of its benchmarks, examples or scripts."""
    return source.package is not None and not source.kinds & {"benchmark", "example", "script"}


def is_logged_only(found: Swallowed, source: Source) -> bool:
    """The failure is logged, at least."""
    del source
    return found.is_logged


def is_of_own_library(found: Swallowed, source: Source) -> bool:
    """A library swallows the failure of a patch of its own."""
    called = source.resolve(found.call.func) or ""
    package = source.package[0] if source.package is not None else ""
    own = called.startswith((".", f"{package}.")) or "." not in called
    return not isinstance(found.block, cst.If) and own and _is_in_library(source)


def is_left_to_log(found: Swallowed, source: Source) -> bool:
    """Packages that log the failure, and optional speed-ups whose failure is logged."""
    if not found.is_logged or claim_after(found.block, source) is not None:
        return False
    return _is_in_library(source) or is_optional(found, source)


def is_optional(found: Swallowed, source: Source) -> bool:
    """It saves memory, or speeds up a pipeline by a package that the project does not require.

    `pipe.enable_xformers_memory_efficient_attention()` counts in a benchmark as well: without
    xformers, diffusers has an attention that is as lean.
    """
    name = last_name(found.call.func) or ""
    if re.fullmatch(_SAVER, name) is not None:
        return True
    if not name.startswith("enable_") or re.fullmatch(_SWITCH, name) is None:
        return False
    if source.resolve(found.call.func) is not None:
        return False
    package = next((each for word, each in _NEEDS.items() if word in name), "")
    required = bool(source.project.requirements(package))
    if _SPARES_MEMORY.search(name) is None:
        return not (required or _TIMES.search(source.code))
    is_benchmark = _MEASURES.search(source.place.lower()) is not None
    return not ((required or is_benchmark) and _is_timed(found.call, source))


def _is_timed(call: cst.Call, source: Source) -> bool:
    """Check whether the function around times something, or the file where it is a benchmark."""
    function = source.function(call)
    if function is None or _MEASURES.search(source.place.lower()):
        return _TIMES.search(source.code) is not None
    return _TIMES.search(source.text_of(function)) is not None


def measures(call: cst.Call, source: Source) -> bool:
    """Check whether the file, class or function around is a measurement of what is called."""
    names = _names_around(call, source)
    words = (last_name(call.func) or "").lower().split("_")
    return _MEASURES.search(names) is not None and any(
        len(word) > _LONG and word in names for word in words
    )


def _is_measured(call: cst.Call, source: Source) -> bool:
    """Check whether a call is part of a measurement, by the names around and what the code does."""
    if _MEASURES.search(_names_around(call, source)) is None:
        return False
    return measures(call, source) or _TIMES.search(source.code) is not None


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
