"""What runs once in every training step, whatever happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    calls_in,
    children,
    compile_lazily,
    last_name,
    once_per_file,
    string_value,
    walk,
)
from rocmlint.rule.closed_projects import is_in_unused_function
from rocmlint.rule.put_aside import is_in_unused_copy, is_put_aside
from rocmlint.rule.spelling import matches_at
from rocmlint.text.headers import headers_above

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from rocmlint.rule import Source

_UPDATERS = compile_lazily(
    r"(?i)(?:\w*optim\w*|opt(?:_\w+)?|\w*_opt|\w*engine|(?:\w+_)?scaler|model|adam\w*|sgd)$"
)
"""Whose ``step()`` updates weights; a scheduler's does not."""
_STEP_FUNCTIONS = compile_lazily(
    r"_*(?:train(?:ing)?_(?:one_)?(?:micro_?)?(?:step|batch|iter|iteration)|train_on_batch"
    r"|manual_backward|optimizer_step|\w*forward_backward\w*)$"
)
_STEP_METHODS = frozenset(
    [
        *("training_step", "train_step", "train_one_step", "train_batch", "optimizer_step"),
        *("on_step_begin", "on_step_end", "on_substep_end", "on_optimizer_step"),
        *("on_pre_optimizer_step", "on_before_optimizer_step", "on_before_zero_grad"),
        *("on_train_batch_start", "on_train_batch_end", "on_before_backward", "on_after_backward"),
        *("before_train_iter", "after_train_iter"),
    ]
)
_STEPS_OF_CLASSES = _STEP_METHODS | {"compute_loss", "step"}
_IMPORTED_AS = compile_lazily(r"[ \t]+as\b")
_DEFINED = compile_lazily(r"[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)")
_OPTIMIZERS = compile_lazily(r"Optim|Adam|SGD|Lion|Muon|Lamb|Adafactor")
_MEASURING = compile_lazily(r"_*(?:test|bench\w*|profil\w*|measure|time|timing|warm_?up)(?:_|$)")
_MEASURING_CLASSES = compile_lazily(r"(?i)profil|bench|tim(?:er|ing)|throughput|speed")
_PROFILERS = compile_lazily(r"(?i)profil|record_function|nvtx")
_LOADERS = compile_lazily(r"(?i)loader|dataset|batch")
_STEPS = compile_lazily(r"(?i)step|epoch|iter")
_ROLLED_OUT = compile_lazily(r"(?i)(?:^|_)(?:rollouts?|trajector(?:y|ies))(?:_|$)")
_ROLLOUTS = compile_lazily(r"(?i)(?:^|_)(?:generate|rollouts?|trajector(?:y|ies))(?:_|$)")
_LONGEST_NAME = 30
_MOST_LINES = 3
_MACHINE_CHECKS = compile_lazily(r"is_(?:\w+_)?(?:available|initialized|enabled)$")
NO_UPDATES = compile_lazily(r"(?i)\w*(?:sched|prof)")
"""Whose ``step()`` leaves the weights as they are."""


@dataclass(frozen=True)
class TrainingStep:
    """A loop whose every iteration is a training step, or a function that is called in each."""

    node: cst.For | cst.While | cst.FunctionDef
    described: str


class InStep(NamedTuple):
    """A call, a statement of its own, that runs in every training step."""

    call: cst.Call
    step: TrainingStep


def in_step(call: cst.Call, source: Source) -> InStep | None:
    """Return in which training step a call always runs.

    A condition or handler between the call and the step ends the search, unless it asks about
    the machine and so says the same in every step of a run.
    """
    if not isinstance(source.parent(call), cst.Expr):
        return None
    below: cst.CSTNode = call
    for above in source.ancestors(call):
        if isinstance(above, (cst.For, cst.While)) and trains(above, source):
            line = source.named_line(source.span(above).line)
            return InStep(
                call, TrainingStep(above, f"every iteration of the training loop on {line}")
            )
        if isinstance(above, cst.FunctionDef):
            step = TrainingStep(above, f"every call of `{above.name.value[:_LONGEST_NAME]}`")
            return InStep(call, step) if _is_step(above, source) else None
        if isinstance(above, cst.If) and not (below is above.body and asks_machine(above.test)):
            return None
        if isinstance(above, (cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.MatchCase)):
            return None
        below = above
    return None


def calls_in_steps(
    pattern: re.Pattern[str], *words: str
) -> Callable[[Source], Iterator[re.Match[str]]]:
    """Return what finds the matches of a pattern in what may be a training step, by the text.

    Each begins with one of ``words``. Where a name is imported by another one, it is found too.
    """

    def suspects(source: Source) -> Iterator[re.Match[str]]:
        code = source.code
        for match in (each for word in words for each in matches_at(word, pattern, code)):
            if _IMPORTED_AS.match(code, match.end()) or _may_be_in_step(code, match.start()):
                yield match

    return suspects


