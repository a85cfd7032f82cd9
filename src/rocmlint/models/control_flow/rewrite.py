"""Rewriting the control flow of a file: the entry to this room.

Everything works on text, and nothing is imported. What stays in the file stays byte for byte, with
its comments. For a whole file::

    rewritten = rewrite(text)
    rewritten.text, rewritten.functions, rewritten.statements

For one function at run time, with :mod:`rocmlint.models.control_flow.compiled`::

    rewritten = rewrite(text, Options(only={"BartEncoderLayer.forward"}, local_imports=True))
    code = function_code(rewritten, "BartEncoderLayer.forward", filename)
    new = FunctionType(code, old.__globals__, old.__name__, old.__defaults__, closure)
"""

from __future__ import annotations

import ast
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.errors import RewriteError
from rocmlint.models.control_flow.checks import is_raise
from rocmlint.models.control_flow.file import File
from rocmlint.models.control_flow.imports import import_edits
from rocmlint.models.control_flow.layout import Layout
from rocmlint.models.control_flow.nodes import anchor, anchors, rewrite_node
from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.tensors.inference import infer
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rocmlint.models.tensors.dependence import Dependence, What
    from rocmlint.models.tensors.inference import Inference


MAXIMUM_ROUNDS = 5


@dataclass(frozen=True)
class Options:
    """What is rewritten, and into what."""

    only: Collection[str] | None = None
    """Qualified names of functions, such as ``BartEncoderLayer.forward``; None: all of the file."""
    unreached: bool = False
    """Also what no ``forward`` of the file calls, unless ``only`` names it anyway."""
    plain_torch: bool = False
    """Call ``torch.cond`` and ``torch._check_value`` and not the functions of rocmlint.export."""
    local_imports: bool = False
    """Import inside of each changed function, so that it runs with the globals that it has."""
    filter_node: Callable[[ast.AST], bool] | None = None
    """Whether a statement (or conditional expression) may be rewritten; None: each may."""
    pre_rewriter: Callable[[str], str] | None = None
    """Changes the text of the file before; lines are then those of the changed text."""
    post_rewriter: Callable[[str], str] | None = None
    """Changes the text of the file after; its lines then have no known origin."""


@dataclass(frozen=True)
class Statement:
    """A place where control flow depends on a tensor: rewritten, or refused with a reason."""

    function: str
    line: int
    """The first line of the statement before, from 1."""
    end_line: int
    what: What
    reach: str
    """When an export gets there, see :data:`rocmlint.models.tensors.dependence.Reach`."""
    reason: str | None = None
    """The kind of the reason why it is refused, None for what is rewritten."""
    detail: str | None = None
    """The reason itself, in a sentence."""

    @property
    def is_rewritten(self) -> bool:
        """Whether the text after contains something else in its place."""
        return self.reason is None

    def as_json(self) -> dict[str, object]:
        """Return what the documents in JSON have of a statement."""
        return {**asdict(self), "rewritten": self.is_rewritten}


@dataclass(frozen=True)
class Rewritten:
    """A file before and after."""

    before: str
    text: str
    statements: tuple[Statement, ...]
    """In the order of the text before."""
    origins: tuple[int, ...]
    """For each line of ``text`` the line of ``before`` that it stems from."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The qualified names of the functions that changed, in the order of the text."""
        names = (each.function for each in self.statements if each.is_rewritten)
        return tuple(dict.fromkeys(names))


class Replacement(NamedTuple):
    """A text in place of a span; both are offsets in the text of the file."""

    start: int
    end: int
    text: str