def _may_be_in_step(code: str, offset: int) -> bool:
    """Check whether ``in_step`` may find something for a call, by the lines around it."""
    for keyword, start, _ in headers_above(code, offset):
        if keyword in {"for", "while", ""}:
            return True
        if keyword in {"elif", "else", "except", "case"}:
            return False
        name = _DEFINED.match(code, start)
        if name is not None:
            return name[1] in _STEPS_OF_CLASSES or _is_named_step(name[1])
    return False


def is_measured(found: InStep, source: Source) -> bool:
    """Functions that measure, warm up or profile, loops that warm up, blocks under a profiler.

    Written for tidiane-camaret/ic_segmentation, scripts/profile_training.py.
    """
    node = found.step.node
    if isinstance(node, cst.For) and "warm" in source.text_of(node.iter):
        return True
    for above in source.ancestors(found.call):
        if isinstance(above, cst.FunctionDef) and _MEASURING.match(above.name.value):
            return True
        if isinstance(above, cst.With) and _PROFILERS.search(
            " ".join(source.text_of(item.item) for item in above.items)
        ):
            return True
    return False


def is_skipped(found: InStep, source: Source) -> bool:
    """Calls that most steps skip: below `if step % n: continue` or a `return`.

    Written for Stability-AI/stable-audio-tools, stable_audio_tools/training/diffusion.py.
    """
    before = list(_before(found, source))
    if isinstance(found.step.node, cst.FunctionDef) and any(map(_leaves_early, before)):
        return True
    return any(map(_skips_turns, before))


def is_rollout(found: InStep, source: Source) -> bool:
    """Steps that generate what they train on, and functions that get it from such a step."""
    node = found.step.node
    function = node if isinstance(node, cst.FunctionDef) else source.function(node)
    around = () if function is None else walk(function)
    if any(isinstance(each, cst.Name) and _ROLLED_OUT.search(each.value) for each in around):
        return True
    return any(map(_ROLLOUTS.search, _called_around(found, source)))


def is_unused(found: InStep, source: Source) -> bool:
    """Functions that nothing calls, what is put aside, and copies that nothing around names.

    Written for HuskyKingdom/openvla-oft-yhs, SimpleVLA-RL/verl/workers/actor/dp_rob.py.
    """
    if is_put_aside(source) or is_in_unused_copy(source):
        return True
    return is_in_unused_function(found.call, source)


STEP_EXCUSES = (is_measured, is_skipped, is_unused)
"""Why a call in a training step is left alone, whatever it does."""


def trains(node: cst.For | cst.While | cst.FunctionDef, source: Source) -> bool:
    """Return whether one iteration of a loop, or one call of a function, is a training step.

    The update stands in it, not in a loop inside it; or the backward pass does, where the loop
    takes batches or counts steps, and the code around updates weights; or it takes batches from a
    loader and goes over each several times. Around a loop that takes batches and updates, it is an
    epoch: an update of its own only uses up the gradients that are left.
    """
    own = list(own_nodes(node))
    loops = [each for each in own if isinstance(each, (cst.For, cst.While))]
    if any(_takes_batches(each) and any(map(updates_by, own_nodes(each))) for each in loops):
        return False
    for each in own:
        if isinstance(each, cst.Call) and trains_by(each):
            if last_name(each.func) != "backward" or _is_one_of_many(node, source):
                return True
    return _takes_batches(node) and any(
        not _takes_batches(each) and trains(each, source) for each in loops
    )