def rewrite(
    text: str, options: Options | None = None, inference: Inference | None = None
) -> Rewritten:
    r"""Rewrite the statements of a text whose control flow depends on tensors.

    ``text`` has ``\n`` line ends. ``inference`` is what is known of it, if that is already known.
    Raises NotPythonError where the running Python refuses the text.
    """
    options = Options() if options is None else options
    if options.pre_rewriter is not None:
        text, inference = options.pre_rewriter(text), None
    found = _rewritten_once(text, options, infer(text) if inference is None else inference)
    latest = text
    for _ in range(MAXIMUM_ROUNDS):
        if found.text == latest:
            break
        latest = found.text
        found = _joined(found, _rewritten_once(latest, options, infer(latest)))
    if options.post_rewriter is not None:
        found = replace(found, text=options.post_rewriter(found.text), origins=())
    return found


def replacements(
    unedited: File, dependence: Dependence, *, plain_torch: bool = False
) -> tuple[Replacement, ...]:
    """Return what rewrites the statement that depends on a tensor, and the import that it needs.

    What it contains is rewritten too. Returns nothing for a statement that is refused.
    """
    file = File(
        unedited.layout, unedited.inference, plain_torch=plain_torch, callers=unedited.callers
    )
    found = anchors(file)
    file.unsettled |= set(found)
    wanted = anchor(file, dependence)
    inner = [each for each in found if file.is_within(each, wanted)]
    for node in sorted(inner, key=lambda each: -file.depth(each)):
        try:
            rewrite_node(file, node)
        except RefusedError:
            return ()
    outermost = file.edits[-1:]
    return tuple(
        Replacement(each.start, each.end, "\n".join(line.text for line in each.lines))
        for each in (*outermost, *import_edits(file, file.imported))
    )


def _rewritten_once(text: str, options: Options, inference: Inference) -> Rewritten:
    file = File(Layout(text, inference.tree), inference, plain_torch=options.plain_torch)
    statements = _settle(file, options)
    imports = import_edits(file, file.imported, local=options.local_imports)
    lines = file.layout.spliced(0, len(text), [*file.edits, *imports])
    after, origins = "\n".join(each.text for each in lines), tuple(each.origin for each in lines)
    if after != text and syntax_tree(after) is None:
        message = "the rewritten text is not valid Python"
        raise RewriteError(message)
    return Rewritten(text, after, statements, origins)


def _joined(first: Rewritten, then: Rewritten) -> Rewritten:
    """Return two rounds as one: what one round rewrites can show another what holds tensors."""
    late = {first.origins[each.line - 1] for each in then.statements if each.is_rewritten}
    statements = tuple(
        replace(each, reason=None, detail=None) if each.line in late else each
        for each in first.statements
    )
    origins = tuple(first.origins[each - 1] for each in then.origins)
    return Rewritten(first.before, then.text, statements, origins)


def _settle(file: File, options: Options) -> tuple[Statement, ...]:
    """Rewrite each statement or find out why not, the innermost first."""
    found = anchors(file)
    file.unsettled |= set(found)
    statements: list[Statement] = []
    for node, dependence in sorted(found.items(), key=lambda each: -file.depth(each[0])):
        if options.only is not None and dependence.function not in options.only:
            continue
        reason = detail = None
        try:
            _check_wanted(options, node, dependence)
            rewrite_node(file, node)
        except RefusedError as error:
            reason, detail = error.kind, error.detail
        line, end = node.lineno, node.end_lineno or node.lineno
        what = _what(node, dependence)
        reach = dependence.reach
        statements.append(Statement(dependence.function, line, end, what, reach, reason, detail))
    return tuple(sorted(statements, key=lambda each: (each.line, each.end_line)))


def _check_wanted(options: Options, node: ast.AST, dependence: Dependence) -> None:
    skipped = {"guarded", "bypassed"}
    if options.only is None and not options.unreached:
        skipped.add("unreached")
    if dependence.reach in skipped:
        raise RefusedError(Refusal.NOT_EXPORTED, dependence.reach)
    if options.filter_node is not None and not options.filter_node(node):
        raise RefusedError(Refusal.FILTERED)


def _what(node: ast.AST, dependence: Dependence) -> What:
    if isinstance(node, ast.If):
        return "raise" if is_raise(node) and not node.orelse else "branch"
    return dependence.what