def own_nodes(node: cst.For | cst.While | cst.FunctionDef) -> Iterator[cst.CSTNode]:
    """Yield what is in the body, without what is in loops and definitions inside it."""
    stack: list[cst.CSTNode] = [node.body]
    while stack:
        current = stack.pop()
        yield current
        if not isinstance(current, (cst.For, cst.While, cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            stack.extend(children(current))


def neighbours(call: cst.Call, source: Source) -> tuple[list[cst.CSTNode], list[cst.CSTNode]]:
    """Return the statements before and after the call's own in its block, and on its line."""
    line = source.enclosing(call, cst.SimpleStatementLine)
    block = None if line is None else source.parent(line)
    body: list[cst.CSTNode] = []
    for each in getattr(block, "body", ()):
        body += line.body if line is not None and each is line else [each]
    own = source.parent(call)
    index = next((index for index, each in enumerate(body) if each is own), len(body))
    return body[:index], body[index + 1 :]


def whole_step(found: InStep, source: Source) -> cst.CSTNode:
    """Return the outermost training loop around a call, or the function that is its step."""
    loops = [
        each for each in source.ancestors(found.call) if isinstance(each, (cst.For, cst.While))
    ]
    return next((each for each in reversed(loops) if trains(each, source)), found.step.node)


def it_and(others: list[cst.Call], source: Source) -> str:
    """Name a call of a step, and the first lines of those that can go with it."""
    lines = [source.named_line(source.span(each).line) for each in others[:_MOST_LINES]]
    return "it" if not lines else f"it, and also in {' and '.join(lines)}"


def _before(found: InStep, source: Source) -> Iterator[cst.CSTNode]:
    """Yield the statements before a call in its step, in its own block and those around it."""
    below: cst.CSTNode = found.call
    for above in source.ancestors(found.call):
        if isinstance(above, (cst.IndentedBlock, cst.SimpleStatementLine)):
            for each in above.body:
                if each is below:
                    break
                yield each
        elif above is found.step.node:
            return
        below = above


def _is_named_step(name: str) -> bool:
    """Check whether a function of this name may be a step."""
    return name.endswith("_step") or bool(_STEP_FUNCTIONS.match(name))


def _is_step(function: cst.FunctionDef, source: Source) -> bool:
    name = function.name.value
    owner = source.enclosing(function, cst.ClassDef)
    if owner is None or name not in _STEPS_OF_CLASSES:
        return _is_named_step(name) and trains(function, source)
    bases = [last_name(base.value) or "" for base in owner.bases]
    if name == "compute_loss":
        return any(base.endswith("Trainer") for base in bases)
    if name == "step":
        return any(_OPTIMIZERS.search(each) for each in (owner.name.value, *bases))
    return not _MEASURING_CLASSES.search(owner.name.value)


def trains_by(call: cst.Call) -> bool:
    """Check whether a call is a backward pass, an update of weights or a whole training step."""
    name = last_name(call.func) or ""
    return name == "backward" or bool(_STEP_FUNCTIONS.match(name)) or updates_by(call)


def updates_by(node: cst.CSTNode) -> bool:
    """Check whether a node is a call that updates the weights itself."""
    if not isinstance(node, cst.Call):
        return False
    name = last_name(node.func) or ""
    if name == "step" and isinstance(node.func, cst.Attribute):
        return bool(_UPDATERS.match(last_name(node.func.value) or ""))
    # timm and its descendants call a scaler that does the backward pass and the update.
    return name.endswith("scaler") and any(last_name(each.value) == "loss" for each in node.args)


def _called_around(found: InStep, source: Source) -> Iterator[str]:
    """Yield the last names of what a step calls, and the training loops around it."""
    node = found.step.node
    loops = (each for each in source.ancestors(node) if isinstance(each, (cst.For, cst.While)))
    for each in (node, *(each for each in loops if trains(each, source))):
        yield from (last_name(call.func) or "" for call in calls_in(each))


def _takes_batches(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.For) and _names(node.iter, _LOADERS)


def _is_one_of_many(node: cst.For | cst.While | cst.FunctionDef, source: Source) -> bool:
    """Return whether a backward pass in it is one of many from which weights are updated.

    A probe of three shapes makes three, and one that only looks at gradients updates nothing.
    """
    if isinstance(node, cst.FunctionDef):
        return True
    parts = (node.target, node.iter) if isinstance(node, cst.For) else (node.test,)
    return any(_names(part, _LOADERS) or _names(part, _STEPS) for part in parts) and _updates(
        _whole_code(node, source), source
    )


def _whole_code(node: cst.CSTNode, source: Source) -> cst.CSTNode:
    """Return the class or the outermost function around a node, else the module."""
    functions = [each for each in source.ancestors(node) if isinstance(each, cst.FunctionDef)]
    return source.whole_class(node) or (functions[-1] if functions else source.module)


@once_per_file
def _updates(code: cst.CSTNode, source: Source) -> bool:
    """Check whether code updates weights, as far as the names of what it calls say."""
    del source
    return any(updates_by(call) or _makes_step(call) for call in calls_in(code))


def _makes_step(call: cst.Call) -> bool:
    owner = last_name(call.func.value) if isinstance(call.func, cst.Attribute) else None
    called = last_name(call.func) or ""
    return called.endswith("step") and not NO_UPDATES.match(owner or "")


def _names(node: cst.CSTNode, pattern: re.Pattern[str]) -> bool:
    return any(isinstance(each, cst.Name) and pattern.search(each.value) for each in walk(node))


def asks_machine(test: cst.BaseExpression) -> bool:
    """Return whether a condition is about the machine, so that it is the same in all steps."""
    if isinstance(test, cst.BooleanOperation):
        return asks_machine(test.left) and asks_machine(test.right)
    if isinstance(test, cst.UnaryOperation):
        return asks_machine(test.expression)
    if isinstance(test, cst.Call):
        return bool(_MACHINE_CHECKS.match(last_name(test.func) or ""))
    if isinstance(test, cst.Comparison):
        sides = (test.left, *(each.comparator for each in test.comparisons))
        return any(
            string_value(side) == "cuda" or (last_name(side) or "").endswith("world_size")
            for side in sides
        )
    return False


def _skips_turns(statement: cst.CSTNode) -> bool:
    """Find ``if step % n: continue``."""
    return (
        isinstance(statement, cst.If)
        and any(isinstance(each, cst.Continue) for each in walk(statement.body))
        and any(isinstance(each, cst.Modulo) for each in walk(statement.test))
    )


def _leaves_early(statement: cst.CSTNode) -> bool:
    """Find ``if …: return``, but not where only the machine decides."""
    return (
        isinstance(statement, cst.If)
        and any(isinstance(each, cst.Return) for each in walk(statement.body))
        and not asks_machine(statement.test)
    )
